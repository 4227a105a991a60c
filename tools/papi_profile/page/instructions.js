// SPDX-License-Identifier: BSD-3-Clause
// The instructions of what is selected, with what happened at each. Of code whose instructions are not in the page, the
// addresses alone.
import { baseName, columnTitle, error, hasError, hexadecimal, inFull, short, visible } from './text.js';
import { cell, fillHead, List } from './list.js';
import { addressesBetween } from './data.js';
import { onChange, selectAddress, shownSeries, state } from './state.js';

const NEAR = 64; // addresses without instructions that make one piece, in bytes

let list = null, rows = [], shown = '';

// ---- The pieces of code that have what is selected ----

// Which piece an address is in, or -1.
function pieceOf(address) {
	const { module, offset, foreign } = state.model.addresses, ordered = state.model.orderedPieces;
	let from = 0, to = ordered.length;

	while (from < to) {
		const middle = (from + to) >> 1, piece = ordered[middle];
		const away = piece.module - module[address] || (piece.high <= offset[address] ? -1 : 0);
		if (away < 0)
			from = middle + 1;
		else
			to = middle;
	}
	const piece = ordered[from];
	const isThere = piece && piece.module === module[address] && piece.low <= offset[address];
	return isThere && !foreign[address] ? from : -1;
}

function orderPieces(model) {
	for (const piece of model.pieces)
		piece.high = piece.low + piece.lengths.reduce((sum, length) => sum + length, 0);
	model.orderedPieces = model.pieces.filter(piece => piece.high > piece.low)
		.sort((a, b) => a.module - b.module || a.low - b.low);
}

function addPiece(piece) {
	const { model } = state, [first, end] = addressesBetween(model, piece.module, piece.low, piece.high);
	let offset = piece.low, i = first;

	rows.push({ title: `${baseName(model.modules[piece.module].path)}, from ` +
		hexadecimal(model.modules[piece.module].base, piece.low) });
	piece.lengths.forEach((length, k) => {
		let found = -1;
		for (; i < end && model.addresses.offset[i] < offset + length; i++)
			if (!model.addresses.foreign[i] && model.addresses.offset[i] === offset)
				found = i;
		rows.push({ address: found, module: piece.module, offset, text: piece.texts[k] });
		offset += length;
	});
}

function addBare(address) {
	const { module, offset } = state.model.addresses, last = rows[rows.length - 1];

	if (!last || last.module !== module[address] || Math.abs(last.offset - offset[address]) > NEAR)
		rows.push({ title: `${baseName(state.model.modules[module[address]].path)}, without instructions` });
	rows.push({ address, module: module[address], offset: offset[address], text: '' });
}

// The pieces of the function that is selected: all that has code of it.
function findRows() {
	const { first, n } = state.model.addresses, functions = state.model.places.function;
	const wanted = state.selection.function, seen = new Set();

	rows = [];
	for (let i = 0; i < n; i++) {
		let isMeant = wanted < 0 ? state.marked[i] === 1 : false;
		for (let j = first[i]; wanted >= 0 && j < first[i + 1]; j++)
			isMeant = isMeant || functions[j] === wanted;
		if (!isMeant)
			continue;
		const piece = pieceOf(i);
		if (piece < 0)
			addBare(i);
		else if (!seen.has(piece))
			addPiece(state.model.orderedPieces[piece]);
		if (piece >= 0)
			seen.add(piece);
	}
}

// ---- The list ----

function fillTitles() {
	fillHead(document.getElementById('code-head'), [
		...shownSeries().flatMap((series, s) => [
			[columnTitle(series, s), 'number', 74, null, null, visible(series.label)],
			...(hasError(series, s) ? [['', 'number error', 46]] : []),
		]), ['Address', 'label', 92], ['Instruction', 'code', 0]]);
}

function fillRow(row, i) {
	const { title, address, module, offset, text } = rows[i];

	if (title !== undefined) {
		row.classList.add('gap');
		row.append(cell('code', visible(title), 0));
		return;
	}
	// Of a function all would be marked.
	if (address >= 0 && state.marked[address] && state.selection.kind !== 'function')
		row.classList.add('marked');
	shownSeries().forEach((series, s) => {
		const value = address >= 0 ? series.values[address] : 0;
		const made = cell('number', value ? short(value, series.unit) : '', 74, value / series.total);
		if (value)
			made.title = inFull(series, value);
		row.append(made);
		if (hasError(series, s))
			row.append(cell('number error', value ? error(series, series.valueSamples[address]) : '', 46));
	});
	const foreign = address >= 0 && state.model.addresses.foreign[address];
	row.append(cell('label', foreign ? 'before' : hexadecimal(state.model.modules[module].base, offset), 92),
		cell('code', visible(text), 0));
}

// The selected address; of a line or function the one with most.
function mainRow() {
	const values = state.first.values;
	let best = -1;

	rows.forEach((row, i) => {
		const isMeant = row.address >= 0 && state.marked[row.address];
		if (isMeant && (best < 0 || values[row.address] > values[rows[best].address]))
			best = i;
	});
	return best;
}

function tellTrouble() {
	const note = document.getElementById('code-note'), { model, selection } = state;
	const without = rows.some(row => row.title === undefined && row.text === '');
	let text = '';

	if (selection.kind === 'nothing')
		text = 'nothing is selected';
	else if (without && !model.hasCode)
		text = 'the page was written without instructions';
	else if (without && model.obstacle)
		text = 'without instructions: ' + model.obstacle;
	else if (without && model.piecesLeftOut)
		text = `the page has no room for the instructions of ${model.piecesLeftOut} pieces of code`;
	else if (without)
		text = 'the instructions were not to be had';
	note.textContent = text;
	note.hidden = !text;
}

function show() {
	const { selection, model } = state;
	const what = `${selection.kind === 'module'} ${selection.module} ${selection.function}`;

	if (what !== shown || selection.function < 0) {
		shown = what;
		if (selection.kind === 'nothing' || selection.kind === 'module')
			rows = [];
		else
			findRows();
		list.active = -1;
		list.setCount(rows.length);
	}
	document.getElementById('code-name').textContent = selection.function >= 0
		? visible(model.functions.name[selection.function]) : '';
	tellTrouble();
	list.show(mainRow());
}

export function beginInstructions() {
	orderPieces(state.model);
	list = new List(document.getElementById('code-list'), fillRow, i => {
		if (rows[i].address >= 0)
			selectAddress(rows[i].address);
	});
	onChange(what => {
		if (what === 'series') {
			fillTitles();
			list.draw();
		}
		if (what === 'selection' || what === 'series')
			show();
	});
}
