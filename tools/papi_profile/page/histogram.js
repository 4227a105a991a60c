// SPDX-License-Identifier: BSD-3-Clause
// The histogram: for each pixel of the axis what happened in the code there, or a bar for each address once they are
// far enough apart. A strip for each series, and one for their ratio or difference.
import { baseName, error, hexadecimal, ratioText, share, short, visible } from './text.js';
import { lowerBound, thingAt } from './space.js';
import {
	combine, onChange, selectAddress, selectFunction, selectModule, selectNothing, showRange, showSelection,
	shownSeries, showThing, state, zoom,
} from './state.js';

const BAND = 17; // height of a line of names below the strips
const LEAST_BAR = 3; // pixels of an address that gets a bar of its own
const DRAGGED = 4; // pixels that make a drag

const bars = document.getElementById('bars');
const readout = document.getElementById('readout');
let columns = []; // what is drawn: { left, right, first, end } of addresses
let drag = null, hover = -1;

function toX(pixel) {
	const [from, to] = state.range;
	return from + pixel / bars.clientWidth * (to - from);
}

function toPixel(x) {
	const [from, to] = state.range;
	return (x - from) / (to - from) * bars.clientWidth;
}

// ---- What is in a column ----

// A bar for each address in sight, or null if they are too close together.
function addressColumns(first, end) {
	const { x, width } = state.space, made = [];

	for (let i = first; i < end; i++) {
		const left = toPixel(x[i]), right = toPixel(x[i] + width[i]);
		if (right - left < LEAST_BAR)
			return null;
		made.push({
			left: Math.round(left), right: Math.max(Math.round(right) - 1, Math.round(left) + 1), first: i, end: i + 1,
		});
	}
	return made;
}

function pixelColumns(first, end) {
	const made = [], { x } = state.space;
	let i = first;

	for (let pixel = 0; pixel < bars.clientWidth && i < end; pixel++) {
		const begin = i;
		i = lowerBound(x, toX(pixel + 1), i, end);
		if (i > begin)
			made.push({ left: pixel, right: pixel + 1, first: begin, end: i });
	}
	return made;
}

function findColumns() {
	const [from, to] = state.range, { x, width } = state.space, n = x.length;
	let first = lowerBound(x, from);
	const end = lowerBound(x, to);

	if (first > 0 && first <= n && x[first - 1] + width[first - 1] > from)
		first--;
	columns = end - first <= bars.clientWidth / LEAST_BAR && addressColumns(first, end) || pixelColumns(first, end);
}

function sumOf(series, column) {
	return series.sum[column.end] - series.sum[column.first];
}

function markedOf(series, column) {
	let sum = 0;
	for (let i = column.first; i < column.end; i++)
		if (state.marked[i])
			sum += series.values[i];
	return sum;
}

function samplesOf(series, column) {
	let sum = 0;
	for (let i = column.first; i < column.end; i++)
		sum += series.valueSamples[i];
	return sum;
}

// ---- Drawing ----

const colours = new Map(); // of one picture: asking the style is slow

function colour(name) {
	if (!colours.has(name))
		colours.set(name, getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim());
	return colours.get(name);
}

function scaled(value, most) {
	if (!document.getElementById('logarithmic').checked)
		return value / most;
	return value > 0 ? Math.log1p(value / most * 1000) / Math.log(1001) : 0;
}

function label(pen, text, top) {
	pen.fillStyle = colour('back');
	pen.globalAlpha = 0.8;
	pen.fillRect(4, top + 1, pen.measureText(text).width + 8, 15);
	pen.globalAlpha = 1;
	pen.fillStyle = colour('aside');
	pen.fillText(text, 8, top + 13);
}

function drawError(pen, series, column, height, bottom, room) {
	const samples = column.right - column.left >= 6 ? samplesOf(series, column) : 0;
	if (series.kind !== 'sampled' || samples === 0 || document.getElementById('logarithmic').checked)
		return;
	const reach = height / Math.sqrt(samples), middle = (column.left + column.right) / 2;
	pen.fillStyle = colour('text');
	pen.fillRect(middle - 0.5, Math.max(bottom - height - reach, bottom - room), 1, Math.min(2 * reach, room));
}

function drawValues(pen, series, most, top, height) {
	const bottom = top + height, room = height - 4;

	pen.fillStyle = colour('value');
	for (const column of columns) {
		const value = sumOf(series, column), size = value > 0 ? Math.max(1, scaled(value, most) * room) : 0;
		pen.fillRect(column.left, bottom - size, column.right - column.left, size);
	}
	pen.fillStyle = colour('selected');
	for (const column of columns) {
		const all = sumOf(series, column), marked = markedOf(series, column);
		const size = marked > 0 ? Math.max(2, scaled(all, most) * room * marked / all) : 0;
		pen.fillRect(column.left, bottom - size, column.right - column.left, size);
	}
	for (const column of columns)
		drawError(pen, series, column, scaled(sumOf(series, column), most) * room, bottom, room);
	label(pen, `${visible(series.label)}   highest: ${short(most, series.unit)}`, top);
}

