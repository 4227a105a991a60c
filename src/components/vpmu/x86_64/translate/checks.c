/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Translated code looks by itself whether all that a block accesses hits (models/checks.h), and where code is
 * simulated, its own lines as well; records tell of branches alone, if of anything. At one point of the block, if
 * possible where the arithmetic flags are not needed, for each access, or for several that are in one line if the first
 * is:
 *
 *	mov  r10, gs:[now]
 *	lea  r8, [rdi + 16]                the address: of registers that are still what they were, else of gs:[record]
 *	mov  r9d, r8d
 *	and  r9d, (slots - 1) * 16
 *	sub  r8, gs:[r9 + slots]           how far from the start of the line that has the slot
 *	cmp  r8, 63 - 7                    the last byte is in that line, too
 *	ja   missed
 *	mov  r9, gs:[r9 + slots + 8]
 *	mov  gs:[r9 + uses], r10           now it is the newest
 *	lea  r10, [r10 + tick]
 *
 * and before the accesses of the first instruction that is in a line of code, the last that comes before in the block:
 *
 *	cmp  dword gs:[slot of that line], its number
 *	jne  missed
 *	mov  gs:[its use], r10
 *	mov  gs:[use of its page], r10     behind the last line of a page
 *	lea  r10, [r10 + tick]             unless the next is an access, or a line of this page
 *	...
 *	mov  gs:[now], r10
 *	cmp  r10, gs:[look_limit]          if the block tells of a branch, whether there is room for that
 *	ja   missed
 *
 *	missed: mov  gs:[record], the number of the line of code, or none of that
 *	      mov  gs:[access], where it goes on, extent, whether it is a write
 *	      jmp  out
 *	out:  add  r8, gs:[r9 + slots]     the address again; a line of code has none
 *	      mov  gs:[exit], which registers have the address and the time
 *	      mov  gs:[code], the entry of the block
 *	      jmp  gs:[check]              papi_vpmu_check: simulates the access, and comes back behind its check
 *
 * Of several that may be in one line and are not, each is listed behind the block. What has more than an address and an
 * extent, and what shares a block with that, has a record each time, which is no part of a trace but run at once.
 */
#include "components/vpmu/x86_64/translate/translate.h"

#include <limits.h>

#include "components/vpmu/models/checks.h"
#include "components/vpmu/models/frames.h"

#define SLOT_MASK ((PAPI_VPMU_SLOTS - 1) << PAPI_VPMU_SLOT_SHIFT)

/* ---- plan ---- */

/* Whether the registers of a value are at the point what they were but for a constant: that much more, *difference. */
static bool is_live(const struct papi_vpmu_translation *t, unsigned word, int64_t *difference)
{
	const struct papi_vpmu_trace_plan *plan = &t->plan;
	const struct papi_vpmu_value *value = &plan->values[word];
	bool holds_flags = !t->checks.flags_free && (value->base == RAX || value->index == RAX);

	*difference = 0;
	return !value->narrow && !holds_flags &&
		papi_vpmu_trace_follows(plan->registers, value->base, &value->base_then, 1, difference) &&
		papi_vpmu_trace_follows(plan->registers, value->index, &value->index_then, value->scale, difference);
}

static const struct papi_vpmu_trace_store *store_of(const struct papi_vpmu_trace_plan *plan, unsigned word)
{
	const struct papi_vpmu_trace_store *store = plan->stores;

	while (store->word != word)
		store++;
	return store;
}

/* Whether all values are known at the point. */
static bool all_known(const struct papi_vpmu_translation *t)
{
	const struct papi_vpmu_trace_plan *plan = &t->plan;
	int64_t difference;

	for (unsigned word = 1; word < plan->words; word++)
		if (!is_live(t, word, &difference) && store_of(plan, word)->instruction > t->checks.point)
			return false;
	return true;
}

/* Whether it has one address, known at the end at the latest, and may be in one line. */
static bool is_simple(const struct papi_vpmu_translation *t, const struct papi_vpmu_access *access)
{
	return !papi_vpmu_is_special(access) && access->extent < 1 << t->request.data_shift;
}

/* Three that no value needs at that point. The third is the pointer, which the block does not use, as it is needed
 * further on if the block tells anything. */
