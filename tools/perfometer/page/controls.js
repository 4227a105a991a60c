// SPDX-License-Identifier: BSD-3-Clause
// The head of the page: the program, the menus, the theme; the line at the foot; and the keys.
import { ratioText, visible, whole } from './text.js';
import { clock, titleOf, valueText, worthText } from './words.js';
import { wordsAt } from './bands.js';
import { extent, isStopped, store } from './store.js';
import { countOf, intervalAt, valueOf } from './values.js';
import { silence } from './connection.js';
import { saveSnapshot } from './snapshot.js';
import { goToMark } from './lanes.js';
import { choose, chooseLanes, cursorTime, goLive, move, onChange, pause, placeCursor, setSameScale, showAll, showWindow,
	state, tell, zoom } from './state.js';

const at = id => document.getElementById(id);
const menus = { event: at('event'), view: at('view'), second: at('second'), by: at('by') };
const keys = at('keys'), notices = at('notices');

// ---- The program ----

const CONNECTIONS = {
	'': () => 'connecting',
	recording: () => store.bye ? `a recording; ${visible(store.bye.reason)}` : 'a recording',
	live: () => silence() ? `nothing has come for ${silence()} s` : (state.follows ? 'live' : 'paused: counting goes on') +
		(isStopped() ? '; the program is stopped' : ''),
	lost: () => 'the connection is lost: trying again',
	refused: () => state.answer || 'the server refuses: ask perfometer for its address again',
	ended: () => store.bye ? visible(store.bye.reason) : 'the server has ended the connection',
};

function fillRun() {
	const { hello } = store;

	at('state').textContent = CONNECTIONS[state.connection]();
	at('state').className = state.connection === 'live' && (silence() || isStopped()) ? 'lost' : state.connection;
	if (!hello)
		return;
	document.title = `${visible(hello.program)} \u2013 perfometer`;
	at('program').textContent = visible(hello.program);
	at('facts').textContent = [visible(hello.machine), visible(hello.started).replace('T', ' ').replace('Z', ' UTC'),
		hello.interval ? `every ${hello.interval} ms` : '', visible(hello.tool),
		store.dropped ? `kept from ${clock(store.times[0], 1)} on` : ''].filter(fact => fact).join(' \u00b7 ');
	at('facts').title = at('facts').textContent;
}

function fillDoubts() {
	const doubts = store.notices.filter(notice => notice.level !== 'info').slice(-2)
		.map(notice => `${clock(notice.t, 5)}: ${visible(notice.text)}`);

	if (state.answer && state.connection !== 'refused')
		doubts.push(state.answer);
	if (store.odd)
		doubts.push(`${store.odd} messages could not be understood`);
	at('doubts').textContent = doubts.join('; ');
	at('doubts').hidden = !doubts.length;
	at('all-notices').hidden = !store.notices.length;
}

function showNotices() {
	at('notice-list').replaceChildren(...store.notices.map(notice => {
		const item = document.createElement('li');
		item.textContent = `${clock(notice.t, 5)} ${notice.level}: ${visible(notice.text)}`;
		return item;
	}));
	notices.showModal();
}

// ---- Menus ----

function option(value, text) {
	const made = document.createElement('option');
	made.value = value;
	made.textContent = text;
	return made;
}

let listed = '';

function fillMenus() {
	const { shown } = state, events = [...store.events.values()];
	const now = events.map(event => event.name + store.counted.includes(event.name)).join('\n');

	if (now !== listed) {
		const options = found => found.map(event => option(event.name, visible(event.name) +
			(store.counted.includes(event.name) ? '' : ' (not now)')));
		menus.event.replaceChildren(...options(events));
		menus.second.replaceChildren(...options(events.filter(event => !event.metric)));
		listed = now;
	}
	menus.event.value = shown.event?.name ?? '';
	menus.second.value = shown.second?.name ?? '';
	menus.view.value = shown.view;
	menus.view.disabled = Boolean(shown.event?.metric);
	menus.by.value = state.by;
	at('second-label').hidden = shown.view !== 'ratio';
	at('same').checked = state.sameScale;
	at('pause').textContent = state.follows ? 'Pause' : 'Live';
	at('pause').hidden = state.connection === 'recording' || state.connection === 'ended';
}

