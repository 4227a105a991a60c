// SPDX-License-Identifier: BSD-3-Clause
// The lines of a source file, with what happened in each. "Self" is the code of the line itself, wherever it was
// inlined, so that all lines make up the total; "+ inlined" also has what was inlined into the line.
import { baseName, columnTitle, error, hasError, inFull, short, visible } from './text.js';
import { cell, fillHead, List } from './list.js';
import { onChange, selectLine, shownSeries, state } from './state.js';

const chooser = document.getElementById('file');
const note = document.getElementById('source-note');
let list = null, file = -1, rows = [], sums = [], deep = false;

// ---- What happened in the lines of a file ----

// For each series a map from lines to { self, samples, deep }.
function sumLines() {
	const { n, first } = state.model.addresses, places = state.model.places, shown = shownSeries();

	sums = shown.map(() => new Map());
	deep = false;
	for (let i = 0; i < n; i++) {
		const lines = new Set();
		for (let j = first[i]; j < first[i + 1]; j++) {
			if (places.file[j] !== file)
				continue;
			deep = deep || j > first[i];
			shown.forEach((series, s) => addTo(sums[s], places.line[j], series, i, j === first[i], lines));
			lines.add(places.line[j]);
		}
	}
}

function addTo(sum, line, series, i, innermost, seen) {
	const found = sum.get(line) || { self: 0, samples: 0, deep: 0 };

	if (innermost) {
		found.self += series.values[i];
		found.samples += series.valueSamples[i];
	}
	if (!seen.has(line))
		found.deep += series.values[i];
	sum.set(line, found);
}

// ---- The file ----

// Rows are lines, and gaps where lines are left out: { line, text }, or { gap }.
function findRows() {
	const source = state.model.sources.get(file), texts = new Map();

	(source ? source.numbers : []).forEach((number, i) => texts.set(number, source.lines[i]));
	const counted = sums.flatMap(sum => [...sum.keys()]).filter(line => !texts.has(line));
	const numbers = [...new Set([...texts.keys(), ...counted])].sort((a, b) => a - b);
	rows = [];
	numbers.forEach((number, i) => {
		if (number > 0 && i > 0 && number > numbers[i - 1] + 1)
			rows.push({ gap: true });
		rows.push({ line: number, text: number ? texts.get(number) || '' : 'code without a line' });
	});
}

function tellTrouble() {
	const source = state.model.sources.get(file), { model } = state;
	const parts = [];

	if (file >= 0 && !model.hasCode)
		parts.push('the page was written without source');
	else if (source && source.trouble && source.lines.length)
		parts.push('the source: ' + source.trouble);
	else if (source && source.trouble)
		parts.push(`the source is not here (${source.trouble}), so there are only the numbers of its lines`);
	if (file >= 0 && model.otherBuilds && state.second && state.second.profile !== state.first.profile)
		parts.push('two builds: lines of the one before are where they were then');
	if (file < 0)
		parts.push('no lines are known' + (state.selection.kind === 'nothing' ? '' : ' of what is selected'));
	note.textContent = parts.join('; ');
	note.hidden = !parts.length;
}

function fillTitles() {
	const shown = shownSeries();
	fillHead(document.getElementById('source-head'), [
		...shown.flatMap((series, s) => [
			[columnTitle(series, s), 'number', 74, null, null, visible(series.label)],
			...(hasError(series, s) ? [['', 'number error', 46]] : []),
		]),
		...(deep ? [['+ inlined', 'number', 74]] : []),
		['Line', 'label', 50], [file >= 0 ? visible(baseName(state.model.files[file])) : '', 'code', 0]]);
}

function fillRow(row, i) {
	const { gap, line, text } = rows[i], shown = shownSeries();
	const { kind, file: selectedFile, line: selectedLine } = state.selection;

	if (gap) {
		row.classList.add('gap');
		row.append(cell('code', '      \u2026', 0));
		return;
	}
	if (kind !== 'nothing' && file === selectedFile && line === selectedLine)
		row.classList.add('marked');
	shown.forEach((series, s) => {
		const sum = sums[s].get(line);
		const made = cell('number', sum && sum.self ? short(sum.self, series.unit) : '', 74,
			sum ? sum.self / series.total : 0);
		if (sum && sum.self)
			made.title = inFull(series, sum.self);
		row.append(made);
		if (hasError(series, s))
			row.append(cell('number error', sum ? error(series, sum.samples) : '', 46));
	});
	if (deep) {
		const sum = sums[0].get(line);
		row.append(cell('number error', sum && sum.deep > sum.self ? short(sum.deep, shown[0].unit) : '', 74));
	}
	row.append(cell('label', line ? String(line) : '?', 50), cell('code', visible(text), 0));
}

function showFile(number) {
	file = number;
	if (state.first)
		sumLines();
	findRows();
	chooser.value = String(file);
	tellTrouble();
	fillTitles();
	list.active = -1;
	list.box.scrollTop = 0;
	list.setCount(rows.length);
}

function showSelected() {
	const { kind, file: wanted, line } = state.selection;

	if (kind === 'nothing' || kind === 'module') {
		list.active = -1;
		list.draw();
		return;
	}
	if (wanted !== file)
		showFile(wanted);
	tellTrouble();
	list.show(rows.findIndex(row => row.line === line && !row.gap));
}

// The file with most of the first event, first; and the files by their names.
function fillChooser() {
	const { model } = state, known = new Set();

	for (let j = 0; j < model.places.file.length; j++)
		if (model.places.file[j] >= 0)
			known.add(model.places.file[j]);
	const numbers = [...known].sort((a, b) => model.files[a] < model.files[b] ? -1 : 1);
	chooser.replaceChildren(...numbers.map(number => {
		const option = document.createElement('option');
		option.value = String(number);
		option.textContent = visible(model.files[number]);
		return option;
	}));
}

export function beginSource() {
	list = new List(document.getElementById('source-list'), fillRow, i => {
		if (!rows[i].gap)
			selectLine(file, rows[i].line);
	});
	fillChooser();
	chooser.addEventListener('change', () => showFile(Number(chooser.value)));
	onChange(what => {
		if (what === 'range')
			return;
		if (what === 'series')
			showFile(file);
		showSelected();
	});
}
