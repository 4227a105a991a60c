/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * TLBs of Intel processors. Newer ones enumerate them in leaf 0x18; older ones give leaf 2, a handful of bytes that
 * each stand for a TLB, or a cache, of a fixed kind. The Intel manual lists the bytes with the CPUID instruction.
 *
 * Pages of 4 MB exist only without PAE, so never for a 64-bit program: a TLB for "2 or 4 MB" is entered for 2 MB, and
 * one for 4 MB alone, which takes half as many pages of 2 MB or none, is left out.
 */
#include <limits.h>
#include <string.h>

#include "linux/cpu/cpuid.h"
#include "linux/machine/hardware_parts.h"

#define PAGE_4K (4l << 10)
#define PAGE_2M (2l << 20)
#define PAGE_1G (1l << 30)

#define INST    PAPI_MH_TYPE_INST
#define DATA    PAPI_MH_TYPE_DATA
#define UNIFIED PAPI_MH_TYPE_UNIFIED
#define FULL    SHRT_MAX

struct descriptor {
	unsigned char byte;
	unsigned char level;
	unsigned char type;
	short entries;
	long page_size;
	short ways; /* 0 where the manual does not tell */
};

/* A byte that stands for several page sizes has a line for each. Level 2 is what the manual calls TLB1 or shared, and
 * what stands behind a uTLB. */
static const struct descriptor descriptors[] = {
	{ 0x01, 1, INST, 32, PAGE_4K, 4 },
	{ 0x4f, 1, INST, 32, PAGE_4K, 0 },
	{ 0x50, 1, INST, 64, PAGE_4K, 0 },
	{ 0x50, 1, INST, 64, PAGE_2M, 0 },
	{ 0x51, 1, INST, 128, PAGE_4K, 0 },
	{ 0x51, 1, INST, 128, PAGE_2M, 0 },
	{ 0x52, 1, INST, 256, PAGE_4K, 0 },
	{ 0x52, 1, INST, 256, PAGE_2M, 0 },
	{ 0x55, 1, INST, 7, PAGE_2M, FULL },
	{ 0x61, 1, INST, 48, PAGE_4K, FULL },
	{ 0x76, 1, INST, 8, PAGE_2M, FULL },
	{ 0xb0, 1, INST, 128, PAGE_4K, 4 },
	{ 0xb1, 1, INST, 8, PAGE_2M, 4 },
	{ 0xb2, 1, INST, 64, PAGE_4K, 4 },
	{ 0xb5, 1, INST, 64, PAGE_4K, 8 },
	{ 0xb6, 1, INST, 128, PAGE_4K, 8 },
	{ 0x03, 1, DATA, 64, PAGE_4K, 4 },
	{ 0x57, 1, DATA, 16, PAGE_4K, 4 },
	{ 0x59, 1, DATA, 16, PAGE_4K, FULL },
	{ 0x5a, 1, DATA, 32, PAGE_2M, 4 },
	{ 0x5b, 1, DATA, 64, PAGE_4K, 0 },
	{ 0x5c, 1, DATA, 128, PAGE_4K, 0 },
	{ 0x5d, 1, DATA, 256, PAGE_4K, 0 },
	{ 0x63, 1, DATA, 32, PAGE_2M, 4 },
	{ 0x63, 1, DATA, 4, PAGE_1G, 4 },
	{ 0x64, 2, DATA, 512, PAGE_4K, 4 },
	{ 0x6a, 1, DATA, 64, PAGE_4K, 8 },
	{ 0x6b, 2, DATA, 256, PAGE_4K, 8 },
	{ 0x6c, 2, DATA, 128, PAGE_2M, 8 },
	{ 0x6d, 2, DATA, 16, PAGE_1G, FULL },
	{ 0xa0, 1, DATA, 32, PAGE_4K, FULL },
	{ 0xb3, 1, DATA, 128, PAGE_4K, 4 },
	{ 0xb4, 2, DATA, 256, PAGE_4K, 4 },
	{ 0xba, 2, DATA, 64, PAGE_4K, 4 },
	{ 0xc0, 1, DATA, 8, PAGE_4K, 4 },
	{ 0xc1, 2, UNIFIED, 1024, PAGE_4K, 8 },
	{ 0xc1, 2, UNIFIED, 1024, PAGE_2M, 8 },
	{ 0xc2, 1, DATA, 16, PAGE_4K, 4 },
	{ 0xc2, 1, DATA, 16, PAGE_2M, 4 },
	{ 0xc3, 2, UNIFIED, 1536, PAGE_4K, 6 },
	{ 0xc3, 2, UNIFIED, 1536, PAGE_2M, 6 },
	{ 0xc3, 2, UNIFIED, 16, PAGE_1G, 4 },
	{ 0xc4, 1, DATA, 32, PAGE_2M, 4 },
	{ 0xca, 2, UNIFIED, 512, PAGE_4K, 4 },
};

