/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ELF files of any bytes: names are found or not, and that ends. An input is a file; the addresses that are looked up
 * are those of its own tables, and some that are in none. Code at an address lies inside of what was read. By the same
 * file a stack of any bytes is unwound, which ends, too.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "symbols/module.h"
#include "symbols/unwind.h"

/* A table of strings without an end is read twice by libelf 0.188, which forgets the first. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libelf.so\n";
}

/* Reads all that a place points to. */
static size_t read_places(struct papi_symbols *symbols, uint64_t address)
{
	struct papi_symbols_place places[PAPI_SYMBOLS_DEPTH];
	size_t n = papi_symbols_find(symbols, address, places), length = 0, size;
	uint64_t low, high;
	const unsigned char *code;

	for (size_t i = 0; i < n; i++) {
		CHECK(places[i].function.name && places[i].function.linkage);
		CHECK(places[i].file || places[i].line == 0);
		length += strlen(places[i].function.name) + strlen(places[i].function.linkage);
		length += places[i].file ? strlen(places[i].file) : 0;
		length += places[i].function.file ? strlen(places[i].function.file) : 0;
	}
	if (papi_symbols_range(symbols, address, &low, &high))
		CHECK(low <= address && address < high);
	code = papi_symbols_code(symbols, address, &size);
	for (size_t i = 0; code && i < size && i < 64; i++)
		length += code[i];
	return length;
}

static void look_up(struct papi_symbols *symbols, const struct papi_symbols_table *table)
{
	for (size_t i = 0; i < table->n && i < 64; i++) {
		CHECK(table->ranges[i].low < table->ranges[i].high);
		CHECK(i == 0 || table->ranges[i - 1].low < table->ranges[i].low);
		read_places(symbols, table->ranges[i].low);
		read_places(symbols, table->ranges[i].high - 1);
	}
}

/* From an address on, as if the file lay at 0, with the file as the stack and for the registers. */
static void unwind(
	struct papi_unwind_table *table, const char *machine, uint64_t address, const unsigned char *data, size_t size)
{
	enum { STACK = 0x7000, STEPS = 64 };
	struct papi_unwind_stack stack = { .bytes = data, .address = STACK, .size = size };
	struct papi_unwind_state state = { .machine = papi_unwind_machine(machine), .known = UINT64_MAX };
	enum papi_unwind_step step = PAPI_UNWIND_CALLED;

	for (unsigned i = 0; i < PAPI_UNWIND_REGISTERS; i++)
		state.registers[i] = STACK + i % 4 * 8;
	for (int i = 0; i < STEPS && (step == PAPI_UNWIND_CALLED || step == PAPI_UNWIND_INTERRUPTED); i++) {
		uint64_t low = state.registers[state.machine->stack];

		state.registers[state.machine->pc] = address;
		step = papi_unwind_step(table, address, &state, &stack);
		/* The callers of a call lie above. */
		CHECK(step != PAPI_UNWIND_CALLED || state.registers[state.machine->stack] >= low);
	}
}

static void unwind_all(int file, const struct papi_symbols *symbols, const unsigned char *data, size_t size)
{
	struct papi_unwind_table *table = papi_unwind_open_file(file);

	for (size_t i = 0; i < symbols->frames.n && i < 64; i++) {
		unwind(table, "x86_64", symbols->frames.ranges[i].low, data, size);
		unwind(table, "aarch64", symbols->frames.ranges[i].low, data, size);
		unwind(table, "x86_64", symbols->frames.ranges[i].high - 1, data, size);
	}
	unwind(table, "x86_64", 0x1000, data, size);
	unwind(NULL, "aarch64", UINT64_MAX, data, size);
	papi_unwind_close(table);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	int file = memfd_create("elf", MFD_CLOEXEC);
	char path[64], reason[256] = "";
	struct papi_symbols *symbols;

	CHECK(file >= 0 && write(file, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	/* Without directories: no other file is looked for. */
	symbols = papi_symbols_open_file(path, NULL, "/nowhere", reason, sizeof(reason));
	if (!symbols) {
		CHECK(*reason);
		close(file);
		return 0;
	}
	look_up(symbols, &symbols->names);
	look_up(symbols, &symbols->stubs);
	look_up(symbols, &symbols->frames);
	read_places(symbols, 0);
	read_places(symbols, 0x1000);
	read_places(symbols, UINT64_MAX);
	unwind_all(file, symbols, data, size);
	papi_symbols_close(symbols);
	close(file);
	return 0;
}
