/* SPDX-License-Identifier: BSD-3-Clause */
/* sums.c - sums by function, line and so on. See sums.h. */
#include "profile/sums.h"

#include <stdlib.h>
#include <string.h>

#include "symbols/memory.h"

static void add_places(
	const struct papi_profile *profile, uint32_t address, bool inlines, struct papi_profile_path *path)
{
	const struct papi_profile_address *found = &profile->addresses.items[address];

	for (uint32_t i = inlines || !found->n ? 0 : found->n - 1; i < found->n; i++) {
		path->places = papi_memory_extend(path->places, path->n, &path->room, sizeof(path->places[0]));
		path->places[path->n++] = &profile->places[found->first + i];
	}
}

void papi_profile_path_find(const struct papi_profile *profile, const struct papi_profile_count *count, bool inlines,
	struct papi_profile_path *path)
{
	path->n = 0;
	add_places(profile, count->address, inlines && !count->whole, path);
	for (uint32_t at = count->context; at != PAPI_PROFILE_NONE; at = profile->contexts.items[at].parent)
		add_places(profile, profile->contexts.items[at].address, inlines, path);
}

/* ---- Rows, each found by what it stands for ---- */

static uint64_t hash_row(const struct papi_profile_row *row)
{
	uint64_t hash = (uint64_t)row->function << 32 | row->module;

	hash = (hash ^ (uint64_t)row->thread << 20 ^ row->process ^ (uint64_t)row->region << 40) *
		UINT64_C(0x9e3779b97f4a7c15);
	hash = (hash ^ (uintptr_t)row->file ^ (uint64_t)(unsigned)row->line << 44) * UINT64_C(0x9e3779b97f4a7c15);
	return hash >> 24;
}

static bool is_same(const struct papi_profile_row *a, const struct papi_profile_row *b)
{
	return a->function == b->function && a->module == b->module && a->thread == b->thread &&
		a->process == b->process && a->region == b->region && a->file == b->file && a->line == b->line;
}

static uint32_t *find_slot(const struct papi_profile_sums *sums, const struct papi_profile_row *row)
{
	size_t i = hash_row(row) & (sums->n_slots - 1);

	while (sums->slots[i] && !is_same(&sums->rows[sums->slots[i] - 1], row))
		i = (i + 1) & (sums->n_slots - 1);
	return &sums->slots[i];
}

static void grow(struct papi_profile_sums *sums)
{
	sums->n_slots = sums->n_slots ? 2 * sums->n_slots : 256;
	free(sums->slots);
	sums->slots = papi_memory_zero(sums->n_slots, sizeof(sums->slots[0]));
	for (size_t i = 0; i < sums->n; i++)
		*find_slot(sums, &sums->rows[i]) = (uint32_t)i + 1;
}

static struct papi_profile_row *find_row(struct papi_profile_sums *sums, const struct papi_profile_row *key)
{
	uint32_t *slot;

	if (2 * sums->n >= sums->n_slots)
		grow(sums);
	slot = find_slot(sums, key);
	if (!*slot) {
		sums->rows = papi_memory_extend(sums->rows, sums->n, &sums->room, sizeof(sums->rows[0]));
		sums->rows[sums->n] = *key;
		sums->rows[sums->n].sums = papi_memory_zero(sums->n_events, sizeof(struct papi_profile_sum));
		sums->rows[sums->n].seen = SIZE_MAX;
		*slot = (uint32_t)++sums->n;
	}
	return &sums->rows[*slot - 1];
}

static struct papi_profile_row key_of(const struct papi_profile *profile, enum papi_profile_by by,
	const struct papi_profile_count *count, const struct papi_profile_place *place)
{
	const struct papi_profile_function *function = &profile->functions.items[place->function];
	struct papi_profile_row key = { .function = PAPI_PROFILE_NONE,
		.module = PAPI_PROFILE_NONE,
		.thread = PAPI_PROFILE_NONE,
		.process = PAPI_PROFILE_NONE,
		.region = PAPI_PROFILE_NONE };

	if (by == PAPI_PROFILE_BY_THREAD || by == PAPI_PROFILE_BY_PROCESS)
		key.process = profile->threads.items[count->thread].process;
	if (by == PAPI_PROFILE_BY_THREAD)
		key.thread = count->thread;
	if (by == PAPI_PROFILE_BY_REGION)
		key.region = count->region;
	if (by == PAPI_PROFILE_BY_FUNCTION)
		key.function = place->function;
	/* Code without lines is told apart by its module. */
	if (by <= PAPI_PROFILE_BY_MODULE || (by >= PAPI_PROFILE_BY_LINE && !place->file))
		key.module = function->module;
	if (by >= PAPI_PROFILE_BY_LINE && place->file)
		key.file = place->file;
	if (by == PAPI_PROFILE_BY_LINE && place->file)
		key.line = place->line;
	return key;
}

