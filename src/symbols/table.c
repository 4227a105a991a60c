/* SPDX-License-Identifier: BSD-3-Clause */
/* Named ranges of addresses. See table.h. */
#include "symbols/table.h"

#include <stdlib.h>
#include <string.h>

#include "symbols/memory.h"

void papi_symbols_table_add(struct papi_symbols_table *table, uint64_t low, uint64_t size, uint64_t limit,
	const char *name, unsigned char rank)
{
	uint64_t high = size ? low + size : limit;

	if (high <= low)
		return;
	table->ranges = papi_memory_extend(table->ranges, table->n, &table->room, sizeof(table->ranges[0]));
	table->ranges[table->n++] = (struct papi_symbols_range){
		.low = low,
		.high = high,
		.name = name ? papi_memory_copy(name) : NULL,
		.sized = size != 0,
		.rank = rank,
	};
}

void papi_symbols_table_resolves(struct papi_symbols_table *table)
{
	if (table->n)
		table->ranges[table->n - 1].resolver = true;
}

static int compare_names(const char *left, const char *right)
{
	size_t left_length = left ? strlen(left) : 0, right_length = right ? strlen(right) : 0;

	if (left_length != right_length)
		return left_length < right_length ? -1 : 1;
	return left && right ? strcmp(left, right) : 0;
}

static int compare(const void *left, const void *right)
{
	const struct papi_symbols_range *a = left, *b = right;

	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return compare_names(a->name, b->name);
}

/* Keeps a name that another one was preferred to. */
static void add_other(struct papi_symbols_range *range, const char *name)
{
	char *others = range->others;

	if (!name || !range->name || !strcmp(name, range->name))
		return;
	range->others = others ? papi_memory_print("%s\n%s", others, name) : papi_memory_copy(name);
	free(others);
}

/* One range for each address at which some begin. */
static void merge(struct papi_symbols_table *table)
{
	size_t n = 0;

	for (size_t i = 0; i < table->n; i++) {
		struct papi_symbols_range *range = &table->ranges[i];
		struct papi_symbols_range *last = n ? &table->ranges[n - 1] : NULL;

		if (!last || last->low != range->low) {
			table->ranges[n++] = *range;
			continue;
		}
		if (range->sized && (!last->sized || range->high > last->high)) {
			last->high = range->high;
			last->sized = true;
		}
		last->resolver = last->resolver || range->resolver;
		add_other(last, range->name);
		free(range->name);
	}
	table->n = n;
}

void papi_symbols_table_sort(struct papi_symbols_table *table)
{
	uint64_t reach = 0;

	if (!table->n)
		return;
	qsort(table->ranges, table->n, sizeof(table->ranges[0]), compare);
	merge(table);
	for (size_t i = 0; i < table->n; i++) {
		struct papi_symbols_range *range = &table->ranges[i];

		if (!range->sized && i + 1 < table->n && range->high > range[1].low)
			range->high = range[1].low;
		if (range->high > reach)
			reach = range->high;
		range->reach = reach;
	}
}

const struct papi_symbols_range *papi_symbols_table_find(const struct papi_symbols_table *table, uint64_t address)
{
	size_t low = 0, high = table->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table->ranges[middle].low <= address)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low > 0 && table->ranges[low - 1].reach > address; low--)
		if (table->ranges[low - 1].high > address)
			return &table->ranges[low - 1];
	return NULL;
}

void papi_symbols_table_free(struct papi_symbols_table *table)
{
	for (size_t i = 0; i < table->n; i++) {
		free(table->ranges[i].name);
		free(table->ranges[i].others);
	}
	free(table->ranges);
	*table = (struct papi_symbols_table){ 0 };
}
