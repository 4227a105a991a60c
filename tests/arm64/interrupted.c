/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Records that signals cut off: of programs that are drawn the simulators count the loads and stores of the arena, by
 * their addresses, while its pages are taken away all the time, and timers go off. What has run before a fault is in no
 * record that the block makes: none may be lost, and none told twice.
 *
 *	test_arm64_interrupted [programs [seed]]
 */
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "cuts.h"
#include "modelled.h"
#include "virtual.h"

/* Loads, stores, and what makes it simulate code and branches as well. */
static int make_set(void)
{
	PAPI_option_t options = { 0 };
	int set = PAPI_NULL;

	REQUIRE_OK(PAPI_create_eventset(&set));
	REQUIRE_OK(PAPI_add_named_event(set, "vpmu:::LOADS"));
	REQUIRE_OK(PAPI_add_named_event(set, "vpmu:::STORES"));
	REQUIRE_OK(PAPI_add_named_event(set, "vpmu:::STALL_CYCLES"));
	options.addr.eventset = set;
	options.addr.start = (void *)arena;
	options.addr.end = (void *)(arena + ARENA_SIZE);
	REQUIRE_OK(PAPI_set_opt(PAPI_DATA_ADDRESS, &options));
	return set;
}

static bool check(const struct program *program, int set)
{
	struct reference_model *model = reference_make(&small_caches);
	long long counts[3] = { 0 };
	struct state state = initial_state(program, set, counts);
	bool same;

	model->counting = model->counts_accesses = true;
	model->data_start = (uint64_t)(uintptr_t)arena;
	model->data_end = model->data_start + ARENA_SIZE;
	REQUIRE(walk(program, model, NULL));
	fill_arena(program->seed);
	cuts_begin(1);
	enter(&state, (const void *)(uintptr_t)code_address(program->page));
	cuts_end();
	same = EXPECT_EQUAL((long long)model->counters[PAPI_VPMU_LOADS], counts[0]);
	same &= EXPECT_EQUAL((long long)model->counters[PAPI_VPMU_STORES], counts[1]);
	reference_end(model);
	return same;
}

int main(int count, char **arguments)
{
	unsigned programs = count > 1 ? (unsigned)strtoul(arguments[1], NULL, 0) : 20;
	int set;

	setlinebuf(stdout);
	if (!virtual_begin())
		return 77;
	draw_from(count > 2 ? strtoull(arguments[2], NULL, 0) : 1);
	make_memory();
	cuts_make();
	set = make_set();
	for (unsigned i = 0; i < programs && i < MAX_PAGES; i++) {
		struct program program = make_program(i, RESTARTABLE);

		if (!check(&program, set)) {
			printf("program %u\n", i);
			break;
		}
	}
	printf("%u faults, %u timers\n", cuts->faults, cuts->timers);
	EXPECT(cuts->faults > programs);
	EXPECT_OK(PAPI_cleanup_eventset(set));
	EXPECT_OK(PAPI_destroy_eventset(&set));
	return check_failures() ? 1 : 0;
}
