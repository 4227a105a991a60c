/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exact profiles of modelled events: of programs that are drawn, what each instruction has missed is what the plain
 * reference model (tests/vpmu/reference_model.c) says, to the unit, also where faults and timers cut blocks; of kernels
 * and of threads, the sum over all instructions is what is counted.
 *
 *	test_arm64_profile_modelled [programs [slowness [seed]]]
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "cuts.h"
#include "kernels.h"
#include "modelled.h"
#include "profiled.h"
#include "virtual.h"

#define BIT(counter) (1ull << (counter))
#define ALL          (BIT(PROFILED_COUNTERS) - BIT(PAPI_VPMU_FIRST_MODELLED))
/* What depends on nothing but data that is accessed; and on nothing but branches. */
#define DATA                                                                                                          \
	(BIT(PAPI_VPMU_L1D_READ_MISSES) | BIT(PAPI_VPMU_L1D_WRITE_MISSES) | BIT(PAPI_VPMU_DTLB_READ_MISSES) |         \
		BIT(PAPI_VPMU_DTLB_WRITE_MISSES) | BIT(PAPI_VPMU_DTLB_READ_WALKS) | BIT(PAPI_VPMU_DTLB_WRITE_WALKS) | \
		BIT(PAPI_VPMU_PREFETCH_MISSES))
#define BRANCHES                                                                          \
	(BIT(PAPI_VPMU_CONDITIONAL_MISPREDICTED) | BIT(PAPI_VPMU_INDIRECT_MISPREDICTED) | \
		BIT(PAPI_VPMU_RETURNS_MISPREDICTED))

#define THREADS 4
#define FEW     10 /* programs */

extern const char __executable_start[], etext[];

static unsigned programs = 30;

/* ---- programs that are drawn ---- */

/* What of them is profiled, and what for: without signals all of it. */
static const struct choice {
	const char *name;
	unsigned parts;
	uint64_t modelled;
	bool interrupted;
} choices[] = {
	{ "all", PAPI_VPMU_PARTS, ALL, false },
	{ "data", PAPI_VPMU_PART_DATA, DATA, false },
	{ "branches", PAPI_VPMU_PART_BRANCHES, BRANCHES, false },
	{ "all, interrupted", PAPI_VPMU_PARTS, DATA | BRANCHES, true },
	{ "data, interrupted", PAPI_VPMU_PART_DATA, DATA, true },
};

struct subject {
	const struct choice *choice;
	struct program program;
	struct papi_agent_plan plan;
	uint64_t expected[PAGE_WORDS][PROFILED_COUNTERS];
};
static struct subject subject;
static uint64_t found[PROFILED_COUNTERS]; /* of all of them */

/* The program starts the profile in place of an EventSet, and in the end has what is in the trace looked at. Handlers
 * are in this program, whose code runs natively: nothing but the program itself is in the caches. */
static void run_program(void *unused)
{
	struct state state = initial_state(&subject.program, 0, NULL);

	(void)unused;
	fill_arena(subject.program.seed);
	state.registers[0] = state.registers[21] = (uint64_t)(uintptr_t)&subject.plan;
	state.registers[20] = (uint64_t)(uintptr_t)papi_agent_start;
	state.registers[23] = (uint64_t)(uintptr_t)papi_agent_settle;
	if (subject.choice->interrupted)
		cuts_begin(profiled_slowness);
	enter(&state, (const void *)(uintptr_t)code_address(subject.program.page));
}

static bool is_same(unsigned word, unsigned counter)
{
	uint64_t pc = code_address(subject.program.page) + 4 * word;
	const char *at = (const char *)(uintptr_t)pc;
	uint64_t expected = subject.expected[word][counter], profiled = profiled_in(at, at + 4, counter);

	found[counter] += profiled;
	if (profiled == expected)
		return true;
	printf("%s, word %u (%08x), counter %u: %llu in the reference model, %lld in the profile\n",
		subject.choice->name, word, code_words(subject.program.page)[word], counter,
		(unsigned long long)expected, (long long)profiled);
	return false;
}

