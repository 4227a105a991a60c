/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The decoder and the translator on any bytes, under anything that can be wanted. The first bytes of the input say
 * what that is, the others are the program. Nothing of it runs: what is translated has its marks in their order, its
 * code within its bound, and each address of it leads back to the block. What is remembered of instructions is what
 * would be decoded, whatever came before.
 */
#include <string.h>

#include "components/vpmu/translator/marks.h"
#include "components/vpmu/x86_64/translate/recover.h"
#include "components/vpmu/x86_64/translate/remembered.h"
#include "components/vpmu/x86_64/translate/translate.h"
#include "components/vpmu/x86_64/translate/zydis.h"
#include "fuzz.h"
#include "same_instruction.h"

#define HEADER  24
#define PROGRAM 0x400000u

struct input {
	struct papi_vpmu_view view; /* the first: it is called with it */
	const uint8_t *bytes;
	uint64_t size;
	bool may_change, breakpoints;
	uint64_t library; /* from there on, text is the library's */
};

static const struct input *input_of(const struct papi_vpmu_view *view)
{
	return (const struct input *)(const void *)view;
}

static uint64_t executable_until(const struct papi_vpmu_view *view, uint64_t address)
{
	uint64_t end = PROGRAM + input_of(view)->size;

	return address >= PROGRAM && address < end ? end : 0;
}

static bool may_change(const struct papi_vpmu_view *view, uint64_t address)
{
	(void)address;
	return input_of(view)->may_change;
}

static bool is_library(const struct papi_vpmu_view *view, uint64_t address)
{
	return address >= PROGRAM + input_of(view)->library;
}

static bool is_engine(const struct papi_vpmu_view *view, uint64_t address)
{
	(void)view;
	return address % 64 == 1;
}

static bool load(const struct papi_vpmu_view *view, uint64_t address, uint64_t *value)
{
	const struct input *input = input_of(view);

	if (address < PROGRAM || address - PROGRAM > input->size || input->size - (address - PROGRAM) < 8)
		return false;
	memcpy(value, input->bytes + (address - PROGRAM), 8);
	return true;
}

static bool owns_breakpoints(const struct papi_vpmu_view *view)
{
	return input_of(view)->breakpoints;
}

static uint64_t find(const void *translated, uint64_t pc)
{
	return translated && pc % 16 == 0 ? PROGRAM + 0x10000 : 0;
}

/* What is written past the bound is seen behind it. */
static _Alignas(8) uint8_t code[PAPI_VPMU_EMIT_MARGIN + 64];
static struct papi_vpmu_translation translation, following;
static struct papi_vpmu_remembered remembered;

static void check(const struct papi_vpmu_translation *t)
{
	uint64_t size = papi_vpmu_emit_address(&t->e) - t->entry;

	CHECK(size <= PAPI_VPMU_EMIT_MARGIN && t->n_marks > 0 && t->n_marks == t->block.n_marks);
	for (unsigned i = 0; i < t->n_marks; i++) {
		CHECK(t->marks[i].code <= size && (!i || t->marks[i].code > t->marks[i - 1].code));
		CHECK(t->marks[i].kind >= PAPI_VPMU_MARK_TAKEN || t->marks[i].pc <= t->block.size);
	}
	for (unsigned i = 0; i < t->n_links; i++)
		CHECK(!t->links[i].place ||
			(t->links[i].place > code && t->links[i].place + 4 <= t->e.next &&
				((uintptr_t)t->links[i].place & 7) <= 4));
}

