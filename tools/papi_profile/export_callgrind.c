/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * export_callgrind.c - the format of callgrind: what happened at each instruction itself, by function, and what each
 * function passed on to those that it called.
 *
 * Readers add up what was passed on. So that recursion counts once, as everywhere here, a count goes from a function to
 * the next one only where the function is on its path for the last time. How often functions were called is not known
 * from samples: each pair has one call, since readers take a call of none for something else.
 *
 * An exact profile has the calls themselves, and how often each was made. Two things are not in them: what a function
 * jumps to, as its last act, is part of its own call; and of a function that is active already, further out, a call is
 * counted, but nothing that happens in it. So that a function has inclusively what papi_profile report shows, whether a
 * reader adds up what it passes on or what is passed on to it, such things lead to a function OTHERS, and from it on.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "export.h"
#include "papi_profile/table.h"
#include "papi.h"
#include "profile/sums.h"
#include "symbols/memory.h"

/* What happened at a place, or was passed on from there to another function. */
struct cost {
	uint32_t place;  /* its number in the profile */
	uint32_t callee; /* NONE: at the place itself; OTHER: to what has no call */
	int64_t calls;   /* 0: not known */
	int64_t *values; /* of each event */
};

#define OTHER  (PAPI_PROFILE_NONE - 1)
#define OTHERS "(jumped to, or active already)"

struct writing {
	const struct view *view;
	struct papi_profile *profile;
	FILE *out;
	struct cost *costs;
	size_t n, room;
	struct papi_profile_table found; /* costs by place and callee */
	struct cost *others;             /* to functions; from no place that is known */
	size_t n_others, others_room;
	uint32_t *addresses; /* of places */
	const char **files;  /* of functions: one name for one pointer, NULL where it is not known */
	bool *known_functions, *known_modules, knows_others;
	struct papi_profile_table known_files; /* numbers by pointer */
};

/* ---- Adding up ---- */

static struct cost *cost_of(struct writing *writing, uint32_t place, uint32_t callee)
{
	struct papi_profile_key key = { { place, callee } };
	bool made;
	struct papi_profile_entry *entry = papi_profile_table_take(&writing->found, key, &made);

	if (made) {
		writing->costs = papi_memory_extend(
			writing->costs, writing->n, &writing->room, sizeof(writing->costs[0]));
		writing->costs[writing->n] = (struct cost){ .place = place,
			.callee = callee,
			.values = papi_memory_zero(writing->view->n_events, sizeof(int64_t)) };
		entry->value[0] = (int64_t)writing->n++;
	}
	return &writing->costs[entry->value[0]];
}

static void add(struct writing *writing, const struct papi_profile_place *place, uint32_t callee, uint32_t column,
	int64_t value)
{
	cost_of(writing, (uint32_t)(place - writing->profile->places), callee)->values[column] += value;
}

static void add_all(struct writing *writing)
{
	const struct papi_profile *profile = writing->profile;
	uint32_t *columns = export_columns(writing->view);
	size_t *seen = papi_memory_zero(profile->functions.n, sizeof(seen[0])); /* the last count that had it, and 1 */
	struct papi_profile_path path = { 0 };

	for (size_t i = 0; i < profile->n_counts; i++) {
		const struct papi_profile_count *count = &profile->counts[i];
		uint32_t column = columns[count->event];

		if (column == PAPI_PROFILE_NONE || count->value == 0)
			continue;
		papi_profile_path_find(profile, count, !writing->view->outermost, &path);
		for (size_t depth = 0; depth < path.n; depth++) {
			const struct papi_profile_place *place = path.places[depth];

			if (seen[place->function] == i + 1)
				continue;
			seen[place->function] = i + 1;
			add(writing, place, depth ? path.places[depth - 1]->function : PAPI_PROFILE_NONE, column,
				count->value);
		}
	}
	free(path.places);
	free(seen);
	free(columns);
}

/* ---- Calls of exact profiles ---- */

