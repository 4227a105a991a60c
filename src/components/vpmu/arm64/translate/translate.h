/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From words of the program to code that does the same and counts: words, an address and what is wanted go in; code,
 * marks and links come out. A pure function in two steps, papi_a64_translation_plan() and _emit(): no memory but its
 * arguments, no lock, no system call. blocks.c calls it under the lock of the cache, and files what comes out.
 *
 *	program                      code, with instructions and loads wanted
 *	                                     nop                            from the runtime
 *	                                     ldp  x16, x17, [x18, branching] from indirect branches
 *	                             entry   nop                            so that it can be replaced by a branch
 *	    ldr  x0, [x1]            start   ldr  x0, [x1]
 *	    cbz  x0, out                     cbz  x0, aside
 *	    add  x15, x0, #1                 ldr  x15, [x18, instructions]  once, behind the last branch aside
 *	    bl   f                           add  x15, x15, #4
 *	                                     str  x15, [x18, instructions]
 *	                                     ... loads ...
 *	                                     ldr  x15, [x18, home of x15]   (copy.c)
 *	                                     add  x15, x0, #1
 *	                                     str  x15, [x18, home of x15]
 *	                                     ldr  x30, return address       (branches.c)
 *	                                     b    f                         link 1
 *	                                     ... to the dispatcher, while there is no translation of f
 *	                             aside:  ... add what has run ...
 *	                                     b    out                       link 2
 *
 * With one event wanted, x15 has its count in all of the code, where nobody looks at the counters meanwhile: the first
 * line loads it, "add x15, x15, #4" is all that counts, and ways out store it.
 *
 * x18 and x15 are translated code's own (offsets.h). No operand of the program is ever changed: an instruction that
 * names one of them gets it back for the moment, so that nothing need be known of it but which registers it could name.
 */
#ifndef PAPI_VPMU_ARM64_TRANSLATE_TRANSLATE_H
#define PAPI_VPMU_ARM64_TRANSLATE_TRANSLATE_H

#include "components/vpmu/arm64/translate/block.h"
#include "components/vpmu/arm64/translate/emit.h"
#include "components/vpmu/call_frame.h"
#include "components/vpmu/arm64/translate/trace_plan.h"
#include "components/vpmu/engine.h"
#include "components/vpmu/translator/block.h"
#include "components/vpmu/translator/exits.h"
#include "components/vpmu/translator/wanted.h"
#include "components/vpmu/ways.h"

#pragma GCC visibility push(hidden)

#define PAPI_A64_MAX_MARKS 2048
#define PAPI_A64_MAX_LINKS 32

/* What a mark says of registers: which are in spilled[], and which hold the program's value although translated code
 * has them for itself. Above, the number of the register that stands in for x18, whose own value is in spilled[];
 * or that has the target of an indirect branch. */
#define PAPI_A64_SPILLED_16 0x1u
#define PAPI_A64_SPILLED_17 0x2u
#define PAPI_A64_GIVEN_15   0x4u
#define PAPI_A64_GIVEN_18   0x8u
#define PAPI_A64_HAS_BASE   0x10u
#define PAPI_A64_COUNT_15   0x20u /* x15 has the count of the one event */
/* What has run up to here is in the stream of branches, and in the trace. */
#define PAPI_A64_TOLD_BRANCHES 0x40u
#define PAPI_A64_TOLD_RECORD   0x80u
#define PAPI_A64_BASE(mark)    ((mark) >> 8 & 31)
/* x15 has how many elements are active; the counter has them, and their way, but the instruction has not run. */
#define PAPI_A64_ADDED_ACTIVE     0x2000u
#define PAPI_A64_ADDED_ACTIVE_WAY 0x4000u

