/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/arm64/translate/trace_plan.h"

#include <stddef.h>
#include <string.h>

/* ---- values ---- */

/* Of a register that is there, by how much it is more than it was then. False when nobody can tell. */
static bool follows(
	const struct papi_a64_known registers[], unsigned reg, const struct papi_a64_known *then, int64_t *difference)
{
	if (reg == PAPI_A64_NO_REGISTER)
		return true;
	*difference += registers[reg].delta - then->delta;
	return registers[reg].epoch == then->epoch;
}

/* An index is the same, or another: it is extended and shifted. */
static bool is_value(const struct papi_a64_trace_plan *plan, const struct papi_a64_value *value,
	const struct papi_a64_value *wanted, int64_t *difference)
{
	int64_t of_index = 0;

	*difference = 0;
	return !value->zeroed && !wanted->zeroed && !value->chosen && value->base == wanted->base &&
		value->index == wanted->index && value->extension == wanted->extension &&
		value->shift == wanted->shift && follows(plan->registers, value->base, &value->base_then, difference) &&
		follows(plan->registers, value->index, &value->index_then, &of_index) && of_index == 0;
}

static unsigned find_value(
	const struct papi_a64_trace_plan *plan, const struct papi_a64_value *wanted, int64_t *difference)
{
	for (unsigned word = 1; word < plan->words; word++)
		if (is_value(plan, &plan->values[word], wanted, difference))
			return word;
	*difference = 0;
	return 0;
}

static struct papi_a64_value value_of(const struct papi_a64_known registers[], const struct papi_a64_operand *operand)
{
	struct papi_a64_value value = { .base = operand->base,
		.index = operand->index,
		.extension = operand->extension,
		.shift = operand->shift,
		.zeroed = operand->is_zeroed };

	value.base_then = registers[value.base];
	if (value.index != PAPI_A64_NO_REGISTER)
		value.index_then = registers[value.index];
	return value;
}

/* ---- where a value is stored ---- */

/* The store of the exclusive access that begins there; the same place where it is not in the block. */
static unsigned end_of_exclusive(const struct papi_a64_block *block, unsigned begin)
{
	for (unsigned i = begin + 1; i < block->count; i++) {
		if (block->instructions[i].kind == PAPI_A64_STORE_EXCLUSIVE)
			return i;
		if (block->instructions[i].kind == PAPI_A64_LOAD_EXCLUSIVE)
			break;
	}
	return begin;
}

static bool is_within_exclusive(const struct papi_a64_trace_plan *plan, unsigned instruction)
{
	return instruction > plan->exclusive && instruction <= plan->exclusive_end;
}

/* Whether the registers are what they were at the load, but for constants of the base. */
static bool was_known_before(const struct papi_a64_trace_plan *plan, const struct papi_a64_value *value)
{
	int64_t unused = 0, of_index = 0;

	return follows(plan->registers, value->base, &plan->at_exclusive[value->base], &unused) &&
		(value->index == PAPI_A64_NO_REGISTER ||
			(follows(plan->registers, value->index, &plan->at_exclusive[value->index], &of_index) &&
				of_index == 0));
}

static bool stays_until_end(const struct papi_a64_trace_plan *plan, const struct papi_a64_block *block,
	const struct papi_a64_value *value, unsigned from)
{
	for (unsigned i = from; i <= plan->exclusive_end; i++)
		if (papi_a64_trace_changes(&block->instructions[i], value->base) ||
			(value->index != PAPI_A64_NO_REGISTER &&
				papi_a64_trace_changes(&block->instructions[i], value->index)))
			return false;
	return true;
}

/* Before which instruction, of a value that this one needs; what the registers are then goes into it. */
static unsigned place_store(const struct papi_a64_trace_plan *plan, const struct papi_a64_block *block,
	struct papi_a64_value *value, unsigned of)
{
	if (!is_within_exclusive(plan, of))
		return of;
	if (!value->zeroed && was_known_before(plan, value)) {
		value->base_then = plan->at_exclusive[value->base];
		return plan->exclusive;
	}
	return stays_until_end(plan, block, value, of) ? plan->exclusive_end + 1 : of;
}

static unsigned store_value(struct papi_a64_trace_plan *plan, const struct papi_a64_block *block,
	struct papi_a64_value value, unsigned of, int64_t *difference)
{
	unsigned word = plan->words++, before = place_store(plan, block, &value, of);

	*difference = plan->registers[value.base].delta - value.base_then.delta;
	plan->values[word] = value;
	plan->stores[plan->n_stores++] = (struct papi_a64_store){ (uint8_t)before, (uint8_t)of, (uint8_t)word, 1 };
	return word;
}

