// SPDX-License-Identifier: BSD-3-Clause
// The messages, put away in columns: a time for each sample, and for each thread and event a value at each of them.
// What is not known is NaN. The oldest samples go when there are too many.

const MOST_VALUES = 8e6; // that there is room for, of all threads and events together
const THREAD = 192; // values that a thread takes the room of, besides its own
const MOST_BANDS = 100000; // of a thread
const MOST_NOTICES = 100;

// ---- Columns ----

// The values of a thread for an event. Totals may be too large for a double: kept is the distance from the first.
class Column {
	constructor(start) {
		this.start = start; // the sample that the first value is of
		this.length = 0;
		this.base = 0n;
		this.last = null; // the last that is known, with all digits: a BigInt, or a number
		this.values = new Float64Array(16);
	}

	put(sample, given) {
		const place = sample - this.start;

		if (place >= this.values.length) {
			const values = new Float64Array(Math.max(2 * this.values.length, place + 1));
			values.set(this.values.subarray(0, this.length));
			this.values = values;
		}
		this.values.fill(NaN, this.length, place);
		this.values[place] = this.take(given);
		this.length = place + 1;
	}

	take(given) {
		if (typeof given === 'number' && Number.isFinite(given)) {
			this.last = Number.isSafeInteger(given) ? BigInt(given) : given;
			return given - Number(this.base);
		}
		if (typeof given !== 'string' || !/^-?\d{1,30}$/.test(given))
			return NaN;
		const exact = BigInt(given);
		if (this.last === null)
			this.base = exact;
		this.last = exact;
		return Number(exact - this.base);
	}

	// What is known at a sample, less the base.
	at(sample) {
		const place = sample - this.start;
		return place >= 0 && place < this.length ? this.values[place] : NaN;
	}

	drop(n) {
		const gone = Math.min(Math.max(n - this.start, 0), this.length);
		this.values = this.values.slice(gone, this.length);
		this.length -= gone;
		this.start = Math.max(this.start - n, 0);
	}
}

// Whole as long as both are.
export function plus(sum, other) {
	return typeof sum === 'bigint' && typeof other === 'bigint' ? sum + other : Number(sum) + Number(other);
}

// ---- All that is known ----

export const store = {};

export function clear() {
	Object.assign(store, {
		hello: null,
		bye: null,
		serial: 0,
		counted: [], // names of events, in the order of the samples' values
		events: new Map(), // by name: all that were ever counted
		times: new Float64Array(1024),
		n: 0, // samples
		dropped: 0, // samples that were kept once
		values: 0, // that there is room for in all columns
		threads: new Map(), // by id
		gone: new Map(), // by key of a lane: totals, by event, of threads that are no longer kept
		everywhere: { bands: [], open: [] }, // marks of the whole program
		gaps: [], // of all threads
		notices: [],
		odd: 0, // messages that could not be understood
		ends: 0, // the last time that a message told
		generation: (store.generation ?? 0) + 1, // of threads: changes when there is another
		schemas: store.schemas ?? 0, // that came
		view: null,
	});
}

clear();

const text = given => given === null || given === undefined ? '' : String(given);
const number = given => Number.isSafeInteger(given) ? given : null;
const time = given => {
	if (typeof given !== 'number' || !Number.isFinite(given))
		throw new TypeError('a time is no number');
	return given;
};

function threadOf(id) {
	let thread = store.threads.get(id);

	if (!thread) {
		if (number(id) === null)
			throw new TypeError('a thread has no number');
		thread = { id, pid: null, tid: null, process: '', name: `thread ${id}`, rank: null, isWhole: false, begin: -Infinity,
			end: Infinity, reason: '', columns: new Map(), bands: [], open: [], gaps: [] };
		store.threads.set(id, thread);
		store.values += THREAD;
		store.generation++;
	}
	return thread;
}

// ---- Messages ----

