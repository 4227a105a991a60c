// SPDX-License-Identifier: BSD-3-Clause
// Behind the lines of a lane: what is not known, and the marks and regions of the program as bands with their names.
import { visible } from './text.js';
import { store } from './store.js';
import { gapsOf } from './values.js';

const COLOURS = 6; // --band-0 and so on, in the style sheet
const ROW = 13; // pixels between the names of regions that lie in each other
const DEEPEST = 4; // of the names that are shown

const numbers = new Map(); // of names, in the order in which they were first drawn
let hatching = null;

export function forgetColours() {
	hatching = null;
}

function styleOf(name) {
	return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

// The colour that the program wants, else one that belongs to the name.
function colourOf(band) {
	if (band.color && CSS.supports('color', band.color))
		return band.color;
	if (!numbers.has(band.name))
		numbers.set(band.name, numbers.size);
	return styleOf('--band-' + numbers.get(band.name) % COLOURS);
}

function hatch(pen) {
	if (hatching)
		return hatching;
	const tile = new OffscreenCanvas(8, 8), draw = tile.getContext('2d');
	draw.strokeStyle = styleOf('--hatch');
	for (const x of [-8, 0, 8]) {
		draw.moveTo(x, 8);
		draw.lineTo(x + 8, 0);
	}
	draw.stroke();
	return hatching = pen.createPattern(tile, 'repeat');
}

function drawGaps(pen, box, place, lane, [from, to]) {
	for (const gap of gapsOf(lane)) {
		if (gap.until < from || gap.t > to)
			continue;
		const x = Math.max(place(gap.t), box.left), end = Math.min(place(gap.until), box.left + box.width);
		pen.fillStyle = hatch(pen);
		pen.fillRect(x, box.top, Math.max(end - x, 1), box.height);
	}
}

// A name inside of its band, as much of it as there is room for.
function drawName(pen, name, x, y, room, scale) {
	if (room < 14 * scale)
		return;
	pen.save();
	pen.beginPath();
	pen.rect(x, y - 2 * scale, room, 16 * scale);
	pen.clip();
	pen.globalAlpha = 1;
	pen.fillStyle = styleOf('--text');
	pen.fillText(visible(name), x + 3 * scale, y);
	pen.restore();
}

function drawBands(pen, box, place, bands, [from, to], scale) {
	const right = box.left + box.width;
	let drawn = -1; // the column of the last that was too narrow

	pen.font = `${11 * scale}px system-ui, "DejaVu Sans", sans-serif`;
	pen.textAlign = 'left';
	pen.textBaseline = 'top';
	for (const band of bands) {
		if (band.until < from || band.t > to)
			continue;
		const isPoint = band.until === band.t;
		const x = Math.max(place(band.t), box.left), end = Math.min(place(Math.min(band.until, to)), right);
		if (end - x < scale && Math.floor(x) === drawn)
			continue;
		drawn = end - x < scale ? Math.floor(x) : -1;
		const y = box.top + Math.min(band.depth, DEEPEST) * ROW * scale;
		pen.fillStyle = colourOf(band);
		pen.globalAlpha = isPoint ? 0.9 : 0.2;
		pen.fillRect(x, y, Math.max(end - x, 1.5 * scale), box.top + box.height - y);
		pen.globalAlpha = 0.9;
		if (!isPoint)
			pen.fillRect(x, y, Math.max(end - x, scale), 2 * scale);
		if (isPoint)
			drawName(pen, band.name, x, box.top + box.height - 15 * scale, right - x, scale);
		else
			drawName(pen, band.name, x, y + 2 * scale, end - x, scale);
	}
	pen.globalAlpha = 1;
}

// Into a plot of uPlot, before its lines.
export function drawBehind(plot, lane) {
	const { ctx: pen, bbox: box } = plot, window = [plot.scales.x.min, plot.scales.x.max];
	const place = t => plot.valToPos(Math.min(Math.max(t, window[0] - 1), window[1] + 1), 'x', true);

	pen.save();
	pen.beginPath();
	pen.rect(box.left, box.top, box.width, box.height);
	pen.clip();
	drawGaps(pen, box, place, lane, window);
	for (const { bands } of [store.everywhere, ...lane.threads])
		drawBands(pen, box, place, bands, window, devicePixelRatio);
	pen.restore();
}

// The innermost bands of a lane at a time, and why nothing is known there: in words.
export function wordsAt(lane, t) {
	const words = [];

	for (const { bands } of [store.everywhere, ...lane.threads])
		for (const band of bands)
			if (band.t <= t && band.until > t && words.length < 4)
				words.push(visible(band.name) || 'mark');
	for (const gap of gapsOf(lane))
		if (gap.t <= t && gap.until >= t)
			words.push('not known: ' + visible(gap.reason));
	return words;
}
