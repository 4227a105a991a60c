// SPDX-License-Identifier: BSD-3-Clause
// All that the machine can count, to be searched; one click, and it is what is counted.
import { cell, List } from './list.js';
import { visible } from './text.js';
import { worthText } from './words.js';
import { store } from './store.js';
import { askFor, available, isLive } from './connection.js';
import { choose, onChange, state } from './state.js';

const filter = document.getElementById('filter');
const count = document.getElementById('event-count');
const about = document.getElementById('about');
let list = null, all = [], rows = [], known = new Map();

const isCounted = name => store.counted.includes(name);

function canBeCounted(event) {
	return isLive() && event.available !== false;
}

// ---- What is asked for ----

// Counts this and no other, but for the second one of a ratio, and shows it.
function countInstead(event) {
	const { second, view } = state.shown;

	if (isCounted(event.name) || !canBeCounted(event)) {
		if (store.events.has(event.name))
			choose({ event: store.events.get(event.name) });
		return;
	}
	askFor(view === 'ratio' && second && second.name !== event.name ? [event.name, second.name] : [event.name]);
}

function countToo(event) {
	if (!isCounted(event.name) && canBeCounted(event))
		askFor([...store.counted, event.name]);
	else if (isCounted(event.name) && store.counted.length > 1 && isLive())
		askFor(store.counted.filter(name => name !== event.name));
}

// ---- The list ----

function find() {
	const words = filter.value.toLowerCase().split(/\s+/).filter(word => word);

	rows = all.filter(event => {
		const text = `${event.name} ${event.description || ''} ${event.group || ''} ${event.kind || ''}`.toLowerCase();
		return words.every(word => text.includes(word));
	});
	count.textContent = words.length ? `${rows.length} of ${all.length}` : `${all.length}`;
	list.setCount(rows.length);
	describe();
}

// What was counted stands first, then all else in the order of the server.
function gather() {
	const found = [...store.events.values()].map(event => ({ ...event, ...known.get(event.name) }));

	all = [...found, ...[...known.values()].filter(event => !store.events.has(event.name))];
	find();
}

// What stands before a name, and what a click there does.
function signOf(event) {
	if (isCounted(event.name))
		return ['\u25cf', store.counted.length > 1 && isLive() ? 'counted: a click, and it is no longer' : 'counted'];
	if (state.asked?.includes(event.name))
		return ['\u2026', 'asked for'];
	return canBeCounted(event) ? ['+', 'count it beside the others'] : ['', ''];
}

function fillRow(row, i) {
	const event = rows[i], isShown = state.shown.event?.name === event.name;
	const [sign, hint] = signOf(event), first = cell('sign', sign, 22);
	const why = event.available === false ? `\nnot here: ${visible(event.why || 'no reason was given')}` : '';

	first.title = hint;
	row.append(first, cell('name', visible(event.name)),
		cell('error', visible(event.kind || ''), 66));
	row.title = `${visible(event.name)}\n${visible(event.description || '')}${why}`;
	row.classList.toggle('shown', isShown);
	row.classList.toggle('unavailable', event.available === false);
}

function describe() {
	const event = rows[list.active];

	if (!event) {
		about.textContent = isLive() ? 'A click counts an event instead of the others; one on its + beside them.' : '';
		return;
	}
	about.textContent = `${visible(event.name)}: ${visible(event.description || 'not described')}. ` +
		(event.kind ? worthText(event.kind) + '. ' : '') + (event.unit ? `In ${visible(event.unit)}. ` : '') +
		(event.available === false ? `It cannot be counted: ${visible(event.why || 'no reason was given')}.` : '');
}

const withActive = act => () => {
	if (rows[list.active])
		act(rows[list.active]);
};

// ---- The beginning ----

export async function beginCatalogue() {
	const box = document.getElementById('event-list');

	list = new List(box, fillRow, describe);
	filter.addEventListener('input', find);
	filter.addEventListener('keydown', event => {
		if (event.key === 'ArrowDown' && rows.length) {
			event.preventDefault();
			box.focus();
			list.go(Math.max(list.active, 0));
		}
	});
	box.addEventListener('click', event => {
		const row = event.target.closest('.row');
		if (row && rows[row.dataset.i])
			(event.target.closest('.sign') ? countToo : countInstead)(rows[row.dataset.i]);
	});
	box.addEventListener('keydown', event => {
		if (event.key === 'Enter' || event.key === ' ') {
			event.preventDefault();
			event.stopPropagation();
			withActive(event.key === ' ' ? countToo : countInstead)();
		}
	});
	let had = '';
	onChange(told => {
		if (!told.has('data') && !told.has('shown') && !told.has('status'))
			return;
		const has = [...store.events.keys()].join('\n');
		if (has !== had)
			gather();
		else if (told.has('shown') || told.has('status')) {
			list.draw();
			describe();
		}
		had = has;
	});
	gather();
	if (state.connection !== 'recording' && state.connection !== 'refused') {
		known = new Map((await available()).map(event => [event.name, event]));
		gather();
	}
}