/* The code to translate, and how. */
struct papi_a64_request {
	const struct papi_vpmu_view *view;
	const struct papi_vpmu_wants *wants;
	uint64_t pc;
	bool library;    /* the library's own code: nothing is counted */
	bool step;       /* a block has one instruction, and the dispatcher is asked after it */
	bool unreadable; /* nothing is read at pc: the block leaves for the processor to find out */
	bool watched;    /* others read the counters at any time */
	/* Where simulators are wanted, logarithms of what L1I has for a line, and of what dc zva clears. */
	unsigned line_shift, zero_shift;
	unsigned vector; /* bytes of vectors of any length; 0: there are none */
};

/* Where the code goes, and to what it leads. */
struct papi_a64_place {
	struct papi_vpmu_emitter e;
	int64_t first_link; /* the number of its first link; the others follow */
	/* The address of the code of pc, if it has been translated; else 0, as if none had been where this is NULL. */
	uint64_t (*find)(const void *translated, uint64_t pc);
	const void *translated;
	uint32_t first_way; /* the number of the counter of its first way */
};

/* A conditional branch that leaves a block in its middle: where its code is, which counts and goes on to the target. */
struct papi_a64_aside {
	uint8_t *place; /* of the branch there */
	unsigned instruction, added;
	bool borrowed; /* x15, there */
};

/* A block in the making: the code is behind its entry, e.next is its end. Large. */
struct papi_a64_translation {
	struct papi_a64_request request;
	struct papi_a64_place place;
	struct papi_vpmu_emitter e;
	struct papi_vpmu_block block; /* as it is to be filed */
	uint64_t entry;               /* address of code */
	bool one;                     /* one event is counted, that with this number */
	unsigned counter;
	bool lone;               /* in x15 */
	uint64_t pc;             /* of the first instruction */
	uint8_t *trace_full;     /* the branch where there is no room */
	uint8_t *length_changed; /* that where vectors have another length; NULL: nobody asks */
	bool gate;               /* a function of the library that runs natively: that is the whole block */
	uint64_t sums[PAPI_VPMU_FIRST_MODELLED]; /* what one pass through the block adds */
	struct papi_vpmu_way ways[PAPI_VPMU_MAX_WAYS];
	unsigned n_ways;
	/* As the next mark will say. Where one event is counted, added tells of how many instructions. */
	unsigned spilled, added;
	enum papi_vpmu_mark_kind kind;
	enum papi_vpmu_call_step call;
	unsigned n_marks, n_links, n_asides;
	struct papi_a64_aside asides[PAPI_A64_MAX_ASIDES];
	struct papi_vpmu_link links[PAPI_A64_MAX_LINKS];
	struct papi_vpmu_mark marks[PAPI_A64_MAX_MARKS];
	struct papi_a64_trace_plan plan;
	/* Set by who describes it: where the descriptions of its ways out are (papi_a64_way()); and its conditional
	 * branches, as the stream has them if they are not taken. */
	uint32_t descriptions[PAPI_A64_MAX_WAYS], branches[PAPI_VPMU_BRANCHES_OF_RECORD];
	struct papi_a64_pool pool;
	struct papi_a64_block decoded;
};

/* Decodes what is to be translated, cut short where something has to be apart. */
void papi_a64_translation_plan(struct papi_a64_translation *t, const struct papi_a64_request *request);
/* Emits the code; PAPI_VPMU_EMIT_MARGIN bytes are enough. */
void papi_a64_translation_emit(struct papi_a64_translation *t, const struct papi_a64_place *place);

/* ---- among the files of the translator ---- */

/* From here on, the program is at the instruction of that pc; the rest of the mark is what t says. */
void papi_a64_mark(struct papi_a64_translation *t, uint64_t pc);
/* The same, and from now on marks are of that kind. */
void papi_a64_mark_as(struct papi_a64_translation *t, uint64_t pc, enum papi_vpmu_mark_kind kind);
/* x15 is free until it is given back: a count that it has goes to memory. */
void papi_a64_borrow(struct papi_a64_translation *t, uint64_t pc);
void papi_a64_give_back(struct papi_a64_translation *t, uint64_t pc);
/* x16 or x17 is borrowed, and comes back. */
void papi_a64_spill(struct papi_a64_translation *t, unsigned reg, uint64_t pc);
void papi_a64_unspill(struct papi_a64_translation *t, unsigned reg, uint64_t pc);
/* The number of a new link. */
int64_t papi_a64_new_link(struct papi_a64_translation *t, uint64_t pc, uint8_t *place, intptr_t to_code);

