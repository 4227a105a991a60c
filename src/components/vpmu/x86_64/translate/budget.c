/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where events overflow, blocks ask before they run whether the thread may go on: it has a budget of events within
 * which no overflow can happen, and a block has a weight, the most that it can bring any of them nearer. Of what
 * simulators count that is a bound: each access may miss, each line and page of code too, and each branch may be
 * predicted wrong.
 *
 *	entry   sub  gs:[budget], weight of the block
 *	        js   spent                          spent: to the dispatcher (overflow.c), which gives the thread a new
 *	        ...                                        budget, or lets it run a single instruction
 */
#include "components/vpmu/models/frames.h"
#include "components/vpmu/models/trace.h"
#include "components/vpmu/x86_64/translate/translate.h"

/* Where no bound is known: such a block is run only if no overflow is anywhere near. */
#define UNKNOWN INT32_MAX

bool papi_vpmu_weighs_memory(const struct papi_vpmu_wants *wants)
{
	bool weighs = wants->weights[PAPI_VPMU_LOADS] || wants->weights[PAPI_VPMU_STORES];

	for (unsigned i = PAPI_VPMU_L1D_READ_MISSES; i <= PAPI_VPMU_DTLB_WRITE_WALKS; i++)
		weighs |= wants->weights[i] != 0;
	return wants->overflow && weighs;
}

static unsigned weight_of(const struct papi_vpmu_translation *t, enum papi_vpmu_counter counter)
{
	return t->request.wants->weights[counter];
}

/* What the instructions are, and which way the branch may go. */
static uint64_t weigh_exact(const struct papi_vpmu_translation *t)
{
	const struct papi_vpmu_decoded *decoded = &t->decoded;
	const struct papi_vpmu_instruction *last = &decoded->instructions[decoded->count - 1];
	uint64_t weight = 0;

	for (unsigned i = 0; i < decoded->count; i++)
		for (unsigned j = 0; decoded->instructions[i].counted && j < PAPI_VPMU_FIRST_MODELLED; j++)
			weight += (uint64_t)decoded->instructions[i].class.counts[j] * weight_of(t, j);
	if (last->counted && (last->kind == PAPI_VPMU_CONDITIONAL || last->kind == PAPI_VPMU_LOOP))
		weight += weight_of(t, PAPI_VPMU_BRANCHES_TAKEN);
	return weight;
}

/* The weight of an access that misses everything: each level once, but a TLB for each page that it may touch; each
 * element of a gather. */
static uint64_t weigh_access(const struct papi_vpmu_translation *t, const struct papi_vpmu_access *access)
{
	unsigned kind = access->is_write; /* write counters follow those of reads */
	uint64_t pages = 1 + (access->extent + ((1u << PAPI_VPMU_PAGE_SHIFT) - 1)) / (1u << PAPI_VPMU_PAGE_SHIFT),
		 n = 1;

	if (access->form == PAPI_VPMU_FORM_GATHER) {
		n = papi_vpmu_gather_lanes(access->extent);
		pages = 2 * n;
	}
	if (access->kind == PAPI_VPMU_PREFETCH)
		return weight_of(t, PAPI_VPMU_PREFETCH_MISSES);
	return n * weight_of(t, PAPI_VPMU_L1D_READ_MISSES + kind) + n * weight_of(t, PAPI_VPMU_L2D_READ_MISSES + kind) +
		n * weight_of(t, PAPI_VPMU_L3D_READ_MISSES + kind) +
		pages * weight_of(t, PAPI_VPMU_DTLB_READ_MISSES + kind) +
		pages * weight_of(t, PAPI_VPMU_DTLB_READ_WALKS + kind);
}

static uint64_t weigh_accesses(const struct papi_vpmu_translation *t)
{
	const struct papi_vpmu_access *access = t->plan.accesses;
	uint64_t weight = 0;

	for (const struct papi_vpmu_access *end = access + t->plan.description.accesses; access < end; access++)
		if (!access->spanned)
			weight += weigh_access(t, access);
	return weight;
}

static uint64_t weigh_fetches(const struct papi_vpmu_translation *t, const struct papi_vpmu_description *block)
{
	unsigned shift = t->request.line_shift;
	uint64_t last = block->next - 1, lines = (last >> shift) - (block->pc >> shift) + 1;
	uint64_t pages = (last >> PAPI_VPMU_PAGE_SHIFT) - (block->pc >> PAPI_VPMU_PAGE_SHIFT) + 1;

	return lines *
		(weight_of(t, PAPI_VPMU_L1I_MISSES) + weight_of(t, PAPI_VPMU_L2I_MISSES) +
			weight_of(t, PAPI_VPMU_L3I_MISSES)) +
		pages * (weight_of(t, PAPI_VPMU_ITLB_MISSES) + weight_of(t, PAPI_VPMU_ITLB_WALKS));
}

