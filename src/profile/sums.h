/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Adds a profile up: by function, line and so on, and as a tree of calls. Each address needs its names first
 * (profile/names.h). Results are the caller's, who frees them. One thread at a time.
 */
#ifndef PAPI_PROFILE_SUMS_H
#define PAPI_PROFILE_SUMS_H

#include "profile/profile.h"

/* Of one event. */
struct papi_profile_sum {
	int64_t samples, value;                     /* at the place itself */
	int64_t inclusive_samples, inclusive_value; /* and in what was called from there; what recurs counts once */
};

/* Where a count was: its place, its caller's, and so on. */
struct papi_profile_path {
	const struct papi_profile_place **places;
	size_t n, room;
};

/*
 * Fills a path that may hold another one. Without inlines, an address is only a place of the function that has the code
 * of its own.
 */
void papi_profile_path_find(const struct papi_profile *profile, const struct papi_profile_count *count, bool inlines,
	struct papi_profile_path *path);

enum papi_profile_by {
	PAPI_PROFILE_BY_FUNCTION,
	PAPI_PROFILE_BY_MODULE,
	PAPI_PROFILE_BY_THREAD,
	PAPI_PROFILE_BY_PROCESS,
	PAPI_PROFILE_BY_REGION,
	PAPI_PROFILE_BY_LINE,
	PAPI_PROFILE_BY_FILE,
};

struct papi_profile_row {
	/* NONE, NULL and 0 where they are not the same in the whole row. */
	uint32_t function, module, thread, process, region;
	const char *file;
	int line;
	struct papi_profile_sum *sums; /* of each event */
	size_t seen;                   /* the last count whose path has it */
};

struct papi_profile_sums {
	enum papi_profile_by by;
	struct papi_profile_row *rows;
	size_t n, room;
	uint32_t *slots; /* of a hash table of rows */
	size_t n_slots;
	size_t n_events;
};

/* Whether all of a count is in one row, whoever called. */
static inline bool papi_profile_by_whom(enum papi_profile_by by)
{
	return by == PAPI_PROFILE_BY_THREAD || by == PAPI_PROFILE_BY_PROCESS || by == PAPI_PROFILE_BY_REGION;
}

/* The rows have no order. In an exact profile what functions have called is known by its calls. */
void papi_profile_sums_make(
	const struct papi_profile *profile, enum papi_profile_by by, bool inlines, struct papi_profile_sums *sums);
void papi_profile_sums_free(struct papi_profile_sums *sums);

/* A tree of calls: node 0 is the root, which is no function. */
struct papi_profile_node {
	uint32_t function;
	uint32_t parent, child, next; /* NONE: there is none */
	int64_t samples, value;       /* here and below */
	int64_t own;                  /* of the value: in the function itself */
};

struct papi_profile_tree {
	struct papi_profile_node *nodes;
	size_t n, room;
	uint32_t *slots;
	size_t n_slots;
};

/*
 * Of an exact profile: the functions, and below each those that call it, with how much of it was done for them, and in
 * place of samples how often.
 */
void papi_profile_tree_of_calls(
	const struct papi_profile *profile, uint32_t event, const bool *is_function, struct papi_profile_tree *tree);

/*
 * The calls from where programs begin; or, of a function, upwards: its callers and theirs. A function that calls itself
 * is one node with itself. Children are in the order of their values.
 */
void papi_profile_tree_make(const struct papi_profile *profile, uint32_t event, bool inlines, const bool *is_function,
	struct papi_profile_tree *tree);
void papi_profile_tree_free(struct papi_profile_tree *tree);

#endif
