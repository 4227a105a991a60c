/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/models/attribute.h"

#include "components/vpmu/models/ends.h"
#include "components/vpmu/models/fetch.h"
#include "components/vpmu/models/gather.h"
#include "components/vpmu/models/in_order.h"

/* What stays the same from record to record. */
struct run {
	struct papi_vpmu_models *models;
	struct papi_vpmu_attribution *attribution;
	uint64_t *counters; /* of the thread */
	uint64_t first;     /* what papi_vpmu_first_level() was when all had been told */
};

/* A record: counted is where its counts go. */
struct piece {
	const struct papi_vpmu_description *block;
	const struct papi_vpmu_origins *origins;
	const uint64_t *record;
	uint64_t *counted;
};

/* ---- whose it is ---- */

static struct papi_vpmu_origin origin_of(const struct papi_vpmu_origins *origins, unsigned i)
{
	unsigned instruction = origins->instructions[i];

	return (struct papi_vpmu_origin){
		instruction & PAPI_VPMU_ORIGIN_FOLLOWS ? origins->following : origins->block,
		instruction & ~PAPI_VPMU_ORIGIN_FOLLOWS,
	};
}

static unsigned origin_of_line(const struct papi_vpmu_description *block, unsigned line)
{
	return (unsigned)block->accesses + line;
}

static unsigned origin_of_branch(const struct papi_vpmu_description *block, unsigned branch)
{
	return origin_of_line(block, (unsigned)block->n_lines + block->n_other_lines) + branch;
}

static __attribute__((noinline)) void tell(
	struct papi_vpmu_attribution *attribution, const uint64_t counters[], struct papi_vpmu_origin origin)
{
	for (unsigned i = PAPI_VPMU_FIRST_MODELLED; i <= PAPI_VPMU_LAST_MODELLED; i++) {
		uint64_t more = counters[i] - attribution->told[i];

		if (more)
			attribution->add(attribution, origin, i, more);
		attribution->told[i] = counters[i];
	}
}

/* Nothing of what is behind grows unless one of these does. */
static inline uint64_t first_level(const uint64_t counters[])
{
	return counters[PAPI_VPMU_L1I_MISSES] + counters[PAPI_VPMU_L1D_READ_MISSES] +
		counters[PAPI_VPMU_L1D_WRITE_MISSES] + counters[PAPI_VPMU_DTLB_READ_MISSES] +
		counters[PAPI_VPMU_DTLB_WRITE_MISSES] + counters[PAPI_VPMU_ITLB_MISSES] +
		counters[PAPI_VPMU_PREFETCH_MISSES];
}

/* Whatever has come since the last time is of that instruction. */
static inline void settle(struct run *run, const struct papi_vpmu_origins *origins, unsigned i)
{
	uint64_t first = first_level(run->counters);

	if (__builtin_expect(first == run->first, 1))
		return;
	tell(run->attribution, run->counters, origin_of(origins, i));
	run->first = first;
}

/* ---- accesses ---- */

static const struct papi_vpmu_touching special = {
	.settled = papi_vpmu_touch_settled,
	.prefetch = papi_vpmu_prefetch,
	.gather = papi_vpmu_touch_gather,
};

static __attribute__((noinline)) void touch_special(struct papi_vpmu_models *models, uint64_t counters[],
	const struct papi_vpmu_access *access, const uint64_t *record)
{
	papi_vpmu_touch_special(&special, models, counters, access, record);
}

static inline bool is_in_one_line(
	const struct papi_vpmu_models *models, const struct papi_vpmu_access *access, const uint64_t *record)
{
	uint64_t address = papi_vpmu_settle(models, papi_vpmu_address_of(access, record));

	return (address ^ (address + access->extent)) >> models->l1d.shift == 0;
}

static void fetch_until(struct run *run, const struct piece *piece, unsigned *fetched, unsigned end)
{
	for (; *fetched < end; ++*fetched) {
		papi_vpmu_fetch_line(run->models, piece->counted, papi_vpmu_line_of(piece->block, *fetched));
		settle(run, piece->origins, origin_of_line(piece->block, *fetched));
	}
}

