/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The simulators against the reference model, on random programs: blocks with instructions, accesses and branches, in
 * loops and in any order, with strides, random addresses and chains of pointers, on caches and TLBs of many shapes. The
 * simulators get descriptions and records as the translator makes them, the reference model what happens, one by one.
 * Where only some parts of the simulators run, they get no more than those need, and the events of these are the same.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "components/vpmu/models/models.h"
#include "components/vpmu/names.h"
#include "components/vpmu/sampling.h"
#include "random_program.h"
#include "reference_model.h"

#define ARENA  ((size_t)192 << 10)
#define TRACES 3000

static void *change_memory(void *memory, size_t old, size_t new)
{
	void *changed = new ? aligned_alloc(64, (new + 63) & ~(size_t)63) : NULL;

	if (changed) {
		memset(changed, 0, new);
		memcpy(changed, memory ? memory : changed, old < new ? old : new);
	}
	free(memory);
	return changed;
}
static uint64_t place_code(uint64_t pc)
{
	return is_uncounted(pc) ? 0 : numbered(pc);
}

static bool can_read(uint64_t address)
{
	return address / PAGE % 5 != 3;
}

/* ---- where it happens ---- */

static void add(
	struct papi_vpmu_attribution *attribution, struct papi_vpmu_origin origin, unsigned counter, uint64_t more)
{
	struct trace *trace = (void *)((char *)attribution - offsetof(struct trace, attribution));

	assert_in_range(origin.block, 1, BLOCKS + 1);
	assert_in_range(origin.instruction, 1, INSTRUCTIONS);
	trace->found[origin.block - 1][origin.instruction - 1][counter] += more;
}

/* What the reference model has counted since the last time was at that instruction. */
static void note(struct trace *trace, const struct block *block, unsigned instruction)
{
	uint64_t *expected = trace->expected[block - trace->blocks][instruction];

	for (unsigned i = PAPI_VPMU_FIRST_MODELLED; i <= PAPI_VPMU_LAST_MODELLED; i++) {
		expected[i] += trace->plain->counters[i] - trace->noted[i];
		trace->noted[i] = trace->plain->counters[i];
	}
}

static void same_places(const struct trace *trace, uint64_t seed)
{
	for (unsigned block = 0; block <= BLOCKS; block++)
		for (unsigned instruction = 0; instruction < INSTRUCTIONS; instruction++)
			for (unsigned i = PAPI_VPMU_FIRST_MODELLED; i <= PAPI_VPMU_LAST_MODELLED; i++)
				if (trace->found[block][instruction][i] != trace->expected[block][instruction][i])
					fail_msg("trace %llu: counter %u at instruction %u of block %u is %llu, and "
						 "%llu in the reference model",
						(unsigned long long)seed, i, instruction, block,
						(unsigned long long)trace->found[block][instruction][i],
						(unsigned long long)trace->expected[block][instruction][i]);
}

/* ---- what happens ---- */

static void fetch(struct trace *trace, uint64_t pc, unsigned size)
{
	unsigned here = (unsigned)(PAGE - pc % PAGE);

	reference_fetch(trace->plain, numbered(pc), size < here ? size : here);
	if (size > here)
		reference_fetch(trace->plain, numbered(pc + here), size - here);
}

static void access_string(struct trace *trace, const struct access *access, const uint64_t *values)
{
	uint64_t address = values[WORDS], end = values[WORDS + 1],
		 step = end > address ? access->size : -(uint64_t)access->size;

	for (; address != end; address += step)
		reference_access(trace->plain, &address, 1, access->size, access->kind);
}

static void access_gather(struct trace *trace, const struct access *access, const uint64_t *values)
{
	const uint64_t *own = values + WORDS + 2;
	uint64_t addresses[8];
	unsigned n = 0;

	for (unsigned lane = 0; lane < 8; lane++)
		if (own[9] >> lane & 1)
			addresses[n++] = own[0] + 2 * own[1 + lane] + (uint64_t)access->displacement;
	reference_access(trace->plain, addresses, n, access->size, access->kind);
}

