/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/arm64/translate/translate.h"

#include <stddef.h>
#include <string.h>

#define NOP 0xd503201fu

void papi_a64_mark(struct papi_a64_translation *t, uint64_t pc)
{
	uint64_t code = papi_vpmu_emit_address(&t->e) - t->entry;

	if (t->n_marks && t->marks[t->n_marks - 1].code == code)
		t->n_marks--;
	if (t->n_marks == PAPI_A64_MAX_MARKS)
		__builtin_trap(); /* 64 instructions and their asides cannot have that many */
	t->marks[t->n_marks++] = (struct papi_vpmu_mark){ .code = (uint16_t)code,
		.pc = (uint16_t)(pc - t->pc),
		.spilled = (uint16_t)t->spilled,
		.added = (uint8_t)t->added,
		.kind = (uint8_t)t->kind,
		.call = (uint8_t)t->call };
}

void papi_a64_mark_as(struct papi_a64_translation *t, uint64_t pc, enum papi_vpmu_mark_kind kind)
{
	t->kind = kind;
	papi_a64_mark(t, pc);
}

void papi_a64_borrow(struct papi_a64_translation *t, uint64_t pc)
{
	if (!(t->spilled & PAPI_A64_COUNT_15))
		return;
	papi_a64_emit_store(&t->e, A64_BORROWED, papi_a64_counter(t->counter));
	t->spilled &= ~PAPI_A64_COUNT_15;
	papi_a64_mark(t, pc);
}

void papi_a64_give_back(struct papi_a64_translation *t, uint64_t pc)
{
	if (!t->lone)
		return;
	papi_a64_emit_load(&t->e, A64_BORROWED, papi_a64_counter(t->counter));
	t->spilled |= PAPI_A64_COUNT_15;
	papi_a64_mark(t, pc);
}

static unsigned spilled_bit(unsigned reg)
{
	return reg == 16 ? PAPI_A64_SPILLED_16 : PAPI_A64_SPILLED_17;
}

void papi_a64_spill(struct papi_a64_translation *t, unsigned reg, uint64_t pc)
{
	papi_a64_emit_store(&t->e, reg, A64_BRANCHING + 8 * (reg - 16));
	t->spilled |= spilled_bit(reg);
	papi_a64_mark(t, pc);
}

void papi_a64_unspill(struct papi_a64_translation *t, unsigned reg, uint64_t pc)
{
	papi_a64_emit_load(&t->e, reg, A64_BRANCHING + 8 * (reg - 16));
	t->spilled &= ~spilled_bit(reg);
	papi_a64_mark(t, pc);
}

int64_t papi_a64_new_link(struct papi_a64_translation *t, uint64_t pc, uint8_t *place, intptr_t to_code)
{
	if (t->n_links == PAPI_A64_MAX_LINKS)
		__builtin_trap(); /* a block has two ends, an aside each, and what goes before it */
	t->links[t->n_links] = (struct papi_vpmu_link){ pc, place, to_code };
	return t->place.first_link + t->n_links++;
}

/* ---- planning ---- */

/* Blocks stay short where budgets are for whole blocks, and where code may change: that is compared with its words at
 * the beginning of a block, which is to come soon. */
static unsigned asides_of(const struct papi_a64_request *request)
{
	bool whole = request->step || request->library || request->wants->overflow;

	return whole || request->view->may_change(request->view, request->pc) ? 0 : PAPI_A64_MAX_ASIDES;
}

/* Whether nothing of it is translated. */
static bool is_gate(const struct papi_a64_request *request)
{
	const struct papi_vpmu_view *view = request->view;

	return view->is_library(view, request->pc) != request->library ||
		(request->library && view->is_engine(view, request->pc));
}

static void begin(struct papi_a64_translation *t, uint64_t pc)
{
	memset(t, 0, offsetof(struct papi_a64_translation, asides));
	t->pool.n = 0;
	t->pc = t->block.pc = t->decoded.pc = pc;
	t->decoded.count = 0;
}

static void count_trimmed(struct papi_a64_translation *t)
{
	const struct papi_a64_block *decoded = &t->decoded;

	while (t->block.trimmed < decoded->count && decoded->trimmed[decoded->count - 1 - t->block.trimmed])
		t->block.trimmed++;
}

/* Threads that have begun others count for them, and those ask at any time. Where records are made, x15 is wanted too
 * often. */
static bool counts_alone(const struct papi_a64_request *request)
{
	return !request->library && !request->step && !request->watched && !request->wants->overflow &&
		!request->wants->inherit && !request->wants->parts;
}

static void decode(struct papi_a64_translation *t, unsigned most)
{
	const struct papi_a64_request *request = &t->request;

	papi_a64_block_decode(request->view, &t->decoded, t->pc, request->unreadable ? 0 : most, asides_of(request),
		t->lone, request->library ? NULL : request->wants);
}

/* Of a block whose end has told what belongs to a call of the library, what is run in one step. */
static void keep_first(struct papi_a64_translation *t)
{
	bool trimmed[PAPI_A64_BLOCK_LENGTH];

	memcpy(trimmed, t->decoded.trimmed, sizeof(trimmed));
	decode(t, 1);
	memcpy(t->decoded.trimmed, trimmed, t->decoded.count * sizeof(*trimmed));
}

/* Instructions outside of the range that is counted make blocks of their own. */
static void cut_at_range(const struct papi_vpmu_wants *wants, struct papi_a64_block *decoded)
{
	bool inside = papi_vpmu_in_range(wants, decoded->pc);

	for (unsigned i = 1; i < decoded->count; i++)
		if (papi_vpmu_in_range(wants, papi_a64_pc_of(decoded, i)) != inside)
			decoded->count = i;
}

