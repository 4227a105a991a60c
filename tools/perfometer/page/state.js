// SPDX-License-Identifier: BSD-3-Clause
// What the page shows, which all its parts share: the event, the lanes, the part of the time, the cursor. A part changes
// these by the functions here, and draws itself when it is told: 'data', 'shown', 'lanes', 'window', 'cursor', 'theme'
// or 'status'. All that happens before the next picture is told once.
import { extent, sampleAfter, store } from './store.js';
import { makeLanes } from './values.js';

const SHORTEST = 1e-4; // seconds in the window

export const state = {
	shown: { event: null, second: null, view: 'rate' },
	by: 'thread',
	lanes: [],
	active: 0, // lane
	sameScale: true,
	window: [0, 10], // seconds
	span: 10, // of the window, while it follows
	follows: true, // the newest sample is at its right end
	cursor: null, // where in the window, from 0 to 1
	connection: '', // 'recording', 'live', 'lost', 'refused' or 'ended'
	asked: null, // events that the server was asked to count, until it does
	answer: '', // what it said instead
};

const listeners = [];
const changes = new Set();
let generation = -1;

export function onChange(listener) {
	listeners.push(listener);
}

function tellAll() {
	const told = new Set(changes);

	changes.clear();
	if (told.has('data') && generation !== store.generation) {
		generation = store.generation;
		state.lanes = makeLanes(state.by);
		told.add('lanes');
	}
	if (told.has('data'))
		follow();
	if (told.has('data') || told.has('window'))
		told.add('cursor');
	for (const listener of listeners)
		listener(told);
}

export function tell(what) {
	if (!changes.size)
		requestAnimationFrame(tellAll);
	changes.add(what);
}

// ---- Time ----

function follow() {
	if (!state.follows)
		return;
	const [begin, end] = extent();
	const to = Math.max(end, begin + state.span);
	state.window = [to - state.span, to];
}

// Shows a part of the time; the window follows what comes only if it is told to.
export function showWindow(from, to, follows = false) {
	const [begin, end] = extent(), all = Math.max(end - begin, 1);
	const span = Math.min(Math.max(to - from, SHORTEST), all), middle = (from + to) / 2;
	const low = Math.max(begin, Math.min(middle - span / 2, end - span));

	state.follows = follows && store.hello !== null;
	state.span = span;
	state.window = [low, low + span];
	tell('window');
}

export function showAll() {
	showWindow(...extent());
}

export function zoom(factor, place) {
	const [from, to] = state.window;

	if (state.follows) {
		state.span = Math.min(Math.max((to - from) * factor, SHORTEST), 3600);
		follow();
		tell('window');
	} else {
		showWindow(place - (place - from) * factor, place + (to - place) * factor);
	}
}

export function move(part) {
	const [from, to] = state.window, way = (to - from) * part;
	showWindow(from + way, to + way);
}

export function pause() {
	state.follows = false;
	tell('window');
}

export function goLive() {
	state.follows = true;
	follow();
	tell('window');
}

// ---- Cursor ----

export function cursorTime() {
	const [from, to] = state.window;
	return state.cursor === null ? null : from + state.cursor * (to - from);
}

export function placeCursor(part) {
	state.cursor = part === null ? null : Math.min(Math.max(part, 0), 1);
	tell('cursor');
}

// To a time, which is brought in sight, and stays there.
export function cursorTo(t) {
	let [from, to] = state.window;

	if (t < from || t > to) {
		showWindow(t - (to - from) / 2, t + (to - from) / 2);
		[from, to] = state.window;
	}
	if (state.follows)
		pause();
	placeCursor((t - from) / (to - from));
}

// By samples: into the middle of the interval beside the one where it is.
export function stepCursor(n) {
	const t = cursorTime() ?? state.window[1];
	const now = Math.min(Math.max(sampleAfter(t), 1), store.n - 1);
	const to = Math.min(Math.max(now + (state.cursor === null ? 0 : n), 1), store.n - 1);

	if (store.n > 1)
		cursorTo((store.times[to - 1] + store.times[to]) / 2);
}

// ---- What is shown ----

export function choose(part) {
	Object.assign(state.shown, part);
	if (state.shown.event?.metric)
		state.shown.view = 'rate';
	if (state.shown.view === 'ratio' && !state.shown.second)
		state.shown.second = [...store.events.values()].find(event =>
			!event.metric && event.name !== state.shown.event?.name) || null;
	tell('shown');
}

export function chooseLanes(by) {
	state.by = by;
	state.lanes = makeLanes(by);
	state.active = 0;
	tell('lanes');
}

export function activate(lane) {
	state.active = Math.min(Math.max(lane, 0), state.lanes.length - 1);
	tell('cursor');
}

export function setSameScale(same) {
	state.sameScale = same;
	tell('shown');
}
