/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/x86_64/translate/trace_plan.h"

#include <string.h>

#include "components/vpmu/models/checks.h"
#include "components/vpmu/x86_64/translate/offsets.h"
#include "components/vpmu/x86_64/translate/zydis.h"

#define NO_REGISTER (-1)
#define SPAN        32 /* bytes: what is nearer than that is usually in one line */
#define OPERANDS    2  /* in memory, of one instruction: movs, push and pop of what is there */

static bool room_left(const struct papi_vpmu_trace_plan *plan)
{
	return plan->description.accesses + OPERANDS <= PAPI_VPMU_MAX_ACCESSES &&
		plan->description.words < PAPI_VPMU_RECORD_WORDS_MAX - 24;
}

/* ---- values ---- */

bool papi_vpmu_trace_follows(const struct papi_vpmu_known registers[], int number, const struct papi_vpmu_known *then,
	unsigned scale, int64_t *difference)
{
	if (number == NO_REGISTER)
		return true;
	*difference += (registers[number].delta - then->delta) * scale;
	return registers[number].epoch == then->epoch;
}

static int find_value(
	const struct papi_vpmu_trace_plan *plan, const struct papi_vpmu_value *wanted, int64_t *difference)
{
	for (unsigned word = 1; word < plan->description.words; word++) {
		const struct papi_vpmu_value *value = &plan->values[word];

		*difference = 0;
		if (!value->narrow && value->base == wanted->base && value->index == wanted->index &&
			value->scale == wanted->scale &&
			papi_vpmu_trace_follows(plan->registers, value->base, &value->base_then, 1, difference) &&
			papi_vpmu_trace_follows(
				plan->registers, value->index, &value->index_then, value->scale, difference))
			return (int)word;
	}
	*difference = 0;
	return -1;
}

/* Registers that have been changed by constants alone since the block began. */
static struct papi_vpmu_source source_of(const struct papi_vpmu_value *value)
{
	int64_t constant = value->base_then.delta + value->index_then.delta * value->scale;

	return (struct papi_vpmu_source){
		.base = value->base,
		.index = value->index,
		.scale = value->scale,
		.known = !value->narrow && !value->base_then.epoch && !value->index_then.epoch &&
			constant == (int32_t)constant,
		.constant = (int32_t)constant,
	};
}

static unsigned store_value(struct papi_vpmu_trace_plan *plan, const struct papi_vpmu_value *value,
	unsigned instruction, bool after, int32_t displacement)
{
	unsigned word = plan->description.words++;

	plan->values[word] = *value;
	plan->sources[word] = source_of(value);
	plan->stores[plan->n_stores++] = (struct papi_vpmu_trace_store){
		.instruction = (uint8_t)instruction,
		.after = after,
		.word = (uint8_t)word,
		.base = value->base,
		.index = value->index,
		.scale = value->scale,
		.narrow = value->narrow,
		.displacement = displacement,
	};
	plan->needs_scratch |= value->index != NO_REGISTER || value->narrow;
	return word;
}

static struct papi_vpmu_value value_of(const struct papi_vpmu_trace_plan *plan, const struct papi_vpmu_operand *operand)
{
	struct papi_vpmu_value value = {
		.base = (int8_t)papi_vpmu_register_number(operand->base),
		.index = (int8_t)papi_vpmu_register_number(operand->index),
		.scale = operand->index == ZYDIS_REGISTER_NONE ? 0 : operand->scale,
	};

	if (value.base != NO_REGISTER)
		value.base_then = plan->registers[value.base];
	if (value.index != NO_REGISTER)
		value.index_then = plan->registers[value.index];
	return value;
}

/* ---- accesses ---- */

static bool is_prefetch(const struct papi_vpmu_instruction *instruction)
{
	return instruction->category == ZYDIS_CATEGORY_PREFETCH || instruction->category == ZYDIS_CATEGORY_PREFETCHWT1;
}

static enum papi_vpmu_access_kind kind_of(
	const struct papi_vpmu_instruction *instruction, const struct papi_vpmu_operand *operand)
{
	bool reads = operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ,
	     writes = operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;

	if (is_prefetch(instruction))
		return PAPI_VPMU_PREFETCH;
	if (writes)
		return reads ? PAPI_VPMU_MODIFY : PAPI_VPMU_WRITE;
	return PAPI_VPMU_READ;
}

