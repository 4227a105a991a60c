/* SPDX-License-Identifier: BSD-3-Clause */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/text.h"
#include "linux/machine/hardware_parts.h"
#include "linux/proc/cpus.h"

/* The caches of one CPU; the kernel numbers them without gaps. */
#define INDEX_MAX 32

void papi_hierarchy_add_cache(PAPI_mh_info_t *hierarchy, int level, const PAPI_mh_cache_info_t *cache)
{
	if (level < 1 || level > PAPI_MAX_MEM_HIERARCHY_LEVELS)
		return;
	for (int i = 0; i < PAPI_MH_MAX_LEVELS; i++) {
		PAPI_mh_cache_info_t *place = &hierarchy->level[level - 1].cache[i];

		if (place->type == PAPI_MH_TYPE_EMPTY) {
			*place = *cache;
			if (level > hierarchy->levels)
				hierarchy->levels = level;
			return;
		}
	}
}

/* One file of a cache as a number; 0 when it is missing, not a number or too large. */
static int read_number(const char *directory, const char *name)
{
	char path[192];
	long long number;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	if (papi_linux_read_int(path, &number) < 0 || number < 0 || number > INT_MAX)
		return 0;
	return (int)number;
}

/* "48K", as sysfs writes sizes, in bytes; 0 when it is missing or makes no sense. */
static int read_size(const char *directory)
{
	char path[192], text[32];
	char *unit;
	long long size;
	int shift;

	snprintf(path, sizeof(path), "%s/size", directory);
	if (papi_linux_read_line(path, text, sizeof(text)) <= 0)
		return 0;
	size = strtoll(text, &unit, 10);
	shift = *unit == 'K' ? 10 : *unit == 'M' ? 20 : *unit == 'G' ? 30 : 0;
	if (unit == text || size <= 0 || size > INT_MAX >> shift)
		return 0;
	return (int)(size << shift);
}

/* Kind and, where the firmware told the kernel, policy. PAPI_MH_TYPE_EMPTY when there is no such cache. */
static int read_type(const char *directory)
{
	char path[192], text[64];
	int type;

	snprintf(path, sizeof(path), "%s/type", directory);
	papi_linux_read_line(path, text, sizeof(text));
	if (strcmp(text, "Data") == 0)
		type = PAPI_MH_TYPE_DATA;
	else if (strcmp(text, "Instruction") == 0)
		type = PAPI_MH_TYPE_INST;
	else if (strcmp(text, "Unified") == 0)
		type = PAPI_MH_TYPE_UNIFIED;
	else
		return PAPI_MH_TYPE_EMPTY;
	snprintf(path, sizeof(path), "%s/write_policy", directory);
	if (papi_linux_read_line(path, text, sizeof(text)) > 0 && strcmp(text, "WriteBack") == 0)
		type |= PAPI_MH_TYPE_WB;
	snprintf(path, sizeof(path), "%s/allocation_policy", directory);
	if (papi_linux_read_line(path, text, sizeof(text)) <= 0)
		return type;
	if (strcmp(text, "ReadAllocate") == 0)
		type |= PAPI_MH_TYPE_RD_ALLOC;
	else if (strcmp(text, "WriteAllocate") == 0)
		type |= PAPI_MH_TYPE_WR_ALLOC;
	else if (strcmp(text, "ReadWriteAllocate") == 0)
		type |= PAPI_MH_TYPE_RW_ALLOC;
	return type;
}

static void add_index(PAPI_mh_info_t *hierarchy, const char *directory)
{
	PAPI_mh_cache_info_t cache = { .type = read_type(directory) };
	int sets = read_number(directory, "number_of_sets");

	if (cache.type == PAPI_MH_TYPE_EMPTY)
		return;
	cache.size = read_size(directory);
	cache.line_size = read_number(directory, "coherency_line_size");
	cache.associativity = read_number(directory, "ways_of_associativity");
	if (cache.line_size > 0)
		cache.num_lines = cache.size / cache.line_size;
	/* Device trees describe a cache by its sets, and the kernel leaves the ways of a fully associative one at 0. */
	if (cache.associativity == 0 && sets > 0)
		cache.associativity = cache.num_lines / sets;
	papi_hierarchy_add_cache(hierarchy, read_number(directory, "level"), &cache);
}

void papi_caches_fill(PAPI_mh_info_t *hierarchy)
{
	papi_id_set_t online;
	char directory[128];
	int cpu;

	papi_linux_online_set(&online);
	cpu = papi_id_set_next(&online, 0);
	for (int index = 0; index < INDEX_MAX; index++) {
		snprintf(directory, sizeof(directory), "/sys/devices/system/cpu/cpu%d/cache/index%d", cpu, index);
		if (!papi_linux_exists(directory))
			break;
		add_index(hierarchy, directory);
	}
	if (hierarchy->levels == 0)
		papi_cpuid_caches_fill(hierarchy);
	papi_cpuid_policies_fill(hierarchy);
}
