/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From bytes of the program to code that does the same and counts: bytes, an address, what is wanted, and what
 * registers hold before it runs for the first time go in; code, marks and links come out. A pure function in two
 * steps, papi_vpmu_translation_plan() and _emit(): no memory but its arguments, no lock, no system call. blocks.c calls
 * it under the lock of the cache, and files what comes out.
 *
 *	program                      code, with instructions, loads and taken branches wanted
 *	    cmp  [rip + x], rax      entry   mov  gs:[spilled rcx], rcx      x is out of reach (copy.c)
 *	    jne  on                          mov  rcx, address of x
 *	                                     add  gs:[instructions], 2       flags are free until cmp (counting.c)
 *	                                     add  gs:[loads], 1
 *	                                     cmp  [rcx], rax
 *	                                     mov  rcx, gs:[spilled rcx]
 *	                                     jne  taken                      (branches.c)
 *	                                     jmp  next                       link 1: what is behind the branch
 *	                             next:   mov  gs:[exit], link 1
 *	                                     jmp  gs:[dispatch]
 *	                             taken:  ... one more branch taken, its flags kept ...
 *	                                     jmp  on                         link 2
 *
 * A block goes on behind conditional branches that lead forward; where one is taken, it has gone aside:
 *
 *	    test rbx, rbx            entry   test rbx, rbx
 *	    je   out                         je   aside
 *	    mov  rax, [rbx]                  add  gs:[instructions], 3       all there is, once
 *	    ret                              mov  rax, [rbx]
 *	                                     ...
 *	                             aside:  add  gs:[instructions], 2       what has run
 *	                                     jmp  out                        a link
 *
 * What comes before all that where it is needed: the comparison with the bytes it was made of (check.c), the budget of
 * an overflow (budget.c); around it, the record for the simulators (trace_emit.c).
 */
#ifndef PAPI_VPMU_X86_64_TRANSLATE_TRANSLATE_H
#define PAPI_VPMU_X86_64_TRANSLATE_TRANSLATE_H

#include "components/vpmu/engine.h"
#include "components/vpmu/models/checks.h"
#include "components/vpmu/translator/block.h"
#include "components/vpmu/translator/wanted.h"
#include "components/vpmu/ways.h"
#include "components/vpmu/x86_64/translate/decode.h"
#include "components/vpmu/x86_64/translate/emit.h"
#include "components/vpmu/x86_64/translate/offsets.h"
#include "components/vpmu/x86_64/translate/trace_plan.h"

#define PAPI_VPMU_MAX_MARKS  2048
#define PAPI_VPMU_MAX_LINKS  64
#define PAPI_VPMU_MAX_COPIES 4

/* The code to translate, and how. */
struct papi_vpmu_request {
	const struct papi_vpmu_view *view;
	const struct papi_vpmu_wants *wants;
	uint64_t pc;
	bool library;        /* the library's own code: nothing is counted */
	bool step;           /* a block has one instruction, and the dispatcher is asked after it */
	bool unreadable;     /* nothing is read at pc: the block runs the instruction there natively, alone */
	unsigned lane;       /* of the counters */
	unsigned line_shift; /* with parts of the simulators: of the lines of L1I, whose size is 1 << line_shift */
	bool checks;         /* code looks by itself whether accesses hit (checks.c); records tell of branches alone */
	unsigned data_shift; /* then: of its lines */
	const uint64_t *registers; /* then: what they are before the block runs for the first time; or NULL */
};

/* Where the code goes, and to what it leads. */
struct papi_vpmu_place {
	struct papi_vpmu_emitter e;
	int64_t first_link; /* the number of its first link; the others follow */
	uint32_t first_way; /* likewise of the counters of its ways, those of each copy behind those of the last */
	/* Of the direct call at the end: the offsets of its pair's counters, and of how often what it calls is
	 * active, in the thread; 0: there are none. */
	uint32_t pair, active;
	/* The address of the code of pc, if it has been translated; else 0, as if none had been where this is NULL. */
	uint64_t (*find)(const void *translated, uint64_t pc);
	const void *translated;
};

/* A conditional branch that leaves a block in its middle: where its code is, which counts and goes on to the target. */
struct papi_vpmu_aside {
	uint8_t *place; /* of the jump there */
	unsigned instruction, lane, copy, spilled;
};

/* What a check looks at. */
enum papi_vpmu_checks_sort {
	PAPI_VPMU_CHECKS_ACCESS,
	PAPI_VPMU_CHECKS_LINE, /* of code */
	PAPI_VPMU_CHECKS_TIME, /* whether what tells of branches is to be drained */
};