/* What a stack instruction itself does to rsp before its access: a push writes below, a pop to memory has popped. */
static int64_t stack_adjustment(
	const struct papi_vpmu_instruction *instruction, const struct papi_vpmu_operand *operand)
{
	bool hidden = operand->is_hidden;

	if (operand->base != ZYDIS_REGISTER_RSP)
		return 0;
	switch (instruction->category) {
	case ZYDIS_CATEGORY_PUSH:
	case ZYDIS_CATEGORY_CALL:
		return hidden ? -(int64_t)(operand->size / 8) : 0;
	case ZYDIS_CATEGORY_POP:
		return hidden ? 0 : (int64_t)(operand->size / 8);
	default:
		return instruction->mnemonic == ZYDIS_MNEMONIC_ENTER ? -8 : 0;
	}
}

static void plan_string(struct papi_vpmu_trace_plan *plan, const struct papi_vpmu_value *value, unsigned index,
	struct papi_vpmu_access *access)
{
	access->form = PAPI_VPMU_FORM_STRING;
	access->word = (uint8_t)store_value(plan, value, index, false, 0);
	store_value(plan, value, index, true, 0);
	/* Neither can stand for the register anywhere else. */
	plan->values[access->word].narrow = plan->values[access->word + 1].narrow = true;
}

static void plan_address(struct papi_vpmu_trace_plan *plan, const struct papi_vpmu_instruction *instruction,
	const struct papi_vpmu_operand *operand, unsigned index, struct papi_vpmu_access *access)
{
	struct papi_vpmu_value value = value_of(plan, operand);
	int64_t difference;
	int word;

	access->displacement = operand->value + stack_adjustment(instruction, operand);
	if (operand->segment == ZYDIS_REGISTER_FS)
		access->form = PAPI_VPMU_FORM_THREAD_LOCAL;
	if (operand->base == ZYDIS_REGISTER_RIP || operand->base == ZYDIS_REGISTER_EIP) {
		access->displacement += (int64_t)(instruction->pc + instruction->length);
		return;
	}
	if (value.base == NO_REGISTER && value.index == NO_REGISTER)
		return;
	if (instruction->address_width == 32) {
		value.narrow = true;
		access->word = (uint8_t)store_value(plan, &value, index, false, (int32_t)access->displacement);
		access->displacement = 0;
		return;
	}
	word = find_value(plan, &value, &difference);
	access->word = (uint8_t)(word < 0 ? store_value(plan, &value, index, false, 0) : (unsigned)word);
	access->displacement += difference;
}

/* Of code, from the block's first: where the instruction ends. */
static uint8_t line_of(const struct papi_vpmu_trace_plan *plan, const struct papi_vpmu_instruction *instruction)
{
	return (uint8_t)(((instruction->pc + instruction->length - 1) >> plan->line_shift) -
		(plan->description.pc >> plan->line_shift));
}

static struct papi_vpmu_access *new_access(struct papi_vpmu_trace_plan *plan, unsigned index)
{
	plan->of_single[plan->description.accesses] = (uint8_t)(index + 1);
	return &plan->single[plan->description.accesses++];
}

static void plan_operand(struct papi_vpmu_trace_plan *plan, const struct papi_vpmu_instruction *instruction,
	const struct papi_vpmu_operand *operand, unsigned index)
{
	const struct papi_vpmu_class *class = &instruction->class;
	struct papi_vpmu_access *access = new_access(plan, index);
	struct papi_vpmu_value value;

	*access = (struct papi_vpmu_access){ .kind = (uint8_t)kind_of(instruction, operand),
		.extent = (uint16_t)(operand->size < 8 ? 0 : operand->size / 8 - 1) };
	access->is_write = access->kind == PAPI_VPMU_WRITE;
	access->line = line_of(plan, instruction);
	if (class->loads_each || class->stores_each) {
		value = value_of(plan, operand);
		plan_string(plan, &value, index, access);
	} else {
		plan_address(plan, instruction, operand, index, access);
	}
	if (access->form != PAPI_VPMU_FORM_PLAIN || access->kind == PAPI_VPMU_PREFETCH)
		plan->description.plain = false;
}

