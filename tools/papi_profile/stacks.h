/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Callers by unwind tables: what a sample has of registers and stack, unwound at once, while the mappings are those of
 * that moment. One thread.
 */
#ifndef PAPI_PROFILE_STACKS_H
#define PAPI_PROFILE_STACKS_H

#include "papi_profile/places.h"
#include "symbols/unwind.h"

#define PAPI_PROFILE_STACK_DEPTH 1024 /* calls; outer ones are left out, which is marked as below */

struct papi_profile_stacks {
	const struct papi_unwind_machine *machine;
	uint64_t truncated; /* stacks whose outermost callers are not known, as they were not copied */
};

/*
 * From the part of a sample that has registers and stack, n numbers, to the places of the path of calls, the innermost
 * first; with own, that of the registers themselves, too. Where a copy of the stack was too short, the outermost place
 * is papi_profile_places_truncated(). How many there are.
 */
size_t papi_profile_stacks_path(struct papi_profile_stacks *stacks, struct papi_profile_places *places, pid_t pid,
	const uint64_t *part, size_t n, bool own, int64_t path[PAPI_PROFILE_STACK_DEPTH]);

#endif
