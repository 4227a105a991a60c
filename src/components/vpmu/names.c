/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What can be counted, and what each count means. The formula of the modelled cycles is here, too; doc/vpmu.md explains
 * it.
 */
#include "components/vpmu/names.h"

#include <strings.h>

#include "components/vpmu/models/choice.h"

#define TERMS(...)                                               \
	.terms = (const struct papi_vpmu_term[]){ __VA_ARGS__ }, \
	.n_terms = sizeof((const struct papi_vpmu_term[]){ __VA_ARGS__ }) / sizeof(struct papi_vpmu_term)

#define EVENT(event, text, of_worth, bits, ...)                                                      \
	{                                                                                            \
		.name = event, .description = text, .worth = PAPI_VPMU_##of_worth, .fraction = bits, \
		TERMS(__VA_ARGS__)                                                                   \
	}
#define EXACT(event, text, ...)  EVENT(event, text, EXACT, 0, __VA_ARGS__)
#define CACHE(event, text, ...)  EVENT(event, text, CACHE_MODEL, 0, __VA_ARGS__)
#define TLB(event, text, ...)    EVENT(event, text, TLB_MODEL, 0, __VA_ARGS__)
#define BRANCH(event, text, ...) EVENT(event, text, BRANCH_MODEL, 0, __VA_ARGS__)
#define CYCLES(event, text, ...) EVENT(event, text, CYCLE_MODEL, 2, __VA_ARGS__) /* weights are in quarters */

#define ONE(counter)                   \
	{                              \
		PAPI_VPMU_##counter, 1 \
	}
#define LESS(counter)                   \
	{                               \
		PAPI_VPMU_##counter, -1 \
	}

#define SINGLES ONE(FP_SCALAR_SINGLE), ONE(FP_128_SINGLE), ONE(FP_256_SINGLE), ONE(FP_512_SINGLE)
#define DOUBLES ONE(FP_SCALAR_DOUBLE), ONE(FP_128_DOUBLE), ONE(FP_256_DOUBLE), ONE(FP_512_DOUBLE)

/*
 * Waiting, in quarters of a cycle: 16 cycles for L2, 40 more for L3, 200 more for memory; 8 for a TLB of the second
 * level, 32 more for walking the page table; 16 for a wrong prediction. Of a write a store buffer hides three quarters.
 */
#define WAIT(counter, cycles)                     \
	{                                         \
		PAPI_VPMU_##counter, 4 * (cycles) \
	}
#define FETCH_WAITS \
	WAIT(L1I_MISSES, 16), WAIT(L2I_MISSES, 40), WAIT(L3I_MISSES, 200), WAIT(ITLB_MISSES, 8), WAIT(ITLB_WALKS, 32)
#define READ_WAITS                                                                                                   \
	WAIT(L1D_READ_MISSES, 16), WAIT(L2D_READ_MISSES, 40), WAIT(L3D_READ_MISSES, 200), WAIT(DTLB_READ_MISSES, 8), \
		WAIT(DTLB_READ_WALKS, 32)
#define WRITE_WAITS                                                                                                    \
	WAIT(L1D_WRITE_MISSES, 4), WAIT(L2D_WRITE_MISSES, 10), WAIT(L3D_WRITE_MISSES, 50), WAIT(DTLB_WRITE_MISSES, 2), \
		WAIT(DTLB_WRITE_WALKS, 8)
#define PREDICTION_WAITS \
	WAIT(CONDITIONAL_MISPREDICTED, 16), WAIT(INDIRECT_MISPREDICTED, 16), WAIT(RETURNS_MISPREDICTED, 16)

