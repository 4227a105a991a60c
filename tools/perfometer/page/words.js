// SPDX-License-Identifier: BSD-3-Clause
// Times, values and worth as people read them here.
import { ratioText, short, visible } from './text.js';

// Seconds since the recording began; with as many digits as a window of that many seconds wants.
export function clock(t, span) {
	const decimals = span < 0.02 ? 5 : span < 0.2 ? 4 : span < 2 ? 3 : span < 8 ? 2 : span < 20 ? 1 : 0;
	const minutes = Math.floor(t / 60 + 1e-9), sign = t < 0 ? '\u2212' : '';

	if (Math.abs(t) < 60)
		return `${sign}${Math.abs(t).toFixed(decimals)} s`;
	const seconds = Math.max(t - 60 * minutes, 0).toFixed(decimals).padStart(decimals ? decimals + 3 : 2, '0');
	const hours = Math.floor(minutes / 60);
	return hours > 0 ? `${hours}:${String(minutes % 60).padStart(2, '0')}:${seconds}` : `${minutes}:${seconds}`;
}

// The unit of what lanes show.
export function laneUnit({ event, view }) {
	return event && view !== 'ratio' ? event.unit : '';
}

function scaled(given, unit) {
	const value = Number(given.toPrecision(12)); // times are not exact, and 10 is not 9.9999999999999982

	if (unit === 'ns' || !unit)
		return short(value, unit);
	return `${short(value, '')} ${visible(unit)}`;
}

// A value of a lane; a dash where nothing is known.
export function valueText(value, shown, isOver = false) {
	const { event, view } = shown;

	if (!event || Number.isNaN(value))
		return isOver ? 'ended' : '\u2013';
	if (event.metric)
		return scaled(value, event.unit);
	if (view === 'ratio')
		return ratioText(value) || '\u2013';
	return scaled(value, event.unit) + (view === 'rate' ? '/s' : '');
}

// What is drawn, in words.
export function titleOf({ event, second, view }) {
	if (!event)
		return '';
	const name = visible(event.name);
	if (event.metric)
		return name;
	if (view === 'ratio')
		return `${name} per ${second ? visible(second.name) : '?'}`;
	return view === 'rate' ? `${name} per second` : `${name}, total`;
}

export function worthText(kind) {
	return {
		exact: 'exact: every event is counted',
		modelled: 'modelled: what a model of caches and predictors says',
		estimate: 'an estimate: counted for a part of the time',
		estimated: 'an estimate: counted for a part of the time',
	}[kind] || visible(kind);
}
