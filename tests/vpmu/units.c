/* SPDX-License-Identifier: BSD-3-Clause */
/* The patterns that sequences are made of. In comments, ... is a body of random instructions. */
#include <string.h>

#include "generator_maker.h"

/* Flags that some instructions leave without a value, or as they are. */
#define AUXILIARY 0x10u
#define CARRY     0x01u

#define EMIT(maker, ...)                                       \
	do {                                                   \
		const uint8_t emitted_[] = { __VA_ARGS__ };    \
		maker_emit(maker, emitted_, sizeof(emitted_)); \
	} while (0)
#define EMIT_ON(maker, field, displacement, ...)                                       \
	do {                                                                           \
		const uint8_t emitted_[] = { __VA_ARGS__ };                            \
		maker_emit_on(maker, emitted_, sizeof(emitted_), field, displacement); \
	} while (0)

/* Of a push, pop or call of a register: with a prefix for the upper eight. */
static void emit_register(struct maker *maker, unsigned number, unsigned opcode, unsigned modrm, bool has_modrm)
{
	const uint8_t bytes[] = { (uint8_t)(0x40 | number >> 3), (uint8_t)(has_modrm ? opcode : opcode | (number & 7)),
		(uint8_t)(modrm | (number & 7)) };

	maker_emit(maker, bytes, has_modrm ? 3 : 2);
}

static int32_t control(const struct maker *maker)
{
	return ARENA_CONTROL - ARENA_BASE + 64 + 64 * (int32_t)maker->depth;
}

/* The block ends, and the next is reached also from elsewhere. */
static void next_block(struct maker *maker)
{
	maker_settle_flags(maker);
	maker_end_block(maker, 0);
	maker_begin_block(maker, 0);
}

static void unit_straight(struct maker *maker)
{
	maker_body(maker, 1 + maker_below(maker, 6));
}

/* ---- branches ---- */

static struct label emit_condition(struct maker *maker, bool is_short)
{
	unsigned condition = maker_below(maker, 16);
	const uint8_t near[] = { 0x0f, (uint8_t)(0x80 | condition) }, close[] = { (uint8_t)(0x70 | condition) };

	return is_short ? maker_emit_jump(maker, close, sizeof(close), 1)
			: maker_emit_jump(maker, near, sizeof(near), 4);
}

static struct label emit_jump(struct maker *maker, bool is_short)
{
	const uint8_t near[] = { 0xe9 }, close[] = { 0xeb };

	return is_short ? maker_emit_jump(maker, close, 1, 1) : maker_emit_jump(maker, near, 1, 4);
}

/* jcc over; ...; over: */
static void unit_branch(struct maker *maker)
{
	bool is_short = maker_below(maker, 2);
	struct label over;

	maker_settle_flags(maker);
	over = emit_condition(maker, is_short);
	maker_end_block(maker, GENERATOR_TAKEN);
	maker_begin_block(maker, -GENERATOR_TAKEN);
	if (is_short)
		maker_plain_body(maker, maker_below(maker, 4));
	else
		maker_body(maker, maker_below(maker, 8));
	maker_settle_flags(maker);
	maker_end_block(maker, 0);
	maker_bind(maker, over);
	maker_begin_block(maker, 0);
}

/* jcc else; ...; jmp end; else: ...; end: */
static void unit_either(struct maker *maker)
{
	struct label other, end;

	maker_settle_flags(maker);
	other = emit_condition(maker, false);
	maker_end_block(maker, GENERATOR_TAKEN);
	maker_begin_block(maker, -GENERATOR_TAKEN);
	maker_body(maker, maker_below(maker, 4));
	maker_settle_flags(maker);
	end = emit_jump(maker, false);
	maker_end_block(maker, 0);
	maker_bind(maker, other);
	maker_begin_block(maker, 0);
	maker_body(maker, maker_below(maker, 4));
	maker_settle_flags(maker);
	maker_end_block(maker, 0);
	maker_bind(maker, end);
	maker_begin_block(maker, 0);
}

