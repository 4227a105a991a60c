/* SPDX-License-Identifier: BSD-3-Clause */
/* page_calls.c - who calls whom, as JSON: trees of calls where paths are known, and for each function its callers. */
#include <inttypes.h>
#include <stdlib.h>

#include "page.h"
#include "papi_profile/table.h"
#include "profile/sums.h"
#include "symbols/memory.h"

/* Calls that have less than this share of all are left out of the tree: nobody could see them. */
#define LEAST_SHARE 1e-4

/* ---- Trees ---- */

/* The nodes that are large enough, parents before children; their number. */
static size_t choose_nodes(const struct papi_profile_tree *tree, uint32_t *chosen, uint32_t *new_numbers)
{
	double least = LEAST_SHARE * (double)tree->nodes[0].value;
	size_t n = 0;
	uint32_t at = 0;

	while (at != PAPI_PROFILE_NONE) {
		const struct papi_profile_node *node = &tree->nodes[at];

		if ((double)node->value >= least) {
			new_numbers[at] = (uint32_t)n;
			chosen[n++] = at;
			if (node->child != PAPI_PROFILE_NONE) {
				at = node->child;
				continue;
			}
		}
		while (at != PAPI_PROFILE_NONE && tree->nodes[at].next == PAPI_PROFILE_NONE)
			at = tree->nodes[at].parent;
		if (at != PAPI_PROFILE_NONE)
			at = tree->nodes[at].next;
	}
	return n;
}

static void print_tree(const struct view *view, uint32_t event, const uint32_t *numbers)
{
	struct papi_profile_tree tree;
	uint32_t *chosen, *new_numbers;
	size_t n;

	papi_profile_tree_make(view->profile, event, !view->outermost, NULL, &tree);
	chosen = papi_memory_grow(NULL, tree.n, sizeof(chosen[0]));
	new_numbers = papi_memory_grow(NULL, tree.n, sizeof(new_numbers[0]));
	n = choose_nodes(&tree, chosen, new_numbers);
#define NODE tree.nodes[chosen[i]]
	putchar('{');
	PAGE_NUMBERS("function", n, "ld", i ? (long)numbers[NODE.function] : -1);
	putchar(',');
	PAGE_NUMBERS("parent", n, "ld", i ? (long)new_numbers[NODE.parent] : -1);
	putchar(',');
	PAGE_NUMBERS("value", n, PRId64, NODE.value);
	putchar(',');
	PAGE_NUMBERS("samples", n, PRId64, NODE.samples);
	printf(",\"least\":%g}", LEAST_SHARE);
	free(chosen);
	free(new_numbers);
	papi_profile_tree_free(&tree);
}

/* ---- Pairs of functions ---- */

/* A function that calls another one, or itself. */
struct pair {
	uint32_t caller, callee;
	int64_t calls;          /* 0: not known */
	int64_t samples, value; /* in the callee, for the caller */
	size_t seen;            /* the last count that it has, and 1 */
};

struct pairs {
	struct papi_profile_table numbers;
	struct pair *pairs;
	size_t n, room;
};

static struct pair *pair_of(struct pairs *pairs, uint32_t caller, uint32_t callee)
{
	struct papi_profile_key key = { { caller, callee } };
	bool made;
	struct papi_profile_entry *entry = papi_profile_table_take(&pairs->numbers, key, &made);

	if (made) {
		pairs->pairs = papi_memory_extend(pairs->pairs, pairs->n, &pairs->room, sizeof(pairs->pairs[0]));
		pairs->pairs[pairs->n] = (struct pair){ .caller = caller, .callee = callee };
		entry->value[0] = (int64_t)pairs->n++;
	}
	return &pairs->pairs[entry->value[0]];
}

/* Of an exact profile. */
static void add_calls(const struct papi_profile *profile, uint32_t event, struct pairs *pairs)
{
	for (size_t i = 0; i < profile->n_calls; i++) {
		const struct papi_profile_call *call = &profile->calls[i];
		struct pair *pair;

		if (call->event != event)
			continue;
		pair = pair_of(pairs, papi_profile_function_of(profile, call->site),
			papi_profile_function_of(profile, call->callee));
		pair->calls += call->calls;
		pair->value += papi_profile_value_of(profile, call);
	}
}

/* Of samples: each counts once for each pair that is on its path. */
static void add_paths(const struct view *view, uint32_t event, struct pairs *pairs)
{
	const struct papi_profile *profile = view->profile;
	struct papi_profile_path path = { 0 };

	for (size_t i = 0; i < profile->n_counts; i++) {
		const struct papi_profile_count *count = &profile->counts[i];

		if (count->event != event || count->context == PAPI_PROFILE_NONE)
			continue;
		papi_profile_path_find(profile, count, !view->outermost, &path);
		for (size_t depth = 1; depth < path.n; depth++) {
			struct pair *pair = pair_of(
				pairs, path.places[depth]->function, path.places[depth - 1]->function);

			if (pair->seen == i + 1)
				continue;
			pair->seen = i + 1;
			pair->samples += count->samples;
			pair->value += count->value;
		}
	}
	free(path.places);
}

static void print_pairs(const struct view *view, uint32_t event, const uint32_t *numbers)
{
	struct pairs pairs = { 0 };
	size_t n = 0;

	if (view->profile->n_calls)
		add_calls(view->profile, event, &pairs);
	else
		add_paths(view, event, &pairs);
	/* Code that does not count may call: the agent's own. */
	for (size_t i = 0; i < pairs.n; i++)
		if (numbers[pairs.pairs[i].caller] != PAPI_PROFILE_NONE &&
			numbers[pairs.pairs[i].callee] != PAPI_PROFILE_NONE)
			pairs.pairs[n++] = pairs.pairs[i];
	putchar('{');
	PAGE_NUMBERS("caller", n, PRIu32, numbers[pairs.pairs[i].caller]);
	putchar(',');
	PAGE_NUMBERS("callee", n, PRIu32, numbers[pairs.pairs[i].callee]);
	putchar(',');
	PAGE_NUMBERS("calls", n, PRId64, pairs.pairs[i].calls);
	putchar(',');
	PAGE_NUMBERS("value", n, PRId64, pairs.pairs[i].value);
	putchar(',');
	PAGE_NUMBERS("samples", n, PRId64, pairs.pairs[i].samples);
	putchar('}');
	papi_profile_table_free(&pairs.numbers);
	free(pairs.pairs);
}

void page_print_calls(const struct view *view, const uint32_t *numbers)
{
	bool trees = papi_profile_has_contexts(view->profile), any = trees || view->profile->n_calls;

	printf("\"trees\":[");
	for (size_t i = 0; trees && i < view->n_events; i++) {
		fputs(i ? "," : "", stdout);
		print_tree(view, view->events[i], numbers);
	}
	printf("],\n\"pairs\":[");
	for (size_t i = 0; any && i < view->n_events; i++) {
		fputs(i ? "," : "", stdout);
		print_pairs(view, view->events[i], numbers);
	}
	printf("],\n");
}
