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

static uint32_t number_at(const uint8_t *place)
{
	uint32_t number;

	memcpy(&number, place, sizeof(number));
	return number;
}

static uint64_t entry_of(const uint8_t *table, uint32_t number)
{
	return follow(table + 12 + 8 * (uint64_t)number, table);
}

/* How many entries begin no further than there. */
static uint32_t rank_of(const uint8_t *table, uint64_t pc)
{
	uint32_t low = 0, high = number_at(table + 8);

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

/* The entry of the function that begins there: a length, a distance, and where it begins and how long it is, as all
 * have it today. NULL: none begins there. */
static const uint8_t *entry_at(uint64_t target)
{
	const uint8_t *table = table_of(target), *entry;
	uint32_t rank = table ? rank_of(table, target) : 0;

	if (!rank || entry_of(table, rank - 1) != target)
		return NULL;
	entry = (const uint8_t *)(uintptr_t)follow(table + 16 + 8 * (uint64_t)(rank - 1), table);
	return follow(entry + 8, entry + 8) == target ? entry : NULL;
}

/* Behind what the entry begins with, and what a handler of exceptions has there; NULL: it is of another form, or there
 * are none. */
static const uint8_t *first_rule(const uint8_t *entry)
{
	const uint8_t *common = entry + 4 - number_at(entry + 4), *rule = entry + 17 + entry[16];

	return common[9] == 'z' && entry[16] < 0x80 && rule < entry + 4 + number_at(entry) ? rule : NULL;
}

/* Where a function begins, the frame is as the call has left it. Of a part of another one that compilers put elsewhere,
 * since it seldom runs, it has grown before the first instruction; where it has not, the part looks like a function. */
static bool is_part(const uint8_t *entry)
{
	enum { OFFSET_EXTENDED = 0x05, DEF_CFA = 0x0c, EXPRESSION = 0x10, NEGATE_RA_STATE = 0x2d, OFFSET = 2 << 6 };
	const uint8_t *rule = first_rule(entry);

	return rule &&
		((*rule >= DEF_CFA && *rule <= EXPRESSION) || (*rule & 0xc0) == OFFSET || *rule == OFFSET_EXTENDED ||
			*rule == NEGATE_RA_STATE);
}

bool papi_vpmu_functions_begins_another(uint64_t site, uint64_t target)
{
	const uint8_t *entry;

	if (beginning_of(target) != target || beginning_of(site) == target)
		return false;
	entry = entry_at(target);
	return !entry || !is_part(entry);
}

bool papi_vpmu_functions_is_no_stub(uint64_t target)
{
	const uint8_t *entry = entry_at(target);

	return entry && number_at(entry + 12) % 8;
}
