// SPDX-License-Identifier: BSD-3-Clause
// The calls as a flame graph that hangs: where programs begin is above, what they call below, as wide as its share.
import { error, share, short, visible } from './text.js';
import { onChange, selectFunction, state } from './state.js';

const HEIGHT = 18; // of a call
const LEAST = 0.4; // pixels that are drawn
const DEEPEST = 800; // calls below each other: a canvas has its bounds

const canvas = document.getElementById('flame');
let nodes = null, root = 0, active = -1, hover = -1;

// ---- The tree of the first series ----

function readTree(tree) {
	const n = tree.function.length, children = Array.from({ length: n }, () => []), depth = new Int32Array(n);

	for (let i = 1; i < n; i++) {
		children[tree.parent[i]].push(i);
		depth[i] = depth[tree.parent[i]] + 1;
	}
	return { n, ...tree, children, depth, left: new Float64Array(n), right: new Float64Array(n) };
}

// Shares of the width of what the picture begins with; what is outside of it has none.
function place() {
	nodes.left.fill(-1);
	nodes.right.fill(-1);
	for (let i = root; i >= 0; i = nodes.parent[i]) {
		nodes.left[i] = 0;
		nodes.right[i] = 1;
	}
	const todo = [root], whole = nodes.value[root] || 1;
	while (todo.length) {
		const i = todo.pop();
		let at = nodes.left[i];
		for (const child of nodes.children[i]) {
			nodes.left[child] = at;
			at += nodes.value[child] / whole;
			nodes.right[child] = at;
			todo.push(child);
		}
	}
}

// ---- Drawing ----

function prepare() {
	const factor = window.devicePixelRatio || 1, width = canvas.clientWidth;
	let deepest = 0;

	for (let i = 1; i < nodes.n; i++)
		if ((nodes.right[i] - nodes.left[i]) * width >= LEAST)
			deepest = Math.max(deepest, nodes.depth[i]);
	const height = (Math.min(deepest, DEEPEST) + 1) * HEIGHT;
	canvas.style.height = height + 'px';
	canvas.width = Math.round(width * factor);
	canvas.height = Math.round(height * factor);
	const pen = canvas.getContext('2d');
	pen.setTransform(factor, 0, 0, factor, 0, 0);
	pen.clearRect(0, 0, width, height);
	pen.font = '11px system-ui, "DejaVu Sans", sans-serif';
	return pen;
}

function nameOf(i) {
	return i === 0 ? 'all' : visible(state.model.functions.name[nodes.function[i]]);
}

function drawNode(pen, i, colours, ownModule) {
	const width = canvas.clientWidth, left = nodes.left[i] * width, room = nodes.right[i] * width - left;
	const top = nodes.depth[i] * HEIGHT, isSelected = i > 0 && nodes.function[i] === state.selection.function &&
		state.selection.kind !== 'nothing';

	pen.fillStyle = isSelected ? colours.selected
		: i > 0 && state.model.functions.module[nodes.function[i]] === ownModule ? colours.own : colours.other;
	pen.fillRect(left, top, Math.max(room - (room > 3 ? 1 : 0), LEAST), HEIGHT - 1);
	if (i === active || i === hover) {
		pen.strokeStyle = colours.text;
		pen.strokeRect(left + 0.5, top + 0.5, Math.max(room - 2, 1), HEIGHT - 2);
	}
	if (room < 20)
		return;
	pen.save();
	pen.beginPath();
	pen.rect(left, top, room - 3, HEIGHT);
	pen.clip();
	pen.fillStyle = isSelected ? colours.back : colours.text;
	pen.fillText(`${nameOf(i)}  ${share(nodes.value[i], nodes.value[0])}`, left + 3, top + 12.5);
	pen.restore();
}

function draw() {
	if (!nodes)
		return;
	const pen = prepare(), style = getComputedStyle(document.documentElement), colours = {};
	const width = canvas.clientWidth;
	// The program's own module is the one that has most.
	const ownModule = state.space.modules.reduce((best, module) => {
		const value = state.first.sum[module.end] - state.first.sum[module.first];
		return value > best.value ? { module: module.module, value } : best;
	}, { module: -1, value: -1 }).module;

	for (const name of ['own', 'other', 'selected', 'text', 'back'])
		colours[name] = style.getPropertyValue('--' + name).trim();
	for (let i = 0; i < nodes.n; i++)
		if (nodes.left[i] >= 0 && nodes.depth[i] <= DEEPEST && (nodes.right[i] - nodes.left[i]) * width >= LEAST)
			drawNode(pen, i, colours, ownModule);
	canvas.setAttribute('aria-label', active >= 0 ? describe(active) : 'Calls');
}