static bool choose_registers(struct papi_vpmu_translation *t)
{
	static const unsigned candidates[] = { R8, R9, R10, R11, RBP, R12, R13, R14, R15, RBX, RSI, RDI, RDX, RCX };
	const struct papi_vpmu_trace_plan *plan = &t->plan;
	unsigned used = 1u << plan->pointer, found = 0;

	for (unsigned word = 1; word < plan->words; word++) {
		const struct papi_vpmu_value *value = &plan->values[word];

		used |= value->base >= 0 ? 1u << value->base : 0;
		used |= value->index >= 0 ? 1u << value->index : 0;
	}
	for (unsigned i = 0; i < sizeof(candidates) / sizeof(candidates[0]) && found < 2; i++)
		if (!(used >> candidates[i] & 1))
			t->checks.registers[found++] = candidates[i];
	t->checks.registers[2] = plan->pointer;
	return found == 2;
}

static void follow_to(struct papi_vpmu_trace_plan *plan, const struct papi_vpmu_decoded *decoded, unsigned point)
{
	for (unsigned i = 0; i < 16; i++)
		plan->registers[i] = (struct papi_vpmu_known){ 0 };
	for (unsigned i = 0; i < point; i++)
		papi_vpmu_trace_follow(plan, &decoded->instructions[i]);
}

/* Behind the last instruction, or before the branch: all is known there. */
static void choose_end(struct papi_vpmu_translation *t)
{
	const struct papi_vpmu_decoded *decoded = &t->decoded;

	t->checks.point = decoded->count - (decoded->instructions[decoded->count - 1].kind != PAPI_VPMU_PLAIN);
	t->checks.flags_free = papi_vpmu_flags_are_free(t, t->checks.point);
	follow_to(&t->plan, decoded, t->checks.point);
}

/* Where counters are added to, if flags are free and all is known there; else the end. */
static void choose_point(struct papi_vpmu_translation *t)
{
	struct papi_vpmu_checks_plan *checks = &t->checks;

	checks->point = papi_vpmu_counting_point(t, &checks->flags_free);
	if (checks->flags_free) {
		follow_to(&t->plan, &t->decoded, checks->point);
		if (all_known(t))
			return;
	}
	choose_end(t);
}

void papi_vpmu_plan_checks(struct papi_vpmu_translation *t)
{
	const struct papi_vpmu_trace_plan *plan = &t->plan;
	struct papi_vpmu_checks_plan *checks = &t->checks;

	checks->n_missed = 0;
	checks->always = !choose_registers(t);
	for (unsigned i = 0; i < plan->description.accesses; i++)
		checks->always = checks->always || !is_simple(t, &plan->accesses[i]);
	if (checks->always)
		choose_end(t); /* values that are stored behind an instruction are to be there */
	else
		choose_point(t);
}

/* ---- emission ---- */

/* To the address that the first register has. Changes the second if it is much. */
static void emit_add(struct papi_vpmu_translation *t, int64_t more)
{
	unsigned reg = t->checks.registers[0], other = t->checks.registers[1];

	if ((int32_t)more == more) {
		papi_vpmu_emit_lea(&t->e, reg, reg, (int32_t)more);
		return;
	}
	papi_vpmu_emit_constant(&t->e, other, (uint64_t)more);
	papi_vpmu_emit_lea_scaled(&t->e, reg, reg, other, 1, 0);
}

/* A register gets what the value was, and some more. Changes the second if that is much. */
static void emit_live(struct papi_vpmu_translation *t, const struct papi_vpmu_value *value, int64_t more)
{
	unsigned reg = t->checks.registers[0];
	int32_t near = (int32_t)more == more ? (int32_t)more : 0;

	if (value->index < 0)
		papi_vpmu_emit_lea(&t->e, reg, (unsigned)value->base, near);
	else if (value->base < 0)
		papi_vpmu_emit_lea_index(&t->e, reg, (unsigned)value->index, value->scale, near);
	else
		papi_vpmu_emit_lea_scaled(
			&t->e, reg, (unsigned)value->base, (unsigned)value->index, value->scale, near);
	if (near != more)
		emit_add(t, more);
}

/* A register gets the address. */
static void emit_address(struct papi_vpmu_translation *t, const struct papi_vpmu_access *access)
{
	unsigned reg = t->checks.registers[0];
	int64_t difference;

	if (!access->word) {
		papi_vpmu_emit_constant(&t->e, reg, (uint64_t)access->displacement);
	} else if (is_live(t, access->word, &difference)) {
		emit_live(t, &t->plan.values[access->word], access->displacement - difference);
	} else {
		papi_vpmu_emit_load(&t->e, reg, VPMU_RECORD + 8u * access->word);
		if (access->displacement)
			emit_add(t, access->displacement);
	}
	if (access->form == PAPI_VPMU_FORM_THREAD_LOCAL)
		papi_vpmu_emit_add_load_flags(&t->e, reg, VPMU_THREAD_BASE);
}