static void collect_bytes(bool *is_present, uint32_t value)
{
	/* The highest bit marks a register that holds something else. */
	if (value >> 31)
		return;
	for (int shift = 0; shift < 32; shift += 8)
		is_present[value >> shift & 0xff] = true;
}

static bool fill_from_bytes(PAPI_mh_info_t *hierarchy)
{
	bool is_present[256] = { false };
	bool is_known = false;
	papi_cpuid_t registers;

	if (!papi_cpuid_read(2, 0, &registers))
		return false;
	/* The lowest byte is not a descriptor: it tells old systems how often to ask. */
	collect_bytes(is_present, registers.eax & ~0xffu);
	collect_bytes(is_present, registers.ebx);
	collect_bytes(is_present, registers.ecx);
	collect_bytes(is_present, registers.edx);
	for (size_t i = 0; i < sizeof(descriptors) / sizeof(descriptors[0]); i++) {
		const struct descriptor *at = &descriptors[i];

		if (!is_present[at->byte])
			continue;
		papi_hierarchy_add_tlb(hierarchy, at->level, at->type, at->entries, at->page_size, at->ways);
		is_known = true;
	}
	return is_known;
}

/* What a subleaf of 0x18 is for, in the lowest five bits of edx. */
enum { NOTHING, FOR_DATA, FOR_INSTRUCTIONS, FOR_BOTH, FOR_LOADS, FOR_STORES };

static void add_enumerated(PAPI_mh_info_t *hierarchy, const papi_cpuid_t *registers, int type)
{
	int level = registers->edx >> 5 & 7;
	int ways = (int)(registers->ebx >> 16);
	/* An absurd number of sets must not overflow. */
	uint64_t entries = (uint64_t)ways * registers->ecx;

	if (registers->edx >> 8 & 1)
		ways = FULL;
	if (entries > INT_MAX)
		return;
	if (registers->ebx & 1)
		papi_hierarchy_add_tlb(hierarchy, level, type, (int)entries, PAGE_4K, ways);
	if (registers->ebx & 2)
		papi_hierarchy_add_tlb(hierarchy, level, type, (int)entries, PAGE_2M, ways);
	if (registers->ebx & 8)
		papi_hierarchy_add_tlb(hierarchy, level, type, (int)entries, PAGE_1G, ways);
}

static bool enumerate(PAPI_mh_info_t *hierarchy, bool is_store)
{
	static const int types[] = { 0, DATA, INST, UNIFIED, DATA, DATA };
	bool is_known = false;
	papi_cpuid_t registers;
	uint32_t last = 0;

	for (uint32_t subleaf = 0; subleaf <= last; subleaf++) {
		uint32_t kind;

		if (!papi_cpuid_read(0x18, subleaf, &registers))
			break;
		if (subleaf == 0)
			last = registers.eax > 63 ? 63 : registers.eax;
		kind = registers.edx & 0x1f;
		if (kind == NOTHING || kind > FOR_STORES || (kind == FOR_STORES) != is_store)
			continue;
		add_enumerated(hierarchy, &registers, types[kind]);
		is_known = true;
	}
	return is_known;
}

bool papi_tlb_intel_fill(PAPI_mh_info_t *hierarchy)
{
	bool is_known = enumerate(hierarchy, false);

	/* A level has six places; the TLBs for stores alone, for which PAPI has no type, come last. */
	is_known |= enumerate(hierarchy, true);
	return is_known || fill_from_bytes(hierarchy);
}
