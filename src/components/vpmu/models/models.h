/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The simulators of one thread: two caches of the first level, L2 and L3, TLBs of one or two levels, and the branch
 * predictor. Each thread has its own; nothing is shared, so that counts do not depend on how threads interleave, but an
 * L3 where that is asked for (shared.h).
 *
 * The levels are looked up one behind the other: L2 sees what misses L1, L3 what misses L2. A line that leaves one
 * level stays in the others, nothing is fetched ahead, and lines written back are not counted. An access across two
 * lines is one access, and at most one miss of each level.
 */
#ifndef PAPI_VPMU_MODELS_MODELS_H
#define PAPI_VPMU_MODELS_MODELS_H

#include "components/vpmu/counters.h"
#include "components/vpmu/models/alone.h"
#include "components/vpmu/models/checks.h"
#include "components/vpmu/models/frames.h"
#include "components/vpmu/models/lru.h"
#include "components/vpmu/models/predictor.h"
#include "components/vpmu/models/shared.h"
#include "components/vpmu/models/trace.h"

struct papi_vpmu_sampled;

/* A page of data, found by its lowest bits: which it is keeps holding, and it is in the DTLB as long as the node there
 * is still its own. */
struct papi_vpmu_recent {
	uint64_t page;  /* ~0: none */
	uint64_t shift; /* what makes the number of its page of an address */
	struct papi_vpmu_large_node *node;
	uint32_t frame;
};
#define PAPI_VPMU_RECENT 256

/* A page of code that indirect branches have been to, found by its lowest bits; its places less its addresses. */
struct papi_vpmu_target_page {
	uint64_t page; /* 0: none */
	uint64_t shift;
};
#define PAPI_VPMU_TARGET_PAGES 64

struct papi_vpmu_models {
	/* Set by the engine. */
	uint64_t thread_base;          /* of fs */
	uint64_t data_start, data_end; /* count accesses to [start, end) only, loads and stores too; end 0: all */
	bool counts_accesses;          /* add to LOADS and STORES: translated code does not */
	/* Where code is in the models: the address with its page numbered. 0: nothing is simulated there. */
	uint64_t (*place_code)(uint64_t pc);
	/* Whether what is in the page of that address can be read: for accesses that stop. */
	bool (*can_read)(uint64_t address);
	/* By papi_vpmu_models_use(): which parts run (enum papi_vpmu_part), and with them levels that are shared. */
	unsigned parts;
	bool has_l2, has_tlb2[2]; /* of data and of code */
	bool is_alone;            /* L1D, without all else: what is there is in alone, not in l1d */
	bool is_checked;          /* L1D is in alone, too, and the times in checked tell the order of its rows */

	uint64_t code_page; /* of the last fetch: the same again changes nothing */
	/* Where in its page a stack begins is another in each run: its addresses are moved, as if that were a page's
	 * start; by a multiple of 16. */
	uint64_t stack_start, stack_size, stack_shift;
	struct papi_vpmu_frames frames; /* of data */
	struct papi_vpmu_recent recent[PAPI_VPMU_RECENT];
	size_t size;
	papi_vpmu_memory *memory;
	bool shared_tlb2;
	uint32_t pages[2]; /* of data and of code, that caches can tell apart so far */
	bool failed;       /* memory has ended: from then on pages are taken for each other */
	struct papi_vpmu_lru l1i, l1d, l2, l3;
	struct papi_vpmu_lru itlb, dtlb, itlb2, dtlb2;
	struct papi_vpmu_alone alone;
	struct papi_vpmu_checked checked;
	/* An L3 for all threads, instead of l3: set by the engine where the geometry has one, before the first use; or
	 * NULL. */
	struct papi_vpmu_shared *shared;
	uint64_t *page_of;                 /* of each number of a page of data, which page it is */
	struct papi_vpmu_sampled *sampled; /* NULL: all sets are simulated */
	struct papi_vpmu_target_page target_pages[PAPI_VPMU_TARGET_PAGES];
	/* Branches of records, which are predicted behind the last of these; and of that the address behind its branch,
	 * if the outcome is still to be told. */
	uint32_t *told, *branches;
	uint64_t behind;
	uint64_t uncounted[PAPI_VPMU_GROUPS_MAX * PAPI_VPMU_COUNTERS]; /* where counts go that nobody asked for */
	struct papi_vpmu_predictor predictor;
};

