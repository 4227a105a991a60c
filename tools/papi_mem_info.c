/* SPDX-License-Identifier: BSD-3-Clause */
/* papi_mem_info: shows the caches and the TLBs of the processor, level by level. */
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "common.h"
#include "options.h"
#include "papi.h"

static const struct papi_tool_option options[] = { { 0 } };

static const struct papi_tool tool = {
	.name = "papi_mem_info",
	.purpose = "Shows the caches and the translation lookaside buffers of this machine, level by level.",
	.options = options,
};

/* The lowest bits of a type tell what is kept; policies stand above them. */
static const char *kind(int type)
{
	switch (type & PAPI_MH_TYPE_UNIFIED) {
	case PAPI_MH_TYPE_INST:
		return "Instruction";
	case PAPI_MH_TYPE_DATA:
		return "Data";
	case PAPI_MH_TYPE_UNIFIED:
		return "Unified";
	default:
		return "Other";
	}
}

/* Labels are padded so that numbers end in one column. 0 stands for what the machine does not tell. */
static void print_number(const char *label, int value, const char *unit)
{
	if (value > 0)
		printf("  %-18s%7d%s\n", label, value, unit);
	else
		printf("  %-18s%7s\n", label, "unknown");
}

static void print_associativity(int ways)
{
	/* What the library writes for a TLB whose every entry can hold every page. */
	if (ways == SHRT_MAX)
		printf("  %-18s%7s\n", "Associativity:", "Full");
	else
		print_number("Associativity:", ways, "");
	putchar('\n');
}

static bool print_tlbs(const PAPI_mh_info_t *hierarchy)
{
	bool is_known = false;

	for (int level = 0; level < hierarchy->levels; level++) {
		for (int i = 0; i < PAPI_MH_MAX_LEVELS; i++) {
			const PAPI_mh_tlb_info_t *tlb = &hierarchy->level[level].tlb[i];

			if (tlb->type == PAPI_MH_TYPE_EMPTY)
				continue;
			is_known = true;
			printf("L%d %s TLB:\n", level + 1, kind(tlb->type));
			print_number("Page Size:", tlb->page_size / 1024, " KB");
			print_number("Number of Entries:", tlb->num_entries, "");
			print_associativity(tlb->associativity);
		}
	}
	return is_known;
}

static bool print_caches(const PAPI_mh_info_t *hierarchy)
{
	bool is_known = false;

	for (int level = 0; level < hierarchy->levels; level++) {
		for (int i = 0; i < PAPI_MH_MAX_LEVELS; i++) {
			const PAPI_mh_cache_info_t *cache = &hierarchy->level[level].cache[i];

			if (cache->type == PAPI_MH_TYPE_EMPTY)
				continue;
			is_known = true;
			printf("L%d %s Cache:\n", level + 1, kind(cache->type));
			print_number("Total size:", cache->size / 1024, " KB");
			print_number("Line size:", cache->line_size, " B");
			print_number("Number of Lines:", cache->num_lines, "");
			print_associativity(cache->associativity);
		}
	}
	return is_known;
}

int main(int argc, char **argv)
{
	const PAPI_hw_info_t *hardware;

	papi_tool_begin();
	papi_tool_next_option(&tool, argc, argv);
	papi_tool_init();
	hardware = PAPI_get_hardware_info();
	if (!hardware) {
		papi_tool_complain("the hardware cannot be described", PAPI_ESYS);
		return papi_tool_finish(EXIT_FAILURE);
	}

	printf("Memory hierarchy of this machine.\n");
	printf("------------------------------------------------------------------------\n");
	printf("TLB Information.\n  A TLB that takes pages of several sizes has an entry for each.\n\n");
	if (!print_tlbs(&hardware->mem_hierarchy))
		printf("  This machine does not tell of its TLBs.\n\n");
	printf("Cache Information.\n\n");
	if (!print_caches(&hardware->mem_hierarchy))
		printf("  This machine does not tell of its caches.\n\n");
	return papi_tool_finish(EXIT_SUCCESS);
}