static void add_calls(struct writing *writing)
{
	const struct papi_profile *profile = writing->profile;
	uint32_t *columns = export_columns(writing->view);

	for (size_t i = 0; i < profile->n_calls; i++) {
		const struct papi_profile_call *call = &profile->calls[i];
		const struct papi_profile_address *site = &profile->addresses.items[call->site];
		uint32_t column = columns[call->event];
		struct cost *cost;

		if (column == PAPI_PROFILE_NONE)
			continue;
		cost = cost_of(writing, site->first + site->n - 1, papi_profile_function_of(profile, call->callee));
		cost->values[column] += papi_profile_value_of(profile, call);
		/* Each event has them, and tells it. */
		if (column == 0)
			cost->calls += call->calls;
	}
	free(columns);
}

/* What the costs of each function have together, by column. */
struct totals {
	int64_t *in, *out; /* passed on to it; in it and passed on to others */
	uint32_t *place;   /* one of its own; NONE: it has no costs */
	bool *is_called;
};

static void make_totals(const struct writing *writing, struct totals *totals)
{
	size_t functions = writing->profile->functions.n, columns = writing->view->n_events;

	totals->in = papi_memory_zero(functions * columns, sizeof(totals->in[0]));
	totals->out = papi_memory_zero(functions * columns, sizeof(totals->out[0]));
	totals->place = papi_memory_grow(NULL, functions, sizeof(totals->place[0]));
	memset(totals->place, 0xff, functions * sizeof(totals->place[0]));
	totals->is_called = papi_memory_zero(functions, sizeof(totals->is_called[0]));
	for (size_t i = 0; i < writing->n; i++) {
		const struct cost *cost = &writing->costs[i];
		uint32_t function = writing->profile->places[cost->place].function, callee = cost->callee;

		totals->place[function] = cost->place;
		if (callee != PAPI_PROFILE_NONE)
			totals->is_called[callee] = true;
		for (size_t j = 0; j < columns; j++) {
			if (callee != PAPI_PROFILE_NONE)
				totals->in[callee * columns + j] += cost->values[j];
			if (callee != function)
				totals->out[function * columns + j] += cost->values[j];
		}
	}
}

/* Adds what a function has too little of, either way. */
static void add_others_of(struct writing *writing, const struct papi_profile_row *row, const struct totals *totals)
{
	size_t columns = writing->view->n_events;
	int64_t *into = papi_memory_zero(columns, sizeof(into[0]));
	bool any = false;

	for (size_t j = 0; j < columns; j++) {
		int64_t inclusive = row->sums[writing->view->events[j]].inclusive_value;
		size_t at = row->function * columns + j;

		/* The other way round it is more, in functions that call each other in a circle. */
		if (inclusive > totals->out[at] && totals->place[row->function] != PAPI_PROFILE_NONE)
			cost_of(writing, totals->place[row->function], OTHER)->values[j] += inclusive - totals->out[at];
		/* Readers have it from the function itself where nobody calls it. */
		if (inclusive > totals->in[at] && totals->is_called[row->function]) {
			into[j] = inclusive - totals->in[at];
			any = true;
		}
	}
	if (any) {
		writing->others = papi_memory_extend(
			writing->others, writing->n_others, &writing->others_room, sizeof(writing->others[0]));
		writing->others[writing->n_others++] = (struct cost){ .callee = row->function, .values = into };
	} else {
		free(into);
	}
}

static void add_others(struct writing *writing)
{
	struct papi_profile_sums sums;
	struct totals totals;

	make_totals(writing, &totals);
	papi_profile_sums_make(writing->profile, PAPI_PROFILE_BY_FUNCTION, !writing->view->outermost, &sums);
	for (size_t i = 0; i < sums.n; i++)
		add_others_of(writing, &sums.rows[i], &totals);
	papi_profile_sums_free(&sums);
	free(totals.in);
	free(totals.out);
	free(totals.place);
	free(totals.is_called);
}

/* ---- Files ---- */

/* A function is in the file of its first place that has one, so that few lines of it are in another. */
static void find_files(struct writing *writing)
{
	struct papi_profile *profile = writing->profile;

	writing->addresses = papi_memory_zero(profile->n_places, sizeof(writing->addresses[0]));
	writing->files = papi_memory_zero(profile->functions.n, sizeof(writing->files[0]));
	for (size_t i = 0; i < profile->addresses.n; i++)
		for (uint32_t j = 0; j < profile->addresses.items[i].n; j++) {
			uint32_t number = profile->addresses.items[i].first + j;
			const struct papi_profile_place *place = &profile->places[number];

			writing->addresses[number] = (uint32_t)i;
			if (!writing->files[place->function])
				writing->files[place->function] = place->file;
		}
	for (size_t i = 0; i < profile->functions.n; i++)
		if (!writing->files[i])
			writing->files[i] = papi_profile_file(profile, profile->functions.items[i].file);
}