/* jrcxz, jecxz, loop, loope or loopne over; ...; over: */
static void unit_counter_branch(struct maker *maker)
{
	const uint8_t forms[][2] = { { 0xe3 }, { 0x67, 0xe3 }, { 0xe2 }, { 0xe1 }, { 0xe0 }, { 0x67, 0xe2 } };
	unsigned form = maker_below(maker, 6);
	struct label over;

	if (maker_below(maker, 2)) {
		EMIT(maker, 0x83, 0xe1, 0x01); /* and ecx, 1 */
		maker->undefined = AUXILIARY;
	}
	maker_settle_flags(maker);
	over = maker_emit_jump(maker, forms[form], forms[form][0] == 0x67 ? 2 : 1, 1);
	maker_end_block(maker, GENERATOR_TAKEN);
	maker_begin_block(maker, -GENERATOR_TAKEN);
	maker_plain_body(maker, maker_below(maker, 4));
	maker_settle_flags(maker);
	maker_end_block(maker, 0);
	maker_bind(maker, over);
	maker_begin_block(maker, 0);
}

/* mov [rounds], n; again: ...; dec [rounds]; jnz again */
static void unit_loop(struct maker *maker)
{
	const uint8_t again[] = { 0x0f, 0x85 };
	int32_t rounds = control(maker);
	uint8_t *start;

	EMIT_ON(maker, 0, rounds, 0xc7);
	maker_number(maker, 1 + maker_below(maker, 4), 4);
	maker_settle_flags(maker);
	maker_end_block(maker, 0);
	start = maker->next;
	maker_begin_block(maker, 0);
	maker_body(maker, 1 + maker_below(maker, 5));
	EMIT_ON(maker, 1, rounds, 0xff);
	maker->undefined &= CARRY; /* dec leaves it as it is */
	maker_settle_flags(maker);
	maker_bind_to(maker_emit_jump(maker, again, sizeof(again), 4), start);
	maker_end_block(maker, GENERATOR_TAKEN);
	maker_begin_block(maker, -GENERATOR_TAKEN);
}

/* mov ecx, n; again: lea or mov of two others; loop again */
static void unit_counted_loop(struct maker *maker)
{
	const uint8_t again[] = { 0xe2 };
	uint8_t *start;

	maker_emit_set(maker, RCX, 1 + maker_below(maker, 6));
	next_block(maker);
	start = maker->block - 7;
	EMIT(maker, 0x8d, 0x04, 0x48);                   /* lea eax, [rax + rcx * 2] */
	EMIT_ON(maker, RAX, maker_data(maker, 1), 0x89); /* mov [...], eax */
	maker_bind_to(maker_emit_jump(maker, again, 1, 1), start);
	maker_end_block(maker, GENERATOR_TAKEN);
	maker_begin_block(maker, -GENERATOR_TAKEN);
}

/* jmp over; garbage; over: */
static void unit_jump(struct maker *maker)
{
	struct label over;
	unsigned garbage = maker_below(maker, 60);

	maker_settle_flags(maker);
	over = emit_jump(maker, maker_below(maker, 2));
	maker_end_block(maker, 0);
	while (garbage--)
		maker_number(maker, generator_random(&maker->random), 1);
	maker_bind(maker, over);
	maker_begin_block(maker, 0);
}

/* ---- indirect jumps ---- */

#define WAYS 4

static void put_ways(struct maker *maker, uint64_t addresses[WAYS])
{
	struct label ends[WAYS];

	for (unsigned i = 0; i < WAYS; i++) {
		addresses[i] = maker_place(maker);
		maker_begin_block(maker, 0);
		maker_body(maker, maker_below(maker, 3));
		maker_settle_flags(maker);
		ends[i] = emit_jump(maker, false);
		maker_end_block(maker, 0);
	}
	for (unsigned i = 0; i < WAYS; i++)
		maker_bind(maker, ends[i]);
	maker_begin_block(maker, 0);
}

/* and eax, 3; lea rdx, [table]; jmp [rdx + rax * 8], or with a table of distances: movsxd, add, jmp rax */
static void unit_table(struct maker *maker)
{
	bool is_relative = maker_below(maker, 2);
	uint64_t addresses[WAYS], place;
	struct label table;
	uint8_t *entries;

	EMIT(maker, 0x83, 0xe0, 0x03);
	table = maker_emit_address(maker, RDX);
	if (is_relative) {
		EMIT(maker, 0x48, 0x63, 0x04, 0x82); /* movsxd rax, [rdx + rax * 4] */
		EMIT(maker, 0x48, 0x01, 0xd0);       /* add rax, rdx */
	}
	maker->undefined = is_relative ? 0 : AUXILIARY;
	maker_settle_flags(maker);
	if (is_relative)
		EMIT(maker, 0xff, 0xe0);
	else
		EMIT(maker, 0xff, 0x24, 0xc2);
	maker_end_block(maker, 0);
	maker_bind(maker, table);
	place = maker_place(maker);
	entries = maker->next;
	maker->next += WAYS * 8;
	put_ways(maker, addresses);
	for (unsigned i = 0; i < WAYS; i++) {
		uint64_t entry = is_relative ? addresses[i] - place : addresses[i];

		memcpy(entries + i * (is_relative ? 4 : 8), &entry, is_relative ? 4 : 8);
	}
}

