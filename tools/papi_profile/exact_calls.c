/* SPDX-License-Identifier: BSD-3-Clause */
/* exact_calls.c - the calls of an exact profile, and their contexts, from the raw files to the store. */
#include <stdlib.h>
#include <string.h>

#include "components/vpmu/agent.h"
#include "papi_profile/exact_reading.h"
#include "papi_profile/papi_profile.h"

/* A call, and the context that it is if one has its number. */
struct node {
	const struct papi_vpmu_log_pair *pair;
	uint64_t calls;
	int64_t path; /* in the store: the context of the caller */
	bool used;    /* the thread was in it, or in one that it led to */
};

/* So many nodes come first: outside of all calls, outside of all regions of the program and in each of them. */
#define OUTSIDE (PAPI_VPMU_LOG_REGIONS + 1u)

/* Of a thread. */
struct nodes {
	struct papi_profile_reading *reading;
	const struct papi_profile_log *log;
	const struct papi_profile_lane *lane;
	struct node *nodes; /* behind the first, in the order of the log */
	int64_t *own;       /* of each as many as there are counters: what happened there, but in no call from there */
	size_t n;
	unsigned n_counters;
	uint32_t *places; /* by the number of a pair, its place in nodes */
};

/* ---- pairs ---- */

static bool is_whole(const struct papi_profile_log *log, const struct papi_vpmu_log_pair *pair)
{
	return papi_profile_log_block(log, pair->block) && pair->module < log->n_modules;
}

static int64_t site_of(
	struct papi_profile_reading *reading, const struct papi_profile_log *log, const struct papi_vpmu_log_pair *pair)
{
	const struct papi_vpmu_log_block *block = papi_profile_log_block(log, pair->block);

	return papi_profile_log_address(reading, log, block->module, papi_profile_log_pc(block, block->n_instructions));
}

/* What calls have: exact counters and modelled ones. */
static uint64_t counters_of(const struct papi_profile_log *log)
{
	return log->head.profile | log->head.modelled;
}

static unsigned number_of_counters(const struct papi_profile_log *log)
{
	return (unsigned)__builtin_popcountll(counters_of(log));
}

/* They lie one behind the other. */
static void spread(const struct papi_profile_log *log, const uint64_t *from, uint64_t *counters)
{
	for (unsigned i = 0; i < PAPI_PROFILE_EXACT_COUNTERS; i++)
		counters[i] = counters_of(log) >> i & 1 ? *from++ : 0;
}

/* How often the thread has made a call, and what happened: of all ways to there, n of them. */
static void write_pair(struct papi_profile_reading *reading, const struct papi_profile_log *log,
	const struct papi_profile_lane *lane, const struct papi_vpmu_log_pair *const *pairs, size_t n)
{
	struct papi_profile_events *list = reading->records->events;
	unsigned counters = number_of_counters(log);
	uint64_t sums[1 + PAPI_PROFILE_EXACT_COUNTERS] = { 0 }, all[PAPI_PROFILE_EXACT_COUNTERS];
	uint64_t any = 0;
	int64_t site, callee;

	for (size_t i = 0; i < n; i++)
		for (unsigned j = 0; j <= counters; j++)
			sums[j] += lane->ways[pairs[i]->number + j];
	for (unsigned j = 0; j <= counters; j++)
		any |= sums[j];
	if (!is_whole(log, pairs[0]) || !any)
		return;
	spread(log, &sums[1], all);
	reading->exact->values(reading->exact->argument, all, reading->values);
	site = site_of(reading, log, pairs[0]);
	callee = papi_profile_log_address(reading, log, pairs[0]->module, pairs[0]->target);
	for (size_t i = 0; i < list->number; i++)
		if (sums[0] || reading->values[i])
			papi_profile_store_call(reading->records->counts.store,
				&(struct papi_profile_call_key){ .thread = lane->thread,
					.event = (int64_t)i + 1,
					.from = site,
					.callee = callee,
					.region = log->regions[pairs[0]->region] },
				(int64_t)sums[0], reading->values[i]);
}

static int by_place(const void *first, const void *second)
{
	const struct papi_vpmu_log_pair *a = *(const struct papi_vpmu_log_pair *const *)first;
	const struct papi_vpmu_log_pair *b = *(const struct papi_vpmu_log_pair *const *)second;

	if (a->region != b->region)
		return a->region < b->region ? -1 : 1;
	if (a->block != b->block)
		return a->block < b->block ? -1 : 1;
	if (a->target != b->target)
		return a->target < b->target ? -1 : 1;
	return a->module < b->module ? -1 : a->module > b->module;
}

