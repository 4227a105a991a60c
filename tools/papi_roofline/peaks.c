/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * peaks.c - what is measured: each level of caches and memory, and arithmetic by precision and width of vectors.
 *
 * For a cache, half of it is gone through: less would come from the one above, and all of it does not fit beside what
 * else is there. Caches above the last one are taken for each core's own, the last one for that of all; threads of one
 * core have a part of its caches each. For memory it is four times the last cache.
 */
#include <string.h>
#include <unistd.h>

#include "papi.h"
#include "papi_roofline/papi_roofline.h"

#define SMALLEST_MEMORY (64UL << 20)
#define UNIT            6144 /* three vectors, and the steps of all kernels */

/* The data cache of a level, in bytes; 0: it has none. */
static size_t cache_of(const PAPI_hw_info_t *hardware, int level)
{
	const PAPI_mh_cache_info_t *caches = hardware->mem_hierarchy.level[level].cache;

	for (int i = 0; i < PAPI_MH_MAX_LEVELS; i++)
		if ((caches[i].type & PAPI_MH_TYPE_DATA) && caches[i].size > 0)
			return (size_t)caches[i].size;
	return 0;
}

void papi_roofline_describe(struct papi_roofline *roofline)
{
	const PAPI_hw_info_t *hardware = PAPI_get_hardware_info();

	memset(roofline, 0, sizeof(*roofline));
	snprintf(roofline->cpu, sizeof(roofline->cpu), "%s", hardware ? hardware->model_string : "unknown");
	roofline->cpus = papi_roofline_cpus();
}

static void tell(const char *name)
{
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r\x1b[K%s%s", *name ? "papi_roofline measures " : "", name);
}

static size_t whole_units(size_t bytes)
{
	return bytes < UNIT ? UNIT : bytes / UNIT * UNIT;
}

/* One kernel of this peak: kept where it is better than those before it. */
static bool try_kernel(struct papi_roofline_peak *peak, const struct papi_roofline_kernel *kernel, size_t alone,
	size_t together, unsigned cpus)
{
	struct papi_roofline_rate one, all;

	if (!papi_roofline_measure(kernel, alone, 1, &one) || !papi_roofline_measure(kernel, together, cpus, &all))
		return false;
	if (one.best > peak->one.best) {
		snprintf(peak->kernel, sizeof(peak->kernel), "%s", kernel->name);
		peak->one = one;
	}
	/* All together can leave it to one of them, where more are slower. */
	if (all.best < one.best)
		all = one;
	if (all.best > peak->all.best)
		peak->all = all;
	return true;
}

static struct papi_roofline_peak *new_peak(struct papi_roofline *roofline, bool is_memory)
{
	struct papi_roofline_peak *peak = &roofline->peaks[roofline->n];

	memset(peak, 0, sizeof(*peak));
	peak->is_memory = is_memory;
	return peak;
}

/* size: of the cache, 0 for memory; alone, together: bytes for each thread. */
static bool find_bandwidth(struct papi_roofline *roofline, const char *name, size_t size, size_t alone, size_t together)
{
	struct papi_roofline_peak *peak = new_peak(roofline, true);

	snprintf(peak->name, sizeof(peak->name), "%s", name);
	peak->bytes = (double)size;
	tell(name);
	for (const struct papi_roofline_kernel *kernel = papi_roofline_kernels; kernel->name; kernel++)
		if (kernel->kind == PAPI_ROOFLINE_MEMORY && kernel->runs() &&
			!try_kernel(peak, kernel, whole_units(alone), whole_units(together), roofline->cpus))
			return false;
	roofline->n++;
	return true;
}

static bool find_flops(struct papi_roofline *roofline)
{
	for (const struct papi_roofline_kernel *kernel = papi_roofline_kernels; kernel->name; kernel++) {
		struct papi_roofline_peak *peak;

		if (kernel->kind == PAPI_ROOFLINE_MEMORY || !kernel->runs() || roofline->n == PAPI_ROOFLINE_PEAKS)
			continue;
		peak = new_peak(roofline, false);
		snprintf(peak->name, sizeof(peak->name), "%s %u",
			kernel->kind == PAPI_ROOFLINE_DOUBLE ? "double" : "single", kernel->bits);
		tell(peak->name);
		if (!try_kernel(peak, kernel, 0, 0, roofline->cpus))
			return false;
		roofline->n++;
	}
	return true;
}

/* Four times the last cache for all threads together, but no more than a quarter of what is free. */
static size_t memory_for(size_t last, unsigned cpus)
{
	size_t free_bytes = (size_t)sysconf(_SC_AVPHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
	size_t wanted = 4 * last > SMALLEST_MEMORY ? 4 * last : SMALLEST_MEMORY;

	wanted = wanted < free_bytes / 4 ? wanted : free_bytes / 4;
	return wanted / cpus;
}

bool papi_roofline_find(struct papi_roofline *roofline)
{
	const PAPI_hw_info_t *hardware = PAPI_get_hardware_info();
	int levels = hardware ? hardware->mem_hierarchy.levels : 0;
	unsigned threads = hardware && hardware->threads > 1 ? (unsigned)hardware->threads : 1;
	size_t last = 0;
	bool good = true;

	roofline->n = 0;
	for (int i = 0; i < levels && i < PAPI_MAX_MEM_HIERARCHY_LEVELS && good; i++) {
		size_t size = cache_of(hardware, i);
		unsigned sharing = i + 1 == levels && i > 0 ? roofline->cpus : threads;
		char name[16];

		if (!size)
			continue;
		snprintf(name, sizeof(name), "L%d", i + 1);
		good = find_bandwidth(roofline, name, size, size / 2 / threads, size / 2 / sharing);
		last = size;
	}
	good = good && find_bandwidth(roofline, "memory", 0, memory_for(last, 1), memory_for(last, roofline->cpus)) &&
		find_flops(roofline);
	tell("");
	return good;
}

const struct papi_roofline_peak *papi_roofline_highest(const struct papi_roofline *roofline, bool memory)
{
	const struct papi_roofline_peak *found = NULL;

	for (unsigned i = 0; i < roofline->n; i++) {
		const struct papi_roofline_peak *peak = &roofline->peaks[i];

		if (peak->is_memory != memory || (memory ? peak->bytes != 0 : strncmp(peak->name, "double", 6) != 0))
			continue;
		if (!found || peak->all.best > found->all.best)
			found = peak;
	}
	return found;
}
