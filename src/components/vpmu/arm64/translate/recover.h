/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From an address of code back to where the program is: its pc and registers, as the block's marks tell. The counters
 * then hold what was executed before that pc, whatever the block had added by then.
 *
 *	code                                  mark             at a signal here
 *	nop                                   at 0             x15 and x18 are at home in the thread
 *	ldr  x15, [x18, instructions]         at 0
 *	add  x15, x15, #3                     at 0
 *	str  x15, [x18, instructions]         at 0
 *	ldr  x15, [x18, loads]                at 0, 1 added    3 instructions are taken back
 *	...                                   at 0, 2 added    1 load as well
 *	ldr  x15, [x18, home of x15]          at 0, 2 added
 *	ldr  x15, [x15]                       ... given        x15 is the program's
 *	str  x15, [x18, home of x15]          at 1, 2 added, given
 *	...                                   at 1, 2 added    two instructions are still to come
 */
#ifndef PAPI_VPMU_ARM64_TRANSLATE_RECOVER_H
#define PAPI_VPMU_ARM64_TRANSLATE_RECOVER_H

#include <stdbool.h>
#include <stdint.h>

#include "components/vpmu/arm64/translate/trace_plan.h"
#include "components/vpmu/engine.h"
#include "components/vpmu/translator/block.h"
#include "components/vpmu/ways.h"

#pragma GCC visibility push(hidden)

struct papi_a64_state {
	uint64_t registers[32]; /* the last is the stack pointer */
	uint64_t pc;
};

/* What recovery knows of a thread. */
struct papi_a64_recovery {
	const struct papi_vpmu_block *block; /* whose code it runs */
	const struct papi_vpmu_wants *wants; /* what the block counts; NULL: nothing */
	uint64_t *counters;                  /* of any lane: they are added up. Corrected */
	uint64_t *lane;                      /* that of the code */
	const uint64_t *spilled, *homes;     /* 32 of each */
	uint64_t pc;                         /* the thread's */
	unsigned vector;                     /* as in the request for a translation */
	/* So many more of a way of the block; NULL: it has none. */
	void (*add_way)(const struct papi_a64_recovery *r, enum papi_vpmu_way_kind kind, unsigned n, uint64_t more);
	/* Does the rest of the call or return that the program, as it is in the state now, has just made; NULL: no
	 * calls are wanted. */
	void (*finish_call)(const struct papi_a64_recovery *r, unsigned step, const struct papi_a64_state *state);
	void *argument;
};

/* The state holds what the processor did in the block, and becomes the program's. */
void papi_a64_recover(const struct papi_a64_recovery *r, struct papi_a64_state *state);

/* What of the block has run at that address of its code, and is not yet in the stream of branches or in the trace.
 * False when there is nothing of it. */
struct papi_a64_untold {
	struct papi_a64_part part;
	bool branches, record;
};
bool papi_a64_find_untold(const struct papi_vpmu_block *block, uint64_t code, struct papi_a64_untold *untold);

/* A value of a record, of registers that are the program's. */
uint64_t papi_a64_value_now(const struct papi_a64_trace_plan *plan, unsigned word, const struct papi_a64_state *state);

#pragma GCC visibility pop

#endif
