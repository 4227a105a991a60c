/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Modelled events beside the plain reference model (tests/vpmu/reference_model.c), to the unit, of programs that are
 * drawn: with accesses of all kinds, exclusive ones, calls, returns, and branches.
 *
 *	test_arm64_modelled [programs [seed]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "modelled.h"
#include "virtual.h"

#define CONSTANT UINT32_MAX
static const struct {
	const char *name;
	unsigned first, second; /* counters of the reference model, that are added */
} events[] = {
	{ "INSTRUCTIONS", PAPI_VPMU_INSTRUCTIONS, CONSTANT },
	{ "BRANCHES_MISPREDICTED", PAPI_VPMU_CONDITIONAL_MISPREDICTED, CONSTANT },
	{ "TARGETS_MISPREDICTED", PAPI_VPMU_INDIRECT_MISPREDICTED, PAPI_VPMU_RETURNS_MISPREDICTED },
	{ "RETURNS_MISPREDICTED", PAPI_VPMU_RETURNS_MISPREDICTED, CONSTANT },
	{ "L1D_READ_MISSES", PAPI_VPMU_L1D_READ_MISSES, CONSTANT },
	{ "L1D_WRITE_MISSES", PAPI_VPMU_L1D_WRITE_MISSES, CONSTANT },
	{ "PREFETCH_MISSES", PAPI_VPMU_PREFETCH_MISSES, CONSTANT },
	{ "DTLB_MISSES", PAPI_VPMU_DTLB_READ_MISSES, PAPI_VPMU_DTLB_WRITE_MISSES },
	{ "L1I_MISSES", PAPI_VPMU_L1I_MISSES, CONSTANT },
	{ "ITLB_MISSES", PAPI_VPMU_ITLB_MISSES, CONSTANT },
	{ "L2I_MISSES", PAPI_VPMU_L2I_MISSES, CONSTANT },
	{ "L2D_READ_MISSES", PAPI_VPMU_L2D_READ_MISSES, CONSTANT },
	{ "L2D_WRITE_MISSES", PAPI_VPMU_L2D_WRITE_MISSES, CONSTANT },
	{ "L3D_READ_MISSES", PAPI_VPMU_L3D_READ_MISSES, CONSTANT },
	{ "L3D_WRITE_MISSES", PAPI_VPMU_L3D_WRITE_MISSES, CONSTANT },
	{ "ITLB_WALKS", PAPI_VPMU_ITLB_WALKS, CONSTANT },
};

/* Which of them, and whether cycles are the last; those of one part of the simulators, and of all. The first of them
 * may overflow: then blocks are others, and run instruction by instruction near that. */
static const struct {
	const char *name;
	unsigned first, last;
	bool cycles;
	int threshold;
} choices[] = {
	{ "branches", 1, 3, false, 0 },
	{ "data", 4, 7, false, 0 },
	{ "code", 8, 9, false, 0 },
	{ "data and code", 4, 15, false, 0 },
	{ "all", 0, 15, true, 0 },
	{ "branches that overflow", 1, 3, false, 3 },
	{ "data that overflows", 4, 7, false, 7 },
	{ "code that overflows", 8, 9, false, 11 },
	{ "cycles", 0, 15, true, 100 },
};

static uint64_t expected_of(const struct reference_model *model, unsigned event)
{
	return model->counters[events[event].first] +
		(events[event].second == CONSTANT ? 0 : model->counters[events[event].second]);
}

/* All that belongs to the same choice has one set, and one reference model. */
struct chosen {
	unsigned choice;
	int set;
	struct reference_model *model;
	long long sums[COUNT_OF(events) + 1];
	uint64_t cycles; /* whole ones of each region, of quarters */
};

static unsigned overflows;

static void happened(int set, void *address, long long vector, void *context)
{
	(void)set;
	(void)address;
	(void)vector;
	(void)context;
	overflows++;
}

static void begin(struct chosen *chosen, unsigned choice)
{
	char name[64];
	int code;

	*chosen = (struct chosen){ .choice = choice, .set = PAPI_NULL, .model = reference_make(&small_caches) };
	chosen->model->counting = true;
	REQUIRE_OK(PAPI_create_eventset(&chosen->set));
	for (unsigned i = choices[choice].first; i <= choices[choice].last; i++) {
		snprintf(name, sizeof(name), "vpmu:::%s", events[i].name);
		REQUIRE_OK(PAPI_add_named_event(chosen->set, name));
	}
	if (choices[choice].cycles)
		REQUIRE_OK(PAPI_add_named_event(chosen->set, "vpmu:::CYCLES"));
	snprintf(name, sizeof(name), "vpmu:::%s", events[choices[choice].first].name);
	REQUIRE_OK(PAPI_event_name_to_code(name, &code));
	if (choices[choice].threshold)
		REQUIRE_OK(PAPI_overflow(chosen->set, code, choices[choice].threshold, 0, happened));
}

static void finish(struct chosen *chosen)
{
	REQUIRE_OK(PAPI_cleanup_eventset(chosen->set));
	REQUIRE_OK(PAPI_destroy_eventset(&chosen->set));
	reference_end(chosen->model);
}

static bool same(const struct chosen *chosen, const char *name, uint64_t expected, long long sum)
{
	if ((long long)expected == sum)
		return true;
	printf("%s, %s: %llu in the reference model, %lld counted\n", choices[chosen->choice].name, name,
		(unsigned long long)expected, sum);
	return false;
}

static bool compare(const struct chosen *chosen)
{
	unsigned first = choices[chosen->choice].first, last = choices[chosen->choice].last;
	bool all = true;

	for (unsigned i = first; i <= last; i++)
		all &= same(chosen, events[i].name, expected_of(chosen->model, i), chosen->sums[i - first]);
	if (choices[chosen->choice].cycles)
		all &= same(chosen, "CYCLES", chosen->cycles, chosen->sums[last + 1 - first]);
	return all;
}

/* Twice: the second time blocks lead to each other. */
static bool check(struct chosen *chosen, const struct program *program)
{
	for (unsigned i = 0; i < 2; i++) {
		long long counts[COUNT_OF(events) + 1] = { 0 };
		struct state state = initial_state(program, chosen->set, counts);
		uint64_t before;

		overflows = 0;
		fill_arena(program->seed);
		enter(&state, (const void *)(uintptr_t)code_address(program->page));
		for (unsigned j = 0; j < COUNT_OF(counts); j++)
			chosen->sums[j] += counts[j];
		if (choices[chosen->choice].threshold)
			EXPECT_EQUAL(counts[0] / choices[chosen->choice].threshold, overflows);
		before = reference_cycles(chosen->model->counters);
		if (!walk(program, chosen->model, NULL))
			return false;
		chosen->cycles += (reference_cycles(chosen->model->counters) - before) / 4;
	}
	return compare(chosen);
}

static void run(unsigned choice, unsigned programs, uint64_t seed)
{
	static struct chosen chosen;

	draw_from(seed);
	make_memory();
	begin(&chosen, choice);
	for (unsigned i = 0; i < programs; i++) {
		struct program program = make_program(i, choices[choice].threshold ? WITHOUT_LEAVING : ANYTHING);

		if (!EXPECT(check(&chosen, &program))) {
			printf("program %u, with seed of the arena %llu\n", i, (unsigned long long)program.seed);
			break;
		}
	}
	EXPECT(!vector_bytes || walked_chosen > programs);
	printf("%s: %llu instructions, %lu accesses of vectors of any length\n", choices[choice].name,
		(unsigned long long)chosen.model->counters[PAPI_VPMU_INSTRUCTIONS], walked_chosen);
	finish(&chosen);
}

/* Each choice in a process of its own, whose caches are empty. */
int main(int count, char **arguments)
{
	unsigned programs = count > 1 ? (unsigned)strtoul(arguments[1], NULL, 0) : 30;

	setlinebuf(stdout);
	setenv("PAPI_VPMU", "always", 1);
	setenv("PAPI_VPMU_CACHE", SMALL_CACHES, 1);
	for (unsigned i = 0; i < COUNT_OF(choices); i++) {
		pid_t child = fork();
		int status;

		REQUIRE(child >= 0);
		if (child == 0) {
			if (!virtual_begin())
				return 77;
			run(i, programs < MAX_PAGES ? programs : MAX_PAGES,
				count > 2 ? strtoull(arguments[2], NULL, 0) : 1);
			return check_failures() ? 1 : 0;
		}
		REQUIRE(waitpid(child, &status, 0) == child && WIFEXITED(status));
		if (WEXITSTATUS(status) == 77)
			return 77;
		EXPECT_EQUAL(0, WEXITSTATUS(status));
	}
	return check_failures() ? 1 : 0;
}
