/* SPDX-License-Identifier: BSD-3-Clause */
/* What generator.c offers to units.c, which has the patterns: a small assembler that counts what it emits. */
#ifndef PAPI_TESTS_VPMU_GENERATOR_MAKER_H
#define PAPI_TESTS_VPMU_GENERATOR_MAKER_H

#include "generator.h"
#include "instructions.h"

struct maker {
	struct sequence *sequence;
	uint8_t *next;  /* where the next byte goes */
	uint8_t *block; /* behind the lea that counts the block */
	unsigned in_block;
	int32_t fields;
	unsigned undefined; /* flags */
	unsigned depth;     /* of units in units */
	uint64_t random;
	bool (*exists)(const uint8_t *bytes, unsigned length);
};

/* A displacement of so many bytes that is still to be written, relative to its end. */
struct label {
	uint8_t *behind;
	unsigned width;
};

unsigned maker_below(struct maker *maker, unsigned n);
/* One that instructions may change. */
unsigned maker_register(struct maker *maker);
/* A displacement from base into the data, with some room to both sides. */
int32_t maker_data(struct maker *maker, unsigned alignment);

/* The address of the next byte. */
uint64_t maker_place(const struct maker *maker);
/* Bytes that are no instruction, or the rest of one. */
void maker_bytes(struct maker *maker, const void *bytes, size_t size);
void maker_number(struct maker *maker, uint64_t number, size_t size);

/* An instruction, or its first bytes. */
void maker_emit(struct maker *maker, const void *bytes, size_t size);
/* OPCODE field, [base + displacement] */
void maker_emit_on(struct maker *maker, const void *opcode, size_t size, unsigned field, int32_t displacement);
/* OPCODE on two registers of 64 bits; field is the one in the middle of ModRM */
void maker_emit_wide(struct maker *maker, unsigned opcode, unsigned field, unsigned of);
/* mov number, value of 32 bits */
void maker_emit_set(struct maker *maker, unsigned number, uint32_t value);
/* lea number, [rip + label] */
struct label maker_emit_address(struct maker *maker, unsigned number);

struct label maker_emit_jump(struct maker *maker, const void *opcode, size_t size, unsigned width);
void maker_bind(struct maker *maker, struct label label);
void maker_bind_to(struct label label, const uint8_t *target);

/* At the end of each block all flags have a value: what is behind it is reached from elsewhere, too. */
void maker_settle_flags(struct maker *maker);
void maker_begin_block(struct maker *maker, int32_t fields);
void maker_end_block(struct maker *maker, int32_t fields);

/* Random instructions, with units among them, and without: that is short. */
void maker_body(struct maker *maker, unsigned n);
void maker_plain_body(struct maker *maker, unsigned n);

/* A random unit, and its name. */
const char *maker_unit(struct maker *maker);

#endif