// Ratios of what hardly happened mean nothing: the scale is that of the others.
function drawRatio(pen, top, height) {
	const { first, second } = state, least = 0.02 * Math.max(...columns.map(column => sumOf(second, column)), 0);
	const values = columns.map(column => combine(sumOf(first, column), sumOf(second, column)));
	const known = values.filter((value, i) => Number.isFinite(value) && sumOf(second, columns[i]) >= least);
	const most = Math.max(...known, 0) || 1;

	pen.fillStyle = colour('ratio');
	values.forEach((value, i) => {
		const size = Number.isFinite(value) ? Math.min(1, value / most) * (height - 4) : 0;
		pen.fillRect(columns[i].left, top + height - size, columns[i].right - columns[i].left, size);
	});
	label(pen, `${visible(first.label)} / ${visible(second.label)}   highest: ${ratioText(most)}`, top);
}

function drawDifference(pen, top, height) {
	const { first, second } = state, middle = Math.round(top + height / 2);
	const values = columns.map(column => sumOf(first, column) - sumOf(second, column));
	const most = values.reduce((found, value) => Math.max(found, Math.abs(value)), 0) || 1;

	pen.fillStyle = colour('line');
	pen.fillRect(0, middle, bars.clientWidth, 1);
	values.forEach((value, i) => {
		const size = value / most * (height / 2 - 2);
		pen.fillStyle = colour(value > 0 ? 'more' : 'less');
		pen.fillRect(columns[i].left, middle - Math.max(size, 0), columns[i].right - columns[i].left,
			Math.abs(size));
	});
	label(pen, `difference   more above, less below; highest: ${short(most, first.unit)}`, top);
}

function drawBand(pen, things, top, nameOf, isMarked) {
	const [from, to] = state.range;
	let i = things.indexOf(thingAt(things, from));

	for (; i < things.length && things[i].x0 < to; i++) {
		const left = Math.max(0, toPixel(things[i].x0));
		const right = Math.min(bars.clientWidth, toPixel(things[i].x1));
		pen.fillStyle = colour(isMarked(things[i]) ? 'selected-back' : i % 2 ? 'band' : 'band-other');
		pen.fillRect(left, top, Math.max(right - left, 0.5), BAND - 1);
		if (right - left < 24)
			continue;
		pen.save();
		pen.beginPath();
		pen.rect(left, top, right - left - 2, BAND);
		pen.clip();
		pen.fillStyle = colour('text');
		pen.fillText(nameOf(things[i]), left + 3, top + 12);
		pen.restore();
	}
}

function drawAddresses(pen, top) {
	let last = -100;

	pen.fillStyle = colour('aside');
	for (const column of columns) {
		const isOne = column.end === column.first + 1 && !state.model.addresses.foreign[column.first];
		if (!isOne || column.left < last + 84)
			continue;
		pen.fillText(addressText(column.first), column.left, top + 12);
		last = column.left;
	}
}

function addressText(i) {
	const { module, offset, foreign } = state.model.addresses;
	return foreign[i] ? 'another build' : hexadecimal(state.model.modules[module[i]].base, offset[i]);
}

function prepare() {
	const factor = window.devicePixelRatio || 1, width = bars.clientWidth, height = bars.clientHeight;
	const pen = bars.getContext('2d');

	if (bars.width !== Math.round(width * factor) || bars.height !== Math.round(height * factor)) {
		bars.width = Math.round(width * factor);
		bars.height = Math.round(height * factor);
	}
	pen.setTransform(factor, 0, 0, factor, 0, 0);
	pen.clearRect(0, 0, width, height);
	pen.font = '11px system-ui, "DejaVu Sans", sans-serif';
	return pen;
}

function drawStrips(pen, height) {
	const shown = shownSeries(), n = shown.length + (state.third ? 1 : 0), each = Math.floor(height / n);
	const most = shown.map(series =>
		columns.reduce((found, column) => Math.max(found, sumOf(series, column)), 0) || 1);

	shown.forEach((series, i) => {
		// What is to be compared has one scale.
		const scale = state.third === 'difference' ? Math.max(...most) : most[i];
		drawValues(pen, series, scale, i * each, each);
	});
	if (state.third === 'ratio')
		drawRatio(pen, 2 * each, each);
	if (state.third === 'difference')
		drawDifference(pen, 2 * each, each);
	pen.fillStyle = colour('line');
	for (let i = 1; i <= n; i++)
		pen.fillRect(0, i * each, bars.clientWidth, 1);
}

