/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The simulators as doc/vpmu.md describes them, written as plainly as can be: every set is a list from the newest line
 * to the oldest, every access looks everywhere, and nothing is remembered for the next. What models/ does with its
 * memories of the last page, of newest lines, of blocks and of loops has to count the same.
 *
 * It is told what a program does: instructions, accesses, branches; it knows neither records nor blocks. Addresses of
 * code come with their pages numbered (models/trace.h), those of data as the program has them.
 */
#ifndef PAPI_TESTS_VPMU_REFERENCE_MODEL_H
#define PAPI_TESTS_VPMU_REFERENCE_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "components/vpmu/counters.h"
#include "components/vpmu/models/geometry.h"
#include "components/vpmu/models/trace.h"

#define REFERENCE_PAGES 65536

struct reference_cache {
	struct papi_vpmu_shape shape;
	uint64_t *lines; /* of each set; 0: none */
};

struct reference_model {
	struct reference_cache l1i, l1d, l2, l3, itlb, dtlb, itlb2, dtlb2;
	bool shared_tlb2;
	/* Of data: each from the place on that its number picks, with how many were touched before it. */
	struct {
		uint64_t page; /* 0: none */
		unsigned before;
	} pages[REFERENCE_PAGES];
	unsigned n_pages;
	uint64_t stack_start, stack_end, stack_shift;
	uint64_t data_start, data_end; /* accesses to [start, end) only are counted; end 0: all */
	bool counts_accesses;
	bool counting; /* false: what happens is not counted, but is not forgotten either */
	unsigned char gshare[65536], bimodal[16384], chooser[16384];
	uint64_t history, path, returns[32], targets[4096];
	unsigned depth;
	uint64_t counters[PAPI_VPMU_COUNTERS];
	/* What sampled models with that choice count of it, by groups of lines: every set is simulated all the same. */
	struct papi_vpmu_choice choice;
	int64_t estimates[PAPI_VPMU_GROUPS_MAX][PAPI_VPMU_COUNTERS];
};

struct reference_model *reference_make(const struct papi_vpmu_geometry *geometry);
void reference_end(struct reference_model *model);

void reference_fetch(struct reference_model *model, uint64_t address, unsigned size);
/* One access, of n pieces of that size that are brought in together. One that reads and then writes the same is a read,
 * and the write never misses. */
void reference_access(struct reference_model *model, const uint64_t addresses[], unsigned n, unsigned size,
	enum papi_vpmu_access_kind kind);
/* The same, of pieces of those sizes. */
void reference_access_of(struct reference_model *model, const uint64_t addresses[], const unsigned sizes[], unsigned n,
	enum papi_vpmu_access_kind kind);
void reference_prefetch(struct reference_model *model, uint64_t address, unsigned size);

void reference_conditional(struct reference_model *model, uint64_t branch, bool taken);
void reference_call(struct reference_model *model, uint64_t returns_to);
void reference_return(struct reference_model *model, uint64_t target);
/* entry: the target, with its page numbered */
void reference_indirect(struct reference_model *model, uint64_t branch, uint64_t target, uint64_t entry);

/* In quarters. */
uint64_t reference_cycles(const uint64_t counters[]);

#endif
