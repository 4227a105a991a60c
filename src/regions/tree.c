/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The regions of one thread.
 *
 * A region is found by its name and the region it is in. The hash is of both, and a match is confirmed by comparing the
 * name, so that the caller's string may be anywhere and may change. Ending needs no hash: the innermost open region is
 * nearly always the one. Arrays double when they are full, so what has been done once allocates nothing when done
 * again.
 */
#include "regions/regions.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define MIX 0x9e3779b97f4a7c15u

static uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * MIX;
	return hash ^ hash >> 32;
}

/* Eight characters at a time: names are looked up in every begin. */
static uint64_t hash_of(int parent, const char *name, size_t length)
{
	uint64_t hash = mix(length, (uint64_t)parent + 1), word;

	for (; length >= sizeof(word); name += sizeof(word), length -= sizeof(word)) {
		memcpy(&word, name, sizeof(word));
		hash = mix(hash, word);
	}
	word = 0;
	memcpy(&word, name, length);
	return mix(hash, word);
}

static int no_memory(const char *what)
{
	papi_error(PAPI_ENOMEM, "no memory for %s", what);
	return -1;
}

static void insert(int *table, unsigned size, uint64_t hash, int position)
{
	unsigned i = (unsigned)hash & (size - 1);

	while (table[i] >= 0)
		i = (i + 1) & (size - 1);
	table[i] = position;
}

/* At most half of the table is in use. */
static bool grow_table(struct papi_region_tree *tree)
{
	unsigned size = tree->table_size ? 2 * tree->table_size : 32;
	int *table;

	if (2 * (tree->n + 1) <= tree->table_size)
		return true;
	table = malloc(size * sizeof(*table));
	if (!table)
		return false;
	memset(table, -1, size * sizeof(*table));
	for (unsigned i = 0; i < tree->n; i++)
		insert(table, size, tree->regions[i].hash, (int)i);
	free(tree->table);
	tree->table = table;
	tree->table_size = size;
	return true;
}

static bool grow_regions(struct papi_region_tree *tree)
{
	unsigned capacity = tree->capacity ? 2 * tree->capacity : 16;
	struct papi_region *regions;

	if (tree->n < tree->capacity)
		return true;
	regions = realloc(tree->regions, capacity * sizeof(*regions));
	if (!regions)
		return false;
	tree->regions = regions;
	tree->capacity = capacity;
	return true;
}

static bool sums_make(struct papi_region_sums *sums, unsigned n_events)
{
	*sums = (struct papi_region_sums){ .values = calloc(n_events ? n_events : 1, sizeof(sums->values[0])) };
	return sums->values;
}

static int make(struct papi_region_tree *tree, int parent, const char *name, size_t length, uint64_t hash)
{
	struct papi_region region = { .length = length, .hash = hash, .parent = parent };

	region.name = malloc(length + 1);
	if (!region.name || !sums_make(&region.sums, tree->n_events) || !grow_regions(tree) || !grow_table(tree)) {
		free(region.name);
		free(region.sums.values);
		return no_memory("a region");
	}
	memcpy(region.name, name, length + 1);
	insert(tree->table, tree->table_size, hash, (int)tree->n);
	tree->regions[tree->n] = region;
	return (int)tree->n++;
}

int papi_region_find(struct papi_region_tree *tree, const char *name)
{
	int parent = tree->depth ? tree->open[tree->depth - 1].region : -1;
	size_t length = strlen(name);
	uint64_t hash = hash_of(parent, name, length);

	for (unsigned i = (unsigned)hash; tree->table_size; i++) {
		int position = tree->table[i & (tree->table_size - 1)];
		const struct papi_region *region;

		if (position < 0)
			break;
		region = &tree->regions[position];
		if (region->hash == hash && region->parent == parent && region->length == length &&
			memcmp(region->name, name, length) == 0)
			return position;
	}
	return make(tree, parent, name, length, hash);
}

static bool grow_open(struct papi_region_tree *tree)
{
	unsigned capacity = tree->open_capacity ? 2 * tree->open_capacity : 16;
	struct papi_region_open *open;
	long long *starts;

	if (capacity > PAPI_REGION_DEPTH)
		capacity = PAPI_REGION_DEPTH;
	open = realloc(tree->open, capacity * sizeof(*open));
	if (open)
		tree->open = open;
	starts = realloc(tree->starts, capacity * (tree->n_events ? tree->n_events : 1) * sizeof(*starts));
	if (starts)
		tree->starts = starts;
	if (open && starts)
		tree->open_capacity = capacity;
	return open && starts;
}

bool papi_region_make_room(struct papi_region_tree *tree)
{
	if (__builtin_expect(tree->depth < tree->open_capacity, 1))
		return true;
	if (tree->depth >= PAPI_REGION_DEPTH) {
		papi_error(PAPI_ECOUNT,
			"%u regions are open in this thread, which is as deep as they may be nested; is \"%.64s\" "
			"the innermost of many that never end?",
			tree->depth, tree->regions[tree->open[tree->depth - 1].region].name);
		return false;
	}
	if (!grow_open(tree)) {
		no_memory("one more open region");
		return false;
	}
	return true;
}

