/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Metrics of work whose counts are known, for known_counts.py, which knows them.
 *
 *	known can                                           whether there is a virtual PMU; if not, why
 *	known caches                                        what caches and TLBs the library says that there are
 *	known count FILE GROUP SUBJECT STRIDE TIMES PASSES  the metrics of the group, around the subject
 *	known run SUBJECT STRIDE TIMES PASSES               the subject alone, for another to count
 */
#include <papi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "known_groups.h"
#include "known_subjects.h"
#include "region.h"
#include "virtual.h"

static int print_caches(void)
{
	const PAPI_hw_info_t *hardware = PAPI_get_hardware_info();

	if (!hardware)
		known_give_up("PAPI_get_hardware_info");
	for (int i = 0; i < hardware->mem_hierarchy.levels; i++)
		for (int k = 0; k < PAPI_MH_MAX_LEVELS; k++) {
			const PAPI_mh_cache_info_t *cache = &hardware->mem_hierarchy.level[i].cache[k];
			const PAPI_mh_tlb_info_t *tlb = &hardware->mem_hierarchy.level[i].tlb[k];
			static const char *const kinds[] = {
				[PAPI_MH_TYPE_INST] = "I", [PAPI_MH_TYPE_DATA] = "D", [PAPI_MH_TYPE_UNIFIED] = "U"
			};

			if (cache->type & PAPI_MH_TYPE_UNIFIED && cache->line_size > 0)
				printf("cache %d %s %d %d %d\n", i + 1, kinds[cache->type & PAPI_MH_TYPE_UNIFIED],
					cache->size, cache->associativity, cache->line_size);
			if (tlb->type & PAPI_MH_TYPE_UNIFIED && tlb->page_size == 4096)
				printf("tlb %d %s %d %d\n", i + 1, kinds[tlb->type & PAPI_MH_TYPE_UNIFIED],
					tlb->num_entries, tlb->associativity);
		}
	return 0;
}

static const struct known_subject *subject_of(const char *name)
{
	for (size_t i = 0; i < n_known_subjects; i++)
		if (!strcmp(known_subjects[i].name, name))
			return &known_subjects[i];
	fprintf(stderr, "there is no subject %s\n", name);
	exit(EXIT_FAILURE);
}

static int may_run(const struct known_subject *subject)
{
	__builtin_cpu_init();
	if (!subject->needs)
		return 1;
	return !strcmp(subject->needs, "fma") ? __builtin_cpu_supports("fma") : __builtin_cpu_supports("avx512f");
}

/* A jump in each place to the next, and in the last a return. */
static void write_code(const struct known_work *work, size_t size)
{
	for (long i = 0; i < work->times; i++) {
		char *at = work->area + i * work->stride;
		int32_t distance = (int32_t)work->stride - 5;

		*at = i + 1 < work->times ? '\xe9' : '\xc3';
		if (i + 1 < work->times)
			memcpy(at + 1, &distance, sizeof(distance));
	}
	if (mprotect(work->area, size, PROT_READ | PROT_EXEC)) {
		perror("mprotect");
		exit(EXIT_FAILURE);
	}
}

/* Memory that nobody has touched. copy has the second half for what it writes. */
static void prepare(struct known_work *work, const struct known_subject *subject, char **numbers)
{
	size_t size;

	work->stride = strtol(numbers[0], NULL, 10);
	work->times = strtol(numbers[1], NULL, 10);
	work->passes = strtol(numbers[2], NULL, 10);
	size = ((size_t)(work->stride * work->times) + 8191) & ~(size_t)4095;
	work->distance = (long)size;
	work->area = mmap(NULL, 2 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (work->area == MAP_FAILED) {
		perror("mmap");
		exit(EXIT_FAILURE);
	}
	if (subject->of_code)
		write_code(work, size);
}

static int count(char **arguments)
{
	const struct known_subject *subject = subject_of(arguments[2]);
	static struct known_work work;
	static long long counts[PAPI_METRIC_MOST * PAPI_METRIC_EVENTS];
	int set = PAPI_NULL, group;

	if (!virtual_begin())
		return 77;
	if (!may_run(subject)) {
		printf("this processor has no %s\n", subject->needs);
		return 77;
	}
	group = known_group_in(&set, arguments[0], arguments[1]);
	prepare(&work, subject, arguments + 3);
	region(set, counts, subject->run, &work);
	known_print_metrics(group, set, counts, 1);
	return 0;
}

int main(int number, char **arguments)
{
	if (number == 2 && !strcmp(arguments[1], "can"))
		return virtual_begin() ? 0 : 77;
	if (number == 2 && !strcmp(arguments[1], "caches"))
		return PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT ? print_caches() : 1;
	if (number == 8 && !strcmp(arguments[1], "count"))
		return count(arguments + 2);
	if (number == 6 && !strcmp(arguments[1], "run")) {
		const struct known_subject *subject = subject_of(arguments[2]);
		static struct known_work work;

		prepare(&work, subject, arguments + 3);
		subject->run(&work);
		return 0;
	}
	fprintf(stderr, "the first lines of known.c say what to ask for\n");
	return 2;
}
