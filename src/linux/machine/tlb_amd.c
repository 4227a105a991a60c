/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * TLBs of AMD processors: leaves 0x80000005 (first level), 0x80000006 (second) and 0x80000019 (pages of 1 GB on both).
 * Each register describes an instruction and a data TLB.
 */
#include <limits.h>

#include "linux/cpu/cpuid.h"
#include "linux/machine/hardware_parts.h"

#define PAGE_4K (4l << 10)
#define PAGE_2M (2l << 20)
#define PAGE_1G (1l << 30)

/* Eight bits of entries and eight of ways for each: the form of 0x80000005. */
static void add_bytes(PAPI_mh_info_t *hierarchy, int type, uint32_t half, long page_size)
{
	int ways = half >> 8 & 0xff;

	papi_hierarchy_add_tlb(hierarchy, 1, type, half & 0xff, page_size, ways == 0xff ? SHRT_MAX : ways);
}

/* Twelve bits of entries and four of ways, these by a code: the form of the other two. */
static void add_coded(PAPI_mh_info_t *hierarchy, int level, int type, uint32_t half, long page_size)
{
	static const int ways[16] = { 0, 1, 2, 3, 4, 6, 8, 0, 16, 0, 32, 48, 64, 96, 128, SHRT_MAX };

	/* Code 0 says that the TLB is switched off, whatever the number of entries. */
	if (half >> 12 & 0xf)
		papi_hierarchy_add_tlb(hierarchy, level, type, half & 0xfff, page_size, ways[half >> 12 & 0xf]);
}

/* The lower half of a register is for instructions. With an empty upper half it is for both. */
static void add_coded_pair(PAPI_mh_info_t *hierarchy, int level, uint32_t value, long page_size)
{
	bool is_unified = value >> 16 == 0;

	add_coded(hierarchy, level, is_unified ? PAPI_MH_TYPE_UNIFIED : PAPI_MH_TYPE_INST, value & 0xffff, page_size);
	add_coded(hierarchy, level, PAPI_MH_TYPE_DATA, value >> 16, page_size);
}

bool papi_tlb_amd_fill(PAPI_mh_info_t *hierarchy)
{
	papi_cpuid_t first, second, huge;

	/* Intel has these leaves too, with all of the registers for TLBs 0. */
	if (!papi_cpuid_read(0x80000005u, 0, &first) || first.ebx == 0)
		return false;
	papi_cpuid_read(0x80000006u, 0, &second);
	papi_cpuid_read(0x80000019u, 0, &huge);

	add_bytes(hierarchy, PAPI_MH_TYPE_INST, first.ebx & 0xffff, PAGE_4K);
	add_bytes(hierarchy, PAPI_MH_TYPE_DATA, first.ebx >> 16, PAGE_4K);
	add_bytes(hierarchy, PAPI_MH_TYPE_INST, first.eax & 0xffff, PAGE_2M);
	add_bytes(hierarchy, PAPI_MH_TYPE_DATA, first.eax >> 16, PAGE_2M);
	add_coded_pair(hierarchy, 1, huge.eax, PAGE_1G);

	add_coded_pair(hierarchy, 2, second.ebx, PAGE_4K);
	add_coded_pair(hierarchy, 2, second.eax, PAGE_2M);
	add_coded_pair(hierarchy, 2, huge.ebx, PAGE_1G);
	return true;
}