/* lea register, [next]; push it; ret; garbage; next: */
static void unit_return_as_jump(struct maker *maker)
{
	unsigned number = maker_register(maker);
	struct label next;

	next = maker_emit_address(maker, number);
	emit_register(maker, number, 0x50, 0, false);
	maker_settle_flags(maker);
	EMIT(maker, 0xc3);
	maker_end_block(maker, 0);
	maker_number(maker, generator_random(&maker->random), 5);
	maker_bind(maker, next);
	maker_begin_block(maker, 0);
}

/* ---- calls ---- */

/* Ends with a return, of some form; bytes: of arguments that it takes away. */
static void put_function(struct maker *maker, unsigned bytes)
{
	maker_begin_block(maker, 0);
	maker_body(maker, maker_below(maker, 5));
	maker_settle_flags(maker);
	if (bytes > 0) {
		EMIT(maker, 0xc2, (uint8_t)bytes, 0);
	} else {
		switch (maker_below(maker, 3)) {
		case 0:
			EMIT(maker, 0xf3, 0xc3);
			break;
		default:
			EMIT(maker, 0xc3);
		}
	}
	maker_end_block(maker, 0);
}

/* Pushes what a function takes away: how many bytes. */
static unsigned put_arguments(struct maker *maker)
{
	unsigned n = maker_below(maker, 3) ? 0 : maker_below(maker, 4);

	for (unsigned i = 0; i < n; i++)
		EMIT(maker, 0x6a, (uint8_t)maker_below(maker, 256));
	return n * 8;
}

/* call function; jmp over; function: ...; ret; over: */
static void unit_call(struct maker *maker)
{
	const uint8_t call[] = { 0xe8 };
	struct label function, over;
	unsigned bytes = put_arguments(maker);

	maker_settle_flags(maker);
	function = maker_emit_jump(maker, call, 1, 4);
	maker_end_block(maker, GENERATOR_CALL);
	maker_begin_block(maker, 0);
	over = emit_jump(maker, false);
	maker_end_block(maker, 0);
	maker_bind(maker, function);
	put_function(maker, bytes);
	maker_bind(maker, over);
	maker_begin_block(maker, 0);
}

/* jmp over; function: ...; ret; over: call back to it, by way of a register, of the arena, or of nothing */
static void unit_call_back(struct maker *maker)
{
	unsigned number = maker_register(maker), bytes;
	struct label over, function;
	uint8_t *start;

	maker_settle_flags(maker);
	over = emit_jump(maker, false);
	maker_end_block(maker, 0);
	bytes = maker_below(maker, 3) * 8;
	start = maker->next;
	put_function(maker, bytes);
	maker_bind(maker, over);
	maker_begin_block(maker, 0);
	for (unsigned i = 0; i < bytes; i += 8)
		emit_register(maker, maker_register(maker), 0x50, 0, false);
	function = maker_emit_address(maker, number);
	maker_bind_to(function, start);
	if (maker_below(maker, 2)) {
		emit_register(maker, number, 0xff, 0xd0, true);
	} else {
		const uint8_t store[] = { (uint8_t)(0x48 | (number >> 3) << 2), 0x89 };

		maker_emit_on(maker, store, sizeof(store), number, control(maker) + 8);
		EMIT_ON(maker, 2, control(maker) + 8, 0xff);
	}
	maker_end_block(maker, GENERATOR_CALL);
	maker_begin_block(maker, 0);
}

/* call next; next: pop register: its own address */
static void unit_own_address(struct maker *maker)
{
	const uint8_t call[] = { 0xe8 };

	maker_settle_flags(maker);
	maker_bind(maker, maker_emit_jump(maker, call, 1, 4));
	maker_end_block(maker, GENERATOR_CALL);
	maker_begin_block(maker, 0);
	emit_register(maker, maker_register(maker), 0x58, 0, false);
}

