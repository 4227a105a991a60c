/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What translated code and the runtime agree upon: where fields of struct papi_vpmu_thread are (processor.c proves that
 * they are there), and which registers translated code has for itself. For assembly, too.
 *
 * x18 points into the thread, and x15 is free at any time: the program's own values of both are at home in
 * registers[]. Where one event is counted and nobody else looks at its count, x15 holds it, and is free from
 * papi_a64_borrow() to papi_a64_give_back(). No other register is ever borrowed but x16 and x17.
 */
#ifndef PAPI_VPMU_ARM64_TRANSLATE_OFFSETS_H
#define PAPI_VPMU_ARM64_TRANSLATE_OFFSETS_H

/* From the beginning of the thread to where x18 points: to the last lane of counters, the one that translated code adds
 * to. So all that it reaches has an offset that fits into a load. */
#define A64_BASE 3584
#define A64_LANE 7

/* From x18. */
#define A64_COUNTERS       0    /* uint64_t[64] */
#define A64_BRANCHING      496  /* x16 and x17 while they are borrowed: the last two of the lane, which no event has */
#define A64_REGISTERS      512  /* uint64_t[32], of which the last is the stack pointer */
#define A64_SPILLED        768  /* uint64_t[32] */
#define A64_FLAGS          1024 /* uint64_t, as in nzcv */
#define A64_PC             1032 /* uint64_t */
#define A64_CODE           1040 /* uint64_t */
#define A64_EXIT           1048 /* int64_t */
#define A64_DISPATCH       1056 /* address */
#define A64_STACK          1064 /* address */
#define A64_SELF           1072 /* address */
#define A64_IN_RUNTIME     1088 /* uint64_t */
#define A64_SIGNAL_STATE   1096 /* uint64_t, enum papi_vpmu_signal_state */
#define A64_GATE_DEPTH     1104 /* uint64_t, in bytes */
#define A64_GATE_ENTER     1112 /* address */
#define A64_TRACE_NEXT     1120 /* address */
#define A64_TRACE_LIMIT    1128 /* address */
#define A64_BUDGET         1136 /* int64_t */
#define A64_JUMP_MISS      1144 /* address */
#define A64_WATCHED        1152 /* uint64_t */
#define A64_GUARD          1160 /* address */
#define A64_HANDLER_MASK   1168 /* uint64_t */
#define A64_DEFERRED_MASK  1176 /* uint64_t */
#define A64_DELIVERING     1184 /* uint64_t */
#define A64_BRANCHES_NEXT  1200 /* address */
#define A64_BRANCHES_LIMIT 1208 /* address */
#define A64_CALLS_TOP      1216 /* address */
#define A64_CALLEE         1224 /* uint64_t */
#define A64_CALL_SITE      1232 /* int64_t */
#define A64_SCALABLE_SAVED 1248 /* uint64_t */

#define A64_GATES         1536 /* struct papi_vpmu_gate[A64_MAX_GATES] */
#define A64_MAX_GATES     32
#define A64_GATE_SIZE     24
#define A64_SYSCALL_KINDS 2560    /* unsigned char[512] */
#define A64_SCALABLE      3072    /* unsigned char[8736] */
#define A64_JUMPS         61952   /* uint64_t[65536]: 15 times 4096, and 512 */
#define A64_WAYS          2093568 /* uint64_t[A64_MAX_WAYS]: counters of a profile, where there is one */
#define A64_MAX_WAYS      4194304
/* A table of pairs, of indirect calls: keys, and what they stand for (components/vpmu/call_frame.h). */
#define A64_PAIR_KEYS   35648000 /* uint64_t[65536] */
#define A64_PAIR_VALUES 36172288 /* uint64_t[65536] */

/* From the code of a block to the entry that a stale one leaves by, and to where links lead (translate.h). */
#define A64_ENTRY 8
#define A64_START 12
/* Before the code of a block is so much (blocks.c). */
#define A64_STUB 24

#define A64_BORROWED 15
#define A64_THREAD   18
#define A64_SP       31

#endif