static void recover(struct papi_vpmu_translation *t, const struct papi_vpmu_wants *wants)
{
	static uint8_t marks[PAPI_VPMU_MAX_MARKS * PAPI_VPMU_PACKED_MARK_MAX];
	uint64_t counters[PAPI_VPMU_COUNTERS] = { 0 }, spilled[16] = { 0 };
	struct papi_vpmu_recovery recovery = { .block = &t->block,
		.wants = wants,
		.library = t->request.library,
		.counters = counters,
		.spilled = spilled };

	CHECK(papi_vpmu_marks_pack(t->marks, t->n_marks, marks) <= sizeof(marks));
	t->block.marks = marks;
	t->block.bytes = papi_vpmu_view_bytes(t->request.view, t->pc);
	for (unsigned i = 0; i < t->n_marks; i++) {
		struct papi_vpmu_state state = { .pc = t->entry + t->marks[i].code };
		struct papi_vpmu_mark mark = papi_vpmu_block_mark(&t->block, t->marks[i].code);

		CHECK(memcmp(&mark, &t->marks[i], offsetof(struct papi_vpmu_mark, call) + 1) == 0);
		papi_vpmu_recover_state(&recovery, &state);
		CHECK(t->marks[i].kind != PAPI_VPMU_MARK_AT || state.pc - t->pc <= t->block.size);
	}
}

static void emit(struct papi_vpmu_translation *t, bool known)
{
	struct papi_vpmu_place place = { .e = { .next = code,
						 .to_code = (intptr_t)(PROGRAM + 0x20000) - (intptr_t)code },
		.find = find,
		.translated = known ? t : NULL };

	memset(code + PAPI_VPMU_EMIT_MARGIN, 0xa5, 64);
	papi_vpmu_translation_emit(t, &place);
	for (unsigned i = 0; i < 64; i++)
		CHECK(code[PAPI_VPMU_EMIT_MARGIN + i] == 0xa5);
	check(t);
}

/* What inputs before had in common with this one is what would be decoded. */
static void check_remembered(const unsigned char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		struct papi_vpmu_instruction expected = { 0 }, found = { 0 };
		bool is_one = papi_vpmu_decode_copy(&expected, PROGRAM + i, bytes + i, size - i);

		CHECK(papi_vpmu_decode_remembered(&remembered, &found, PROGRAM + i, bytes + i, size - i) == is_one);
		CHECK(!is_one || is_same_instruction(&found, &expected));
	}
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	struct papi_vpmu_wants wants = { 0 };
	struct papi_vpmu_request request = { .wants = &wants, .pc = PROGRAM, .line_shift = 6 };
	struct input input = { .view = { 0, &remembered, executable_until, may_change, is_library, is_engine, load,
				       owns_breakpoints } };
	const char *reason;

	if (size < HEADER || size > HEADER + 2000 || !papi_vpmu_zydis_find(&reason))
		return 0;
	memcpy(&wants.counters, data, 8);
	wants.counters &= (1ull << PAPI_VPMU_FIRST_MODELLED) - 1;
	wants.parts = data[8] & 1 ? 1 + data[11] % PAPI_VPMU_PARTS : 0;
	wants.overflow = data[8] & 2;
	request.library = data[8] & 4;
	request.step = data[8] & 8;
	request.unreadable = (data[8] & 0x30) == 0x30;
	input.may_change = data[8] & 0x40;
	input.breakpoints = data[8] & 0x80;
	wants.instructions_start = PROGRAM;
	wants.instructions_end = data[9] ? PROGRAM + data[9] : 0;
	wants.data_end = data[10];
	input.library = request.library ? 0 : data[11] * 8u + 1;
	for (unsigned i = 0; i <= PAPI_VPMU_LAST_MODELLED; i++)
		wants.weights[i] = data[12 + i % 12];
	input.bytes = data + HEADER;
	input.size = size - HEADER;
	input.view.to_bytes = (intptr_t)input.bytes - (intptr_t)PROGRAM;
	request.view = &input.view;

	check_remembered(input.bytes, input.size);
	papi_vpmu_translation_plan(&translation, &request);
	if (papi_vpmu_translation_plan_following(&following, &translation, data[8])) {
		emit(&following, false);
		recover(&following, &wants);
		translation.following = following.entry;
	}
	emit(&translation, data[9] & 1);
	recover(&translation, &wants);
	return 0;
}