/* Lines of code in one page are in different sets, and the next access is in no set of theirs: one time is for all of
 * them. */
static void emit_tick(struct papi_vpmu_translation *t)
{
	unsigned now = t->checks.registers[2];

	papi_vpmu_emit_lea(&t->e, now, now, PAPI_VPMU_TICK);
	t->checks.is_used = false;
}

/* Goes on at the place that is returned if it may miss; where that has been looked at, it comes back behind. */
static uint8_t *emit_check(struct papi_vpmu_translation *t, const struct papi_vpmu_access *access)
{
	unsigned address = t->checks.registers[0], slot = t->checks.registers[1], now = t->checks.registers[2];
	uint8_t *missed;

	emit_address(t, access);
	papi_vpmu_emit_move_32(&t->e, slot, address);
	papi_vpmu_emit_and_32_flags(&t->e, slot, SLOT_MASK);
	papi_vpmu_emit_subtract_indexed_flags(&t->e, address, slot, VPMU_SLOTS);
	papi_vpmu_emit_compare_constant_flags(&t->e, address, (1u << t->request.data_shift) - 1 - access->extent);
	missed = papi_vpmu_emit_jump_if(&t->e, PAPI_VPMU_IF_ABOVE);
	papi_vpmu_emit_load_indexed(&t->e, slot, slot, VPMU_SLOTS + 8);
	papi_vpmu_emit_store_indexed(&t->e, slot, VPMU_USES, now);
	emit_tick(t);
	return missed;
}

static unsigned lines_of(const struct papi_vpmu_description *block)
{
	return (unsigned)block->n_lines + block->n_other_lines;
}

static void note_missed(
	struct papi_vpmu_translation *t, uint8_t *place, enum papi_vpmu_checks_sort sort, unsigned which)
{
	t->checks.missed[t->checks.n_missed++] = (struct papi_vpmu_checks_missed){
		.place = place,
		.behind = (uint16_t)(papi_vpmu_emit_address(&t->e) - t->entry),
		.sort = sort,
		.which = which,
	};
}

/* One access, or several that are in one line if the first is. */
static void emit_group(struct papi_vpmu_translation *t, unsigned access)
{
	uint8_t *missed = emit_check(t, &t->plan.accesses[access]);

	note_missed(t, missed, PAPI_VPMU_CHECKS_ACCESS, access);
}

/* The use of a page is noted with its last line. */
static void emit_line(struct papi_vpmu_translation *t, unsigned i)
{
	const struct papi_vpmu_description *block = &t->plan.description;
	uint64_t line = papi_vpmu_line_of(block, i), page = line >> (PAPI_VPMU_PAGE_SHIFT - t->request.line_shift);
	unsigned slot = VPMU_LINES + (unsigned)(line % PAPI_VPMU_CODE_LINES * sizeof(struct papi_vpmu_code_slot));
	unsigned now = t->checks.registers[2];
	uint8_t *missed;

	if (i == block->n_lines && t->checks.is_used)
		emit_tick(t);
	papi_vpmu_emit_compare_memory_32_flags(
		&t->e, slot + offsetof(struct papi_vpmu_code_slot, line), (uint32_t)line);
	missed = papi_vpmu_emit_jump_if(&t->e, PAPI_VPMU_IF_NOT_EQUAL);
	papi_vpmu_emit_store(&t->e, slot + offsetof(struct papi_vpmu_code_slot, use), now);
	if (i + 1 == block->n_lines || i + 1 == lines_of(block))
		papi_vpmu_emit_store(&t->e, VPMU_PAGES + (unsigned)(page % PAPI_VPMU_CODE_PAGES * 8), now);
	t->checks.is_used = true;
	note_missed(t, missed, PAPI_VPMU_CHECKS_LINE, i);
}

/* Branches that are told have room until then. */
static void emit_look_at_time(struct papi_vpmu_translation *t)
{
	papi_vpmu_emit_compare_flags(&t->e, t->checks.registers[2], VPMU_LOOK_LIMIT);
	note_missed(t, papi_vpmu_emit_jump_if(&t->e, PAPI_VPMU_IF_ABOVE), PAPI_VPMU_CHECKS_TIME, 0);
}

