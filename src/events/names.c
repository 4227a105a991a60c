/* SPDX-License-Identifier: BSD-3-Clause */
#include "events/names.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct entry {
	struct entry *next, *older; /* in its bucket, and of all */
	uint32_t hash;
	int code;
	char name[];
};

#define BUCKETS 65536

static _Atomic(struct entry *) buckets[BUCKETS];
static struct entry *newest;

/* FNV-1a: short, and names differ in their last characters. */
static uint32_t hash_of(const char *name)
{
	uint32_t hash = 2166136261u;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 16777619u;
	return hash;
}

bool papi_names_find(const char *name, int *code)
{
	uint32_t hash = hash_of(name);
	struct entry *entry = atomic_load_explicit(&buckets[hash % BUCKETS], memory_order_acquire);

	for (; entry; entry = entry->next) {
		if (entry->hash == hash && !strcmp(entry->name, name)) {
			*code = entry->code;
			return true;
		}
	}
	return false;
}

bool papi_names_add(const char *name, int code, const char **copy)
{
	size_t length = strlen(name);
	struct entry *entry = malloc(sizeof(*entry) + length + 1);
	_Atomic(struct entry *) *bucket;

	if (!entry)
		return false;
	memcpy(entry->name, name, length + 1);
	entry->hash = hash_of(name);
	entry->code = code;
	bucket = &buckets[entry->hash % BUCKETS];
	entry->next = atomic_load_explicit(bucket, memory_order_relaxed);
	entry->older = newest;
	newest = entry;
	/* Before the entry can be found: whoever finds it looks at what the code stands for. */
	if (copy)
		*copy = entry->name;
	atomic_store_explicit(bucket, entry, memory_order_release);
	return true;
}

/* By the entries: to look at each bucket would touch the memory of those that were never used. */
void papi_names_clear(void)
{
	for (const struct entry *entry = newest; entry; entry = entry->older)
		atomic_store(&buckets[entry->hash % BUCKETS], NULL);
	while (newest) {
		struct entry *entry = newest;

		newest = entry->older;
		free(entry);
	}
}
