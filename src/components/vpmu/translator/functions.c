/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/translator/functions.h"

#include <dlfcn.h>
#include <string.h>

#ifdef DLFO_STRUCT_HAS_EH_DBASE
/* glibc's, since 2.35, which takes no lock. */
#pragma weak _dl_find_object

/* The search table of an object: a version, four encodings that all have today, and pairs of 32 bits from its own
 * address, sorted. */
static const uint8_t *table_of(uint64_t pc)
{
	static const uint8_t usual[] = { 1, 0x1b, 3, 0x3b };
	struct dl_find_object object;

	if (!_dl_find_object || _dl_find_object((void *)(uintptr_t)pc, &object) || !object.dlfo_eh_frame)
		return NULL;
	return memcmp(object.dlfo_eh_frame, usual, sizeof(usual)) ? NULL : object.dlfo_eh_frame;
}
#else
static const uint8_t *table_of(uint64_t pc)
{
	(void)pc;
	return NULL;
}
#endif

static uint64_t entry_of(const uint8_t *table, uint32_t number)
{
	int32_t distance;

	memcpy(&distance, table + 12 + 8 * (uint64_t)number, sizeof(distance));
	return (uint64_t)(uintptr_t)table + (uint64_t)(int64_t)distance;
}

/* Of the function that pc is in; 0: not known. */
static uint64_t beginning_of(uint64_t pc)
{
	const uint8_t *table = table_of(pc);
	uint32_t low = 0, high = 0;

	if (table)
		memcpy(&high, table + 8, sizeof(high));
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (entry_of(table, middle) <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? entry_of(table, low - 1) : 0;
}

bool papi_vpmu_functions_begins_another(uint64_t site, uint64_t target)
{
	return beginning_of(target) == target && beginning_of(site) != target;
}