/* As papi_vpmu_run_in_order(). What spans others goes one by one where each could miss. */
static void run_accesses(struct run *run, const struct piece *piece, bool fetches)
{
	struct papi_vpmu_models *models = run->models;
	const struct papi_vpmu_access *first = papi_vpmu_described_accesses(piece->block), *access = first,
				      *end = access + piece->block->accesses;
	bool plain = piece->block->plain && !models->data_end && !models->counts_accesses;
	unsigned lines = piece->block->n_lines + piece->block->n_other_lines, fetched = fetches ? 0 : lines;

	while (access < end) {
		bool waits = fetched < lines && access->line >= fetched;

		if (access->spanned && (!plain || waits || !is_in_one_line(models, access, piece->record))) {
			access++;
			continue;
		}
		if (waits)
			fetch_until(run, piece, &fetched, access->line + 1u);
		if (plain)
			papi_vpmu_touch(models, piece->counted, piece->record, access, models->l1d.shift);
		else
			touch_special(models, piece->counted, access, piece->record);
		settle(run, piece->origins, (unsigned)(access - first));
		access += 1 + access->spanned;
	}
	fetch_until(run, piece, &fetched, lines);
}

/* ---- branches ---- */

/* The branches of the block, NULL: of none, and before them one that was pending; the last one is then, if its outcome
 * is still to be told. Which of them are predicted wrong is known one by one only. */
static void predict(struct papi_vpmu_models *models, struct papi_vpmu_attribution *attribution, uint64_t counters[],
	const struct papi_vpmu_description *block, bool pending)
{
	uint32_t *end = models->told - (models->behind != 0), last = *end;
	unsigned n = 0;

	for (uint32_t *branch = models->branches; branch < end; branch++, pending = false) {
		struct papi_vpmu_origin origin = attribution->pending;

		if (!pending)
			origin = origin_of(papi_vpmu_described_origins(block), origin_of_branch(block, n++));
		if (!papi_vpmu_predict_conditionals(&models->predictor, branch, branch + 1))
			continue;
		counters[PAPI_VPMU_CONDITIONAL_MISPREDICTED]++;
		tell(attribution, counters, origin);
	}
	if (models->behind)
		attribution->pending = origin_of(
			papi_vpmu_described_origins(block), origin_of_branch(block, block->branches - 1u));
	models->branches[0] = last;
	models->told = models->branches + (models->behind != 0);
}

static void run_end(struct run *run, const struct piece *piece)
{
	const uint64_t *counters = run->counters;
	uint64_t before = counters[PAPI_VPMU_INDIRECT_MISPREDICTED] + counters[PAPI_VPMU_RETURNS_MISPREDICTED];

	papi_vpmu_end_any(run->models, piece->counted, piece->block, piece->record);
	if (counters[PAPI_VPMU_INDIRECT_MISPREDICTED] + counters[PAPI_VPMU_RETURNS_MISPREDICTED] != before)
		tell(run->attribution, counters,
			origin_of(piece->origins, origin_of_branch(piece->block, piece->block->branches)));
}

/* ---- records ---- */

static void run_record(struct run *run, const struct piece *piece)
{
	struct papi_vpmu_models *models = run->models;
	bool predicts = models->parts & PAPI_VPMU_PART_BRANCHES, fetches = models->parts & PAPI_VPMU_PART_CODE,
	     pending = models->behind != 0;

	if (predicts) {
		papi_vpmu_tell_branches(models, piece->block);
		predict(models, run->attribution, run->counters, piece->block, pending);
	}
	if (fetches && models->l1i.mask && papi_vpmu_is_ready(models, piece->block))
		fetches = false;
	run_accesses(run, piece, fetches);
	if (predicts)
		run_end(run, piece);
}

/* Who has changed the counters meanwhile, as the child of a fork does, has told of it. */
static void begin(struct papi_vpmu_attribution *attribution, const uint64_t counters[])
{
	for (unsigned i = PAPI_VPMU_FIRST_MODELLED; i <= PAPI_VPMU_LAST_MODELLED; i++)
		attribution->told[i] = counters[i];
}

void papi_vpmu_simulate_attributed(struct papi_vpmu_models *models, struct papi_vpmu_attribution *attribution,
	uint64_t counters[], const uint64_t *start, const uint64_t *end, const unsigned char *arena)
{
	struct run run = { models, attribution, counters, first_level(counters) };

	begin(attribution, counters);
	for (const uint64_t *record = start; record < end;) {
		const struct papi_vpmu_description *block = (const void *)(arena + *record);
		struct piece piece = { block, papi_vpmu_described_origins(block), record,
			block->counted ? counters : models->uncounted };

		run_record(&run, &piece);
		record += block->words;
	}
}

void papi_vpmu_simulate_attributed_arrival(
	struct papi_vpmu_models *models, struct papi_vpmu_attribution *attribution, uint64_t counters[], uint64_t pc)
{
	bool pending = models->behind != 0;

	begin(attribution, counters);
	papi_vpmu_tell_outcome(models, pc);
	models->behind = 0;
	predict(models, attribution, counters, NULL, pending);
}