/* ---- gathers and scatters ---- */

/* Words of the record that are no value of an address. */
static unsigned take_words(struct papi_vpmu_trace_plan *plan, unsigned n)
{
	unsigned word = plan->description.words;

	for (unsigned i = word; i < word + n; i++) {
		plan->values[i] = (struct papi_vpmu_value){ .narrow = true };
		plan->sources[i].known = false;
	}
	plan->description.words = (uint8_t)(word + n);
	return word;
}

static void store_vector(struct papi_vpmu_trace_plan *plan, enum papi_vpmu_trace_sort sort, ZydisRegister number,
	unsigned words, unsigned instruction)
{
	plan->stores[plan->n_stores++] = (struct papi_vpmu_trace_store){
		.sort = (uint8_t)sort,
		.instruction = (uint8_t)instruction,
		.word = (uint8_t)take_words(plan, words),
		.base = papi_vpmu_zydis.register_id(number),
	};
}

/* As enum PAPI_VPMU_GATHER_... of trace.h says; the opcode's lowest bit is that of the width of indexes. */
static unsigned gather_extent(const struct papi_vpmu_instruction *instruction, const struct papi_vpmu_operand *operand)
{
	bool evex = instruction->encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX, wide_index = instruction->opcode & 1,
	     wide = instruction->wide;
	unsigned lanes = instruction->vector_length / (wide || wide_index ? 64u : 32u);

	return PAPI_VPMU_GATHER_ALWAYS | (lanes - 1) | (wide ? PAPI_VPMU_GATHER_WIDE : 0u) |
		(wide_index ? PAPI_VPMU_GATHER_WIDE_INDEX : 0u) | (evex ? PAPI_VPMU_GATHER_MASK_BITS : 0u) |
		(unsigned)__builtin_ctz(operand->scale) << PAPI_VPMU_GATHER_SCALE_SHIFT |
		(operand->base == ZYDIS_REGISTER_NONE ? PAPI_VPMU_GATHER_NO_BASE : 0u) |
		(instruction->address_width == 32 ? PAPI_VPMU_GATHER_NARROW : 0u) |
		(operand->segment == ZYDIS_REGISTER_FS ? PAPI_VPMU_GATHER_THREAD_LOCAL : 0u);
}

static void plan_gather(struct papi_vpmu_trace_plan *plan, const struct papi_vpmu_instruction *instruction,
	const struct papi_vpmu_operand *operand, unsigned index)
{
	struct papi_vpmu_access *access = new_access(plan, index);
	struct papi_vpmu_value base = { .base = (int8_t)papi_vpmu_register_number(operand->base),
		.index = NO_REGISTER };
	unsigned extent = gather_extent(instruction, operand);
	bool bits = extent & PAPI_VPMU_GATHER_MASK_BITS;

	*access = (struct papi_vpmu_access){ .form = PAPI_VPMU_FORM_GATHER,
		.kind = (uint8_t)(instruction->class.counts[PAPI_VPMU_STORES] ? PAPI_VPMU_WRITE : PAPI_VPMU_READ),
		.extent = (uint16_t)extent,
		.displacement = operand->value,
		.line = line_of(plan, instruction) };
	access->is_write = access->kind == PAPI_VPMU_WRITE;
	if (base.base == NO_REGISTER)
		access->word = (uint8_t)take_words(plan, 1);
	else
		access->word = (uint8_t)store_value(plan, &base, index, false, 0);
	plan->values[access->word].narrow = true; /* the others are to be right behind it */
	store_vector(plan, bits ? PAPI_VPMU_STORE_LARGE : PAPI_VPMU_STORE_VECTOR, operand->index,
		papi_vpmu_gather_index_words(extent), index);
	store_vector(plan, bits ? PAPI_VPMU_STORE_MASK : PAPI_VPMU_STORE_VECTOR,
		bits ? instruction->mask : instruction->operands[2].reg, papi_vpmu_gather_mask_words(extent), index);
	plan->description.plain = false;
}

