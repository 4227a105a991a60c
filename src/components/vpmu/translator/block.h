/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Blocks: runs of the program's instructions, and their translations. Conditional branches may lead aside from the
 * middle of one; any other branch ends it.
 *
 *	program   mov  rax, [rdi]          code   [ask the dispatcher]   where the entry leads once the block is stale
 *	          lea  rbx, [rip + x]      entry  add  gs:[instructions], 3
 *	          jmp  somewhere                  mov  rax, [rdi]
 *	                                          mov  rbx, x
 *	                                          jmp  its translation, or the dispatcher while there is none
 *
 * Marks tell for every address of code where the program is: a signal may arrive anywhere.
 */
#ifndef PAPI_VPMU_TRANSLATOR_BLOCK_H
#define PAPI_VPMU_TRANSLATOR_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* From a mark to the next one, code has this meaning. */
struct papi_vpmu_mark {
	uint16_t code;    /* offset from the entry */
	uint16_t pc;      /* offset from the pc of the block of the instruction that is next */
	uint16_t spilled; /* bit per register whose value is in spilled[] */
	/* Of the block's counters, in the order of their numbers, so many have been added, the one of its way behind
	 * the others; and PAPI_VPMU_ADDED_WAY, if that of the taken branch, or of the iterations, has. */
	uint8_t added;
	uint8_t kind; /* enum papi_vpmu_mark_kind */
	uint8_t call; /* enum papi_vpmu_call_step: of the call or return that the program has just made */
};

#define PAPI_VPMU_ADDED_WAY 0x80u

enum papi_vpmu_mark_kind {
	PAPI_VPMU_MARK_AT,       /* at that pc */
	PAPI_VPMU_MARK_FLAGS,    /* at that pc; the flags are where the processor's emitter saves them */
	PAPI_VPMU_MARK_REP,      /* at that pc; what a repeated instruction has done is rep_count less what is left */
	PAPI_VPMU_MARK_REPEATED, /* behind it; what it has loaded and stored is still to be counted */
	PAPI_VPMU_MARK_REPEATED_LOADS, /* the loads have been */
	PAPI_VPMU_MARK_TARGET,         /* the whole block is done, and goes on at the address in a register */
	PAPI_VPMU_MARK_DISTANCE,       /* so far from that pc as that register says */
	PAPI_VPMU_MARK_STORED_TARGET,  /* the whole block is done, and goes on at the thread's pc */
	PAPI_VPMU_MARK_TAKEN,          /* at the target of the conditional branch, the taken branch not yet counted */
	PAPI_VPMU_MARK_BRANCH,         /* at the target of the conditional or direct branch, all is counted */
	/* At the target of the conditional branch right before that pc, which leaves the block in its middle: of the
	 * sums up to there so many have been added, the taken branch not yet, or all. */
	PAPI_VPMU_MARK_ASIDE_TAKEN,
	PAPI_VPMU_MARK_ASIDE,
};

/* An exit of a block to a known pc: the jump there is made to lead to its translation when it is first taken. */
struct papi_vpmu_link {
	uint64_t pc;
	uint8_t *place; /* of the 32 bits to be replaced, where they are written; NULL: nothing is to be replaced */
	intptr_t to_code;
	/* Where a stale block leaves by its links (processor.h): the next one that leads to the same; 0: none does, or
	 * it is the last. */
	int32_t next; /* number + 1 */
	bool leads;   /* it is in that list */
};

/* The link of a block that has found the program's bytes changed: no place, and this for to_code. */
#define PAPI_VPMU_LINK_CHANGED 1
/* Of one before whose block the thread's budget is spent. */
#define PAPI_VPMU_LINK_BUDGET 2

struct papi_vpmu_flavour;

/* A translation. */
struct papi_vpmu_block {
	uint64_t pc; /* of the program; with size, what it was made of */
	uint32_t size;
	uint32_t code_size;
	uint64_t code; /* entry */
	/* Where indirect branches to it arrive, a block of its own; NULL: none have come, or less than two. */
	struct papi_vpmu_block *arrival;
	uint64_t target; /* of a direct branch at its end */
	struct papi_vpmu_flavour *flavour;
	const uint8_t *marks; /* as they are kept (marks.h) */
	const uint8_t *bytes; /* size of the program's, as they were */
	uint16_t n_marks;
	uint16_t branch;      /* offset of the last instruction; of an arrival, see translate.h of its processor */
	uint8_t before;       /* bytes between the way to the dispatcher and the entry */
	uint8_t trimmed;      /* so many instructions at its end belong to a call of the library */
	int32_t weight;       /* the most that a pass brings any overflow nearer */
	int32_t least_weight; /* the same if all that it touches is in the first level */
	uint32_t description; /* of its records in the trace, + 1; 0: it has none */
	uint32_t profile;     /* its record in the profile's log, 0: it has none */
	int32_t links;        /* the first that leads here, number + 1; 0: none */
	bool stale;
	bool reached; /* by an indirect branch, once; an arrival: it is, or was, in the jumps of a thread */
	bool follows; /* it is the end of another, where that jumps to: nobody else finds it */
};

#endif
