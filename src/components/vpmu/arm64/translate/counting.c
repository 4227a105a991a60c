/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Additions to the counters. A block adds what it holds at one point, behind all branches that lead aside. No flag is
 * changed. A lone one is in x15, where it is added to, also before each branch backward; else x15 is free as
 * everywhere. Where there are several, two that are neighbours are added at once, with x17 besides:
 *
 *	ldr  x15, [x18, instructions]              ldp  x15, x17, [x18, instructions]
 *	add  x15, x15, #5                          add  x15, x15, #5
 *	str  x15, [x18, instructions]              add  x17, x17, #2
 *	                                           stp  x15, x17, [x18, instructions]
 *
 * And a profile, one of the way that was gone (ways.c), which comes last.
 *
 * Between the load and the store of exclusive accesses memory is left alone, if they are in one block.
 */
#include "components/vpmu/arm64/translate/translate.h"

#include <string.h>

/* Pairs, from which on it is worth a spilled register. */
#define PAIRS_WORTH_IT 2

bool papi_a64_is_counted(const struct papi_a64_translation *t, unsigned instruction)
{
	return !t->request.library && !t->decoded.alone && !t->decoded.trimmed[instruction] &&
		papi_vpmu_in_range(t->request.wants, papi_a64_pc_of(&t->decoded, instruction));
}

void papi_a64_add_up(
	const struct papi_a64_instruction *instruction, uint64_t wanted, uint64_t sums[PAPI_VPMU_FIRST_MODELLED])
{
	uint8_t counts[PAPI_VPMU_FIRST_MODELLED];

	papi_a64_classify(instruction, counts);
	for (uint64_t left = wanted; left; left &= left - 1)
		sums[__builtin_ctzll(left)] += counts[__builtin_ctzll(left)];
}

void papi_a64_sum(const struct papi_a64_translation *t, unsigned n, uint64_t sums[PAPI_VPMU_FIRST_MODELLED])
{
	memset(sums, 0, PAPI_VPMU_FIRST_MODELLED * sizeof(*sums));
	for (unsigned i = 0; i < n; i++)
		if (papi_a64_is_counted(t, i))
			papi_a64_add_up(&t->decoded.instructions[i], papi_vpmu_wanted(t->request.wants), sums);
}

/* ---- where ---- */

static unsigned first_behind_asides(const struct papi_a64_block *decoded)
{
	unsigned i = decoded->count - 1;

	while (i > 0 && !papi_a64_leads_aside(decoded, i - 1))
		i--;
	return i;
}

/* Whether an exclusive access has begun before that instruction, and not ended. */
static bool is_exclusive(const struct papi_a64_block *decoded, unsigned instruction)
{
	while (instruction-- > 0) {
		if (decoded->instructions[instruction].kind == PAPI_A64_STORE_EXCLUSIVE)
			return false;
		if (decoded->instructions[instruction].kind == PAPI_A64_LOAD_EXCLUSIVE)
			return true;
	}
	return false;
}

unsigned papi_a64_counting_point(const struct papi_a64_translation *t)
{
	const struct papi_a64_block *decoded = &t->decoded;
	unsigned first = first_behind_asides(decoded), point = first;

	while (point + 1 < decoded->count && is_exclusive(decoded, point))
		point++;
	return is_exclusive(decoded, point) ? first : point;
}

/* ---- how ---- */

static void add(struct papi_a64_translation *t, unsigned counter, uint64_t n)
{
	if (!t->lone)
		papi_a64_emit_load(&t->e, A64_BORROWED, papi_a64_counter(counter));
	papi_a64_emit_add(&t->e, A64_BORROWED, A64_BORROWED, (int32_t)n);
	if (!t->lone)
		papi_a64_emit_store(&t->e, A64_BORROWED, papi_a64_counter(counter));
}

static void add_pair(struct papi_a64_translation *t, unsigned counter, uint64_t n, uint64_t next)
{
	papi_a64_emit_load_pair(&t->e, A64_BORROWED, 17, papi_a64_counter(counter));
	papi_a64_emit_add(&t->e, A64_BORROWED, A64_BORROWED, (int32_t)n);
	papi_a64_emit_add(&t->e, 17, 17, (int32_t)next);
	papi_a64_emit_store_pair(&t->e, A64_BORROWED, 17, papi_a64_counter(counter));
}