static uint64_t active_address(const struct access *access, const uint64_t *own, unsigned element)
{
	const struct papi_vpmu_active *active = &access->active;
	uint64_t address = own[0] + (uint64_t)access->displacement, index = 0;

	if (!(active->how & PAPI_VPMU_ACTIVE_INDEXED))
		return active->how & PAPI_VPMU_ACTIVE_ANY ? address : address + (uint64_t)element * access->size;
	memcpy(&index, (const char *)&own[2] + ((size_t)element << active->stride),
		active->how & PAPI_VPMU_ACTIVE_WIDE ? 8 : 4);
	if (!(active->how & PAPI_VPMU_ACTIVE_WIDE) && active->how & PAPI_VPMU_ACTIVE_SIGNED)
		index = (uint64_t)(int64_t)(int32_t)index;
	return address + (index << (active->how & 3));
}

/* Elements in a row are one piece; where it stops, none comes any more. */
static void access_active(struct trace *trace, const struct access *access, const uint64_t *values)
{
	const uint64_t *own = values + WORDS + 2 + 10;
	unsigned sizes[64], n = 0, how = access->active.how, left = how & PAPI_VPMU_ACTIVE_ANY ? 1 : 64, before = 64;
	uint64_t addresses[64];

	for (unsigned i = 0; i < 64u >> access->active.stride && left; i++) {
		uint64_t address = active_address(access, own, i);

		if (!(own[1] >> (i << access->active.stride) & 1))
			continue;
		if (how & PAPI_VPMU_ACTIVE_STOPS && !(can_read(address) && can_read(address + access->size - 1)))
			break;
		if (access->prefetches)
			reference_prefetch(trace->plain, address, access->size);
		if (n && before + 1 == i && !(how & PAPI_VPMU_ACTIVE_INDEXED)) {
			sizes[n - 1] += access->size;
		} else {
			addresses[n] = address;
			sizes[n++] = access->size;
		}
		before = i;
		left--;
	}
	if (!access->prefetches)
		reference_access_of(trace->plain, addresses, sizes, n, access->kind);
}

static void access_one(struct trace *trace, const struct access *access, const uint64_t *values)
{
	uint64_t address = (access->sort == CONSTANT ? 0 : values[access->word]) + (uint64_t)access->displacement;

	if (access->sort == THREAD_LOCAL)
		address += trace->models->thread_base;
	if (access->sort == PREFETCH)
		reference_prefetch(trace->plain, address, access->size);
	else if (access->sort == STRING)
		access_string(trace, access, values);
	else if (access->sort == GATHER)
		access_gather(trace, access, values);
	else if (access->sort == ACTIVE)
		access_active(trace, access, values);
	else
		reference_access(trace->plain, &address, 1, access->size, access->kind);
}

static void branch(struct trace *trace, const struct block *block, uint64_t pc, bool taken)
{
	if (trace->parts == PAPI_VPMU_PART_BRANCHES)
		trace->branches[trace->n_branches++] = (uint16_t)pc | (taken ? PAPI_VPMU_BRANCH_TAKEN : 0) |
			(block->counted ? 0 : PAPI_VPMU_BRANCH_UNCOUNTED);
	reference_conditional(trace->plain, pc, taken);
}

static void run_instructions(struct trace *trace, const struct block *block, const uint64_t *values)
{
	uint64_t pc = block->pc;
	unsigned next = 0;

	for (unsigned i = 0; i < block->instructions; pc += block->sizes[i++]) {
		if (block->passes[i]) {
			branch(trace, block, numbered(pc - 1), block->takes[i]);
			note(trace, block, i - 1);
		}
		fetch(trace, pc, block->sizes[i]);
		for (; next < block->n_accesses && block->accesses[next].instruction == i; next++)
			access_one(trace, &block->accesses[next], values);
		note(trace, block, i);
	}
}