static void plan_accesses(
	struct papi_vpmu_trace_plan *plan, const struct papi_vpmu_instruction *instruction, unsigned index)
{
	const struct papi_vpmu_class *class = &instruction->class;
	bool accesses = class->counts[PAPI_VPMU_LOADS] || class->counts[PAPI_VPMU_STORES] || class->loads_each ||
		class->stores_each || class->counts[PAPI_VPMU_PREFETCHES];

	for (unsigned i = 0; accesses && i < instruction->operand_count; i++) {
		const struct papi_vpmu_operand *operand = &instruction->operands[i];

		if (operand->type != ZYDIS_OPERAND_TYPE_MEMORY || !operand->actions)
			continue;
		if (operand->memory == ZYDIS_MEMOP_TYPE_MEM)
			plan_operand(plan, instruction, operand, index);
		else if (operand->memory == ZYDIS_MEMOP_TYPE_VSIB && !class->counts[PAPI_VPMU_PREFETCHES])
			plan_gather(plan, instruction, operand, index);
	}
}

/* ---- accesses in a row ---- */

/* Addresses that are constants may be as far apart as there are any: only the difference of unsigned ones is right. */
static int64_t last_byte(const struct papi_vpmu_access *access)
{
	return (int64_t)((uint64_t)access->displacement + access->extent);
}

/* A value, as far as it can be told when the block is about to run for the first time; objects begin at multiples of 16
 * mostly. */
static uint64_t value_at_first(const struct papi_vpmu_trace_plan *plan, unsigned word)
{
	const struct papi_vpmu_source *source = &plan->sources[word];
	uint64_t base, index;

	if (!word || !source->known || !plan->at_first)
		return 0;
	base = source->base == NO_REGISTER ? 0 : plan->at_first[source->base];
	index = source->index == NO_REGISTER ? 0 : plan->at_first[source->index];
	return base + index * source->scale + (uint64_t)source->constant;
}

/* Whether what begins and ends there, from a value on, is usually in one line. Where it takes much if it is not, it is
 * to be in one slot, as lines begin where slots do. */
static bool is_near(const struct papi_vpmu_trace_plan *plan, unsigned word, int64_t start, int64_t end)
{
	uint64_t value;

	if (!plan->checks)
		return (uint64_t)end - (uint64_t)start < SPAN;
	value = value_at_first(plan, word);
	return (value + (uint64_t)start) >> PAPI_VPMU_SLOT_SHIFT == (value + (uint64_t)end) >> PAPI_VPMU_SLOT_SHIFT;
}

/* How many accesses from the first on a line of the smallest caches can hold; where code is fetched line by line, with
 * no fetch in between. */
static unsigned near_ones(const struct papi_vpmu_trace_plan *plan, const struct papi_vpmu_access *first, unsigned left,
	int64_t *start, int64_t *end)
{
	unsigned n = 0;

	*start = first->displacement;
	*end = last_byte(first);
	for (; n < left && first[n].word == first->word; n++) {
		int64_t low = first[n].displacement, high = last_byte(&first[n]);

		low = low < *start ? low : *start;
		high = high > *end ? high : *end;
		if (!is_near(plan, first->word, low, high) || (plan->fetches && first[n].line != first->line))
			break;
		*start = low;
		*end = high;
	}
	return n;
}

/* Whether they go up or down by 8 bytes, and all read or all write. */
static enum papi_vpmu_access_form order_of(const struct papi_vpmu_access *first, unsigned n)
{
	int64_t step = first[1].displacement - first[0].displacement;

	if (step != 8 && step != -8)
		return PAPI_VPMU_FORM_PLAIN;
	for (unsigned i = 0; i < n; i++)
		if (first[i].extent != 7 || first[i].is_write != first->is_write ||
			(uint64_t)first[i].displacement != (uint64_t)first->displacement + i * (uint64_t)step)
			return PAPI_VPMU_FORM_PLAIN;
	return step > 0 ? PAPI_VPMU_FORM_RISING : PAPI_VPMU_FORM_FALLING;
}

