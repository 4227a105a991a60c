/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Caches as CPUID tells them, for machines whose /sys is hidden. Intel enumerates them in leaf 4 and AMD, in the same
 * form, in 0x8000001d; older AMD processors have one register for each cache in 0x80000005 and 0x80000006.
 */
#include <limits.h>

#include "linux/cpu/cpuid.h"
#include "linux/machine/hardware_parts.h"

/* No processor enumerates more; the end is marked by a cache of type 0. */
#define SUBLEAF_MAX 16

static uint32_t bits(uint32_t value, int low, int high)
{
	return value >> low & (0xffffffffu >> (31 - (high - low)));
}

/* Adds what one subleaf describes. False at the end of the enumeration. */
static bool add_enumerated(PAPI_mh_info_t *hierarchy, uint32_t leaf, uint32_t subleaf)
{
	static const int types[] = { PAPI_MH_TYPE_EMPTY, PAPI_MH_TYPE_DATA, PAPI_MH_TYPE_INST, PAPI_MH_TYPE_UNIFIED };
	papi_cpuid_t registers;
	PAPI_mh_cache_info_t cache = { 0 };
	uint32_t type, line, partitions, ways;
	uint64_t size;

	if (!papi_cpuid_read(leaf, subleaf, &registers))
		return false;
	type = bits(registers.eax, 0, 4);
	if (type == 0 || type > 3)
		return false;
	line = bits(registers.ebx, 0, 11) + 1;
	partitions = bits(registers.ebx, 12, 21) + 1;
	ways = bits(registers.ebx, 22, 31) + 1;
	size = (uint64_t)line * partitions * ways * ((uint64_t)registers.ecx + 1);
	if (size > INT_MAX)
		return true;
	cache.type = types[type];
	cache.size = (int)size;
	cache.line_size = (int)line;
	cache.num_lines = (int)(size / line);
	cache.associativity = (int)ways;
	papi_hierarchy_add_cache(hierarchy, (int)bits(registers.eax, 5, 7), &cache);
	return true;
}

static bool enumerate(PAPI_mh_info_t *hierarchy, uint32_t leaf)
{
	for (uint32_t subleaf = 0; subleaf < SUBLEAF_MAX; subleaf++) {
		if (!add_enumerated(hierarchy, leaf, subleaf))
			break;
	}
	return hierarchy->levels > 0;
}

/* ways: -1 for fully associative. */
static void add_described(PAPI_mh_info_t *hierarchy, int level, int type, uint32_t kilobytes, uint32_t line, int ways)
{
	PAPI_mh_cache_info_t cache = { .type = type, .line_size = (int)line };

	if (kilobytes == 0 || line == 0 || kilobytes > INT_MAX / 1024)
		return;
	cache.size = (int)kilobytes * 1024;
	cache.num_lines = cache.size / cache.line_size;
	cache.associativity = ways < 0 ? cache.num_lines : ways;
	papi_hierarchy_add_cache(hierarchy, level, &cache);
}

/* AMD before 0x8000001d. */
static bool fill_from_registers(PAPI_mh_info_t *hierarchy)
{
	/* The four bits by which 0x80000006 gives associativity; 0 where there is no cache or no answer. */
	static const int ways[16] = { 0, 1, 2, 3, 4, 6, 8, 0, 16, 0, 32, 48, 64, 96, 128, -1 };
	papi_cpuid_t first, second;

	if (papi_cpuid_read(0x80000005u, 0, &first)) {
		uint32_t data = bits(first.ecx, 16, 23), instruction = bits(first.edx, 16, 23);

		add_described(hierarchy, 1, PAPI_MH_TYPE_DATA, bits(first.ecx, 24, 31), bits(first.ecx, 0, 7),
			data == 0xff ? -1 : (int)data);
		add_described(hierarchy, 1, PAPI_MH_TYPE_INST, bits(first.edx, 24, 31), bits(first.edx, 0, 7),
			instruction == 0xff ? -1 : (int)instruction);
	}
	if (papi_cpuid_read(0x80000006u, 0, &second)) {
		add_described(hierarchy, 2, PAPI_MH_TYPE_UNIFIED, bits(second.ecx, 16, 31), bits(second.ecx, 0, 7),
			ways[bits(second.ecx, 12, 15)]);
		add_described(hierarchy, 3, PAPI_MH_TYPE_UNIFIED, bits(second.edx, 18, 31) * 512,
			bits(second.edx, 0, 7), ways[bits(second.edx, 12, 15)]);
	}
	return hierarchy->levels > 0;
}

#define AMD_VENDOR 0x68747541u /* "Auth" of "AuthenticAMD", in ebx */
#define BULLDOZER  0x15u

static uint32_t family_of(const papi_cpuid_t *signature)
{
	uint32_t family = bits(signature->eax, 8, 11);

	return family == 0xf ? family + bits(signature->eax, 20, 27) : family;
}

/*
 * No leaf tells how a cache writes, but the manuals of all makers do: x86 caches of data write back and allocate on
 * reads and writes, but for the first level of AMD's family 15h, which writes through and allocates on reads.
 */
void papi_cpuid_policies_fill(PAPI_mh_info_t *hierarchy)
{
	papi_cpuid_t vendor, signature;
	bool through;

	if (!papi_cpuid_read(PAPI_CPUID_BASIC, 0, &vendor) || !papi_cpuid_read(1, 0, &signature))
		return;
	through = vendor.ebx == AMD_VENDOR && family_of(&signature) == BULLDOZER;
	for (int level = 0; level < PAPI_MAX_MEM_HIERARCHY_LEVELS; level++) {
		for (int i = 0; i < PAPI_MH_MAX_LEVELS; i++) {
			int *type = &hierarchy->level[level].cache[i].type;

			/* What the kernel has told stays. */
			if (*type != PAPI_MH_TYPE_DATA && *type != PAPI_MH_TYPE_UNIFIED)
				continue;
			*type |= level == 0 && through ? PAPI_MH_TYPE_WT | PAPI_MH_TYPE_RD_ALLOC
						       : PAPI_MH_TYPE_WB | PAPI_MH_TYPE_RW_ALLOC;
		}
	}
}

bool papi_cpuid_caches_fill(PAPI_mh_info_t *hierarchy)
{
	return enumerate(hierarchy, 4) || enumerate(hierarchy, 0x8000001du) || fill_from_registers(hierarchy);
}
