/* SPDX-License-Identifier: BSD-3-Clause */
#include "papi_profile/table.h"

#include <stdlib.h>
#include <string.h>

#include "papi_profile/papi_profile.h"

#define FIRST_ROOM 64

static size_t place_of(const struct papi_profile_table *table, const struct papi_profile_key *key)
{
	uint64_t hash = 0;

	for (int i = 0; i < 4; i++) {
		hash = (hash ^ key->part[i]) * 0x9e3779b97f4a7c15;
		hash ^= hash >> 29;
	}
	return hash & (table->room - 1);
}

/* The entry of the key, or the free one where it would be. */
static struct papi_profile_entry *probe(const struct papi_profile_table *table, const struct papi_profile_key *key)
{
	size_t place = place_of(table, key);

	while (table->entries[place].used && memcmp(&table->entries[place].key, key, sizeof(*key)) != 0)
		place = (place + 1) & (table->room - 1);
	return &table->entries[place];
}

struct papi_profile_entry *papi_profile_table_find(const struct papi_profile_table *table, struct papi_profile_key key)
{
	struct papi_profile_entry *entry = table->room ? probe(table, &key) : NULL;

	return entry && entry->used ? entry : NULL;
}

/* At most two thirds are used. */
void papi_profile_table_reserve(struct papi_profile_table *table, size_t more)
{
	struct papi_profile_table larger = { .number = table->number };

	if (3 * (table->number + more) <= 2 * table->room)
		return;
	larger.room = table->room ? 2 * table->room : FIRST_ROOM;
	while (3 * (table->number + more) > 2 * larger.room)
		larger.room *= 2;
	larger.entries = papi_profile_allocate(NULL, larger.room, sizeof(*larger.entries));
	memset(larger.entries, 0, larger.room * sizeof(*larger.entries));
	for (size_t i = 0; i < table->room; i++)
		if (table->entries[i].used)
			*probe(&larger, &table->entries[i].key) = table->entries[i];
	free(table->entries);
	*table = larger;
}

struct papi_profile_entry *papi_profile_table_take(
	struct papi_profile_table *table, struct papi_profile_key key, bool *made)
{
	struct papi_profile_entry *entry;

	papi_profile_table_reserve(table, 1);
	entry = probe(table, &key);
	*made = !entry->used;
	if (*made) {
		*entry = (struct papi_profile_entry){ .key = key, .used = true };
		table->number++;
	}
	return entry;
}

/* Those behind it that were pushed on by it move up, so that no search ends too early. */
void papi_profile_table_remove(struct papi_profile_table *table, struct papi_profile_entry *entry)
{
	size_t mask = table->room - 1, hole = (size_t)(entry - table->entries);

	for (size_t i = (hole + 1) & mask; table->entries[i].used; i = (i + 1) & mask) {
		size_t wanted = place_of(table, &table->entries[i].key);

		if (((i - wanted) & mask) < ((i - hole) & mask))
			continue;
		table->entries[hole] = table->entries[i];
		hole = i;
	}
	table->entries[hole].used = false;
	table->number--;
}

struct papi_profile_entry *papi_profile_table_next(
	const struct papi_profile_table *table, struct papi_profile_entry *entry)
{
	size_t i = entry ? (size_t)(entry - table->entries) + 1 : 0;

	while (i < table->room && !table->entries[i].used)
		i++;
	return i < table->room ? &table->entries[i] : NULL;
}

void papi_profile_table_free(struct papi_profile_table *table)
{
	free(table->entries);
	*table = (struct papi_profile_table){ 0 };
}