/* ---- Writing ---- */

/* "fn=(3) name" the first time, then "fn=(3)". A name without a letter would be no name there. */
static void put_name(const struct writing *writing, const char *what, size_t number, bool known, const char *name)
{
	char *clean = view_clean(name ? name : "");

	if (known)
		fprintf(writing->out, "%s=(%zu)\n", what, number);
	else
		fprintf(writing->out, "%s=(%zu) %s\n", what, number, clean[strspn(clean, " ")] ? clean : "???");
	free(clean);
}

static void put_file(struct writing *writing, const char *what, const char *file)
{
	struct papi_profile_key key = { { (uintptr_t)file } };
	bool made;
	struct papi_profile_entry *entry = papi_profile_table_take(&writing->known_files, key, &made);

	if (made)
		entry->value[0] = (int64_t)writing->known_files.number;
	put_name(writing, what, (size_t)entry->value[0], !made, file);
}

/* Its module, file and name; called: of a function that another one calls. */
static void put_function(struct writing *writing, uint32_t number, bool called)
{
	const struct papi_profile_function *function = &writing->profile->functions.items[number];

	put_name(writing, called ? "cob" : "ob", function->module + 1, writing->known_modules[function->module],
		writing->profile->modules.items[function->module].path);
	put_file(writing, called ? "cfi" : "fl", writing->files[number]);
	put_name(writing, called ? "cfn" : "fn", number + 1, writing->known_functions[number], function->name);
	writing->known_modules[function->module] = writing->known_functions[number] = true;
}

/* It is behind all functions, and nowhere. called: by another one. */
static void put_others(struct writing *writing, bool called)
{
	put_name(writing, called ? "cob" : "ob", writing->profile->modules.n + 1, writing->knows_others, NULL);
	put_file(writing, called ? "cfi" : "fl", NULL);
	put_name(writing, called ? "cfn" : "fn", writing->profile->functions.n + 1, writing->knows_others, OTHERS);
	writing->knows_others = true;
}

static void put_call(struct writing *writing, const struct cost *cost)
{
	const struct papi_profile_function *callee = &writing->profile->functions.items[cost->callee];

	put_function(writing, cost->callee, true);
	fprintf(writing->out, "calls=%" PRId64 " 0x%" PRIx64 " %d\n", cost->calls ? cost->calls : 1, callee->low,
		callee->line);
}

static void put_values(const struct writing *writing, uint64_t offset, int line, const struct cost *cost)
{
	fprintf(writing->out, "0x%" PRIx64 " %d", offset, line);
	for (size_t i = 0; i < writing->view->n_events; i++)
		fprintf(writing->out, " %" PRId64, cost->values[i]);
	fputc('\n', writing->out);
}

static void put_cost(struct writing *writing, const struct cost *cost)
{
	if (cost->callee == OTHER) {
		put_others(writing, true);
		fputs("calls=1 0x0 0\n", writing->out);
	} else if (cost->callee != PAPI_PROFILE_NONE) {
		put_call(writing, cost);
	}
	put_values(writing, writing->profile->addresses.items[writing->addresses[cost->place]].offset,
		writing->profile->places[cost->place].line, cost);
}

static void put_costs(struct writing *writing)
{
	uint32_t function = PAPI_PROFILE_NONE;
	const char *file = NULL;

	for (size_t i = 0; i < writing->n; i++) {
		const struct papi_profile_place *place = &writing->profile->places[writing->costs[i].place];

		if (place->function != function) {
			function = place->function;
			file = writing->files[function];
			fputc('\n', writing->out);
			put_function(writing, function, false);
		}
		if (place->file && place->file != file) {
			file = place->file;
			put_file(writing, file == writing->files[function] ? "fe" : "fi", file);
		}
		put_cost(writing, &writing->costs[i]);
	}
	if (writing->n_others) {
		fputc('\n', writing->out);
		put_others(writing, false);
	}
	for (size_t i = 0; i < writing->n_others; i++) {
		put_call(writing, &writing->others[i]);
		put_values(writing, 0, 0, &writing->others[i]);
	}
}

