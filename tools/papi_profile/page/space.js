// SPDX-License-Identifier: BSD-3-Clause
// The axis of the histogram: the code in which something happened, module beside module. Code in which nothing happened
// takes no room. In a module distances are bytes; modules are as wide as the square root of theirs, and none is less
// than a part of the whole, so that a small program can be seen beside large libraries.

const LEAST = 0.03;
const REACH = 16; // bytes behind the last address of code whose end is not known
const WIDEST = 8; // bytes of an instruction whose length is not known

// Runs of addresses that belong to the same function's code.
function findStretches(model) {
	const { n, module, offset, first } = model.addresses, stretches = [];
	let last = null;

	for (let i = 0; i < n; i++) {
		const owner = model.places.function[first[i + 1] - 1], low = model.functions.low[owner];
		const end = low + model.functions.size[owner], inside = offset[i] >= low && offset[i] < end;

		if (last && last.module === module[i] && last.function === owner && last.inside === inside) {
			last.end = i + 1;
			last.high = inside ? end : offset[i] + REACH;
			continue;
		}
		last = {
			module: module[i], function: owner, inside, first: i, end: i + 1,
			low: inside ? low : offset[i], high: inside ? end : offset[i] + REACH,
		};
		stretches.push(last);
	}
	return stretches;
}

function findModules(stretches) {
	const modules = [];

	for (const stretch of stretches) {
		let last = modules[modules.length - 1];
		if (!last || last.module !== stretch.module)
			modules.push(last = { module: stretch.module, stretches: [], bytes: 0, first: stretch.first });
		last.stretches.push(stretch);
		last.bytes += stretch.high - stretch.low;
		last.end = stretch.end;
	}
	return modules;
}

export function layOut(model) {
	const { n, offset } = model.addresses, stretches = findStretches(model), modules = findModules(stretches);
	const roots = modules.reduce((sum, module) => sum + Math.sqrt(module.bytes), 0);
	const least = Math.min(LEAST, 0.5 / modules.length) * roots;
	const largest = Math.max(...modules.map(module => module.bytes));
	const x = new Float64Array(n), width = new Float64Array(n);
	let at = 0;

	for (const module of modules) {
		const scale = Math.max(Math.sqrt(module.bytes), least) / module.bytes * Math.sqrt(largest);

		module.x0 = at;
		for (const stretch of module.stretches) {
			stretch.x0 = at;
			at += (stretch.high - stretch.low) * scale;
			stretch.x1 = at;
			for (let i = stretch.first; i < stretch.end; i++) {
				const hasNext = i + 1 < stretch.end && offset[i + 1] > offset[i];
				const next = hasNext ? offset[i + 1] : stretch.high;
				x[i] = stretch.x0 + (offset[i] - stretch.low) * scale;
				width[i] = Math.max(1, Math.min(next - offset[i], WIDEST)) * scale;
			}
		}
		module.x1 = at;
	}
	return { modules, stretches, x, width, total: at || 1 };
}

// The first of a sorted list of numbers that is not below a value.
export function lowerBound(numbers, value, from = 0, to = numbers.length) {
	while (from < to) {
		const middle = (from + to) >> 1;
		if (numbers[middle] < value)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

// Which of a list of things with x0 and x1, side by side, is at x; the nearest one where none is.
export function thingAt(things, x) {
	let from = 0, to = things.length;
	while (from < to) {
		const middle = (from + to) >> 1;
		if (things[middle].x1 <= x)
			from = middle + 1;
		else
			to = middle;
	}
	return things[Math.min(from, things.length - 1)];
}
