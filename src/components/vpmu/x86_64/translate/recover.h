/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From an address of code back to where the program is: its pc, registers and flags, as the block's marks tell. The
 * counters then hold what was executed before that pc, whatever the block had added by then.
 *
 *	code                                 mark            at a signal here
 *	mov  gs:[spilled rax], rax           at 0            nothing to do
 *	lahf; seto al                        at 0, rax       rax comes from spilled[]
 *	add  gs:[instructions], 3            flags at 0      flags come from rax, too
 *	add  gs:[loads], 1                   1 added         3 instructions are taken back
 *	add  al, 0x7f; sahf                  2 added         1 load as well
 *	mov  rax, gs:[spilled rax]           at 0, 2 added   flags are the program's again
 *	mov  rbx, [rdi]                      at 0, 2 added
 *	...                                  at 3, 2 added   two instructions are still to come
 */
#ifndef PAPI_VPMU_X86_64_TRANSLATE_RECOVER_H
#define PAPI_VPMU_X86_64_TRANSLATE_RECOVER_H

#include <stdbool.h>
#include <stdint.h>

#include "components/vpmu/engine.h"
#include "components/vpmu/translator/block.h"
#include "components/vpmu/ways.h"

struct papi_vpmu_state {
	uint64_t registers[16];
	uint64_t pc;
	uint64_t flags;
};

/* What recovery knows of a thread. */
struct papi_vpmu_recovery {
	const struct papi_vpmu_block *block; /* whose code it runs */
	const struct papi_vpmu_wants *wants; /* what the block counts; NULL: nothing */
	bool library;                        /* it is of the library's own code */
	uint64_t *counters;                  /* of any lane: they are added up. Corrected */
	const uint64_t *spilled;             /* 16 of them */
	uint64_t rep_count, pc;              /* the thread's */
	/* So many more that have gone that way through the block, which may be one that it has no counter for by now;
	 * argument: whoever calls. NULL: there is no profile. */
	void (*add_way)(const struct papi_vpmu_recovery *r, enum papi_vpmu_way_kind kind, unsigned n, uint64_t more);
	/* Does what is left of the call or return that has led to that state of the program, from that step on (enum
	 * papi_vpmu_call_step). NULL likewise. */
	void (*finish_call)(const struct papi_vpmu_recovery *r, unsigned step, const struct papi_vpmu_state *state);
	/* The last call has not been made. NULL likewise. */
	void (*take_call_back)(const struct papi_vpmu_recovery *r);
	void *argument;
};

/* The state holds what the processor did in the block, and becomes the program's. */
void papi_vpmu_recover_state(const struct papi_vpmu_recovery *r, struct papi_vpmu_state *state);

/* From where the indirect branch at the block's end has led back to that branch: its pc, and the stack pointer and the
 * counters as they were before. False when the block ends otherwise. */
bool papi_vpmu_recover_indirect(const struct papi_vpmu_recovery *r, uint64_t *pc, uint64_t *stack);

/* Adds what one execution of an instruction counts, which was run by other means. */
void papi_vpmu_recover_alone(
	const struct papi_vpmu_wants *wants, uint64_t *counters, const uint8_t *bytes, uint64_t size, uint64_t pc);

#endif
