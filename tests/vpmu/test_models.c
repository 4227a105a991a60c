/* SPDX-License-Identifier: BSD-3-Clause */
/* Caches against one written as plainly as can be, the predictor on branches of known manners, and whole traces. */
#include "machine.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* ---- caches ---- */

/* Each set is a list from the newest to the oldest line. */
struct plain {
	uint32_t sets, ways;
	uint64_t *lines;
};

static bool plain_access(struct plain *plain, uint64_t line)
{
	uint64_t *set = plain->lines + line % plain->sets * plain->ways;
	uint32_t at = 0;
	bool found;

	while (at < plain->ways - 1 && set[at] != line)
		at++;
	found = set[at] == line;
	memmove(set + 1, set, at * sizeof(*set));
	set[0] = line;
	return found;
}

/* Near the last line, in a working set somewhat larger than the cache, or anywhere. */
static uint64_t next_line(uint64_t *state, uint64_t last, uint64_t lines)
{
	switch (next_random(state) % 4) {
	case 0:
		return last + next_random(state) % 3;
	case 1:
		return 1 + next_random(state) % (lines * 2);
	case 2:
		return 1 + next_random(state) % (lines / 2 + 1);
	default:
		return 1 + next_random(state) % 100000;
	}
}

/* So many pieces of memory there are, and then no more. */
static unsigned pieces_left;

static void *little_memory(void *memory, size_t old, size_t new)
{
	if (new &&pieces_left == 0)
		return NULL;
	pieces_left -= new != 0;
	return change_memory(memory, old, new);
}

