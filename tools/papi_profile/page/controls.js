// SPDX-License-Identifier: BSD-3-Clause
// The head of the page: the run, the menus of events, the theme; the line at the foot; and the keys.
import { error, share, short, visible, whole, worthOf } from './text.js';
import { redrawCalls } from './flame.js';
import { redrawHistogram } from './histogram.js';
import { chooseSeries, onChange, selectNothing, showRange, shownSeries, state, zoom } from './state.js';

const first = document.getElementById('first');
const second = document.getElementById('second');
const third = document.getElementById('third');
const keys = document.getElementById('keys');

// ---- The run ----

function commandOf(run) {
	try {
		const words = JSON.parse(run.command);
		return words.map(word => visible(String(word))).join(' ');
	} catch {
		return visible(run.command);
	}
}

function factsOf(run) {
	const started = visible(run.started).replace('T', ' ').replace('Z', ' UTC');
	return [visible(run.machine), 'Linux ' + visible(run.kernel), started,
		run.seconds.toFixed(3) + ' s', visible(run.source), 'in ' + visible(run.directory)]
		.filter(fact => fact && fact !== 'in ').join(' \u00b7 ');
}

function doubtsOf(run, before) {
	return run.lost > 0
		? [`${whole(run.lost, '')} samples ${before}were lost: what is shown is too low by about as many`] : [];
}

function fillRun() {
	const { runs, modules } = state.model, [run, before] = runs;
	const doubts = [...doubtsOf(run, ''), ...(before ? doubtsOf(before, 'of the profile before ') : [])];
	const unnamed = modules.filter(module => module.trouble);

	document.title = commandOf(run) + ' \u2013 profile';
	document.getElementById('command').textContent = commandOf(run);
	document.getElementById('facts').textContent = factsOf(run) +
		(before ? ` \u00b7 before: ${commandOf(before)}, ${factsOf(before)}` : '');
	document.getElementById('facts').title = document.getElementById('facts').textContent;
	if (unnamed.length)
		doubts.push(`functions without names: ${unnamed.map(module =>
			`${visible(module.path)} (${visible(module.trouble)})`).join(', ')}`);
	document.getElementById('doubts').textContent = doubts.join('; ');
	document.getElementById('doubts').hidden = !doubts.length;
}

function fillWorth() {
	const shown = shownSeries(), same = shown.every(series => series.kind === shown[0].kind);
	document.getElementById('worth').textContent = shown.map((series, i) => {
		const samples = series.kind === 'sampled' ? ` in ${whole(series.samples, '')} samples` : '';
		const worth = same && i + 1 < shown.length ? ''
			: `, ${same && i ? 'both ' : ''}${worthOf(series.kind)}`;
		return `${visible(series.label)}: ${short(series.total, series.unit)}${samples}` +
			(series.note ? ` (${visible(series.note)})` : '') + worth;
	}).join('  \u00b7  ');
}

// ---- Events ----

function option(value, text) {
	const made = document.createElement('option');
	made.value = value;
	made.textContent = text;
	return made;
}

function fillMenus() {
	const { series } = state.model;
	const options = () => series.map((one, i) => option(String(i), visible(one.label)));

	first.replaceChildren(...options());
	second.replaceChildren(option('', 'nothing'), ...options());
	third.replaceChildren(option('ratio', 'their ratio'), option('difference', 'their difference'));
}

// What is asked for most: the same event before and now.
function beginWithSeries() {
	const { series } = state.model;
	const before = series.findIndex(one => one.profile === 1 && one.event === series[0].event);

	second.value = before >= 0 ? String(before) : '';
	chooseThird();
	take();
}

// Events that are different things have a ratio, the same one twice has a difference.
function chooseThird() {
	const { series } = state.model, a = series[first.value], b = series[second.value];
	third.value = b && a.event === b.event ? 'difference' : 'ratio';
}

function take() {
	const { series } = state.model;
	document.getElementById('third-label').hidden = !second.value;
	chooseSeries(series[first.value], second.value ? series[second.value] : null, third.value);
}

// ---- The line at the foot ----

function tellStatus() {
	const { selection, model, marked } = state, { kind } = selection;
	const names = {
		nothing: () => 'all of the program',
		module: () => visible(model.modules[selection.module].path),
		function: () => visible(model.functions.name[selection.function]),
		line: () => `${visible(model.files[selection.file])}:${selection.line}`,
		address: () => `an instruction of ${visible(model.functions.name[selection.function])}`,
	};
	const sums = shownSeries().map(series => {
		let value = 0, samples = 0;
		for (let i = 0; i < marked.length; i++)
			if (kind === 'nothing' || marked[i]) {
				value += series.values[i];
				samples += series.valueSamples[i];
			}
		return `${visible(series.label)} ${short(value, series.unit)} ${error(series, samples)} ` +
			`(${share(value, series.total)}), ${visible(series.kind)}`;
	});
	document.getElementById('status').textContent = `${names[kind]()}:  ${sums.join('  \u00b7  ')}` +
		(kind === 'function' ? '  \u2013  with what is inlined there, without what it called' : '');
}

