/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sequences of x86-64 instructions, made by chance: the same number makes the same sequence, wherever it is placed.
 *
 * A sequence is a row of units. A unit is a few random instructions (instructions.h), or a pattern around some of them:
 * a branch over them, a call of them, a loop of them, a string instruction with its pointers, and so on. Units know
 * nothing of each other and have random numbers of their own, so that one can be replaced or left out while the others
 * stay as they are: that is how a unit that faults is repaired, and how a difference is reduced to what shows it.
 *
 * The sequence counts itself. Each of its basic blocks begins with
 *
 *	lea	count, [count + n]	n: the instructions of the block, this one included,
 *					+ GENERATOR_CALL, when it ends with a call
 *					+ GENERATOR_TAKEN, when it ends with a conditional branch
 *					- GENERATOR_TAKEN, when it is where that branch was not taken
 *
 * so that the register count tells in the end what was executed, whichever way the branches went.
 *
 * The arena, which the register base points into, is all that the instructions read and write:
 *
 *	0 .. 8191	data, base in the middle
 *	8192 .. 14335	stack, which begins at ARENA_STACK or a little above
 *	14336 .. 16383	what the sequence itself needs: the counters of its loops, addresses to jump to
 */
#ifndef PAPI_TESTS_VPMU_GENERATOR_H
#define PAPI_TESTS_VPMU_GENERATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARENA_SIZE    16384
#define ARENA_BASE    4096
#define ARENA_DATA    8192
#define ARENA_STACK   12288
#define ARENA_CONTROL 14336

#define GENERATOR_CALL      ((int32_t)1 << 16)
#define GENERATOR_TAKEN     ((int32_t)1 << 24)
#define GENERATOR_UNITS_MAX 40
#define GENERATOR_SIZE_MAX  65536

/* Numbers of registers as instructions have them. */
enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15 };

/* The next of a row of random numbers. */
uint64_t generator_random(uint64_t *state);

struct generator_unit {
	unsigned attempt; /* how often it has been replaced */
	bool left_out;
	uint64_t start, end; /* addresses */
	const char *name;
};

struct sequence {
	uint64_t seed;
	bool wild;            /* its instructions may do what they want, and fault: it counts nothing then */
	unsigned base, count; /* registers */
	uint64_t arena;       /* addresses: of the arena, of where it ends by a jump, and of its code */
	uint64_t leaves_to, start;
	uint8_t *bytes;        /* where the code is written */
	unsigned size;         /* of the code, in bytes */
	unsigned instructions; /* generated ones */
	unsigned units;
	struct generator_unit unit[GENERATOR_UNITS_MAX];
};

/* Chooses what a sequence is like: how many units it has, and its registers. */
void generator_choose(struct sequence *sequence, uint64_t seed);
/* Writes it. Arena, leaves_to, start and bytes are the caller's to set, with GENERATOR_SIZE_MAX bytes of room. */
/* exists: see instructions.h. */
void generator_write(struct sequence *sequence, bool (*exists)(const uint8_t *bytes, unsigned length));
/* The number of the unit that has the address; -1: none. */
int generator_unit_of(const struct sequence *sequence, uint64_t address);

#endif