/* Where a check leads that fails, and where it goes on behind, from the entry. */
struct papi_vpmu_checks_missed {
	uint8_t *place;
	uint16_t behind;
	enum papi_vpmu_checks_sort sort;
	unsigned which; /* of the block's */
};

/* A time is for all lines of a page that one block has. */
_Static_assert(PAPI_VPMU_MAX_LINES <= PAPI_VPMU_CHECKED_SETS, "two lines of a block may be in one set");

/* How a block looks whether its accesses hit. */
struct papi_vpmu_checks_plan {
	unsigned point;  /* before this instruction, or at the end */
	bool flags_free; /* nobody needs the flags there */
	bool always;     /* it makes a record each time, which is run at once */
	unsigned registers[3];

	/* While it is emitted: what holds at the point, whether a line has the time that is now, and where jumps are
	 * that lead from there. */
	unsigned spilled, added;
	enum papi_vpmu_mark_kind kind;
	bool is_used;
	unsigned n_missed;
	struct papi_vpmu_checks_missed missed[PAPI_VPMU_MAX_ACCESSES + PAPI_VPMU_MAX_LINES + 1];
};

/* A block in the making: the code is behind its entry, e.next is its end. Large. */
struct papi_vpmu_translation {
	struct papi_vpmu_request request;
	struct papi_vpmu_place place;
	struct papi_vpmu_emitter e;
	struct papi_vpmu_block block; /* as it is to be filed */
	uint64_t entry;               /* address of code */
	uint64_t pc;                  /* of the first instruction */
	uint64_t following;    /* the address of code where its direct branch goes, 0: where its target is translated */
	unsigned lane;         /* of the counters */
	unsigned copies, copy; /* how often the block is there, so that its branch to itself leads to the next */
	bool again;            /* another copy of the block follows */
	bool gate;             /* a function of the library that runs natively: that is the whole block */
	uint64_t sums[PAPI_VPMU_COUNTERS]; /* what one pass through the block adds */
	unsigned spilled, added, call;     /* as the next mark will say */
	bool modelled;                     /* the simulators are to know of it */
	bool traced, trace_keeps_flags;    /* it makes a record; and does so where flags are needed */
	bool checked;                      /* it looks by itself whether its accesses hit, and makes none */
	uint32_t description;              /* with modelled: of the record, which the caller files before emission */
	uint32_t ways_out[PAPI_VPMU_MAX_ASIDES]; /* likewise: of the records of those that leave in the middle */
	uint8_t *trace_full;
	uint64_t call_again;
	uint8_t *call_missed, *call_full, *notes_full; /* places of jumps of a call or return, while it is emitted */
	enum papi_vpmu_mark_kind kind;
	unsigned n_marks, n_links, n_asides, n_ways;
	struct papi_vpmu_way ways[PAPI_VPMU_MAX_WAYS]; /* of each copy, where a profile is wanted */
	struct papi_vpmu_aside asides[PAPI_VPMU_MAX_COPIES * PAPI_VPMU_MAX_ASIDES];
	struct papi_vpmu_mark marks[PAPI_VPMU_MAX_MARKS];
	struct papi_vpmu_link links[PAPI_VPMU_MAX_LINKS];
	struct papi_vpmu_trace_plan plan;    /* with traced */
	struct papi_vpmu_checks_plan checks; /* with checked */
	struct papi_vpmu_decoded decoded;
};

/* Decodes what is to be translated, cut short where something has to be apart, and plans its record. */
void papi_vpmu_translation_plan(struct papi_vpmu_translation *t, const struct papi_vpmu_request *request);

/*
 * A function that begins with a comparison and a branch is a block without a record of its own, if it is called from
 * within its page: the caller's record stands for it, too, and the caller goes to a copy that makes none.
 *
 * Plans the block that follows another. False when none does. It is emitted first, and leading->following is then set
 * to where its code is.
 */
bool papi_vpmu_translation_plan_following(
	struct papi_vpmu_translation *t, const struct papi_vpmu_translation *leading, unsigned lane);

/* Emits the code; PAPI_VPMU_EMIT_MARGIN bytes are enough. */
void papi_vpmu_translation_emit(struct papi_vpmu_translation *t, const struct papi_vpmu_place *place);

/* Emits code where indirect branches to pc arrive: with the target in rcx; rcx and rdx are spilled. If that is where
 * they go it leads to code (0: what is emitted next), else to the dispatcher, by a jump that may lead elsewhere later,
 * whose displacement is at the offset block.branch. */
void papi_vpmu_translation_emit_arrival(
	struct papi_vpmu_translation *t, const struct papi_vpmu_place *place, uint64_t pc, uint64_t code);

/* ---- among the files of the translator ---- */