static inline unsigned papi_a64_home(unsigned reg)
{
	return A64_REGISTERS + 8 * reg;
}

static inline bool papi_a64_counts_one(const struct papi_vpmu_wants *wants)
{
	return __builtin_popcountll(papi_vpmu_wanted(wants)) == 1 && !wants->profile;
}

/* Where it is counted. */
static inline unsigned papi_a64_counter(unsigned counter)
{
	return A64_COUNTERS + 8 * counter;
}

static inline bool papi_a64_is_stolen(unsigned reg)
{
	return reg == A64_BORROWED || reg == A64_THREAD;
}

/* copy.c: an instruction that is no branch, the same but for its place. */
void papi_a64_copy(struct papi_a64_translation *t, unsigned instruction);

/* counting.c: adds what an execution of the instruction counts, of the wanted counters. */
void papi_a64_add_up(
	const struct papi_a64_instruction *instruction, uint64_t wanted, uint64_t sums[PAPI_VPMU_FIRST_MODELLED]);
/* What the first n instructions of the block add. */
void papi_a64_sum(const struct papi_a64_translation *t, unsigned n, uint64_t sums[PAPI_VPMU_FIRST_MODELLED]);
/* Whether it is among those that are counted. */
bool papi_a64_is_counted(const struct papi_a64_translation *t, unsigned instruction);
/* How many of the block's instructions come before the point where its counters are added to. */
unsigned papi_a64_counting_point(const struct papi_a64_translation *t);
void papi_a64_count(struct papi_a64_translation *t, uint64_t pc);
/* Where one event is counted: all of it that is not added yet, up to that branch, itself included. */
void papi_a64_count_up_to(struct papi_a64_translation *t, unsigned branch);
/* What the block adds up to that conditional branch, which has been taken, itself included. */
void papi_a64_count_aside(struct papi_a64_translation *t, unsigned branch);
/* One more branch taken, that at the end, where the program is about to be at target. */
void papi_a64_count_taken(struct papi_a64_translation *t, uint64_t target);

/* active.c: whether an instruction is counted by its active elements, and which counter has its operations. */
bool papi_a64_counts_active(const struct papi_a64_translation *t, unsigned instruction, unsigned *counter);
/* Adds what an instruction does in each of its active elements, before it runs; x15 has their number until
 * papi_a64_end_active(). False: nothing of it is wanted. pc: of its prefix, if it has one. */
bool papi_a64_count_active(struct papi_a64_translation *t, unsigned instruction, uint64_t pc);
void papi_a64_end_active(struct papi_a64_translation *t, uint64_t pc);

/* ways.c: finds the ways through the block, once it is decoded. */
void papi_a64_plan_ways(struct papi_a64_translation *t);
/* Where the counter of the way is, from x18; 0: there is none such. */
unsigned papi_a64_way_offset(const struct papi_a64_translation *t, enum papi_vpmu_way_kind kind, unsigned n);
/* One more of the counter at that offset. x15 is free; x17 is borrowed, unless that is. */
void papi_a64_add_one(struct papi_a64_translation *t, unsigned offset);
/* Whether a profile is to know whether branches were taken. */
static inline bool papi_a64_profiles_taken(const struct papi_vpmu_wants *wants)
{
	return wants->profile >> PAPI_VPMU_BRANCHES_TAKEN & 1;
}
/* trace_emit.c: how many ways out a block has, which have descriptions; and what has run when one is taken: first those
 * of its asides, then that of the branch at the end when it is not taken, and when it is. */