struct papi_region_open *papi_region_open(struct papi_region_tree *tree, int region, long long **values)
{
	struct papi_region_open *open;

	*values = tree->starts + (size_t)tree->depth * tree->n_events;
	open = &tree->open[tree->depth++];
	*open = (struct papi_region_open){ .region = region };
	return open;
}

int papi_region_position(const struct papi_region_tree *tree, const char *name)
{
	int i = (int)tree->depth - 1;

	while (i >= 0 && strcmp(tree->regions[tree->open[i].region].name, name) != 0)
		i--;
	return i;
}

/* Counts are 64 bits that may wrap, which signed numbers must not. */
static void add(struct papi_region_sums *sums, const struct papi_region_tree *tree, unsigned position,
	const struct papi_region_moment *now)
{
	const struct papi_region_open *open = &tree->open[position];
	const long long *starts = tree->starts + (size_t)position * tree->n_events;

	sums->instances++;
	sums->real_ns += now->real_ns - open->real_ns;
	if (!now->values || !open->counted) {
		sums->uncounted++;
		return;
	}
	for (unsigned i = 0; i < tree->n_events; i++)
		sums->values[i] = tree->instant[i]
			? now->values[i]
			: (long long)((unsigned long long)sums->values[i] + (unsigned long long)now->values[i] -
				  (unsigned long long)starts[i]);
}

void papi_region_close(
	struct papi_region_tree *tree, unsigned position, const struct papi_region_moment *now, bool finished)
{
	while (tree->depth > position) {
		struct papi_region *region = &tree->regions[tree->open[tree->depth - 1].region];

		add(&region->sums, tree, tree->depth - 1, now);
		region->unfinished += !finished;
		tree->depth--;
	}
}

int papi_region_record(struct papi_region_tree *tree, unsigned position, const struct papi_region_moment *now)
{
	struct papi_region_open *open = &tree->open[position];
	struct papi_region *region = &tree->regions[open->region];

	if (open->n_reads == PAPI_REGION_READS)
		return papi_error(PAPI_ECOUNT,
			"region \"%.64s\" has been read %u times since it began, and no more are kept", region->name,
			open->n_reads);
	if (open->n_reads == region->n_reads) {
		struct papi_region_sums *reads = realloc(region->reads, (region->n_reads + 1) * sizeof(*reads));

		if (reads)
			region->reads = reads;
		if (!reads || !sums_make(&reads[region->n_reads], tree->n_events))
			return papi_error(PAPI_ENOMEM, "no memory for one more read of a region");
		region->n_reads++;
	}
	add(&region->reads[open->n_reads++], tree, position, now);
	return PAPI_OK;
}

static bool copy_values(struct papi_region_sums *sums, unsigned n_events)
{
	const long long *values = sums->values;

	sums->values = malloc((n_events ? n_events : 1) * sizeof(values[0]));
	if (sums->values)
		memcpy(sums->values, values, n_events * sizeof(values[0]));
	return sums->values;
}

static bool copy_region(struct papi_region *copy, const struct papi_region *region, unsigned n_events)
{
	*copy = *region;
	copy->reads = NULL;
	copy->n_reads = 0;
	if (!copy_values(&copy->sums, n_events))
		return false;
	if (!region->n_reads)
		return true;
	copy->reads = malloc(region->n_reads * sizeof(copy->reads[0]));
	for (; copy->reads && copy->n_reads < region->n_reads; copy->n_reads++) {
		copy->reads[copy->n_reads] = region->reads[copy->n_reads];
		if (!copy_values(&copy->reads[copy->n_reads], n_events))
			return false;
	}
	return copy->reads;
}

bool papi_region_tree_copy(
	struct papi_region_tree *copy, const struct papi_region_tree *tree, const struct papi_region_moment *now)
{
	*copy = (struct papi_region_tree){ .n_events = tree->n_events, .instant = tree->instant };
	copy->regions = calloc(tree->n ? tree->n : 1, sizeof(copy->regions[0]));
	if (!copy->regions)
		return false;
	while (copy->n < tree->n) {
		unsigned i = copy->n++;

		if (!copy_region(&copy->regions[i], &tree->regions[i], tree->n_events))
			return false;
	}
	for (unsigned i = 0; i < tree->depth; i++) {
		struct papi_region *region = &copy->regions[tree->open[i].region];

		add(&region->sums, tree, i, now);
		region->unfinished++;
	}
	return true;
}

static void free_region(struct papi_region *region)
{
	for (unsigned i = 0; i < region->n_reads; i++)
		free(region->reads[i].values);
	free(region->reads);
	free(region->sums.values);
}

void papi_region_tree_free_copy(struct papi_region_tree *copy)
{
	for (unsigned i = 0; i < copy->n; i++)
		free_region(&copy->regions[i]);
	free(copy->regions);
}

void papi_region_tree_free(struct papi_region_tree *tree)
{
	for (unsigned i = 0; i < tree->n; i++)
		free(tree->regions[i].name);
	papi_region_tree_free_copy(tree);
	free(tree->table);
	free(tree->open);
	free(tree->starts);
	*tree = (struct papi_region_tree){ 0 };
}
