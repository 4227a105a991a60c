/* SPDX-License-Identifier: BSD-3-Clause */
/* Instructions of x86-64. */
#include <elf.h>
#include <string.h>

#include "process/registers.h"

const int papi_remote_machine = EM_X86_64;
const char papi_remote_machine_name[] = "x86-64";

const unsigned char *papi_remote_find_call(const unsigned char *code, size_t size)
{
	for (size_t i = 0; i + 1 < size; i++)
		if (code[i] == 0x0f && code[i + 1] == 0x05)
			return code + i;
	return NULL;
}

bool papi_remote_is_signed(uint64_t address)
{
	(void)address;
	return false;
}

/* The slot of the linkage table that a jump there goes through, as the dynamic linker filled it. 0: it is none. */
static uint64_t through_slot(const struct papi_remote *remote, uint64_t stub)
{
	static const unsigned starts[] = { 0, 4, 5 }; /* behind endbr64, and bnd */
	unsigned char code[16];
	uint64_t to = 0;
	int32_t by;

	if (!papi_remote_read(remote, stub, code, sizeof(code)))
		return 0;
	for (size_t k = 0; k < sizeof(starts) / sizeof(starts[0]); k++) {
		unsigned i = starts[k];

		if (code[i] != 0xff || code[i + 1] != 0x25)
			continue;
		memcpy(&by, code + i + 2, sizeof(by));
		return papi_remote_read(remote, stub + i + 6 + (uint64_t)(int64_t)by, &to, sizeof(to)) ? to : 0;
	}
	return 0;
}

uint64_t papi_remote_callee(const struct papi_remote *remote, uint64_t back)
{
	unsigned char code[6];
	uint64_t to = 0, slot;
	int32_t by;

	if (!papi_remote_read(remote, back - sizeof(code), code, sizeof(code)))
		return 0;
	memcpy(&by, code + 2, sizeof(by));
	to = back + (uint64_t)(int64_t)by;
	if (code[0] == 0xff && code[1] == 0x15) /* call *slot(%rip) */
		return papi_remote_read(remote, to, &to, sizeof(to)) ? to : 0;
	if (code[1] != 0xe8)
		return 0;
	slot = through_slot(remote, to);
	return slot ? slot : to;
}
