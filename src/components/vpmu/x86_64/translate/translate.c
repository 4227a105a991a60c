/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/x86_64/translate/translate.h"

#include <stddef.h>

#include "components/vpmu/models/frames.h"

void papi_vpmu_mark(struct papi_vpmu_translation *t, uint64_t pc)
{
	uint64_t code = papi_vpmu_emit_address(&t->e) - t->entry;

	if (t->n_marks && t->marks[t->n_marks - 1].code == code)
		t->n_marks--;
	if (t->n_marks == PAPI_VPMU_MAX_MARKS)
		__builtin_trap(); /* 64 instructions and their asides cannot have that many */
	t->marks[t->n_marks++] = (struct papi_vpmu_mark){ .code = (uint16_t)code,
		.pc = (uint16_t)(pc - t->pc),
		.spilled = (uint16_t)t->spilled,
		.added = (uint8_t)t->added,
		.kind = (uint8_t)t->kind,
		.call = (uint8_t)t->call };
}

void papi_vpmu_mark_as(struct papi_vpmu_translation *t, uint64_t pc, enum papi_vpmu_mark_kind kind)
{
	t->kind = kind;
	papi_vpmu_mark(t, pc);
}

void papi_vpmu_spill(struct papi_vpmu_translation *t, unsigned reg, uint64_t pc)
{
	papi_vpmu_emit_spill(&t->e, reg);
	t->spilled |= 1u << reg;
	papi_vpmu_mark(t, pc);
}

void papi_vpmu_unspill(struct papi_vpmu_translation *t, unsigned reg, uint64_t pc)
{
	papi_vpmu_emit_unspill(&t->e, reg);
	t->spilled &= ~(1u << reg);
	papi_vpmu_mark(t, pc);
}

int64_t papi_vpmu_new_link(struct papi_vpmu_translation *t, uint64_t pc, uint8_t *place, intptr_t to_code)
{
	if (t->n_links == PAPI_VPMU_MAX_LINKS)
		__builtin_trap(); /* four copies of a loop have three for each, and one for each aside */
	t->links[t->n_links] = (struct papi_vpmu_link){ pc, place, to_code };
	return t->place.first_link + t->n_links++;
}

#define BIT(counter) (1ull << (counter))

void papi_vpmu_sum(const struct papi_vpmu_translation *t, unsigned n, uint64_t *sums)
{
	const uint64_t all = papi_vpmu_wanted(t->request.wants) & (BIT(PAPI_VPMU_FIRST_MODELLED) - 1);

	memset(sums, 0, PAPI_VPMU_FIRST_MODELLED * sizeof(*sums));
	for (unsigned i = 0; i < n; i++) {
		const struct papi_vpmu_instruction *instruction = &t->decoded.instructions[i];

		for (uint64_t left = instruction->counted ? all : 0; left; left &= left - 1)
			sums[__builtin_ctzll(left)] += instruction->class.counts[__builtin_ctzll(left)];
	}
}

/* What a pass through the block adds to which counter. */
static void sum(struct papi_vpmu_translation *t)
{
	for (unsigned i = 0; i < t->decoded.count; i++) {
		struct papi_vpmu_instruction *instruction = &t->decoded.instructions[i];

		instruction->counted = !t->request.library && papi_vpmu_in_range(t->request.wants, instruction->pc) &&
			instruction->kind != PAPI_VPMU_STEP && !instruction->trimmed;
	}
	papi_vpmu_sum(t, t->decoded.count, t->sums);
}

static bool is_repeated(const struct papi_vpmu_instruction *instruction)
{
	return instruction->class.loads_each || instruction->class.stores_each;
}

static void translate_instruction(struct papi_vpmu_translation *t, const struct papi_vpmu_instruction *instruction)
{
	const struct papi_vpmu_wants *wants = t->request.wants;
	bool repeated = instruction->counted && is_repeated(instruction) &&
		(papi_vpmu_is_wanted(wants, PAPI_VPMU_LOADS) || papi_vpmu_is_wanted(wants, PAPI_VPMU_STORES) ||
			papi_vpmu_profiles_iterations(wants, instruction));
	uint64_t next = instruction->pc + instruction->length;

	if (!repeated) {
		papi_vpmu_copy(t, instruction);
		return;
	}
	papi_vpmu_emit_store(&t->e, VPMU_REP_COUNT, RCX);
	papi_vpmu_mark_as(t, instruction->pc, PAPI_VPMU_MARK_REP);
	papi_vpmu_copy(t, instruction);
	papi_vpmu_count_repeated(t, instruction);
	papi_vpmu_mark_as(t, next, PAPI_VPMU_MARK_AT);
	papi_vpmu_unspill(t, RDX, next);
	papi_vpmu_unspill(t, RAX, next);
}