static bool is_pair(const uint64_t *sums, unsigned counter)
{
	return counter + 1 < PAPI_VPMU_FIRST_MODELLED && sums[counter] && sums[counter + 1];
}

static unsigned count_pairs(const uint64_t *sums)
{
	unsigned pairs = 0;

	for (unsigned i = 0; i < PAPI_VPMU_FIRST_MODELLED; i++)
		if (is_pair(sums, i)) {
			pairs++;
			i++;
		}
	return pairs;
}

/* x17 is spilled. */
static void add_way(struct papi_a64_translation *t, unsigned way, uint64_t pc)
{
	papi_a64_add_one(t, way);
	t->added++;
	papi_a64_mark(t, pc);
}

/* And one more of the way, if there is one. */
static void add_sums(struct papi_a64_translation *t, const uint64_t *sums, unsigned way, uint64_t pc)
{
	bool pairs = count_pairs(sums) >= PAIRS_WORTH_IT;

	if (pairs || way)
		papi_a64_spill(t, 17, pc);
	for (unsigned i = 0; i < PAPI_VPMU_FIRST_MODELLED; i++) {
		if (!sums[i])
			continue;
		if (pairs && is_pair(sums, i)) {
			add_pair(t, i, sums[i], sums[i + 1]);
			t->added++;
			i++;
		} else {
			add(t, i, sums[i]);
		}
		t->added++;
		papi_a64_mark(t, pc);
	}
	if (way)
		add_way(t, way, pc);
	if (pairs || way)
		papi_a64_unspill(t, 17, pc);
}

/* The one event, of the instructions from those that are added already to the first n. */
static void add_rest(struct papi_a64_translation *t, unsigned n, uint64_t pc)
{
	uint64_t before[PAPI_VPMU_FIRST_MODELLED], all[PAPI_VPMU_FIRST_MODELLED];

	papi_a64_sum(t, t->added, before);
	papi_a64_sum(t, n, all);
	if (all[t->counter] > before[t->counter])
		add(t, t->counter, all[t->counter] - before[t->counter]);
	t->added = n;
	papi_a64_mark(t, pc);
}

void papi_a64_count(struct papi_a64_translation *t, uint64_t pc)
{
	if (t->one)
		add_rest(t, t->decoded.count, pc);
	else
		add_sums(t, t->sums, papi_a64_way_offset(t, PAPI_VPMU_WAY_PREFIX, t->decoded.count), pc);
}

void papi_a64_count_up_to(struct papi_a64_translation *t, unsigned branch)
{
	add_rest(t, branch + 1, papi_a64_pc_of(&t->decoded, branch));
}

void papi_a64_count_taken(struct papi_a64_translation *t, uint64_t target)
{
	unsigned way = papi_a64_way_offset(t, PAPI_VPMU_WAY_TAKEN, t->decoded.count), added = t->added;

	if (way) {
		papi_a64_spill(t, 17, target);
		papi_a64_add_one(t, way);
		t->added |= PAPI_VPMU_ADDED_WAY;
		papi_a64_mark(t, target);
		papi_a64_unspill(t, 17, target);
	}
	if (papi_vpmu_is_wanted(t->request.wants, PAPI_VPMU_BRANCHES_TAKEN))
		add(t, PAPI_VPMU_BRANCHES_TAKEN, 1);
	t->added = added;
	papi_a64_mark_as(t, target, PAPI_VPMU_MARK_BRANCH);
}

void papi_a64_count_aside(struct papi_a64_translation *t, unsigned branch)
{
	uint64_t sums[PAPI_VPMU_FIRST_MODELLED], behind = papi_a64_pc_of(&t->decoded, branch + 1);

	if (t->one) {
		add_rest(t, branch + 1, behind);
	} else {
		papi_a64_sum(t, branch + 1, sums);
		add_sums(t, sums, papi_a64_way_offset(t, PAPI_VPMU_WAY_ASIDE, branch + 1), behind);
	}
	if (papi_a64_is_counted(t, branch) && papi_vpmu_is_wanted(t->request.wants, PAPI_VPMU_BRANCHES_TAKEN)) {
		add(t, PAPI_VPMU_BRANCHES_TAKEN, 1);
		papi_a64_mark_as(t, behind, PAPI_VPMU_MARK_ASIDE);
	}
}