/* Those that are in the profile, of each instruction: also how often it ran. */
static bool are_same(void)
{
	uint64_t compared = subject.choice->modelled | BIT(PAPI_VPMU_INSTRUCTIONS);
	bool same = true;

	for (unsigned word = 0; word < PAGE_WORDS; word++)
		for (uint64_t left = compared; left; left &= left - 1)
			if (word < subject.program.end || word > PAGE_WORDS - 64)
				same &= is_same(word, (unsigned)__builtin_ctzll(left));
	return same;
}

static bool check(const struct choice *choice, unsigned page)
{
	struct reference_model *model = reference_make(&small_caches);
	uint64_t unused[PROFILED_COUNTERS];

	memset(&subject, 0, sizeof(subject));
	subject.choice = choice;
	subject.program = make_program(page, choice->interrupted ? RESTARTABLE : ANYTHING);
	/* The first whose code its process runs. */
	subject.program.number = 0;
	subject.plan = (struct papi_agent_plan){ .profile = BIT(PAPI_VPMU_INSTRUCTIONS),
		.parts = choice->parts,
		.modelled = choice->modelled,
		.caches = SMALL_CACHES };
	model->counting = true;
	REQUIRE(walk(&subject.program, model, subject.expected));
	reference_end(model);
	profiled_run_by(&subject.plan, __executable_start, etext, run_program, NULL, unused);
	return are_same();
}

static void each_instruction(void)
{
	const unsigned most = MAX_PAGES / COUNT_OF(choices), n = programs < most ? programs : most;

	cuts->faults = cuts->timers = 0;
	for (unsigned i = 0; i < COUNT_OF(choices); i++)
		for (unsigned j = 0; j < n; j++)
			if (!EXPECT(check(&choices[i], i * n + j))) {
				printf("%s: program %u\n", choices[i].name, j);
				break;
			}
	printf("%u faults, %u timers\n", cuts->faults, cuts->timers);
	EXPECT(cuts->faults > n);
	/* Of what all programs have something, and of what only some have. */
	for (unsigned i = PAPI_VPMU_FIRST_MODELLED; i < PROFILED_COUNTERS; i++)
		if (!EXPECT(found[i] > 0 || (n < FEW && BIT(i) & (BRANCHES | BIT(PAPI_VPMU_PREFETCH_MISSES)))))
			printf("nothing of counter %u\n", i);
}

/* ---- what all instructions have together ---- */

/* Threads that begin to count themselves, so that nobody else decides in which order code comes up. */
struct crowd {
	struct papi_agent_plan plan;
	unsigned threads;
	void (*work)(void);
};

static void *do_part(void *argument)
{
	const struct crowd *crowd = argument;

	if (papi_agent_start(&crowd->plan) != PAPI_OK)
		_exit(7);
	crowd->work();
	return NULL;
}

static void run_crowd(void *argument)
{
	struct crowd *crowd = argument;
	pthread_t threads[THREADS];

	for (unsigned i = 0; i < crowd->threads; i++)
		if (pthread_create(&threads[i], NULL, do_part, crowd))
			_exit(8);
	for (unsigned i = 0; i < crowd->threads; i++)
		pthread_join(threads[i], NULL);
}

static void expect_same_counters(const uint64_t expected[PROFILED_COUNTERS], const uint64_t got[PROFILED_COUNTERS])
{
	for (unsigned i = PAPI_VPMU_FIRST_MODELLED; i < PROFILED_COUNTERS; i++)
		if (!EXPECT_EQUAL((long long)expected[i], (long long)got[i]))
			printf("counter %u\n", i);
}