/* The first n accesses, and before each run of near ones the access that spans them. Returns how many these are. */
static unsigned span(const struct papi_vpmu_trace_plan *plan, unsigned n, struct papi_vpmu_access *spanned)
{
	const struct papi_vpmu_access *single = plan->single;
	unsigned made = 0;

	for (unsigned i = 0; i < n;) {
		int64_t start, end;
		unsigned near = near_ones(plan, &single[i], n - i, &start, &end);

		if (near > 1) {
			spanned[made] = single[i];
			spanned[made].displacement = start;
			spanned[made].extent = (uint16_t)(end - start);
			spanned[made].form = (uint8_t)order_of(&single[i], near);
			spanned[made].line = single[i + near - 1].line;
			spanned[made++].spanned = (uint8_t)near;
		}
		for (near = near ? near : 1; near > 0; near--)
			spanned[made++] = single[i++];
	}
	return made;
}

/* Accesses that are not plain are looked up one by one. */
static uint8_t lay_out(
	const struct papi_vpmu_trace_plan *plan, unsigned n, bool plain, struct papi_vpmu_access *accesses)
{
	if (plain)
		return (uint8_t)span(plan, n, accesses);
	memcpy(accesses, plan->single, n * sizeof(*accesses));
	return (uint8_t)n;
}

/* ---- the block ---- */

static enum papi_vpmu_ending ending_of(const struct papi_vpmu_instruction *last)
{
	if (last->trimmed)
		return PAPI_VPMU_ENDS_ANYHOW;
	switch (last->kind) {
	case PAPI_VPMU_JUMP_INDIRECT:
		return PAPI_VPMU_ENDS_INDIRECT_JUMP;
	case PAPI_VPMU_CALL:
		/* To what is behind it, it fetches an address: nothing will return. */
		return papi_vpmu_branch_target(last) == last->pc + last->length ? PAPI_VPMU_ENDS_ANYHOW
										: PAPI_VPMU_ENDS_CALL;
	case PAPI_VPMU_CALL_INDIRECT:
		return PAPI_VPMU_ENDS_INDIRECT_CALL;
	case PAPI_VPMU_RETURN:
		return PAPI_VPMU_ENDS_RETURN;
	default:
		return PAPI_VPMU_ENDS_ANYHOW;
	}
}

static bool is_conditional(const struct papi_vpmu_instruction *last)
{
	return last->kind == PAPI_VPMU_CONDITIONAL || last->kind == PAPI_VPMU_LOOP;
}

/* The registers that no other instrumentation uses in the middle of a block. */
static bool choose_registers(struct papi_vpmu_trace_plan *plan, unsigned used)
{
	static const unsigned candidates[] = { R8, R9, R10, R11, RBP, R12, R13, R14, R15 };
	unsigned found = 0, chosen[2] = { 0 };

	for (unsigned i = 0; i < sizeof(candidates) / sizeof(candidates[0]) && found < 2; i++)
		if (!(used >> candidates[i] & 1))
			chosen[found++] = candidates[i];
	plan->pointer = chosen[0];
	plan->scratch = chosen[1];
	return found == 2;
}

static void cut(struct papi_vpmu_decoded *decoded, unsigned count)
{
	if (count == 0 || count >= decoded->count)
		return;
	decoded->count = count;
	decoded->end = decoded->instructions[count].pc;
}

static void plan_way_out(struct papi_vpmu_trace_plan *plan, const struct papi_vpmu_instruction *branch, unsigned index)
{
	plan->ways_out[plan->n_ways_out++] = (struct papi_vpmu_trace_way_out){
		.branch = branch->pc,
		.end = branch->pc + branch->length,
		.instruction = (uint8_t)(index + 1),
		.accesses = plan->description.accesses,
		.words = plan->description.words,
		.plain = plan->description.plain,
	};
}

/* The last instruction is the end, after a cut, too. */
static void cut_ways_out(struct papi_vpmu_trace_plan *plan, const struct papi_vpmu_decoded *decoded)
{
	if (plan->n_ways_out && plan->ways_out[plan->n_ways_out - 1].end == decoded->end)
		plan->n_ways_out--;
}

