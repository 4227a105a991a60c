/* SPDX-License-Identifier: BSD-3-Clause */
/* Turns of sets that count other threads, processes and CPUs, and what these create: by real time, then. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cells.h"
#include "check.h"

#define TURN    2000000
#define ROUNDS  2000
#define PERCENT 25

static unsigned n_events;

static void work_for_long(void *unused)
{
	(void)unused;
	cells_work(ROUNDS);
}

static int turns_set(void)
{
	return cells_set(PAPI_MULTIPLEX_FORCE_SW, TURN, 0, n_events);
}

/* Of the child, or of this thread where there is none. */
static void expect_near(int set, struct work_child *child)
{
	long long values[CELLS];
	bool near = false;

	for (unsigned i = 0; i < CELLS_TRIES && !near; i++) {
		EXPECT_OK(PAPI_start(set));
		if (child)
			work_child_go(child);
		else
			cells_work(ROUNDS);
		EXPECT_OK(PAPI_stop(set, values));
		near = cells_near(ROUNDS, 0, n_events, values, PERCENT);
	}
	EXPECT(near);
}

static void of_another(struct work_child *child)
{
	int set = turns_set();

	EXPECT_OK(PAPI_attach(set, (unsigned long)child->id));
	expect_near(set, child);
	expect_near(set, child);
	EXPECT_OK(PAPI_detach(set));
	expect_near(set, NULL);
	work_discard(set);
}

static void of_a_process(void)
{
	struct work_child child;

	work_child_fork(&child, work_for_long, NULL);
	of_another(&child);
	work_child_end(&child);
}

static void of_a_thread(void)
{
	struct work_child child;

	work_child_thread(&child, work_for_long, NULL);
	of_another(&child);
	work_child_end(&child);
}

/* The new addresses reach the events that a child has inherited. */
static bool estimate_of_children(unsigned unused)
{
	int set = turns_set();
	PAPI_option_t option = { .inherit = { .eventset = set, .inherit = PAPI_INHERIT_ALL } };
	struct work_child child;
	long long values[CELLS];

	(void)unused;
	EXPECT_OK(PAPI_set_opt(PAPI_INHERIT, &option));
	EXPECT_OK(PAPI_start(set));
	work_child_fork(&child, work_for_long, NULL);
	work_child_go(&child);
	work_child_end(&child);
	EXPECT_OK(PAPI_stop(set, values));
	work_discard(set);
	/* Once to be ready, once when told. */
	return cells_near(2 * ROUNDS, 0, n_events, values, PERCENT);
}

static void inherited(void)
{
	cells_expect_near(estimate_of_children, 0);
}

/* Each CPU has its registers, and its turns. */
static void of_cpus(void)
{
	int set = cells_empty_set(PAPI_MULTIPLEX_FORCE_SW, TURN), cpus[2];
	PAPI_option_t option = { .cpu = { .eventset = set } };
	long long values[CELLS];

	if (work_cpus(cpus, 2) < 1 ||
		PAPI_set_opt(PAPI_CPU_ATTACH, (option.cpu.cpu_num = (unsigned)cpus[0], &option)) ||
		PAPI_add_named_event(set, cells_event(0)) != PAPI_OK) {
		check_skip("whole CPUs cannot be watched here: %s", PAPI_error_detail());
		return;
	}
	for (unsigned i = 1; i < n_events; i++)
		REQUIRE_OK(PAPI_add_named_event(set, cells_event(i)));
	work_pin(cpus[0]);
	EXPECT_OK(PAPI_start(set));
	cells_work(ROUNDS);
	EXPECT_OK(PAPI_stop(set, values));
	work_unpin();
	/* Others may have run on it meanwhile, so only that all were counted is sure. */
	for (unsigned i = 0; i < n_events; i++)
		EXPECT(values[i] > 0);
	work_discard(set);
}

/* Of all that options can ask for together, what is accepted counts, and what is refused leaves the set as it was. */
static void combinations(void)
{
	static const struct {
		int domain, granularity;
		bool attach, cpu, inherit;
		int expected; /* PAPI_ECNFLCT: whatever */
	} cases[] = {
		{ PAPI_DOM_USER, PAPI_GRN_THR, false, false, false, PAPI_OK },
		{ PAPI_DOM_ALL, PAPI_GRN_THR, false, false, true, PAPI_OK },
		{ PAPI_DOM_OTHER, PAPI_GRN_THR, false, false, false, PAPI_EINVAL_DOM },
		{ PAPI_DOM_USER, PAPI_GRN_PROC, false, false, false, PAPI_ECMP },
		{ PAPI_DOM_USER, PAPI_GRN_THR, true, true, false, PAPI_ECOMBO },
		{ PAPI_DOM_USER, PAPI_GRN_SYS, true, false, false, PAPI_ECOMBO },
		{ PAPI_DOM_USER, PAPI_GRN_THR, true, false, true, PAPI_OK },
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		int set = turns_set(), status;
		PAPI_option_t option;
		long long values[CELLS];

		option.domain = (PAPI_domain_option_t){ .eventset = set, .domain = cases[i].domain };
		status = PAPI_set_opt(PAPI_DOMAIN, &option);
		option.granularity = (PAPI_granularity_option_t){ .eventset = set,
			.granularity = cases[i].granularity };
		status = status == PAPI_OK ? PAPI_set_opt(PAPI_GRANUL, &option) : status;
		option.inherit = (PAPI_inherit_option_t){ .eventset = set, .inherit = cases[i].inherit };
		status = status == PAPI_OK ? PAPI_set_opt(PAPI_INHERIT, &option) : status;
		if (status == PAPI_OK && cases[i].attach)
			status = PAPI_attach(set, (unsigned long)getpid());
		option.cpu = (PAPI_cpu_option_t){ .eventset = set, .cpu_num = 0 };
		if (status == PAPI_OK && cases[i].cpu)
			status = PAPI_set_opt(PAPI_CPU_ATTACH, &option);
		/* Who may not watch the kernel or the system is told that first. */
		EXPECT(status == cases[i].expected || status == PAPI_EPERM);
		EXPECT(PAPI_get_multiplex(set) > 0);
		EXPECT_OK(PAPI_start(set));
		cells_work_until_all_ran(set, n_events);
		EXPECT_OK(PAPI_stop(set, values));
		work_discard(set);
	}
}

int main(void)
{
	static const struct test tests[] = {
		{ "of a process", of_a_process },
		{ "of a thread", of_a_thread },
		{ "inherited", inherited },
		{ "of CPUs", of_cpus },
		{ "combinations", combinations },
	};

	work_begin();
	if (!cells_prompt_signals()) {
		printf("ThreadSanitizer keeps signals back, so turns do not end in time\n");
		return work_end(77);
	}
	n_events = cells_registers() + 2;
	cells_work(1);
	return work_end(check_run(tests, COUNT_OF(tests)));
}