/* ---- data ---- */

/* lea rsi; lea rdi; mov ecx, n; cld or std; rep string instruction; cld */
static void unit_string(struct maker *maker)
{
	static const uint8_t opcodes[] = { 0xa4, 0xa5, 0xa6, 0xa7, 0xaa, 0xab, 0xac, 0xad, 0xae, 0xaf };
	static const uint8_t prefixes[] = { 0xf3, 0xf2, 0x66, 0x48 };
	uint8_t bytes[4];
	unsigned n = 0;

	EMIT_ON(maker, RSI, maker_data(maker, 1), 0x48, 0x8d);
	EMIT_ON(maker, RDI, maker_data(maker, 1), 0x48, 0x8d);
	maker_emit_set(maker, RCX, maker_below(maker, 3) ? maker_below(maker, 24) : 0);
	EMIT(maker, (uint8_t)(0xfc | maker_below(maker, 2)));
	maker_settle_flags(maker);
	if (maker_below(maker, 4))
		bytes[n++] = prefixes[maker_below(maker, 2)];
	if (maker_below(maker, 2)) {
		unsigned wide = 2 + maker_below(maker, 2);

		if (wide == 2) {
			memmove(bytes + 1, bytes, n);
			bytes[0] = prefixes[2];
			n++;
		} else {
			bytes[n++] = prefixes[3];
		}
	}
	bytes[n++] = opcodes[maker_below(maker, sizeof(opcodes))];
	maker_emit(maker, bytes, n);
	EMIT(maker, 0xfc);
}

/* mov [m], positive; cdq or xor edx, edx; div or idiv [m] */
static void unit_division(struct maker *maker)
{
	int32_t at = maker_data(maker, 1);
	bool is_signed = maker_below(maker, 2), is_wide = maker_below(maker, 2);

	if (is_wide)
		EMIT_ON(maker, 0, at, 0x48, 0xc7);
	else
		EMIT_ON(maker, 0, at, 0xc7);
	maker_number(maker, 1 + maker_below(maker, maker_below(maker, 2) ? 16 : 0x7fffffff), 4);
	if (!is_signed) {
		EMIT(maker, 0x31, 0xd2);
		maker->undefined = 0;
	} else if (is_wide) {
		EMIT(maker, 0x48, 0x99);
	} else {
		EMIT(maker, 0x99);
	}
	if (is_wide)
		EMIT_ON(maker, is_signed ? 7 : 6, at, 0x48, 0xf7);
	else
		EMIT_ON(maker, is_signed ? 7 : 6, at, 0xf7);
	maker->undefined = ARITHMETIC_FLAGS;
}

static void put_push(struct maker *maker)
{
	switch (maker_below(maker, 6)) {
	case 0:
		EMIT(maker, 0x6a, (uint8_t)maker_below(maker, 256));
		break;
	case 1:
		EMIT(maker, 0x68, 1, 2, 3, (uint8_t)maker_below(maker, 256));
		break;
	case 2:
		EMIT_ON(maker, 6, maker_data(maker, 1), 0xff);
		break;
	case 3:
		EMIT(maker, 0x54); /* push rsp */
		break;
	case 4:
		maker_settle_flags(maker);
		EMIT(maker, 0x9c);
		break;
	default:
		emit_register(maker, maker_register(maker), 0x50, 0, false);
	}
}

static void put_pop(struct maker *maker)
{
	if (maker_below(maker, 3))
		emit_register(maker, maker_register(maker), 0x58, 0, false);
	else
		EMIT_ON(maker, 0, maker_data(maker, 1), 0x8f);
}

/* push; push; ...; pop; pop */
static void unit_stack(struct maker *maker)
{
	unsigned n = 1 + maker_below(maker, 4);

	for (unsigned i = 0; i < n; i++)
		put_push(maker);
	maker_body(maker, maker_below(maker, 3));
	for (unsigned i = 0; i < n; i++)
		put_pop(maker);
}

