/* SPDX-License-Identifier: BSD-3-Clause */
#include "generator.h"

#include <string.h>

#include "generator_maker.h"

/* ---- chance ---- */

uint64_t generator_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

unsigned maker_below(struct maker *maker, unsigned n)
{
	return (unsigned)(generator_random(&maker->random) % n);
}

unsigned maker_register(struct maker *maker)
{
	for (;;) {
		unsigned number = maker_below(maker, 16);

		if (number != RSP && number != maker->sequence->base && number != maker->sequence->count)
			return number;
	}
}

int32_t maker_data(struct maker *maker, unsigned alignment)
{
	return (int32_t)(maker_below(maker, ARENA_DATA - 2048) & ~(alignment - 1)) + 512 - ARENA_BASE;
}

/* ---- bytes ---- */

uint64_t maker_place(const struct maker *maker)
{
	return maker->sequence->start + (uint64_t)(maker->next - maker->sequence->bytes);
}

void maker_bytes(struct maker *maker, const void *bytes, size_t size)
{
	memcpy(maker->next, bytes, size);
	maker->next += size;
}

void maker_number(struct maker *maker, uint64_t number, size_t size)
{
	maker_bytes(maker, &number, size);
}

void maker_emit(struct maker *maker, const void *bytes, size_t size)
{
	maker_bytes(maker, bytes, size);
	maker->in_block++;
	maker->sequence->instructions++;
}

void maker_emit_on(struct maker *maker, const void *opcode, size_t size, unsigned field, int32_t displacement)
{
	maker_emit(maker, opcode, size);
	maker_number(maker, 0x80 | (field & 7) << 3 | maker->sequence->base, 1);
	maker_number(maker, (uint32_t)displacement, 4);
}

void maker_emit_wide(struct maker *maker, unsigned opcode, unsigned field, unsigned of)
{
	const uint8_t bytes[] = { (uint8_t)(0x48 | (field >> 3) << 2 | of >> 3), (uint8_t)opcode,
		(uint8_t)(0xc0 | (field & 7) << 3 | (of & 7)) };

	maker_emit(maker, bytes, sizeof(bytes));
}

void maker_emit_set(struct maker *maker, unsigned number, uint32_t value)
{
	const uint8_t bytes[] = { (uint8_t)(0x40 | number >> 3), (uint8_t)(0xb8 | (number & 7)) };

	maker_emit(maker, bytes, sizeof(bytes));
	maker_number(maker, value, 4);
}

struct label maker_emit_address(struct maker *maker, unsigned number)
{
	const uint8_t bytes[] = { (uint8_t)(0x48 | (number >> 3) << 2), 0x8d, (uint8_t)((number & 7) << 3 | 5) };

	maker_emit(maker, bytes, sizeof(bytes));
	maker_number(maker, 0, 4);
	return (struct label){ maker->next, 4 };
}

/* ---- jumps ---- */

struct label maker_emit_jump(struct maker *maker, const void *opcode, size_t size, unsigned width)
{
	maker_emit(maker, opcode, size);
	maker_number(maker, 0, width);
	return (struct label){ maker->next, width };
}

void maker_bind_to(struct label label, const uint8_t *target)
{
	int64_t distance = target - label.behind;

	memcpy(label.behind - label.width, &distance, label.width);
}

void maker_bind(struct maker *maker, struct label label)
{
	maker_bind_to(label, maker->next);
}

/* ---- blocks ---- */

void maker_settle_flags(struct maker *maker)
{
	unsigned number = maker_below(maker, 16);

	if (maker->undefined == 0)
		return;
	maker_emit_wide(maker, 0x39, number, number); /* cmp: defines them all */
	maker->undefined = 0;
}

void maker_begin_block(struct maker *maker, int32_t fields)
{
	unsigned count = maker->sequence->count;
	const uint8_t bytes[] = { 0x4d, 0x8d, (uint8_t)(0x80 | (count & 7) << 3 | (count & 7)) };

	maker->in_block = 0;
	maker->fields = fields;
	maker_emit(maker, bytes, sizeof(bytes));
	maker->sequence->instructions--;
	maker_number(maker, 0, 4);
	maker->block = maker->next;
}

void maker_end_block(struct maker *maker, int32_t fields)
{
	int32_t sum = (int32_t)maker->in_block + maker->fields + fields;

	memcpy(maker->block - 4, &sum, sizeof(sum));
}

