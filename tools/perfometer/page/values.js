// SPDX-License-Identifier: BSD-3-Clause
// What lanes show: of samples make values of intervals. Interval i is the time from sample i - 1 to sample i, and what
// is not known of it is NaN: nothing is guessed, and nothing is drawn across what is not known.
import { plus, sampleAfter, store } from './store.js';

// ---- Lanes ----

const byNumber = (a, b) => a < b ? -1 : a > b ? 1 : 0;

const GROUPS = {
	thread: thread => [`t${thread.id}`, thread.name,
		[thread.tid === null ? '' : `thread ${thread.tid}`, thread.rank === null ? '' : `rank ${thread.rank}`]],
	process: thread => [`p${thread.pid}`, thread.process || thread.name,
		[thread.pid === null ? '' : `process ${thread.pid}`, thread.rank === null ? '' : `rank ${thread.rank}`]],
	rank: thread => thread.rank === null ? ['none', 'without a rank', []] : [`r${thread.rank}`, `rank ${thread.rank}`, []],
	all: () => ['all', 'all together', []],
};

// The threads in groups: by 'thread', 'process', 'rank' or 'all'. The whole program has a lane of its own, the first,
// if it was counted as such.
export function makeLanes(by) {
	const lanes = new Map(), all = [...store.threads.values()], whole = all.filter(thread => thread.isWhole);

	// Of several programs, in the order of ranks.
	whole.sort((a, b) => byNumber(a.rank ?? -1, b.rank ?? -1));

	for (const thread of whole)
		lanes.set(`w${thread.id}`, { key: `w${thread.id}`, name: thread.name, facts: ['the whole program'],
			threads: [thread], rank: -Infinity, isWhole: true });
	if (by === 'all' && whole.length)
		return [...lanes.values()];
	for (const thread of all) {
		if (thread.isWhole)
			continue;
		const [key, name, facts] = GROUPS[by](thread);
		let lane = lanes.get(key);
		if (!lane)
			lanes.set(key, lane = { key, name, facts: facts.filter(fact => fact), threads: [], rank: thread.rank });
		lane.threads.push(thread);
	}
	const found = [...lanes.values()];
	if (by === 'rank')
		found.sort((a, b) => byNumber(a.rank ?? Infinity, b.rank ?? Infinity));
	return found;
}

export function laneEnd(lane) {
	return lane.threads.reduce((latest, thread) => Math.max(latest, thread.end), -Infinity);
}

// ---- Intervals ----

function overlaps(gaps, from, to) {
	for (let i = gaps.length - 1; i >= 0; i--)
		if (gaps[i].t < to && gaps[i].until > from)
			return true;
	return false;
}

// What happened in a thread: 0 before it began and after its end.
function happened(thread, name, i) {
	const from = store.times[i - 1], to = store.times[i];

	if (thread.begin > to || thread.end <= from)
		return 0;
	const column = thread.columns.get(name);
	if (!column)
		return NaN;
	let now = column.at(i), before = column.at(i - 1);
	if (Number.isNaN(now))
		return thread.begin === to ? 0 : NaN;
	if (Number.isNaN(before) && thread.begin > from)
		before = -Number(column.base);
	if (thread.gaps.length && overlaps(thread.gaps, from, to) || now < before)
		return NaN;
	return now - before;
}

// Where there was no thread at all, nothing is shown rather than 0.
function happenedIn(lane, name, i) {
	const from = store.times[i - 1], to = store.times[i];
	let sum = 0, isAlive = false;

	for (const thread of lane.threads) {
		isAlive ||= thread.begin <= to && thread.end > from;
		sum += happened(thread, name, i);
	}
	return isAlive ? sum : NaN;
}

function metricIn(lane, name, i) {
	if (lane.threads.length !== 1)
		return NaN;
	const { columns, gaps } = lane.threads[0], column = columns.get(name);
	const value = column ? column.at(i) + Number(column.base) : NaN;
	return gaps.length && overlaps(gaps, store.times[i - 1], store.times[i]) ? NaN : value;
}