const struct papi_vpmu_event papi_vpmu_events[] = {
	EXACT("INSTRUCTIONS", "Instructions completed; one with a repeat prefix is one", ONE(INSTRUCTIONS)),
	EXACT("LOADS",
		"Memory operands read: those that instructions name, and those of pop, ret and their like; a "
		"string instruction reads one or two in each iteration, a gather or a masked load is one",
		ONE(LOADS)),
	EXACT("STORES", "Memory operands written, those of push and call included; add to memory is a load and a store",
		ONE(STORES)),
	EXACT("LOADS_AND_STORES", "Memory operands read and memory operands written", ONE(LOADS), ONE(STORES)),
	EXACT("PREFETCHES", "Prefetch instructions; they are no loads", ONE(PREFETCHES)),
	EXACT("BRANCHES", "Branches of all kinds", ONE(BRANCHES_CONDITIONAL), ONE(BRANCHES_UNCONDITIONAL)),
	EXACT("BRANCHES_CONDITIONAL", "Conditional branches, loop and jrcxz included", ONE(BRANCHES_CONDITIONAL)),
	EXACT("BRANCHES_TAKEN", "Conditional branches taken", ONE(BRANCHES_TAKEN)),
	EXACT("BRANCHES_NOT_TAKEN", "Conditional branches not taken", ONE(BRANCHES_CONDITIONAL), LESS(BRANCHES_TAKEN)),
	EXACT("BRANCHES_UNCONDITIONAL", "Jumps, calls and returns", ONE(BRANCHES_UNCONDITIONAL)),
	EXACT("BRANCHES_INDIRECT", "Jumps and calls to an address in a register or memory; no returns",
		ONE(BRANCHES_INDIRECT)),
	EXACT("CALLS", "Calls, direct and indirect", ONE(CALLS)),
	EXACT("RETURNS", "Returns", ONE(RETURNS)),
	EXACT("SYSTEM_CALLS", "System calls: syscall and int 0x80", ONE(SYSTEM_CALLS)),
	EXACT("INTEGER_INSTRUCTIONS",
		"Instructions that compute with integers outside of vector registers: arithmetic, "
		"logic, comparisons, shifts, bits, lea; no moves",
		ONE(INTEGER)),
	EXACT("VECTOR_INSTRUCTIONS",
		"Instructions on whole vector registers (MMX, SSE, AVX, AVX-512): floating point, "
		"integer, moves; none on a single element",
		ONE(VECTOR)),
	EXACT("VECTOR_SINGLE_INSTRUCTIONS", "Floating-point vector instructions in single precision",
		ONE(VECTOR_SINGLE)),
	EXACT("VECTOR_DOUBLE_INSTRUCTIONS", "Floating-point vector instructions in double precision",
		ONE(VECTOR_DOUBLE)),
	EXACT("FP_INSTRUCTIONS", "Instructions that do floating-point operations, scalar, vector and x87",
		ONE(FP_INSTRUCTIONS)),
	EXACT("FMA_INSTRUCTIONS", "Fused multiply-add instructions", ONE(FMA)),
	EXACT("FP_MULTIPLIES", "Floating-point multiply instructions; fused ones are FMA_INSTRUCTIONS",
		ONE(FP_MULTIPLIES)),
	EXACT("FP_ADDS", "Floating-point add and subtract instructions; fused ones are FMA_INSTRUCTIONS", ONE(FP_ADDS)),
	EXACT("FP_DIVIDES", "Floating-point divide instructions", ONE(FP_DIVIDES)),
	EXACT("FP_SQUARE_ROOTS", "Floating-point square root instructions", ONE(FP_SQUARE_ROOTS)),
	EXACT("FP_INVERSES", "Floating-point instructions that approximate 1/x", ONE(FP_INVERSES)),
	EXACT("FP_OPERATIONS",
		"Floating-point operations: each element of a vector, also a masked one but of SVE, is one, in a "
		"fused multiply-add two; no moves, comparisons, conversions",
		SINGLES, DOUBLES, ONE(FP_HALF), ONE(FP_X87)),
	EXACT("FP_OPERATIONS_HALF", "Floating-point operations in half precision", ONE(FP_HALF)),
	EXACT("FP_OPERATIONS_SINGLE", "Floating-point operations in single precision", SINGLES),
	EXACT("FP_OPERATIONS_DOUBLE", "Floating-point operations in double precision", DOUBLES),
	EXACT("FP_OPERATIONS_X87", "Floating-point operations of x87 instructions", ONE(FP_X87)),
	EXACT("FP_SCALAR_SINGLE", "Operations of scalar instructions in single precision", ONE(FP_SCALAR_SINGLE)),
	EXACT("FP_SCALAR_DOUBLE", "Operations of scalar instructions in double precision", ONE(FP_SCALAR_DOUBLE)),
	EXACT("FP_128_SINGLE", "Operations of 128-bit vectors in single precision", ONE(FP_128_SINGLE)),
	EXACT("FP_128_DOUBLE", "Operations of 128-bit vectors in double precision", ONE(FP_128_DOUBLE)),
	EXACT("FP_256_SINGLE", "Operations of 256-bit vectors in single precision", ONE(FP_256_SINGLE)),
	EXACT("FP_256_DOUBLE", "Operations of 256-bit vectors in double precision", ONE(FP_256_DOUBLE)),
	EXACT("FP_512_SINGLE", "Operations of 512-bit vectors in single precision", ONE(FP_512_SINGLE)),
	EXACT("FP_512_DOUBLE", "Operations of 512-bit vectors in double precision", ONE(FP_512_DOUBLE)),
	EXACT("FENCES", "Memory fences: mfence, lfence, sfence, serialize", ONE(FENCES)),
	EXACT("ATOMICS", "Atomic instructions: locked ones, and exchanges with memory", ONE(ATOMICS)),
	EXACT("SYNCHRONIZATION", "Memory fences and atomic instructions", ONE(FENCES), ONE(ATOMICS)),

	/* The first level sees what the program does, each further one what misses the one in front of it. */
	CACHE("L1I_READS", "Instruction cache: fetches, one of each instruction", ONE(INSTRUCTIONS)),
	CACHE("L1I_MISSES", "Instruction cache: lines fetched that were not there", ONE(L1I_MISSES)),
	CACHE("L1I_HITS", "Instruction cache: fetches without a miss", ONE(INSTRUCTIONS), LESS(L1I_MISSES)),
	CACHE("L1D_READS", "L1 data cache: reads", ONE(LOADS)),
	CACHE("L1D_WRITES", "L1 data cache: writes", ONE(STORES)),
	CACHE("L1D_ACCESSES", "L1 data cache: reads and writes", ONE(LOADS), ONE(STORES)),
	CACHE("L1D_READ_MISSES", "L1 data cache: reads of lines that were not there", ONE(L1D_READ_MISSES)),
	CACHE("L1D_WRITE_MISSES", "L1 data cache: writes to lines that were not there", ONE(L1D_WRITE_MISSES)),
	CACHE("L1D_MISSES", "L1 data cache: misses of reads and writes", ONE(L1D_READ_MISSES), ONE(L1D_WRITE_MISSES)),
	CACHE("L1D_READ_HITS", "L1 data cache: reads without a miss", ONE(LOADS), LESS(L1D_READ_MISSES)),
	CACHE("L1D_WRITE_HITS", "L1 data cache: writes without a miss", ONE(STORES), LESS(L1D_WRITE_MISSES)),
	CACHE("L1D_HITS", "L1 data cache: reads and writes without a miss", ONE(LOADS), ONE(STORES),
		LESS(L1D_READ_MISSES), LESS(L1D_WRITE_MISSES)),
	CACHE("L1_READS", "L1 caches: fetches and reads", ONE(INSTRUCTIONS), ONE(LOADS)),
	CACHE("L1_ACCESSES", "L1 caches: fetches, reads and writes", ONE(INSTRUCTIONS), ONE(LOADS), ONE(STORES)),
	CACHE("L1_MISSES", "L1 caches: misses of fetches, reads and writes", ONE(L1I_MISSES), ONE(L1D_READ_MISSES),
		ONE(L1D_WRITE_MISSES)),
	CACHE("L1_HITS", "L1 caches: fetches, reads and writes without a miss", ONE(INSTRUCTIONS), ONE(LOADS),
		ONE(STORES), LESS(L1I_MISSES), LESS(L1D_READ_MISSES), LESS(L1D_WRITE_MISSES)),
	CACHE("PREFETCH_MISSES", "Prefetch instructions whose line was not in the L1 data cache", ONE(PREFETCH_MISSES)),

	CACHE("L2I_READS", "L2: fetches", ONE(L1I_MISSES)),
	CACHE("L2I_MISSES", "L2: fetches that miss", ONE(L2I_MISSES)),
	CACHE("L2I_HITS", "L2: fetches that hit", ONE(L1I_MISSES), LESS(L2I_MISSES)),
	CACHE("L2D_READS", "L2: reads of data", ONE(L1D_READ_MISSES)),
	CACHE("L2D_WRITES", "L2: writes of data", ONE(L1D_WRITE_MISSES)),
	CACHE("L2D_ACCESSES", "L2: reads and writes of data", ONE(L1D_READ_MISSES), ONE(L1D_WRITE_MISSES)),
	CACHE("L2D_READ_MISSES", "L2: reads of data that miss", ONE(L2D_READ_MISSES)),
	CACHE("L2D_WRITE_MISSES", "L2: writes of data that miss", ONE(L2D_WRITE_MISSES)),
	CACHE("L2D_MISSES", "L2: reads and writes of data that miss", ONE(L2D_READ_MISSES), ONE(L2D_WRITE_MISSES)),
	CACHE("L2D_HITS", "L2: reads and writes of data that hit", ONE(L1D_READ_MISSES), ONE(L1D_WRITE_MISSES),
		LESS(L2D_READ_MISSES), LESS(L2D_WRITE_MISSES)),
	CACHE("L2_READS", "L2: fetches and reads", ONE(L1I_MISSES), ONE(L1D_READ_MISSES)),
	CACHE("L2_ACCESSES", "L2: fetches, reads and writes", ONE(L1I_MISSES), ONE(L1D_READ_MISSES),
		ONE(L1D_WRITE_MISSES)),
	CACHE("L2_MISSES", "L2: fetches, reads and writes that miss", ONE(L2I_MISSES), ONE(L2D_READ_MISSES),
		ONE(L2D_WRITE_MISSES)),
	CACHE("L2_HITS", "L2: fetches, reads and writes that hit", ONE(L1I_MISSES), ONE(L1D_READ_MISSES),
		ONE(L1D_WRITE_MISSES), LESS(L2I_MISSES), LESS(L2D_READ_MISSES), LESS(L2D_WRITE_MISSES)),

	CACHE("L3I_READS", "L3: fetches", ONE(L2I_MISSES)),
	CACHE("L3I_MISSES", "L3: fetches that miss", ONE(L3I_MISSES)),
	CACHE("L3I_HITS", "L3: fetches that hit", ONE(L2I_MISSES), LESS(L3I_MISSES)),
	CACHE("L3D_READS", "L3: reads of data", ONE(L2D_READ_MISSES)),
	CACHE("L3D_WRITES", "L3: writes of data", ONE(L2D_WRITE_MISSES)),
	CACHE("L3D_ACCESSES", "L3: reads and writes of data", ONE(L2D_READ_MISSES), ONE(L2D_WRITE_MISSES)),
	CACHE("L3D_READ_MISSES", "L3: reads of data that miss", ONE(L3D_READ_MISSES)),
	CACHE("L3D_WRITE_MISSES", "L3: writes of data that miss", ONE(L3D_WRITE_MISSES)),
	CACHE("L3D_MISSES", "L3: reads and writes of data that miss", ONE(L3D_READ_MISSES), ONE(L3D_WRITE_MISSES)),
	CACHE("L3D_HITS", "L3: reads and writes of data that hit", ONE(L2D_READ_MISSES), ONE(L2D_WRITE_MISSES),
		LESS(L3D_READ_MISSES), LESS(L3D_WRITE_MISSES)),
	CACHE("L3_READS", "L3: fetches and reads", ONE(L2I_MISSES), ONE(L2D_READ_MISSES)),
	CACHE("L3_ACCESSES", "L3: fetches, reads and writes", ONE(L2I_MISSES), ONE(L2D_READ_MISSES),
		ONE(L2D_WRITE_MISSES)),
	CACHE("L3_MISSES", "L3: fetches, reads and writes that miss", ONE(L3I_MISSES), ONE(L3D_READ_MISSES),
		ONE(L3D_WRITE_MISSES)),
	CACHE("L3_HITS", "L3: fetches, reads and writes that hit", ONE(L2I_MISSES), ONE(L2D_READ_MISSES),
		ONE(L2D_WRITE_MISSES), LESS(L3I_MISSES), LESS(L3D_READ_MISSES), LESS(L3D_WRITE_MISSES)),

	TLB("DTLB_MISSES", "Data TLB of the first level: misses", ONE(DTLB_READ_MISSES), ONE(DTLB_WRITE_MISSES)),
	TLB("DTLB_WALKS", "Data TLBs: accesses that miss in all levels", ONE(DTLB_READ_WALKS), ONE(DTLB_WRITE_WALKS)),
	TLB("ITLB_MISSES", "Instruction TLB of the first level: misses", ONE(ITLB_MISSES)),
	TLB("ITLB_WALKS", "Instruction TLBs: fetches that miss in all levels", ONE(ITLB_WALKS)),
	TLB("TLB_WALKS", "TLBs: fetches and accesses that miss in all levels", ONE(ITLB_WALKS), ONE(DTLB_READ_WALKS),
		ONE(DTLB_WRITE_WALKS)),

	BRANCH("BRANCHES_MISPREDICTED", "Conditional branches predicted wrong", ONE(CONDITIONAL_MISPREDICTED)),
	BRANCH("BRANCHES_PREDICTED", "Conditional branches predicted right", ONE(BRANCHES_CONDITIONAL),
		LESS(CONDITIONAL_MISPREDICTED)),
	BRANCH("TARGETS_MISPREDICTED", "Indirect jumps and calls, and returns, whose target was predicted wrong",
		ONE(INDIRECT_MISPREDICTED), ONE(RETURNS_MISPREDICTED)),
	BRANCH("RETURNS_MISPREDICTED", "Returns whose target was predicted wrong", ONE(RETURNS_MISPREDICTED)),

	CYCLES("CYCLES", "Cycles: those that complete instructions, and those that wait", ONE(INSTRUCTIONS),
		FETCH_WAITS, READ_WAITS, WRITE_WAITS, PREDICTION_WAITS),
	CYCLES("FULL_CYCLES", "Cycles that complete instructions, four each", ONE(INSTRUCTIONS)),
	CYCLES("STALL_CYCLES", "Cycles that complete no instruction", FETCH_WAITS, READ_WAITS, WRITE_WAITS,
		PREDICTION_WAITS),
	CYCLES("FETCH_STALL_CYCLES", "Cycles that wait for instructions, wrong predictions included", FETCH_WAITS,
		PREDICTION_WAITS),
	CYCLES("MEMORY_STALL_CYCLES", "Cycles that wait for data", READ_WAITS, WRITE_WAITS),
	CYCLES("READ_STALL_CYCLES", "Cycles that wait for data to be read", READ_WAITS),
	CYCLES("WRITE_STALL_CYCLES", "Cycles that wait for data to be written", WRITE_WAITS),
};