unsigned papi_a64_ways(const struct papi_a64_block *block);
struct papi_a64_part papi_a64_way(const struct papi_a64_block *block, unsigned way);
/* Whether it makes a record, or tells of branches. */
bool papi_a64_tells_anything(const struct papi_a64_translation *t);
/* Asks for room, where nothing has been done; the second is behind the block, where there is none. */
void papi_a64_trace_enter(struct papi_a64_translation *t);
void papi_a64_trace_finish(struct papi_a64_translation *t);
/* Stores what has to be before an instruction. */
void papi_a64_trace_before(struct papi_a64_translation *t, unsigned instruction);
/* All of the block has run; or up to one of its asides. An indirect branch has its target in x16, and x17 borrowed. */
void papi_a64_trace_leave(struct papi_a64_translation *t, bool taken);
void papi_a64_trace_leave_aside(struct papi_a64_translation *t, unsigned aside);

/* trace_active.c, of accesses of vectors of any length: the registers that follow a value, from that word on. Goes on
 * only if they have the length that the plan has; the second is behind the block, where they have not. And a block ends
 * where records have no more room. */
void papi_a64_trace_store_active(struct papi_a64_translation *t, const struct papi_a64_value *value, unsigned word);
void papi_a64_check_length(struct papi_a64_translation *t);
void papi_a64_end_length(struct papi_a64_translation *t);
void papi_a64_cut_at_room(const struct papi_a64_request *request, struct papi_a64_block *decoded);

/* check.c: goes on only if the program's words are still those that were decoded. */
void papi_a64_check_unchanged(struct papi_a64_translation *t);
/* Finds the most that a pass through the block brings any overflow nearer; goes on only if the thread has a budget for
 * that. */
void papi_a64_weigh(struct papi_a64_translation *t);
void papi_a64_spend_budget(struct papi_a64_translation *t);

/* branches.c: leaves the code by that exit (enum papi_vpmu_exit, or the number of a link). */
void papi_a64_exit(struct papi_a64_translation *t, int64_t exit);
/* To where the first instruction of the block is run natively. */
void papi_a64_exit_to_step(struct papi_a64_translation *t);
/* A conditional branch in the middle of a block; and behind the block, where all of them lead. */
void papi_a64_lead_aside(struct papi_a64_translation *t, unsigned branch);
void papi_a64_end_asides(struct papi_a64_translation *t);
/* The end of a block. */
void papi_a64_end_block(struct papi_a64_translation *t);
/* Goes on at that pc of the program. */
void papi_a64_link_to(struct papi_a64_translation *t, uint64_t pc);

/* calls.c: of a direct branch that calls something, notes what, before it is made; false: it does not, or no calls are
 * wanted. And behind it, in place of a link, leaves for the runtime, which opens the frame and goes on there. */
bool papi_a64_note_callee(struct papi_a64_translation *t, const struct papi_a64_instruction *last, uint64_t pc);
void papi_a64_exit_for_call(struct papi_a64_translation *t);
/* What an indirect branch is for the frames: nothing; a call, whose target the thread's callee has to be before it is
 * made; or a return, which any is that moves the stack. Behind it, with the target as the thread's pc, leaves. */
enum papi_a64_turn { PAPI_A64_TURN_NONE, PAPI_A64_TURN_CALL, PAPI_A64_TURN_RETURN };
enum papi_a64_turn papi_a64_turn_of(const struct papi_a64_translation *t, const struct papi_a64_instruction *last);
void papi_a64_exit_for_turn(struct papi_a64_translation *t, enum papi_a64_turn turn);

/* indirect.c: the end of one whose last instruction is an indirect jump or call, or a return. */
void papi_a64_end_indirect(struct papi_a64_translation *t);

/* system_call.c: likewise of a system call. */
void papi_a64_end_system_call(struct papi_a64_translation *t);

#pragma GCC visibility pop

#endif
