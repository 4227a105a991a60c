/* SPDX-License-Identifier: BSD-3-Clause */
/* unwind_machines.c - registers of processors: those of the kernel, in the order of its masks, and those of DWARF. */
#include <elf.h>
#include <string.h>

#include "symbols/unwind.h"

/* ax bx cx dx si di bp sp ip, then r8 to r15; flags and segments between them are not asked for. */
static const unsigned char x86_64[] = { 0, 3, 2, 1, 4, 5, 6, 7, 16, 8, 9, 10, 11, 12, 13, 14, 15 };

/* x0 to x29, lr, sp, pc. */
static const unsigned char arm64[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22,
	23, 24, 25, 26, 27, 28, 29, 30, 31, 32 };

static const struct papi_unwind_machine machines[] = {
	{ .name = "x86_64",
		.elf = EM_X86_64,
		.sampled = 0xff01ff,
		.from_perf = x86_64,
		.number = 17,
		.stack = 7,
		.frame = 6,
		.pc = 16,
		.back = 16,
		.code = UINT64_MAX },
	/* The upper bits of a return address may be its signature. */
	{ .name = "aarch64",
		.elf = EM_AARCH64,
		.sampled = 0x1ffffffff,
		.from_perf = arm64,
		.number = 32,
		.stack = 31,
		.frame = 29,
		.pc = 32,
		.back = 30,
		.code = 0xffffffffffff },
};

const struct papi_unwind_machine *papi_unwind_machine(const char *name)
{
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
		if (strcmp(machines[i].name, name) == 0)
			return &machines[i];
	return NULL;
}