/* All that chooses elements, as it is right before the instruction. */
static unsigned store_chosen(
	struct papi_a64_trace_plan *plan, const struct papi_a64_instruction *instruction, unsigned of)
{
	const struct papi_a64_operand *operand = &instruction->operand;
	unsigned word = plan->words, words = papi_a64_words_of(instruction, plan->vector);
	const struct papi_a64_value value = { .base = operand->base,
		.index = operand->index,
		.extension = operand->extension,
		.shift = operand->shift,
		.chosen = true,
		.predicate = operand->active.predicate,
		.vector = operand->active.vector };

	for (unsigned i = 0; i < words; i++)
		plan->values[plan->words++] = value;
	plan->stores[plan->n_stores++] = (struct papi_a64_store){ (uint8_t)of, (uint8_t)of, (uint8_t)word,
		(uint8_t)words };
	return word;
}

/* ---- accesses ---- */

static enum papi_vpmu_access_kind kind_of(const struct papi_a64_instruction *i)
{
	if (i->prefetches)
		return PAPI_VPMU_PREFETCH;
	if (i->stores)
		return i->loads ? PAPI_VPMU_MODIFY : PAPI_VPMU_WRITE;
	return PAPI_VPMU_READ;
}

/* The store of an exclusive access goes where its load came from: elsewhere it is none. NULL: it is no such store. */
static const struct papi_vpmu_access *loaded_by(
	const struct papi_a64_trace_plan *plan, const struct papi_a64_block *block, unsigned store)
{
	if (block->instructions[store].kind != PAPI_A64_STORE_EXCLUSIVE || !is_within_exclusive(plan, store))
		return NULL;
	for (unsigned i = 0; i < plan->n_accesses; i++)
		if (plan->of_access[i] == plan->exclusive)
			return &plan->accesses[i];
	return NULL;
}

static void find_address(struct papi_a64_trace_plan *plan, const struct papi_a64_block *block, unsigned index,
	struct papi_vpmu_access *access)
{
	const struct papi_a64_instruction *i = &block->instructions[index];
	const struct papi_vpmu_access *loaded;
	struct papi_a64_value value;
	int64_t difference;
	unsigned word;

	if (i->kind == PAPI_A64_LITERAL) {
		access->displacement = (int64_t)papi_a64_target(papi_a64_pc_of(block, index), i);
		return;
	}
	value = value_of(plan->registers, &i->operand);
	word = find_value(plan, &value, &difference);
	loaded = loaded_by(plan, block, index);
	if (!word && loaded) {
		access->word = loaded->word;
		access->displacement = loaded->displacement;
		return;
	}
	access->word = (uint8_t)(word ? word : store_value(plan, block, value, index, &difference));
	access->displacement = papi_a64_displacement_of(&i->operand, plan->vector) + difference;
}

static void plan_access(struct papi_a64_trace_plan *plan, const struct papi_a64_block *block, unsigned index)
{
	const struct papi_a64_instruction *i = &block->instructions[index];
	struct papi_vpmu_access *access = &plan->accesses[plan->n_accesses];
	uint64_t pc = papi_a64_pc_of(block, index);
	unsigned size = i->operand.is_zeroed ? 1u << plan->zero_shift : papi_a64_size_of(&i->operand, plan->vector);

	*access = (struct papi_vpmu_access){ .kind = (uint8_t)kind_of(i),
		.extent = (uint16_t)(size - 1),
		.line = (uint8_t)(((pc + 3) >> plan->line_shift) - (block->pc >> plan->line_shift)) };
	access->is_write = access->kind == PAPI_VPMU_WRITE;
	plan->measures |= i->operand.is_scalable;
	if (papi_a64_is_chosen(i)) {
		access->form = PAPI_VPMU_FORM_ACTIVE;
		access->extent = 0;
		access->word = (uint8_t)store_chosen(plan, i, index);
		access->active = papi_a64_describe_active(&i->operand, plan->vector);
	} else {
		find_address(plan, block, index, access);
	}
	plan->of_access[plan->n_accesses++] = (uint8_t)index;
}

/* ---- the block ---- */

static enum papi_vpmu_ending ending_of(const struct papi_a64_block *block)
{
	const struct papi_a64_instruction *last = &block->instructions[block->count - 1];

