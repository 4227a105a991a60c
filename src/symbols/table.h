/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Named ranges of addresses, from symbol tables, unwind tables and lists: filled, sorted once, then asked. Names belong
 * to the table, which copies them. One thread at a time.
 */
#ifndef PAPI_SYMBOLS_TABLE_H
#define PAPI_SYMBOLS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Ranks: names that other files can use come first. */
enum {
	PAPI_SYMBOLS_GLOBAL,
	PAPI_SYMBOLS_WEAK,
	PAPI_SYMBOLS_PUBLIC = PAPI_SYMBOLS_WEAK,
	PAPI_SYMBOLS_LOCAL,
	PAPI_SYMBOLS_UNTYPED
};

struct papi_symbols_range {
	uint64_t low, high; /* behind the last address */
	uint64_t reach;     /* behind the last address of this and all ranges before */
	char *name;         /* NULL where only the range is known */
	char *others;       /* further names of the same code, a line each; NULL: none */
	bool sized;         /* false: it ends where the next one begins, or the section does */
	bool resolver;      /* of an indirect function: what chooses one, and not the one that is called */
	unsigned char rank; /* the lower is preferred of several that begin at one address */
};

struct papi_symbols_table {
	struct papi_symbols_range *ranges;
	size_t n, room;
};

/* size 0: up to the next range, but not beyond limit. */
void papi_symbols_table_add(struct papi_symbols_table *table, uint64_t low, uint64_t size, uint64_t limit,
	const char *name, unsigned char rank);
/* The range that was added last chooses the function that is called by its name. */
void papi_symbols_table_resolves(struct papi_symbols_table *table);

/*
 * To be called once all is added. Of several names for one address stays that of the lowest rank, of those the
 * shortest, of those the first in the alphabet: so the choice does not depend on the order of a file.
 */
void papi_symbols_table_sort(struct papi_symbols_table *table);

/* The innermost range that the address is in, or NULL. */
const struct papi_symbols_range *papi_symbols_table_find(const struct papi_symbols_table *table, uint64_t address);

void papi_symbols_table_free(struct papi_symbols_table *table);

#endif
