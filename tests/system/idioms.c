/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How public programs begin: timers of climate models, profilers of MPI jobs, instrumenting compilers, wrappers for
 * other languages. Each test is what one of these does in its first lines, in words of our own; what counts is that it
 * ends with a count, wherever presets can be counted at all.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "check.h"

#define ROUNDS 20000

/* At least so many instructions and branches as it has rounds. */
static __attribute__((noinline)) void work(void)
{
	for (volatile unsigned i = 0; i < ROUNDS; i++)
		;
}

static unsigned long thread_id(void)
{
	return (unsigned long)pthread_self();
}

/* As a process of its own would: nothing is left of the one before. */
static void begin(void)
{
	PAPI_shutdown();
	REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
}

static void discard(int *set)
{
	EXPECT_OK(PAPI_cleanup_eventset(*set));
	EXPECT_OK(PAPI_destroy_eventset(set));
}

/* All modes are asked for, and where the kernel forbids that, the user's. */
static void all_modes(int domain)
{
	int set = PAPI_NULL;

	EXPECT_OK(PAPI_set_domain(domain));
	EXPECT_OK(PAPI_create_eventset(&set));
	if (PAPI_add_event(set, PAPI_TOT_INS) == PAPI_EPERM)
		EXPECT_OK(PAPI_set_domain(PAPI_DOM_USER));
	discard(&set);
}

/*
 * A timing library: all modes first, then events one by one, and when one does not fit, a multiplexed set for all of
 * them which is bound to the CPU before there is anything in it. It reads at the beginning and at the end of each
 * timer.
 */
static void timers(void)
{
	static const int events[] = { PAPI_TOT_INS, PAPI_TOT_CYC, PAPI_BR_INS };
	long long before[3], after[3];
	int n = 0, set = PAPI_NULL;

	begin();
	all_modes(PAPI_DOM_ALL);
	for (int multiplexed = 0; multiplexed < 2; multiplexed++, n = 0) {
		set = PAPI_NULL;
		EXPECT_OK(PAPI_create_eventset(&set));
		if (multiplexed) {
			EXPECT_OK(PAPI_multiplex_init());
			EXPECT_OK(PAPI_assign_eventset_component(set, 0));
			EXPECT_OK(PAPI_set_multiplex(set));
		}
		for (unsigned i = 0; i < COUNT_OF(events); i++)
			if (PAPI_query_event(events[i]) == PAPI_OK)
				n += PAPI_add_event(set, events[i]) == PAPI_OK;
		EXPECT(n > 0);
		EXPECT_OK(PAPI_start(set));
		if (multiplexed) {
			/* An estimate needs a turn. */
			long long end = PAPI_get_real_usec() + 10000000;

			while (PAPI_read(set, before) != PAPI_OK && PAPI_get_real_usec() < end)
				work();
		}
		EXPECT_OK(PAPI_read(set, before));
		work();
		EXPECT_OK(PAPI_read(set, after));
		if (!multiplexed)
			EXPECT(after[0] - before[0] >= ROUNDS);
		EXPECT(after[0] >= before[0]);
		EXPECT_OK(PAPI_stop(set, after));
		discard(&set);
	}
}

/* A profiler of MPI jobs: threads, all modes, guards against machines without counters, one set from start to end. */
static void whole_jobs(void)
{
	const PAPI_component_info_t *cpu;
	long long value;
	int set = PAPI_NULL;

	begin();
	EXPECT_OK(PAPI_thread_init(thread_id));
	EXPECT(PAPI_get_opt(PAPI_MAX_HWCTRS, NULL) > 0);
	EXPECT(PAPI_num_hwctrs() > 0);
	cpu = PAPI_get_component_info(0);
	REQUIRE(cpu != NULL);
	EXPECT(cpu->num_cntrs > 0 && cpu->num_preset_events > 0);
	all_modes(PAPI_DOM_ALL);
	EXPECT_OK(PAPI_create_eventset(&set));
	EXPECT_OK(PAPI_assign_eventset_component(set, 0));
	EXPECT_OK(PAPI_add_event(set, PAPI_TOT_INS));
	EXPECT_OK(PAPI_start(set));
	work();
	EXPECT_OK(PAPI_stop(set, &value));
	EXPECT(value >= ROUNDS);
	discard(&set);
}