static void compare_with_plain(uint32_t sets, uint32_t ways, bool code)
{
	const uint64_t first = (code ? (uint64_t)PAPI_VPMU_FRAME_OF_CODE : 0) << (PAPI_VPMU_PAGE_SHIFT - 6);
	const struct papi_vpmu_shape shape = { sets, ways, 6 };
	struct plain plain = { sets, ways, calloc((size_t)sets * ways, sizeof(uint64_t)) };
	void *memory = mmap(NULL, papi_vpmu_lru_size(&shape), PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	uint64_t state = sets * 1000 + ways, line = 1, hits = 0;
	struct papi_vpmu_lru lru = { 0 };

	assert_non_null(plain.lines);
	assert_ptr_not_equal(memory, MAP_FAILED);
	papi_vpmu_lru_init(&lru, &shape, memory);
	assert_true(papi_vpmu_lru_reach(&lru, code, 2048, change_memory));
	for (unsigned i = 0; i < 20000; i++) {
		bool expected;

		line = next_line(&state, line, (uint64_t)sets * ways);
		expected = plain_access(&plain, first + line);
		hits += expected;
		if (i == 10000) /* longer, it still knows what it knew */
			assert_true(papi_vpmu_lru_reach(&lru, code, 4096, change_memory));
		if (papi_vpmu_lru_access(&lru, first + line) != expected)
			fail_msg("%u sets of %u ways, access %u: not a %s", sets, ways, i, expected ? "hit" : "miss");
	}
	assert_in_range(hits, 1, 19999);
	assert_true(papi_vpmu_lru_reach(&lru, code, 0, change_memory));
	free(plain.lines);
	munmap(memory, papi_vpmu_lru_size(&shape));
}

static void caches_are_true_lru(void **state)
{
	static const uint32_t sets[] = { 1, 2, 3, 12, 64, 100, 128 },
			      ways[] = { 1, 2, 3, 4, 7, 8, 9, 12, 15, 16, 17, 20, 32, 96 };

	(void)state;
	for (unsigned i = 0; i < sizeof(sets) / sizeof(sets[0]); i++)
		for (unsigned j = 0; j < sizeof(ways) / sizeof(ways[0]); j++)
			compare_with_plain(sets[i], ways[j], (i + j) % 2);
}

static void page_numbers(void **state)
{
	struct papi_vpmu_frames zeros = { 0 }, *frames = &zeros;
	uint64_t far = (1ull << PAPI_VPMU_FRAME_BITS) + 77;

	(void)state;
	assert_int_equal(papi_vpmu_frames_find(frames, 77), 0);
	assert_true(papi_vpmu_frames_reserve(frames, 3, change_memory));
	assert_int_equal(papi_vpmu_frames_number(frames, 77), 1);
	assert_int_equal(papi_vpmu_frames_number(frames, far), 2);
	assert_int_equal(papi_vpmu_frames_number(frames, 78), 3);
	assert_int_equal(papi_vpmu_frames_number(frames, far), 2);
	assert_int_equal(papi_vpmu_frames_number(frames, 77), 1);
	for (uint64_t page = 1000; page < 9000; page++) {
		assert_true(papi_vpmu_frames_reserve(frames, 1, change_memory));
		assert_int_equal(papi_vpmu_frames_number(frames, page << 20), page - 1000 + 4);
	}
	assert_int_equal(papi_vpmu_frames_find(frames, far), 2);
	assert_int_equal(papi_vpmu_frames_find(frames, 5000ull << 20), 4004);
	assert_int_equal(papi_vpmu_frames_find(frames, 5000ull << 20 | 1), 0);
	frames->used = 1u << PAPI_VPMU_FRAME_BITS;
	assert_int_equal(papi_vpmu_frames_number(frames, 0x7f0012345), 0x12345);
	assert_int_equal(papi_vpmu_frames_number(frames, 78), 3);
	papi_vpmu_frames_end(frames, change_memory);
	/* Without memory it stays as it is. */
	pieces_left = 1;
	assert_true(papi_vpmu_frames_reserve(frames, 500, little_memory));
	for (uint64_t page = 1; page <= 700; page++)
		papi_vpmu_frames_number(frames, page);
	assert_false(papi_vpmu_frames_reserve(frames, 500, little_memory));
	assert_int_equal(papi_vpmu_frames_find(frames, 700), 700);
	papi_vpmu_frames_end(frames, little_memory);
}

/* ---- branches ---- */

static unsigned wrong(struct papi_vpmu_predictor *predictor, unsigned times, bool (*outcome)(unsigned))
{
	unsigned count = 0;

	for (unsigned i = 0; i < times; i++) {
		uint32_t branch = 0x1234 | (outcome(i) ? PAPI_VPMU_BRANCH_TAKEN : 0);

		count += (unsigned)papi_vpmu_predict_conditionals(predictor, &branch, &branch + 1);
	}
	return count;
}

static bool always(unsigned i)
{
	(void)i;
	return true;
}

static bool every_eighth_not(unsigned i)
{
	return i % 8 != 7;
}

static bool at_random(unsigned i)
{
	uint64_t mixed = (i + 1) * 0x9e3779b97f4a7c15u;

	mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
	return (mixed ^ mixed >> 27) * 0x94d049bb133111ebu >> 63;
}

static void conditional_branches(void **state)
{
	struct papi_vpmu_predictor *predictor = calloc(1, sizeof(*predictor));

	(void)state;
	assert_non_null(predictor);
	papi_vpmu_predictor_init(predictor);
	/* Counters begin at "not taken" and need two outcomes to change their mind. */
	assert_int_equal(wrong(predictor, 1000, always), 2);
	/* A loop of eight is in the history once gshare has learned it. */
	assert_in_range(wrong(predictor, 1000, every_eighth_not), 1, 200);
	assert_int_equal(wrong(predictor, 1000, every_eighth_not), 0);
	assert_in_range(wrong(predictor, 10000, at_random), 4000, 6000);
	/* What is not counted teaches, too. */
	memset(predictor, 0, sizeof(*predictor));
	papi_vpmu_predictor_init(predictor);
	for (unsigned i = 0; i < 1000; i++) {
		uint32_t branch = 0x1234 | PAPI_VPMU_BRANCH_UNCOUNTED | (always(i) ? PAPI_VPMU_BRANCH_TAKEN : 0);

		assert_int_equal(papi_vpmu_predict_conditionals(predictor, &branch, &branch + 1), 0);
	}
	assert_int_equal(wrong(predictor, 1000, always), 0);
	free(predictor);
}

static void targets(void **state)
{
	struct papi_vpmu_predictor *predictor = calloc(1, sizeof(*predictor));
	unsigned right = 0;

	(void)state;
	assert_non_null(predictor);
	for (uint64_t i = 0; i < 20; i++)
		papi_vpmu_predict_call(predictor, 1000 + i);
	for (uint64_t i = 20; i-- > 0;)
		assert_true(papi_vpmu_predict_return(predictor, 1000 + i));
	assert_false(papi_vpmu_predict_return(predictor, 999));
	/* Deeper than the stack: the innermost 32 are remembered. */
	for (uint64_t i = 0; i < 100; i++)
		papi_vpmu_predict_call(predictor, 5000 + i);
	for (uint64_t i = 100; i-- > 0;)
		right += papi_vpmu_predict_return(predictor, 5000 + i);
	assert_int_equal(right, PAPI_VPMU_RETURNS);

	/* Two targets in turn are told apart by what came before, once seen. */
	right = 0;
	for (unsigned i = 0; i < 100; i++)
		right += papi_vpmu_predict_indirect(predictor, 0x500, 0x9000 + i % 2 * 0x40, 0x9000 + i % 2 * 0x40);
	assert_in_range(right, 60, 99);
	free(predictor);
}

/* ---- traces ---- */

static void data_misses(void **state)
{
	struct machine *machine = make_machine();
	struct papi_vpmu_description *block = describe(machine, 64, 0x401000, PAPI_VPMU_ENDS_ANYHOW, 2);

	(void)state;
	add_access(block, PAPI_VPMU_READ, 1, 0, 8);
	add_access(block, PAPI_VPMU_WRITE, 1, 64, 8);
	add_access(block, PAPI_VPMU_READ, 1, 60, 8); /* across both */
	for (unsigned i = 0; i < 4; i++)
		record(machine, 64, 0x10000000);
	simulate(machine);
	assert_int_equal(count(machine, PAPI_VPMU_L1D_READ_MISSES), 1);
	assert_int_equal(count(machine, PAPI_VPMU_L1D_WRITE_MISSES), 1);
	assert_int_equal(count(machine, PAPI_VPMU_L2D_READ_MISSES), 1);
	assert_int_equal(count(machine, PAPI_VPMU_L3D_WRITE_MISSES), 1);
	assert_int_equal(count(machine, PAPI_VPMU_DTLB_READ_MISSES), 1);
	assert_int_equal(count(machine, PAPI_VPMU_DTLB_READ_WALKS), 1);
	assert_int_equal(count(machine, PAPI_VPMU_L1I_MISSES), 1);
	assert_int_equal(count(machine, PAPI_VPMU_ITLB_WALKS), 1);
	assert_int_equal(count(machine, PAPI_VPMU_LOADS), 0);

	/* 1024 more lines push both out of L1 and out of no other level; the last page is new 16 times over. */
	for (uint64_t i = 0; i < 512; i++)
		record(machine, 64, 0x20000000 + i * 128);
	record(machine, 64, 0x10000000);
	simulate(machine);
	assert_int_equal(count(machine, PAPI_VPMU_L1D_READ_MISSES), 1 + 512 + 1);
	assert_int_equal(count(machine, PAPI_VPMU_L1D_WRITE_MISSES), 1 + 512 + 1);
	assert_int_equal(count(machine, PAPI_VPMU_L2D_READ_MISSES), 1 + 512);
	assert_int_equal(count(machine, PAPI_VPMU_DTLB_READ_MISSES), 1 + 16);
	free_machine(machine);
}

/* One access that spans several must count as they do one by one, wherever the lines end. */
static void spanned_accesses(void **state)
{
	struct machine *one = make_machine(), *other = make_machine();
	struct papi_vpmu_description *block = describe(one, 64, 0x401000, PAPI_VPMU_ENDS_ANYHOW, 2);
	uint64_t random = 5;

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		add_access(block, i % 2 ? PAPI_VPMU_WRITE : PAPI_VPMU_READ, 1, 24 - 8 * (int)i, 8);
	block = describe(other, 64, 0x401000, PAPI_VPMU_ENDS_ANYHOW, 2);
	add_access(block, PAPI_VPMU_READ, 1, 0, 32)->spanned = 4;
	for (unsigned i = 0; i < 4; i++)
		add_access(block, i % 2 ? PAPI_VPMU_WRITE : PAPI_VPMU_READ, 1, 24 - 8 * (int)i, 8);
	for (unsigned i = 0; i < 2000; i++) {
		uint64_t address = 0x10000000 + next_random(&random) % 200000;

		record(one, 64, address);
		record(other, 64, address);
	}
	simulate(one);
	simulate(other);
	assert_memory_equal(one->counters, other->counters, sizeof(one->counters));
	assert_in_range(count(one, PAPI_VPMU_L1D_WRITE_MISSES), 1, 1999);
	free_machine(one);
	free_machine(other);
}

/* Pushes and pops: the order in which they touch two lines is all that counts. */
static void pushes_and_pops(void **state)
{
	struct machine *one = make_machine(), *other = make_machine();
	uint64_t random = 7;

	(void)state;
	for (unsigned falling = 0; falling < 2; falling++) {
		unsigned offset = 64 + 512 * falling;
		struct papi_vpmu_description *block = describe(one, offset, 0x401000, PAPI_VPMU_ENDS_ANYHOW, 2);
		struct papi_vpmu_access *span;

		for (int i = 0; i < 4; i++)
			add_access(block, falling ? PAPI_VPMU_WRITE : PAPI_VPMU_READ, 1, 8 * (falling ? 3 - i : i), 8);
		block = describe(other, offset, 0x401000, PAPI_VPMU_ENDS_ANYHOW, 2);
		span = add_access(block, falling ? PAPI_VPMU_WRITE : PAPI_VPMU_READ, 1, 0, 32);
		span->spanned = 4;
		span->form = falling ? PAPI_VPMU_FORM_FALLING : PAPI_VPMU_FORM_RISING;
		for (int i = 0; i < 4; i++)
			add_access(block, falling ? PAPI_VPMU_WRITE : PAPI_VPMU_READ, 1, 8 * (falling ? 3 - i : i), 8);
	}
	for (unsigned i = 0; i < 2000; i++) {
		uint64_t address = 0x10000000 + next_random(&random) % 100000 * (i % 8 ? 8 : 1);
		unsigned offset = next_random(&random) % 2 ? 64 : 64 + 512;

		record(one, offset, address);
		record(other, offset, address);
	}
	simulate(one);
	simulate(other);
	assert_memory_equal(one->counters, other->counters, sizeof(one->counters));
	assert_in_range(count(one, PAPI_VPMU_L1D_WRITE_MISSES), 500, 2000);
	free_machine(one);
	free_machine(other);
}

/* A block with six accesses, in two lines of code: near each other, far apart, across lines, and two led by one. */
static void describe_loop(struct machine *machine)
{
	struct papi_vpmu_description *block = describe(machine, 64, 0x401038, PAPI_VPMU_ENDS_ANYHOW, 4);

	add_access(block, PAPI_VPMU_READ, 1, 0, 8);
	add_access(block, PAPI_VPMU_WRITE, 2, 16, 8);
	add_access(block, PAPI_VPMU_READ, 3, -8, 4);
	add_access(block, PAPI_VPMU_WRITE, 3, 60, 16);
	add_access(block, PAPI_VPMU_READ, 2, 100, 12)->spanned = 2;
	add_access(block, PAPI_VPMU_READ, 2, 104, 8);
	add_access(block, PAPI_VPMU_READ, 2, 100, 4);
	describe(machine, 512, 0x401048, PAPI_VPMU_ENDS_ANYHOW, 1);
}

/* Appends a loop of so many rounds: each value goes its own steps. */
static void record_loop(struct machine *machine, uint64_t *random, unsigned rounds)
{
	static const uint64_t steps[] = { 0, 8, 64, 4096, 24, (uint64_t)-8, 1000, 4160 };
	uint64_t values[3], step[3];

	for (unsigned i = 0; i < 3; i++) {
		values[i] = 0x10000000 + next_random(random) % 40 * 4096 + next_random(random) % 512 * 8;
		step[i] = steps[next_random(random) % 8];
	}
	/* The second time across where the stack begins. */
	if (next_random(random) % 8 == 0)
		values[2] = 0x10008004 - 60 - step[2];
	while (rounds--) {
		machine->trace[machine->words++] = 64;
		for (unsigned i = 0; i < 3; i++) {
			machine->trace[machine->words++] = values[i];
			values[i] += step[i];
		}
	}
	machine->trace[machine->words++] = 512;
}

/* The quick way of what runs again and again: told one by one, records never go that way. */
static void loops_count_the_same(void **state)
{
	static const struct papi_vpmu_geometry shapes[] = {
		{ .l1i = { 64, 8, 6 },
			.l1d = { 64, 12, 6 },
			.l2 = { 1024, 16, 6 },
			.itlb = { 1, 64, 12 },
			.dtlb = { 1, 96, 12 } },
		{ .l1i = { 64, 1, 5 },
			.l1d = { 8, 2, 5 },
			.l2 = { 32, 2, 5 },
			.itlb = { 1, 1, 12 },
			.dtlb = { 2, 2, 12 } },
		{ .l1i = { 2, 2, 6 },
			.l1d = { 3, 1, 6 },
			.l2 = { 1, 64, 6 },
			.itlb = { 4, 1, 12 },
			.dtlb = { 4, 1, 12 } },
		{ .l1i = { 1, 4, 6 },
			.l1d = { 1, 20, 6 },
			.l2 = { 5, 20, 6 },
			.itlb = { 4, 1, 12 },
			.dtlb = { 1, 1, 12 } },
		{ .l1i = { 4, 1, 4 },
			.l1d = { 16, 4, 4 },
			.l2 = { 64, 8, 4 },
			.itlb = { 1, 2, 12 },
			.dtlb = { 1, 5, 12 } },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		struct machine *quick = make_machine_of(&shapes[i]), *slow = make_machine_of(&shapes[i]);
		uint64_t random = i + 1;

		describe_loop(quick);
		describe_loop(slow);
		finish((void *)(quick->arena + 64));
		finish((void *)(slow->arena + 64));
		finish((void *)(quick->arena + 512));
		finish((void *)(slow->arena + 512));
		/* Some of what is touched is in the stack, which begins in the middle of a page. */
		papi_vpmu_models_set_stack(quick->models, 0x10008008, 0x1000f7f0, 0x1000c230);
		papi_vpmu_models_set_stack(slow->models, 0x10008008, 0x1000f7f0, 0x1000c230);
		for (unsigned times = 0; times < 300; times++) {
			record_loop(quick, &random, 1 + (unsigned)next_random(&random) % 60);
			for (unsigned at = 0; at < quick->words; at += slow->words) {
				slow->words = ((struct papi_vpmu_description *)(void *)(slow->arena + quick->trace[at]))
						      ->words;
				papi_vpmu_simulate(slow->models, slow->counters, quick->trace + at,
					quick->trace + at + slow->words, slow->arena);
			}
			simulate(quick);
			if (memcmp(quick->counters, slow->counters, sizeof(quick->counters)))
				fail_msg("geometry %u, loop %u: other counts", i, times);
		}
		assert_in_range(count(quick, PAPI_VPMU_DTLB_WRITE_MISSES), 10, 100000);
		free_machine(quick);
		free_machine(slow);
	}
}

/* Prefetches, strings, constants, and addresses that are relative to the thread. */
static void special_accesses(void **state)
{
	struct machine *machine = make_machine();
	struct papi_vpmu_description *block = describe(machine, 64, 0x401000, PAPI_VPMU_ENDS_ANYHOW, 3);

	(void)state;
	block->plain = false;
	add_access(block, PAPI_VPMU_PREFETCH, 0, 0x30000000 - 64, 1);
	add_access(block, PAPI_VPMU_READ, 0, 0x30000008 - 64, 8); /* has been fetched */
	add_access(block, PAPI_VPMU_WRITE, 1, 0, 1)->form = PAPI_VPMU_FORM_STRING;
	add_access(block, PAPI_VPMU_READ, 0, 0x40 - 64, 8)->form = PAPI_VPMU_FORM_THREAD_LOCAL;
	machine->models->thread_base = 0x50000000;
	machine->trace[machine->words++] = 64;
	machine->trace[machine->words++] = 0x60000020;
	machine->trace[machine->words++] = 0x60000020 + 640;
	simulate(machine);
	assert_int_equal(count(machine, PAPI_VPMU_PREFETCH_MISSES), 1);
	assert_int_equal(count(machine, PAPI_VPMU_L1D_READ_MISSES), 1);
	assert_int_equal(count(machine, PAPI_VPMU_L1D_WRITE_MISSES), 11);

	/* The same backwards: nothing is new. */
	machine->trace[machine->words++] = 64;
	machine->trace[machine->words++] = 0x60000020 + 639;
	machine->trace[machine->words++] = 0x6000001f;
	simulate(machine);
	assert_int_equal(count(machine, PAPI_VPMU_L1D_WRITE_MISSES), 11);

	/* Each element on its own, where a range of data is counted: of 640 bytes the last 100. */
	machine->models->counts_accesses = true;
	machine->models->data_start = 0x60000020 + 540;
	machine->models->data_end = 0x70000000;
	machine->trace[machine->words++] = 64;
	machine->trace[machine->words++] = 0x60000020;
	machine->trace[machine->words++] = 0x60000020 + 640;
	simulate(machine);
	assert_int_equal(count(machine, PAPI_VPMU_STORES), 100);
	assert_int_equal(count(machine, PAPI_VPMU_LOADS), 0);
	free_machine(machine);
}

static void records_tell_where_they_went(void **state)
{
	struct machine *machine = make_machine();

	(void)state;
	describe(machine, 64, 0x401000, PAPI_VPMU_ENDS_ANYHOW, 1);
	describe(machine, 512, 0x402000, PAPI_VPMU_ENDS_CALL, 1);
	describe(machine, 1024, 0x403000, PAPI_VPMU_ENDS_RETURN, 2);
	describe(machine, 1536, 0x402010, PAPI_VPMU_ENDS_INDIRECT_JUMP, 2); /* behind the call */
	describe(machine, 2048, 0x402020, PAPI_VPMU_ENDS_INDIRECT_CALL, 2);
	for (unsigned i = 0; i < 100; i++) {
		record(machine, 64, 0);
		branch(machine, 0x40100e, true);
		record(machine, 512, 0);
		record(machine, 1024, 0x402010);
		record(machine, 1536, 0x401000); /* back to the first */
		if (i % 7 == 0)
			simulate(machine);
	}
	simulate(machine);
	assert_in_range(count(machine, PAPI_VPMU_CONDITIONAL_MISPREDICTED), 2, 20);
	assert_int_equal(count(machine, PAPI_VPMU_RETURNS_MISPREDICTED), 0);
	assert_in_range(count(machine, PAPI_VPMU_INDIRECT_MISPREDICTED), 1, 10);

	/* To another target each time, and back to where the call was. */
	for (uint64_t i = 0; i < 50; i++) {
		record(machine, 2048, 0x404000 + 64 * i);
		record(machine, 1024, 0x402030);
	}
	simulate(machine);
	assert_in_range(count(machine, PAPI_VPMU_INDIRECT_MISPREDICTED), 50, 60);
	assert_int_equal(count(machine, PAPI_VPMU_RETURNS_MISPREDICTED), 0);

	/* A call of what is not counted, whose return is not among the records. */
	for (uint64_t i = 0; i < 50; i++) {
		record(machine, 512, 0);
		record(machine, 2048, ((uint64_t)UNCOUNTED << PAPI_VPMU_PAGE_SHIFT) + 64 * i);
		record(machine, 1024, 0x402010);
	}
	simulate(machine);
	assert_in_range(count(machine, PAPI_VPMU_INDIRECT_MISPREDICTED), 50, 60);
	assert_int_equal(count(machine, PAPI_VPMU_RETURNS_MISPREDICTED), 0);
	record(machine, 1024, 0x402010);
	simulate(machine);
	assert_int_equal(count(machine, PAPI_VPMU_RETURNS_MISPREDICTED), 1);
	free_machine(machine);
}

/* What calls, what it calls, both ways on from there, where both return to, and code that displaces theirs. */
enum { CALLS = 64, CALLED = 512, FALLS = 1024, JUMPS = 1536, RETURNED = 2048, DISPLACES = 2560, ALSO = 3072 };

static void describe_call(struct machine *machine)
{
	add_access(describe(machine, CALLS, 0x401020, PAPI_VPMU_ENDS_CALL, 2), PAPI_VPMU_WRITE, 1, -8, 8);
	describe(machine, CALLED, 0x401070, PAPI_VPMU_ENDS_ANYHOW, 1);
	add_access(describe(machine, FALLS, 0x401080, PAPI_VPMU_ENDS_ANYHOW, 2), PAPI_VPMU_READ, 1, -8, 8);
	add_access(describe(machine, JUMPS, 0x4010f0, PAPI_VPMU_ENDS_ANYHOW, 2), PAPI_VPMU_READ, 1, -8, 8);
	describe(machine, RETURNED, 0x401030, PAPI_VPMU_ENDS_ANYHOW, 1);
	describe(machine, DISPLACES, 0x401170, PAPI_VPMU_ENDS_ANYHOW, 1);
	describe(machine, ALSO, 0x401270, PAPI_VPMU_ENDS_ANYHOW, 1);
}

/* Two blocks in one record, and in two. */
static void calls_with_what_they_call(void **state)
{
	struct papi_vpmu_geometry small = geometry;
	struct machine *two, *one;
	struct papi_vpmu_description *joined, *called;
	uint64_t random = 11;

	(void)state;
	small.l1i = (struct papi_vpmu_shape){ 4, 2, 6 };
	two = make_machine_of(&small);
	one = make_machine_of(&small);
	describe_call(two);
	describe_call(one);
	joined = (void *)(one->arena + CALLS);
	called = (void *)(one->arena + CALLED);
	joined->other_line = called->first_line;
	joined->n_other_lines = called->n_lines;
	for (unsigned i = 0; i < 20000; i++) {
		uint64_t stack = 0x10000000 + next_random(&random) % 50000 * 8;
		unsigned way = next_random(&random) % 3 ? FALLS : JUMPS;

		record(one, CALLS, stack);
		joined->usual = i % 2; /* both the quick way and the other */
		record(two, CALLS, stack);
		record(two, CALLED, 0);
		record(one, way, stack);
		record(two, way, stack);
		record(one, RETURNED, 0);
		record(two, RETURNED, 0);
		for (unsigned displaces = next_random(&random) % 4; displaces > 1; displaces--) {
			record(one, displaces > 2 ? DISPLACES : ALSO, 0);
			record(two, displaces > 2 ? DISPLACES : ALSO, 0);
		}
		simulate(one);
		simulate(two);
	}
	assert_memory_equal(one->counters, two->counters, sizeof(one->counters));
	assert_in_range(count(one, PAPI_VPMU_L1I_MISSES), 2000, 20000);
	free_machine(one);
	free_machine(two);
}

/* An access in two lines that L2 has and L1 not: one miss of L1. */
static void two_lines_are_one_miss(void **state)
{
	struct machine *machine = make_machine();
	struct papi_vpmu_description *block = describe(machine, 64, 0x401000, PAPI_VPMU_ENDS_ANYHOW, 2);
	uint64_t l2 = 0;

	(void)state;
	add_access(block, PAPI_VPMU_READ, 1, 60, 8);
	for (unsigned times = 0; times < 2; times++) {
		for (uint64_t at = 0; at < 2 * (uint64_t)geometry.l1d.sets * geometry.l1d.ways << geometry.l1d.shift;
			at += 128)
			record(machine, 64, 0x10000000 + at);
		simulate(machine);
		if (times == 0) {
			l2 = count(machine, PAPI_VPMU_L2D_READ_MISSES);
			assert_int_equal(l2, count(machine, PAPI_VPMU_L1D_READ_MISSES));
		}
	}
	assert_int_equal(count(machine, PAPI_VPMU_L2D_READ_MISSES), l2);
	assert_int_equal(count(machine, PAPI_VPMU_L1D_READ_MISSES), 2 * l2);
	free_machine(machine);
}

/* The same program elsewhere, and a stack that begins elsewhere in its page: the same misses. */
static uint64_t misses_at(uint64_t data, uint64_t stack)
{
	struct machine *machine = make_machine();
	struct papi_vpmu_description *block = describe(machine, 64, 0x401000, PAPI_VPMU_ENDS_ANYHOW, 2);
	uint64_t random = 99, misses;

	papi_vpmu_models_set_stack(machine->models, stack - 0x100000, stack + 0x1000, stack);
	add_access(block, PAPI_VPMU_READ, 1, 0, 8);
	for (unsigned i = 0; i < 2000; i++) {
		record(machine, 64, data + next_random(&random) % 3000000 / 8 * 8);
		if (i % 4 == 0)
			record(machine, 64, stack - next_random(&random) % 5000 / 8 * 8);
		if (machine->words > 4000)
			simulate(machine);
	}
	simulate(machine);
	misses = machine->counters[PAPI_VPMU_L1D_READ_MISSES] + (machine->counters[PAPI_VPMU_L2D_READ_MISSES] << 20) +
		(machine->counters[PAPI_VPMU_DTLB_READ_MISSES] << 40);
	free_machine(machine);
	return misses;
}

static void places_do_not_matter(void **state)
{
	uint64_t expected = misses_at(0x555555554000, 0x7ffffffde010);

	(void)state;
	assert_int_equal(misses_at(0x5648a1c39000, 0x7ffe3b1c9a30), expected);
	assert_int_equal(misses_at(0x7f21c39f1000, 0x7ffdd13fe7f0), expected);
	assert_int_not_equal(misses_at(0x7f21c39f1020, 0x7ffdd13fe7f0), expected);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(caches_are_true_lru),
		cmocka_unit_test(page_numbers),
		cmocka_unit_test(conditional_branches),
		cmocka_unit_test(targets),
		cmocka_unit_test(data_misses),
		cmocka_unit_test(spanned_accesses),
		cmocka_unit_test(pushes_and_pops),
		cmocka_unit_test(loops_count_the_same),
		cmocka_unit_test(special_accesses),
		cmocka_unit_test(records_tell_where_they_went),
		cmocka_unit_test(calls_with_what_they_call),
		cmocka_unit_test(two_lines_are_one_miss),
		cmocka_unit_test(places_do_not_matter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