/* In the order of the program (papi_vpmu_run_in_order()). */
static void emit_looks(struct papi_vpmu_translation *t)
{
	const struct papi_vpmu_description *block = &t->plan.description;
	unsigned now = t->checks.registers[2], lines = t->plan.fetches ? lines_of(block) : 0, fetched = 0;

	t->checks.is_used = false;
	papi_vpmu_emit_load(&t->e, now, VPMU_NOW);
	for (unsigned i = 0; i < block->accesses; i += 1u + t->plan.accesses[i].spanned) {
		for (; fetched < lines && fetched <= t->plan.accesses[i].line; fetched++)
			emit_line(t, fetched);
		emit_group(t, i);
	}
	for (; fetched < lines; fetched++)
		emit_line(t, fetched);
	if (t->checks.is_used)
		emit_tick(t);
	papi_vpmu_emit_store(&t->e, VPMU_NOW, now);
	if (papi_vpmu_tells_anything(t))
		emit_look_at_time(t);
}

/* Goes to the runtime, with what is at hand there (exits.h), which comes back to the place that is returned, or so far
 * from it as the access says. */
static uint8_t *emit_leave(struct papi_vpmu_translation *t, int32_t what, unsigned reg)
{
	uint8_t *place;

	papi_vpmu_emit_store_constant(&t->e, VPMU_EXIT, what);
	place = papi_vpmu_emit_lea_code(&t->e, reg);
	papi_vpmu_emit_store(&t->e, VPMU_CODE, reg);
	papi_vpmu_emit_jump_through(&t->e, VPMU_CHECK);
	return place;
}

static void emit_whole_record(struct papi_vpmu_translation *t)
{
	unsigned pointer = t->plan.pointer;

	papi_vpmu_emit_store_constant(&t->e, VPMU_RECORD, (int32_t)t->description);
	papi_vpmu_emit_land_32(&t->e, emit_leave(t, PAPI_VPMU_CHECK_RECORD, pointer));
}

/* What all accesses of the block have in common. */
static int32_t what_of(const struct papi_vpmu_translation *t)
{
	unsigned counted = t->plan.description.counted;

	return (int32_t)(counted << PAPI_VPMU_CHECK_IS_COUNTED | t->checks.registers[0] << PAPI_VPMU_CHECK_ADDRESS |
		t->checks.registers[2] << PAPI_VPMU_CHECK_NOW);
}

/* One of the accesses that were to be in one line, from where that begins. */
static unsigned part_of(const struct papi_vpmu_access *all, const struct papi_vpmu_access *part)
{
	return (unsigned)((uint64_t)part->displacement - (uint64_t)all->displacement) << PAPI_VPMU_PART_OFFSET |
		part->extent | (unsigned)part->is_write << PAPI_VPMU_PART_IS_WRITE;
}

static void emit_16(struct papi_vpmu_translation *t, unsigned value)
{
	papi_vpmu_emit_byte(&t->e, value & 0xff);
	papi_vpmu_emit_byte(&t->e, value >> 8);
}

/* For the runtime, of several that have been looked at as one: where it goes on, how many they are, and each. */
static void emit_parts(struct papi_vpmu_translation *t, const struct papi_vpmu_checks_missed *missed)
{
	const struct papi_vpmu_access *all = &t->plan.accesses[missed->which];

	emit_16(t, missed->behind);
	emit_16(t, all->spanned);
	for (unsigned i = 1; i <= all->spanned; i++)
		emit_16(t, part_of(all, all + i));
}

static unsigned access_of(const struct papi_vpmu_access *access)
{
	return (unsigned)access->is_write << PAPI_VPMU_ACCESS_IS_WRITE |
		(unsigned)access->extent << PAPI_VPMU_ACCESS_EXTENT;
}

/* Where a check leads that fails: tells what the runtime is to know of the access. */
static uint8_t *emit_missed(struct papi_vpmu_translation *t, const struct papi_vpmu_checks_missed *missed)
{
	const struct papi_vpmu_access *access = &t->plan.accesses[missed->which];
	unsigned what = missed == &t->checks.missed[t->checks.n_missed - 1] ? PAPI_VPMU_ACCESS_LAST : 0;

	papi_vpmu_emit_to_even(&t->e);
	if (missed->sort == PAPI_VPMU_CHECKS_TIME) {
		what |= PAPI_VPMU_ACCESS_NONE | missed->behind;
	} else if (missed->sort == PAPI_VPMU_CHECKS_LINE) {
		what |= PAPI_VPMU_ACCESS_CODE | missed->behind;
	} else if (access->spanned) {
		what |= PAPI_VPMU_ACCESS_PARTS | (unsigned)(papi_vpmu_emit_address(&t->e) - t->entry);
		emit_parts(t, missed);
	} else {
		what |= access_of(access) | missed->behind;
	}
	papi_vpmu_emit_land_32(&t->e, missed->place);
	if (missed->sort == PAPI_VPMU_CHECKS_LINE)
		papi_vpmu_emit_store_constant(
			&t->e, VPMU_RECORD, (int32_t)papi_vpmu_line_of(&t->plan.description, missed->which));
	papi_vpmu_emit_store_constant(&t->e, VPMU_ACCESS, (int32_t)what);
	return papi_vpmu_emit_jump_forward(&t->e);
}

