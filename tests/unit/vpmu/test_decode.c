/* SPDX-License-Identifier: BSD-3-Clause */
/* What is known of single instructions: at a glance, by the Zydis library, and of what has been decoded before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "components/vpmu/x86_64/translate/remembered.h"
#include "components/vpmu/x86_64/translate/zydis.h"
#include "random.h"
#include "same_instruction.h"

/* ---- glances ---- */

static unsigned compare_glance(const uint8_t *bytes)
{
	struct papi_vpmu_instruction instruction;
	struct papi_vpmu_glance glance;

	if (!papi_vpmu_glance(bytes, 16, &glance))
		return 0;
	assert_true(papi_vpmu_decode_copy(&instruction, 0x1000, bytes, 16));
	assert_int_equal(glance.length, instruction.length);
	assert_int_equal(instruction.kind, PAPI_VPMU_PLAIN);
	assert_int_equal(instruction.flags_read, 0);
	assert_int_equal(instruction.flags_set, glance.sets_flags ? PAPI_VPMU_ARITHMETIC_FLAGS : 0);
	return 1;
}

/* All opcodes of one byte, ModRM bytes, and REX prefixes, and SIB bytes that differ in what follows. */
static void glances_see_what_the_decoder_sees(void **state)
{
	static const uint8_t sibs[] = { 0x00, 0x05, 0x24, 0x25, 0x65, 0xfd };
	const uint8_t endbr64[16] = { 0xf3, 0x0f, 0x1e, 0xfa }, endbr32[16] = { 0xf3, 0x0f, 0x1e, 0xfb };
	unsigned known = 0;

	(void)state;
	for (unsigned i = 0; i < 17 << 16; i++)
		for (unsigned j = 0; j < sizeof(sibs); j++) {
			uint8_t bytes[17] = { (uint8_t)(0x3f + (i >> 16)), (uint8_t)(i >> 8), (uint8_t)i, sibs[j] };

			known += compare_glance(i >> 16 ? bytes : bytes + 1);
		}
	assert_true(known > 500000);
	assert_int_equal(compare_glance(endbr64), 1);
	assert_int_equal(compare_glance(endbr32), 0);
	assert_false(papi_vpmu_glance(endbr64, 14, &(struct papi_vpmu_glance){ 0 }));
}

/* ---- what has been decoded before ---- */

static struct papi_vpmu_remembered remembered;

/* Whether both say the same of bytes, of which there are so many; true when they are an instruction. */
static bool compare_remembered(const uint8_t *bytes, uint64_t size)
{
	struct papi_vpmu_instruction expected, found;
	bool is_one;

	memset(&expected, 0, sizeof(expected));
	memset(&found, 0, sizeof(found));
	for (unsigned i = 0; i < ZYDIS_MAX_OPERAND_COUNT; i++)
		found.operands[i].type = ZYDIS_OPERAND_TYPE_MEMORY; /* of what was decoded there before */
	is_one = papi_vpmu_decode_copy(&expected, 0x1000, bytes, size);
	assert_int_equal(papi_vpmu_decode_remembered(&remembered, &found, 0x1000, bytes, size), is_one);
	if (is_one)
		assert_true(is_same_instruction(&found, &expected));
	return is_one;
}

/* Random instructions, more than are remembered and some more often than others, with other bytes behind them each
 * time. */
static void what_is_remembered_is_what_is_decoded(void **state)
{
	enum { DIFFERENT = 20000, LONGEST = 15 };
	static const char *const starts[] = { "\x48\x8b", "\x89", "\xe8", "\xe9", "\xeb", "\x74", "\x0f\x85", "\xc3",
		"\x50", "\x0f\xb6", "\xc5\xf9", "\x62\xf1", "\xf3\x48", "\xff", "\x83", "\x66\xe9", "\xf2\xe8",
		"\x65\x48", "\xc8" };
	static uint8_t drawn[DIFFERENT][LONGEST + 1];
	uint64_t random = 1;
	unsigned instructions = 0;

	(void)state;
	for (unsigned i = 0; i < DIFFERENT; i++) {
		const char *start = starts[i % (sizeof(starts) / sizeof(starts[0]))];

		for (unsigned j = 0; j < sizeof(drawn[i]); j++)
			drawn[i][j] = (uint8_t)next_random(&random);
		memcpy(drawn[i], start, strlen(start));
	}
	for (unsigned i = 0; i < 400000; i++) {
		unsigned n = (unsigned)next_random(&random), at = n % DIFFERENT % (1u + n % 5 * 4999);
		uint64_t size = i % 7 ? sizeof(drawn[at]) : i / 7 % 20;
		uint8_t bytes[20] = { 0 };

		memcpy(bytes, drawn[at], sizeof(drawn[at]));
		for (unsigned j = 3 + i % 13; j < sizeof(bytes); j++)
			bytes[j] = (uint8_t)(n >> j % 20);
		instructions += compare_remembered(bytes, size);
	}
	assert_in_range(instructions, 200000, 400000);
	assert_in_range(remembered.taken, PAPI_VPMU_REMEMBERED_PLACES + 1, PAPI_VPMU_REMEMBERED_SLOTS);
}

static void what_is_remembered_is_not_decoded(void **state)
{
	const uint8_t one[16] = "\x48\x8b\x04\x24\x90", same[16] = "\x48\x8b\x04\x24\xcc",
		      other[16] = "\x48\x8b\x04\x25\x90";
	const uint8_t call[16] = "\xe8\x01\x02\x03\x04", another[16] = "\xe8\x11\x12\x13\xf4";
	struct papi_vpmu_instruction instruction;

	(void)state;
	memset(&remembered, 0, sizeof(remembered));
	assert_true(papi_vpmu_decode_remembered(&remembered, &instruction, 0x1000, one, sizeof(one)));
	remembered.places[0].instruction[offsetof(struct papi_vpmu_instruction, opcode)] = 1;
	assert_true(papi_vpmu_decode_remembered(&remembered, &instruction, 0x2000, same, sizeof(same)));
	assert_int_equal(instruction.opcode, 1);
	assert_int_equal(instruction.pc, 0x2000);
	assert_true(papi_vpmu_decode_remembered(&remembered, &instruction, 0x2000, same, sizeof(same) - 1));
	assert_int_equal(instruction.opcode, 0x8b); /* too near to the end of what can be read */
	assert_true(papi_vpmu_decode_remembered(&remembered, &instruction, 0x2000, other, sizeof(other)));
	assert_int_equal(instruction.opcode, 0x8b);
	assert_true(papi_vpmu_decode_remembered(&remembered, &instruction, 0x2000, call, sizeof(call)));
	assert_int_equal(papi_vpmu_branch_target(&instruction), 0x2000 + 5 + 0x04030201);
	assert_int_equal(remembered.taken, 3);
	assert_true(papi_vpmu_decode_remembered(&remembered, &instruction, 0x2000, another, sizeof(another)));
	assert_int_equal(papi_vpmu_branch_target(&instruction), 0x2000 + 5 - 0x0becedef);
	assert_int_equal(remembered.taken, 3);
}

static int begin(void **state)
{
	const char *reason;

	(void)state;
	return papi_vpmu_zydis_find(&reason) ? 0 : -1;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(glances_see_what_the_decoder_sees),
		cmocka_unit_test(what_is_remembered_is_what_is_decoded),
		cmocka_unit_test(what_is_remembered_is_not_decoded),
	};

	return cmocka_run_group_tests(tests, begin, NULL);
}
