/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What has to be stored for the record of a block (models/trace.h), found out before any of its code is emitted. For
 *
 *	push rbx
 *	add  rbx, [rax + rcx * 8 + 40]
 *	mov  [rsp + 16], rbx
 *	ret
 *
 * the record has four words, of which rsp stands for the push, the store and the return, and the last is where that
 * goes; the code is
 *
 *	mov  gs:[spilled r8], r8           pointer: a register that the block does not use
 *	mov  r8, gs:[trace_next]
 *	cmp  r8, gs:[trace_limit]          in between, with the flags in rax if they are needed
 *	ja   full                          leaves by way of the dispatcher, and begins the block again
 *	mov  gs:[spilled r9], r9           scratch, if some value takes a lea
 *	mov  [r8 + 8], rsp                 before the first instruction that needs it
 *	push rbx
 *	lea  r9, [rax + rcx * 8]
 *	mov  [r8 + 16], r9
 *	add  rbx, [rax + rcx * 8 + 40]
 *	mov  [rsp + 16], rbx
 *	mov  r9, gs:[spilled r9]
 *	mov  rcx, [rsp]                    the return (indirect.c), with rcx spilled
 *	mov  [r8 + 24], rcx                where it goes
 *	mov  qword [r8], description
 *	lea  r8, [r8 + 32]                 now the record is part of the trace
 *	mov  gs:[trace_next], r8
 *	mov  r8, gs:[spilled r8]
 *	...
 *
 * Where the program goes on at another end the next record tells, and the record is complete right before it. With the
 * branch predictor alone conditional branches go into the stream, the last one as not taken, which it is made on its
 * other way. For
 *
 *	test rbx, rbx
 *	je   out
 *	cmp  rax, 1
 *	je   back
 *
 * the code then is
 *
 *	...                                r8 spilled, room asked for, as above, of the branches
 *	test rbx, rbx
 *	je   aside                         aside: mov  dword [r8], the first, taken;  lea r8, [r8 + 4] ...
 *	cmp  rax, 1
 *	mov  dword [r8], the first
 *	mov  dword [r8 + 4], the second
 *	lea  r8, [r8 + 8]
 *	mov  gs:[branches_next], r8
 *	je   taken                         taken: mov  dword [r8 - 4], the second, taken
 *	mov  r8, gs:[spilled r8]                  mov  r8, gs:[spilled r8]
 *
 * trace_plan.c finds the accesses, trace_follow.c follows the registers that they come from, trace_emit.c writes the
 * code. A plan is a function of the block, and of what registers are when it is about to run for the first time.
 */
#ifndef PAPI_VPMU_X86_64_TRANSLATE_TRACE_PLAN_H
#define PAPI_VPMU_X86_64_TRANSLATE_TRACE_PLAN_H

#include "components/vpmu/models/trace.h"
#include "components/vpmu/x86_64/translate/decode.h"

#define PAPI_VPMU_MAX_ACCESSES 120 /* and as many that span them */
/* Of code, where they have 64 bytes at least. */
#define PAPI_VPMU_MAX_LINES (PAPI_VPMU_BLOCK_LENGTH * ZYDIS_MAX_INSTRUCTION_LENGTH / 64 + 2)

enum papi_vpmu_trace_sort {
	PAPI_VPMU_STORE_ADDRESS, /* base + index * scale */
	PAPI_VPMU_STORE_VECTOR,  /* several words: the 32 bytes of the vector register base */
	PAPI_VPMU_STORE_LARGE,   /* its 64 bytes */
	PAPI_VPMU_STORE_MASK,    /* the mask register base, 16 bits of it */
};

/* A value of the record. */
struct papi_vpmu_trace_store {
	uint8_t sort;        /* enum papi_vpmu_trace_sort */
	uint8_t instruction; /* it is stored before this one */
	bool after;          /* or after it */
	uint8_t word;
	int8_t base, index; /* numbers of registers, -1: none */
	uint8_t scale;
	bool narrow;          /* 32-bit addressing */
	int32_t displacement; /* with narrow only: there, the whole address is a value */
};

/* What a value will be, if that can be told before the block runs: of registers as they are then. */
struct papi_vpmu_source {
	int8_t base, index; /* as above */
	uint8_t scale;
	bool known;
	int32_t constant;
};

