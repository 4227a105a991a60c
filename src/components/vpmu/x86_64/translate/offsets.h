/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What translated code and the runtime agree upon: where fields of struct papi_vpmu_thread are, from gs (thread.c
 * proves that they are there), how registers are numbered, and which exits there are. For assembly, too.
 */
#ifndef PAPI_VPMU_X86_64_TRANSLATE_OFFSETS_H
#define PAPI_VPMU_X86_64_TRANSLATE_OFFSETS_H

#define VPMU_COUNTERS      0 /* uint64_t[VPMU_LANES][64] */
#define VPMU_LANES         8
#define VPMU_LANE_SIZE     512
#define VPMU_REGISTERS     4096 /* uint64_t[16], in the order of their encoding */
#define VPMU_SPILLED       4224 /* uint64_t[16], likewise */
#define VPMU_FLAGS         4352 /* uint64_t */
#define VPMU_PC            4360 /* uint64_t */
#define VPMU_CODE          4368 /* uint64_t */
#define VPMU_EXIT          4376 /* int64_t */
#define VPMU_DISPATCH      4384 /* address */
#define VPMU_STACK         4392 /* address */
#define VPMU_SELF          4400 /* address */
#define VPMU_REP_COUNT     4408 /* uint64_t */
#define VPMU_IN_RUNTIME    4416 /* uint64_t */
#define VPMU_SIGNAL_STATE  4424 /* uint64_t, enum papi_vpmu_signal_state */
#define VPMU_GATE_DEPTH    4432 /* uint64_t, in bytes */
#define VPMU_GATE_ENTER    4440 /* address */
#define VPMU_TRACE_NEXT    4448 /* address */
#define VPMU_TRACE_LIMIT   4456 /* address */
#define VPMU_BUDGET        4464 /* int64_t */
#define VPMU_JUMP_MISS     4472 /* address */
#define VPMU_WATCHED       4480 /* uint64_t */
#define VPMU_GUARD         4488 /* address */
#define VPMU_HANDLER_MASK  4496 /* uint64_t */
#define VPMU_DEFERRED_MASK 4504 /* uint64_t */
#define VPMU_DELIVERING    4512 /* uint64_t */
#define VPMU_SOURCE        4520 /* int64_t */

#define VPMU_GATES     5120 /* struct papi_vpmu_gate[VPMU_MAX_GATES] */
#define VPMU_MAX_GATES 32
#define VPMU_GATE_SIZE 24

#define VPMU_SYSCALL_KINDS 6144  /* unsigned char[512] */
#define VPMU_JUMPS         65536 /* uint64_t[65536] */

#ifndef __ASSEMBLER__

/* The order in which x86 numbers its registers. */
enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15 };

/* Exits of blocks that are not links, by number. */
enum papi_vpmu_exit {
	PAPI_VPMU_EXIT_INDIRECT = -1, /* the target of a jump or call, in pc, is not among the jumps */
	PAPI_VPMU_EXIT_RETURN = -2,   /* likewise, of a return */
	PAPI_VPMU_EXIT_SYSCALL = -3,  /* the system call before pc is for the runtime */
	PAPI_VPMU_EXIT_STEP = -4,     /* the instruction at pc is to be run natively, alone */
	PAPI_VPMU_EXIT_TRACE = -5,    /* the trace is full; goes on at pc */
	PAPI_VPMU_EXIT_CONTINUE = -6, /* after a signal, at pc */
};

#endif

#endif
