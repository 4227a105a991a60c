/* SPDX-License-Identifier: BSD-3-Clause */
/* Instructions of A64. */
#include <elf.h>
#include <string.h>

#include "process/registers.h"

const int papi_remote_machine = EM_AARCH64;
const char papi_remote_machine_name[] = "arm64";

const unsigned char *papi_remote_find_call(const unsigned char *code, size_t size)
{
	static const unsigned char call[4] = { 0x01, 0x00, 0x00, 0xd4 };

	for (size_t i = 0; i + sizeof(call) <= size; i += sizeof(call))
		if (!memcmp(code + i, call, sizeof(call)))
			return code + i;
	return NULL;
}

/* Programs have addresses of up to 52 bits; what is above them signs a return address. */
bool papi_remote_is_signed(uint64_t address)
{
	return address >> 52 != 0;
}

/* So many bits of the instruction from there on, with their sign. */
static int64_t field(uint32_t code, unsigned from, unsigned bits)
{
	uint32_t value = code >> from & ((1u << bits) - 1);

	return (int64_t)value - (value >> (bits - 1) ? (int64_t)1 << bits : 0);
}

/* The slot of the linkage table that a jump there goes through, as the dynamic linker filled it. 0: it is none. */
static uint64_t through_slot(const struct papi_remote *remote, uint64_t stub)
{
	const uint32_t landing = 0xd503245f; /* bti c */
	uint32_t code[3];
	uint64_t page, to = 0;

	if (!papi_remote_read(remote, stub, code, sizeof(code)))
		return 0;
	if (code[0] == landing && !papi_remote_read(remote, stub += sizeof(landing), code, sizeof(code)))
		return 0;
	/* adrp x16, page; ldr x17, [x16, #offset] */
	if ((code[0] & 0x9f00001f) != 0x90000010 || (code[1] & 0xffc003ff) != 0xf9400211)
		return 0;
	page = (stub & ~(uint64_t)4095) + (uint64_t)((field(code[0], 5, 19) * 4 + (code[0] >> 29 & 3)) * 4096);
	return papi_remote_read(remote, page + (code[1] >> 10 & 0xfff) * 8, &to, sizeof(to)) ? to : 0;
}

uint64_t papi_remote_callee(const struct papi_remote *remote, uint64_t back)
{
	uint64_t to, slot;
	uint32_t code;

	if (!papi_remote_read(remote, back - sizeof(code), &code, sizeof(code)) || code >> 26 != 0x25) /* bl */
		return 0;
	to = back - sizeof(code) + (uint64_t)(field(code, 0, 26) * 4);
	slot = through_slot(remote, to);
	return slot ? slot : to;
}