/* From here on, the program is at the instruction of that pc; the rest of the mark is what t says. */
void papi_vpmu_mark(struct papi_vpmu_translation *t, uint64_t pc);
/* The same, and from now on marks are of that kind. */
void papi_vpmu_mark_as(struct papi_vpmu_translation *t, uint64_t pc, enum papi_vpmu_mark_kind kind);
void papi_vpmu_spill(struct papi_vpmu_translation *t, unsigned reg, uint64_t pc);
void papi_vpmu_unspill(struct papi_vpmu_translation *t, unsigned reg, uint64_t pc);

/* The number of a new link. */
int64_t papi_vpmu_new_link(struct papi_vpmu_translation *t, uint64_t pc, uint8_t *place, intptr_t to_code);

/* copy.c: a plain instruction, the same but for its place. */
void papi_vpmu_copy(struct papi_vpmu_translation *t, const struct papi_vpmu_instruction *instruction);
/* mov rcx, what an indirect jump or call goes to; rcx is spilled. */
void papi_vpmu_copy_target(struct papi_vpmu_translation *t, const struct papi_vpmu_instruction *instruction);
/* A loop or jrcxz that jumps over so many bytes behind it. */
void papi_vpmu_copy_loop(
	struct papi_vpmu_translation *t, const struct papi_vpmu_instruction *instruction, unsigned distance);

/* What the first n instructions of the block add, to exact counters. */
void papi_vpmu_sum(const struct papi_vpmu_translation *t, unsigned n, uint64_t *sums);

/* counting.c: whether nobody needs the flags when so many of the block's instructions have run. */
bool papi_vpmu_flags_are_free(const struct papi_vpmu_translation *t, unsigned point);
/* How many of the block's instructions come before the point where its counters are added to; flags_free is
 * set when the flags are not needed there. */
unsigned papi_vpmu_counting_point(const struct papi_vpmu_translation *t, bool *flags_free);
void papi_vpmu_count(struct papi_vpmu_translation *t, uint64_t pc, bool flags_free);
/* What the block adds up to that conditional branch, which has been taken, itself included. The mark says that it is at
 * the target. */
void papi_vpmu_count_aside(struct papi_vpmu_translation *t, unsigned branch);
/* One more branch taken, that at the end, where the program is about to be at target. */
void papi_vpmu_count_taken(struct papi_vpmu_translation *t, uint64_t target);
/* After a rep string instruction: its loads and stores. */
void papi_vpmu_count_repeated(struct papi_vpmu_translation *t, const struct papi_vpmu_instruction *instruction);

/* ways.c: finds the ways through the block, once it is decoded. */
void papi_vpmu_plan_ways(struct papi_vpmu_translation *t);
/* The offset of the counter that the way has in this copy; 0: there is none such. */
unsigned papi_vpmu_way_offset(const struct papi_vpmu_translation *t, enum papi_vpmu_way_kind kind, unsigned n);
/* Whether a profile is to know how many iterations an instruction has made; or whether it has branched. */
bool papi_vpmu_profiles_iterations(
	const struct papi_vpmu_wants *wants, const struct papi_vpmu_instruction *instruction);
static inline bool papi_vpmu_profiles_taken(const struct papi_vpmu_wants *wants)
{
	return wants->profile >> PAPI_VPMU_BRANCHES_TAKEN & 1;
}

/* calls.c: the slot by which a linker's stub leads on that is called or jumped to; 0: it is none. */
uint64_t papi_vpmu_call_slot(const struct papi_vpmu_view *view, uint64_t target);
/* Whether a direct call or jump calls something: also as the last act of its function. And behind it, where
 * the program is at the target: opens the frame. Returns false where no calls are wanted. And behind the block, where
 * that leads when something is missing. */
bool papi_vpmu_is_call(const struct papi_vpmu_translation *t, const struct papi_vpmu_instruction *last);
bool papi_vpmu_open_call(struct papi_vpmu_translation *t, const struct papi_vpmu_instruction *last, uint64_t target);
void papi_vpmu_end_open_call(struct papi_vpmu_translation *t, uint64_t target);
/* The same of one through a stub, or indirect (target: 0), in two steps. Before the call, with the target of an
 * indirect one in rcx, which is spilled; behind it, rcx has the target again, and rdx is spilled. */
bool papi_vpmu_note_callee(struct papi_vpmu_translation *t, const struct papi_vpmu_instruction *last, uint64_t target);
void papi_vpmu_open_noted_call(struct papi_vpmu_translation *t, uint64_t target);
/* A return, with the target in rcx, which is spilled: closes its frame, and moves the stack pointer. Likewise. */
bool papi_vpmu_close_call(struct papi_vpmu_translation *t, const struct papi_vpmu_instruction *last);
void papi_vpmu_end_close_call(struct papi_vpmu_translation *t, const struct papi_vpmu_instruction *last);
/* An indirect jump to another place of the stack: what is left behind is closed. The target is in rcx. */
bool papi_vpmu_leave_calls(struct papi_vpmu_translation *t, const struct papi_vpmu_instruction *last);

