// SPDX-License-Identifier: BSD-3-Clause
// What the page shows: the events, the part of the code, and the selection, which all views share. A view changes these
// by the functions here, and draws itself when it is told of a change: 'series', 'selection' or 'range'.
import { layOut } from './space.js';

export const state = {
	model: null,
	space: null,
	first: null, // series
	second: null,
	third: '', // 'ratio' or 'difference' of the two
	range: [0, 1], // of the axis
	// kind: 'nothing', 'module', 'function', 'line' or 'address'; the others as far as they are known, -1 if not
	selection: { kind: 'nothing', module: -1, function: -1, file: -1, line: 0, address: -1 },
	marked: null, // of each address: 1 if it is selected
};

const listeners = [];

export function onChange(listener) {
	listeners.push(listener);
}

function tell(what) {
	for (const listener of listeners)
		listener(what);
}

export function begin(model) {
	state.model = model;
	state.space = layOut(model);
	state.marked = new Uint8Array(model.addresses.n);
	state.range = [0, state.space.total];
	state.first = model.series[0] || null;
}

// The series that are shown, one or two.
export function shownSeries() {
	return [state.first, state.second].filter(series => series);
}

export function chooseSeries(first, second, third) {
	state.first = first;
	state.second = second;
	state.third = second ? third : '';
	tell('series');
}

// What the third column has, of two values.
export function combine(a, b) {
	if (state.third === 'difference')
		return a - b;
	return b > 0 ? a / b : NaN;
}

// ---- The part of the code that the histogram shows ----

export function showRange(from, to) {
	const total = state.space.total, size = Math.min(Math.max(to - from, 4), total);
	const low = Math.max(0, Math.min((from + to - size) / 2, total - size));

	state.range = [low, low + size];
	tell('range');
}

// Around the place, by a factor.
export function zoom(factor, place) {
	const [from, to] = state.range;
	showRange(place - (place - from) * factor, place + (to - place) * factor);
}

// With some room on both sides.
function showWithRoom(from, to) {
	const room = (to - from) * 0.04;
	showRange(from - room, to + room);
}

export function showThing(thing) {
	showWithRoom(thing.x0, thing.x1);
}

// The stretch of code with most of what is selected.
export function mainStretch() {
	let best = null, most = -1;

	for (const stretch of state.space.stretches) {
		let sum = -1;
		for (let i = stretch.first; i < stretch.end; i++)
			if (state.marked[i])
				sum = Math.max(sum, 0) + (state.first ? state.first.values[i] : 0);
		if (sum > most) {
			most = sum;
			best = stretch;
		}
	}
	return best;
}

export function showSelection() {
	const { kind, module, address } = state.selection, { x, width } = state.space;

	if (kind === 'nothing') {
		showRange(0, state.space.total);
	} else if (kind === 'module') {
		const found = state.space.modules.find(one => one.module === module);
		if (found)
			showThing(found);
	} else if (kind === 'address') {
		showRange(x[address] - 24 * width[address], x[address] + 25 * width[address]);
	} else {
		const stretch = mainStretch();
		if (stretch)
			showThing(stretch);
	}
}

// ---- The selection ----

// Whether a place is one that is selected.
function placeTest(selection) {
	const { function: functions, file, line } = state.model.places;
	if (selection.kind === 'function')
		return j => functions[j] === selection.function;
	return j => file[j] === selection.file && line[j] === selection.line;
}

function mark(selection) {
	const { n, first, module } = state.model.addresses, marked = state.marked;

	marked.fill(0);
	if (selection.kind === 'address') {
		marked[selection.address] = 1;
	} else if (selection.kind === 'module') {
		for (let i = 0; i < n; i++)
			marked[i] = module[i] === selection.module ? 1 : 0;
	} else if (selection.kind !== 'nothing') {
		const isMeant = placeTest(selection);
		for (let i = 0; i < n; i++)
			for (let j = first[i]; j < first[i + 1]; j++)
				if (isMeant(j))
					marked[i] = 1;
	}
}

// A function that an address belongs to: the one that is selected already, if that is possible.
function functionAt(address) {
	const { first } = state.model.addresses, functions = state.model.places.function;
	for (let j = first[address]; j < first[address + 1]; j++)
		if (functions[j] === state.selection.function)
			return functions[j];
	return functions[first[address]];
}

// The line of an address: in the file that is selected already, if it has one there.
function lineAt(address) {
	const { first } = state.model.addresses, { file, line } = state.model.places;
	for (let j = first[address]; j < first[address + 1]; j++)
		if (file[j] >= 0 && file[j] === state.selection.file)
			return [file[j], line[j]];
	return [file[first[address]], line[first[address]]];
}

// The line of a function with most of the first event; where it is declared if there is none.
function lineOf(number) {
	const { n, first } = state.model.addresses, { function: functions, file, line } = state.model.places;
	const sums = new Map();
	let best = null;

	for (let i = 0; i < n; i++)
		for (let j = first[i]; j < first[i + 1]; j++)
			if (functions[j] === number && file[j] >= 0) {
				const key = file[j] + ':' + line[j], sum = sums.get(key) || { value: 0, at: j };
				sum.value += state.first ? state.first.values[i] : 0;
				sums.set(key, sum);
				break;
			}
	for (const sum of sums.values())
		if (!best || sum.value > best.value)
			best = sum;
	return best ? [file[best.at], line[best.at]]
		: [state.model.functions.file[number], state.model.functions.line[number]];
}

function take(selection, show) {
	mark(selection);
	state.selection = selection;
	tell('selection');
	if (show)
		showSelection();
}

// In each: whether the histogram goes there, too.
export function selectNothing(show = true) {
	take({ kind: 'nothing', module: -1, function: -1, file: -1, line: 0, address: -1 }, show);
}

export function selectModule(module, show = true) {
	take({ kind: 'module', module, function: -1, file: -1, line: 0, address: -1 }, show);
}

export function selectFunction(number, show = true) {
	const [file, line] = lineOf(number);
	const module = state.model.functions.module[number];
	take({ kind: 'function', module, function: number, file, line, address: -1 }, show);
}

export function selectLine(file, line, show = true) {
	const selection = { kind: 'line', module: -1, function: state.selection.function, file, line, address: -1 };

	mark(selection);
	const first = state.marked.indexOf(1);
	if (first >= 0) {
		selection.function = functionAt(first);
		selection.module = state.model.functions.module[selection.function];
	}
	take(selection, show && first >= 0);
}

export function selectAddress(address, show = true) {
	const [file, line] = lineAt(address), number = functionAt(address);
	const module = state.model.addresses.module[address];
	take({ kind: 'address', module, function: number, file, line, address }, show);
}