static void write_pairs(struct papi_profile_reading *reading, const struct papi_profile_log *log,
	const struct papi_profile_lane *lane, const struct papi_vpmu_log_pair **pairs, size_t n)
{
	size_t first = 0;

	qsort(pairs, n, sizeof(*pairs), by_place);
	for (size_t i = 1; i <= n; i++) {
		if (i < n && by_place(&pairs[i], &pairs[first]) == 0)
			continue;
		write_pair(reading, log, lane, &pairs[first], i - first);
		first = i;
	}
}

/* ---- contexts ---- */

static bool is_of_others(const struct papi_vpmu_log_pair *pair)
{
	return pair->from == PAPI_VPMU_LOG_OTHERS;
}

/* From a context to its others. */
static bool leads_to_others(const struct papi_vpmu_log_pair *pair)
{
	return pair->to == PAPI_VPMU_LOG_OTHERS && !is_of_others(pair);
}

static bool is_context(const struct papi_vpmu_log_pair *pair)
{
	return !is_of_others(pair) && (pair->to == pair->number || leads_to_others(pair));
}

/* Of a context among those that are known by now; else what is outside of all calls in the region. */
static size_t place_of(const struct nodes *nodes, uint32_t number, uint32_t region)
{
	return number < nodes->lane->n && nodes->places[number] ? nodes->places[number] : region;
}

static int64_t *own_of(const struct nodes *nodes, size_t place)
{
	return nodes->own + place * nodes->n_counters;
}

/* What happened in a call, in that of a function that was open already, too, is not its caller's own. */
static void add_node(struct nodes *nodes, const struct papi_vpmu_log_pair *pair)
{
	const uint64_t *ways = nodes->lane->ways + pair->number;
	size_t place = nodes->n++, to, from = place_of(nodes, pair->from, pair->region);

	nodes->nodes[place] = (struct node){ .pair = pair };
	nodes->places[pair->number] = (uint32_t)place;
	to = leads_to_others(pair) ? place : place_of(nodes, pair->to, pair->region);
	nodes->nodes[to].calls += ways[0];
	nodes->nodes[to].used |= ways[0] != 0;
	if (leads_to_others(pair) && ways[0])
		nodes->reading->exact->beyond = nodes->log->head.contexts;
	for (unsigned i = 0; i < nodes->n_counters; i++) {
		int64_t all = (int64_t)(ways[1 + i] + ways[1 + i + nodes->n_counters]);

		nodes->nodes[to].used |= all != 0;
		own_of(nodes, to)[i] += all;
		own_of(nodes, from)[i] -= all;
	}
}

/* All that the thread has done is outside of calls, but for what is in them. */
static void add_outside(struct nodes *nodes)
{
	const struct papi_profile_ran *ran = &nodes->reading->places;
	unsigned counter = 0;

	memset(nodes->nodes, 0, OUTSIDE * sizeof(*nodes->nodes));
	nodes->n = OUTSIDE;
	for (size_t j = 0; j < ran->n; j++)
		nodes->nodes[ran->places[j].region].used = true;
	for (unsigned i = 0; i < PAPI_PROFILE_EXACT_COUNTERS; i++) {
		if (!(counters_of(nodes->log) >> i & 1))
			continue;
		for (size_t j = 0; ran->slots[i] != PAPI_PROFILE_NO_SLOT && j < ran->n; j++)
			own_of(nodes, ran->places[j].region)[counter] +=
				(int64_t)ran->counters[j * ran->n_slots + ran->slots[i]];
		counter++;
	}
}

/* A call that has no end, since the process was killed, has no less than those that it has made. */
static void mend_nodes(struct nodes *nodes)
{
	for (size_t i = nodes->n; i-- > OUTSIDE;) {
		const struct node *node = &nodes->nodes[i];
		size_t from = place_of(nodes, node->pair->from, node->pair->region);

		if (!is_context(node->pair) || from >= i)
			continue;
		for (unsigned j = 0; j < nodes->n_counters; j++) {
			int64_t *own = &own_of(nodes, i)[j];

			if (*own < 0) {
				own_of(nodes, from)[j] += *own;
				*own = 0;
			}
		}
		nodes->nodes[from].used |= node->used;
	}
}

static int64_t callee_of(struct nodes *nodes, const struct node *node)
{
	struct papi_profile_places *places = &nodes->reading->records->places;

	if (!node->pair)
		return papi_profile_places_special(places, "[outside of calls]");
	if (leads_to_others(node->pair))
		return papi_profile_places_special(places, "[other contexts]");
	return papi_profile_log_address(nodes->reading, nodes->log, node->pair->module, node->pair->target);
}

/* A signal comes anywhere in a function, and what is beyond is called from anywhere: its first address stands for the
 * place. */
static int64_t path_of(struct nodes *nodes, const struct node *node)
{
	struct papi_profile_counts *counts = &nodes->reading->records->counts;
	const struct node *from = &nodes->nodes[place_of(nodes, node->pair->from, node->pair->region)];

	if (is_whole(nodes->log, node->pair))
		return papi_profile_counts_context(counts, from->path, site_of(nodes->reading, nodes->log, node->pair));
	return from->pair ? papi_profile_counts_context(counts, from->path, callee_of(nodes, from)) : 0;
}

