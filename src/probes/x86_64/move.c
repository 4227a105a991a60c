/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * move.c - a window's instructions, elsewhere, and the trampoline that they are in. See window.h.
 *
 *	push %r11
 *	mov  number, %r11d
 *	call *enter          the runtime: counts, and sees to the return
 *	pop  %r11
 *	the window's instructions
 *	jmp                  behind the window
 *
 * Where the return is seen to, the runtime comes back behind the pop, by a call of its own: runtime/x86_64/stubs.S
 * knows how long a pop is.
 */
#include <stddef.h>
#include <string.h>

#include "probes/table.h"
#include "probes/x86_64/decode.h"

struct writer {
	unsigned char *bytes;
	size_t used;
	uint64_t address; /* of the first byte */
	bool far;         /* something cannot be reached from here */
};

static void put(struct writer *writer, const void *bytes, size_t size)
{
	memcpy(writer->bytes + writer->used, bytes, size);
	writer->used += size;
}

/* The distance to an address from where the next four bytes end, and more behind them. */
static int32_t distance(struct writer *writer, uint64_t end, uint64_t target)
{
	int64_t by = (int64_t)(target - end);

	writer->far = writer->far || by != (int32_t)by;
	return (int32_t)by;
}

static void put_distance(struct writer *writer, uint64_t target)
{
	int32_t by = distance(writer, writer->address + writer->used + sizeof(by), target);

	put(writer, &by, sizeof(by));
}

static void put_jump(struct writer *writer, uint64_t target)
{
	put(writer, "\xe9", 1);
	put_distance(writer, target);
}

/* As it is, but for a displacement from its own address. */
static void put_copy(
	struct writer *writer, const unsigned char *bytes, const struct papi_probe_instruction *instruction)
{
	size_t start = writer->used;
	int32_t by;

	put(writer, bytes, instruction->length);
	if (!instruction->relative)
		return;
	by = distance(writer, writer->address + writer->used, instruction->refers);
	memcpy(writer->bytes + start + instruction->relative, &by, sizeof(by));
}

/* A call is the return address on the stack, which is that of the program's own code, and a jump. */
static void put_return_address(struct writer *writer, uint64_t address)
{
	const uint32_t low = (uint32_t)address, high = (uint32_t)(address >> 32);

	put(writer, "\x48\x8d\x64\x24\xf8", 5); /* lea -8(%rsp), %rsp: leaves flags alone */
	put(writer, "\xc7\x04\x24", 3);         /* movl $low, (%rsp) */
	put(writer, &low, sizeof(low));
	put(writer, "\xc7\x44\x24\x04", 4); /* movl $high, 4(%rsp) */
	put(writer, &high, sizeof(high));
}

static void put_call(struct writer *writer, const unsigned char *bytes,
	const struct papi_probe_instruction *instruction, uint64_t behind)
{
	size_t start;

	put_return_address(writer, behind);
	if (instruction->kind == PAPI_PROBE_CALL) {
		put_jump(writer, instruction->target);
		return;
	}
	start = writer->used;
	put_copy(writer, bytes, instruction);
	/* From /2, a call, to /4, a jump with the same operand. */
	writer->bytes[start + instruction->operand] =
		(unsigned char)((writer->bytes[start + instruction->operand] & ~0x38u) | 4u << 3);
}

static void put_instruction(struct writer *writer, const unsigned char *bytes,
	const struct papi_probe_instruction *instruction, uint64_t behind)
{
	const unsigned char conditional[2] = { 0x0f, (unsigned char)(0x80 | instruction->condition) };

	switch (instruction->kind) {
	case PAPI_PROBE_JCC:
		put(writer, conditional, sizeof(conditional));
		put_distance(writer, instruction->target);
		break;
	case PAPI_PROBE_JMP:
		put_jump(writer, instruction->target);
		break;
	case PAPI_PROBE_CALL:
	case PAPI_PROBE_CALL_INDIRECT:
		put_call(writer, bytes, instruction, behind);
		break;
	default:
		put_copy(writer, bytes, instruction);
	}
}

size_t papi_probe_window_move(
	const unsigned char *bytes, unsigned length, uint64_t from, uint64_t to, unsigned char moved[PAPI_PROBE_MOVED])
{
	struct writer writer = { .bytes = moved, .address = to };
	struct papi_probe_instruction instruction = { .kind = PAPI_PROBE_PLAIN };

	for (unsigned at = 0; at < length; at += instruction.length) {
		if (!papi_probe_decode(bytes + at, length - at, from + at, &instruction) ||
			instruction.kind == PAPI_PROBE_ODD)
			return 0;
		put_instruction(&writer, bytes + at, &instruction, from + at + instruction.length);
	}
	if (instruction.kind == PAPI_PROBE_PLAIN || instruction.kind == PAPI_PROBE_JCC)
		put_jump(&writer, from + length);
	return writer.far ? 0 : writer.used;
}

bool papi_probe_jump(uint64_t from, uint64_t to, unsigned char bytes[PAPI_PROBE_JUMP])
{
	struct writer writer = { .bytes = bytes, .address = from };

	put_jump(&writer, to);
	return !writer.far;
}

size_t papi_probe_trampoline(const struct papi_probe_window *window, const unsigned char *bytes,
	const struct papi_probe_trampoline *trampoline, unsigned char to[PAPI_PROBE_TRAMPOLINE], unsigned *enter)
{
	struct writer writer = { .bytes = to, .address = trampoline->address };
	size_t moved;

	*enter = 0;
	put(&writer, "\x41\x53", 2);
	put(&writer, "\x44\x8b\x1d", 3);
	put_distance(&writer, trampoline->patch + offsetof(struct papi_probe_patch, number));
	put(&writer, "\xff\x15", 2);
	put_distance(&writer, trampoline->patches + offsetof(struct papi_probe_patches, enter));
	put(&writer, "\x41\x5b", 2);
	moved = papi_probe_window_move(
		bytes, window->length, trampoline->from, trampoline->address + writer.used, to + writer.used);
	return moved && !writer.far ? writer.used + moved : 0;
}
