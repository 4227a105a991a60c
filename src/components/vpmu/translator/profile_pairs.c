/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/translator/profile_pairs.h"

#include "components/vpmu/translator/memory.h"
#include "components/vpmu/translator/processor.h"
#include "components/vpmu/translator/profile.h"
#include "components/vpmu/translator/profile_files.h"
#include "components/vpmu/translator/profile_modules.h"

#define FIRST_PLACES 4096u
#define MAX_PAIRS    2097152u /* as many functions, at most */

/* Both by a hash, in places of which half at least is free; number or active 0: a free one. They grow as they fill, so
 * that a short program touches little memory. */
static struct pair {
	uint64_t target;
	uint32_t from, block, module, region, number, active;
} * pairs;
static struct function {
	uint64_t address;
	uint32_t active; /* the number of a counter that no entry speaks of: how often it is open */
} * functions;
static uint32_t n_pairs, pair_places, n_functions, function_places, n_clocks;

/* By the numbers of pairs: offsets of their entries, and the contexts that they lead to, of which each call asks that
 * translated code does not know. */
static uint32_t *entries, *contexts;
static uint32_t n_contexts, most_contexts; /* 0: pairs have none */

static uint32_t offset_of(uint32_t number)
{
	return (uint32_t)(papi_vpmu_processor_ways + number * sizeof(uint64_t));
}

static struct function *place_of_function(uint64_t target)
{
	uint32_t i = (uint32_t)(target * 0x9e3779b97f4a7c15u >> 32);

	for (;; i++) {
		struct function *place = &functions[i & (function_places - 1)];

		if (!place->active || place->address == target)
			return place;
	}
}

static struct pair *place_of_pair(const struct pair *wanted)
{
	uint64_t hash = (wanted->target ^ (uint64_t)wanted->block << 24 ^ (uint64_t)wanted->region << 56) *
		0x9e3779b97f4a7c15u;
	uint32_t i = (uint32_t)((hash ^ hash >> 32 ^ wanted->from) * 0xbf58476d1ce4e5b9u >> 32);

	for (;; i++) {
		struct pair *place = &pairs[i & (pair_places - 1)];

		if (!place->number ||
			(place->from == wanted->from && place->block == wanted->block &&
				place->target == wanted->target && place->module == wanted->module &&
				place->region == wanted->region))
			return place;
	}
}

/* Room for one more. */
static bool spread_functions(void)
{
	struct function *old = functions;
	uint32_t n = function_places;

	if (2 * (n_functions + 1) <= n)
		return true;
	functions = papi_vpmu_memory_map(2 * (size_t)n * sizeof(*functions));
	if (!functions) {
		functions = old;
		return n_functions + 1 < n;
	}
	function_places = 2 * n;
	for (uint32_t i = 0; i < n; i++)
		if (old[i].active)
			*place_of_function(old[i].address) = old[i];
	papi_vpmu_memory_unmap(old, n * sizeof(*old));
	return true;
}

static bool spread_pairs(void)
{
	struct pair *old = pairs;
	uint32_t n = pair_places;

	if (2 * (n_pairs + 1) <= n)
		return true;
	pairs = papi_vpmu_memory_map(2 * (size_t)n * sizeof(*pairs));
	if (!pairs) {
		pairs = old;
		return n_pairs + 1 < n;
	}
	papi_vpmu_memory_join(pairs, 2 * (size_t)n * sizeof(*pairs));
	pair_places = 2 * n;
	for (uint32_t i = 0; i < n; i++)
		if (old[i].number)
			*place_of_pair(&old[i]) = old[i];
	papi_vpmu_memory_unmap(old, n * sizeof(*old));
	return true;
}

/* 0: there is no room. */
static uint32_t active_of(uint64_t target)
{
	struct function *function;

	if (!spread_functions())
		return 0;
	function = place_of_function(target);
	if (!function->active) {
		*function = (struct function){ target, papi_vpmu_profile_take(1) };
		n_functions += function->active != 0;
	}
	return function->active;
}

/* ---- contexts ---- */

static const struct papi_vpmu_log_pair *entry_of(uint32_t number)
{
	return papi_vpmu_log_at(entries[number]);
}

static uint32_t number_of(uint32_t counters)
{
	return counters < offset_of(0) ? 0 : (uint32_t)((counters - offset_of(0)) / sizeof(uint64_t));
}

/* That in which what a frame of those counters calls is. */
static uint32_t context_of(uint32_t counters)
{
	uint32_t number = number_of(counters);

	return most_contexts ? contexts[number] : 0;
}

/* Where a call with that number leads. */
static uint32_t lead(uint32_t from, uint64_t target, uint32_t module, uint32_t number)
{
	if (from == PAPI_VPMU_LOG_OTHERS || !target)
		return PAPI_VPMU_LOG_OTHERS;
	for (uint32_t at = from; at; at = entry_of(at)->from)
		if (entry_of(at)->target == target && entry_of(at)->module == module)
			return at;
	return number;
}

static void note_context(struct papi_vpmu_log_pair *entry, uint32_t from)
{
	entries[entry->number] = papi_vpmu_log_offset(entry);
	if (!most_contexts)
		return;
	entry->from = from;
	entry->to = contexts[entry->number] = lead(from, entry->target, entry->module, entry->number);
	n_contexts += from != PAPI_VPMU_LOG_OTHERS && entry->target;
}

