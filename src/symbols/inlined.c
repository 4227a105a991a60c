/* SPDX-License-Identifier: BSD-3-Clause */
/* inlined.c - functions that compilers have put into their callers, as debug information tells. */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/memory.h"
#include "symbols/module.h"

enum {
	NESTING = 128,      /* of scopes, in files that are not made to do harm */
	ENTRIES = 32 << 20, /* looked at in a file, likewise */
};

struct copy {
	Dwarf_Off origin;
	Dwarf_Die die; /* the function that it is a copy of */
};

struct copies {
	struct copy *items;
	size_t n, room, entries;
};

static void add(struct copies *copies, Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	Dwarf_Addr base, low, high;
	Dwarf_Die origin;

	/* What has no code was thrown away. */
	if (dwarf_ranges(die, 0, &base, &low, &high) <= 0 ||
		!dwarf_formref_die(dwarf_attr(die, DW_AT_abstract_origin, &attribute), &origin))
		return;
	copies->items = papi_memory_extend(copies->items, copies->n, &copies->room, sizeof(copies->items[0]));
	copies->items[copies->n++] = (struct copy){ dwarf_dieoffset(&origin), origin };
}

static void find(struct copies *copies, Dwarf_Die *scope, int depth)
{
	Dwarf_Die child;

	if (depth > NESTING || dwarf_child(scope, &child) != 0)
		return;
	do {
		if (++copies->entries > ENTRIES)
			return;
		if (dwarf_tag(&child) == DW_TAG_inlined_subroutine)
			add(copies, &child);
		if (dwarf_haschildren(&child) > 0)
			find(copies, &child, depth + 1);
	} while (dwarf_siblingof(&child, &child) == 0);
}

static void find_all(struct copies *copies, Dwarf *file)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Die die, split;

	memset(&split, 0, sizeof(split));
	while (dwarf_get_units(file, unit, &unit, NULL, NULL, &die, &split) == 0) {
		find(copies, dwarf_tag(&split) == DW_TAG_compile_unit ? &split : &die, 0);
		memset(&split, 0, sizeof(split));
	}
}

static int by_origin(const void *left, const void *right)
{
	const struct copy *a = left, *b = right;

	return a->origin < b->origin ? -1 : a->origin > b->origin;
}

static int by_name(const void *left, const void *right)
{
	return strcmp(((const struct papi_symbols_inlined *)left)->linkage,
		((const struct papi_symbols_inlined *)right)->linkage);
}

static struct papi_symbols_inlined named(struct papi_symbols *symbols, Dwarf_Die *die)
{
	struct papi_symbols_inlined inlined = { .name = dwarf_diename(die), .copies = 1 };
	Dwarf_Attribute attribute;

	inlined.linkage = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute));
	if (inlined.linkage)
		inlined.name = papi_symbols_readable(symbols, inlined.linkage);
	else if (inlined.name)
		inlined.linkage = inlined.name;
	else
		inlined.linkage = inlined.name = "[no name]";
	return inlined;
}

/* Units that include the same file have each a function of that name: they are one. */
static size_t merge(struct papi_symbols_inlined *list, size_t n)
{
	size_t kept = 0;

	if (n)
		qsort(list, n, sizeof(*list), by_name);
	for (size_t i = 0; i < n; i++)
		if (kept && by_name(&list[kept - 1], &list[i]) == 0)
			list[kept - 1].copies += list[i].copies;
		else
			list[kept++] = list[i];
	return kept;
}

size_t papi_symbols_inlined(struct papi_symbols *symbols, struct papi_symbols_inlined **list)
{
	struct copies copies = { .items = NULL };
	size_t n = 0;
	Dwarf_Addr bias;
	Dwarf *file = symbols->module ? dwfl_module_getdwarf(symbols->module, &bias) : NULL;

	if (file)
		find_all(&copies, file);
	if (copies.n)
		qsort(copies.items, copies.n, sizeof(copies.items[0]), by_origin);
	*list = papi_memory_zero(copies.n + 1, sizeof(**list));
	for (size_t i = 0; i < copies.n; i++) {
		if (i && copies.items[i].origin == copies.items[i - 1].origin)
			(*list)[n - 1].copies++;
		else
			(*list)[n++] = named(symbols, &copies.items[i].die);
	}
	free(copies.items);
	return merge(*list, n);
}
