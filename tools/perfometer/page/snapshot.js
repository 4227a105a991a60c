// SPDX-License-Identifier: BSD-3-Clause
// The page as a file with the recording inside: the messages again, made of what is kept.
import { visible } from './text.js';
import { store } from './store.js';
import { state } from './state.js';

let page = null;

// Before anything is changed: the document as it came, without its data.
export function keepPage() {
	page = document.documentElement.cloneNode(true);
	page.querySelector('#data').textContent = '';
	// What stood behind the body has come into it, and would again.
	const body = page.querySelector('body');
	while (body.lastChild.nodeType === Node.TEXT_NODE)
		body.lastChild.remove();
}

// A number that JSON's readers may round is a string.
function numberOf(column, sample) {
	const value = column.at(sample);

	if (Number.isNaN(value))
		return 'null';
	const number = value + Number(column.base);
	return column.base || Math.abs(number) > Number.MAX_SAFE_INTEGER && Number.isInteger(number)
		? `"${column.base + BigInt(Math.round(value))}"` : String(number);
}

function sampleLine(sample, names) {
	const threads = [];

	for (const { id, columns } of store.threads.values()) {
		let isKnown = false;
		const values = names.map(name => {
			const column = columns.get(name), value = column ? numberOf(column, sample) : 'null';
			isKnown ||= value !== 'null';
			return value;
		});
		if (isKnown)
			threads.push(`[${JSON.stringify(id)},[${values}]]`);
	}
	return `{"type":"sample","t":${store.times[sample]},"serial":1,"threads":[${threads}]}`;
}

function markLines(id, { bands }) {
	const lines = [];

	for (const { t, until, name, color } of bands) {
		const mark = { type: 'mark', id, name: name || null, color: color || null };
		lines.push([t, { ...mark, t, begin: until === t ? null : true }]);
		if (until !== t && until !== Infinity)
			lines.push([until, { ...mark, t: until, begin: false }]);
	}
	return lines;
}

// In the order of time, as they came: a region that begins where another one ends is not inside of it.
function allMarks() {
	const lines = markLines(null, store.everywhere);

	for (const thread of store.threads.values())
		lines.push(...markLines(thread.id, thread));
	return lines.sort(([a], [b]) => a - b).map(([, mark]) => mark);
}

function threadMessages(thread) {
	const { id, pid, tid, process, name, rank, begin, end, reason } = thread;
	const t = Number.isFinite(begin) ? begin : 0;

	return [{ type: 'thread', t, id, pid, tid, process, name, rank },
		...Number.isFinite(end) ? [{ type: 'end', t: end, id, reason }] : [],
		...thread.gaps.map(gap => ({ type: 'gap', ...gap, ids: [id] }))];
}

function goneMessage([key, totals]) {
	return { type: 'gone', key, totals: Object.fromEntries([...totals].map(([name, total]) =>
		[name, typeof total === 'bigint' ? String(total) : total])) };
}

function viewMessage() {
	const { shown, by, window, sameScale } = state;
	return { type: 'view', event: shown.event?.name ?? null, second: shown.second?.name ?? null, view: shown.view,
		by, window, sameScale };
}

function recording() {
	const { program, machine, started, tool, interval } = store.hello;
	const names = [...store.events.keys()];
	const messages = [
		{ type: 'hello', version: 1, program, machine, started, tool, interval_ms: interval },
		{ type: 'schema', t: 0, serial: 1, events: [...store.events.values()] },
		...[...store.threads.values()].flatMap(threadMessages),
		...store.gaps.map(gap => ({ type: 'gap', ...gap, ids: null })),
		...store.notices.map(notice => ({ type: 'notice', ...notice })),
		...[...store.gone].map(goneMessage),
	];
	const last = [...allMarks(), viewMessage(), ...store.bye ? [{ type: 'bye', ...store.bye }] : []];
	const lines = messages.map(message => JSON.stringify(message));

	for (let i = 0; i < store.n; i++)
		lines.push(sampleLine(i, names));
	return [...lines, ...last.map(message => JSON.stringify(message))].join('\n').replaceAll('<', '\\u003c');
}

// The page of all that is known, as HTML that needs nothing else and connects to nothing.
export function snapshot() {
	const copy = page.cloneNode(true), policy = copy.querySelector('meta[http-equiv]');

	policy.content = policy.content.replace("connect-src 'self'", "connect-src 'none'");
	copy.querySelector('#data').textContent = '\n' + recording() + '\n';
	return '<!DOCTYPE html>\n' + copy.outerHTML + '\n';
}

export function saveSnapshot() {
	const link = document.createElement('a');
	const name = visible(store.hello.program).split(/\s/)[0].split('/').pop().replace(/[^\w.+-]/g, '_') || 'program';

	link.href = URL.createObjectURL(new Blob([snapshot()], { type: 'text/html' }));
	link.download = `perfometer-${name}-${store.hello.started.replace(/[^\dTZ]/g, '')}.html`;
	link.click();
	setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}
