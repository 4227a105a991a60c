/* SPDX-License-Identifier: BSD-3-Clause */
#include "probes/arm64/instruction.h"

/* The number of size bits from a bit on, which has a sign. */
static int64_t field(uint32_t word, unsigned low, unsigned size)
{
	return (int64_t)((uint64_t)word << (64 - low - size)) >> (64 - size);
}

static bool is(uint32_t word, uint32_t mask, uint32_t value)
{
	return (word & mask) == value;
}

/* adr, adrp: the lowest two bits of the number are by themselves. */
static uint64_t named(uint32_t word, uint64_t address)
{
	const int64_t number = field(word, 5, 19) * 4 + (word >> 29 & 3);

	return word >> 31 ? (address & ~(uint64_t)4095) + (uint64_t)(number * 4096) : address + (uint64_t)number;
}

/*
 * What raises exceptions, what is reserved, calls by a register, whose return address would be another, loads and
 * stores that belong to others by their address alone; and where signatures have to do with the place of an
 * instruction, or a comparison is a branch, which newer processors than compilers aim at have.
 */
static bool is_odd(uint32_t word)
{
	return is(word, 0xff000000, 0xd4000000) || word >> 16 == 0 || is(word, 0xfefff800, 0xd63f0800) ||
		is(word, 0xfffffc1f, 0xd63f0000) || is(word, 0x3fa00000, 0x08000000) ||
		is(word, 0xbfa00000, 0x88200000) || is(word, 0xff000000, 0x55000000) ||
		is(word, 0x7e000000, 0x74000000) || is(word, 0xff800000, 0xf3800000) ||
		is(word, 0xffff8000, 0xdac18000) || word == 0xd50324ff;
}

struct papi_probe_instruction papi_probe_decode(uint32_t word, uint64_t address)
{
	struct papi_probe_instruction found = { .word = word, .kind = PAPI_PROBE_PLAIN };

	if (is(word, 0x7c000000, 0x14000000)) {
		found.kind = word >> 31 ? PAPI_PROBE_CALL : PAPI_PROBE_BRANCH;
		found.target = address + (uint64_t)(field(word, 0, 26) * 4);
	} else if (is(word, 0xff000000, 0x54000000) || is(word, 0x7e000000, 0x34000000)) {
		found.kind = PAPI_PROBE_BRANCH_IF;
		found.target = address + (uint64_t)(field(word, 5, 19) * 4);
	} else if (is(word, 0x7e000000, 0x36000000)) {
		found.kind = PAPI_PROBE_BRANCH_IF;
		found.target = address + (uint64_t)(field(word, 5, 14) * 4);
	} else if (is(word, 0x1f000000, 0x10000000)) {
		found.kind = PAPI_PROBE_ADDRESS;
		found.target = named(word, address);
	} else if (is(word, 0x3b000000, 0x18000000)) {
		found.kind = PAPI_PROBE_LITERAL;
		found.target = address + (uint64_t)(field(word, 5, 19) * 4);
	} else if (is_odd(word)) {
		found.kind = PAPI_PROBE_ODD;
	}
	return found;
}
