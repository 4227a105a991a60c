/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/x86_64/recover.h"

#include "components/vpmu/x86_64/cache.h"
#include "components/vpmu/x86_64/translate.h"

/* Of the flags register: those that lahf loads, and overflow. */
#define LAHF_FLAGS    0xd5u
#define OVERFLOW_FLAG 0x800u

/* The last mark that begins at or before an offset; the first one for the stub before the entry. */
static const struct papi_vpmu_mark *find_mark(const struct papi_vpmu_block *block, int64_t offset)
{
	unsigned low = 1, high = block->n_marks;

	while (low < high) {
		unsigned middle = (low + high) / 2;

		if (block->marks[middle].code <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return &block->marks[low - 1];
}

/* ---- counters ---- */

/* The lanes are added up: any will do. */
static void add(struct papi_vpmu_thread *thread, unsigned counter, uint64_t number)
{
	thread->counters[0][counter] += number;
}

/* What the instructions of a block add, all of them, and those before an offset. */
struct passed {
	uint64_t all[PAPI_VPMU_FIRST_MODELLED], before[PAPI_VPMU_FIRST_MODELLED];
	struct papi_vpmu_instruction last; /* of those before the offset */
};

static bool is_counted(const struct papi_vpmu_block *block, const struct papi_vpmu_instruction *instruction)
{
	return !block->flavour->library && instruction->kind != PAPI_VPMU_STEP &&
		papi_vpmu_in_range(&block->flavour->wants, instruction->pc);
}

static void sum_up(const struct papi_vpmu_block *block, uint32_t offset, struct passed *passed)
{
	struct papi_vpmu_instruction instruction;
	uint32_t lengths[PAPI_VPMU_BLOCK_LENGTH], at = 0;
	unsigned n = 0, counted;

	memset(passed, 0, offsetof(struct passed, last));
	for (; n < PAPI_VPMU_BLOCK_LENGTH && at < block->size; n++) {
		if (!papi_vpmu_decode_copy(&instruction, block->pc + at, block->bytes + at, block->size - at))
			break;
		lengths[n] = instruction.decoded.length;
		at += lengths[n];
	}
	counted = n - block->trimmed;
	at = 0;
	for (unsigned i = 0; i < counted; i++) {
		papi_vpmu_decode_copy(&instruction, block->pc + at, block->bytes + at, block->size - at);
		if (at < offset)
			passed->last = instruction;
		for (unsigned j = 0; is_counted(block, &instruction) && j < PAPI_VPMU_FIRST_MODELLED; j++) {
			passed->all[j] += instruction.class.counts[j];
			if (at < offset)
				passed->before[j] += instruction.class.counts[j];
		}
		at += lengths[i];
	}
}

/* A block adds its sums one after the other, in the order of the counters: so many of them have been. */
static void correct_sums(struct papi_vpmu_thread *thread, const struct papi_vpmu_block *block, unsigned added,
	const struct passed *passed)
{
	for (unsigned i = 0; i < PAPI_VPMU_FIRST_MODELLED; i++) {
		uint64_t done = 0;

		if (!passed->all[i] || !papi_vpmu_is_wanted(&block->flavour->wants, i))
			continue;
		if (added) {
			done = passed->all[i];
			added--;
		}
		add(thread, i, passed->before[i] - done);
	}
}

/* A rep string instruction that has been interrupted, or not yet counted. */
static void count_iterations(struct papi_vpmu_thread *thread, const struct papi_vpmu_block *block,
	const struct papi_vpmu_instruction *instruction, uint64_t rcx, bool loads)
{
	const struct papi_vpmu_wants *wants = &block->flavour->wants;
	uint64_t iterations = thread->rep_count - rcx;

	if (loads && papi_vpmu_is_wanted(wants, PAPI_VPMU_LOADS))
		add(thread, PAPI_VPMU_LOADS, iterations * instruction->class.loads_each);
	if (papi_vpmu_is_wanted(wants, PAPI_VPMU_STORES))
		add(thread, PAPI_VPMU_STORES, iterations * instruction->class.stores_each);
}

static void correct_counters(struct papi_vpmu_thread *thread, const struct papi_vpmu_block *block,
	const struct papi_vpmu_mark *mark, uint64_t rcx)
{
	struct papi_vpmu_instruction repeated;
	struct passed passed;
	uint32_t offset = mark->pc;

	if (mark->kind == PAPI_VPMU_MARK_TARGET || mark->kind == PAPI_VPMU_MARK_STORED_TARGET ||
		mark->kind == PAPI_VPMU_MARK_TAKEN || mark->kind == PAPI_VPMU_MARK_BRANCH)
		offset = block->size;
	sum_up(block, offset, &passed);
	correct_sums(thread, block, mark->added, &passed);
	switch (mark->kind) {
	case PAPI_VPMU_MARK_TAKEN:
		add(thread, PAPI_VPMU_BRANCHES_TAKEN, 1);
		break;
	case PAPI_VPMU_MARK_REP:
		if (papi_vpmu_decode_copy(&repeated, block->pc + offset, block->bytes + offset, block->size - offset))
			count_iterations(thread, block, &repeated, rcx, true);
		break;
	case PAPI_VPMU_MARK_REPEATED:
	case PAPI_VPMU_MARK_REPEATED_LOADS:
		count_iterations(thread, block, &passed.last, rcx, mark->kind == PAPI_VPMU_MARK_REPEATED);
		break;
	default:
		break;
	}
}

/* ---- registers ---- */

static uint64_t flags_from(uint64_t rax, uint64_t flags)
{
	uint64_t lahf = rax >> 8 & LAHF_FLAGS, overflow = rax & 0xff;

	flags &= ~(uint64_t)(LAHF_FLAGS | OVERFLOW_FLAG);
	return flags | lahf | (overflow == 1 || overflow == 0x80 ? OVERFLOW_FLAG : 0);
}

static void recover_registers(const struct papi_vpmu_thread *thread, const struct papi_vpmu_block *block,
	const struct papi_vpmu_mark *mark, struct papi_vpmu_state *state)
{
	uint64_t rcx = state->registers[RCX];

	if (mark->kind == PAPI_VPMU_MARK_FLAGS)
		state->flags = flags_from(state->registers[RAX], state->flags);
	for (unsigned i = 0; i < 16; i++)
		if (mark->spilled >> i & 1)
			state->registers[i] = thread->spilled[i];
	switch (mark->kind) {
	case PAPI_VPMU_MARK_TARGET:
		state->pc = rcx;
		break;
	case PAPI_VPMU_MARK_DISTANCE:
		state->pc = block->pc + rcx;
		break;
	case PAPI_VPMU_MARK_STORED_TARGET:
		state->pc = thread->pc;
		break;
	case PAPI_VPMU_MARK_TAKEN:
	case PAPI_VPMU_MARK_BRANCH:
		state->pc = block->target;
		break;
	default:
		state->pc = block->pc + mark->pc;
		break;
	}
}

/* The kernel has left an address of the cache in rcx. */
static bool is_behind_syscall(const struct papi_vpmu_block *block, const struct papi_vpmu_mark *mark)
{
	const uint8_t *end = block->bytes + block->size;

	return mark->kind == PAPI_VPMU_MARK_AT && block->size >= 2 && mark->pc == block->size && end[-2] == 0x0f &&
		end[-1] == 0x05;
}

bool papi_vpmu_recover(struct papi_vpmu_thread *thread, struct papi_vpmu_state *state)
{
	const struct papi_vpmu_block *block;
	const struct papi_vpmu_mark *mark;

	papi_vpmu_cache_lock();
	block = papi_vpmu_cache_block_at(state->pc);
	if (block && block->n_marks) {
		mark = find_mark(block, (int64_t)(state->pc - block->code));
		if (block->flavour)
			correct_counters(thread, block, mark, state->registers[RCX]);
		recover_registers(thread, block, mark, state);
		if (is_behind_syscall(block, mark))
			state->registers[RCX] = state->pc;
	}
	papi_vpmu_cache_unlock();
	return block != NULL;
}

static void take_back(struct papi_vpmu_thread *thread, const struct papi_vpmu_block *block,
	const struct papi_vpmu_instruction *instruction)
{
	if (!is_counted(block, instruction) || block->trimmed)
		return;
	for (unsigned i = 0; i < PAPI_VPMU_FIRST_MODELLED; i++)
		if (papi_vpmu_is_wanted(&block->flavour->wants, i))
			add(thread, i, -(uint64_t)instruction->class.counts[i]);
}

bool papi_vpmu_recover_branch(struct papi_vpmu_thread *thread)
{
	const struct papi_vpmu_block *block = papi_vpmu_cache_block_with((uint32_t)thread->source);
	struct papi_vpmu_instruction branch;

	if (!block || !block->flavour ||
		!papi_vpmu_decode_copy(
			&branch, block->pc + block->branch, block->bytes + block->branch, block->size - block->branch))
		return false;
	if (branch.kind == PAPI_VPMU_CALL_INDIRECT)
		thread->registers[RSP] += 8;
	else if (branch.kind == PAPI_VPMU_RETURN)
		thread->registers[RSP] -= 8 + (branch.decoded.raw.imm[0].size ? branch.decoded.raw.imm[0].value.u : 0);
	else if (branch.kind != PAPI_VPMU_JUMP_INDIRECT)
		return false;
	take_back(thread, block, &branch);
	thread->pc = branch.pc;
	return true;
}

void papi_vpmu_recover_count(struct papi_vpmu_thread *thread, const uint8_t *bytes, uint64_t size, uint64_t pc)
{
	struct papi_vpmu_instruction instruction;

	if (!papi_vpmu_in_range(&thread->wants, pc) || !papi_vpmu_decode_copy(&instruction, pc, bytes, size))
		return;
	for (unsigned i = 0; i < PAPI_VPMU_FIRST_MODELLED; i++)
		if (papi_vpmu_is_wanted(&thread->wants, i))
			add(thread, i, instruction.class.counts[i]);
}
