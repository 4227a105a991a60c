/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * move.c - a window's instruction, elsewhere, and the trampoline that it is in. See window.h.
 *
 *	         data: what the runtime is entered by, and where the patch is
 *	enter    autiasp, where the return address is signed
 *	         adr  x16, on
 *	         ldr  x17, data
 *	         br   x17             the runtime: counts, and sees to the return
 *	on       paciasp              likewise
 *	         the instruction
 *	         b                    behind the window
 *
 * No caller expects anything in x16 and x17, which code of the linker between it and the function may change.
 */
#include "probes/arm64/instruction.h"
#include "probes/window.h"

struct writer {
	unsigned char *bytes;
	size_t used;
	uint64_t address; /* of the first byte */
	bool far;         /* something cannot be reached from here */
};

static void put(struct writer *writer, uint32_t word)
{
	memcpy(writer->bytes + writer->used, &word, sizeof(word));
	writer->used += sizeof(word);
}

static void put_address(struct writer *writer, uint64_t address)
{
	memcpy(writer->bytes + writer->used, &address, sizeof(address));
	writer->used += sizeof(address);
}

/* An instruction of that kind, whose last size bits from a bit on are the distance to a target. */
static void put_to(struct writer *writer, uint32_t word, uint64_t target, unsigned low, unsigned size)
{
	const int64_t by = (int64_t)(target - (writer->address + writer->used)) / 4;
	const uint32_t mask = (uint32_t)(((uint64_t)1 << size) - 1);

	writer->far = writer->far || by < -((int64_t)1 << (size - 1)) || by >= (int64_t)1 << (size - 1);
	put(writer, (word & ~(mask << low)) | ((uint32_t)by & mask) << low);
}

static void put_jump(struct writer *writer, uint64_t target)
{
	put_to(writer, 0x14000000, target, 0, 26);
}

/* ldr of a register of 64 bits from so many bytes behind it. */
static void put_load(struct writer *writer, unsigned number, unsigned behind)
{
	put(writer, 0x58000000u | behind / 4 << 5 | number);
}

/* Its address comes from a literal; the value from there. */
static void put_literal(struct writer *writer, const struct papi_probe_instruction *found, uint64_t behind)
{
	/* By the two bits that tell what is loaded: a w, an x, an x from a w with a sign; an s, a d, a q. */
	static const uint32_t loads[2][4] = { { 0xb9400000, 0xf9400000, 0xb9800000, 0 },
		{ 0xbd400000, 0xfd400000, 0x3dc00000, 0 } };
	const uint32_t load = loads[found->word >> 26 & 1][found->word >> 30];

	if (!load) {
		put_jump(writer, behind); /* a prefetch */
		return;
	}
	put_load(writer, 16, 12);
	put(writer, load | 16 << 5 | (found->word & 31));
	put_jump(writer, behind);
	put_address(writer, found->target);
}

static void put_instruction(struct writer *writer, const struct papi_probe_instruction *found, uint64_t behind)
{
	const bool by_bit = (found->word & 0x7e000000) == 0x36000000;

	switch (found->kind) {
	case PAPI_PROBE_BRANCH_IF:
		put_to(writer, found->word, writer->address + writer->used + 8, 5, by_bit ? 14 : 19);
		put_jump(writer, behind);
		put_jump(writer, found->target);
		break;
	case PAPI_PROBE_BRANCH:
		put_jump(writer, found->target);
		break;
	case PAPI_PROBE_CALL:
		put_load(writer, 30, 8);
		put_jump(writer, found->target);
		put_address(writer, behind);
		break;
	case PAPI_PROBE_ADDRESS:
		put_load(writer, found->word & 31, 8);
		put_jump(writer, behind);
		put_address(writer, found->target);
		break;
	case PAPI_PROBE_LITERAL:
		put_literal(writer, found, behind);
		break;
	default:
		put(writer, found->word);
		put_jump(writer, behind);
	}
}

size_t papi_probe_window_move(
	const unsigned char *bytes, unsigned length, uint64_t from, uint64_t to, unsigned char moved[PAPI_PROBE_MOVED])
{
	struct papi_probe_instruction found = papi_probe_decode(papi_probe_word(bytes), from);
	struct writer writer = { .bytes = moved, .address = to };

	if (found.kind == PAPI_PROBE_ODD)
		return 0;
	put_instruction(&writer, &found, from + length);
	return writer.far ? 0 : writer.used;
}

bool papi_probe_jump(uint64_t from, uint64_t to, unsigned char bytes[PAPI_PROBE_JUMP])
{
	struct writer writer = { .bytes = bytes, .address = from };

	put_jump(&writer, to);
	return !writer.far;
}

/* The signature, or nothing. */
static uint32_t taking_away(uint32_t sign)
{
	if (!sign)
		return 0xd503201f; /* nop */
	return (uint32_t)(sign == (uint32_t)PAPI_PROBE_PACIASP ? PAPI_PROBE_AUTIASP : PAPI_PROBE_AUTIBSP);
}

size_t papi_probe_trampoline(const struct papi_probe_window *window, const unsigned char *bytes,
	const struct papi_probe_trampoline *trampoline, unsigned char to[PAPI_PROBE_TRAMPOLINE], unsigned *enter)
{
	struct writer writer = { .bytes = to, .address = trampoline->address };
	size_t moved;

	put_address(&writer, trampoline->enter);
	put_address(&writer, trampoline->patch);
	/* The place is there in any case, so that the data is always as far from where it goes on. */
	put(&writer, taking_away(window->sign));
	*enter = (unsigned)(window->sign ? writer.used - 4 : writer.used);
	put(&writer, 0x10000000u | 3 << 5 | 16);                       /* adr x16, on */
	put_to(&writer, 0x58000000u | 17, trampoline->address, 5, 19); /* ldr x17, data */
	put(&writer, 0xd61f0000u | 17 << 5);                           /* br x17 */
	if (window->sign)
		put(&writer, window->sign);
	moved = papi_probe_window_move(
		bytes, window->length, trampoline->from, trampoline->address + writer.used, to + writer.used);
	return moved ? writer.used + moved : 0;
}