/* As events. Of those that are fractions, what is rounded off in one context counts in the next. */
static void value_own(struct nodes *nodes, const uint64_t *own)
{
	struct papi_profile_reading *reading = nodes->reading;
	uint64_t counters[PAPI_PROFILE_EXACT_COUNTERS];

	spread(nodes->log, own, counters);
	if (!reading->exact->modelled) {
		reading->exact->values(reading->exact->argument, counters, reading->values);
		return;
	}
	for (unsigned i = 0; i < PAPI_PROFILE_EXACT_COUNTERS; i++)
		reading->own[i] += counters[i];
	reading->exact->values(reading->exact->argument, reading->own, reading->values);
	for (size_t i = 0; i < reading->records->events->number; i++) {
		long long sum = reading->values[i];

		reading->values[i] -= reading->own_sums[i];
		reading->own_sums[i] = sum;
	}
}

static void write_node(struct nodes *nodes, size_t place)
{
	struct node *node = &nodes->nodes[place];
	struct papi_profile_reading *reading = nodes->reading;
	struct papi_profile_events *list = reading->records->events;
	uint32_t region = node->pair ? node->pair->region : (uint32_t)place;
	int64_t callee = callee_of(nodes, node);

	if (node->pair)
		node->path = path_of(nodes, node);
	value_own(nodes, (const uint64_t *)own_of(nodes, place));
	for (size_t i = 0; i < list->number; i++)
		if (node->calls || reading->values[i])
			papi_profile_store_path(reading->records->counts.store,
				&(struct papi_profile_call_key){ .thread = nodes->lane->thread,
					.event = (int64_t)i + 1,
					.from = node->path,
					.callee = callee,
					.region = nodes->log->regions[region] },
				(int64_t)node->calls, reading->values[i]);
}

static void write_nodes(struct nodes *nodes)
{
	mend_nodes(nodes);
	for (size_t i = 0; i < nodes->n; i++)
		if ((i < OUTSIDE || is_context(nodes->nodes[i].pair)) && nodes->nodes[i].used)
			write_node(nodes, i);
}

/* ---- all of them ---- */

/* The next whose counters the thread has; NULL: there is none. */
static const struct papi_vpmu_log_pair *next_pair(
	const struct papi_profile_log *log, const struct papi_profile_lane *lane, size_t *at)
{
	size_t counters = (size_t)number_of_counters(log) * (log->head.contexts ? 2 : 1);
	const struct papi_vpmu_log_pair *pair;

	while ((pair = papi_profile_log_next(log, PAPI_VPMU_LOG_PAIR, sizeof(*pair), at)))
		if (pair->number + counters < lane->n && pair->region < OUTSIDE)
			return pair;
	return NULL;
}

static void write_contexts(struct papi_profile_reading *reading, const struct papi_profile_log *log,
	const struct papi_profile_lane *lane, const struct papi_vpmu_log_pair *const *pairs, size_t n)
{
	unsigned counters = number_of_counters(log);
	struct nodes nodes = { .reading = reading, .log = log, .lane = lane, .n_counters = counters };

	nodes.nodes = papi_profile_allocate(NULL, OUTSIDE + n, sizeof(*nodes.nodes));
	nodes.own = papi_profile_allocate(NULL, (OUTSIDE + n) * counters, sizeof(*nodes.own));
	nodes.places = papi_profile_allocate(NULL, lane->n, sizeof(*nodes.places));
	memset(nodes.own, 0, (OUTSIDE + n) * counters * sizeof(*nodes.own));
	memset(nodes.places, 0, lane->n * sizeof(*nodes.places));
	papi_profile_table_reserve(&reading->records->counts.contexts, n);
	add_outside(&nodes);
	for (size_t i = 0; i < n; i++)
		if (!is_of_others(pairs[i]))
			add_node(&nodes, pairs[i]);
	write_nodes(&nodes);
	free(nodes.nodes);
	free(nodes.own);
	free(nodes.places);
}

void papi_profile_exact_write_calls(
	struct papi_profile_reading *reading, const struct papi_profile_log *log, const struct papi_profile_lane *lane)
{
	const struct papi_vpmu_log_pair **pairs, *pair;
	size_t n = 0;

	for (size_t at = 0; next_pair(log, lane, &at);)
		n++;
	pairs = papi_profile_allocate(NULL, n + 1, sizeof(pairs[0]));
	n = 0;
	for (size_t at = 0; (pair = next_pair(log, lane, &at));)
		pairs[n++] = pair;
	if (log->head.contexts)
		write_contexts(reading, log, lane, pairs, n);
	write_pairs(reading, log, lane, pairs, n);
	free(pairs);
}
