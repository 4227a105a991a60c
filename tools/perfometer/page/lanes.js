// SPDX-License-Identifier: BSD-3-Clause
// The lanes below each other, drawn by uPlot, with a common axis of time. Only those in sight have a plot.
/* global uPlot */
import { element } from './list.js';
import { short, visible } from './text.js';
import { clock, laneUnit, valueText } from './words.js';
import { drawBehind, forgetColours } from './bands.js';
import { extent, store } from './store.js';
import { exactTotal, intervalAt, laneEnd, pointsOf, valueOf } from './values.js';
import { activate, cursorTime, cursorTo, move, onChange, pause, placeCursor, showAll, showWindow, state, stepCursor,
	zoom } from './state.js';

const HEAD = 216; // pixels, as in page.css
const GUTTER = 62; // of the numbers at the left of a plot
const LEAST = 84, MOST = 260; // heights of a lane
const RIGHT = 20; // room for half of the last time

const room = document.getElementById('lanes-room');
const box = document.getElementById('lanes');
const space = document.getElementById('lanes-space');
const line = document.getElementById('cursor');
const selection = document.getElementById('selection');
const axisBox = document.getElementById('axis');
let rows = []; // in sight: { lane, i, node, name, facts, value, plot, points }
let axis = null, height = LEAST, top = NaN, range = [0, 1];