/* The branch at the end of a block, and of what it calls. */
static void branch_to(struct trace *trace, const struct block *block, uint64_t target)
{
	const struct papi_vpmu_description *from = block->description;
	const struct block *last = block->called ? block->called : block;

	switch (from->end) {
	case PAPI_VPMU_ENDS_CALL:
		reference_call(trace->plain, from->next);
		break;
	case PAPI_VPMU_ENDS_RETURN:
		reference_return(trace->plain, target);
		break;
	case PAPI_VPMU_ENDS_INDIRECT_CALL:
	case PAPI_VPMU_ENDS_INDIRECT_JUMP:
		if (is_uncounted(target))
			break;
		reference_indirect(trace->plain, from->branch, target, numbered(target));
		if (from->end == PAPI_VPMU_ENDS_INDIRECT_CALL && target != from->next)
			reference_call(trace->plain, from->next);
		break;
	default:
		break;
	}
	note(trace, block, block->instructions - 1);
	if (block->conditional)
		branch(trace, block, numbered(end_of(last, last->instructions - 1)),
			target != last->pc + size_of(last));
	note(trace, last, last->instructions - 1);
}

static uint64_t next_value(struct walk *walk)
{
	switch (walk->manner) {
	case STRIDES:
		walk->at += walk->stride;
		if (walk->at + PAGE > walk->pages * PAGE + PAGE)
			walk->at = 0;
		break;
	case ANYWHERE:
		walk->at = below((unsigned)walk->pages * PAGE);
		break;
	default: /* each pointer leads to the next, in a ring */
		walk->at = (walk->at * 5 + 3 * 64) % (walk->pages * PAGE);
	}
	return walk->start + walk->at;
}

static void fill_values(const struct trace *trace, struct block *block, uint64_t *values)
{
	unsigned size = 8;

	for (unsigned i = 0; i < WORDS; i++)
		values[i] = next_value(&block->walks[i]);
	if (block->description->plain)
		return;
	for (unsigned i = 0; i < block->n_accesses; i++)
		if (block->accesses[i].sort == STRING)
			size = block->accesses[i].size;
	values[WORDS] = 0x10000000 + below((unsigned)trace->data_pages) * (uint64_t)PAGE + PAGE + below(PAGE / 8) * 8;
	values[WORDS + 1] = values[WORDS] + (below(2) ? (uint64_t)below(60) * size : -(uint64_t)below(60) * size);
	for (unsigned i = 0; i < 10; i++)
		values[WORDS + 2 + i] = i == 0 ? values[0] : i == 9 ? below(256) : below(2 * PAGE);
	for (unsigned i = 0; i < 10; i++)
		values[WORDS + 12 + i] = i == 0 ? values[1] : below(2 * PAGE) | (uint64_t)below(2 * PAGE) << 32;
	values[WORDS + 13] = ONE_OF(
		~0ull, 0, ~0ull << 9, ~0ull >> 30, 1ull << 40, 0xff00fff01fffff01, ~(1ull << 24 | 1ull << 48));
}

/* As papi_vpmu_is_worth_record() has it. */
static void append(struct trace *trace, const struct block *block, const uint64_t *record)
{
	const struct papi_vpmu_description *description = block->description;

	if (trace->parts == PAPI_VPMU_PART_BRANCHES ? description->end == PAPI_VPMU_ENDS_ANYHOW
						    : papi_vpmu_is_data_alone(trace->parts) && !description->accesses)
		return;
	memcpy(trace->words + trace->n_words, record, description->words * sizeof(*record));
	trace->n_words += description->words;
}

/* And it goes on at the target. */
static void run_block(struct trace *trace, struct block *block, uint64_t target)
{
	uint64_t record[WORDS_MOST + 1] = { block->offset };

	fill_values(trace, block, record + 1);
	if (papi_vpmu_tells_target(block->description->end))
		record[block->description->words - 1] = target;
	append(trace, block, record);
	trace->plain->counting = block->counted;
	run_instructions(trace, block, record + 1);
	if (block->called)
		run_instructions(trace, block->called, record + 1); /* it has no accesses */
	branch_to(trace, block, target);
}

static void simulate(struct trace *trace)
{
	if (trace->attributes)
		papi_vpmu_simulate_attributed(trace->models, &trace->attribution, trace->counters[0], trace->words,
			trace->words + trace->n_words, trace->arena);
	else
		papi_vpmu_simulate(
			trace->models, trace->counters[0], trace->words, trace->words + trace->n_words, trace->arena);
	papi_vpmu_simulate_branches(
		trace->models, trace->counters[0], trace->branches, trace->branches + trace->n_branches);
	trace->n_words = trace->n_branches = 0;
}

