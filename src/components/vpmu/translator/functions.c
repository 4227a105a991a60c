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

/* What a number of 32 bits leads to that counts from an address. */
static uint64_t follow(const uint8_t *place, const void *from)
{
	int32_t distance;

	memcpy(&distance, place, sizeof(distance));
	return (uint64_t)(uintptr_t)from + (uint64_t)(int64_t)distance;
}

static uint64_t entry_of(const uint8_t *table, uint32_t number)
{
	return follow(table + 12 + 8 * (uint64_t)number, table);
}

/* How many entries begin no further than there. */
static uint32_t rank_of(const uint8_t *table, uint64_t pc)
{
	uint32_t low = 0, high;

	memcpy(&high, table + 8, sizeof(high));
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (entry_of(table, middle) <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Of the function that pc is in; 0: not known. */
static uint64_t beginning_of(uint64_t pc)
{
	const uint8_t *table = table_of(pc);
	uint32_t rank = table ? rank_of(table, pc) : 0;

	return rank ? entry_of(table, rank - 1) : 0;
}

bool papi_vpmu_functions_begins_another(uint64_t site, uint64_t target)
{
	return beginning_of(target) == target && beginning_of(site) != target;
}

/* An entry leads to a length, a distance, and where the function begins and how long it is, as all have it today. */
bool papi_vpmu_functions_is_no_stub(uint64_t target)
{
	const uint8_t *table = table_of(target), *entry;
	uint32_t rank = table ? rank_of(table, target) : 0, size;

	if (!rank || entry_of(table, rank - 1) != target)
		return false;
	entry = (const uint8_t *)(uintptr_t)follow(table + 16 + 8 * (uint64_t)(rank - 1), table);
	if (follow(entry + 8, entry + 8) != target)
		return false;
	memcpy(&size, entry + 12, sizeof(size));
	return size % 8;
}
