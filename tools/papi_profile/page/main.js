// SPDX-License-Identifier: BSD-3-Clause
// Reads the data, and begins with the hottest function.
import { load } from './data.js';
import { begin, selectFunction, showRange, state } from './state.js';
import { beginHistogram } from './histogram.js';
import { beginFunctions } from './functions.js';
import { beginSource } from './source.js';
import { beginInstructions } from './instructions.js';
import { beginCalls } from './flame.js';
import { beginCallers } from './callers.js';
import { beginControls } from './controls.js';

function hottestFunction() {
	const { self } = state.first;
	let best = 0;
	for (let f = 1; f < self.length; f++)
		if (self[f] > self[best])
			best = f;
	return self.length ? best : -1;
}

function start() {
	begin(load(document.getElementById('data').textContent));
	beginHistogram();
	beginFunctions();
	beginSource();
	beginInstructions();
	beginCalls();
	beginCallers();
	beginControls();
	const hottest = hottestFunction();
	if (hottest >= 0) {
		selectFunction(hottest, false);
		showRange(0, state.space.total);
	}
	document.documentElement.dataset.ready = 'yes';
}

start();
