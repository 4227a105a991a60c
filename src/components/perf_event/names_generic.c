/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernel's generic events under the names that libpfm4 gives them: `perf::PAGE-FAULTS`, `perf::CYCLES`.
 *
 * They are looked up here first, so that a program which counts nothing else never wakes libpfm4, which takes
 * milliseconds; and they are there when the library is built without it. Names with masks or modifiers are libpfm4's.
 * Bare names (`alignment-faults`) are looked up here when libpfm4 knows none of them. Source: perf_event_open(2), the
 * values of config for PERF_TYPE_HARDWARE, PERF_TYPE_SOFTWARE and PERF_TYPE_HW_CACHE.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "components/perf_event/encoding.h"
#include "components/perf_event/names_sysfs.h"
#include "components/perf_event/reasons.h"

static const struct generic {
	const char *name;
	unsigned type;
	unsigned config;
} generics[] = {
#define SOFTWARE(name, event)                                                      \
	{ name, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##event },                       \
	{                                                                          \
		"PERF_COUNT_SW_" #event, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##event \
	}
#define HARDWARE(name, event)                                   \
	{                                                       \
		name, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##event \
	}
#define CACHE(name, cache, operation, result)                                                   \
	{                                                                                       \
		name, PERF_TYPE_HW_CACHE,                                                       \
			PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_##operation << 8 | \
			PERF_COUNT_HW_CACHE_RESULT_##result << 16                               \
	}
	SOFTWARE("CPU-CLOCK", CPU_CLOCK),
	SOFTWARE("TASK-CLOCK", TASK_CLOCK),
	SOFTWARE("PAGE-FAULTS", PAGE_FAULTS),
	SOFTWARE("CONTEXT-SWITCHES", CONTEXT_SWITCHES),
	SOFTWARE("CPU-MIGRATIONS", CPU_MIGRATIONS),
	SOFTWARE("MINOR-FAULTS", PAGE_FAULTS_MIN),
	SOFTWARE("MAJOR-FAULTS", PAGE_FAULTS_MAJ),
	SOFTWARE("ALIGNMENT-FAULTS", ALIGNMENT_FAULTS),
	SOFTWARE("EMULATION-FAULTS", EMULATION_FAULTS),
	SOFTWARE("CGROUP-SWITCHES", CGROUP_SWITCHES),
	{ "FAULTS", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "CS", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "MIGRATIONS", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
	HARDWARE("CYCLES", CPU_CYCLES),
	HARDWARE("CPU-CYCLES", CPU_CYCLES),
	HARDWARE("INSTRUCTIONS", INSTRUCTIONS),
	HARDWARE("CACHE-REFERENCES", CACHE_REFERENCES),
	HARDWARE("CACHE-MISSES", CACHE_MISSES),
	HARDWARE("BRANCH-INSTRUCTIONS", BRANCH_INSTRUCTIONS),
	HARDWARE("BRANCHES", BRANCH_INSTRUCTIONS),
	HARDWARE("BRANCH-MISSES", BRANCH_MISSES),
	HARDWARE("BUS-CYCLES", BUS_CYCLES),
	HARDWARE("STALLED-CYCLES-FRONTEND", STALLED_CYCLES_FRONTEND),
	HARDWARE("STALLED-CYCLES-BACKEND", STALLED_CYCLES_BACKEND),
	HARDWARE("IDLE-CYCLES-FRONTEND", STALLED_CYCLES_FRONTEND),
	HARDWARE("IDLE-CYCLES-BACKEND", STALLED_CYCLES_BACKEND),
	HARDWARE("REF-CYCLES", REF_CPU_CYCLES),
	CACHE("L1-DCACHE-LOADS", L1D, READ, ACCESS),
	CACHE("L1-DCACHE-LOAD-MISSES", L1D, READ, MISS),
	CACHE("L1-DCACHE-STORES", L1D, WRITE, ACCESS),
	CACHE("L1-DCACHE-STORE-MISSES", L1D, WRITE, MISS),
	CACHE("L1-DCACHE-PREFETCHES", L1D, PREFETCH, ACCESS),
	CACHE("L1-DCACHE-PREFETCH-MISSES", L1D, PREFETCH, MISS),
	CACHE("L1-ICACHE-LOADS", L1I, READ, ACCESS),
	CACHE("L1-ICACHE-LOAD-MISSES", L1I, READ, MISS),
	CACHE("LLC-LOADS", LL, READ, ACCESS),
	CACHE("LLC-LOAD-MISSES", LL, READ, MISS),
	CACHE("LLC-STORES", LL, WRITE, ACCESS),
	CACHE("LLC-STORE-MISSES", LL, WRITE, MISS),
	CACHE("LLC-PREFETCHES", LL, PREFETCH, ACCESS),
	CACHE("LLC-PREFETCH-MISSES", LL, PREFETCH, MISS),
	CACHE("DTLB-LOADS", DTLB, READ, ACCESS),
	CACHE("DTLB-LOAD-MISSES", DTLB, READ, MISS),
	CACHE("DTLB-STORES", DTLB, WRITE, ACCESS),
	CACHE("DTLB-STORE-MISSES", DTLB, WRITE, MISS),
	CACHE("ITLB-LOADS", ITLB, READ, ACCESS),
	CACHE("ITLB-LOAD-MISSES", ITLB, READ, MISS),
	CACHE("BRANCH-LOADS", BPU, READ, ACCESS),
	CACHE("BRANCH-LOAD-MISSES", BPU, READ, MISS),
	CACHE("NODE-LOADS", NODE, READ, ACCESS),
	CACHE("NODE-LOAD-MISSES", NODE, READ, MISS),
	CACHE("NODE-STORES", NODE, WRITE, ACCESS),
	CACHE("NODE-STORE-MISSES", NODE, WRITE, MISS),
#undef CACHE
#undef HARDWARE
#undef SOFTWARE
};

#define GENERICS (sizeof(generics) / sizeof(generics[0]))

/* What the software events count, in words; libpfm4 knows only their names. */
static const char *const descriptions[] = {
	[PERF_COUNT_SW_CPU_CLOCK] = "Time on the CPU by the CPU's timer",
	[PERF_COUNT_SW_TASK_CLOCK] = "Time that the thread was running",
	[PERF_COUNT_SW_PAGE_FAULTS] = "Page faults",
	[PERF_COUNT_SW_CONTEXT_SWITCHES] = "Context switches: the CPU was given to another thread",
	[PERF_COUNT_SW_CPU_MIGRATIONS] = "Migrations of the thread to another CPU",
	[PERF_COUNT_SW_PAGE_FAULTS_MIN] = "Page faults served without reading from a device",
	[PERF_COUNT_SW_PAGE_FAULTS_MAJ] = "Page faults that had to read from a device",
	[PERF_COUNT_SW_ALIGNMENT_FAULTS] = "Unaligned accesses that the kernel had to fix",
	[PERF_COUNT_SW_EMULATION_FAULTS] = "Instructions that the kernel had to emulate",
	[PERF_COUNT_SW_CGROUP_SWITCHES] = "Context switches to a thread of another control group",
};

const char *papi_perf_software_description(const struct papi_perf_encoding *encoding)
{
	unsigned long long config = encoding->attr.config;

	if (encoding->attr.type != PERF_TYPE_SOFTWARE || config >= sizeof(descriptions) / sizeof(descriptions[0]))
		return NULL;
	return descriptions[config];
}

void papi_perf_encoding_software(struct papi_perf_encoding *encoding)
{
	if (encoding->attr.type != PERF_TYPE_SOFTWARE)
		return;
	switch (encoding->attr.config) {
	case PERF_COUNT_SW_CONTEXT_SWITCHES:
	case PERF_COUNT_SW_CPU_MIGRATIONS:
	case PERF_COUNT_SW_CGROUP_SWITCHES:
		/* What the scheduler counts happens in the kernel, whoever causes it. */
		atomic_init(&encoding->any_mode, true);
		break;
	case PERF_COUNT_SW_CPU_CLOCK:
	case PERF_COUNT_SW_TASK_CLOCK:
		snprintf(encoding->unit, sizeof(encoding->unit), "ns");
		break;
	default:
		break;
	}
}

static const struct generic *find(const char *name)
{
	/* A bare name is libpfm4's to judge: the PMU of the cores may have an event of that name. */
	if (strncasecmp(name, "perf::", 6))
		return NULL;
	for (size_t i = 0; i < GENERICS; i++)
		if (!strcasecmp(generics[i].name, name + 6))
			return &generics[i];
	return NULL;
}

int papi_perf_generic_resolve(const char *name, struct papi_perf_encoding **resolved)
{
	const struct generic *generic = find(name);
	struct papi_perf_encoding *encoding;

	if (!generic)
		return PAPI_ECMP;
	if (generic->type != PERF_TYPE_SOFTWARE && !papi_perf_core_pmu())
		return papi_error_code();
	encoding = papi_perf_encoding_make(PAPI_PERF_PFM, 0);
	if (!encoding)
		return PAPI_ENOMEM;
	encoding->attr.type = generic->type;
	encoding->attr.config = generic->config;
	encoding->core = generic->type != PERF_TYPE_SOFTWARE;
	if (encoding->core)
		papi_perf_sysfs_spread(encoding);
	papi_perf_encoding_software(encoding);
	snprintf(encoding->summary, sizeof(encoding->summary), "Generic event %s of the kernel", generic->name);
	*resolved = encoding;
	return PAPI_OK;
}

int papi_perf_bare_resolve(const char *name, struct papi_perf_encoding **resolved)
{
	char full[PAPI_MAX_STR_LEN];

	if (strchr(name, ':') || (size_t)snprintf(full, sizeof(full), "perf::%s", name) >= sizeof(full))
		return PAPI_ECMP;
	return papi_perf_generic_resolve(full, resolved);
}

int papi_perf_generic_event(unsigned position, char *name, size_t size)
{
	bool core_pmu = papi_perf_core_pmu();

	for (size_t i = 0; i < GENERICS; i++) {
		if ((generics[i].type != PERF_TYPE_SOFTWARE && !core_pmu) || position--)
			continue;
		snprintf(name, size, "perf::%s", generics[i].name);
		return PAPI_OK;
	}
	return PAPI_ENOEVNT;
}