/* check.c: goes on only if the program's bytes are still those that were decoded. */
void papi_vpmu_check_unchanged(struct papi_vpmu_translation *t);

/* branches.c: leaves the code by that exit (enum papi_vpmu_exit, or the number of a link). */
void papi_vpmu_exit(struct papi_vpmu_emitter *e, int64_t exit);
/* To where the first instruction of the block is run natively, alone. */
void papi_vpmu_exit_to_step(struct papi_vpmu_translation *t);
/* That is where popf goes if it is about to set the trap flag. */
void papi_vpmu_look_for_trap_flag(struct papi_vpmu_translation *t);
/* A conditional branch in the middle of a block; and behind the block, where all of them lead. */
void papi_vpmu_lead_aside(struct papi_vpmu_translation *t, unsigned branch);
void papi_vpmu_end_asides(struct papi_vpmu_translation *t);
/* The end of a block. */
void papi_vpmu_end_block(struct papi_vpmu_translation *t, const struct papi_vpmu_instruction *last);

/* indirect.c: the end of one whose last instruction is an indirect jump or call, or a return. */
void papi_vpmu_end_indirect(struct papi_vpmu_translation *t, const struct papi_vpmu_instruction *last);

/* budget.c: whether accesses to memory bring an overflow nearer. */
bool papi_vpmu_weighs_memory(const struct papi_vpmu_wants *wants);
/* Finds the block's weights. */
void papi_vpmu_weigh(struct papi_vpmu_translation *t);
/* Goes on only if the thread has a budget for the block's instructions. */
void papi_vpmu_spend_budget(struct papi_vpmu_translation *t);

/* With data alone, only accesses are worth a record; with the branch predictor alone, or where code looks by itself
 * whether accesses hit, only some ends. */
static inline bool papi_vpmu_is_worth_record(
	const struct papi_vpmu_request *request, unsigned accesses, enum papi_vpmu_ending end)
{
	unsigned parts = request->wants->parts;

	if (request->checks || parts == PAPI_VPMU_PART_BRANCHES)
		return parts & PAPI_VPMU_PART_BRANCHES && end != PAPI_VPMU_ENDS_ANYHOW;
	return !papi_vpmu_is_data_alone(parts) || accesses;
}

/* Whether it tells of branches in the stream; and whether it appends anything, there or to the trace. */
static inline bool papi_vpmu_streams(const struct papi_vpmu_translation *t)
{
	return t->plan.streams && t->plan.n_branches;
}
static inline bool papi_vpmu_tells_anything(const struct papi_vpmu_translation *t)
{
	return t->traced || papi_vpmu_streams(t);
}

/* checks.c: whether all that the block accesses hits, and its lines do. Once it is planned; before an instruction, or
 * the end; and behind the block. */
void papi_vpmu_plan_checks(struct papi_vpmu_translation *t);
void papi_vpmu_checks_before(struct papi_vpmu_translation *t, unsigned instruction);
void papi_vpmu_checks_finish(struct papi_vpmu_translation *t);

/* trace_emit.c: the address that is a value, with a displacement, into a register. */
void papi_vpmu_trace_emit_address(struct papi_vpmu_emitter *e, const struct papi_vpmu_trace_store *store, unsigned reg);
/* The code that makes the record. At the entry of the block, where nothing has been done. */
void papi_vpmu_trace_enter(struct papi_vpmu_translation *t);
void papi_vpmu_trace_before(struct papi_vpmu_translation *t, unsigned instruction);
void papi_vpmu_trace_after(struct papi_vpmu_translation *t, unsigned instruction);
/* Before the branch that ends the block; and behind one that has left it in its middle. */
void papi_vpmu_trace_leave(struct papi_vpmu_translation *t, uint64_t pc);
/* Where it is known where that branch goes: on both ways of a conditional one in the stream; of an indirect one or a
 * return, with the target in rcx. */
void papi_vpmu_trace_outcome(struct papi_vpmu_translation *t, bool taken, uint64_t pc);
void papi_vpmu_trace_target(struct papi_vpmu_translation *t, uint64_t pc);
void papi_vpmu_trace_leave_aside(struct papi_vpmu_translation *t, unsigned aside, uint64_t pc);
/* Behind the block: where it goes when the trace is full. */
void papi_vpmu_trace_finish(struct papi_vpmu_translation *t);

#endif