static void plan_record(struct papi_a64_translation *t)
{
	const struct papi_vpmu_wants *wants = t->request.wants;
	const struct papi_a64_trace_request request = { .parts = wants->parts,
		.line_shift = t->request.line_shift,
		.zero_shift = t->request.zero_shift,
		.vector = t->request.vector,
		.counted = papi_vpmu_in_range(wants, t->pc) };

	if (wants->parts && !t->request.library && !t->decoded.alone)
		papi_a64_trace_plan(&t->plan, &t->decoded, &request);
}

void papi_a64_translation_plan(struct papi_a64_translation *t, const struct papi_a64_request *request)
{
	begin(t, request->pc);
	t->request = *request;
	t->gate = is_gate(request);
	t->one = papi_a64_counts_one(request->wants);
	t->lone = t->one && counts_alone(request);
	if (t->one)
		t->counter = (unsigned)__builtin_ctzll(papi_vpmu_wanted(request->wants));
	t->plan.traced = t->plan.streams = t->plan.measures = false;
	if (t->gate)
		return;
	decode(t, PAPI_A64_BLOCK_LENGTH);
	if (!t->decoded.alone && !request->library)
		papi_a64_trim_call(request->view, &t->decoded);
	if (request->step)
		keep_first(t);
	if (request->wants->parts)
		cut_at_range(request->wants, &t->decoded);
	if (request->wants->parts & PAPI_VPMU_PART_DATA)
		papi_a64_cut_at_room(request, &t->decoded);
	count_trimmed(t);
	plan_record(t);
	papi_a64_sum(t, t->decoded.count, t->sums);
	papi_a64_plan_ways(t);
	if (request->wants->overflow)
		papi_a64_weigh(t);
}

/* ---- emitting ---- */

/* A function of the library: runs natively, and what called it goes on translated. */
static void translate_gate(struct papi_a64_translation *t)
{
	papi_a64_borrow(t, t->pc);
	papi_a64_emit_constant(&t->e, &t->pool, A64_BORROWED, t->pc);
	papi_a64_emit_store(&t->e, A64_BORROWED, A64_CODE);
	papi_a64_emit_load(&t->e, A64_BORROWED, A64_GATE_ENTER);
	papi_a64_emit_branch_register(&t->e, A64_BORROWED);
}

static bool is_translated(const struct papi_a64_instruction *instruction)
{
	return instruction->kind == PAPI_A64_PLAIN || instruction->kind == PAPI_A64_ADDRESS ||
		instruction->kind == PAPI_A64_LITERAL || instruction->kind == PAPI_A64_LOAD_EXCLUSIVE ||
		instruction->kind == PAPI_A64_STORE_EXCLUSIVE || instruction->kind == PAPI_A64_TRAP;
}

static void translate_instructions(struct papi_a64_translation *t)
{
	const struct papi_a64_block *decoded = &t->decoded;
	unsigned point = papi_a64_counting_point(t);

	for (unsigned i = 0; i < decoded->count; i++) {
		if (i == point)
			papi_a64_count(t, papi_a64_pc_of(decoded, i));
		papi_a64_trace_before(t, i);
		if (papi_a64_leads_aside(decoded, i)) {
			papi_a64_lead_aside(t, i);
		} else if (is_translated(&decoded->instructions[i])) {
			papi_a64_copy(t, i);
		}
	}
	papi_a64_end_block(t);
}

static void translate_block(struct papi_a64_translation *t)
{
	const struct papi_vpmu_view *view = t->request.view;

	if (t->decoded.alone) {
		papi_a64_exit_to_step(t);
		return;
	}
	if (view->may_change(view, t->pc))
		papi_a64_check_unchanged(t);
	if (t->request.wants->overflow && !t->request.step)
		papi_a64_spend_budget(t);
	papi_a64_check_length(t);
	papi_a64_trace_enter(t);
	translate_instructions(t);
	papi_a64_end_asides(t);
	papi_a64_trace_finish(t);
	papi_a64_end_length(t);
}

/* The ways in: from the runtime and from indirect branches with x16 and x17 borrowed, and from other branches. */
static void begin_code(struct papi_a64_translation *t, const struct papi_a64_place *place)
{
	t->place = *place;
	t->e = place->e;
	t->block.code = t->entry = papi_vpmu_emit_address(&t->e);
	t->spilled = PAPI_A64_SPILLED_16 | PAPI_A64_SPILLED_17;
	papi_a64_mark_as(t, t->pc, PAPI_VPMU_MARK_AT);
	if (t->lone)
		papi_a64_give_back(t, t->pc);
	else
		papi_a64_emit(&t->e, NOP);
	papi_a64_emit_load_pair(&t->e, 16, 17, A64_BRANCHING);
	t->spilled &= PAPI_A64_COUNT_15;
	papi_a64_mark(t, t->pc);
	papi_a64_emit(&t->e, NOP);
}

/* A count that is in x15 is stored first on the way that a stale block takes. */
static void complete_stub(const struct papi_a64_translation *t)
{
	struct papi_vpmu_emitter e = t->place.e;

	if (!t->lone)
		return;
	e.next -= A64_STUB;
	papi_a64_emit_store(&e, A64_BORROWED, papi_a64_counter(t->counter));
}

void papi_a64_translation_emit(struct papi_a64_translation *t, const struct papi_a64_place *place)
{
	begin_code(t, place);
	complete_stub(t);
	if (t->gate)
		translate_gate(t);
	else
		translate_block(t);
	/* Of what cannot be read there are no bytes to be kept. */
	t->block.size = t->gate || t->decoded.alone ? 0 : 4 * t->decoded.count;
	papi_a64_emit_pool(&t->e, &t->pool);
	t->block.n_marks = (uint16_t)t->n_marks;
}