const size_t papi_vpmu_event_count = sizeof(papi_vpmu_events) / sizeof(papi_vpmu_events[0]);

const struct papi_vpmu_event *papi_vpmu_event_find(const char *name)
{
	for (size_t i = 0; i < papi_vpmu_event_count; i++)
		if (!strcasecmp(papi_vpmu_events[i].name, name))
			return &papi_vpmu_events[i];
	return NULL;
}

static unsigned parts_of(unsigned counter, bool shared_tlb2)
{
	switch (counter) {
	case PAPI_VPMU_L1I_MISSES:
	case PAPI_VPMU_ITLB_MISSES:
		return PAPI_VPMU_PART_CODE;
	case PAPI_VPMU_L1D_READ_MISSES:
	case PAPI_VPMU_L1D_WRITE_MISSES:
	case PAPI_VPMU_PREFETCH_MISSES:
		return PAPI_VPMU_PART_DATA;
	case PAPI_VPMU_DTLB_READ_MISSES:
	case PAPI_VPMU_DTLB_WRITE_MISSES:
		return PAPI_VPMU_PART_DATA | PAPI_VPMU_PART_PAGES;
	case PAPI_VPMU_ITLB_WALKS:
		return shared_tlb2 ? PAPI_VPMU_PARTS_SHARED : PAPI_VPMU_PART_CODE;
	case PAPI_VPMU_DTLB_READ_WALKS:
	case PAPI_VPMU_DTLB_WRITE_WALKS:
		return shared_tlb2 ? PAPI_VPMU_PARTS_SHARED : PAPI_VPMU_PART_DATA | PAPI_VPMU_PART_PAGES;
	case PAPI_VPMU_CONDITIONAL_MISPREDICTED:
	case PAPI_VPMU_INDIRECT_MISPREDICTED:
	case PAPI_VPMU_RETURNS_MISPREDICTED:
		return PAPI_VPMU_PART_BRANCHES;
	default: /* L2 and L3 */
		return counter < PAPI_VPMU_FIRST_MODELLED ? 0 : PAPI_VPMU_PARTS_SHARED;
	}
}

