// SPDX-License-Identifier: BSD-3-Clause
// Numbers and names as people read them.

const COUNTS = ['', ' k', ' M', ' G', ' T', ' P', ' E'];
const TIMES = [' ns', ' us', ' ms', ' s'];
// What would not be seen, or would turn the text around it: control characters, and those of direction and format.
const UNSEEN =
	/[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

// A name from outside, with what cannot be seen as its number.
export function visible(name) {
	return name.replace(UNSEEN, found => '\\u{' + found.codePointAt(0).toString(16) + '}');
}

export function baseName(path) {
	const slash = path.lastIndexOf('/');
	return slash >= 0 && slash + 1 < path.length ? path.slice(slash + 1) : path;
}

// Four digits, and what they are multiples of.
export function short(value, unit) {
	const scales = unit === 'ns' ? TIMES : COUNTS;
	let i = 0;
	let size = Math.abs(value);

	while (size >= 999.95 && i + 1 < scales.length) {
		size /= 1000;
		i++;
	}
	const decimals = i === 0 && Number.isInteger(size) ? 0 : size >= 99.995 ? 1 : size >= 9.9995 ? 2 : 3;
	return (value < 0 ? '\u2212' : '') + size.toFixed(decimals) + scales[i];
}

// All digits, in groups.
export function whole(value, unit) {
	return value.toLocaleString('en', { maximumFractionDigits: 0 }) + (unit ? ' ' + unit : '');
}

export function share(part, all) {
	return all > 0 ? (100 * part / all).toFixed(2) + '%' : '';
}

// One standard deviation of a sampled value, as a share of it; nothing for values that are no estimates.
export function error(series, samples) {
	const percent = 100 / Math.sqrt(samples);
	return series.kind === 'sampled' && samples > 0 ? `\u00b1${percent.toFixed(percent < 9.95 ? 1 : 0)}%` : '';
}

// The error of a difference or ratio of two such values, in words; nothing if neither is an estimate.
export function combinedError(isRatio, a, b) {
	const part = ({ series, value, samples }) =>
		series.kind === 'sampled' && samples > 0 ? (isRatio ? 1 : value) ** 2 / samples : 0;
	const size = Math.sqrt(part(a) + part(b));

	if (size === 0 || isRatio && !(b.value > 0))
		return '';
	return '\u00b1' +
		(isRatio ? `${(100 * size).toFixed(size < 0.0995 ? 1 : 0)}%` : short(Math.round(size), a.series.unit));
}

export function ratioText(value) {
	if (!Number.isFinite(value))
		return '';
	return Math.abs(value) >= 1000 ? short(value, '') : String(Number(value.toPrecision(4)));
}

export function hexadecimal(base, offset) {
	return BigInt.asUintN(64, base + BigInt(Math.round(offset))).toString(16);
}

// All digits, of what, and the share of it.
export function inFull(series, value) {
	return `${whole(value, series.unit)} of ${visible(series.label)}, ${share(value, series.total)}`;
}

// Whether the values of a series that is shown have a column for their errors in narrow lists.
export function hasError(series, i) {
	return i === 0 && series.kind === 'sampled';
}

// The title of the column of one of the series that are shown.
export function columnTitle(series, i) {
	return i === 0 ? 'Self' : series.profile ? 'Before' : 'Second';
}

// What a value is worth, in a sentence.
export function worthOf(kind) {
	return {
		sampled: 'sampled: an estimate, with the error \u00b1 that stands beside it',
		exact: 'exact: every event was counted',
		modelled: 'modelled: what a model of caches and predictors says',
		estimate: 'an estimate: counted for a part of the time',
		estimated: 'an estimate',
	}[kind] || visible(kind);
}
