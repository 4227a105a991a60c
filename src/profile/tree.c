/* SPDX-License-Identifier: BSD-3-Clause */
/* tree.c - trees of calls, downwards from where programs begin and upwards from a function. See sums.h. */
#include <stdlib.h>

#include "profile/sums.h"
#include "symbols/memory.h"

static uint32_t *find_slot(const struct papi_profile_tree *tree, uint32_t parent, uint32_t function)
{
	uint64_t hash = ((uint64_t)parent << 32 | function) * UINT64_C(0x9e3779b97f4a7c15);
	size_t i = (hash >> 24) & (tree->n_slots - 1);

	for (; tree->slots[i]; i = (i + 1) & (tree->n_slots - 1)) {
		const struct papi_profile_node *node = &tree->nodes[tree->slots[i]];

		if (node->parent == parent && node->function == function)
			break;
	}
	return &tree->slots[i];
}

static void grow(struct papi_profile_tree *tree)
{
	tree->n_slots = tree->n_slots ? 2 * tree->n_slots : 256;
	free(tree->slots);
	tree->slots = papi_memory_zero(tree->n_slots, sizeof(tree->slots[0]));
	for (size_t i = 1; i < tree->n; i++)
		*find_slot(tree, tree->nodes[i].parent, tree->nodes[i].function) = (uint32_t)i;
}

static uint32_t add_node(struct papi_profile_tree *tree, uint32_t parent, uint32_t function)
{
	uint32_t at = (uint32_t)tree->n;

	tree->nodes = papi_memory_extend(tree->nodes, tree->n, &tree->room, sizeof(tree->nodes[0]));
	tree->nodes[tree->n++] = (struct papi_profile_node){
		.function = function,
		.parent = parent,
		.child = PAPI_PROFILE_NONE,
		.next = PAPI_PROFILE_NONE,
	};
	if (parent == PAPI_PROFILE_NONE)
		return at;
	tree->nodes[at].next = tree->nodes[parent].child;
	tree->nodes[parent].child = at;
	return at;
}

static uint32_t child_of(struct papi_profile_tree *tree, uint32_t parent, uint32_t function)
{
	uint32_t *slot;

	if (2 * tree->n >= tree->n_slots)
		grow(tree);
	slot = find_slot(tree, parent, function);
	if (!*slot)
		*slot = add_node(tree, parent, function);
	return *slot;
}

static void add_to(struct papi_profile_tree *tree, uint32_t at, const struct papi_profile_count *count)
{
	tree->nodes[at].samples += count->samples;
	tree->nodes[at].value += count->value;
}

/* From place first to place last of the path, in either direction. */
static void add_path(struct papi_profile_tree *tree, const struct papi_profile_path *path, size_t first, size_t last,
	const struct papi_profile_count *count)
{
	uint32_t at = 0;

	add_to(tree, at, count);
	for (size_t i = first;; i += first < last ? 1 : (size_t)-1) {
		uint32_t function = path->places[i]->function;

		if (at == 0 || tree->nodes[at].function != function) {
			at = child_of(tree, at, function);
			add_to(tree, at, count);
		}
		if (i == last)
			break;
	}
	tree->nodes[at].own += count->value;
}

/* Sorts the list of a node's children by value: a merge of lists, since there may be many. */
static uint32_t sort(struct papi_profile_tree *tree, uint32_t list)
{
	uint32_t half = list, first = PAPI_PROFILE_NONE, *end = &first;

	if (list == PAPI_PROFILE_NONE || tree->nodes[list].next == PAPI_PROFILE_NONE)
		return list;
	for (uint32_t fast = tree->nodes[list].next; fast != PAPI_PROFILE_NONE;) {
		fast = tree->nodes[fast].next;
		if (fast != PAPI_PROFILE_NONE) {
			fast = tree->nodes[fast].next;
			half = tree->nodes[half].next;
		}
	}
	uint32_t right = tree->nodes[half].next;
	tree->nodes[half].next = PAPI_PROFILE_NONE;
	list = sort(tree, list);
	right = sort(tree, right);
	while (list != PAPI_PROFILE_NONE && right != PAPI_PROFILE_NONE) {
		const struct papi_profile_node *a = &tree->nodes[list], *b = &tree->nodes[right];
		bool left_first = a->value != b->value ? a->value > b->value : a->function <= b->function;
		uint32_t *taken = left_first ? &list : &right;

		*end = *taken;
		end = &tree->nodes[*taken].next;
		*taken = *end;
	}
	*end = list != PAPI_PROFILE_NONE ? list : right;
	return first;
}

void papi_profile_tree_make(const struct papi_profile *profile, uint32_t event, bool inlines, const bool *is_function,
	struct papi_profile_tree *tree)
{
	struct papi_profile_path path = { 0 };
	size_t n;
	const struct papi_profile_count *counts = papi_profile_stacks(profile, &n);

	*tree = (struct papi_profile_tree){ 0 };
	add_node(tree, PAPI_PROFILE_NONE, PAPI_PROFILE_NONE);
	for (size_t i = 0; i < n; i++) {
		const struct papi_profile_count *count = &counts[i];
		size_t outermost;

		if (count->event != event)
			continue;
		papi_profile_path_find(profile, count, inlines, &path);
		if (!is_function) {
			add_path(tree, &path, path.n - 1, 0, count);
			continue;
		}
		/* Its first call on the way: further ones are its own doing. */
		for (outermost = path.n; outermost > 0; outermost--)
			if (is_function[path.places[outermost - 1]->function])
				break;
		if (outermost)
			add_path(tree, &path, outermost - 1, path.n - 1, count);
	}
	for (size_t i = 0; i < tree->n; i++)
		tree->nodes[i].child = sort(tree, tree->nodes[i].child);
	free(path.places);
}

void papi_profile_tree_of_calls(
	const struct papi_profile *profile, uint32_t event, const bool *is_function, struct papi_profile_tree *tree)
{
	*tree = (struct papi_profile_tree){ 0 };
	add_node(tree, PAPI_PROFILE_NONE, PAPI_PROFILE_NONE);
	for (size_t i = 0; i < profile->n_calls; i++) {
		const struct papi_profile_call *call = &profile->calls[i];
		const struct papi_profile_count count = { .samples = call->calls,
			.value = papi_profile_value_of(profile, call) };
		uint32_t callee = papi_profile_function_of(profile, call->callee), at;

		if (call->event != event || !is_function[callee])
			continue;
		add_to(tree, 0, &count);
		at = child_of(tree, 0, callee);
		add_to(tree, at, &count);
		at = child_of(tree, at, papi_profile_function_of(profile, call->site));
		add_to(tree, at, &count);
		tree->nodes[at].own += count.value;
	}
	for (size_t i = 0; i < tree->n; i++)
		tree->nodes[i].child = sort(tree, tree->nodes[i].child);
}

void papi_profile_tree_free(struct papi_profile_tree *tree)
{
	free(tree->nodes);
	free(tree->slots);
}