/* ---- pairs ---- */

static bool make_pair(struct pair *pair, const struct pair *made)
{
	uint32_t active = active_of(made->target);
	uint32_t number = active ? papi_vpmu_profile_take(1 + (most_contexts ? 2 : 1) * n_clocks) : 0;
	struct papi_vpmu_log_pair *entry;

	entry = number ? papi_vpmu_log_open(PAPI_VPMU_LOG_PAIR, sizeof(*entry)) : NULL;
	if (!entry)
		return false;
	entry->target = made->target;
	entry->module = made->module;
	entry->block = made->block;
	entry->region = made->region;
	entry->number = number;
	note_context(entry, made->from);
	papi_vpmu_log_close();
	*pair = *made;
	pair->number = number;
	pair->active = active;
	n_pairs++;
	return true;
}

static bool find_pair(const struct pair *wanted, struct papi_vpmu_pair *found)
{
	struct pair *pair;

	if (!pairs || !spread_pairs())
		return false;
	pair = place_of_pair(wanted);
	if (!pair->number && (n_pairs == MAX_PAIRS || !make_pair(pair, wanted)))
		return false;
	*found = (struct papi_vpmu_pair){ offset_of(pair->number), offset_of(pair->active) };
	return true;
}

static struct pair pair_of(uint32_t from, const struct papi_vpmu_called *called)
{
	return (struct pair){ .target = called->target,
		.from = context_of(from),
		.block = called->block,
		.module = papi_vpmu_modules_number(called->target),
		.region = called->region };
}

bool papi_vpmu_profile_pair(uint32_t from, const struct papi_vpmu_called *called, struct papi_vpmu_pair *found)
{
	struct pair wanted = pair_of(from, called);

	return find_pair(&wanted, found);
}

bool papi_vpmu_profile_others(uint32_t from, const struct papi_vpmu_called *called, struct papi_vpmu_pair *found)
{
	struct pair wanted;

	if (!pairs || !most_contexts || n_contexts < most_contexts)
		return false;
	wanted = pair_of(from, called);
	return wanted.from != PAPI_VPMU_LOG_OTHERS && !place_of_pair(&wanted)->number &&
		find_pair(&(struct pair){ .from = wanted.from, .region = called->region }, found);
}

bool papi_vpmu_profile_is_others(uint32_t counters)
{
	return context_of(counters) == PAPI_VPMU_LOG_OTHERS && !entry_of(number_of(counters))->target;
}

bool papi_vpmu_profile_elsewhere(uint32_t from, uint32_t counters, uint8_t region, struct papi_vpmu_pair *found)
{
	uint32_t number = number_of(counters);
	const struct papi_vpmu_log_pair *entry;
	struct pair wanted;

	if (!entries || !entries[number])
		return false;
	entry = entry_of(number);
	wanted = (struct pair){ .target = entry->target,
		.from = context_of(from),
		.block = entry->block,
		.module = entry->module,
		.region = region };
	return find_pair(&wanted, found);
}

/* Of what finds no room. */
void papi_vpmu_profile_nobody(struct papi_vpmu_pair *nobody)
{
	*nobody = (struct papi_vpmu_pair){ offset_of(0), offset_of(PAPI_VPMU_PROFILE_LOST - 1) };
}

void papi_vpmu_pairs_begin(uint64_t counters, uint32_t most)
{
	uint32_t room;

	n_clocks = (uint32_t)__builtin_popcountll(counters);
	pair_places = function_places = FIRST_PLACES;
	functions = papi_vpmu_memory_map(FIRST_PLACES * sizeof(*functions));
	pairs = functions ? papi_vpmu_memory_map(FIRST_PLACES * sizeof(*pairs)) : NULL;
	entries = pairs ? papi_vpmu_memory_map(papi_vpmu_processor_max_ways * sizeof(*entries)) : NULL;
	contexts = entries && most ? papi_vpmu_memory_map(papi_vpmu_processor_max_ways * sizeof(*contexts)) : NULL;
	if (!entries || (most && !contexts))
		papi_vpmu_pairs_forked();
	if (!contexts)
		return;
	/* A quarter of all numbers is left for blocks, however many contexts and others there are. */
	room = (uint32_t)(papi_vpmu_processor_max_ways * 3 / 8 / (1 + 2 * n_clocks));
	most_contexts = most < room ? most : room;
	papi_vpmu_log_head()->contexts = most_contexts;
}

void papi_vpmu_pairs_forked(void)
{
	papi_vpmu_memory_unmap(pairs, pair_places * sizeof(*pairs));
	papi_vpmu_memory_unmap(functions, function_places * sizeof(*functions));
	papi_vpmu_memory_unmap(entries, papi_vpmu_processor_max_ways * sizeof(*entries));
	papi_vpmu_memory_unmap(contexts, papi_vpmu_processor_max_ways * sizeof(*contexts));
	pairs = NULL;
	functions = NULL;
	entries = contexts = NULL;
	n_pairs = n_functions = n_contexts = most_contexts = pair_places = function_places = 0;
}