/* The stack pointer moves by other means: lea, sub, add, enter, leave, by way of a register; accesses below it. */
static void unit_stack_pointer(struct maker *maker)
{
	uint8_t size = (uint8_t)(8 + 8 * maker_below(maker, 14));

	switch (maker_below(maker, 5)) {
	case 0:
		EMIT(maker, 0x48, 0x8d, 0x64, 0x24, (uint8_t)-size); /* lea rsp, [rsp - size] */
		maker_body(maker, maker_below(maker, 3));
		EMIT(maker, 0x48, 0x8d, 0x64, 0x24, size);
		break;
	case 1:
		EMIT(maker, 0x48, 0x83, 0xec, size); /* sub rsp, size */
		maker->undefined = 0;
		maker_body(maker, maker_below(maker, 3));
		EMIT(maker, 0x48, 0x83, 0xc4, size);
		maker->undefined = 0;
		break;
	case 2:
		EMIT(maker, 0x48, 0x89, 0xe0); /* mov rax, rsp; xchg rax, rsp */
		EMIT(maker, 0x48, 0x94);
		break;
	case 3:
		if (maker->sequence->base == RBP)
			break;
		EMIT(maker, 0xc8, size, 0, 0); /* enter size, 0; leave */
		EMIT(maker, 0xc9);
		break;
	default:
		EMIT(maker, 0x89, 0x44, 0x24, (uint8_t)-size);       /* mov [rsp - size], eax */
		EMIT(maker, 0x48, 0x8b, 0x54, 0x24, (uint8_t)-size); /* mov rdx, [rsp - size] */
	}
}

static void put_atomic_arithmetic(struct maker *maker, int32_t at)
{
	const uint8_t opcodes[] = { 0x01, 0x09, 0x11, 0x19, 0x21, 0x29, 0x31 };
	unsigned number = maker_register(maker);
	uint8_t rex = (uint8_t)(0x40 | (number >> 3) << 2 | maker_below(maker, 2) << 3);
	uint8_t opcode = opcodes[maker_below(maker, sizeof(opcodes))];

	/* adc and sbb look at CF; or, and, xor leave AF without a value. */
	maker_settle_flags(maker);
	EMIT_ON(maker, number, at, 0xf0, rex, opcode);
	maker->undefined = opcode == 0x09 || opcode == 0x21 || opcode == 0x31 ? AUXILIARY : 0;
}

static void unit_atomic(struct maker *maker)
{
	unsigned number = maker_register(maker), wide = maker_below(maker, 2);
	uint8_t rex = (uint8_t)(0x40 | (number >> 3) << 2 | wide << 3);
	int32_t at = maker_data(maker, 16);

	switch (maker_below(maker, 8)) {
	case 0:
		EMIT_ON(maker, number, at, rex, 0x87); /* xchg */
		break;
	case 1:
		EMIT_ON(maker, number, at, 0xf0, rex, 0x0f, 0xc1); /* xadd */
		maker->undefined = 0;
		break;
	case 2:
		EMIT_ON(maker, number, at, 0xf0, rex, 0x0f, 0xb1); /* cmpxchg */
		maker->undefined = 0;
		break;
	case 3:
		maker_settle_flags(maker);
		EMIT_ON(maker, 1, at, 0xf0, (uint8_t)(rex & 0x48), 0x0f, 0xc7); /* cmpxchg8b, cmpxchg16b */
		break;
	case 4:
		maker_settle_flags(maker);
		EMIT_ON(maker, maker_below(maker, 2), at, 0xf0, (uint8_t)(rex & 0x48), 0xff); /* inc, dec */
		break;
	default:
		put_atomic_arithmetic(maker, at);
	}
}

/* vpsrld indexes, 22; all ones to the mask; vpgatherdd. The indexes are below 1024 then. */
static void unit_gather(struct maker *maker)
{
	unsigned index = maker_below(maker, 8), mask = (index + 1 + maker_below(maker, 3)) % 8,
		 to = (mask + 1 + maker_below(maker, 3)) % 8;

	if (!__builtin_cpu_supports("avx2") || to == index) {
		maker_body(maker, 1);
		return;
	}
	EMIT(maker, 0xc5, (uint8_t)(0x85 | (~index & 15) << 3), 0x72, (uint8_t)(0xd0 | index), 22);
	EMIT(maker, 0xc5, (uint8_t)(0x85 | (~mask & 15) << 3), 0x76, (uint8_t)(0xc0 | mask << 3 | mask));
	EMIT(maker, 0xc4, 0xe2, (uint8_t)(0x05 | (~mask & 15) << 3), 0x90, (uint8_t)(0x84 | to << 3),
		(uint8_t)(maker_below(maker, 2) << 6 | index << 3 | maker->sequence->base));
	maker_number(maker, (uint32_t) - (int32_t)(1024 + maker_below(maker, 1024)), 4);
}