void papi_vpmu_trace_plan_block(struct papi_vpmu_trace_plan *plan, struct papi_vpmu_decoded *decoded,
	unsigned line_shift, unsigned parts, bool checks, const uint64_t *at_first)
{
	const struct papi_vpmu_instruction *last;
	unsigned used = 0, lines = 0;

	plan->description = (struct papi_vpmu_description){ .pc = decoded->pc, .words = 1, .plain = true };
	plan->end = decoded->pc;
	plan->n_stores = plan->n_ways_out = 0;
	plan->line_shift = line_shift;
	plan->checks = checks;
	plan->at_first = at_first;
	plan->fetches = checks && parts & PAPI_VPMU_PART_CODE;
	plan->needs_scratch = false;
	for (unsigned i = 0; i < 16; i++)
		plan->registers[i] = (struct papi_vpmu_known){ 0 };
	for (unsigned i = 0; i < decoded->count; i++) {
		const struct papi_vpmu_instruction *instruction = &decoded->instructions[i];

		if (i && (!choose_registers(plan, used | papi_vpmu_used_registers(instruction)) || !room_left(plan))) {
			cut(decoded, i);
			break;
		}
		used |= papi_vpmu_used_registers(instruction);
		if (checks && papi_vpmu_leads_aside(decoded, i) &&
			(plan->description.accesses || parts & (PAPI_VPMU_PART_BRANCHES | PAPI_VPMU_PART_CODE)))
			cut(decoded, i + 1);
		else if (papi_vpmu_leads_aside(decoded, i))
			plan_way_out(plan, instruction, i);
		if (!instruction->trimmed) {
			plan->end = instruction->pc + instruction->length;
			for (; lines <= line_of(plan, instruction); lines++)
				plan->of_line[lines] = (uint8_t)(i + 1);
			if (parts & PAPI_VPMU_PART_DATA)
				plan_accesses(plan, instruction, i);
		}
		papi_vpmu_trace_follow(plan, instruction);
	}
	choose_registers(plan, used);
	cut_ways_out(plan, decoded);
	last = &decoded->instructions[decoded->count - 1];
	plan->last = last->pc;
	plan->of_end = (uint8_t)decoded->count;
	plan->description.next = decoded->end;
	plan->description.end = (uint8_t)ending_of(last);
	plan->description.accesses = lay_out(plan, plan->description.accesses, plan->description.plain, plan->accesses);
	plan->words = plan->description.words;
	if (checks)
		plan->description.words = 1;
	plan->n_branches = 0;
	if (!(parts & PAPI_VPMU_PART_BRANCHES))
		return;
	plan->n_branches = plan->n_ways_out + is_conditional(last);
	plan->streams = checks || parts == PAPI_VPMU_PART_BRANCHES;
	plan->description.branches = plan->streams ? 0 : (uint8_t)plan->n_branches;
	plan->description.behind = !plan->streams && is_conditional(last) ? decoded->end : 0;
	plan->description.words += papi_vpmu_tells_target(plan->description.end);
}

struct papi_vpmu_description papi_vpmu_trace_plan_way_out(
	const struct papi_vpmu_trace_plan *plan, unsigned way_out, struct papi_vpmu_access *accesses)
{
	const struct papi_vpmu_trace_way_out *way = &plan->ways_out[way_out];

	return (struct papi_vpmu_description){
		.pc = plan->description.pc,
		.next = way->end,
		.words = way->words,
		.accesses = lay_out(plan, way->accesses, way->plain, accesses),
		.end = PAPI_VPMU_ENDS_ANYHOW,
		.counted = plan->description.counted,
		.plain = way->plain,
		.branches = plan->description.branches ? (uint8_t)(way_out + 1) : 0,
	};
}

void papi_vpmu_trace_plan_origins(const struct papi_vpmu_trace_plan *plan, const struct papi_vpmu_access *accesses,
	unsigned n, uint8_t *instructions)
{
	unsigned single = 0;

	for (unsigned i = 0; i < n; i++) {
		instructions[i] = plan->of_single[single];
		single += !accesses[i].spanned;
	}
}