unsigned papi_vpmu_event_parts(const struct papi_vpmu_event *event, bool shared_tlb2)
{
	unsigned parts = 0;

	for (unsigned i = 0; i < event->n_terms; i++)
		parts |= parts_of(event->terms[i].counter, shared_tlb2);
	return parts;
}

bool papi_vpmu_event_asks_l3(const struct papi_vpmu_event *event)
{
	for (unsigned i = 0; i < event->n_terms; i++)
		switch (event->terms[i].counter) {
		case PAPI_VPMU_L3I_MISSES:
		case PAPI_VPMU_L3D_READ_MISSES:
		case PAPI_VPMU_L3D_WRITE_MISSES:
			return true;
		default:
			break;
		}
	return false;
}

bool papi_vpmu_event_is_l3(const struct papi_vpmu_event *event)
{
	return event->worth == PAPI_VPMU_CACHE_MODEL && event->name[1] == '3';
}

bool papi_vpmu_event_is_sampled(const struct papi_vpmu_event *event)
{
	for (unsigned i = 0; i < event->n_terms; i++)
		if (papi_vpmu_counter_is_sampled(event->terms[i].counter))
			return true;
	return false;
}

const char *papi_vpmu_event_note(const struct papi_vpmu_event *event)
{
	static const char *const notes[] = {
		[PAPI_VPMU_EXACT] = "exact, user mode only, by translation",
		[PAPI_VPMU_CACHE_MODEL] =
			"modelled: caches of this machine's geometry or that of PAPI_VPMU_CACHE, true LRU, "
			"write-allocate, of the thread's own; no hardware prefetching; user mode only",
		[PAPI_VPMU_TLB_MODEL] =
			"modelled: TLBs of this machine's geometry or that of PAPI_VPMU_CACHE, true LRU, "
			"pages of 4 KiB; user mode only",
		[PAPI_VPMU_BRANCH_MODEL] =
			"modelled: tournament of gshare and bimodal predictors, return stack, last target "
			"of indirect branches; user mode only",
		[PAPI_VPMU_CYCLE_MODEL] =
			"modelled: a quarter of a cycle for each instruction, and stated times for misses "
			"and wrong predictions, which never overlap; no measure of time; user mode only",
	};

	return notes[event->worth];
}