function draw() {
	const start = performance.now();
	const pen = prepare(), height = bars.clientHeight - 3 * BAND;
	const { model, space, selection } = state;

	colours.clear();
	findColumns();
	if (state.first && space.modules.length) {
		drawStrips(pen, height);
		drawBand(pen, space.modules, height + 1, thing => visible(baseName(model.modules[thing.module].path)),
			thing => selection.kind === 'module' && thing.module === selection.module);
		drawBand(pen, space.stretches, height + 1 + BAND,
			thing => visible(model.functions.name[thing.function]),
			thing => selection.kind !== 'nothing' && thing.function === selection.function);
		drawAddresses(pen, height + 1 + 2 * BAND);
	}
	if (drag && drag.moved) {
		pen.globalAlpha = 0.25;
		pen.fillStyle = colour('selected');
		pen.fillRect(Math.min(drag.from, drag.to), 0, Math.abs(drag.to - drag.from), height);
		pen.globalAlpha = 1;
	} else if (hover >= 0) {
		pen.fillStyle = colour('aside');
		pen.fillRect(hover, 0, 1, height);
	}
	// For those who want to know how long it takes.
	bars.dataset.milliseconds = (performance.now() - start).toFixed(2);
	bars.dataset.columns = columns.length;
}

// ---- Where one is ----

function columnAt(pixel) {
	let best = null, distance = 6;
	for (const column of columns) {
		const away = Math.max(column.left - pixel, pixel - column.right, 0);
		if (away < distance) {
			best = column;
			distance = away;
		}
	}
	return best;
}

// The address with most in a column.
function mostOf(column) {
	let best = column.first;
	for (let i = column.first; i < column.end; i++)
		if (state.first.values[i] > state.first.values[best])
			best = i;
	return best;
}

function describe(column) {
	const i = mostOf(column), { model } = state, owner = model.places.function[model.addresses.first[i]];
	const n = column.end - column.first;
	const parts = [`${visible(baseName(model.modules[model.addresses.module[i]].path))}  `,
		`${visible(model.functions.name[owner])}  `, n > 1 ? `${n} addresses around ` : '', addressText(i)];

	for (const series of shownSeries()) {
		const value = sumOf(series, column);
		parts.push('   ' + [visible(series.label), short(value, series.unit),
			error(series, samplesOf(series, column)), share(value, series.total)].join(' '));
	}
	return parts.join('');
}

function tellHover() {
	const column = hover >= 0 ? columnAt(hover) : null;
	readout.textContent = column ? describe(column) : '';
}

function crumb(text, click, current) {
	const made = document.createElement('button');
	made.type = 'button';
	made.textContent = text;
	if (current)
		made.setAttribute('aria-current', 'true');
	made.addEventListener('click', click);
	return made;
}

// From the program down to what is in sight.
function drawCrumbs() {
	const [from, to] = state.range, { model, space } = state, middle = (from + to) / 2;
	const found = [['program', () => showRange(0, space.total)]];

	for (const [things, nameOf] of [[space.modules, thing => baseName(model.modules[thing.module].path)],
		[space.stretches, thing => model.functions.name[thing.function]]]) {
		const thing = things.length ? thingAt(things, middle) : null;
		const room = thing ? (thing.x1 - thing.x0) * 0.1 : 0;
		if (thing && from >= thing.x0 - room && to <= thing.x1 + room && things.length > 1)
			found.push([nameOf(thing), () => showThing(thing)]);
	}
	if (to - from < 0.99 * space.total && columns.length && columns.length < 100 &&
		columns.every(column => column.end === column.first + 1))
		found.push([`${columns.length} address${columns.length > 1 ? 'es' : ''}`, () => {}]);
	document.getElementById('crumbs').replaceChildren(...found.flatMap(([text, click], i) => [
		...(i ? [document.createTextNode('\u203a')] : []),
		crumb(visible(text), click, i === found.length - 1),
	]));
}

// ---- Mouse and keys ----

// What a click means depends on how much of the code is in sight.
function click(pixel, y) {
	const height = bars.clientHeight - 3 * BAND, { space } = state, column = columnAt(pixel);

	if (!space.modules.length)
		return;
	if (y > height && y <= height + BAND) {
		const thing = thingAt(space.modules, toX(pixel));
		selectModule(thing.module);
	} else if (y > height + BAND && y <= height + 2 * BAND) {
		selectFunction(thingAt(space.stretches, toX(pixel)).function);
	} else if (!column) {
		selectNothing(false);
	} else if (column.end === column.first + 1 && column.right - column.left >= LEAST_BAR - 1) {
		selectAddress(column.first, false);
	} else {
		selectFunction(state.model.places.function[state.model.addresses.first[mostOf(column)]], false);
	}
}