static void translate_copy(struct papi_vpmu_translation *t, unsigned point, bool flags_free)
{
	const struct papi_vpmu_decoded *decoded = &t->decoded;
	const struct papi_vpmu_instruction *last = &decoded->instructions[decoded->count - 1];

	if (papi_vpmu_loads_flags(&decoded->instructions[0]) && last->kind != PAPI_VPMU_STEP)
		papi_vpmu_look_for_trap_flag(t);
	papi_vpmu_trace_enter(t);
	for (unsigned i = 0; i < decoded->count; i++) {
		const struct papi_vpmu_instruction *instruction = &decoded->instructions[i];

		if (i == point)
			papi_vpmu_count(t, instruction->pc, flags_free);
		papi_vpmu_trace_before(t, i);
		if (papi_vpmu_leads_aside(decoded, i)) {
			papi_vpmu_lead_aside(t, i);
			continue;
		}
		if (instruction->kind != PAPI_VPMU_PLAIN)
			break;
		translate_instruction(t, instruction);
		/* Before the stores: it has run, and a comparison of strings that found something is not to go on. */
		papi_vpmu_mark(t, instruction->pc + instruction->length);
		papi_vpmu_trace_after(t, i);
	}
	papi_vpmu_trace_leave(t, last->kind == PAPI_VPMU_PLAIN ? decoded->end : last->pc);
	papi_vpmu_end_block(t, last);
	papi_vpmu_trace_finish(t);
}

/* A short loop of one block would always add to the same lane, and wait for that: it gets a copy for each of
 * several. */
static unsigned copies_of(const struct papi_vpmu_translation *t)
{
	const struct papi_vpmu_decoded *decoded = &t->decoded;
	const struct papi_vpmu_instruction *last = &decoded->instructions[decoded->count - 1];
	const struct papi_vpmu_view *view = t->request.view;

	if (t->traced || t->checked || t->plan.n_branches || t->block.follows || t->request.wants->overflow ||
		view->may_change(view, decoded->pc))
		return 1;
	if (last->kind != PAPI_VPMU_CONDITIONAL || papi_vpmu_branch_target(last) != decoded->pc)
		return 1;
	return decoded->count <= 16 ? PAPI_VPMU_MAX_COPIES : 2;
}

static void translate_block(struct papi_vpmu_translation *t)
{
	const struct papi_vpmu_decoded *decoded = &t->decoded;
	const struct papi_vpmu_view *view = t->request.view;
	bool may_change = view->may_change(view, decoded->pc), overflow = t->request.wants->overflow, flags_free;
	unsigned point = papi_vpmu_counting_point(t, &flags_free);

	papi_vpmu_mark_as(t, decoded->pc, PAPI_VPMU_MARK_AT);
	if (may_change && decoded->instructions[0].kind != PAPI_VPMU_STEP)
		papi_vpmu_check_unchanged(t);
	if (overflow && !t->request.step)
		papi_vpmu_spend_budget(t);
	for (t->copy = 0; t->copy < t->copies; t->copy++) {
		t->again = t->copy + 1 < t->copies;
		t->lane = t->request.wants->calls ? 0 : (t->lane + 1) % VPMU_LANES;
		t->added = 0;
		papi_vpmu_mark_as(t, decoded->pc, PAPI_VPMU_MARK_AT);
		translate_copy(t, point, flags_free);
	}
	papi_vpmu_end_asides(t);
}

static void keep(struct papi_vpmu_decoded *decoded, unsigned n)
{
	decoded->count = n;
	decoded->end = decoded->instructions[n - 1].pc + decoded->instructions[n - 1].length;
}

