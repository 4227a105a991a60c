/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Entries of functions that are accepted for probes: what stands in the trampoline is what stood in the window. Each
 * instruction is compared as a disassembler shows it, with the addresses that it comes to; a call is its return
 * address on the stack and a jump. The first byte of an input says how far away the trampoline is.
 */
#include <Zydis/Zydis.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/window.h"

#define FROM 0x555500001000ull

static size_t show(const unsigned char *bytes, size_t size, uint64_t address, char text[128], bool *ends)
{
	ZydisDisassembledInstruction instruction;

	if (!ZYAN_SUCCESS(ZydisDisassembleIntel(ZYDIS_MACHINE_MODE_LONG_64, address, bytes, size, &instruction)))
		abort();
	snprintf(text, 128, "%s", instruction.text);
	*ends = instruction.info.meta.category == ZYDIS_CATEGORY_UNCOND_BR ||
		instruction.info.meta.category == ZYDIS_CATEGORY_CALL ||
		instruction.info.meta.category == ZYDIS_CATEGORY_RET;
	return instruction.info.length;
}

/* The next instruction of the trampoline is this one. */
static void expect(const unsigned char *moved, size_t size, uint64_t to, size_t *at, const char *text)
{
	char seen[128];
	bool ends;

	if (*at >= size)
		abort();
	*at += show(moved + *at, size - *at, to + *at, seen, &ends);
	if (strcmp(seen, text) != 0) {
		fprintf(stderr, "%s instead of %s\n", seen, text);
		abort();
	}
}

static void expect_return_address(const unsigned char *moved, size_t size, uint64_t to, size_t *at, uint64_t address)
{
	static const unsigned char begin[] = { 0x48, 0x8d, 0x64, 0x24, 0xf8, 0xc7, 0x04, 0x24 };
	static const unsigned char middle[] = { 0xc7, 0x44, 0x24, 0x04 };
	const unsigned char *bytes = moved + *at;
	uint32_t halves[2];

	(void)to;
	if (size - *at < 20 || memcmp(bytes, begin, sizeof(begin)) != 0 || memcmp(bytes + 12, middle, 4) != 0)
		abort();
	memcpy(&halves[0], bytes + 8, 4);
	memcpy(&halves[1], bytes + 16, 4);
	if (((uint64_t)halves[1] << 32 | halves[0]) != address)
		abort();
	*at += 20;
}

static void compare(const unsigned char *bytes, unsigned length, const unsigned char *moved, size_t size, uint64_t from,
	uint64_t to)
{
	char text[128] = "", jump[160];
	bool ends = false;
	size_t at = 0;

	for (unsigned k = 0; k < length;) {
		k += (unsigned)show(bytes + k, length - k, from + k, text, &ends);
		if (strncmp(text, "call ", 5) == 0) {
			expect_return_address(moved, size, to, &at, from + k);
			snprintf(jump, sizeof(jump), "jmp %s", text + 5);
			expect(moved, size, to, &at, jump);
		} else {
			expect(moved, size, to, &at, text);
		}
	}
	if (!ends) {
		snprintf(jump, sizeof(jump), "jmp 0x%016llX", (unsigned long long)(from + length));
		expect(moved, size, to, &at, jump);
	}
	if (at != size)
		abort();
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	struct papi_probe_targets targets;
	struct papi_probe_window window;
	struct papi_probe_code code;
	unsigned char moved[PAPI_PROBE_MOVED], jump[PAPI_PROBE_JUMP];
	uint64_t to;
	size_t got;

	if (size < 2 || size > 512)
		return 0;
	to = FROM + (uint64_t)(int64_t)((int64_t)(signed char)data[0] * 0x1000123);
	code = (struct papi_probe_code){
		.bytes = data + 1, .low = FROM, .high = FROM + size - 1, .limit = FROM + size - 1
	};
	if (!papi_probe_targets_begin(&targets, FROM, FROM + size))
		return 0;
	papi_probe_targets_add(&targets, data + 1, code.low, code.high);
	papi_probe_window_find(&code, &targets, &window);
	papi_probe_targets_end(&targets);
	if (window.refusal)
		return 0;
	if (window.low < FROM || window.low + window.length > code.high || window.low + PAPI_PROBE_JUMP > code.limit)
		abort();
	got = papi_probe_window_move(data + 1 + (window.low - FROM), window.length, window.low, to, moved);
	if (got > sizeof(moved))
		abort();
	if (got)
		compare(data + 1 + (window.low - FROM), window.length, moved, got, window.low, to);
	if (papi_probe_jump(window.low, to, jump)) {
		char text[128], wanted[64];
		bool ends;

		show(jump, sizeof(jump), window.low, text, &ends);
		snprintf(wanted, sizeof(wanted), "jmp 0x%016llX", (unsigned long long)to);
		if (strcmp(text, wanted) != 0)
			abort();
	}
	return 0;
}