/* A register: what is known of it while a block is planned. */
struct papi_vpmu_known {
	unsigned epoch; /* grows with each change that is not by a constant */
	int64_t delta;  /* changes by constants, since the epoch began */
};

/* A value that is stored: base + index * scale as they were then. */
struct papi_vpmu_value {
	int8_t base, index;
	uint8_t scale;
	bool narrow; /* it stands for no other */
	struct papi_vpmu_known base_then, index_then;
};

/* A conditional branch that may leave the block in its middle, and what there is up to it. */
struct papi_vpmu_trace_way_out {
	uint64_t branch, end; /* its pc, and where it ends */
	uint8_t instruction;  /* from 1 on */
	uint8_t accesses, words;
	bool plain;
};

struct papi_vpmu_trace_plan {
	struct papi_vpmu_description description;
	uint64_t last; /* pc of the last instruction */
	uint64_t end;  /* of what the models see: what belongs to a call of the library is not fetched */
	struct papi_vpmu_access accesses[256];
	struct papi_vpmu_trace_way_out ways_out[PAPI_VPMU_MAX_ASIDES];
	unsigned n_ways_out;
	unsigned n_branches; /* for the predictor: those, and the one at the end if that is conditional */
	bool streams;        /* which come in the stream, not with the record */
	uint32_t branches[PAPI_VPMU_BRANCHES_OF_RECORD]; /* once it is described: what is said of each */
	struct papi_vpmu_trace_store stores[256];
	struct papi_vpmu_source sources[256]; /* of each word */
	/* Whose, from 1 on (struct papi_vpmu_origins): lines of code, single accesses, and the end. */
	uint8_t of_line[256], of_single[PAPI_VPMU_MAX_ACCESSES], of_end;
	/* Set by who describes it: whether that has origins, and what the profile's log has of the block. */
	bool has_origins;
	uint32_t profile;
	unsigned words; /* of the description and all values; with checks the record has no values */
	unsigned n_stores;
	bool needs_scratch;        /* some value takes a lea */
	unsigned pointer, scratch; /* registers that the block does not use */

	/* While it is made. */
	unsigned line_shift;  /* of L1I */
	bool checks, fetches; /* what spans others is in one line of code */
	const uint64_t *at_first;
	struct papi_vpmu_known registers[16];
	struct papi_vpmu_value values[PAPI_VPMU_RECORD_WORDS_MAX];
	struct papi_vpmu_access single[PAPI_VPMU_MAX_ACCESSES]; /* the accesses without those that span others */
};

/* Plans the record of a block, which it makes shorter where there would be no free register or no room in a record;
 * with what those parts of the simulators need. at_first: what the general registers are when it is about to run for
 * the first time, or NULL where that is not known. With checks, nothing leaves it in the middle behind what is looked
 * for: each way out would have checks of its own; nor where branches are predicted: those that have not been taken
 * would not be told yet where a check fails that is the last before code goes over to records. */
void papi_vpmu_trace_plan_block(struct papi_vpmu_trace_plan *plan, struct papi_vpmu_decoded *decoded,
	unsigned line_shift, unsigned parts, bool checks, const uint64_t *at_first);

/* The description of what runs up to a way out and its accesses; all is to be filed. accesses: room for 256. */
struct papi_vpmu_description papi_vpmu_trace_plan_way_out(
	const struct papi_vpmu_trace_plan *plan, unsigned way_out, struct papi_vpmu_access *accesses);

/* Whose the accesses of such a description are, or those of the plan: n of them, in their order. */
void papi_vpmu_trace_plan_origins(const struct papi_vpmu_trace_plan *plan, const struct papi_vpmu_access *accesses,
	unsigned n, uint8_t *instructions);

/* Whether a register (-1: none) is what it was then but for a constant, which is added to *difference, scaled. */
bool papi_vpmu_trace_follows(const struct papi_vpmu_known registers[], int number, const struct papi_vpmu_known *then,
	unsigned scale, int64_t *difference);

/* trace_follow.c: what the instruction does to the registers that values come from. */
void papi_vpmu_trace_follow(struct papi_vpmu_trace_plan *plan, const struct papi_vpmu_instruction *instruction);

#endif
