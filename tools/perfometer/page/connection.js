// SPDX-License-Identifier: BSD-3-Clause
// Where the messages come from: a recording inside of the page, or the server that the page came from.
import { visible } from './text.js';
import { store, take } from './store.js';
import { choose, showAll, state, tell } from './state.js';

const SILENCE = 5; // seconds without a message after which the page says so
const AT_ONCE = 3; // seconds: what has ended by then was over before

let token = '', source = null, heard = 0, opened = 0;

export function isLive() {
	return state.connection === 'live' || state.connection === 'lost';
}

function address(name) {
	return `${name}?token=${encodeURIComponent(token)}`;
}

// ---- Messages ----

// The event that is shown is one that is counted, as long as there is a choice.
function chooseAgain() {
	const { shown, asked } = state, counted = store.counted;
	const has = event => event && counted.includes(event.name);
	const wanted = asked && asked.find(name => counted.includes(name) && !state.before.includes(name));

	if (asked && asked.every(name => counted.includes(name)))
		state.asked = null;
	if (wanted)
		choose({ event: store.events.get(wanted) });
	else if (!has(shown.event) && counted.length)
		choose({ event: store.events.get(counted[0]) });
	else if (shown.event)
		choose({ event: store.events.get(shown.event.name) || null });
	if (shown.second && !has(shown.second))
		choose({ second: null, view: shown.view === 'ratio' ? 'rate' : shown.view });
}

function takeLine(line) {
	const { schemas } = store;

	take(line);
	heard = performance.now();
	if (store.schemas !== schemas)
		chooseAgain();
	if (store.bye && source) {
		source.close();
		source = null;
		state.connection = 'ended';
		tell('status');
		if (performance.now() - opened < 1000 * AT_ONCE)
			showAll();
	}
	tell('data');
}

// ---- The server ----

function connect() {
	opened = performance.now();
	source = new EventSource(address('data'));
	source.onopen = () => {
		state.connection = 'live';
		tell('status');
	};
	source.onmessage = event => takeLine(event.data);
	source.onerror = () => {
		// One that does not try again was refused: another token, or too many pages.
		const isOver = source && source.readyState === EventSource.CLOSED;
		state.connection = isOver ? store.hello ? 'ended' : 'refused' : 'lost';
		tell('status');
	};
	setInterval(() => {
		if (state.connection === 'live' && performance.now() - heard > 1000 * SILENCE)
			tell('status');
	}, 1000);
}

// For how long nothing has come; 0 if that is nothing to speak of.
export function silence() {
	const seconds = (performance.now() - heard) / 1000;
	return state.connection === 'live' && heard && seconds > SILENCE ? Math.floor(seconds) : 0;
}

// Asks for other events. What comes of it is a new schema.
export async function askFor(names) {
	state.asked = names;
	state.before = [...store.counted];
	state.answer = '';
	tell('status');
	try {
		const answer = await fetch(address('events'), { method: 'POST', cache: 'no-store',
			headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ events: names }) });
		if (!answer.ok) {
			const refusal = await answer.json().catch(() => ({}));
			throw new Error(refusal.error || `the server answered ${answer.status}`);
		}
	} catch (error) {
		state.asked = null;
		state.answer = visible(String(error.message));
	}
	tell('status');
}

// What the machine can count: a list, also after a failure.
export async function available() {
	try {
		const answer = await fetch(address('available'), { cache: 'no-store' });
		const list = answer.ok ? await answer.json() : [];
		return Array.isArray(list) ? list.filter(event => event && typeof event.name === 'string') : [];
	} catch {
		return [];
	}
}

// ---- The beginning ----

export function beginConnection(recording) {
	state.before = [];
	if (recording) {
		state.connection = 'recording';
		for (const line of recording.split('\n'))
			if (line.trim())
				take(line);
		chooseAgain();
		state.asked = null;
		tell('data');
		return;
	}
	token = new URLSearchParams(location.search).get('token') || '';
	if (location.protocol === 'file:') {
		state.connection = 'refused';
		state.answer = 'this page has no recording in it: perfometer shows it';
		tell('status');
		return;
	}
	connect();
}
