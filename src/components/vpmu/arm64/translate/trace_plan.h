/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What has to be stored for the record of a block (models/trace.h), found out before any of its code is emitted. For
 *
 *	ldr  x1, [x0, #8]
 *	ldr  x2, [x3, x1, lsl #3]
 *	str  x2, [sp, #-16]!
 *	cbz  x1, out
 *	str  x2, [sp, #8]
 *	ret
 *
 * the record has five words, of which sp stands for two accesses, and the last is where the return goes; the code is
 *
 *	str  x16, [x18, branching]         room is asked for, where nothing has been done
 *	ldr  x15, [x18, trace_next];  ldr x16, [x18, trace_limit];  sub x15, x16, x15
 *	tbnz x15, #63, full                leaves by way of the dispatcher, and begins the block again
 *	ldr  x16, [x18, branching]
 *	ldr  x15, [x18, trace_next];  str x0, [x15, #8]
 *	ldr  x1, [x0, #8]
 *	add  x15, x3, x1, lsl #3           a sum, and the stack pointer, by way of x17
 *	str  x17, [x18, branching];  ldr x17, [x18, trace_next];  str x15, [x17, #16];  ldr x17, [x18, branching]
 *	ldr  x2, [x3, x1, lsl #3]
 *	...
 *	ldr  x15, [x18, trace_next]        behind the branch, when the target is in x16
 *	str  x16, [x15, #32]
 *	ldr  x17, description;  str x17, [x15]
 *	add  x15, x15, #40;  str x15, [x18, trace_next]
 *
 * Only the last of these stores makes the record part of the trace, and marks say whether it has been told. What a
 * signal cuts off the handler's side tells from the same plan (recover.c): so nothing is lost, and nothing told twice.
 *
 * Each way out of a block has a description of its own, behind the branch: aside, taken, and not taken. So no record
 * awaits the next.
 *
 * Between the load and the store of an exclusive access nothing is stored if it can be helped: what is needed there is
 * stored before the load, or behind the store if the registers are still as they were.
 */
#ifndef PAPI_VPMU_ARM64_TRANSLATE_TRACE_PLAN_H
#define PAPI_VPMU_ARM64_TRANSLATE_TRACE_PLAN_H

#include "components/vpmu/arm64/translate/block.h"
#include "components/vpmu/models/trace.h"

#pragma GCC visibility push(hidden)

/* Asides, and both ways of the branch at the end. */
#define PAPI_A64_MAX_WAYS (PAPI_A64_MAX_ASIDES + 2)

/* A register: what is known of it while a block is planned. */
struct papi_a64_known {
	unsigned epoch; /* grows with each change that is not by a constant */
	int64_t delta;  /* changes by constants, since the epoch began */
};

/* base + index as they are when it is stored. */
struct papi_a64_value {
	uint8_t base, index, extension, shift; /* as of operands */
	bool zeroed; /* down to where a block of zeros begins; it stands for no other access */
	/* It is followed by registers of vectors (trace_active.c), a predicate and another or PAPI_A64_NO_REGISTER, and
	 * stands for no other access; base may be none. The words of those have values like that, too. */
	bool chosen;
	uint8_t predicate, vector;
	struct papi_a64_known base_then, index_then;
};

struct papi_a64_store {
	uint8_t before; /* this instruction of the block */
	uint8_t of;     /* the one that accesses: the same, or one before or behind it */
	uint8_t word, words;
};

struct papi_a64_trace_plan {
	unsigned parts;
	bool traced;  /* it makes a record */
	bool streams; /* its conditional branches come in the stream */
	bool counted; /* it is in the range of instructions */
	/* Set by who describes it: whether that has origins, and what the profile's log has of the block. */
	bool has_origins;
	uint32_t profile;
	unsigned n_accesses, n_stores, words;
	enum papi_vpmu_ending end;
	unsigned line_shift, zero_shift, vector;
	bool measures; /* what it stores, or how much is accessed, depends on the length of vectors */
	struct papi_vpmu_access accesses[PAPI_A64_BLOCK_LENGTH];
	uint8_t of_access[PAPI_A64_BLOCK_LENGTH]; /* the instruction */
	struct papi_a64_store stores[PAPI_A64_BLOCK_LENGTH];
	struct papi_a64_value values[PAPI_VPMU_RECORD_WORDS_MAX]; /* of words */

	/* While it is made. */
	struct papi_a64_known registers[32], at_exclusive[32];
	unsigned exclusive, exclusive_end; /* from the load to the store; the same: there is none */
};

/* How it is to be planned: which parts of the simulators get what they need, logarithms of lines of L1I and of what dc
 * zva clears, bytes of vectors of any length or 0; and whether the block is counted. */
struct papi_a64_trace_request {
	unsigned parts, line_shift, zero_shift, vector;
	bool counted;
};

/* Plans the record of a block. */
void papi_a64_trace_plan(struct papi_a64_trace_plan *plan, const struct papi_a64_block *block,
	const struct papi_a64_trace_request *request);

/* So much of a block: its first n instructions, of which the last is a branch that is taken, or not. */
struct papi_a64_part {
	unsigned n;
	bool taken;
};

/* How many accesses and conditional branches it has, and words. */
unsigned papi_a64_part_accesses(const struct papi_a64_trace_plan *plan, struct papi_a64_part part);
unsigned papi_a64_part_branches(const struct papi_a64_block *block, struct papi_a64_part part);
unsigned papi_a64_part_words(
	const struct papi_a64_trace_plan *plan, const struct papi_a64_block *block, struct papi_a64_part part);
/* What the predictor sees at its end; and whether a record is worth it. */
enum papi_vpmu_ending papi_a64_part_ending(
	const struct papi_a64_trace_plan *plan, const struct papi_a64_block *block, struct papi_a64_part part);
bool papi_a64_part_makes_record(
	const struct papi_a64_trace_plan *plan, const struct papi_a64_block *block, struct papi_a64_part part);
/* Whether the last word of its record is where it goes. */
bool papi_a64_part_tells_target(
	const struct papi_a64_trace_plan *plan, const struct papi_a64_block *block, struct papi_a64_part part);

/* Whether it is stored behind where that part ends, and belongs to it. */
static inline bool papi_a64_is_late(const struct papi_a64_store *store, struct papi_a64_part part)
{
	return store->of < part.n && store->before >= part.n;
}

/* trace_active.c, of vectors of any length, which have so many bytes: whether the elements that an instruction accesses
 * are chosen by a predicate; how many words of a record it needs at most; how many bytes of another it accesses, and
 * how far from its address; and what the elements are. */
bool papi_a64_is_chosen(const struct papi_a64_instruction *instruction);
unsigned papi_a64_words_of(const struct papi_a64_instruction *instruction, unsigned vector);
unsigned papi_a64_size_of(const struct papi_a64_operand *operand, unsigned vector);
int64_t papi_a64_displacement_of(const struct papi_a64_operand *operand, unsigned vector);
struct papi_vpmu_active papi_a64_describe_active(const struct papi_a64_operand *operand, unsigned vector);

/* trace_follow.c: what the instruction does to the registers that values come from. */
void papi_a64_trace_follow(struct papi_a64_known registers[32], const struct papi_a64_instruction *instruction);
/* Whether it may change that register, in any way. */
bool papi_a64_trace_changes(const struct papi_a64_instruction *instruction, unsigned reg);

#pragma GCC visibility pop

#endif
