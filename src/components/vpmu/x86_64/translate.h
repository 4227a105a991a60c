/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From decoded blocks to code. translate.c has the whole; copy.c carries single instructions over, counting.c adds to
 * the counters, branches.c ends blocks. All of it runs under the lock of the cache.
 */
#ifndef PAPI_VPMU_X86_64_TRANSLATE_H
#define PAPI_VPMU_X86_64_TRANSLATE_H

#include "components/vpmu/x86_64/block.h"
#include "components/vpmu/x86_64/cache.h"
#include "components/vpmu/x86_64/emit.h"
#include "components/vpmu/x86_64/thread.h"

#define PAPI_VPMU_MAX_MARKS 1024

/* A block in the making. */
struct papi_vpmu_translation {
	struct papi_vpmu_emitter e;
	struct papi_vpmu_block *block;
	const struct papi_vpmu_decoded *decoded;
	struct papi_vpmu_flavour *flavour;
	uint64_t entry;     /* address of code */
	uint64_t pc;        /* of the first instruction */
	uint64_t following; /* the address of code where its direct branch goes, 0: where its target is translated */
	unsigned lane;      /* of the counters */
	bool again;         /* another copy of the block follows, for when its branch is taken */
	uint64_t sums[PAPI_VPMU_COUNTERS]; /* what one pass through the block adds */
	unsigned spilled, added;           /* as the next mark will say */
	bool traced, trace_keeps_flags;    /* trace.c */
	uint32_t description;              /* of the block, for its records in the trace */
	uint8_t *trace_full;
	enum papi_vpmu_mark_kind kind;
	unsigned n_marks;
	struct papi_vpmu_mark marks[PAPI_VPMU_MAX_MARKS];
};

/* The block at pc, translated. NULL when the cache is full. */
struct papi_vpmu_block *papi_vpmu_translate(struct papi_vpmu_flavour *flavour, uint64_t pc);

/* One that runs the instruction at pc natively, alone; nothing is read there. */
struct papi_vpmu_block *papi_vpmu_translate_step(struct papi_vpmu_flavour *flavour, uint64_t pc);

/* Code where indirect branches to a block go: they arrive with the target in rcx; rcx and rdx are spilled. If the
 * target is another, they go on to the code otherwise (0: the dispatcher). Returns its address, 0 when the cache is
 * full. */
uint64_t papi_vpmu_translate_indirect_entry(struct papi_vpmu_block *block, uint64_t otherwise);

/* From here on, the program is at the instruction of that pc; the rest of the mark is what t says. */
void papi_vpmu_mark(struct papi_vpmu_translation *t, uint64_t pc);
/* The same, and from now on marks are of that kind. */
void papi_vpmu_mark_as(struct papi_vpmu_translation *t, uint64_t pc, enum papi_vpmu_mark_kind kind);
void papi_vpmu_spill(struct papi_vpmu_translation *t, unsigned reg, uint64_t pc);
void papi_vpmu_unspill(struct papi_vpmu_translation *t, unsigned reg, uint64_t pc);

/* Whether an instruction at pc is to be counted. */
bool papi_vpmu_in_range(const struct papi_vpmu_wants *wants, uint64_t pc);

/* Whether blocks add to a counter. */
bool papi_vpmu_is_wanted(const struct papi_vpmu_wants *wants, unsigned counter);

/* copy.c: a bit for each register that an instruction uses. */
unsigned papi_vpmu_used_registers(const struct papi_vpmu_instruction *instruction);
/* copy.c: a plain instruction, the same but for its place. */
void papi_vpmu_copy(struct papi_vpmu_translation *t, const struct papi_vpmu_instruction *instruction);
/* mov rcx, what an indirect jump or call goes to; rcx is spilled. */
void papi_vpmu_copy_target(struct papi_vpmu_translation *t, const struct papi_vpmu_instruction *instruction);

/* counting.c: how many of the block's instructions come before the point where its counters are added to; flags_free is
 * set when the flags are not needed there. */
unsigned papi_vpmu_counting_point(const struct papi_vpmu_decoded *decoded, bool *flags_free);
void papi_vpmu_count(struct papi_vpmu_translation *t, uint64_t pc, bool flags_free);
/* One more of a counter, at a place where the program is about to be at target. */
void papi_vpmu_count_one(struct papi_vpmu_translation *t, unsigned counter, uint64_t target);
/* After a rep string instruction: its loads and stores. */
void papi_vpmu_count_repeated(struct papi_vpmu_translation *t, const struct papi_vpmu_instruction *instruction);

/* check.c: goes on only if the program's bytes are still those that were decoded. */
void papi_vpmu_check_unchanged(struct papi_vpmu_translation *t);

/* branches.c: leaves the code by that exit (enum papi_vpmu_exit, or the number of a link). */
void papi_vpmu_exit(struct papi_vpmu_emitter *e, int64_t exit);
/* To where the first instruction of the block is run natively, alone. */
void papi_vpmu_exit_to_step(struct papi_vpmu_translation *t);
/* That is where popf goes if it is about to set the trap flag. */
void papi_vpmu_look_for_trap_flag(struct papi_vpmu_translation *t);
/* budget.c: whether accesses to memory bring an overflow nearer. */
bool papi_vpmu_weighs_memory(const struct papi_vpmu_wants *wants);
/* budget.c: finds the block's weights. */
void papi_vpmu_weigh(const struct papi_vpmu_translation *t, struct papi_vpmu_block *block);
/* budget.c: goes on only if the thread has a budget for the block's instructions. */
void papi_vpmu_spend_budget(struct papi_vpmu_translation *t);

/* branches.c: the end of a block. last is NULL when it ends without a branch. */
void papi_vpmu_end_block(struct papi_vpmu_translation *t, const struct papi_vpmu_instruction *last);

#endif