function fillWorth() {
	const { event, second, view } = state.shown;
	const isSum = event?.metric && state.by !== 'thread' && state.lanes.some(lane => lane.threads.length > 1);

	at('worth').textContent = !event ? '' : titleOf(state.shown) +
		(event.description ? ` (${visible(event.description)})` : '') + (event.kind ? `, ${worthText(event.kind)}` : '') +
		(event.user_only ? ', without what the kernel did for the program' : '') +
		(view === 'ratio' && second && second.kind !== event.kind ? `; ${visible(second.name)} ${worthText(second.kind)}`
			: '') +
		(isSum ? '. It is known of each thread alone, and cannot be added up' : '');
	at('worth').title = at('worth').textContent;
}

// ---- The line at the foot ----

function tellStatus() {
	const lane = state.lanes[state.active], { event, view } = state.shown, [begin, end] = extent();
	const t = cursorTime(), i = t === null ? store.n - 1 : intervalAt(t), parts = [];

	at('window').textContent = store.n ? `${clock(state.window[0], 1)} to ${clock(state.window[1], 1)}, of ` +
		`${clock(begin, 1)} to ${clock(end, 1)}` : '';
	fillPosition(begin, end);
	if (!lane || !event || i < 1) {
		at('status').textContent = state.asked ? `asked for ${state.asked.map(visible).join(', ')}` : '';
		return;
	}
	const count = countOf(lane, event, i), from = store.times[i - 1], seconds = store.times[i] - from;
	parts.push(`${visible(lane.name)} at ${clock(t ?? store.times[i], 0.2)}: ` +
		`${titleOf(state.shown)} ${valueText(valueOf(lane, state.shown, i), state.shown)}`);
	if (!Number.isNaN(count))
		parts.push(`${whole(count, visible(event.unit))} in ${ratioText(1000 * seconds)} ms`);
	if (view !== 'ratio' && event.kind)
		parts.push(visible(event.kind));
	parts.push(...wordsAt(lane, t ?? store.times[i]));
	if (state.asked)
		parts.push(`asked for ${state.asked.map(visible).join(', ')}`);
	at('status').textContent = parts.join('  \u00b7  ');
}

function fillPosition(begin, end) {
	const span = state.window[1] - state.window[0], slider = at('position');
	slider.disabled = end - begin <= span;
	slider.value = slider.disabled ? 1000 : Math.round(1000 * (state.window[0] - begin) / (end - begin - span));
}

function slide() {
	const [begin, end] = extent(), span = state.window[1] - state.window[0];
	const part = at('position').value / 1000, from = begin + part * (end - begin - span);

	if (part === 1 && state.connection === 'live')
		goLive();
	else
		showWindow(from, from + span);
}

// ---- Theme ----

const darkness = matchMedia('(prefers-color-scheme: dark)');
let chosenTheme = '';

function setTheme() {
	document.documentElement.dataset.theme = chosenTheme || (darkness.matches ? 'dark' : 'light');
	tell('theme');
}

function switchTheme() {
	chosenTheme = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
	setTheme();
}

// ---- Keys ----

function nextOption(menu) {
	return () => {
		if (!menu.options.length || menu.disabled)
			return;
		menu.selectedIndex = (menu.selectedIndex + 1) % menu.options.length;
		menu.dispatchEvent(new Event('change'));
	};
}

const zoomBy = factor => () => zoom(factor, cursorTime() ?? (state.window[0] + state.window[1]) / 2);
const toggle = () => at('pause').hidden ? undefined : state.follows ? pause() : goLive();

function toggleList() {
	document.body.classList.toggle('without-list');
	tell('window');
}

function toBegin() {
	const [begin] = extent(), span = state.window[1] - state.window[0];
	showWindow(begin, begin + span);
}

function toEnd() {
	const [, end] = extent(), span = state.window[1] - state.window[0];
	if (state.connection === 'live')
		goLive();
	else
		showWindow(end - span, end);
}