function takeHello(message) {
	// The same recording again, after the connection was lost: what is known stays.
	const goesOn = store.hello && store.hello.started === text(message.started) && store.hello.program ===
		text(message.program);

	if (!goesOn)
		clear();
	store.hello = { program: text(message.program), machine: text(message.machine), started: text(message.started),
		tool: text(message.tool), interval: Number(message.interval_ms) || 0 };
	store.resumed = goesOn;
}

function takeSchema(message) {
	store.serial = message.serial;
	store.schemas++;
	store.counted = message.events.map(event => text(event.name));
	for (const event of message.events) {
		const name = text(event.name);
		store.events.set(name, { name, description: text(event.description), kind: text(event.kind),
			unit: text(event.unit), metric: event.metric === true, user_only: event.user_only === true });
	}
}

function takeThread(message) {
	const thread = threadOf(message.id);

	Object.assign(thread, { pid: number(message.pid), tid: number(message.tid), process: text(message.process),
		name: text(message.name) || text(message.process), rank: number(message.rank), isWhole: message.tid === 0,
		begin: time(message.t) });
	store.generation++;
}

function takeEnd(message) {
	const thread = threadOf(message.id);

	thread.end = time(message.t);
	thread.reason = text(message.reason);
	store.generation++;
	// Told again, after a connection was lost, of one that is no longer kept.
	if (store.dropped && thread.end < store.times[0] && !thread.columns.size) {
		store.threads.delete(thread.id);
		store.values -= THREAD;
	}
}

// The time of a sample gets its place, also where no thread has a value.
function addTime(t) {
	if (store.n === store.times.length) {
		const times = new Float64Array(2 * store.n);
		times.set(store.times);
		store.times = times;
	}
	store.times[store.n] = t;
	return store.n++;
}

function takeSample(message) {
	const t = time(message.t);

	if (store.n && t <= store.times[store.n - 1])
		return;
	if (store.resumed && store.n && t - store.times[store.n - 1] > Math.max(1, 0.005 * store.hello.interval))
		store.gaps.push({ t: store.times[store.n - 1], until: t, reason: 'this page was not connected' });
	store.resumed = false;
	const sample = addTime(t);
	if (message.serial !== store.serial)
		return;
	for (const [id, values] of message.threads) {
		const { columns } = threadOf(id);
		for (let i = 0; i < store.counted.length; i++) {
			let column = columns.get(store.counted[i]);
			if (!column)
				columns.set(store.counted[i], column = new Column(sample));
			store.values -= column.length ? column.values.length : 0;
			column.put(sample, values[i]);
			store.values += column.values.length;
		}
	}
	if (store.values > MOST_VALUES && store.n > 16)
		dropOldest(store.n >> 2);
}

// The lanes that a thread is a part of, but for its own.
export const keysOf = ({ pid, rank }) => [`p${pid}`, rank === null ? 'none' : `r${rank}`, 'all'];

// What has ended before all that is kept leaves its totals to the lanes that it was a part of.
function forgetThread(thread) {
	store.threads.delete(thread.id);
	store.generation++;
	if (thread.isWhole)
		return;
	for (const key of keysOf(thread)) {
		const totals = store.gone.get(key) || new Map();
		store.gone.set(key, totals);
		for (const [name, { last }] of thread.columns)
			if (last !== null)
				totals.set(name, plus(totals.get(name) ?? 0n, last));
	}
}

// Of a process that is over nobody asks any more.
function forgetProcesses() {
	const kept = new Set([...store.threads.values()].flatMap(keysOf));

	for (const key of store.gone.keys())
		if (key.startsWith('p') && !kept.has(key))
			store.gone.delete(key);
}