static uint64_t weigh_prediction(const struct papi_vpmu_translation *t, enum papi_vpmu_ending end)
{
	switch (end) {
	case PAPI_VPMU_ENDS_INDIRECT_CALL:
	case PAPI_VPMU_ENDS_INDIRECT_JUMP:
		return weight_of(t, PAPI_VPMU_INDIRECT_MISPREDICTED);
	case PAPI_VPMU_ENDS_RETURN:
		return weight_of(t, PAPI_VPMU_RETURNS_MISPREDICTED);
	default:
		return (uint64_t)t->plan.n_branches * weight_of(t, PAPI_VPMU_CONDITIONAL_MISPREDICTED);
	}
}

/* What runs natively, alone, and string instructions. */
static bool is_unbounded(const struct papi_vpmu_translation *t)
{
	const struct papi_vpmu_instruction *first = &t->decoded.instructions[0];

	return first->kind == PAPI_VPMU_STEP ||
		((first->class.loads_each || first->class.stores_each) && papi_vpmu_weighs_memory(t->request.wants));
}

static int32_t bounded(uint64_t weight)
{
	return weight < UNKNOWN ? (int32_t)weight : UNKNOWN;
}

void papi_vpmu_weigh(struct papi_vpmu_translation *t)
{
	const struct papi_vpmu_description *description = &t->plan.description;
	uint64_t least = weigh_exact(t), misses = 0;

	if (t->modelled && description->counted) {
		least += weigh_prediction(t, description->end);
		misses = weigh_accesses(t) + weigh_fetches(t, description);
	}
	t->block.weight = is_unbounded(t) ? UNKNOWN : bounded(least + misses);
	t->block.least_weight = is_unbounded(t) ? UNKNOWN : bounded(least);
}

static bool flags_unused_at_start(const struct papi_vpmu_decoded *decoded)
{
	unsigned needed = PAPI_VPMU_ARITHMETIC_FLAGS;

	for (unsigned i = 0; i < decoded->count && needed; i++) {
		if (decoded->instructions[i].flags_read & needed)
			return false;
		needed &= ~decoded->instructions[i].flags_set;
	}
	return !needed;
}

static uint8_t *spend(struct papi_vpmu_translation *t)
{
	papi_vpmu_emit_add_flags(&t->e, VPMU_BUDGET, -t->block.weight);
	return papi_vpmu_emit_jump_if(&t->e, PAPI_VPMU_IF_SIGN);
}

static void leave(struct papi_vpmu_translation *t)
{
	papi_vpmu_exit(&t->e, papi_vpmu_new_link(t, t->pc, NULL, PAPI_VPMU_LINK_BUDGET));
}

static void give_flags_back(struct papi_vpmu_translation *t)
{
	papi_vpmu_emit_flags_restore(&t->e);
	papi_vpmu_mark_as(t, t->pc, PAPI_VPMU_MARK_AT);
	papi_vpmu_unspill(t, RAX, t->pc);
}

void papi_vpmu_spend_budget(struct papi_vpmu_translation *t)
{
	uint8_t *spent, *enough;

	if (flags_unused_at_start(&t->decoded)) {
		spent = spend(t);
		enough = papi_vpmu_emit_jump(&t->e, 0);
		papi_vpmu_emit_land_32(&t->e, spent);
		leave(t);
		papi_vpmu_emit_land_32(&t->e, enough);
		return;
	}
	papi_vpmu_spill(t, RAX, t->pc);
	papi_vpmu_emit_flags_save(&t->e);
	papi_vpmu_mark_as(t, t->pc, PAPI_VPMU_MARK_FLAGS);
	spent = spend(t);
	give_flags_back(t);
	enough = papi_vpmu_emit_jump(&t->e, 0);
	papi_vpmu_emit_land_32(&t->e, spent);
	t->spilled = 1u << RAX;
	papi_vpmu_mark_as(t, t->pc, PAPI_VPMU_MARK_FLAGS);
	give_flags_back(t);
	leave(t);
	papi_vpmu_emit_land_32(&t->e, enough);
}
