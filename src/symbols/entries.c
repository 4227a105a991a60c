/* SPDX-License-Identifier: BSD-3-Clause */
/* entries.c - all functions of a module, and whether what is at an address is entered by calls. */
#include <dwarf.h>
#include <inttypes.h>
#include <stdlib.h>

#include "symbols/memory.h"
#include "symbols/module.h"

#define STACK_POINTER  7 /* DWARF's numbers on x86-64 */
#define RETURN_ADDRESS 16

static int compare(const void *left, const void *right)
{
	const struct papi_symbols_entry *a = left, *b = right;

	return a->low < b->low ? -1 : a->low > b->low;
}

/* Where code ends that has no size of its own. */
static uint64_t end_of(const struct papi_symbols *symbols, const struct papi_symbols_range *range)
{
	const struct papi_symbols_range *frame = papi_symbols_table_find(&symbols->frames, range->low);

	return !range->sized && frame && frame->low == range->low && frame->high < range->high ? frame->high
											       : range->high;
}

static void add(struct papi_symbols *symbols, const struct papi_symbols_range *range, struct papi_symbols_entry *entry)
{
	*entry = (struct papi_symbols_entry){ .low = range->low,
		.high = end_of(symbols, range),
		.others = range->others,
		.resolver = range->resolver,
		.unnamed = !range->name };
	if (range->name)
		entry->linkage = range->name;
	else
		entry->linkage = papi_symbols_keep(
			symbols, papi_memory_print("%s+0x%" PRIx64, symbols->base, range->low));
	entry->name = range->name ? papi_symbols_readable(symbols, range->name) : entry->linkage;
}

size_t papi_symbols_entries(struct papi_symbols *symbols, struct papi_symbols_entry **list)
{
	struct papi_symbols_entry *entries = papi_memory_zero(
		symbols->names.n + symbols->frames.n + 1, sizeof(*entries));
	size_t n = 0;

	for (size_t i = 0; i < symbols->names.n; i++)
		add(symbols, &symbols->names.ranges[i], &entries[n++]);
	/* What has lost its name. */
	for (size_t i = 0; i < symbols->frames.n; i++)
		if (!papi_symbols_table_find(&symbols->stubs, symbols->frames.ranges[i].low) &&
			!papi_symbols_named(symbols, symbols->frames.ranges[i].low))
			add(symbols, &symbols->frames.ranges[i], &entries[n++]);
	qsort(entries, n, sizeof(*entries), compare);
	*list = entries;
	return n;
}

/* The frame's address is behind it, which is how tables of compilers say so. */
static bool is_behind_return_address(const Dwarf_Op *operation)
{
	if (operation->atom == DW_OP_bregx)
		return operation->number == STACK_POINTER && operation->number2 == sizeof(uint64_t);
	return operation->atom == DW_OP_breg0 + STACK_POINTER && operation->number == sizeof(uint64_t);
}

static bool has_return_address(Dwarf_Frame *frame)
{
	Dwarf_Op memory[3], *operations;
	size_t n;

	if (dwarf_frame_cfa(frame, &operations, &n) != 0 || n != 1 || !is_behind_return_address(operations))
		return false;
	return dwarf_frame_register(frame, RETURN_ADDRESS, memory, &operations, &n) == 0 && n > 0;
}

bool papi_symbols_is_called(struct papi_symbols *symbols, uint64_t address)
{
	Dwarf_Frame *frame;
	bool is;

	if (!symbols->cfi && symbols->elf)
		symbols->cfi = dwarf_getcfi_elf(symbols->elf);
	if (!symbols->cfi || dwarf_cfi_addrframe(symbols->cfi, address, &frame) != 0)
		return false;
	is = has_return_address(frame);
	free(frame);
	return is;
}