function describe(i) {
	const value = nodes.value[i];
	return `${nameOf(i)}: ${short(value, state.first.unit)} ${error(state.first, nodes.samples[i])} ` +
		`${share(value, nodes.value[0])} of ${visible(state.first.label)}, with what it called`;
}

let waiting = false;

export function redrawCalls() {
	if (waiting)
		return;
	waiting = true;
	requestAnimationFrame(() => {
		waiting = false;
		draw();
	});
}

// ---- What the picture begins with ----

function drawCrumbs() {
	const path = [];
	for (let i = root; i >= 0; i = nodes.parent[i])
		path.unshift(i);
	document.getElementById('call-crumbs').replaceChildren(...path.slice(-6).map(i => {
		const made = document.createElement('button');
		made.type = 'button';
		made.textContent = nameOf(i);
		made.addEventListener('click', () => beginWith(i));
		return made;
	}));
}

function beginWith(i) {
	root = i;
	place();
	drawCrumbs();
	redrawCalls();
}

// ---- Mouse and keys ----

function nodeAt(event) {
	const depth = Math.floor(event.offsetY / HEIGHT), x = event.offsetX / canvas.clientWidth;
	for (let i = 0; i < nodes.n; i++)
		if (nodes.depth[i] === depth && nodes.left[i] >= 0 && nodes.left[i] <= x && x < nodes.right[i])
			return i;
	return -1;
}

let choosing = false; // the selection comes from here

function choose(i) {
	if (i < 0)
		return;
	active = i;
	choosing = true;
	if (i > 0)
		selectFunction(nodes.function[i]);
	choosing = false;
	const room = canvas.parentElement, top = nodes.depth[i] * HEIGHT;
	if (top < room.scrollTop || top + HEIGHT > room.scrollTop + room.clientHeight)
		room.scrollTop = top - room.clientHeight / 2;
	redrawCalls();
}

function sibling(i, direction) {
	const all = i > 0 ? nodes.children[nodes.parent[i]] : [i];
	return all[Math.max(0, Math.min(all.indexOf(i) + direction, all.length - 1))];
}

function key(event) {
	const at = active >= 0 ? active : root;
	const action = {
		ArrowUp: () => choose(nodes.parent[at]),
		ArrowDown: () => choose(nodes.children[at].length ? nodes.children[at][0] : -1),
		ArrowLeft: () => choose(sibling(at, -1)), ArrowRight: () => choose(sibling(at, 1)),
		Enter: () => beginWith(at), Escape: () => beginWith(0), Home: () => beginWith(0),
		Backspace: () => beginWith(Math.max(0, nodes.parent[root])),
	}[event.key];

	if (!action || !nodes || event.ctrlKey || event.altKey || event.metaKey)
		return;
	event.preventDefault();
	event.stopPropagation();
	action();
}

// Another selection: the call of that function with most, if the active one is of another function.
function follow() {
	if (!nodes || choosing)
		return;
	const wanted = state.selection.function;
	active = -1;
	for (let i = 1; i < nodes.n; i++)
		if (wanted >= 0 && nodes.function[i] === wanted && (active < 0 || nodes.value[i] > nodes.value[active]))
			active = i;
	if (active >= 0) {
		const room = canvas.parentElement, top = nodes.depth[active] * HEIGHT;
		if (top < room.scrollTop || top + HEIGHT > room.scrollTop + room.clientHeight)
			room.scrollTop = Math.max(0, top - room.clientHeight / 2);
	}
	redrawCalls();
}

function takeTree() {
	const tree = state.first && state.first.tree;
	const panel = document.getElementById('calls'), note = document.getElementById('call-note');

	panel.classList.toggle('pathless', !tree);
	nodes = tree ? readTree(tree) : null;
	active = hover = -1;
	const tooDeep = tree && nodes.depth.some(depth => depth > DEEPEST);
	note.textContent = !tree ? (state.first && state.first.pairs
		? 'by which ways they were made is known of sampled profiles' : 'who called what was not recorded')
		: `calls with less than ${100 * tree.least}% are left out` +
			(tooDeep ? `, and those deeper than ${DEEPEST}` : '');
	if (nodes)
		beginWith(0);
	follow();
}

export function beginCalls() {
	canvas.addEventListener('click', event => nodes && choose(nodeAt(event)));
	canvas.addEventListener('dblclick', event => nodes && nodeAt(event) >= 0 && beginWith(nodeAt(event)));
	canvas.addEventListener('keydown', key);
	canvas.addEventListener('pointermove', event => {
		const at = nodes ? nodeAt(event) : -1;
		if (at !== hover) {
			hover = at;
			canvas.title = at >= 0 ? describe(at) : '';
			redrawCalls();
		}
	});
	new ResizeObserver(redrawCalls).observe(canvas.parentElement);
	onChange(what => {
		if (what === 'series')
			takeTree();
		if (what === 'selection')
			follow();
	});
}