	if (block->trimmed[block->count - 1])
		return PAPI_VPMU_ENDS_ANYHOW;
	switch (last->kind) {
	case PAPI_A64_JUMP_INDIRECT:
		return PAPI_VPMU_ENDS_INDIRECT_JUMP;
	case PAPI_A64_CALL: /* to what is behind it, it fetches an address: nothing will return */
		return last->offset == 4 ? PAPI_VPMU_ENDS_ANYHOW : PAPI_VPMU_ENDS_CALL;
	case PAPI_A64_CALL_INDIRECT:
		return PAPI_VPMU_ENDS_INDIRECT_CALL;
	case PAPI_A64_RETURN:
		return PAPI_VPMU_ENDS_RETURN;
	default:
		return PAPI_VPMU_ENDS_ANYHOW;
	}
}

/* Where vectors have no length there are none. */
static bool accesses_memory(const struct papi_a64_trace_plan *plan, const struct papi_a64_instruction *i)
{
	return (i->loads || i->stores || i->prefetches) && i->operand.is_known &&
		(plan->vector || !i->operand.is_scalable);
}

static void plan_accesses(struct papi_a64_trace_plan *plan, const struct papi_a64_block *block)
{
	for (unsigned i = 0; i < block->count; i++) {
		const struct papi_a64_instruction *instruction = &block->instructions[i];

		if (instruction->kind == PAPI_A64_LOAD_EXCLUSIVE) {
			plan->exclusive = i;
			plan->exclusive_end = end_of_exclusive(block, i);
			memcpy(plan->at_exclusive, plan->registers, sizeof(plan->registers));
		}
		if (!block->trimmed[i] && accesses_memory(plan, instruction))
			plan_access(plan, block, i);
		papi_a64_trace_follow(plan->registers, instruction);
	}
}

void papi_a64_trace_plan(struct papi_a64_trace_plan *plan, const struct papi_a64_block *block,
	const struct papi_a64_trace_request *request)
{
	const struct papi_a64_part all = { block->count, false };

	memset(plan, 0, offsetof(struct papi_a64_trace_plan, accesses));
	memset(plan->registers, 0, sizeof(plan->registers));
	plan->exclusive = plan->exclusive_end = 0;
	plan->parts = request->parts;
	plan->line_shift = request->line_shift;
	plan->zero_shift = request->zero_shift;
	plan->vector = request->vector;
	plan->counted = request->counted;
	plan->words = 1;
	plan->end = ending_of(block);
	if (plan->parts & PAPI_VPMU_PART_DATA)
		plan_accesses(plan, block);
	plan->traced = papi_a64_part_makes_record(plan, block, all);
	plan->streams = plan->parts == PAPI_VPMU_PART_BRANCHES && papi_a64_part_branches(block, all);
}

/* ---- parts of it ---- */

unsigned papi_a64_part_accesses(const struct papi_a64_trace_plan *plan, struct papi_a64_part part)
{
	unsigned n = 0;

	while (n < plan->n_accesses && plan->of_access[n] < part.n)
		n++;
	return n;
}

unsigned papi_a64_part_branches(const struct papi_a64_block *block, struct papi_a64_part part)
{
	unsigned n = 0;

	for (unsigned i = 0; i < part.n; i++)
		n += block->instructions[i].kind == PAPI_A64_CONDITIONAL;
	return n;
}

unsigned papi_a64_part_words(
	const struct papi_a64_trace_plan *plan, const struct papi_a64_block *block, struct papi_a64_part part)
{
	unsigned words = 1;

	for (unsigned i = 0; i < plan->n_stores && plan->stores[i].of < part.n; i++)
		words += plan->stores[i].words;
	return words + papi_a64_part_tells_target(plan, block, part);
}

enum papi_vpmu_ending papi_a64_part_ending(
	const struct papi_a64_trace_plan *plan, const struct papi_a64_block *block, struct papi_a64_part part)
{
	return part.n == block->count ? plan->end : PAPI_VPMU_ENDS_ANYHOW;
}

bool papi_a64_part_tells_target(
	const struct papi_a64_trace_plan *plan, const struct papi_a64_block *block, struct papi_a64_part part)
{
	return plan->parts & PAPI_VPMU_PART_BRANCHES && papi_vpmu_tells_target(papi_a64_part_ending(plan, block, part));
}

bool papi_a64_part_makes_record(
	const struct papi_a64_trace_plan *plan, const struct papi_a64_block *block, struct papi_a64_part part)
{
	if (plan->parts == PAPI_VPMU_PART_BRANCHES)
		return papi_a64_part_ending(plan, block, part) != PAPI_VPMU_ENDS_ANYHOW;
	return !papi_vpmu_is_data_alone(plan->parts) || papi_a64_part_accesses(plan, part);
}