// A level deeper: module, function, addresses.
function goDeeper(pixel) {
	const x = toX(pixel), [from, to] = state.range, { space } = state;

	for (const things of [space.modules, space.stretches]) {
		const thing = thingAt(things, x);
		if (thing && (thing.x1 - thing.x0) * 1.2 < to - from)
			return showThing(thing);
	}
	return zoom(0.25, x);
}

// The next place with something in it: an address if a function is in sight, else a function.
function step(direction) {
	const { space, model, selection } = state, [from, to] = state.range;
	const here = thingAt(space.stretches, (from + to) / 2);

	if (columns.length && columns.every(column => column.end === column.first + 1)) {
		const at = selection.kind === 'address' ? selection.address
			: direction > 0 ? columns[0].first - 1 : columns[columns.length - 1].end;
		const next = Math.max(0, Math.min(at + direction, model.addresses.n - 1));
		const visibleNow = space.x[next] >= from && space.x[next] < to;
		return selectAddress(next, !visibleNow);
	}
	const inside = space.stretches.filter(one => one.x1 > from && one.x0 < to);
	const at = inside.findIndex(one => one.function === selection.function);
	const next = inside[at < 0 ? (direction > 0 ? 0 : inside.length - 1) : at + direction] ||
		space.stretches[space.stretches.indexOf(here) + direction];
	return next && selectFunction(next.function, false);
}

function key(event) {
	const [from, to] = state.range, far = (to - from) * 0.2, middle = (from + to) / 2;
	const action = {
		ArrowLeft: () => event.shiftKey ? showRange(from - far, to - far) : step(-1),
		ArrowRight: () => event.shiftKey ? showRange(from + far, to + far) : step(1),
		ArrowUp: () => zoom(0.5, middle), ArrowDown: () => zoom(2, middle),
		Home: () => showRange(0, to - from),
		End: () => showRange(state.space.total - (to - from), state.space.total),
		Enter: showSelection, Escape: () => selectNothing(),
	}[event.key];

	if (!action || event.ctrlKey || event.altKey || event.metaKey)
		return;
	event.preventDefault();
	event.stopPropagation();
	action();
}

function wheel(event) {
	const [from, to] = state.range;
	event.preventDefault();
	if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
		const by = (event.deltaX || event.deltaY) / bars.clientWidth * (to - from);
		showRange(from + by, to + by);
	} else {
		zoom(Math.exp(Math.max(-200, Math.min(event.deltaY, 200)) / 400), toX(event.offsetX));
	}
}

let waiting = false;

// Once for all changes until the browser shows the next picture.
export function redrawHistogram() {
	if (waiting)
		return;
	waiting = true;
	requestAnimationFrame(() => {
		waiting = false;
		draw();
		drawCrumbs();
		tellHover();
	});
}

function dragAndHover() {
	bars.addEventListener('pointerdown', event => {
		if (event.button === 0)
			drag = { from: event.offsetX, to: event.offsetX, moved: false };
	});
	bars.addEventListener('pointermove', event => {
		hover = event.offsetX;
		if (drag) {
			if (!drag.moved && Math.abs(event.offsetX - drag.from) > DRAGGED)
				bars.setPointerCapture(event.pointerId);
			drag.moved = drag.moved || Math.abs(event.offsetX - drag.from) > DRAGGED;
			drag.to = event.offsetX;
		}
		redrawHistogram();
	});
	bars.addEventListener('pointerup', event => {
		const done = drag;
		drag = null;
		if (done && done.moved)
			showRange(toX(Math.min(done.from, done.to)), toX(Math.max(done.from, done.to)));
		else if (done)
			click(event.offsetX, event.offsetY);
	});
	bars.addEventListener('pointerleave', () => {
		hover = -1;
		redrawHistogram();
	});
}

export function beginHistogram() {
	const zoomBy = factor => () => zoom(factor, (state.range[0] + state.range[1]) / 2);

	dragAndHover();
	bars.addEventListener('wheel', wheel, { passive: false });
	bars.addEventListener('dblclick', event => goDeeper(event.offsetX));
	bars.addEventListener('keydown', key);
	document.getElementById('closer').addEventListener('click', zoomBy(0.5));
	document.getElementById('farther').addEventListener('click', zoomBy(2));
	document.getElementById('all').addEventListener('click', () => showRange(0, state.space.total));
	document.getElementById('logarithmic').addEventListener('change', redrawHistogram);
	new ResizeObserver(redrawHistogram).observe(bars);
	onChange(redrawHistogram);
}