// ---- Theme ----

const darkness = matchMedia('(prefers-color-scheme: dark)');
let chosenTheme = '';

function setTheme() {
	document.documentElement.dataset.theme = chosenTheme || (darkness.matches ? 'dark' : 'light');
	redrawHistogram();
	redrawCalls();
}

function switchTheme() {
	chosenTheme = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
	setTheme();
}

// ---- Keys ----

function nextOption(menu, direction) {
	menu.selectedIndex = (menu.selectedIndex + direction + menu.options.length) % menu.options.length;
	menu.dispatchEvent(new Event('change'));
}

const zoomBy = factor => () => zoom(factor, (state.range[0] + state.range[1]) / 2);

// Source and instructions share a place where the window is narrow.
function go(id, tab) {
	return () => {
		if (tab)
			document.querySelector('main').dataset.tab = tab;
		document.getElementById(id).focus();
	};
}

// Everywhere but in fields: key, what it does as people read it, what it does.
const EVERYWHERE = [
	['?', 'these keys', () => keys.showModal()],
	['1', 'to the histogram', go('bars')],
	['2', 'to the functions', go('function-list')],
	['3', 'to the source', go('source-list', 'source')],
	['4', 'to the instructions', go('code-list', 'code')],
	['5', 'to the calls', go('flame')],
	['6', 'to the callers of the function that is selected', go('caller-list')],
	['7', 'to the functions that it calls', go('callee-list')],
	['/', 'filter functions', go('filter')],
	['e', 'next event', () => nextOption(first, 1)],
	['b', 'next event beside it', () => nextOption(second, 1)],
	['r', 'ratio or difference of the two', () => nextOption(third, 1)],
	['l', 'logarithmic scale, or not', () => document.getElementById('logarithmic').click()],
	['+', 'zoom in', zoomBy(0.5)],
	['-', 'zoom out', zoomBy(2)],
	['0', 'all of the program', () => showRange(0, state.space.total)],
	['t', 'dark or light', switchTheme],
	['Escape', 'select nothing', () => selectNothing()],
];

// What views do by themselves.
const IN_VIEWS = [
	['Tab', 'from view to view'],
	['\u2191 \u2193 Page Home End', 'in lists: rows, which are selected everywhere'],
	['\u2190 \u2192', 'in the histogram: the function or address before or behind; with Shift: to the side'],
	['\u2191 \u2193', 'in the histogram: zoom in and out'],
	['Enter', 'in the histogram: zoom to what is selected'],
	['\u2190 \u2191 \u2192 \u2193', 'in the calls: beside, caller, called'],
	['Enter', 'in the lists of callers and called functions: selects the function'],
	['Enter Backspace', 'in the calls: begin with this call; with its caller'],
];

function fillKeys() {
	document.getElementById('key-table').replaceChildren(...[...EVERYWHERE, ...IN_VIEWS].map(([name, what]) => {
		const row = document.createElement('tr');
		const left = document.createElement('td'), right = document.createElement('td');
		const key = document.createElement('kbd');
		key.textContent = name;
		left.append(key);
		right.textContent = what;
		row.append(left, right);
		return row;
	}));
}

function key(event) {
	const isField = event.target.matches('input[type="search"], select');
	const found = EVERYWHERE.find(([name]) => name === event.key);

	if (!found || isField && event.key !== 'Escape' || event.ctrlKey || event.altKey || event.metaKey || keys.open)
		return;
	event.preventDefault();
	if (isField)
		event.target.blur();
	found[2]();
}

export function beginControls() {
	fillRun();
	fillMenus();
	fillKeys();
	for (const menu of [first, second])
		menu.addEventListener('change', () => {
			chooseThird();
			take();
		});
	third.addEventListener('change', take);
	document.getElementById('theme').addEventListener('click', switchTheme);
	document.getElementById('help').addEventListener('click', () => keys.showModal());
	document.getElementById('to-source').addEventListener('click', go('source-list', 'source'));
	document.getElementById('to-code').addEventListener('click', go('code-list', 'code'));
	document.getElementById('keys-close').addEventListener('click', () => keys.close());
	document.addEventListener('keydown', key);
	darkness.addEventListener('change', setTheme);
	onChange(what => {
		if (what === 'series')
			fillWorth();
		if (what !== 'range')
			tellStatus();
	});
	setTheme();
	beginWithSeries();
}