static uint64_t pc_of_point(const struct papi_vpmu_translation *t)
{
	unsigned point = t->checks.point;

	return point < t->decoded.count ? t->decoded.instructions[point].pc : t->decoded.end;
}

/* Of those that it needs: without accesses there is no address. */
static unsigned first_register(const struct papi_vpmu_translation *t)
{
	return t->plan.description.accesses ? 0 : 1;
}

static void enter(struct papi_vpmu_translation *t, uint64_t pc)
{
	for (unsigned i = first_register(t); i < 3 && !t->checks.always; i++)
		papi_vpmu_spill(t, t->checks.registers[i], pc);
	if (t->checks.flags_free)
		return;
	papi_vpmu_spill(t, RAX, pc);
	papi_vpmu_emit_flags_save(&t->e);
	papi_vpmu_mark_as(t, pc, PAPI_VPMU_MARK_FLAGS);
}

static void leave(struct papi_vpmu_translation *t, uint64_t pc)
{
	if (!t->checks.flags_free) {
		papi_vpmu_emit_flags_restore(&t->e);
		papi_vpmu_mark_as(t, pc, PAPI_VPMU_MARK_AT);
		papi_vpmu_unspill(t, RAX, pc);
	}
	for (unsigned i = papi_vpmu_tells_anything(t) ? 2 : 3; i-- > first_register(t) && !t->checks.always;)
		papi_vpmu_unspill(t, t->checks.registers[i], pc);
}

/* A value that is not what registers are at the point. */
static void emit_store(struct papi_vpmu_translation *t, const struct papi_vpmu_trace_store *store)
{
	unsigned place = VPMU_RECORD + 8u * store->word, reg = t->plan.scratch;
	uint64_t pc = t->decoded.instructions[store->instruction].pc;

	if (store->index < 0 && !store->narrow) {
		papi_vpmu_emit_store(&t->e, place, (unsigned)store->base);
		return;
	}
	papi_vpmu_spill(t, reg, pc);
	papi_vpmu_trace_emit_address(&t->e, store, reg);
	papi_vpmu_emit_store(&t->e, place, reg);
	papi_vpmu_unspill(t, reg, pc);
}

void papi_vpmu_checks_before(struct papi_vpmu_translation *t, unsigned instruction)
{
	const struct papi_vpmu_trace_plan *plan = &t->plan;
	uint64_t pc = pc_of_point(t);
	int64_t difference;

	for (unsigned i = 0; i < plan->n_stores && !t->checks.always; i++)
		if (plan->stores[i].instruction == instruction && !is_live(t, plan->stores[i].word, &difference))
			emit_store(t, &plan->stores[i]);
	if (instruction != t->checks.point)
		return;
	enter(t, pc);
	if (t->checks.always) {
		emit_whole_record(t);
	} else {
		emit_looks(t);
		t->checks.spilled = t->spilled;
		t->checks.added = t->added;
		t->checks.kind = t->kind;
	}
	leave(t, pc);
}

/* All that leads on from accesses, or from what has no address, arrives here. */
static void land(struct papi_vpmu_translation *t, bool has_address)
{
	for (unsigned i = 0; i < t->checks.n_missed; i++)
		if ((t->checks.missed[i].sort == PAPI_VPMU_CHECKS_ACCESS) == has_address)
			papi_vpmu_emit_land_32(&t->e, t->checks.missed[i].place);
}

void papi_vpmu_checks_finish(struct papi_vpmu_translation *t)
{
	unsigned address = t->checks.registers[0], slot = t->checks.registers[1], n = t->checks.n_missed;

	if (!n)
		return;
	t->spilled = t->checks.spilled;
	t->added = t->checks.added;
	papi_vpmu_mark_as(t, pc_of_point(t), t->checks.kind);
	for (unsigned i = 0; i < n; i++)
		t->checks.missed[i].place = emit_missed(t, &t->checks.missed[i]);
	land(t, true);
	if (t->plan.description.accesses)
		papi_vpmu_emit_add_load_indexed_flags(&t->e, address, slot, VPMU_SLOTS);
	land(t, false);
	papi_vpmu_emit_lead_32(emit_leave(t, what_of(t), slot), (uint8_t *)(t->entry - (uint64_t)t->e.to_code));
	papi_vpmu_mark_as(t, t->pc, PAPI_VPMU_MARK_AT);
}