/* ---- random instructions ---- */

static void put_random(struct maker *maker)
{
	const struct sequence *sequence = maker->sequence;
	const uint8_t zero_extend[] = { 0x0f, 0xb6 };
	struct instruction_wants wants = { .place = maker_place(maker),
		.arena = sequence->arena,
		.base = sequence->base,
		.count = sequence->count,
		.wild = sequence->wild,
		.exists = maker->exists };
	struct instruction made;
	unsigned undefined = maker->undefined;
	uint64_t random = maker->random;

	instruction_make(&made, &wants, &maker->random, &maker->undefined);
	if (made.index >= 0 && !sequence->wild) {
		/* movzx index, its lowest byte; behind it the instruction is made anew, for its place. */
		const uint8_t prefix = 0x40;

		maker->undefined = undefined;
		maker->random = random;
		wants.place += 4;
		instruction_make(&made, &wants, &maker->random, &maker->undefined);
		maker_emit(maker, &prefix, 1);
		maker_bytes(maker, zero_extend, sizeof(zero_extend));
		maker_number(maker, 0xc0u | (unsigned)made.index << 3 | (unsigned)made.index, 1);
	}
	maker_emit(maker, made.bytes, made.length);
}

void maker_body(struct maker *maker, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		if (maker->depth < 2 && !maker->sequence->wild && !maker_below(maker, 16)) {
			maker->depth++;
			maker_unit(maker);
			maker->depth--;
		} else {
			put_random(maker);
		}
	}
}

void maker_plain_body(struct maker *maker, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		put_random(maker);
}

/* ---- sequences ---- */

void generator_choose(struct sequence *sequence, uint64_t seed)
{
	static const unsigned counts[] = { R8, R9, R10, R13, R14, R15 };
	uint64_t random = seed;

	memset(sequence, 0, sizeof(*sequence));
	sequence->seed = seed;
	sequence->wild = generator_random(&random) % 16 == 0;
	sequence->base = generator_random(&random) % 2 ? RBX : RBP;
	sequence->count = counts[generator_random(&random) % (sizeof(counts) / sizeof(counts[0]))];
	sequence->units = 1 + (unsigned)(generator_random(&random) % (sequence->wild ? 8 : GENERATOR_UNITS_MAX));
}

static void write_unit(struct maker *maker, unsigned number)
{
	struct generator_unit *unit = &maker->sequence->unit[number];

	unit->start = maker_place(maker);
	maker->random = maker->sequence->seed + (number + 1) * 0xd6e8feb86659fd93u +
		unit->attempt * 0xa0761d6478bd642fu;
	unit->name = unit->left_out ? "left out" : maker_unit(maker);
	unit->end = maker_place(maker);
}

/* How often it goes round is in the arena. */
static void write_end(struct maker *maker)
{
	const uint8_t decrement[] = { 0xff, 0x0d }, again[] = { 0x0f, 0x85 }, leave[] = { 0xff, 0x25 };
	struct label label;

	maker_emit(maker, decrement, sizeof(decrement)); /* relative to rip, as base may have been changed */
	maker_number(maker, maker->sequence->arena + ARENA_CONTROL - (maker_place(maker) + 4), 4);
	label = maker_emit_jump(maker, again, sizeof(again), 4);
	maker_bind_to(label, maker->sequence->bytes);
	maker_end_block(maker, GENERATOR_TAKEN);
	maker_begin_block(maker, -GENERATOR_TAKEN);
	maker_emit(maker, leave, sizeof(leave));
	maker_number(maker, 0, 4);
	maker_number(maker, maker->sequence->leaves_to, 8);
	maker_end_block(maker, 0);
}

void generator_write(struct sequence *sequence, bool (*exists)(const uint8_t *bytes, unsigned length))
{
	struct maker maker = { .sequence = sequence, .next = sequence->bytes, .exists = exists };

	sequence->instructions = 0;
	maker_begin_block(&maker, 0);
	for (unsigned i = 0; i < sequence->units; i++)
		write_unit(&maker, i);
	maker_settle_flags(&maker);
	write_end(&maker);
	sequence->size = (unsigned)(maker.next - sequence->bytes);
}

int generator_unit_of(const struct sequence *sequence, uint64_t address)
{
	for (unsigned i = 0; i < sequence->units; i++)
		if (address >= sequence->unit[i].start && address < sequence->unit[i].end)
			return (int)i;
	return -1;
}
