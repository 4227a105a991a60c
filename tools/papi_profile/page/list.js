// SPDX-License-Identifier: BSD-3-Clause
// Lists of any length: only the rows that are in sight are in the document. Text gets there as text alone.

const HEIGHT = 20; // of a row, as in page.css
const SPARE = 6; // rows above and below what is in sight

// An element with a class and a text.
export function element(tag, className, text) {
	const made = document.createElement(tag);
	made.className = className;
	if (text !== undefined)
		made.textContent = text;
	return made;
}

// A cell of a row; with a filling behind the text that is that part of its width.
export function cell(className, text, width, part = 0) {
	const made = element('div', 'cell ' + className);

	made.setAttribute('role', 'gridcell');
	if (width)
		made.style.width = width + 'px';
	if (part > 0) {
		const fill = element('div', 'fill');
		fill.style.width = 100 * Math.min(part, 1) + '%';
		made.append(fill, element('span', '', text));
	} else {
		made.textContent = text;
	}
	return made;
}

export class List {
	// fill(row, i) puts the cells into a row; select(i) is called when the user goes to one. leads: a row leads to
	// something else, so that keys other than Enter do not select.
	constructor(box, fill, select, leads = false) {
		this.box = box;
		this.fill = fill;
		this.select = select;
		this.leads = leads;
		this.count = 0;
		this.active = -1;
		this.room = box.clientHeight;
		this.space = element('div', 'space');
		this.space.setAttribute('role', 'rowgroup');
		box.append(this.space);
		box.addEventListener('scroll', () => this.draw());
		box.addEventListener('keydown', event => this.key(event));
		this.space.addEventListener('click', event => {
			const row = event.target.closest('.row');
			if (row)
				this.go(Number(row.dataset.i));
		});
		new ResizeObserver(() => this.resize()).observe(box);
	}

	setCount(count) {
		this.count = count;
		this.active = Math.min(this.active, count - 1);
		this.space.style.height = count * HEIGHT + 'px';
		this.box.setAttribute('aria-rowcount', count);
		this.draw();
	}

	// What was to be shown while the list was not to be seen is shown now.
	resize() {
		const wasHidden = !this.room;
		this.room = this.box.clientHeight;
		if (wasHidden && this.room)
			this.show(this.active);
		else
			this.draw();
	}

	draw() {
		const first = Math.max(0, Math.floor(this.box.scrollTop / HEIGHT) - SPARE);
		const bottom = this.box.scrollTop + this.box.clientHeight;
		const end = Math.min(this.count, Math.ceil(bottom / HEIGHT) + SPARE);
		const rows = [];

		for (let i = first; i < end; i++) {
			const row = element('div', i === this.active ? 'row active' : 'row');
			row.id = this.box.id + '-' + i;
			row.dataset.i = i;
			row.style.top = i * HEIGHT + 'px';
			row.setAttribute('role', 'row');
			row.setAttribute('aria-rowindex', i + 1);
			row.setAttribute('aria-selected', i === this.active);
			this.fill(row, i);
			rows.push(row);
		}
		this.space.replaceChildren(...rows);
		if (this.active >= first && this.active < end)
			this.box.setAttribute('aria-activedescendant', this.box.id + '-' + this.active);
		else
			this.box.removeAttribute('aria-activedescendant');
	}

	// Makes a row the active one, and brings it in sight; in the middle if it is far away.
	show(i) {
		const top = i * HEIGHT, room = this.box.clientHeight;

		this.active = i;
		if (i >= 0 && (top < this.box.scrollTop || top + HEIGHT > this.box.scrollTop + room)) {
			const distance = Math.abs(top - this.box.scrollTop - room / 2) - room / 2;
			if (distance > 2 * HEIGHT)
				this.box.scrollTop = top - room / 2 + HEIGHT / 2;
			else
				this.box.scrollTop = top < this.box.scrollTop ? top : top + HEIGHT - room;
		}
		this.draw();
	}

	go(i) {
		this.show(i);
		this.select(i);
	}

	key(event) {
		const page = Math.max(1, Math.floor(this.box.clientHeight / HEIGHT) - 1);
		const to = {
			ArrowUp: this.active - 1, ArrowDown: this.active + 1, PageUp: this.active - page,
			PageDown: this.active + page, Home: 0, End: this.count - 1, Enter: this.active,
		}[event.key];

		if (to === undefined || this.count === 0 || event.ctrlKey || event.altKey || event.metaKey)
			return;
		event.preventDefault();
		const at = Math.max(0, Math.min(to, this.count - 1));
		if (this.leads && event.key !== 'Enter')
			this.show(at);
		else
			this.go(at);
	}
}

// The titles above a list: [text, class, width, what a click does, 'ascending' or 'descending' if it is sorted].
export function fillHead(head, titles) {
	head.setAttribute('role', 'row');
	head.replaceChildren(...titles.map(([text, className, width, click, sorted, title]) => {
		const made = cell(className, '', width);
		made.setAttribute('role', 'columnheader');
		if (sorted)
			made.setAttribute('aria-sort', sorted);
		if (title)
			made.title = title;
		if (click) {
			const arrow = { ascending: ' \u2191', descending: ' \u2193' }[sorted] || '';
			const button = element('button', '', text + arrow);
			button.type = 'button';
			button.addEventListener('click', click);
			made.append(button);
		} else {
			made.textContent = text;
		}
		return made;
	}));
}