/* The sum over all instructions is what the simulators count in the same run. */
static void profile_crowd(struct crowd *crowd, uint64_t counted[PROFILED_COUNTERS])
{
	uint64_t sums[PROFILED_COUNTERS];

	crowd->plan = (struct papi_agent_plan){ .profile = BIT(PAPI_VPMU_INSTRUCTIONS),
		.parts = PAPI_VPMU_PARTS,
		.modelled = ALL,
		.caches = SMALL_CACHES };
	profiled_run_by(&crowd->plan, NULL, NULL, run_crowd, crowd, counted);
	profiled_sums(sums);
	expect_same_counters(counted, sums);
	for (unsigned i = PAPI_VPMU_FIRST_MODELLED; i < PROFILED_COUNTERS; i++)
		if (i != PAPI_VPMU_PREFETCH_MISSES)
			EXPECT(sums[i] > 0);
}

static void run_kernels(void)
{
	for (unsigned i = 0; i < n_kernels; i++)
		kernels[i].run();
}

/* And what they count without a profile. */
static void sums_are_counts(void)
{
	struct crowd crowd = { .threads = 1, .work = run_kernels };
	uint64_t counted[PROFILED_COUNTERS], profiled[PROFILED_COUNTERS];

	profile_crowd(&crowd, profiled);
	crowd.plan = (struct papi_agent_plan){ .parts = PAPI_VPMU_PARTS, .caches = SMALL_CACHES };
	profiled_run_by(&crowd.plan, NULL, NULL, run_crowd, &crowd, counted);
	expect_same_counters(counted, profiled);
}

static int compare(const void *a, const void *b)
{
	unsigned first = *(const unsigned *)a, second = *(const unsigned *)b;

	return (first > second) - (first < second);
}

/* All at once: reads, writes and branches that nobody could guess, of memory of its own. */
static void go_through(void)
{
	static _Thread_local volatile unsigned numbers[1 << 14];
	unsigned random = 1;

	for (unsigned i = 0; i < 1 << 15; i++) {
		random = random * 1103515245 + 12345;
		if (random >> 30)
			numbers[random >> 18] = random;
		else
			random ^= numbers[random >> 18];
	}
	qsort((void *)(uintptr_t)numbers, 2000, sizeof(numbers[0]), compare);
}

static void all_threads(void)
{
	struct crowd crowd = { .threads = THREADS, .work = go_through };
	uint64_t counted[PROFILED_COUNTERS], sums[PROFILED_COUNTERS];
	const struct profiled_thread *thread;
	unsigned n = 0;

	profile_crowd(&crowd, counted);
	for (; (thread = profiled_read_thread(n)); n++) {
		profiled_sums(sums);
		expect_same_counters(thread->counters, sums);
	}
	EXPECT_EQUAL(THREADS, n);
}

static void run_cut(void)
{
	for (unsigned i = 0; i < n_kernels; i++)
		if (!strcmp(kernels[i].name, "quicksort") || !strcmp(kernels[i].name, "exclusive accesses"))
			kernels[i].run();
}

/* In translated code, whose blocks they cut anywhere. */
static void run_interrupted(void)
{
	profiled_interrupted(run_cut, 400);
	cuts->timers = (unsigned)ticks;
}

static void signals_between(void)
{
	struct crowd crowd = { .threads = 1, .work = run_interrupted };
	uint64_t counted[PROFILED_COUNTERS];

	cuts->timers = 0;
	profile_crowd(&crowd, counted);
	EXPECT(cuts->timers >= PROFILED_TICKS);
}

int main(int count, char **arguments)
{
	static const struct test tests[] = {
		{ "each instruction of programs that are drawn", each_instruction },
		{ "the sum over all instructions is what is counted", sums_are_counts },
		{ "of all threads", all_threads },
		{ "with signals between any two instructions", signals_between },
	};

	setlinebuf(stdout);
	if (!virtual_begin())
		return 77;
	if (count > 1)
		programs = (unsigned)strtoul(arguments[1], NULL, 0);
	if (count > 2)
		profiled_slowness = atol(arguments[2]);
	cuts_make();
	draw_from(count > 3 ? strtoull(arguments[3], NULL, 0) : 1);
	make_memory();
	kernels_begin();
	return check_run(tests, COUNT_OF(tests));
}
