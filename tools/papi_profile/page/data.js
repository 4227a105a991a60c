// SPDX-License-Identifier: BSD-3-Clause
// The profiles of the page, as one: the modules, functions, addresses and files of all of them, each once, and for each
// event of each profile a series of values over them. page_data.c and page_code.c write what is read here.
import { baseName } from './text.js';

// Where code of another build lies that this one does not have: behind it.
const BEHIND = 4096;

function newModel() {
	return {
		runs: [], series: [], modules: [], files: [], sources: new Map(), pieces: [], otherBuilds: false,
		functions: { module: [], name: [], linkage: [], low: [], size: [], file: [], line: [] },
		addresses: { module: [], offset: [], foreign: [], first: [] },
		places: { function: [], file: [], line: [] },
	};
}

// The number of something by its key, in what earlier profiles have; or of a new one.
function numberOf(known, key, make) {
	const found = known.get(key);
	return found === undefined ? make() : found;
}

function addModules(model, profile, known) {
	const added = [];
	const numbers = profile.modules.map(module => {
		// The program itself may have another name in each: old and new.
		const name = baseName(module.path);
		const key = module.kind + '\0' + (name === profile.run.program ? '' : name);
		const number = numberOf(known.modules, key, () => model.modules.push({
			path: module.path, kind: module.kind, build: module.build, trouble: module.trouble,
			base: BigInt(module.base), end: 0, from: profile,
		}) - 1);
		added.push([key, number]);
		return number;
	});
	for (const [key, number] of added)
		if (!known.modules.has(key))
			known.modules.set(key, number);
	return numbers;
}

// A file that earlier profiles do not have is the one of theirs with the same name in another folder, if that is but
// one: somebody has built it elsewhere.
function addFiles(model, profile, known) {
	const earlier = model.files.slice();
	return profile.files.map(name => {
		const number = numberOf(known.files, name, () => {
			const alike = earlier.filter(one => baseName(one) === baseName(name));
			return alike.length === 1 ? earlier.indexOf(alike[0]) : model.files.push(name) - 1;
		});
		known.files.set(name, number);
		return number;
	});
}

// Where a module's addresses of this profile are in the model: what to add to them, and whether the code is another.
function shiftsOf(model, profile, modules) {
	return profile.modules.map((module, i) => {
		const here = model.modules[modules[i]];
		if (here.from === profile)
			return { same: true, by: 0 };
		if (module.build && module.build === here.build)
			return { same: true, by: Number(BigInt(module.base) - here.base) };
		return { same: false, by: here.end + BEHIND };
	});
}

function addFunctions(model, profile, known, modules, files, shifts) {
	const from = profile.functions, to = model.functions;
	const seen = new Map(), added = [];
	const order = from.name.map((name, i) => i).sort((a, b) => from.low[a] - from.low[b] || a - b);
	const numbers = new Array(order.length);

	for (const i of order) {
		const module = modules[from.module[i]];
		const linkage = from.linkage[i] === null ? from.name[i] : from.linkage[i];
		const name = module + '\0' + linkage, times = (seen.get(name) || 0) + 1, key = name + '\0' + times;

		seen.set(name, times);
		numbers[i] = numberOf(known.functions, key, () => {
			to.module.push(module);
			to.name.push(from.name[i]);
			to.linkage.push(linkage);
			to.low.push(from.low[i] + shifts[from.module[i]].by);
			to.size.push(from.size[i]);
			to.file.push(from.file[i] < 0 ? -1 : files[from.file[i]]);
			return to.line.push(from.line[i]) - 1;
		});
		added.push([key, numbers[i]]);
	}
	for (const [key, number] of added)
		known.functions.set(key, number);
	return numbers;
}

// The outermost function of an address, which has the code.
function outermost(profile, i) {
	const { places } = profile.addresses;
	return profile.places.function[(i + 1 < places.length ? places[i + 1] : profile.places.function.length) - 1];
}

// Where an address is in the model. Code of another build lies at the same distance from its function's begin.
function offsetOf(model, profile, i, shift, functions) {
	const local = outermost(profile, i), there = functions[local], offset = profile.addresses.offset[i];
	const size = profile.functions.size[local], from = offset - profile.functions.low[local];

	if (shift.same || model.functions.size[there] === 0 || size === 0 || from < 0 || from >= size)
		return offset + shift.by;
	return model.functions.low[there] + Math.min(from, model.functions.size[there] - 1);
}

function addAddresses(model, profile, known, modules, files, functions, shifts) {
	const from = profile.addresses, to = model.addresses, places = profile.places;

	return from.module.map((local, i) => {
		const module = modules[local], shift = shifts[local];
		const offset = offsetOf(model, profile, i, shift, functions), key = module + ':' + offset;

		if (shift.same && known.addresses.has(key))
			return known.addresses.get(key);
		const number = to.module.push(module) - 1;
		to.offset.push(offset);
		to.foreign.push(shift.same ? 0 : 1);
		to.first.push(model.places.function.length);
		const end = i + 1 < from.places.length ? from.places[i + 1] : places.function.length;
		for (let j = from.places[i]; j < end; j++) {
			model.places.function.push(functions[places.function[j]]);
			model.places.file.push(places.file[j] < 0 ? -1 : files[places.file[j]]);
			model.places.line.push(places.line[j]);
		}
		if (shift.same)
			known.addresses.set(key, number);
		return number;
	});
}

