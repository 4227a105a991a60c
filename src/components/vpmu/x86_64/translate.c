/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/x86_64/translate.h"

#include "components/vpmu/x86_64/library.h"
#include "components/vpmu/translator/maps.h"
#include "components/vpmu/x86_64/trace.h"

void papi_vpmu_mark(struct papi_vpmu_translation *t, uint64_t pc)
{
	uint64_t code = papi_vpmu_emit_address(&t->e) - t->entry;

	if (t->n_marks && t->marks[t->n_marks - 1].code == code)
		t->n_marks--;
	if (t->n_marks == PAPI_VPMU_MAX_MARKS)
		__builtin_trap(); /* 64 instructions cannot have that many */
	t->marks[t->n_marks++] = (struct papi_vpmu_mark){ .code = (uint16_t)code,
		.pc = (uint16_t)(pc - t->pc),
		.spilled = (uint16_t)t->spilled,
		.added = (uint8_t)t->added,
		.kind = (uint8_t)t->kind };
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

bool papi_vpmu_in_range(const struct papi_vpmu_wants *wants, uint64_t pc)
{
	return !wants->instructions_end || (pc >= wants->instructions_start && pc < wants->instructions_end);
}

#define BIT(counter) (1ull << (counter))

/* With a range of data the simulator counts loads and stores: it knows the addresses. */
static uint64_t wanted(const struct papi_vpmu_wants *wants)
{
	return wants->counters & ~(wants->data_end ? BIT(PAPI_VPMU_LOADS) | BIT(PAPI_VPMU_STORES) : 0);
}

bool papi_vpmu_is_wanted(const struct papi_vpmu_wants *wants, unsigned counter)
{
	return wanted(wants) & BIT(counter);
}

/* What a pass through the block adds to which counter. */
static void sum(struct papi_vpmu_translation *t, struct papi_vpmu_decoded *decoded)
{
	const struct papi_vpmu_wants *wants = &t->flavour->wants;
	const uint64_t all = wanted(wants) & (BIT(PAPI_VPMU_FIRST_MODELLED) - 1);

	for (unsigned i = 0; i < decoded->count; i++) {
		struct papi_vpmu_instruction *instruction = &decoded->instructions[i];

		instruction->counted = !t->flavour->library && papi_vpmu_in_range(wants, instruction->pc) &&
			instruction->kind != PAPI_VPMU_STEP && !instruction->trimmed;
		for (uint64_t left = instruction->counted ? all : 0; left; left &= left - 1)
			t->sums[__builtin_ctzll(left)] += instruction->class.counts[__builtin_ctzll(left)];
	}
}

static bool is_repeated(const struct papi_vpmu_instruction *instruction)
{
	return instruction->class.loads_each || instruction->class.stores_each;
}

static void translate_instruction(struct papi_vpmu_translation *t, const struct papi_vpmu_instruction *instruction)
{
	const struct papi_vpmu_wants *wants = &t->flavour->wants;
	bool repeated = instruction->counted && is_repeated(instruction) &&
		(papi_vpmu_is_wanted(wants, PAPI_VPMU_LOADS) || papi_vpmu_is_wanted(wants, PAPI_VPMU_STORES));
	uint64_t next = instruction->pc + instruction->decoded.length;

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
	const struct papi_vpmu_decoded *decoded = t->decoded;
	const struct papi_vpmu_instruction *last = &decoded->instructions[decoded->count - 1];

	if (papi_vpmu_loads_flags(&decoded->instructions[0]) && last->kind != PAPI_VPMU_STEP)
		papi_vpmu_look_for_trap_flag(t);
	papi_vpmu_trace_enter(t);
	for (unsigned i = 0; i < decoded->count; i++) {
		const struct papi_vpmu_instruction *instruction = &decoded->instructions[i];

		if (i == point)
			papi_vpmu_count(t, instruction->pc, flags_free);
		papi_vpmu_trace_before(t, i);
		if (instruction->kind != PAPI_VPMU_PLAIN)
			break;
		translate_instruction(t, instruction);
		papi_vpmu_trace_after(t, i);
		papi_vpmu_mark(t, instruction->pc + instruction->decoded.length);
	}
	papi_vpmu_trace_leave(t, last->kind == PAPI_VPMU_PLAIN ? decoded->end : last->pc);
	papi_vpmu_end_block(t, last);
	papi_vpmu_trace_finish(t);
}

/* A short loop of one block would always add to the same lane, and wait for that: it gets a copy for each of
 * several. */
static unsigned copies_of(const struct papi_vpmu_decoded *decoded)
{
	const struct papi_vpmu_instruction *last = &decoded->instructions[decoded->count - 1];

	if (last->kind != PAPI_VPMU_CONDITIONAL || papi_vpmu_branch_target(last) != decoded->pc)
		return 1;
	return decoded->count <= 16 ? 4 : 2;
}

static void translate_block(struct papi_vpmu_translation *t)
{
	const struct papi_vpmu_decoded *decoded = t->decoded;
	bool may_change = papi_vpmu_maps_may_change(decoded->pc), flags_free;
	unsigned point = papi_vpmu_counting_point(decoded, &flags_free);
	const struct papi_vpmu_flavour *flavour = t->flavour;
	unsigned copies = may_change || t->traced || t->block->follows || flavour->wants.overflow ? 1
												  : copies_of(decoded);

	papi_vpmu_mark_as(t, decoded->pc, PAPI_VPMU_MARK_AT);
	if (may_change && decoded->instructions[0].kind != PAPI_VPMU_STEP)
		papi_vpmu_check_unchanged(t);
	if (flavour->wants.overflow && !flavour->step)
		papi_vpmu_spend_budget(t);
	for (unsigned i = 0; i < copies; i++) {
		t->again = i + 1 < copies;
		t->lane = (t->lane + 1) % VPMU_LANES;
		t->added = 0;
		papi_vpmu_mark_as(t, decoded->pc, PAPI_VPMU_MARK_AT);
		translate_copy(t, point, flags_free);
	}
}

static void keep(struct papi_vpmu_decoded *decoded, unsigned n)
{
	decoded->count = n;
	decoded->end = decoded->instructions[n - 1].pc + decoded->instructions[n - 1].decoded.length;
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
	decoded->instructions[0].pc = decoded->pc;
	decoded->instructions[0].kind = PAPI_VPMU_STEP;
	memset(&decoded->instructions[0].class, 0, sizeof(decoded->instructions[0].class));
}

/* A function of the library: runs natively, and what called it goes on translated. */
static void translate_gate(struct papi_vpmu_translation *t, uint64_t pc)
{
	papi_vpmu_mark_as(t, pc, PAPI_VPMU_MARK_AT);
	papi_vpmu_emit_constant(&t->e, R11, pc);
	papi_vpmu_emit_store(&t->e, VPMU_CODE, R11);
	papi_vpmu_emit_jump_through(&t->e, VPMU_GATE_ENTER);
}

static void begin(struct papi_vpmu_translation *t, struct papi_vpmu_block *block, struct papi_vpmu_decoded *decoded)
{
	static unsigned lane;

	memset(t, 0, offsetof(struct papi_vpmu_translation, marks));
	t->block = block;
	t->decoded = decoded;
	t->pc = block->pc;
	t->lane = lane++ % VPMU_LANES;
	t->flavour = block->flavour;
}

/* Where code is to be put. False when the segment is full. */
static bool open_block(struct papi_vpmu_translation *t)
{
	if (!papi_vpmu_cache_open(&t->e))
		return false;
	papi_vpmu_cache_begin_block(&t->e, t->pc);
	t->block->code = t->entry = papi_vpmu_emit_address(&t->e);
	return true;
}

static struct papi_vpmu_block *close_block(struct papi_vpmu_translation *t)
{
	t->block->size = (uint32_t)(t->decoded->end - t->pc);
	t->block->n_marks = (uint16_t)t->n_marks;
	return papi_vpmu_cache_close(&t->e, t->block, t->marks);
}

/* What is to be translated: cut short where something has to be apart. */
static void decode(struct papi_vpmu_translation *t, struct papi_vpmu_decoded *decoded, bool readable)
{
	decoded->pc = decoded->end = t->pc;
	decoded->count = 0;
	if (readable)
		papi_vpmu_decode_block(decoded, t->pc, PAPI_VPMU_BLOCK_LENGTH);
	if (!decoded->count)
		make_step(decoded);
	if (papi_vpmu_weighs_memory(&t->flavour->wants))
		set_repeated_apart(decoded);
	papi_vpmu_library_trim_call(decoded);
	if (t->flavour->step)
		keep(decoded, 1);
	while (t->block->trimmed < decoded->count &&
		decoded->instructions[decoded->count - 1 - t->block->trimmed].trimmed)
		t->block->trimmed++;
}

/* ---- blocks that follow others ---- */

/* Whether the block that a direct call or jump goes to is always the same, and the program's. */
static bool leads_on(const struct papi_vpmu_translation *t, uint64_t *target)
{
	const struct papi_vpmu_instruction *last = &t->decoded->instructions[t->decoded->count - 1];

	if (!t->traced || t->flavour->step || t->flavour->wants.overflow || last->trimmed ||
		(last->kind != PAPI_VPMU_CALL && last->kind != PAPI_VPMU_JUMP))
		return false;
	*target = papi_vpmu_branch_target(last);
	return !papi_vpmu_library_holds(*target) && !papi_vpmu_maps_may_change(*target) &&
		!papi_vpmu_maps_may_change(t->pc);
}

/*
 * A function that begins with a comparison and a branch is a block without a trace of its own, if it is called from
 * within its page: the caller's record stands for it, too, and the caller goes to a copy that makes none. False when
 * the segment is full.
 */
static bool translate_following(struct papi_vpmu_translation *leading)
{
	static struct papi_vpmu_decoded decoded; /* under the lock */
	static struct papi_vpmu_translation t;
	struct papi_vpmu_block block = { .flavour = leading->flavour, .follows = true };

	if (!leads_on(leading, &block.pc))
		return true;
	begin(&t, &block, &decoded);
	papi_vpmu_decode_block(&decoded, block.pc, PAPI_VPMU_BLOCK_LENGTH);
	if (!decoded.count || !papi_vpmu_trace_may_follow(leading, &decoded))
		return true;
	if (!open_block(&t))
		return false;
	sum(&t, &decoded);
	translate_block(&t);
	leading->following = close_block(&t)->code;
	return true;
}

static struct papi_vpmu_block *translate(struct papi_vpmu_flavour *flavour, uint64_t pc, bool readable)
{
	static struct papi_vpmu_decoded decoded; /* under the lock */
	static struct papi_vpmu_translation t;
	struct papi_vpmu_block block = { .pc = pc, .flavour = flavour };
	bool gate = papi_vpmu_library_holds(pc) != flavour->library ||
		(flavour->library && papi_vpmu_library_is_engine(pc));

	begin(&t, &block, &decoded);
	if (gate) {
		decoded.pc = decoded.end = pc;
		if (!open_block(&t))
			return NULL;
		translate_gate(&t, pc);
		return close_block(&t);
	}
	decode(&t, &decoded, readable);
	papi_vpmu_trace_plan(&t, &decoded);
	if (!translate_following(&t) || !papi_vpmu_trace_describe(&t) || !open_block(&t))
		return NULL;
	sum(&t, &decoded);
	if (flavour->wants.overflow)
		papi_vpmu_weigh(&t, &block);
	translate_block(&t);
	return close_block(&t);
}

struct papi_vpmu_block *papi_vpmu_translate(struct papi_vpmu_flavour *flavour, uint64_t pc)
{
	return translate(flavour, pc, true);
}

struct papi_vpmu_block *papi_vpmu_translate_step(struct papi_vpmu_flavour *flavour, uint64_t pc)
{
	return translate(flavour, pc, false);
}

uint64_t papi_vpmu_translate_indirect_entry(struct papi_vpmu_block *block, uint64_t otherwise)
{
	static struct papi_vpmu_translation t; /* under the lock */
	struct papi_vpmu_block entry = { .pc = block->pc };
	uint8_t *right;

	if (!papi_vpmu_cache_open(&t.e))
		return 0;
	papi_vpmu_cache_begin_block(&t.e, block->pc);
	t.pc = block->pc;
	t.entry = entry.code = papi_vpmu_emit_address(&t.e);
	t.spilled = 1u << RCX | 1u << RDX;
	t.n_marks = t.added = 0;
	papi_vpmu_mark_as(&t, block->pc, PAPI_VPMU_MARK_TARGET);
	papi_vpmu_emit_constant(&t.e, RDX, -block->pc);
	papi_vpmu_emit_lea_scaled(&t.e, RCX, RCX, RDX, 1, 0);
	papi_vpmu_mark_as(&t, block->pc, PAPI_VPMU_MARK_DISTANCE);
	right = papi_vpmu_emit_jrcxz(&t.e);
	papi_vpmu_emit_constant(&t.e, RDX, block->pc);
	papi_vpmu_emit_lea_scaled(&t.e, RCX, RCX, RDX, 1, 0);
	papi_vpmu_mark_as(&t, block->pc, PAPI_VPMU_MARK_TARGET);
	if (otherwise)
		papi_vpmu_emit_jump(&t.e, otherwise);
	else
		papi_vpmu_emit_jump_through(&t.e, VPMU_JUMP_MISS);
	papi_vpmu_emit_land_8(&t.e, right);
	papi_vpmu_mark_as(&t, block->pc, PAPI_VPMU_MARK_AT);
	papi_vpmu_unspill(&t, RDX, block->pc);
	papi_vpmu_unspill(&t, RCX, block->pc);
	papi_vpmu_emit_jump(&t.e, block->code);
	entry.n_marks = (uint16_t)t.n_marks;
	papi_vpmu_cache_close(&t.e, &entry, t.marks);
	block->indirect = entry.code;
	return entry.code;
}