/* A string instruction touches any amount of memory: where that brings an overflow nearer, it is alone. */
static void set_repeated_apart(struct papi_vpmu_decoded *decoded)
{
	for (unsigned i = 0; i < decoded->count; i++)
		if (is_repeated(&decoded->instructions[i]))
			keep(decoded, i ? i : 1);
}

/* Nothing can be executed there, or it cannot be decoded: stepping over it shows what the processor makes of it. */
static void make_step(struct papi_vpmu_decoded *decoded)
{
	decoded->count = 1;
	/* Without a length: there may be nothing to read. */
	memset(&decoded->instructions[0], 0, sizeof(decoded->instructions[0]));
	decoded->instructions[0].pc = decoded->pc;
	decoded->instructions[0].kind = PAPI_VPMU_STEP;
}

/* A function of the library: runs natively, and what called it goes on translated. */
static void translate_gate(struct papi_vpmu_translation *t)
{
	papi_vpmu_mark_as(t, t->pc, PAPI_VPMU_MARK_AT);
	papi_vpmu_emit_constant(&t->e, R11, t->pc);
	papi_vpmu_emit_store(&t->e, VPMU_CODE, R11);
	papi_vpmu_emit_jump_through(&t->e, VPMU_GATE_ENTER);
}

/* Blocks stay short where budgets are for whole blocks, and where code may change: that is compared with
 * its bytes at the beginning of a block, which is to come soon. Of the library each is run a few times. */
static unsigned asides_of(const struct papi_vpmu_translation *t)
{
	const struct papi_vpmu_request *request = &t->request;
	bool whole = request->step || request->library || request->wants->overflow;

	return whole || request->view->may_change(request->view, t->pc) ? 0 : PAPI_VPMU_MAX_ASIDES;
}

/* Decodes the code to translate: cut short where something has to be apart. */
static void decode(struct papi_vpmu_translation *t)
{
	struct papi_vpmu_decoded *decoded = &t->decoded;

	decoded->pc = decoded->end = t->pc;
	decoded->count = 0;
	if (!t->request.unreadable)
		papi_vpmu_decode_block(t->request.view, decoded, t->pc, asides_of(t));
	if (!decoded->count)
		make_step(decoded);
	if (papi_vpmu_weighs_memory(t->request.wants))
		set_repeated_apart(decoded);
	papi_vpmu_trim_call(t->request.view, decoded);
	if (t->request.step)
		keep(decoded, 1);
}

/* How many at the end belong to a call of the library, once the block has its length. */
static void count_trimmed(struct papi_vpmu_translation *t)
{
	const struct papi_vpmu_decoded *decoded = &t->decoded;

	while (t->block.trimmed < decoded->count &&
		decoded->instructions[decoded->count - 1 - t->block.trimmed].trimmed)
		t->block.trimmed++;
}

/* Instructions outside of the range that is counted make blocks of their own. */
static void cut_at_range(const struct papi_vpmu_wants *wants, struct papi_vpmu_decoded *decoded)
{
	bool inside = papi_vpmu_in_range(wants, decoded->pc);

	for (unsigned i = 1; i < decoded->count; i++) {
		if (papi_vpmu_in_range(wants, decoded->instructions[i].pc) == inside)
			continue;
		decoded->count = i;
		decoded->end = decoded->instructions[i].pc;
	}
}

static void plan_record(struct papi_vpmu_translation *t)
{
	const struct papi_vpmu_wants *wants = t->request.wants;

	cut_at_range(wants, &t->decoded);
	papi_vpmu_trace_plan_block(
		&t->plan, &t->decoded, t->request.line_shift, wants->parts, t->request.checks, t->request.registers);
	t->plan.description.counted = papi_vpmu_in_range(wants, t->pc);
}

/* Whether nothing of it is translated. */
static bool is_gate(const struct papi_vpmu_request *request)
{
	const struct papi_vpmu_view *view = request->view;

	return view->is_library(view, request->pc) != request->library ||
		(request->library && view->is_engine(view, request->pc));
}

static void begin(struct papi_vpmu_translation *t, const struct papi_vpmu_request *request)
{
	memset(t, 0, offsetof(struct papi_vpmu_translation, marks));
	t->plan.n_branches = t->plan.n_ways_out = 0;
	t->request = *request;
	t->pc = t->block.pc = t->decoded.pc = t->decoded.end = request->pc;
	t->decoded.count = 0;
	t->lane = request->lane % VPMU_LANES;
}

