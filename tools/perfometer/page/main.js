// SPDX-License-Identifier: BSD-3-Clause
// Reads the recording that is in the page, or connects to the server that it came from.
import { extent, store } from './store.js';
import { choose, chooseLanes, setSameScale, showAll, showWindow, state, tell } from './state.js';
import { beginConnection } from './connection.js';
import { keepPage } from './snapshot.js';
import { beginLanes } from './lanes.js';
import { beginCatalogue } from './catalogue.js';
import { beginControls } from './controls.js';

// A snapshot opens as it was taken, another recording with all of its time.
function showRecording() {
	const { view } = store, [begin, end] = extent();

	state.follows = false;
	if (!view) {
		showAll();
		return;
	}
	const event = store.events.get(view.event), second = store.events.get(view.second) || null;
	if (event && ['rate', 'total', 'ratio'].includes(view.view))
		choose({ event, second, view: view.view });
	if (['thread', 'process', 'rank', 'all'].includes(view.by))
		chooseLanes(view.by);
	setSameScale(view.sameScale !== false);
	if (Array.isArray(view.window) && view.window.every(Number.isFinite) && view.window[0] < end &&
		view.window[1] > begin)
		showWindow(view.window[0], view.window[1]);
	else
		showAll();
}

function start() {
	const data = document.getElementById('data').textContent.trim();

	keepPage();
	beginControls();
	beginLanes();
	beginConnection(data);
	beginCatalogue();
	if (data)
		showRecording();
	tell('lanes');
	document.documentElement.dataset.ready = 'yes';
}

start();