/* A few blocks, again and again; now and then the simulators are told only what has been so far, and at the end where
 * the thread is about to go on. */
static void run_phrase(struct trace *trace)
{
	unsigned n = 1 + (below(2) ? 0 : below(4)), rounds = 1 + below(40);
	struct block *blocks[4], *block = NULL;

	for (unsigned i = 0; i < n; i++)
		blocks[i] = &trace->blocks[below(BLOCKS)];
	for (unsigned i = 0; i < n && below(2); i++) /* on to the next */
		blocks[i] = i && blocks[i - 1] < &trace->blocks[BLOCKS - 1] ? blocks[i - 1] + 1 : blocks[i];
	for (unsigned i = 0; i < rounds * n; i++) {
		block = blocks[i % n];
		if (trace->n_words + 32 > sizeof(trace->words) / sizeof(trace->words[0]) || !below(30))
			simulate(trace);
		run_block(trace, block, blocks[(i + 1) % n]->pc);
	}
	simulate(trace);
	if (trace->attributes)
		papi_vpmu_simulate_attributed_arrival(
			trace->models, &trace->attribution, trace->counters[0], blocks[0]->pc);
	else
		papi_vpmu_simulate_arrival(trace->models, trace->counters[0], blocks[0]->pc);
}

/* ---- traces ---- */

static void place_descriptions(struct trace *trace)
{
	uint64_t at = 64;

	/* Some are where they are taken for each other, if only the last ten bits of their number are looked at. */
	for (unsigned i = 0; i <= BLOCKS; i++) {
		trace->blocks[i].offset = i % 2 ? at + 65536 : at;
		trace->blocks[i].description = (void *)(trace->arena + trace->blocks[i].offset);
		at += i % 2 ? 512 : 0;
	}
}

static struct trace *make_trace(uint64_t seed, bool sampled)
{
	struct trace *trace = aligned_alloc(64, (sizeof(*trace) + 63) & ~(size_t)63);

	random_state = seed;
	assert_non_null(trace);
	memset(trace, 0, sizeof(*trace));
	trace->arena = aligned_alloc(64, ARENA);
	assert_non_null(trace->arena);
	memset(trace->arena, 0, ARENA);
	choose_geometry(&trace->geometry);
	if (sampled)
		choose_sampled_geometry(&trace->geometry);
	trace->models = papi_vpmu_models_make(&trace->geometry, change_memory);
	assert_non_null(trace->models);
	trace->plain = reference_make(&trace->geometry);
	trace->plain->choice = trace->geometry.choice;
	trace->parts = seed % 3 ? PAPI_VPMU_PARTS : 1 + (unsigned)(seed / 3 % PAPI_VPMU_PARTS);
	if (trace->parts & PAPI_VPMU_PART_PAGES)
		trace->parts |= PAPI_VPMU_PART_DATA;
	papi_vpmu_models_use(trace->models, trace->parts);
	trace->data_pages = ONE_OF(2, 8, 40, 40, 600);
	trace->models->place_code = place_code;
	trace->models->can_read = can_read;
	papi_vpmu_models_give_room(trace->models, trace->told);
	for (unsigned i = 0; i <= BLOCKS; i++)
		make_block(trace, &trace->blocks[i], i == BLOCKS);
	place_descriptions(trace);
	for (unsigned i = 0; i < BLOCKS; i++)
		describe(trace, &trace->blocks[i]);
	return trace;
}

static void choose_circumstances(struct trace *trace)
{
	uint64_t at = 0x7ff008000 + below(PAGE) / 8 * 8;

	trace->models->thread_base = 0x50000000 - 0x10000000;
	if (often()) {
		/* Accesses that are looked up together are all in it, or none is. */
		papi_vpmu_models_set_stack(trace->models, 0x7fe000000, 0x800000000, at);
		trace->plain->stack_start = 0x7fe000000;
		trace->plain->stack_end = 0x800000000;
		trace->plain->stack_shift = -at % PAGE / 16 * 16;
	}
	if (!below(5) && trace->parts & PAPI_VPMU_PART_DATA) {
		trace->models->data_start = trace->plain->data_start = 0x10000000 + below(4 * PAGE);
		trace->models->data_end = trace->plain->data_end = trace->models->data_start + 1 + below(40 * PAGE);
		trace->models->counts_accesses = trace->plain->counts_accesses = true;
	}
}

