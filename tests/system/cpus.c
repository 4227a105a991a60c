/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whole CPUs: PAPI_CPU_ATTACH and the granularities of the system. Whatever runs on a CPU is counted, so the event is
 * one that only this program makes: writes to a variable at an address that means nothing to other programs.
 */
#include <stdio.h>

#include "check.h"
#include "work.h"

#define MOST_CPUS 64

static struct work_cell cell;
static char cell_writes[WORK_NAME];
static int cpus[MOST_CPUS], n_cpus;

static int attach_cpu(int set, int cpu)
{
	PAPI_option_t option = { .cpu = { .eventset = set, .cpu_num = (unsigned)cpu } };

	return PAPI_set_opt(PAPI_CPU_ATTACH, &option);
}

static int set_granularity(int set, int granularity)
{
	PAPI_option_t option = { .granularity = { .eventset = set, .granularity = granularity } };

	return PAPI_set_opt(PAPI_GRANUL, &option);
}

static void store_on(int cpu, unsigned long times)
{
	work_pin(cpu);
	work_store(&cell, times);
	work_unpin();
}

/* What happens there, and nothing of what happens elsewhere. */
static void one_cpu(void)
{
	int set = work_set(cell_writes, NULL, NULL);

	for (int i = 0; i < n_cpus; i++) {
		PAPI_option_t option = { .cpu = { .eventset = set } };
		int state;

		EXPECT_OK(attach_cpu(set, cpus[i]));
		EXPECT_EQUAL(1, PAPI_get_opt(PAPI_CPU_ATTACH, &option));
		EXPECT_EQUAL(cpus[i], option.cpu.cpu_num);
		EXPECT_OK(PAPI_state(set, &state));
		EXPECT_EQUAL(PAPI_STOPPED | PAPI_CPU_ATTACHED, state);
		EXPECT_OK(PAPI_start(set));
		for (int j = 0; j < n_cpus; j++)
			store_on(cpus[j], j == i ? 100 : 7);
		EXPECT_EQUAL(100, work_stop(set));
	}
	EXPECT_OK(PAPI_detach(set));
	EXPECT_OK(PAPI_start(set));
	for (int j = 0; j < n_cpus; j++)
		store_on(cpus[j], 3);
	EXPECT_EQUAL(3 * n_cpus, work_stop(set));
	work_discard(set);
}

static void store_100(void *unused)
{
	(void)unused;
	work_store(&cell, 100);
}

/* Other processes, too: a child of fork(2) has the variable at the same address. */
static void whoever_runs_there(void)
{
	int set = work_set(cell_writes, NULL, NULL);
	struct work_child child;

	work_pin(cpus[0]);
	work_child_fork(&child, store_100, NULL);
	work_unpin();
	EXPECT_OK(attach_cpu(set, cpus[0]));
	EXPECT_OK(PAPI_start(set));
	work_child_go(&child);
	EXPECT_EQUAL(100, work_stop(set));
	work_child_end(&child);
	work_discard(set);
}

static void every_cpu(void)
{
	int set = work_set(cell_writes, NULL, NULL);
	long long expected = 0;
	struct work_child child;

	work_child_fork(&child, store_100, NULL);
	EXPECT_OK(set_granularity(set, PAPI_GRN_SYS_CPU));
	for (int round = 0; round < 3; round++) {
		EXPECT_OK(PAPI_start(set));
		for (int i = 0; i < n_cpus; i++)
			store_on(cpus[i], (unsigned long)(i + 1) * 10);
		work_child_go(&child);
		expected = 5LL * n_cpus * (n_cpus + 1) + 100;
		EXPECT_EQUAL(expected, work_stop(set));
	}
	work_child_end(&child);
	/* Adding and removing works on all of them at once. */
	EXPECT_OK(PAPI_add_named_event(set, "perf::CONTEXT-SWITCHES"));
	EXPECT_OK(PAPI_remove_named_event(set, cell_writes));
	EXPECT_OK(PAPI_start(set));
	EXPECT_OK(PAPI_stop(set, NULL));
	EXPECT_OK(PAPI_add_named_event(set, cell_writes));
	EXPECT_OK(PAPI_start(set));
	for (int i = 0; i < n_cpus; i++)
		store_on(cpus[i], 1);
	{
		long long values[2];

		work_stop_values(set, values, COUNT_OF(values));
		EXPECT(values[0] >= 0);
		EXPECT_EQUAL(n_cpus, values[1]);
	}
	work_discard(set);
}

/* The CPU that the set was made ready on. */
static void this_cpu(void)
{
	int set = work_set(cell_writes, NULL, NULL);

	work_pin(cpus[n_cpus - 1]);
	EXPECT_OK(set_granularity(set, PAPI_GRN_SYS));
	EXPECT_OK(PAPI_start(set));
	for (int i = 0; i < n_cpus; i++)
		store_on(cpus[i], i == n_cpus - 1 ? 100 : 7);
	EXPECT_EQUAL(100, work_stop(set));
	work_unpin();
	work_discard(set);
}

int main(void)
{
	static const struct test tests[] = {
		{ "one CPU", one_cpu },
		{ "whoever runs there", whoever_runs_there },
		{ "every CPU", every_cpu },
		{ "this CPU", this_cpu },
	};
	int set, status;

	work_begin();
	work_need_breakpoints();
	work_name(cell_writes, &cell, "/8:w");
	n_cpus = work_cpus(cpus, MOST_CPUS);
	set = work_set(cell_writes, NULL, NULL);
	status = attach_cpu(set, cpus[0]);
	if (status == PAPI_EPERM) {
		printf("skipped: %s\n", PAPI_error_detail());
		return 77;
	}
	EXPECT_OK(status);
	work_discard(set);
	return work_end(check_run(tests, COUNT_OF(tests)));
}
