/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From records to counts. This is where a simulating program spends most of its time: data.h and loop.h have what is
 * usual, here are the accesses that are not, code, branches, and what goes from record to record.
 *
 * tests/vpmu/reference_model.c says what is counted, in the plainest way. To count the same with less work, three
 * layers remember what would change nothing if it were done again:
 *
 *	record -- the same block again, which goes round? -- yes -- loop.h: its accesses in the pages of the last run
 *	   |
 *	   no -- code: is_ready()     lines that are the newest of their sets, in the page of the last fetch: nothing
 *	   |                          changes; or lines and a page that are there: they become the newest
 *	   |
 *	   data: data.h               lines that are the newest of their sets, in recent pages
 *
 * A block whose code misses goes the long way (run_fetching): what misses goes to levels that data sees too, so that
 * fetches and accesses are to come in their order.
 */
#include "components/vpmu/models/alone.h"
#include "components/vpmu/models/data.h"
#include "components/vpmu/models/ends.h"
#include "components/vpmu/models/fetch.h"
#include "components/vpmu/models/gather.h"
#include "components/vpmu/models/in_order.h"
#include "components/vpmu/models/loop.h"
#include "components/vpmu/models/sampled.h"

static void touch_plain(struct papi_vpmu_models *models, uint64_t counters[], const uint64_t *record,
	const struct papi_vpmu_access *access)
{
	papi_vpmu_touch(models, counters, record, access, models->l1d.shift);
}

static void touch_special(struct papi_vpmu_models *models, uint64_t counters[], const struct papi_vpmu_access *access,
	const uint64_t *record);

static const struct papi_vpmu_touching full = { papi_vpmu_fetch_line, touch_plain, touch_special,
	papi_vpmu_touch_settled, papi_vpmu_prefetch, papi_vpmu_touch_gather };

static __attribute__((noinline)) void touch_special(struct papi_vpmu_models *models, uint64_t counters[],
	const struct papi_vpmu_access *access, const uint64_t *record)
{
	papi_vpmu_touch_special(&full, models, counters, access, record);
}

static __attribute__((noinline)) void run_fetching(struct papi_vpmu_models *models, uint64_t counters[],
	const struct papi_vpmu_description *block, const uint64_t *record)
{
	papi_vpmu_run_in_order(&full, models, counters, block, record);
}

static inline __attribute__((always_inline)) void touch_all(struct papi_vpmu_models *models, uint64_t counters[],
	const struct papi_vpmu_description *block, const uint64_t *record, unsigned shift)
{
	const struct papi_vpmu_access *access = papi_vpmu_described_accesses(block), *end = access + block->accesses;

	for (; access < end; access += 1 + access->spanned)
		papi_vpmu_touch(models, counters, record, access, shift);
}

/*
 * A block that goes the quick way. Which block comes next is what the processor has to guess: so there is one jump that
 * depends on it, to code that is for an end and a number of accesses alone.
 */
static inline __attribute__((always_inline)) void run_usual(struct papi_vpmu_models *models, uint64_t counters[],
	const struct papi_vpmu_description *block, const uint64_t *record, unsigned shift)
{
#define BEHIND(end, touches) ((end) * (PAPI_VPMU_TOUCHES_OFTEN + 1u) + (touches))
#define RUN_BEHIND(end)                                                                                \
	case BEHIND(end, PAPI_VPMU_TOUCHES_NOTHING):                                                   \
		papi_vpmu_end(models, counters, block, record, end);                                   \
		break;                                                                                 \
	case BEHIND(end, PAPI_VPMU_TOUCHES_ONCE):                                                      \
		papi_vpmu_end(models, counters, block, record, end);                                   \
		papi_vpmu_touch(models, counters, record, papi_vpmu_described_accesses(block), shift); \
		break;                                                                                 \
	case BEHIND(end, PAPI_VPMU_TOUCHES_OFTEN):                                                     \
		papi_vpmu_end(models, counters, block, record, end);                                   \
		touch_all(models, counters, block, record, shift);                                     \
		break;

	switch (BEHIND(block->end, block->touches)) {
		RUN_BEHIND(PAPI_VPMU_ENDS_ANYHOW)
		RUN_BEHIND(PAPI_VPMU_ENDS_CALL)
		RUN_BEHIND(PAPI_VPMU_ENDS_INDIRECT_JUMP)
		RUN_BEHIND(PAPI_VPMU_ENDS_INDIRECT_CALL)
		RUN_BEHIND(PAPI_VPMU_ENDS_RETURN)
	}
#undef RUN_BEHIND
#undef BEHIND
}

/* Where nothing is usual: lines of code have no newest, or data is counted by its address. */
static void simulate_slowly(struct papi_vpmu_models *models, uint64_t counters[], const uint64_t *record,
	const uint64_t *end, const unsigned char *arena)
{
	bool predicts = models->parts & PAPI_VPMU_PART_BRANCHES;

	while (record < end) {
		const struct papi_vpmu_description *block = (const void *)(arena + *record);
		uint64_t *counted = block->counted ? counters : models->uncounted;

		if (predicts)
			papi_vpmu_tell_branches(models, block);
		run_fetching(models, counted, block, record);
		if (predicts)
			papi_vpmu_end_any(models, counted, block, record);
		record += block->words;
	}
}

