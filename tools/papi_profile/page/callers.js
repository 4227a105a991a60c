// SPDX-License-Identifier: BSD-3-Clause
// Who calls the function that is selected, and whom it calls: how often, and what happened there for it.
import { error, share, short, visible, whole } from './text.js';
import { cell, fillHead, List } from './list.js';
import { onChange, selectFunction, state } from './state.js';

const panel = document.getElementById('calls');
const lists = [
	{ name: 'caller', other: 'callee', title: 'Called by', pairs: [], list: null },
	{ name: 'callee', other: 'caller', title: 'Calls', pairs: [], list: null },
];

// Calls are counted in exact profiles alone.
function hasNumbers() {
	return state.first.pairs.calls.some(calls => calls > 0);
}

function fillTitles(side) {
	const label = visible(state.first.label);
	const titles = [[side.title, 'name']];

	if (hasNumbers())
		titles.unshift(['Times', 'number', 70, null, '', 'how many calls there were']);
	titles.unshift(['Inclusive', 'number', 74, null, '', `${label} in these calls, with what was called there`],
		['', 'number error', 56]);
	fillHead(document.getElementById(side.name + '-head'), titles);
}

function fillRow(side, row, i) {
	const { pairs, unit, total } = state.first, pair = side.pairs[i];
	const value = pairs.value[pair], name = visible(state.model.functions.name[pairs[side.name][pair]]);
	const made = [cell('number', value ? short(value, unit) : '', 74, value / total),
		cell('number error', value ? share(value, total) : '', 56)];

	made[0].title = `${whole(value, unit)} of ${visible(state.first.label)} ` + error(state.first, pairs.samples[pair]);
	if (hasNumbers()) {
		made.push(cell('number', short(pairs.calls[pair], ''), 70));
		made[2].title = `${whole(pairs.calls[pair], '')} calls`;
	}
	made.push(cell('name', name));
	made[made.length - 1].title = name;
	row.append(...made);
}

function fill(side) {
	const { pairs } = state.first, selected = state.selection.function;

	side.pairs = [];
	if (selected >= 0 && state.selection.kind !== 'nothing')
		pairs[side.other].forEach((f, pair) => {
			if (f === selected && (pairs.value[pair] || pairs.calls[pair]))
				side.pairs.push(pair);
		});
	side.pairs.sort((a, b) => pairs.value[b] - pairs.value[a] || pairs.calls[b] - pairs.calls[a] || a - b);
	side.list.box.scrollTop = 0;
	side.list.active = -1;
	side.list.setCount(side.pairs.length);
}

function take(what) {
	const has = Boolean(state.first && state.first.pairs);

	panel.classList.toggle('empty', !has);
	for (const side of has ? lists : []) {
		if (what === 'series')
			fillTitles(side);
		fill(side);
	}
}

export function beginCallers() {
	for (const side of lists) {
		const other = pair => state.first.pairs[side.name][pair];
		side.list = new List(document.getElementById(side.name + '-list'), (row, i) => fillRow(side, row, i),
			i => selectFunction(other(side.pairs[i])), true);
	}
	onChange(what => {
		if (what !== 'range')
			take(what);
	});
}