function dropOldest(n) {
	store.times.copyWithin(0, n, store.n);
	store.n -= n;
	store.dropped += n;
	store.values = 0;
	const begin = store.times[0], isKept = ({ until }) => until > begin;
	for (const thread of store.threads.values()) {
		if (thread.end < begin) {
			forgetThread(thread);
			continue;
		}
		store.values += THREAD;
		for (const column of thread.columns.values()) {
			column.drop(n);
			store.values += column.values.length;
		}
		thread.bands = thread.bands.filter(isKept);
		thread.gaps = thread.gaps.filter(isKept);
	}
	store.everywhere.bands = store.everywhere.bands.filter(isKept);
	store.gaps = store.gaps.filter(isKept);
	forgetProcesses();
}

function takeGap(message) {
	const gap = { t: time(message.t), until: time(message.until), reason: text(message.reason) };

	if (!Array.isArray(message.ids))
		store.gaps.push(gap);
	else
		for (const id of message.ids)
			threadOf(id).gaps.push(gap);
}

// Regions may lie in each other: the depth is that of the nesting.
function takeMark(message) {
	const t = time(message.t), name = text(message.name), color = text(message.color);
	const of = message.id === null || message.id === undefined ? store.everywhere : threadOf(message.id);

	if (message.begin === false) {
		// An end that comes again is not that of a band which began later.
		const i = of.open.findLastIndex(band => (!name || band.name === name) && band.t <= t);
		if (i >= 0)
			of.open.splice(i, 1)[0].until = t;
		return;
	}
	const band = { t, until: message.begin === true ? Infinity : t, name, color, depth: of.open.length,
		isStop: message.stopped === true };
	// A message that came again.
	if (of.bands.some((other, i) => i + 64 > of.bands.length && other.t === t && other.name === name))
		return;
	of.bands.push(band);
	if (message.begin === true)
		of.open.push(band);
	if (of.bands.length > MOST_BANDS)
		of.bands.splice(0, MOST_BANDS >> 2);
}

function takeNotice(message) {
	const level = ['info', 'warning', 'error'].includes(message.level) ? message.level : 'info';
	const notice = { t: Number(message.t) || 0, level, text: text(message.text) };

	if (store.notices.some(other => other.t === notice.t && other.text === notice.text))
		return;
	store.notices.push(notice);
	if (store.notices.length > MOST_NOTICES)
		store.notices.shift();
}

// Of a snapshot: numbers are as they are in samples.
function totalsOf(given) {
	const totals = new Map();

	for (const [name, total] of Object.entries(given)) {
		const column = new Column(0);
		column.take(total);
		if (column.last !== null)
			totals.set(name, column.last);
	}
	return totals;
}

const TAKERS = {
	hello: takeHello,
	schema: takeSchema,
	thread: takeThread,
	end: takeEnd,
	sample: takeSample,
	gap: takeGap,
	mark: takeMark,
	notice: takeNotice,
	bye: message => { store.bye = { t: Number(message.t) || 0, reason: text(message.reason) }; },
	view: message => { store.view = message; },
	gone: message => { store.gone.set(text(message.key), totalsOf(message.totals)); },
};

// One message as its line. What is not known is skipped; what is malformed is counted, and does no harm.
export function take(line) {
	try {
		const message = JSON.parse(line);
		const taker = Object.hasOwn(TAKERS, message.type) ? TAKERS[message.type] : null;

		if (taker)
			taker(message);
		if (typeof message.t === 'number' && message.t > store.ends)
			store.ends = message.t;
	} catch {
		store.odd++;
	}
}

// A signal has stopped the program, and it does not go on yet.
export function isStopped() {
	return store.everywhere.open.some(band => band.isStop);
}

// ---- Places in time ----

// The first sample that is later than t; n if none is.
export function sampleAfter(t) {
	let low = 0, high = store.n;

	while (low < high) {
		const middle = (low + high) >> 1;
		if (store.times[middle] > t)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

// From the first to the last that is known.
export function extent() {
	return store.n ? [store.times[0], Math.max(store.times[store.n - 1], store.times[0])] : [0, 0];
}