function addSeries(model, profile, number, functions, addresses) {
	profile.events.forEach((event, e) => {
		const columns = {};
		for (const name of ['self', 'samples', 'inclusive', 'inclusiveSamples'])
			columns[name] = { to: functions, from: profile.functions[name][e] };
		columns.values = { to: addresses, from: profile.addresses.values[e] };
		columns.valueSamples = { to: addresses, from: profile.addresses.samples[e] };
		const tree = profile.trees.length ? profile.trees[e] : null;
		const pairs = profile.pairs.length ? profile.pairs[e] : null;
		model.series.push({
			label: event.name + (number ? ', before' : ''), event: event.name, profile: number,
			unit: event.unit, kind: event.kind, note: event.note,
			total: event.value, samples: event.samples, columns,
			tree: tree && { ...tree, function: tree.function.map(f => f < 0 ? -1 : functions[f]) },
			pairs: pairs && { ...pairs, caller: pairs.caller.map(f => functions[f]),
				callee: pairs.callee.map(f => functions[f]) },
		});
	});
}

function addCode(model, profile, modules, files) {
	for (const source of profile.sources || [])
		model.sources.set(files[source.file], source);
	for (const piece of profile.pieces || [])
		model.pieces.push({ ...piece, module: modules[piece.module] });
	model.hasCode = model.hasCode || profile.sources !== undefined;
	model.obstacle = model.obstacle || profile.obstacle;
	model.piecesLeftOut = (model.piecesLeftOut || 0) + (profile.piecesLeftOut || 0);
}

function add(model, profile, number, known) {
	const modules = addModules(model, profile, known), files = addFiles(model, profile, known);
	const shifts = shiftsOf(model, profile, modules);
	const functions = addFunctions(model, profile, known, modules, files, shifts);
	const addresses = addAddresses(model, profile, known, modules, files, functions, shifts);

	model.runs.push(profile.run);
	addSeries(model, profile, number, functions, addresses);
	addCode(model, profile, modules, files);
	model.otherBuilds = model.otherBuilds ||
		profile.modules.some((module, i) => module.kind === 'file' && !shifts[i].same);
	for (let i = 0; i < model.addresses.module.length; i++) {
		const module = model.modules[model.addresses.module[i]];
		module.end = Math.max(module.end, model.addresses.offset[i] + 16);
	}
}

// Addresses by module and offset: rank[i] is the place of the one that came as i.
function sort(model) {
	const old = model.addresses, n = old.module.length;
	const order = Array.from({ length: n }, (_, i) => i)
		.sort((a, b) => old.module[a] - old.module[b] || old.offset[a] - old.offset[b] || a - b);
	const rank = new Int32Array(n), first = new Int32Array(n + 1), end = model.places.function.length;
	const places = { function: new Int32Array(end), file: new Int32Array(end), line: new Int32Array(end) };
	let next = 0;

	order.forEach((i, place) => {
		rank[i] = place;
		first[place] = next;
		for (let j = old.first[i]; j < (i + 1 < n ? old.first[i + 1] : end); j++, next++)
			for (const name of ['function', 'file', 'line'])
				places[name][next] = model.places[name][j];
	});
	first[n] = next;
	model.places = places;
	model.addresses = {
		n, first, module: Int32Array.from(order, i => old.module[i]),
		offset: Float64Array.from(order, i => old.offset[i]),
		foreign: Uint8Array.from(order, i => old.foreign[i]),
	};
	return rank;
}

function fillSeries(model, rank) {
	const n = model.addresses.n, functions = model.functions.name.length;

	for (const series of model.series) {
		for (const [name, { to, from }] of Object.entries(series.columns)) {
			const ofAddresses = name.startsWith('value');
			const column = new Float64Array(ofAddresses ? n : functions);
			from.forEach((value, i) => { column[ofAddresses ? rank[to[i]] : to[i]] += value; });
			series[name === 'samples' ? 'selfSamples' : name] = column;
		}
		delete series.columns;
		series.sum = new Float64Array(n + 1);
		for (let i = 0; i < n; i++)
			series.sum[i + 1] = series.sum[i] + series.values[i];
	}
}

// The model of the page's data.
export function load(text) {
	const model = newModel();
	const known = { modules: new Map(), files: new Map(), functions: new Map(), addresses: new Map() };

	JSON.parse(text).profiles.forEach((profile, number) => add(model, profile, number, known));
	fillSeries(model, sort(model));
	return model;
}

// The addresses from low up to high of a module, as [first, end).
export function addressesBetween(model, module, low, high) {
	const bound = offset => {
		let from = 0, to = model.addresses.n;
		while (from < to) {
			const middle = (from + to) >> 1;
			const here = model.addresses.module[middle] - module || model.addresses.offset[middle] - offset;
			if (here < 0)
				from = middle + 1;
			else
				to = middle;
		}
		return from;
	};
	return [bound(low), bound(high)];
}
