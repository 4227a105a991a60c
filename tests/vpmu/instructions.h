/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One random instruction: random bytes that the decoder takes for an instruction that a user program may execute, with
 * its operand in memory turned to the arena of the generator. So there are all forms that the processor has, with
 * prefixes that are of no use, and without a table of instructions.
 */
#ifndef PAPI_TESTS_VPMU_INSTRUCTIONS_H
#define PAPI_TESTS_VPMU_INSTRUCTIONS_H

#include <stdbool.h>
#include <stdint.h>

#define ARITHMETIC_FLAGS 0x8d5u

struct instruction_wants {
	uint64_t place;       /* address where the instruction will be */
	uint64_t arena;       /* address */
	unsigned base, count; /* registers that it must not change */
	bool wild;            /* it may change any but rsp, and sometimes access memory anywhere */
	/* Called once for each kind of instruction: whether the processor has it. NULL: all that there are. */
	bool (*exists)(const uint8_t *bytes, unsigned length);
};

struct instruction {
	uint8_t bytes[16];
	unsigned length;
	int index; /* register that has to be smaller than 256 before; -1: none */
};

/* undefined: the arithmetic flags without a defined value, before and after. */
void instruction_make(
	struct instruction *made, const struct instruction_wants *wants, uint64_t *random, unsigned *undefined);

/* Prints what stands there. start: the address that it is for. */
void instruction_print(const uint8_t *bytes, unsigned size, uint64_t start);

#endif