/* Of each function by event: done in calls of it, in calls from it, and in its own code. */
struct called {
	int64_t *in, *from, *own;
};

static struct called add_calls(const struct papi_profile *profile)
{
	size_t n = profile->functions.n * profile->events.n;
	struct called called = { papi_memory_zero(n, sizeof(int64_t)), papi_memory_zero(n, sizeof(int64_t)),
		papi_memory_zero(n, sizeof(int64_t)) };

	for (size_t i = 0; i < profile->n_calls; i++) {
		const struct papi_profile_call *call = &profile->calls[i];
		size_t callee = papi_profile_function_of(profile, call->callee),
		       site = papi_profile_function_of(profile, call->site);

		called.in[callee * profile->events.n + call->event] += papi_profile_value_of(profile, call);
		called.from[site * profile->events.n + call->event] += papi_profile_value_of(profile, call);
	}
	for (size_t i = 0; i < profile->n_counts; i++) {
		const struct papi_profile_count *count = &profile->counts[i];
		size_t function = papi_profile_function_of(profile, count->address);

		called.own[function * profile->events.n + count->event] += count->value;
	}
	return called;
}

/* Of what happens only in what it calls, a function has no counts. Who calls and is not called may be the agent, whose
 * own work is no one's. */
static void find_rows_of_called(
	const struct papi_profile *profile, const struct called *called, struct papi_profile_sums *sums)
{
	for (size_t i = 0; i < profile->functions.n * profile->events.n; i++)
		if (called->in[i])
			find_row(sums,
				&(struct papi_profile_row){ .function = (uint32_t)(i / profile->events.n),
					.module = profile->functions.items[i / profile->events.n].module,
					.thread = PAPI_PROFILE_NONE,
					.process = PAPI_PROFILE_NONE,
					.region = PAPI_PROFILE_NONE });
}

/* A function is called for all that it does, but those that nobody calls: where threads begin, handlers of signals; and
 * but for where it is inlined. What jumps into a function does there is not in its calls. */
static void include_calls(const struct papi_profile *profile, struct papi_profile_sums *sums)
{
	struct called called = add_calls(profile);

	find_rows_of_called(profile, &called, sums);
	for (size_t i = 0; i < sums->n; i++)
		for (size_t event = 0; event < profile->events.n; event++) {
			struct papi_profile_sum *sum = &sums->rows[i].sums[event];
			size_t at = sums->rows[i].function * profile->events.n + event;

			if (!called.in[at])
				sum->inclusive_value += called.from[at];
			else if (called.in[at] > called.own[at])
				sum->inclusive_value += called.in[at] - called.own[at];
		}
	free(called.in);
	free(called.from);
	free(called.own);
}

void papi_profile_sums_make(
	const struct papi_profile *profile, enum papi_profile_by by, bool inlines, struct papi_profile_sums *sums)
{
	bool of_places = !papi_profile_by_whom(by);
	struct papi_profile_path path = { 0 };

	*sums = (struct papi_profile_sums){ .by = by, .n_events = profile->events.n };
	for (size_t i = 0; i < profile->n_counts; i++) {
		const struct papi_profile_count *count = &profile->counts[i];

		papi_profile_path_find(profile, count, inlines, &path);
		for (size_t depth = 0; depth < (of_places ? path.n : 1); depth++) {
			struct papi_profile_row key = key_of(profile, by, count, path.places[depth]);
			struct papi_profile_row *row = find_row(sums, &key);
			struct papi_profile_sum *sum = &row->sums[count->event];

			if (depth == 0) {
				sum->samples += count->samples;
				sum->value += count->value;
			}
			if (row->seen == i)
				continue;
			row->seen = i;
			sum->inclusive_samples += count->samples;
			sum->inclusive_value += count->value;
		}
	}
	free(path.places);
	if (by == PAPI_PROFILE_BY_FUNCTION && profile->n_calls)
		include_calls(profile, sums);
}

void papi_profile_sums_free(struct papi_profile_sums *sums)
{
	for (size_t i = 0; i < sums->n; i++)
		free(sums->rows[i].sums);
	free(sums->rows);
	free(sums->slots);
}
