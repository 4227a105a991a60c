/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * L1D by itself, where nothing else of the simulators is asked for: neither TLBs nor levels behind it, nor code.
 *
 * Whether a line is there depends on lines alone then, and where the index of a set is within a page, lines may be
 * those of addresses: no page is looked up. A set is a row of them in the order of their use, the newest first.
 *
 *	set    [ newest | ... | oldest ]     a line that is not the newest: all before its place move on by one
 *
 * Pages are numbered as ever, when they come up first, at a line that misses. So when other parts run as well, what is
 * in L1D goes on there (papi_vpmu_alone_leave()), and back (papi_vpmu_alone_enter()).
 */
#ifndef PAPI_VPMU_MODELS_ALONE_H
#define PAPI_VPMU_MODELS_ALONE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct papi_vpmu_models;
struct papi_vpmu_shape;

struct papi_vpmu_alone {
	uint64_t *lines; /* of each set, ways of them; 0: none, as no program has anything at address 0 */
	uint64_t mask;   /* sets - 1 */
	unsigned ways;   /* 0: this L1D cannot be looked up so */
	unsigned shift;
};

/* Bytes that it needs besides, zeros at first, beside that L1D; and one made of them. */
size_t papi_vpmu_alone_size(const struct papi_vpmu_shape *l1d);
void papi_vpmu_alone_init(struct papi_vpmu_alone *alone, const struct papi_vpmu_shape *l1d, void *zeroed);

/* The lines that are in L1D go there, and from there. */
void papi_vpmu_alone_enter(struct papi_vpmu_models *models);
void papi_vpmu_alone_leave(struct papi_vpmu_models *models);

/* Simulates records. */
void papi_vpmu_alone_run(struct papi_vpmu_models *models, uint64_t counters[], const uint64_t *record,
	const uint64_t *end, const unsigned char *arena);

/* Whether that line of a settled address is there; nothing else. */
bool papi_vpmu_alone_holds(const struct papi_vpmu_alone *alone, uint64_t line);

#endif
