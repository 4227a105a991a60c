/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the bit-fields of PAPI_component_info_t lie. They have no offset that a compiler could assert, so each is set
 * in a structure of zeros, and the bytes are looked at: exactly the expected bits must be set. Linking this program
 * with the files layout_*.c makes it the test that they compile, too.
 */
#include <stdio.h>
#include <string.h>

#include "layout.h"

#define FIRST_BYTE 2264 /* of the bits in the structure */

static int failures;

/* Compares the structure with zeros in which only the given bits, counted from FIRST_BYTE, are set. */
static void expect(const char *name, const PAPI_component_info_t *info, int first, int width)
{
	unsigned char wanted[sizeof *info];
	unsigned char found[sizeof *info];

	memset(wanted, 0, sizeof wanted);
	for (int bit = first; bit < first + width; bit++)
		wanted[FIRST_BYTE + bit / 8] = (unsigned char)(wanted[FIRST_BYTE + bit / 8] | 1u << bit % 8);
	memcpy(found, info, sizeof found);
	if (memcmp(found, wanted, sizeof found) == 0)
		return;
	fprintf(stderr, "%s: bits are %02x %02x %02x %02x, must be %02x %02x %02x %02x\n", name, found[FIRST_BYTE],
		found[FIRST_BYTE + 1], found[FIRST_BYTE + 2], found[FIRST_BYTE + 3], wanted[FIRST_BYTE],
		wanted[FIRST_BYTE + 1], wanted[FIRST_BYTE + 2], wanted[FIRST_BYTE + 3]);
	failures++;
}

#define CHECK(member, first, width)                        \
	do {                                               \
		PAPI_component_info_t info;                \
		memset(&info, 0, sizeof info);             \
		info.member = ~0u & ((1u << (width)) - 1); \
		expect(#member, &info, first, width);      \
	} while (0)

int main(void)
{
	CHECK(hardware_intr, 0, 1);
	CHECK(precise_intr, 1, 1);
	CHECK(posix1b_timers, 2, 1);
	CHECK(kernel_profile, 3, 1);
	CHECK(kernel_multiplex, 4, 1);
	CHECK(fast_counter_read, 5, 1);
	CHECK(fast_real_timer, 6, 1);
	CHECK(fast_virtual_timer, 7, 1);
	CHECK(attach, 8, 1);
	CHECK(attach_must_ptrace, 9, 1);
	CHECK(cntr_umasks, 10, 1);
	CHECK(cpu, 11, 1);
	CHECK(inherit, 12, 1);
	CHECK(reserved_bits, 13, 19);

	/* Bits of 3.5 lie in those that 7.0 reserves. */
	CHECK(data_address_range, 13, 1);
	CHECK(instr_address_range, 14, 1);
	CHECK(edge_detect, 15, 1);
	CHECK(invert, 16, 1);
	CHECK(profile_ear, 17, 1);
	CHECK(grouped_cntrs, 18, 1);
	return failures ? 1 : 0;
}
