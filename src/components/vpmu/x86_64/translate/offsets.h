/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What translated code and the runtime agree upon: where fields of struct papi_vpmu_thread are, from gs (processor.c
 * proves that they are there), how registers are numbered, and which exits there are. For assembly, too.
 */
#ifndef PAPI_VPMU_X86_64_TRANSLATE_OFFSETS_H
#define PAPI_VPMU_X86_64_TRANSLATE_OFFSETS_H

#define VPMU_COUNTERS       0 /* uint64_t[VPMU_LANES][64] */
#define VPMU_LANES          8
#define VPMU_LANE_SIZE      512
#define VPMU_REGISTERS      4096 /* uint64_t[32], of which 16 are used, in the order of their encoding */
#define VPMU_SPILLED        4352 /* likewise */
#define VPMU_FLAGS          4608 /* uint64_t */
#define VPMU_PC             4616 /* uint64_t */
#define VPMU_CODE           4624 /* uint64_t */
#define VPMU_EXIT           4632 /* int64_t */
#define VPMU_DISPATCH       4640 /* address */
#define VPMU_STACK          4648 /* address */
#define VPMU_SELF           4656 /* address */
#define VPMU_REP_COUNT      4664 /* uint64_t */
#define VPMU_IN_RUNTIME     4672 /* uint64_t */
#define VPMU_SIGNAL_STATE   4680 /* uint64_t, enum papi_vpmu_signal_state */
#define VPMU_GATE_DEPTH     4688 /* uint64_t, in bytes */
#define VPMU_GATE_ENTER     4696 /* address */
#define VPMU_TRACE_NEXT     4704 /* address */
#define VPMU_TRACE_LIMIT    4712 /* address */
#define VPMU_BUDGET         4720 /* int64_t */
#define VPMU_JUMP_MISS      4728 /* address */
#define VPMU_WATCHED        4736 /* uint64_t */
#define VPMU_GUARD          4744 /* address */
#define VPMU_HANDLER_MASK   4752 /* uint64_t */
#define VPMU_DEFERRED_MASK  4760 /* uint64_t */
#define VPMU_DELIVERING     4768 /* uint64_t */
#define VPMU_SOURCE         4776 /* int64_t */
#define VPMU_BRANCHES_NEXT  4784 /* address */
#define VPMU_BRANCHES_LIMIT 4792 /* address */
#define VPMU_CALLS_TOP      4800 /* address */
#define VPMU_CALLEE         4808 /* address */
#define VPMU_CALL_SITE      4816 /* int64_t */
#define VPMU_NOTES_NEXT     4824 /* address */
#define VPMU_THREAD_BASE    4840 /* uint64_t */
#define VPMU_CHECK          4848 /* address */
#define VPMU_ACCESS         4856 /* int64_t */
#define VPMU_LOOK_LIMIT     4864 /* uint64_t */

#define VPMU_GATES     5120 /* struct papi_vpmu_gate[VPMU_MAX_GATES] */
#define VPMU_MAX_GATES 32
#define VPMU_GATE_SIZE 24

#define VPMU_SYSCALL_KINDS 6144  /* unsigned char[512] */
#define VPMU_RECORD        16384 /* uint64_t[PAPI_VPMU_RECORD_WORDS_MAX] */
#define VPMU_JUMPS         65536 /* uint64_t[65536] */

/* struct papi_vpmu_checks */
#define VPMU_NOW   1114112
#define VPMU_USES  1114120
#define VPMU_SLOTS 1130512
#define VPMU_LINES 1654800 /* struct papi_vpmu_code_slot[PAPI_VPMU_CODE_LINES] */
#define VPMU_PAGES 1916944 /* uint64_t[PAPI_VPMU_CODE_PAGES] */

#define VPMU_WAYS     2097152 /* uint64_t[VPMU_MAX_WAYS]: counters of a profile, where there is one */
#define VPMU_MAX_WAYS 4194304

/* Behind them: pairs of indirect calls, by a hash of both (call_frame.h). */
#define VPMU_PAIR_KEYS   35651584 /* uint64_t[65536] */
#define VPMU_PAIR_VALUES 36175872 /* uint64_t[65536] */

#ifndef __ASSEMBLER__

#include "components/vpmu/translator/exits.h"

/* The order in which x86 numbers its registers. */
enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15 };

#endif

#endif