/* Rounding, and what becomes of tiny numbers: mov [m], word; ldmxcsr [m]; or fldcw [m] */
static void unit_control_word(struct maker *maker)
{
	int32_t at = maker_data(maker, 4);

	EMIT_ON(maker, 0, at, 0xc7);
	if (maker_below(maker, 2)) {
		maker_number(maker,
			0x1f80 | maker_below(maker, 4) << 13 | maker_below(maker, 2) << 15 | maker_below(maker, 2) << 6,
			4);
		EMIT_ON(maker, 2, at, 0x0f, 0xae);
	} else {
		maker_number(maker, 0x3f | maker_below(maker, 4) << 10 | maker_below(maker, 4) << 8, 4);
		EMIT_ON(maker, 5, at, 0xd9);
	}
}

/* ---- other things ---- */

/* Flags to the stack and to ah, and back; lahf knows no OF. */
static void unit_flags(struct maker *maker)
{
	maker_settle_flags(maker);
	if (maker_below(maker, 2)) {
		EMIT(maker, 0x9c);
		maker_body(maker, maker_below(maker, 3));
		EMIT(maker, 0x9d);
		maker->undefined = 0;
	} else {
		EMIT(maker, 0x9f);
		maker_settle_flags(maker);
		EMIT(maker, (uint8_t)(0xf8 | maker_below(maker, 2)));
		EMIT(maker, 0x9e);
	}
}

/* getpid, which leaves its own address in rcx, and the flags in r11. */
static void unit_system_call(struct maker *maker)
{
	maker_settle_flags(maker);
	if (maker_below(maker, 8)) {
		maker_body(maker, 2);
		return;
	}
	maker_emit_set(maker, RAX, 39);
	EMIT(maker, 0x0f, 0x05);
	next_block(maker);
}

/* Code is data: mov register, [rip + the start] */
static void unit_read_code(struct maker *maker)
{
	unsigned number = maker_register(maker);
	struct label start;

	start = maker_emit_address(maker, number);
	maker_bind_to(start, maker->sequence->bytes);
	maker->next[-6] = 0x8b; /* mov, not lea */
}

struct pattern {
	const char *name;
	void (*put)(struct maker *maker);
	unsigned weight;
	bool is_wild; /* also where registers may hold anything */
};

static const struct pattern patterns[] = {
	{ "straight", unit_straight, 30, true },
	{ "branch", unit_branch, 8, true },
	{ "call", unit_call, 4, true },
	{ "own address", unit_own_address, 1, true },
	{ "jump", unit_jump, 3, true },
	{ "either", unit_either, 4, false },
	{ "counter branch", unit_counter_branch, 3, false },
	{ "loop", unit_loop, 3, false },
	{ "counted loop", unit_counted_loop, 1, false },
	{ "table", unit_table, 4, false },
	{ "return as jump", unit_return_as_jump, 1, false },
	{ "call back", unit_call_back, 4, false },
	{ "string", unit_string, 4, false },
	{ "division", unit_division, 2, false },
	{ "stack", unit_stack, 5, false },
	{ "stack pointer", unit_stack_pointer, 3, false },
	{ "atomic", unit_atomic, 4, false },
	{ "gather", unit_gather, 2, false },
	{ "control word", unit_control_word, 1, false },
	{ "flags", unit_flags, 2, false },
	{ "system call", unit_system_call, 2, false },
	{ "read code", unit_read_code, 1, false },
};

const char *maker_unit(struct maker *maker)
{
	unsigned total = 0, chosen, i;

	for (i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
		total += maker->sequence->wild && !patterns[i].is_wild ? 0 : patterns[i].weight;
	chosen = maker_below(maker, total);
	for (i = 0;; i++) {
		unsigned weight = maker->sequence->wild && !patterns[i].is_wild ? 0 : patterns[i].weight;

		if (chosen < weight)
			break;
		chosen -= weight;
	}
	patterns[i].put(maker);
	return patterns[i].name;
}