static void free_trace(struct trace *trace)
{
	papi_vpmu_models_end(trace->models);
	reference_end(trace->plain);
	free(trace->arena);
	free(trace);
}

static void same_count(const struct trace *trace, uint64_t seed, unsigned lane, unsigned counter, uint64_t expected)
{
	if (trace->counters[lane][counter] != expected)
		fail_msg("trace %llu: counter %u, lane %u is %llu, and %llu in the reference model",
			(unsigned long long)seed, counter, lane, (unsigned long long)trace->counters[lane][counter],
			(unsigned long long)expected);
}

/* What sampled models, or the full ones, are to have in their first lane. */
static uint64_t expected_count(const struct trace *trace, unsigned counter)
{
	uint64_t sum = 0;

	if (!trace->models->sampled || !papi_vpmu_counter_is_sampled(counter))
		return trace->plain->counters[counter];
	for (unsigned group = 0; group < PAPI_VPMU_GROUPS_MAX; group++)
		sum += (uint64_t)trace->plain->estimates[group][counter];
	return sum;
}

/* Each group of lines but the first has a lane behind the first. */
static void same_counters(const struct trace *trace, uint64_t seed)
{
	for (unsigned i = 0; i <= PAPI_VPMU_LAST_MODELLED; i++) {
		same_count(trace, seed, 0, i, expected_count(trace, i));
		for (unsigned group = 1; group < PAPI_VPMU_GROUPS_MAX; group++)
			same_count(trace, seed, group, i, (uint64_t)trace->plain->estimates[group][i]);
	}
}

/* Events that need none of the other parts. */
static void same_events(const struct trace *trace, uint64_t seed)
{
	uint64_t expected[PAPI_VPMU_COUNTERS] = { 0 };

	for (unsigned i = 0; i <= PAPI_VPMU_LAST_MODELLED; i++)
		expected[i] = expected_count(trace, i);
	for (size_t i = 0; i < papi_vpmu_event_count; i++) {
		const struct papi_vpmu_event *event = &papi_vpmu_events[i];
		long long sum = papi_vpmu_event_sum(event, trace->counters[0]),
			  plain = papi_vpmu_event_sum(event, expected);

		if (!(papi_vpmu_event_parts(event, trace->geometry.shared_tlb2) & ~trace->parts) && sum != plain)
			fail_msg("trace %llu, parts %u: %s is %lld, and %lld in the reference model",
				(unsigned long long)seed, trace->parts, event->name, sum, plain);
	}
}

static void same_counts(const struct trace *trace, uint64_t seed)
{
	if (trace->parts == PAPI_VPMU_PARTS)
		same_counters(trace, seed);
	else
		same_events(trace, seed);
}

/* What the predictor alone gets does not tell where it comes from. */
static void attribute(struct trace *trace)
{
	trace->attributes = trace->parts != PAPI_VPMU_PART_BRANCHES;
	trace->attribution.add = add;
}

static void compare_traces(bool sampled, bool attributes)
{
	uint64_t sums[PAPI_VPMU_COUNTERS] = { 0 };

	for (uint64_t seed = 1; seed <= TRACES; seed++) {
		struct trace *trace = make_trace(seed, sampled);

		choose_circumstances(trace);
		if (attributes)
			attribute(trace);
		for (unsigned phrases = 1 + below(20); phrases > 0; phrases--) {
			run_phrase(trace);
			simulate(trace);
			same_counts(trace, seed);
			if (trace->attributes && trace->parts == PAPI_VPMU_PARTS)
				same_places(trace, seed);
		}
		for (unsigned i = 0; i < PAPI_VPMU_COUNTERS; i++)
			sums[i] += trace->counters[0][i];
		free_trace(trace);
	}
	/* There was something of everything. */
	for (unsigned i = PAPI_VPMU_FIRST_MODELLED; i <= PAPI_VPMU_LAST_MODELLED; i++)
		assert_in_range(sums[i], 1000, UINT64_MAX / 2);
	assert_in_range(sums[PAPI_VPMU_LOADS], 1000, UINT64_MAX / 2);
	assert_in_range(sums[PAPI_VPMU_STORES], 1000, UINT64_MAX / 2);
}