/* Letters, digits and lines below alone; to be freed. */
static char *word_of(const struct writing *writing, size_t column)
{
	char *word = papi_memory_copy(writing->profile->events.items[writing->view->events[column]].name);

	for (char *at = word; *at; at++)
		*at = isalnum((unsigned char)*at) ? *at : '_';
	return word;
}

/* The number of the column keeps equal words apart. */
static void put_event(const struct writing *writing, size_t column, const char *end)
{
	char *word = word_of(writing, column), *other;
	bool unique = *word != '\0';

	for (size_t i = 0; i < column; i++) {
		other = word_of(writing, i);
		unique &= strcmp(word, other) != 0;
		free(other);
	}
	fputs(word, writing->out);
	if (!unique)
		fprintf(writing->out, "_%zu", column + 1);
	fputs(end, writing->out);
	free(word);
}

static void put_head(const struct writing *writing)
{
	const struct view *view = writing->view;
	char *command = view_command(view);

	fprintf(writing->out, "# callgrind format\nversion: 1\ncreator: papi_profile of PAPI %d.%d.%d\ncmd: %s\n",
		PAPI_VERSION_MAJOR(PAPI_VERSION), PAPI_VERSION_MINOR(PAPI_VERSION), PAPI_VERSION_REVISION(PAPI_VERSION),
		command);
	free(command);
	if (view->profile->run.lost > 0)
		fprintf(writing->out, "desc: Lost: %" PRId64 " samples\n", view->profile->run.lost);
	fputs("positions: instr line\n", writing->out);
	for (size_t i = 0; i < view->n_events; i++) {
		char *clean = view_clean(view->profile->events.items[view->events[i]].name);

		fputs("event: ", writing->out);
		put_event(writing, i, " : ");
		fprintf(writing->out, "%s\n", clean);
		free(clean);
	}
	fputs("events:", writing->out);
	for (size_t i = 0; i < view->n_events; i++) {
		fputc(' ', writing->out);
		put_event(writing, i, "");
	}
	fputs("\nsummary:", writing->out);
	for (size_t i = 0; i < view->n_events; i++)
		fprintf(writing->out, " %" PRId64, view->profile->events.items[view->events[i]].value);
	fputc('\n', writing->out);
}

static const struct writing *sorted;

/* By function; of each what it counted itself comes first, by address. */
static int compare(const void *left, const void *right)
{
	const struct cost *a = left, *b = right;
	const struct papi_profile *profile = sorted->profile;
	uint64_t keys[][2] = {
		{ profile->places[a->place].function, profile->places[b->place].function },
		{ a->callee != PAPI_PROFILE_NONE, b->callee != PAPI_PROFILE_NONE },
		{ profile->addresses.items[sorted->addresses[a->place]].offset,
			profile->addresses.items[sorted->addresses[b->place]].offset },
		{ a->place, b->place },
		{ a->callee, b->callee },
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (keys[i][0] != keys[i][1])
			return keys[i][0] < keys[i][1] ? -1 : 1;
	return 0;
}

static void release(struct writing *writing)
{
	for (size_t i = 0; i < writing->n; i++)
		free(writing->costs[i].values);
	for (size_t i = 0; i < writing->n_others; i++)
		free(writing->others[i].values);
	free(writing->costs);
	free(writing->others);
	free(writing->addresses);
	free(writing->files);
	free(writing->known_functions);
	free(writing->known_modules);
	papi_profile_table_free(&writing->found);
	papi_profile_table_free(&writing->known_files);
}

void export_callgrind(const struct view *view, FILE *out)
{
	struct writing writing = { .view = view, .profile = view->profile, .out = out };

	add_all(&writing);
	if (view->profile->n_calls) {
		add_calls(&writing);
		add_others(&writing);
	}
	find_files(&writing);
	writing.known_functions = papi_memory_zero(view->profile->functions.n, sizeof(bool));
	writing.known_modules = papi_memory_zero(view->profile->modules.n, sizeof(bool));
	sorted = &writing;
	if (writing.n)
		qsort(writing.costs, writing.n, sizeof(writing.costs[0]), compare);
	put_head(&writing);
	put_costs(&writing);
	release(&writing);
}