function totalAt(lane, name, i) {
	let sum = Number(store.gone.get(lane.key)?.get(name) ?? 0);

	for (const thread of lane.threads) {
		const column = thread.columns.get(name);
		if (thread.begin > store.times[i])
			continue;
		if (!column)
			return NaN;
		const place = thread.end <= store.times[i] ? Math.min(i, column.start + column.length - 1) : i;
		sum += column.at(place) + Number(column.base);
	}
	return sum;
}

// shown: { event, second, view }, with view 'rate', 'total' or 'ratio'.
export function valueOf(lane, shown, i) {
	const { event, second, view } = shown;

	if (!event || i < 1 || i >= store.n || store.gaps.length && overlaps(store.gaps, store.times[i - 1], store.times[i]))
		return NaN;
	if (event.metric)
		return metricIn(lane, event.name, i);
	if (view === 'total')
		return totalAt(lane, event.name, i);
	const value = happenedIn(lane, event.name, i);
	if (view === 'rate')
		return value / (store.times[i] - store.times[i - 1]);
	const other = second && !second.metric ? happenedIn(lane, second.name, i) : 0;
	return other > 0 ? value / other : NaN;
}

// What happened in an interval itself; NaN for a metric.
export function countOf(lane, event, i) {
	return event.metric || i < 1 || i >= store.n ? NaN : happenedIn(lane, event.name, i);
}

// The interval that a time lies in; 0 if none.
export function intervalAt(t) {
	const i = sampleAfter(t);
	if (i > 0 && store.times[i - 1] === t && i > 1)
		return i - 1;
	return i < store.n ? i : 0;
}

// The newest totals that are known, with all digits, added up: a BigInt, a number, or null.
export function exactTotal(lane, event) {
	const gone = store.gone.get(lane.key)?.get(event.name);
	let sum = gone ?? 0n, isKnown = gone !== undefined;

	if (event.metric)
		return null;
	for (const thread of lane.threads) {
		const last = thread.columns.get(event.name)?.last ?? null;
		if (last === null)
			continue;
		sum = plus(sum, last);
		isKnown = true;
	}
	return isKnown ? sum : null;
}

export function gapsOf(lane) {
	return lane.threads.length === 1 ? [...store.gaps, ...lane.threads[0].gaps] : store.gaps;
}

// The intervals that a lane was there in, and one more at both ends.
function lifeOf(lane) {
	const begin = lane.threads.reduce((first, thread) => Math.min(first, thread.begin), Infinity);

	return [Math.max(sampleAfter(begin) - 1, 1), sampleAfter(laneEnd(lane)) + 2];
}

// ---- Points for a picture ----

// Steps, each as wide as its interval; where there are more intervals than columns, the least and the most of each
// column. null where nothing is known.
export function pointsOf(lane, shown, [from, to], columns) {
	const first = Math.max(sampleAfter(from), 1), end = Math.min(sampleAfter(to) + 1, store.n);
	const x = [], y = [], each = Math.ceil((end - first) / Math.max(columns, 1));
	const isTotal = shown.view === 'total' && !shown.event?.metric, step = Math.max(each, 1);
	// Totals stay when a lane has ended; of all else there is nothing outside of its life.
	const [born, dead] = isTotal ? [first, end] : lifeOf(lane);
	const start = first + step * Math.max(Math.floor((born - first) / step), 0);

	for (let i = start; i < Math.min(end, dead); i += step) {
		const begin = store.times[i - 1], last = Math.min(i + each, end) - 1, finish = store.times[last];
		let low = Infinity, high = -Infinity, unknown = false;
		for (let k = i; k <= last; k++) {
			const value = valueOf(lane, shown, k);
			if (Number.isNaN(value))
				unknown = true;
			low = value < low ? value : low;
			high = value > high ? value : high;
		}
		if (low <= high) {
			x.push(isTotal ? finish : begin, each > 1 && !isTotal ? begin : finish);
			y.push(low, high);
		}
		if (unknown) {
			x.push(finish);
			y.push(null);
		}
	}
	return [x, y];
}