/* Only calls, returns and indirect branches have records. */
static void simulate_ends(struct papi_vpmu_models *models, uint64_t counters[], const uint64_t *record,
	const uint64_t *end, const unsigned char *arena)
{
	while (record < end) {
		const struct papi_vpmu_description *block = (const void *)(arena + *record);

		papi_vpmu_end_any(models, block->counted ? counters : models->uncounted, block, record);
		record += block->words;
	}
}

/* With those parts alone. */
static inline __attribute__((always_inline)) void run_any(struct papi_vpmu_models *models, uint64_t counters[],
	const struct papi_vpmu_description *block, const uint64_t *record, unsigned shift, unsigned parts)
{
	bool predicts = parts & PAPI_VPMU_PART_BRANCHES;
	uint64_t *counted = counters;

	if (parts & PAPI_VPMU_PART_CODE ? papi_vpmu_is_ready(models, block) : block->usual) {
		if (predicts)
			run_usual(models, counters, block, record, shift);
		else
			touch_all(models, counters, block, record, shift);
		return;
	}
	if (!block->counted)
		counted = models->uncounted;
	run_fetching(models, counted, block, record);
	if (predicts)
		papi_vpmu_end_any(models, counted, block, record);
}

static inline __attribute__((always_inline)) void simulate(struct papi_vpmu_models *models, uint64_t counters[],
	const uint64_t *record, const uint64_t *end, const unsigned char *arena, unsigned shift, unsigned parts)
{
	uint64_t description = ~0ull;
	const uint64_t *next;

	while (record < end) {
		const struct papi_vpmu_description *block = (const void *)(arena + *record);

		if (*record == description && papi_vpmu_repeatable(models, block)) {
			record = papi_vpmu_repeat(models, counters, block, record, end, shift);
			continue;
		}
		description = *record;
		if (parts & PAPI_VPMU_PART_BRANCHES)
			papi_vpmu_tell_branches(models, block);
		next = record + block->words;
		if (next < end)
			__builtin_prefetch(arena + *next);
		run_any(models, counters, block, record, shift, parts);
		record = next;
	}
}

/* Lines of nearly all machines have 64 bytes, and shifting by what is known is faster; and so is a loop that has only
 * what the parts need that run. */
#define SIMULATE(parts)                                                                                              \
	static __attribute__((noinline)) void simulate_##parts(struct papi_vpmu_models *models, uint64_t counters[], \
		const uint64_t *record, const uint64_t *end, const unsigned char *arena)                             \
	{                                                                                                            \
		simulate(models, counters, record, end, arena, 6, parts);                                            \
	}
SIMULATE(2)
SIMULATE(3)
SIMULATE(4)
SIMULATE(5)
SIMULATE(6)
SIMULATE(7)
#undef SIMULATE

static void simulate_quickly(struct papi_vpmu_models *models, uint64_t counters[], const uint64_t *record,
	const uint64_t *end, const unsigned char *arena)
{
	static void (*const simulators[])(struct papi_vpmu_models *, uint64_t[], const uint64_t *, const uint64_t *,
		const unsigned char *) = { NULL, NULL, simulate_2, simulate_3, simulate_4, simulate_5, simulate_6,
		simulate_7 };

	if (models->l1d.shift != 6)
		simulate(models, counters, record, end, arena, models->l1d.shift, models->parts);
	else
		simulators[models->parts & (PAPI_VPMU_PARTS - PAPI_VPMU_PART_PAGES)](
			models, counters, record, end, arena);
}

static void simulate_all(struct papi_vpmu_models *models, uint64_t counters[], const uint64_t *start,
	const uint64_t *end, const unsigned char *arena)
{
	if (models->sampled)
		papi_vpmu_sampled_run(models, counters, start, end, arena);
	else if (models->is_alone)
		papi_vpmu_alone_run(models, counters, start, end, arena);
	else if ((models->parts & PAPI_VPMU_PART_CODE && !models->l1i.mask) || models->data_end ||
		models->counts_accesses)
		simulate_slowly(models, counters, start, end, arena);
	else
		simulate_quickly(models, counters, start, end, arena);
}

/* But for the last one, if its outcome is still to be told. */
static void predict_told(struct papi_vpmu_models *models, uint64_t counters[])
{
	uint32_t *end = models->told - (models->behind != 0), last = *end;

	papi_vpmu_simulate_branches(models, counters, models->branches, end);
	models->branches[0] = last;
	models->told = models->branches + (models->behind != 0);
}

void papi_vpmu_simulate(struct papi_vpmu_models *models, uint64_t counters[], const uint64_t *start,
	const uint64_t *end, const unsigned char *arena)
{
	if (models->parts == PAPI_VPMU_PART_BRANCHES || models->is_checked) {
		simulate_ends(models, counters, start, end, arena);
		return;
	}
	simulate_all(models, counters, start, end, arena);
	predict_told(models, counters);
}

void papi_vpmu_simulate_arrival(struct papi_vpmu_models *models, uint64_t counters[], uint64_t pc)
{
	papi_vpmu_tell_outcome(models, pc);
	models->behind = 0;
	predict_told(models, counters);
}

void papi_vpmu_simulate_branches(
	struct papi_vpmu_models *models, uint64_t counters[], const uint32_t *branch, const uint32_t *end)
{
	counters[PAPI_VPMU_CONDITIONAL_MISPREDICTED] += papi_vpmu_predict_conditionals(&models->predictor, branch, end);
}
