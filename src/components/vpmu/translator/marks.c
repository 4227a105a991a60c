/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/translator/marks.h"

/* The first byte: how far the code is behind that of the mark before, FAR: two bytes tell, and what else follows. */
#define FAR          31u
#define HAS_PC       0x20u /* by how much it differs, OTHER: two bytes with the whole */
#define HAS_SPILLED  0x40u /* the register whose bit differs, OTHER: likewise */
#define HAS_THE_REST 0x80u /* added; kind and call */
#define OTHER        0x80u
#define CALL_SHIFT   4

static uint8_t *put_16(uint8_t *to, unsigned value)
{
	*to++ = (uint8_t)value;
	*to++ = (uint8_t)(value >> 8);
	return to;
}

static uint8_t *put_pc(uint8_t *to, int difference, unsigned pc)
{
	if (difference == (int8_t)difference && difference != INT8_MIN) {
		*to++ = (uint8_t)difference;
		return to;
	}
	*to++ = OTHER;
	return put_16(to, pc);
}

static uint8_t *put_spilled(uint8_t *to, unsigned difference, unsigned spilled)
{
	if ((difference & (difference - 1)) == 0) {
		*to++ = (uint8_t)__builtin_ctz(difference);
		return to;
	}
	*to++ = OTHER;
	return put_16(to, spilled);
}

static uint8_t *put(uint8_t *to, const struct papi_vpmu_mark *before, const struct papi_vpmu_mark *mark)
{
	unsigned distance = (unsigned)(mark->code - before->code);
	uint8_t *head = to++;

	*head = (uint8_t)(distance < FAR ? distance : FAR);
	if (distance >= FAR)
		to = put_16(to, distance);
	if (mark->pc != before->pc) {
		*head |= HAS_PC;
		to = put_pc(to, mark->pc - before->pc, mark->pc);
	}
	if (mark->spilled != before->spilled) {
		*head |= HAS_SPILLED;
		to = put_spilled(to, (unsigned)(mark->spilled ^ before->spilled), mark->spilled);
	}
	if (mark->added != before->added || mark->kind != before->kind || mark->call != before->call) {
		*head |= HAS_THE_REST;
		*to++ = mark->added;
		*to++ = (uint8_t)(mark->kind | mark->call << CALL_SHIFT);
	}
	return to;
}

size_t papi_vpmu_marks_pack(const struct papi_vpmu_mark *marks, unsigned n, uint8_t *packed)
{
	static const struct papi_vpmu_mark none;
	uint8_t *to = packed;

	for (unsigned i = 0; i < n; i++)
		to = put(to, i ? &marks[i - 1] : &none, &marks[i]);
	return (size_t)(to - packed);
}

static unsigned get_16(const uint8_t **from)
{
	unsigned value = (unsigned)(*from)[0] | (unsigned)(*from)[1] << 8;

	*from += 2;
	return value;
}

/* From that of the mark before. */
static unsigned get_code(const uint8_t **from, unsigned head, unsigned before)
{
	unsigned distance = head & FAR;

	return before + (distance == FAR ? get_16(from) : distance);
}

static unsigned get_pc(const uint8_t **from, unsigned before)
{
	uint8_t difference = *(*from)++;

	return difference == OTHER ? get_16(from) : before + (unsigned)(int8_t)difference;
}

static unsigned get_spilled(const uint8_t **from, unsigned before)
{
	uint8_t reg = *(*from)++;

	return reg == OTHER ? get_16(from) : before ^ 1u << reg;
}

/* The next one, where the last one was. */
static void get(const uint8_t **from, struct papi_vpmu_mark *mark)
{
	unsigned head = *(*from)++;

	mark->code = (uint16_t)get_code(from, head, mark->code);
	if (head & HAS_PC)
		mark->pc = (uint16_t)get_pc(from, mark->pc);
	if (head & HAS_SPILLED)
		mark->spilled = (uint16_t)get_spilled(from, mark->spilled);
	if (head & HAS_THE_REST) {
		mark->added = *(*from)++;
		mark->kind = **from & ((1u << CALL_SHIFT) - 1);
		mark->call = *(*from)++ >> CALL_SHIFT;
	}
}

struct papi_vpmu_mark papi_vpmu_block_mark(const struct papi_vpmu_block *block, int64_t offset)
{
	struct papi_vpmu_mark mark = { 0 }, next;
	const uint8_t *from = block->marks;

	get(&from, &mark);
	next = mark;
	for (unsigned i = 1; i < block->n_marks; i++) {
		get(&from, &next);
		if (next.code > offset)
			break;
		mark = next;
	}
	return mark;
}