// Everywhere but in fields: key, what it does as people read it, what it does.
const EVERYWHERE = [
	['?', 'these keys', () => keys.showModal()],
	['1', 'to the lanes', () => at('lanes').focus()],
	['2', 'to the list of events', () => at('event-list').focus()],
	['/', 'search what can be counted', () => at('filter').select()],
	['p', 'pause, and live again', toggle],
	['e', 'next event that is known', nextOption(menus.event)],
	['v', 'per second, total, or a ratio', nextOption(menus.view)],
	['b', 'next event of the ratio', nextOption(menus.second)],
	['l', 'lanes by thread, process, rank, or all', nextOption(menus.by)],
	['y', 'the same scale for all lanes, or not', () => setSameScale(!state.sameScale)],
	['+', 'zoom in', zoomBy(0.5)],
	['-', 'zoom out', zoomBy(2)],
	['0', 'all of the time', showAll],
	['<', 'back', () => move(-0.25)],
	['>', 'forth', () => move(0.25)],
	['[', 'to the mark before', () => goToMark(-1)],
	[']', 'to the next mark', () => goToMark(1)],
	['Home', 'to the beginning', toBegin],
	['End', 'to the end, and live', toEnd],
	['c', 'the list of events, or more room', toggleList],
	['s', 'snapshot: this page as a file', () => at('snapshot').click()],
	['t', 'dark or light', switchTheme],
	['Escape', 'without the cursor', () => placeCursor(null)],
];

// What views do by themselves.
const IN_VIEWS = [
	['Tab', 'from part to part'],
	['\u2190 \u2192', 'in lanes: the cursor, sample by sample; with Shift: back and forth'],
	['\u2191 \u2193', 'in lanes and lists: the one above or below'],
	['Enter', 'in the list of events: count it, and show it'],
	['Space', 'in the list of events: count it beside the others, or no longer'],
];

function fillKeys() {
	at('key-table').replaceChildren(...[...EVERYWHERE, ...IN_VIEWS].map(([name, what]) => {
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
	const isOpen = keys.open || notices.open || event.target.matches('#position') && event.key !== '?';
	const found = EVERYWHERE.find(([name]) => name === event.key);
	const isOfList = event.target.id === 'event-list' && ['Home', 'End'].includes(event.key);

	if (!found || isOfList || isField && event.key !== 'Escape' || event.ctrlKey || event.altKey || event.metaKey ||
		isOpen)
		return;
	event.preventDefault();
	if (isField)
		event.target.blur();
	found[2]();
}

// ---- The beginning ----

function listen() {
	const events = name => store.events.get(name) || null;

	menus.event.addEventListener('change', () => choose({ event: events(menus.event.value) }));
	menus.second.addEventListener('change', () => choose({ second: events(menus.second.value) }));
	menus.view.addEventListener('change', () => choose({ view: menus.view.value }));
	menus.by.addEventListener('change', () => chooseLanes(menus.by.value));
	at('same').addEventListener('change', () => setSameScale(at('same').checked));
	at('pause').addEventListener('click', toggle);
	at('closer').addEventListener('click', zoomBy(0.5));
	at('farther').addEventListener('click', zoomBy(2));
	at('all').addEventListener('click', showAll);
	at('position').addEventListener('input', slide);
	at('snapshot').addEventListener('click', () => store.hello && saveSnapshot());
	at('theme').addEventListener('click', switchTheme);
	at('help').addEventListener('click', () => keys.showModal());
	at('keys-close').addEventListener('click', () => keys.close());
	at('all-notices').addEventListener('click', showNotices);
	at('notices-close').addEventListener('click', () => notices.close());
	document.addEventListener('keydown', key);
	darkness.addEventListener('change', setTheme);
}

export function beginControls() {
	fillKeys();
	listen();
	onChange(told => {
		if (['data', 'status', 'window'].some(what => told.has(what))) {
			fillRun();
			fillDoubts();
		}
		fillMenus();
		fillWorth();
		tellStatus();
	});
	setTheme();
}
