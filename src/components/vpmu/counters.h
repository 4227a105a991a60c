/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the virtual PMU counts: one 64-bit counter for each of these in every thread, all of them at once.
 *
 * Exact counters are sums of what instructions are (classify.h) and of which way branches went. Modelled counters come
 * from the simulators of models/, fed with the addresses that the program touched. PAPI_VPMU_FIRST_MODELLED divides
 * them. The translator only knows the order and the few counters it has to name.
 */
#ifndef PAPI_VPMU_COUNTERS_H
#define PAPI_VPMU_COUNTERS_H

#include <stdbool.h>

enum papi_vpmu_counter {
	PAPI_VPMU_INSTRUCTIONS,
	PAPI_VPMU_LOADS,
	PAPI_VPMU_STORES,
	PAPI_VPMU_BRANCHES_CONDITIONAL,
	PAPI_VPMU_BRANCHES_TAKEN, /* conditional ones; the translator counts it on the taken edge */
	PAPI_VPMU_BRANCHES_UNCONDITIONAL,
	PAPI_VPMU_CALLS,
	PAPI_VPMU_RETURNS,
	PAPI_VPMU_SYSTEM_CALLS,
	PAPI_VPMU_INTEGER,
	PAPI_VPMU_VECTOR,
	PAPI_VPMU_FP_INSTRUCTIONS,
	PAPI_VPMU_FP_SCALAR_SINGLE, /* operations, not instructions, from here: a fused multiply-add is two */
	PAPI_VPMU_FP_SCALAR_DOUBLE,
	PAPI_VPMU_FP_128_SINGLE,
	PAPI_VPMU_FP_128_DOUBLE,
	PAPI_VPMU_FP_256_SINGLE,
	PAPI_VPMU_FP_256_DOUBLE,
	PAPI_VPMU_FP_512_SINGLE,
	PAPI_VPMU_FP_512_DOUBLE,
	PAPI_VPMU_FP_X87,
	PAPI_VPMU_FMA, /* instructions again */
	PAPI_VPMU_FP_MULTIPLIES,
	PAPI_VPMU_FP_ADDS,
	PAPI_VPMU_FP_DIVIDES,
	PAPI_VPMU_FP_SQUARE_ROOTS,
	PAPI_VPMU_FENCES,
	PAPI_VPMU_ATOMICS,
	PAPI_VPMU_FP_HALF,       /* operations, of any width */
	PAPI_VPMU_FP_INVERSES,   /* instructions from here */
	PAPI_VPMU_VECTOR_SINGLE, /* of packed floating-point arithmetic */
	PAPI_VPMU_VECTOR_DOUBLE,
	PAPI_VPMU_BRANCHES_INDIRECT, /* jumps and calls, no returns */
	PAPI_VPMU_PREFETCHES,
	PAPI_VPMU_FIRST_MODELLED,

	/* The simulators count these. Reads, writes and fetches are the exact counters above. */
	PAPI_VPMU_L1I_MISSES = PAPI_VPMU_FIRST_MODELLED,
	PAPI_VPMU_L2I_MISSES,
	PAPI_VPMU_L3I_MISSES,
	PAPI_VPMU_L1D_READ_MISSES, /* each write counter follows its read counter */
	PAPI_VPMU_L1D_WRITE_MISSES,
	PAPI_VPMU_L2D_READ_MISSES,
	PAPI_VPMU_L2D_WRITE_MISSES,
	PAPI_VPMU_L3D_READ_MISSES,
	PAPI_VPMU_L3D_WRITE_MISSES,
	PAPI_VPMU_DTLB_READ_MISSES, /* of the first level */
	PAPI_VPMU_DTLB_WRITE_MISSES,
	PAPI_VPMU_DTLB_READ_WALKS, /* of all levels: the page table is walked */
	PAPI_VPMU_DTLB_WRITE_WALKS,
	PAPI_VPMU_ITLB_MISSES,
	PAPI_VPMU_ITLB_WALKS,
	PAPI_VPMU_PREFETCH_MISSES,
	PAPI_VPMU_CONDITIONAL_MISPREDICTED,
	PAPI_VPMU_INDIRECT_MISPREDICTED,
	PAPI_VPMU_RETURNS_MISPREDICTED,
	PAPI_VPMU_LAST_MODELLED = PAPI_VPMU_RETURNS_MISPREDICTED,
};

/*
 * Parts of the simulators, a bit each: only those run that what is counted needs. What has levels that data and code
 * share needs both. A part that does not run stays as the thread has left it.
 */
enum papi_vpmu_part {
	PAPI_VPMU_PART_BRANCHES = 1 << 0, /* the branch predictor */
	PAPI_VPMU_PART_DATA = 1 << 1,     /* L1D */
	PAPI_VPMU_PART_CODE = 1 << 2,     /* L1I and the TLBs of code */
	PAPI_VPMU_PART_PAGES = 1 << 3,    /* besides data: the TLBs of data */
	PAPI_VPMU_PARTS_SHARED = PAPI_VPMU_PART_DATA | PAPI_VPMU_PART_PAGES | PAPI_VPMU_PART_CODE,
	PAPI_VPMU_PARTS = PAPI_VPMU_PARTS_SHARED | PAPI_VPMU_PART_BRANCHES,
};

/* Whether only accesses to data are looked at. */
static inline bool papi_vpmu_is_data_alone(unsigned parts)
{
	return (parts & ~(unsigned)PAPI_VPMU_PART_PAGES) == PAPI_VPMU_PART_DATA;
}

/* Room for counters in each thread; modelled ones follow the exact ones. */
#define PAPI_VPMU_COUNTERS 64

#endif
