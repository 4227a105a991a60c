/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which caches and TLBs the simulators imitate: those of this machine, or what PAPI_VPMU_CACHE says instead.
 *
 *	PAPI_VPMU_CACHE=L1D=32K/8/64,L2=1M/16/64,L3=none,DTLB=64/4
 *
 * Caches (L1I, L1D, L2, L3) are SIZE/WAYS/LINE in bytes with K, M or G; WAYS may be "full". TLBs for pages of 4 KiB
 * (ITLB, DTLB, and behind them ITLB2, DTLB2) are ENTRIES/WAYS. "none" takes L3 or a TLB of the second level away; what
 * is not named stays as the machine has it. The number of sets need not be a power of two, that of a line must be.
 * L3=shared, besides what else is said of it, makes it one for all threads of a process.
 *
 * PAPI_VPMU_MODEL says how much of it is simulated: all ("full", unless told), or a choice of sets ("sampled").
 * "recorded" is full, of records alone, and "checking" without them where that can be: both count the same, for tests
 * that compare them.
 */
#ifndef PAPI_VPMU_MODELS_GEOMETRY_H
#define PAPI_VPMU_MODELS_GEOMETRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "components/vpmu/models/choice.h"

/* A cache of sets * ways lines; ways 0: there is none. Lines of TLBs are pages. */
struct papi_vpmu_shape {
	uint32_t sets, ways;
	uint32_t shift; /* a line has 1 << shift bytes */
};

struct papi_vpmu_geometry {
	struct papi_vpmu_shape l1i, l1d, l2, l3;
	struct papi_vpmu_shape itlb, dtlb, itlb2, dtlb2;
	bool shared_tlb2;               /* itlb2 and dtlb2 are one TLB */
	bool shared_l3;                 /* by the threads of a process (shared.h) */
	bool recorded;                  /* with PAPI_VPMU_MODEL=recorded: records tell of all that is simulated */
	bool checking;                  /* with PAPI_VPMU_MODEL=checking: they do so where they have to alone */
	struct papi_vpmu_choice choice; /* with PAPI_VPMU_MODEL=sampled: what of the caches is simulated */
};

/*
 * The one in force, found out on the first call. NULL, with the reason, when PAPI_VPMU_CACHE or PAPI_VPMU_MODEL makes
 * no sense. Under the library lock until it has succeeded once; afterwards from anywhere, reason may then be NULL.
 */
const struct papi_vpmu_geometry *papi_vpmu_geometry_current(char *reason, size_t size);
/* If none is in force yet, what these texts make of it is, whatever is in the environment. False where they make no
 * sense. */
bool papi_vpmu_geometry_take(const char *caches, const char *model);
/* The next call finds out anew. */
void papi_vpmu_geometry_forget(void);

/* The machine's geometry as the text of the variable, which may be NULL, changes it. */
bool papi_vpmu_geometry_read(struct papi_vpmu_geometry *geometry, const char *text, char *reason, size_t size);
/*
 * As the variable has it, with every part named: the same text is the same geometry, on whatever machine. What the
 * variable cannot say is ITLB2=shared: the two TLBs of the second level are one.
 */
void papi_vpmu_geometry_write(const struct papi_vpmu_geometry *geometry, char *text, size_t size);
/* What the text of PAPI_VPMU_MODEL, which may be NULL, makes of it. */
bool papi_vpmu_geometry_choose(struct papi_vpmu_geometry *geometry, const char *text, char *reason, size_t size);

#endif