function styleOf(name) {
	return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function plotWidth() {
	return Math.max(space.clientWidth - HEAD, 200);
}

// ---- Plots ----

function axisOptions() {
	return { stroke: styleOf('--aside'), font: '11px system-ui, "DejaVu Sans", sans-serif',
		grid: { stroke: styleOf('--line'), width: 1 }, ticks: { show: false } };
}

function optionsOf(row) {
	return {
		width: plotWidth(), height, legend: { show: false }, cursor: { show: false }, padding: [6, RIGHT, 4, 0],
		scales: { x: { time: false, range: () => state.window }, y: { range: () => rangeOf(row) } },
		axes: [
			{ ...axisOptions(), size: 0, values: () => [], space: 90 },
			{ ...axisOptions(), size: GUTTER, gap: 4, space: 22, values: (plot, splits) =>
				splits.map(value => short(value, laneUnit(state.shown))) },
		],
		series: [{}, { stroke: styleOf('--value'), fill: styleOf('--fill'), width: 1.25, points: { show: false },
			spanGaps: false }],
		hooks: { drawClear: [plot => drawBehind(plot, row.lane)] },
	};
}

// From 0 on for what is counted, from the least for totals, which grow and grow.
function rangeOfPoints(list) {
	let low = Infinity, high = -Infinity;

	for (const [, y] of list)
		for (const value of y)
			if (value !== null) {
				low = value < low ? value : low;
				high = value > high ? value : high;
			}
	if (low > high)
		return [0, 1];
	if (state.shown.view !== 'total')
		low = Math.min(low, 0);
	return high > low ? [low, high + (high - low) * 0.08] : high > 0 ? [0, 1.08 * high] : [low, low + 1];
}

// The whole program is more than each of its threads.
const isCommon = lane => state.sameScale && !lane.isWhole;

function rangeOf(row) {
	return isCommon(row.lane) ? range : rangeOfPoints([row.points]);
}

// Of many that have come and gone, most are at another time.
function isInWindow({ threads }) {
	const [from, to] = state.window;
	return threads.some(({ begin, end }) => begin <= to && end >= from);
}

function findCommonRange(columns) {
	const lanes = state.lanes.filter(lane => isCommon(lane) && isInWindow(lane));
	const inSight = rows.filter(row => isCommon(row.lane));

	range = rangeOfPoints(lanes.length <= inSight.length ? inSight.map(row => row.points)
		: lanes.map(lane => pointsOf(lane, state.shown, state.window, columns / 4)));
}

function makeRow(i) {
	const node = element('div', 'lane');
	const row = { i, lane: state.lanes[i], node, points: [[], []], plot: null };

	node.setAttribute('role', 'row');
	row.head = element('div', 'lane-head');
	row.head.setAttribute('role', 'gridcell');
	row.name = element('div', 'lane-name');
	row.facts = element('div', 'aside lane-facts');
	row.value = element('div', 'lane-value');
	row.total = element('div', 'aside lane-total');
	row.head.append(row.name, row.facts, row.value, row.total);
	node.append(row.head);
	space.append(node);
	row.plot = new uPlot(optionsOf(row), row.points, node);
	return row;
}

function dropRow(row) {
	row.plot.destroy();
	row.node.remove();
}

// ---- Which are in sight ----

function layOut() {
	const n = state.lanes.length;
	const now = Math.max(LEAST, Math.min(Math.floor(box.clientHeight / Math.max(n, 1)), MOST));

	if (now !== height || rows.some(row => row.plot.width !== plotWidth())) {
		height = now;
		for (const row of rows)
			row.plot.setSize({ width: plotWidth(), height });
	}
	box.setAttribute('aria-rowcount', n);
	space.style.height = n * height + 'px';
	document.getElementById('no-lanes').hidden = n > 0;
}

function placeRows() {
	const first = Math.max(0, Math.floor(box.scrollTop / height));
	const end = Math.min(state.lanes.length, Math.ceil((box.scrollTop + box.clientHeight) / height));
	const unused = rows.filter(row => row.i < first || row.i >= end), kept = new Map(rows.map(row => [row.i, row]));

	rows = [];
	for (let i = first; i < end; i++) {
		let row = kept.get(i) || unused.pop() || makeRow(i);
		row.i = i;
		row.lane = state.lanes[i];
		row.node.style.top = i * height + 'px';
		row.node.style.height = height + 'px';
		row.node.id = 'lane-' + i;
		row.node.dataset.i = i;
		row.node.setAttribute('aria-rowindex', i + 1);
		rows.push(row);
	}
	unused.forEach(dropRow);
	// Readers of the screen go by the order in the document.
	if (rows.some((row, place) => space.children[place] !== row.node))
		space.append(...rows.map(row => row.node));
}

function draw() {
	const start = performance.now();

	layOut();
	placeRows();
	const columns = plotWidth() - GUTTER;
	for (const row of rows)
		row.points = pointsOf(row.lane, state.shown, state.window, columns);
	if (state.sameScale)
		findCommonRange(columns);
	for (const row of rows)
		row.plot.setData(row.points);
	drawAxis();
	fillHeads();
	box.dataset.milliseconds = (performance.now() - start).toFixed(1);
}

// ---- The axis ----

function makeAxis() {
	const bottom = { ...axisOptions(), size: 28, gap: 4, space: 90, values: (plot, splits) =>
		splits.map(t => clock(t, state.window[1] - state.window[0])) };

	axis?.destroy();
	axis = new uPlot({ width: plotWidth(), height: 30, legend: { show: false }, cursor: { show: false },
		padding: [0, RIGHT, 0, 0], scales: { x: { time: false, range: () => state.window }, y: { range: [0, 1] } },
		axes: [bottom, { ...axisOptions(), size: GUTTER, values: () => [] }], series: [{}, { show: false }] },
	[state.window, [null, null]], axisBox);
}

function drawAxis() {
	if (!axis)
		makeAxis();
	if (axis.width !== plotWidth())
		axis.setSize({ width: plotWidth(), height: 30 });
	axis.setData([state.window, [null, null]]);
}

// ---- The heads, and the cursor ----

function fillHeads() {
	const t = cursorTime(), end = extent()[1];
	const i = t === null ? store.n - 1 : intervalAt(t);

	for (const row of rows) {
		const { lane } = row, value = valueOf(lane, state.shown, i), ended = laneEnd(lane);
		const total = state.shown.event ? exactTotal(lane, state.shown.event) : null;
		const isOver = ended <= end && (t === null || t > ended);
		row.name.textContent = visible(lane.name);
		row.facts.textContent = [...lane.facts, lane.threads.length > 1 ? `${lane.threads.length} threads` : '',
			Number.isFinite(ended) ? 'ended' : ''].filter(fact => fact).join(' \u00b7 ');
		row.head.title = `${visible(lane.name)}\n${row.facts.textContent}` + (lane.threads.length === 1 &&
			lane.threads[0].reason ? `: ${visible(lane.threads[0].reason)}` : '');
		row.value.textContent = valueText(value, state.shown, isOver);
		row.total.textContent = total === null ? '' : `total ${total.toLocaleString('en')}`;
		row.total.title = 'The newest total that is known';
		row.node.classList.toggle('active', row.i === state.active);
		row.node.setAttribute('aria-selected', row.i === state.active);
	}
	if (rows.some(row => row.i === state.active))
		box.setAttribute('aria-activedescendant', 'lane-' + state.active);
	else
		box.removeAttribute('aria-activedescendant');
	line.hidden = state.cursor === null || !state.lanes.length;
	if (state.cursor !== null)
		line.style.left = HEAD + GUTTER + state.cursor * (plotWidth() - GUTTER - RIGHT) + 'px';
}

// ---- The mouse ----

function partAt(event) {
	const left = room.getBoundingClientRect().left + HEAD + GUTTER;
	return (event.clientX - left) / (plotWidth() - GUTTER - RIGHT);
}

const isPart = part => part >= 0 && part <= 1;
let dragged = null; // where it began

function showSelection(part) {
	const width = plotWidth() - GUTTER - RIGHT, [a, b] = [dragged, part].sort((x, y) => x - y);
	selection.hidden = Math.abs(a - b) * width < 5;
	selection.style.left = HEAD + GUTTER + a * width + 'px';
	selection.style.width = (b - a) * width + 'px';
}

function finishDrag(event) {
	const part = Math.min(Math.max(partAt(event), 0), 1), [from, to] = state.window;

	if (dragged !== null && !selection.hidden) {
		const [a, b] = [dragged, part].sort((x, y) => x - y);
		showWindow(from + a * (to - from), from + b * (to - from));
	}
	dragged = null;
	selection.hidden = true;
}

function wheel(event) {
	const [from, to] = state.window, part = Math.min(Math.max(partAt(event), 0), 1);
	const isOfAxis = axisBox.contains(event.target);

	if (event.shiftKey || event.deltaX)
		move((event.deltaX || event.deltaY) / 1200);
	else if (event.ctrlKey || isOfAxis)
		zoom(Math.exp(event.deltaY / 500), from + part * (to - from));
	else
		return; // the lanes scroll
	event.preventDefault();
}

function listenToMouse() {
	const area = document.getElementById('time');

	area.addEventListener('pointermove', event => {
		const part = partAt(event);
		placeCursor(isPart(part) || dragged !== null ? part : null);
		if (dragged !== null)
			showSelection(Math.min(Math.max(part, 0), 1));
		if (dragged !== null && !selection.hidden && state.follows)
			pause();
	});
	area.addEventListener('pointerleave', () => placeCursor(null));
	area.addEventListener('pointerdown', event => {
		const part = partAt(event), lane = event.target.closest('.lane');
		if (lane)
			activate(Number(lane.dataset.i));
		if (event.button || !isPart(part))
			return;
		dragged = part;
		area.setPointerCapture(event.pointerId);
	});
	area.addEventListener('pointerup', finishDrag);
	area.addEventListener('pointercancel', finishDrag);
	area.addEventListener('dblclick', () => showAll());
	area.addEventListener('wheel', wheel, { passive: false });
}

// ---- Keys ----

function showLane(i) {
	activate(i);
	const at = state.active * height;
	if (at < box.scrollTop)
		box.scrollTop = at;
	else if (at + height > box.scrollTop + box.clientHeight)
		box.scrollTop = at + height - box.clientHeight;
}

// The beginning of a band of the active lane, before or behind the cursor.
export function goToMark(direction) {
	const lane = state.lanes[state.active], t = cursorTime() ?? state.window[1];
	const begins = lane ? [store.everywhere, ...lane.threads].flatMap(one => one.bands.map(band => band.t)) : [];
	const found = direction < 0 ? Math.max(...begins.filter(begin => begin < t - 1e-9))
		: Math.min(...begins.filter(begin => begin > t + 1e-9));

	if (Number.isFinite(found))
		cursorTo(found);
}

function key(event) {
	const page = Math.max(1, Math.floor(box.clientHeight / height) - 1);
	const actions = {
		ArrowLeft: () => event.shiftKey ? move(-0.25) : stepCursor(-1),
		ArrowRight: () => event.shiftKey ? move(0.25) : stepCursor(1),
		ArrowUp: () => showLane(state.active - 1), ArrowDown: () => showLane(state.active + 1),
		PageUp: () => showLane(state.active - page), PageDown: () => showLane(state.active + page),
	};

	if (!Object.hasOwn(actions, event.key) || event.ctrlKey || event.altKey || event.metaKey || !store.n ||
		event.target !== box && event.target !== document.body)
		return;
	event.preventDefault();
	actions[event.key]();
}

// ---- The beginning ----

function forgetTheme() {
	forgetColours();
	rows.forEach(dropRow);
	rows = [];
	makeAxis();
}

export function beginLanes() {
	listenToMouse();
	document.addEventListener('keydown', key);
	box.addEventListener('scroll', () => {
		if (box.scrollTop !== top)
			draw();
		top = box.scrollTop;
	});
	new ResizeObserver(() => draw()).observe(box);
	onChange(told => {
		if (told.has('theme'))
			forgetTheme();
		if (['data', 'shown', 'lanes', 'window', 'theme'].some(what => told.has(what)))
			draw();
		else if (told.has('cursor'))
			fillHeads();
	});
}