void papi_vpmu_translation_plan(struct papi_vpmu_translation *t, const struct papi_vpmu_request *request)
{
	begin(t, request);
	t->gate = is_gate(request);
	if (t->gate)
		return;
	decode(t);
	t->modelled = request->wants->parts && !request->library && t->decoded.instructions[0].kind != PAPI_VPMU_STEP;
	if (t->modelled) {
		plan_record(t);
		t->checked = request->checks && (t->plan.description.accesses || t->plan.fetches);
		t->traced = papi_vpmu_is_worth_record(request, t->plan.description.accesses, t->plan.description.end);
		if (t->checked)
			papi_vpmu_plan_checks(t);
	}
	count_trimmed(t);
	sum(t);
	t->copies = copies_of(t);
	papi_vpmu_plan_ways(t);
	if (request->wants->overflow)
		papi_vpmu_weigh(t);
}

void papi_vpmu_translation_emit(struct papi_vpmu_translation *t, const struct papi_vpmu_place *place)
{
	t->place = *place;
	t->e = place->e;
	t->block.code = t->entry = papi_vpmu_emit_address(&t->e);
	if (t->gate)
		translate_gate(t);
	else
		translate_block(t);
	t->block.size = (uint32_t)(t->decoded.end - t->pc);
	t->block.n_marks = (uint16_t)t->n_marks;
}

/* ---- blocks that follow others ---- */

/* Whether the block that a direct call or jump goes to is always the same, and the program's. */
static bool leads_on(const struct papi_vpmu_translation *t, uint64_t *target)
{
	const struct papi_vpmu_view *view = t->request.view;
	const struct papi_vpmu_instruction *last = &t->decoded.instructions[t->decoded.count - 1];

	/* Whether that is in a call could not be told where simulators count for calls. */
	if (!t->traced || t->request.checks || t->request.step ||
		(t->request.wants->calls && t->request.wants->modelled) ||
		!(t->request.wants->parts & PAPI_VPMU_PART_CODE) || t->request.wants->overflow || last->trimmed ||
		(last->kind != PAPI_VPMU_CALL && last->kind != PAPI_VPMU_JUMP))
		return false;
	*target = papi_vpmu_branch_target(last);
	return !view->is_library(view, *target) && !view->may_change(view, *target) && !view->may_change(view, t->pc);
}

/* Whether [pc, end) is in that page. */
static bool is_in_page(uint64_t page, uint64_t pc, uint64_t end)
{
	return pc >> PAPI_VPMU_PAGE_SHIFT == page && (end - 1) >> PAPI_VPMU_PAGE_SHIFT == page;
}

/* Whether the record of the one may stand for the other as well: nothing but where that goes in its turn is known only
 * when it runs, which the stream of branches tells. */
static bool may_follow(struct papi_vpmu_translation *t, const struct papi_vpmu_translation *leading)
{
	const struct papi_vpmu_instruction *last = &t->decoded.instructions[t->decoded.count - 1];
	const struct papi_vpmu_description *block = &t->plan.description;
	uint64_t page = leading->pc >> PAPI_VPMU_PAGE_SHIFT;

	if (!is_in_page(page, leading->pc, leading->decoded.end) || !is_in_page(page, t->pc, t->decoded.end))
		return false;
	plan_record(t);
	return (last->kind == PAPI_VPMU_CONDITIONAL || last->kind == PAPI_VPMU_LOOP) && block->accesses == 0 &&
		block->counted == leading->plan.description.counted;
}

bool papi_vpmu_translation_plan_following(
	struct papi_vpmu_translation *t, const struct papi_vpmu_translation *leading, unsigned lane)
{
	struct papi_vpmu_request request = leading->request;

	request.lane = lane;
	if (leading->gate || !leads_on(leading, &request.pc))
		return false;
	begin(t, &request);
	t->block.follows = true;
	papi_vpmu_decode_block(request.view, &t->decoded, t->pc, 0);
	if (!t->decoded.count || !may_follow(t, leading))
		return false;
	sum(t);
	t->copies = 1;
	papi_vpmu_plan_ways(t);
	return true;
}
