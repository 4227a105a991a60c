/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A hash table from keys of four numbers to two numbers, for all that papi_profile looks up: processes and threads by
 * their numbers, places, call paths, counts.
 *
 * A table that is all zero is empty; papi_profile_table_free() makes it so again. An entry is valid until the next that
 * is made or removed. Runs out of memory as papi_profile_allocate() does. One thread.
 */
#ifndef PAPI_PROFILE_TABLE_H
#define PAPI_PROFILE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct papi_profile_key {
	uint64_t part[4];
};

struct papi_profile_entry {
	struct papi_profile_key key;
	int64_t value[2];
	bool used;
};

struct papi_profile_table {
	struct papi_profile_entry *entries;
	size_t number, room; /* room is a power of two, or 0 */
};

/* NULL: there is none. */
struct papi_profile_entry *papi_profile_table_find(const struct papi_profile_table *table, struct papi_profile_key key);

/* Made with values of 0 where there is none: *made. */
struct papi_profile_entry *papi_profile_table_take(
	struct papi_profile_table *table, struct papi_profile_key key, bool *made);

/* Room for so many more, which the table would otherwise move into again and again. */
void papi_profile_table_reserve(struct papi_profile_table *table, size_t more);

void papi_profile_table_remove(struct papi_profile_table *table, struct papi_profile_entry *entry);

/* The next one behind an entry, the first for NULL; NULL at the end. */
struct papi_profile_entry *papi_profile_table_next(
	const struct papi_profile_table *table, struct papi_profile_entry *entry);

void papi_profile_table_free(struct papi_profile_table *table);

#endif
