// SPDX-License-Identifier: BSD-3-Clause
// The functions with what happened in them: to be sorted and filtered.
import { baseName, columnTitle, combinedError, error, ratioText, share, short, visible, whole } from './text.js';
import { cell, element, fillHead, List } from './list.js';
import { combine, onChange, selectFunction, shownSeries, state } from './state.js';

const filter = document.getElementById('filter');
let list = null, rows = [], columns = [];
let sorted = 'self0', descending = true;

// ---- Columns: what they hold, how they are shown ----

function valueColumn(key, title, series, values, width) {
	return {
		key, title, width, className: 'number', number: true, series, of: f => values[f],
		text: f => values[f] ? short(values[f], series.unit) : '', part: f => values[f] / series.total,
		hint: f => `${whole(values[f], series.unit)} of ${visible(series.label)}`,
	};
}

function errorColumn(series, samples) {
	return { title: '', width: 50, className: 'number error', text: f => error(series, samples[f]), part: () => 0 };
}

function valueOf(series, f) {
	return { series, value: series.self[f], samples: series.selfSamples[f] };
}

function thirdText(value) {
	if (state.third === 'ratio')
		return ratioText(value);
	return (value > 0 ? '+' : '') + short(value, state.first.unit);
}

function findColumns() {
	const shown = shownSeries(), { name: names, module: modules } = state.model.functions, found = [];
	const wide = shown.length === 1;

	shown.forEach((series, i) => {
		const title = columnTitle(series, i);
		found.push(valueColumn('self' + i, title, series, series.self, 78));
		if (series.kind === 'sampled')
			found.push(errorColumn(series, series.selfSamples));
		if (wide)
			found.push({ title: '', width: 56, className: 'number error',
				text: f => series.self[f] ? share(series.self[f], series.total) : '', part: () => 0 });
		if (wide && series.pairs)
			found.push(valueColumn('inclusive' + i, 'Inclusive', series, series.inclusive, 74));
	});
	if (state.third) {
		const of = f => combine(state.first.self[f], state.second.self[f]);
		found.push({ key: 'third', title: state.third === 'ratio' ? 'Ratio' : 'Change', width: 84,
			className: 'number', number: true, of: f => Number.isFinite(of(f)) ? of(f) : -Infinity,
			text: f => thirdText(of(f)), part: () => 0, hint: f => thirdText(of(f)) });
		found.push({ title: '', width: 76, className: 'number error', part: () => 0, text: f => combinedError(
			state.third === 'ratio', valueOf(state.first, f), valueOf(state.second, f)) });
	}
	found.push({ key: 'name', title: 'Function', className: 'name', of: f => names[f],
		text: f => visible(names[f]), part: () => 0,
		hint: f => `${visible(names[f])}\n${visible(state.model.modules[modules[f]].path)}` });
	found.push({ key: 'module', title: 'Module', width: 96, className: 'error', of: f => moduleOf(f),
		text: f => visible(moduleOf(f)), part: () => 0 });
	columns = found;
	if (!columns.some(column => column.key === sorted)) {
		sorted = 'self0';
		descending = true;
	}
}

function moduleOf(f) {
	return baseName(state.model.modules[state.model.functions.module[f]].path);
}

// ---- Rows ----

function compareBy(column) {
	const names = state.model.functions.name, turn = descending ? -1 : 1;
	// Ratios and differences: what is nothing comes last either way.
	return (a, b) => {
		const x = column.of(a), y = column.of(b);
		if (x !== y && column.key === 'third' && (x === -Infinity || y === -Infinity))
			return x === -Infinity ? 1 : -1;
		return turn * (x < y ? -1 : x > y ? 1 : 0) ||
			(names[a] < names[b] ? -1 : names[a] > names[b] ? 1 : a - b);
	};
}

function findRows() {
	const wanted = filter.value.toLowerCase(), shown = shownSeries(), names = state.model.functions.name;

	rows = [];
	const isWanted = text => text.toLowerCase().includes(wanted);
	for (let f = 0; f < names.length; f++)
		if (shown.some(series => series.self[f] || series.inclusive[f]) &&
			(!wanted || isWanted(names[f]) || isWanted(moduleOf(f))))
			rows.push(f);
	rows.sort(compareBy(columns.find(column => column.key === sorted)));
	document.getElementById('function-count').textContent = wanted ? `${rows.length} found` : `${rows.length}`;
	list.active = rows.indexOf(state.selection.function);
	list.setCount(rows.length);
}

function sortBy(column) {
	descending = sorted === column.key ? !descending : Boolean(column.number);
	sorted = column.key;
	fillTitles();
	findRows();
}

function fillTitles() {
	fillHead(document.getElementById('function-head'), columns.map(column => [column.title, column.className,
		column.width, column.key && (() => sortBy(column)),
		column.key === sorted && (descending ? 'descending' : 'ascending'),
		column.series && visible(column.series.label) +
			(column.key.startsWith('self') ? ' in the function itself' : ' and in what it called')]));
}

function fillRow(row, i) {
	const f = rows[i];

	if (isMarked(f))
		row.classList.add('marked');
	for (const column of columns) {
		const made = cell(column.className, column.text(f), column.width, column.part(f));
		if (column.hint)
			made.title = column.hint(f);
		row.append(made);
	}
}

// The function that is selected, or all of a module.
function isMarked(f) {
	const { kind, module, function: selected } = state.selection;
	return kind === 'module' ? state.model.functions.module[f] === module : kind !== 'nothing' && f === selected;
}

export function beginFunctions() {
	list = new List(document.getElementById('function-list'), fillRow, i => selectFunction(rows[i]));
	filter.addEventListener('input', findRows);
	filter.addEventListener('keydown', event => {
		if (event.key === 'ArrowDown' || event.key === 'Enter') {
			event.preventDefault();
			list.box.focus();
			if (rows.length)
				list.go(Math.max(0, list.active));
		}
	});
	onChange(what => {
		if (what === 'series') {
			findColumns();
			fillTitles();
			findRows();
		} else if (what === 'selection') {
			list.show(rows.indexOf(state.selection.function));
		}
	});
	if (!state.model.functions.name.length)
		list.space.append(element('p', 'aside', 'nothing was counted'));
}
