/* SPDX-License-Identifier: BSD-3-Clause */
/* Where fields of struct papi_vpmu_thread are, for assembly and for emitted code; thread.c proves that they are
 * there. */
#ifndef PAPI_VPMU_X86_64_OFFSETS_H
#define PAPI_VPMU_X86_64_OFFSETS_H

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
#define VPMU_DEFERRED      4424 /* uint64_t */
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

#endif
