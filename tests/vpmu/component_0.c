/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Component 0 is the CPU's, also where presets are counted by another component: programs of all versions bind a set to
 * it before they add presets, and ask it how many counters there are.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "spin.h"
#include "virtual.h"

#define ROUNDS 10000

static void expect_counting(int set, const int events[], int n, const long long least[])
{
	long long values[8];

	for (int i = 0; i < n; i++)
		EXPECT_OK(PAPI_add_event(set, events[i]));
	EXPECT_EQUAL(0, PAPI_get_eventset_component(set));
	EXPECT_OK(PAPI_start(set));
	spin(ROUNDS);
	EXPECT_OK(PAPI_stop(set, values));
	for (int i = 0; i < n; i++)
		EXPECT_BETWEEN(least[i], values[i], least[i] + least[i] / 10);
}

static void discard(int set)
{
	EXPECT_OK(PAPI_cleanup_eventset(set));
	EXPECT_OK(PAPI_destroy_eventset(&set));
}

/* An empty set that is bound to the CPU, as programs make theirs. */
static int cpu_set(void)
{
	int set = PAPI_NULL;

	REQUIRE_OK(PAPI_create_eventset(&set));
	EXPECT_OK(PAPI_assign_eventset_component(set, 0));
	EXPECT_EQUAL(0, PAPI_get_eventset_component(set));
	return set;
}

static void presets(void)
{
	int set = cpu_set();

	expect_counting(set, (int[]){ PAPI_TOT_INS, PAPI_BR_TKN }, 2, (long long[]){ 2 * ROUNDS, ROUNDS - 1 });
	discard(set);
}

static void multiplexed(void)
{
	int set = cpu_set();

	EXPECT_OK(PAPI_multiplex_init());
	EXPECT_OK(PAPI_set_multiplex(set));
	expect_counting(
		set, (int[]){ PAPI_BR_CN, PAPI_BR_INS, PAPI_TOT_INS }, 3, (long long[]){ ROUNDS, ROUNDS, 2 * ROUNDS });
	discard(set);
}

static void inherited(void)
{
	PAPI_option_t option = { .inherit = { .eventset = cpu_set(), .inherit = PAPI_INHERIT_ALL } };
	int set = option.inherit.eventset;

	EXPECT_OK(PAPI_set_opt(PAPI_INHERIT, &option));
	expect_counting(set, (int[]){ PAPI_TOT_INS }, 1, (long long[]){ 2 * ROUNDS });
	discard(set);
}

/* What the CPU's component counts itself goes into the same set. */
static void with_software_events(void)
{
	int set = cpu_set(), late = PAPI_NULL;
	long long values[2];

	EXPECT_OK(PAPI_add_event(set, PAPI_TOT_INS));
	EXPECT_OK(PAPI_add_named_event(set, "perf::TASK-CLOCK"));
	EXPECT_OK(PAPI_start(set));
	spin(ROUNDS);
	EXPECT_OK(PAPI_stop(set, values));
	EXPECT(values[0] >= 2 * ROUNDS && values[1] > 0);
	discard(set);

	/* Bound when it holds presets already. */
	REQUIRE_OK(PAPI_create_eventset(&late));
	EXPECT_OK(PAPI_add_event(late, PAPI_TOT_INS));
	EXPECT_EQUAL(PAPI_get_component_index("vpmu"), PAPI_get_eventset_component(late));
	EXPECT_OK(PAPI_assign_eventset_component(late, 0));
	EXPECT_EQUAL(0, PAPI_get_eventset_component(late));
	EXPECT_OK(PAPI_add_named_event(late, "perf::PAGE-FAULTS"));
	discard(late);
}

static void other_components(void)
{
	int set = cpu_set(), rusage = PAPI_get_component_index("rusage");

	EXPECT_ERROR(PAPI_ECMP, "assigned to", PAPI_add_named_event(set, "rusage:::minflt"));
	EXPECT_ERROR(PAPI_EINVAL, "component already", PAPI_assign_eventset_component(set, rusage));
	discard(set);

	set = PAPI_NULL;
	REQUIRE_OK(PAPI_create_eventset(&set));
	EXPECT_OK(PAPI_assign_eventset_component(set, rusage));
	EXPECT_ERROR(PAPI_ECMP, "assigned to", PAPI_add_event(set, PAPI_TOT_INS));
	discard(set);

	set = PAPI_NULL;
	REQUIRE_OK(PAPI_create_eventset(&set));
	EXPECT_OK(PAPI_assign_eventset_component(set, PAPI_get_component_index("vpmu")));
	EXPECT_ERROR(PAPI_ECMP, "assigned to", PAPI_add_named_event(set, "perf::PAGE-FAULTS"));
	EXPECT_OK(PAPI_add_event(set, PAPI_TOT_INS));
	discard(set);
}

/* As many as count at once: a set of that many events can be made. */
static void numbers(void)
{
	const PAPI_component_info_t *info = PAPI_get_component_info(0);
	int set = cpu_set(), code = PAPI_PRESET_MASK, n = 0;

	for (int status = PAPI_enum_event(&code, PAPI_ENUM_FIRST); status == PAPI_OK;
		status = PAPI_enum_event(&code, PAPI_PRESET_ENUM_AVAIL))
		if (PAPI_query_event(code) == PAPI_OK) {
			EXPECT_OK(PAPI_add_event(set, code));
			n++;
		}
	EXPECT(n > 10);
	EXPECT_EQUAL(n, info->num_preset_events);
	EXPECT(info->num_cntrs >= 40);
	EXPECT(info->num_mpx_cntrs >= info->num_cntrs);
	EXPECT_EQUAL(info->num_cntrs, PAPI_num_hwctrs());
	EXPECT_EQUAL(info->num_cntrs, PAPI_num_counters());
	EXPECT_EQUAL(info->num_cntrs, PAPI_num_cmp_hwctrs(0));
	EXPECT_EQUAL(info->num_cntrs, PAPI_get_opt(PAPI_MAX_HWCTRS, NULL));
	EXPECT_EQUAL(info->num_mpx_cntrs, PAPI_get_opt(PAPI_MAX_MPX_CTRS, NULL));
	EXPECT_OK(PAPI_start(set));
	EXPECT_OK(PAPI_stop(set, NULL));
	discard(set);
}

int main(void)
{
	static const struct test tests[] = {
		{ "presets in a set of the CPU", presets },
		{ "multiplexed", multiplexed },
		{ "inherited", inherited },
		{ "with software events", with_software_events },
		{ "other components", other_components },
		{ "how many there are", numbers },
	};

	if (!virtual_begin())
		return 77;
	if (PAPI_get_event_component(PAPI_TOT_INS) != PAPI_get_component_index("vpmu")) {
		printf("the processor counts presets here\n");
		return 77;
	}
	return check_run(tests, COUNT_OF(tests));
}