/* NULL when memory ends. */
struct papi_vpmu_models *papi_vpmu_models_make(const struct papi_vpmu_geometry *geometry, papi_vpmu_memory *memory);
void papi_vpmu_models_end(struct papi_vpmu_models *models);

/* From now on these parts run, a bit each; at first all do. The others stay as they are. */
void papi_vpmu_models_use(struct papi_vpmu_models *models, unsigned parts);

/* The number of a page of data that is not among the frames. */
uint64_t papi_vpmu_models_number(struct papi_vpmu_models *models, uint64_t page);
/* Whether caches can tell the page of that number from others, by now. */
bool papi_vpmu_models_reach(struct papi_vpmu_models *models, bool code, uint64_t number);
/* The same of a page of code, where that is not asked for the first time. */
static inline bool papi_vpmu_models_know_code(const struct papi_vpmu_models *models, uint64_t number)
{
	return number - PAPI_VPMU_FRAME_OF_CODE < models->pages[true];
}

/* The stack that the thread runs on is in [start, end), and the stack pointer is at. */
void papi_vpmu_models_set_stack(struct papi_vpmu_models *models, uint64_t start, uint64_t end, uint64_t at);

static inline bool papi_vpmu_is_in_stack(const struct papi_vpmu_models *models, uint64_t address)
{
	return address - models->stack_start < models->stack_size;
}

/* As if stacks began where pages do. */
static inline uint64_t papi_vpmu_settle(const struct papi_vpmu_models *models, uint64_t address)
{
	return address + (papi_vpmu_is_in_stack(models, address) ? models->stack_shift : 0);
}

/* An address that settles there; or 0. */
static inline uint64_t papi_vpmu_unsettle(const struct papi_vpmu_models *models, uint64_t settled)
{
	if (papi_vpmu_is_in_stack(models, settled - models->stack_shift))
		return settled - models->stack_shift;
	return papi_vpmu_is_in_stack(models, settled) ? 0 : settled;
}

/* The same without a branch, where accesses to the stack and to all else take turns. */
static inline uint64_t papi_vpmu_settle_evenly(const struct papi_vpmu_models *models, uint64_t address)
{
	uint64_t in_stack = papi_vpmu_is_in_stack(models, address);

	return address + (models->stack_shift & -in_stack);
}

/* Whether the first level has all of it, cache and TLB: nothing of it would miss. */
bool papi_vpmu_models_hold_code(const struct papi_vpmu_models *models, const struct papi_vpmu_description *block);
bool papi_vpmu_models_hold_data(const struct papi_vpmu_models *models, uint64_t address, uint64_t extent);

/* Whether accesses to any of those bytes are to be counted. */
static inline bool papi_vpmu_models_ask_for(const struct papi_vpmu_models *models, uint64_t address, uint64_t size)
{
	return !models->data_end || (address < models->data_end && address + size > models->data_start);
}

/* Before the first record: where the branches of all records that are simulated at once have room, and one more. */
void papi_vpmu_models_give_room(struct papi_vpmu_models *models, uint32_t *branches);

/* What code needs that looks by itself whether its accesses hit, zeros at first. And whether it does from now on, with
 * an L1D of a shape that can be looked up so, and such an L1I if code is simulated; until other parts run. */
void papi_vpmu_models_give_checks(struct papi_vpmu_models *models, struct papi_vpmu_checks *checks);
void papi_vpmu_models_check(struct papi_vpmu_models *models, bool checks);

#endif
