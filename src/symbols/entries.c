/* SPDX-License-Identifier: BSD-3-Clause */
/* entries.c - all functions of a module, and whether what is at an address is entered by calls. */
#include <dwarf.h>
#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>

#include "symbols/memory.h"
#include "symbols/module.h"

/* How a processor calls, with DWARF's numbers of registers. */
struct calling {
	int machine; /* as ELF files have it */
	unsigned stack, back;
	unsigned pushed; /* how far from the stack pointer the frame's address is at the entry */
};
static const struct calling callings[] = { { EM_X86_64, 7, 16, sizeof(uint64_t) }, { EM_AARCH64, 31, 30, 0 } };

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

static const struct calling *calling_of(const struct papi_symbols *symbols)
{
	for (size_t i = 0; i < sizeof(callings) / sizeof(callings[0]); i++)
		if (papi_symbols_is_for(symbols, callings[i].machine))
			return &callings[i];
	return NULL;
}

/* What unwind tables say of an address; the caller's to free. NULL: nothing. */
static Dwarf_Frame *frame_at(struct papi_symbols *symbols, uint64_t address)
{
	Dwarf_Frame *frame;

	if (!symbols->cfi && symbols->elf)
		symbols->cfi = dwarf_getcfi_elf(symbols->elf);
	return symbols->cfi && dwarf_cfi_addrframe(symbols->cfi, address, &frame) == 0 ? frame : NULL;
}

/* The frame's address is that of the entry, which is how tables of compilers say so. */
static bool is_at_entry(const struct calling *calling, const Dwarf_Op *operation)
{
	if (operation->atom == DW_OP_bregx)
		return operation->number == calling->stack && operation->number2 == calling->pushed;
	return operation->atom == DW_OP_breg0 + calling->stack && operation->number == calling->pushed;
}

/* On top of the stack; or in its register still, where there is one for it. */
static bool has_return_address(const struct calling *calling, Dwarf_Frame *frame)
{
	Dwarf_Op memory[3], *operations;
	size_t n;

	if (dwarf_frame_cfa(frame, &operations, &n) != 0 || n != 1 || !is_at_entry(calling, operations))
		return false;
	if (dwarf_frame_register(frame, (int)calling->back, memory, &operations, &n) != 0)
		return false;
	return calling->pushed ? n > 0 : n == 0 && !operations;
}

bool papi_symbols_is_called(struct papi_symbols *symbols, uint64_t address)
{
	const struct calling *calling = calling_of(symbols);
	Dwarf_Frame *frame = calling ? frame_at(symbols, address) : NULL;
	bool is = frame && has_return_address(calling, frame);

	free(frame);
	return is;
}

/* 0: it is not in memory, or not at an address that is so far from the frame's. */
static int32_t place_in(const struct calling *calling, Dwarf_Frame *frame)
{
	Dwarf_Op memory[3], *operations;
	size_t n;

	if (dwarf_frame_register(frame, (int)calling->back, memory, &operations, &n) != 0 || n != 2 ||
		operations[0].atom != DW_OP_call_frame_cfa || operations[1].atom != DW_OP_plus_uconst)
		return 0;
	return (int32_t)operations[1].number;
}

int32_t papi_symbols_return_place(struct papi_symbols *symbols, uint64_t low, uint64_t high)
{
	const struct calling *calling = calling_of(symbols);
	int32_t found = 0;

	/* What a call has pushed is where it is. */
	if (!calling || calling->pushed)
		return 0;
	while (low < high) {
		Dwarf_Frame *frame = frame_at(symbols, low);
		Dwarf_Addr end = low;
		int32_t place = frame ? place_in(calling, frame) : 0;

		if (!frame || dwarf_frame_info(frame, NULL, &end, NULL) < 0 || end <= low ||
			(found && place && place != found))
			high = 0;
		free(frame);
		low = end;
		found = !high ? 0 : place ? place : found;
	}
	return found;
}