/* An instrumenting profiler: it keeps a component out before anything starts, and has a set per component. */
static void sets_by_component(void)
{
	static const char *const names[] = { "PAPI_TOT_INS", "rusage:::minflt" };
	int unwanted = -1, n = PAPI_num_components();
	long long value;

	PAPI_shutdown();
	for (int i = 0; i < n; i++) {
		const PAPI_component_info_t *info = PAPI_get_component_info(i);

		if (EXPECT(info != NULL) && !strcmp(info->name, "sysdetect"))
			unwanted = i;
	}
	EXPECT_OK(PAPI_disable_component(unwanted));
	REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
	EXPECT_EQUAL(PAPI_ECMP_DISABLED, PAPI_get_component_info(unwanted)->disabled);
	for (unsigned i = 0; i < COUNT_OF(names); i++) {
		int code, set = PAPI_NULL, component;

		EXPECT_OK(PAPI_event_name_to_code(names[i], &code));
		component = PAPI_get_event_component(code);
		EXPECT(component >= 0 && PAPI_get_component_info(component)->disabled == PAPI_OK);
		EXPECT_OK(PAPI_create_eventset(&set));
		EXPECT_OK(PAPI_assign_eventset_component(set, component));
		EXPECT_OK(PAPI_add_event(set, code));
		EXPECT_OK(PAPI_start(set));
		work();
		EXPECT_OK(PAPI_read(set, &value));
		EXPECT_OK(PAPI_stop(set, &value));
		EXPECT(value >= (i ? 0 : ROUNDS));
		discard(&set);
	}
}

static void *sample(void *unused)
{
	int set = PAPI_NULL;
	long long sum[2] = { 0, 0 };

	(void)unused;
	EXPECT_OK(PAPI_register_thread());
	EXPECT_OK(PAPI_create_eventset(&set));
	EXPECT_OK(PAPI_add_named_event(set, "PAPI_TOT_INS"));
	EXPECT_OK(PAPI_add_named_event(set, "PAPI_BR_INS"));
	EXPECT_OK(PAPI_start(set));
	for (int i = 1; i <= 3; i++) {
		work();
		EXPECT_OK(PAPI_accum(set, sum));
		EXPECT(sum[0] >= (long long)i * ROUNDS && sum[1] >= (long long)i * ROUNDS);
	}
	EXPECT_OK(PAPI_stop(set, NULL));
	discard(&set);
	EXPECT_OK(PAPI_unregister_thread());
	return NULL;
}

/* An annotation library: it may be the second to ask for the library, and each thread has its set of what the user
 * chose. */
static void sets_by_thread(void)
{
	pthread_t threads[3];

	PAPI_shutdown();
	if (PAPI_is_initialized() == PAPI_NOT_INITED)
		REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
	EXPECT_OK(PAPI_thread_init(thread_id));
	for (unsigned i = 0; i < COUNT_OF(threads); i++)
		REQUIRE(pthread_create(&threads[i], NULL, sample, NULL) == 0);
	for (unsigned i = 0; i < COUNT_OF(threads); i++)
		pthread_join(threads[i], NULL);
}

/* A module of a scripting language: the high level, with as many events as it is told there is room for. */
static void scripts(void)
{
	int events[] = { PAPI_TOT_INS, PAPI_BR_INS }, n;
	long long values[2] = { 0, 0 }, instructions;
	float real, cpu, rate;

	PAPI_shutdown();
	n = PAPI_num_counters();
	EXPECT(n > 0);
	n = n < 2 ? n : 2;
	EXPECT_OK(PAPI_start_counters(events, n));
	work();
	EXPECT_OK(PAPI_read_counters(values, n));
	EXPECT(values[0] >= ROUNDS);
	work();
	EXPECT_OK(PAPI_stop_counters(values, n));
	EXPECT(values[0] >= ROUNDS);
	if (PAPI_ipc(&real, &cpu, &instructions, &rate) != PAPI_OK) {
		printf("cycles cannot be counted beside instructions here\n");
		return;
	}
	work();
	EXPECT_OK(PAPI_ipc(&real, &cpu, &instructions, &rate));
	EXPECT(instructions >= ROUNDS && rate > 0);
	EXPECT_OK(PAPI_rate_stop());
}

int main(void)
{
	static const struct test tests[] = {
		{ "timers", timers },
		{ "whole jobs", whole_jobs },
		{ "sets by component", sets_by_component },
		{ "sets by thread", sets_by_thread },
		{ "scripts", scripts },
	};

	REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
	if (PAPI_query_event(PAPI_TOT_INS) != PAPI_OK) {
		printf("presets cannot be counted here: %s\n", PAPI_error_detail());
		return 77;
	}
	return check_run(tests, COUNT_OF(tests));
}