static void traces_count_the_same(void **state)
{
	(void)state;
	compare_traces(false, false);
}

/* And where they count it. */
static void attributed_traces_count_the_same(void **state)
{
	(void)state;
	compare_traces(false, true);
}

static void sampled_sets_miss_the_same(void **state)
{
	(void)state;
	compare_traces(true, false);
}

/* No more than they need. */
static void events_need_parts(void **state)
{
	static const struct {
		const char *name;
		unsigned parts, with_shared_tlb2;
	} rows[] = {
		{ "LOADS", 0, 0 },
		{ "L1D_ACCESSES", 0, 0 },
		{ "BRANCHES_MISPREDICTED", PAPI_VPMU_PART_BRANCHES, PAPI_VPMU_PART_BRANCHES },
		{ "TARGETS_MISPREDICTED", PAPI_VPMU_PART_BRANCHES, PAPI_VPMU_PART_BRANCHES },
		{ "L1D_MISSES", PAPI_VPMU_PART_DATA, PAPI_VPMU_PART_DATA },
		{ "PREFETCH_MISSES", PAPI_VPMU_PART_DATA, PAPI_VPMU_PART_DATA },
		{ "L2D_READS", PAPI_VPMU_PART_DATA, PAPI_VPMU_PART_DATA },
		{ "L1I_HITS", PAPI_VPMU_PART_CODE, PAPI_VPMU_PART_CODE },
		{ "DTLB_MISSES", PAPI_VPMU_PART_DATA | PAPI_VPMU_PART_PAGES,
			PAPI_VPMU_PART_DATA | PAPI_VPMU_PART_PAGES },
		{ "DTLB_WALKS", PAPI_VPMU_PART_DATA | PAPI_VPMU_PART_PAGES, PAPI_VPMU_PARTS_SHARED },
		{ "ITLB_WALKS", PAPI_VPMU_PART_CODE, PAPI_VPMU_PARTS_SHARED },
		{ "L2D_MISSES", PAPI_VPMU_PARTS_SHARED, PAPI_VPMU_PARTS_SHARED },
		{ "L3I_MISSES", PAPI_VPMU_PARTS_SHARED, PAPI_VPMU_PARTS_SHARED },
		{ "MEMORY_STALL_CYCLES", PAPI_VPMU_PARTS_SHARED, PAPI_VPMU_PARTS_SHARED },
		{ "CYCLES", PAPI_VPMU_PARTS, PAPI_VPMU_PARTS },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct papi_vpmu_event *event = papi_vpmu_event_find(rows[i].name);

		assert_non_null(event);
		assert_int_equal(papi_vpmu_event_parts(event, false), rows[i].parts);
		assert_int_equal(papi_vpmu_event_parts(event, true), rows[i].with_shared_tlb2);
	}
}

/* The event is a sum of counters with weights; the formula is that of the documentation. */
static void cycles_are_as_stated(void **state)
{
	const struct papi_vpmu_event *event = papi_vpmu_event_find("CYCLES");
	uint64_t counters[PAPI_VPMU_COUNTERS], sum;

	(void)state;
	assert_non_null(event);
	assert_int_equal(event->fraction, 2);
	random_state = 1;
	for (unsigned times = 0; times < 100; times++) {
		sum = 0;
		for (unsigned i = 0; i < PAPI_VPMU_COUNTERS; i++)
			counters[i] = below(1000000);
		for (unsigned i = 0; i < event->n_terms; i++)
			sum += counters[event->terms[i].counter] * (uint64_t)event->terms[i].weight;
		assert_int_equal(sum, reference_cycles(counters));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(traces_count_the_same),
		cmocka_unit_test(attributed_traces_count_the_same),
		cmocka_unit_test(sampled_sets_miss_the_same),
		cmocka_unit_test(events_need_parts),
		cmocka_unit_test(cycles_are_as_stated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
