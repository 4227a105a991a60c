/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Estimates of multiplexing by the library, on more breakpoints than the processor has, against what is known exactly;
 * and multiplexing by the kernel, by the library and none at all against each other.
 */
#include <limits.h>
#include <stdio.h>

#include "cells.h"
#include "check.h"

#define TURN   2000000 /* ns: as many turns as a timer can make in a short test */
#define ROUNDS 2000

#define PERCENT 25 /* that an estimate may be off; on average 10 */

static unsigned registers;

/* Of so many events. */
static bool estimate(unsigned n)
{
	int set = cells_set(PAPI_MULTIPLEX_FORCE_SW, TURN, 0, n);
	long long values[CELLS], enabled[CELLS], running[CELLS], sum = 0;
	bool near;

	EXPECT_OK(PAPI_start(set));
	cells_work(ROUNDS);
	EXPECT_OK(PAPI_read(set, values));
	near = cells_near(ROUNDS, 0, n, values, PERCENT);
	cells_work(ROUNDS);
	EXPECT_OK(PAPI_stop(set, values));
	near = cells_near(2 * ROUNDS, 0, n, values, PERCENT) && near;
	/* What each ran adds up to what the registers were there for. */
	EXPECT_OK(PAPI_get_event_times(set, enabled, running));
	for (unsigned i = 0; i < n; i++) {
		EXPECT_EQUAL(enabled[0], enabled[i]);
		EXPECT_BETWEEN(1, running[i], enabled[i]);
		sum += running[i];
	}
	EXPECT_BETWEEN(enabled[0] * registers / 100 * 99, sum, enabled[0] * registers / 100 * 101);
	work_discard(set);
	return near;
}

static void estimates_are_near_the_truth(void)
{
	cells_expect_near(estimate, registers + 1);
	cells_expect_near(estimate, CELLS);
}

static unsigned twice_the_registers(void)
{
	return 2 * registers < CELLS ? 2 * registers : CELLS;
}

/* Breakpoints take turns in both kinds, as the kernel does not multiplex them. */
static bool estimate_twice_the_registers(unsigned flags)
{
	unsigned n = twice_the_registers();
	int set = cells_set((int)flags, TURN, 0, n);
	long long estimated[CELLS];

	EXPECT_OK(PAPI_start(set));
	cells_work(ROUNDS);
	EXPECT_OK(PAPI_stop(set, estimated));
	work_discard(set);
	return cells_near(ROUNDS, 0, n, estimated, PERCENT);
}

/* Two different sets of events that fit, and one that does not: the same program, so the same counts. */
static void as_without_multiplexing(void)
{
	long long exact[CELLS];
	unsigned n = twice_the_registers();

	for (unsigned first = 0; first < n; first += registers) {
		unsigned last = first + registers < n ? first + registers : n;
		int set = PAPI_NULL;

		REQUIRE_OK(PAPI_create_eventset(&set));
		for (unsigned i = first; i < last; i++)
			REQUIRE_OK(PAPI_add_named_event(set, cells_event(i)));
		EXPECT_OK(PAPI_start(set));
		cells_work(ROUNDS);
		EXPECT_OK(PAPI_stop(set, exact));
		EXPECT(cells_near(ROUNDS, first, last - first, exact, 0));
		work_discard(set);
	}
	for (unsigned flags = PAPI_MULTIPLEX_DEFAULT; flags <= PAPI_MULTIPLEX_FORCE_SW; flags++)
		cells_expect_near(estimate_twice_the_registers, flags);
}

#define ROUNDS_ALIKE 10

/* Of a clock that was started earlier and stopped later than another: an interrupt may come in between. */
struct excess {
	long long more, than;
};

/* Where nothing is short, all three count the same events at the same time, and to the last one. */
static void all_kinds_agree_on_what_is_exact(void)
{
	struct excess least[3] = { { LLONG_MAX, 0 }, { LLONG_MAX, 0 }, { LLONG_MAX, 0 } };
	int by_kernel = cells_empty_set(PAPI_MULTIPLEX_DEFAULT, 0),
	    by_library = cells_empty_set(PAPI_MULTIPLEX_FORCE_SW, TURN);
	int plain = PAPI_NULL, sets[3];

	REQUIRE_OK(PAPI_create_eventset(&plain));
	sets[0] = by_kernel;
	sets[1] = by_library;
	sets[2] = plain;
	for (int i = 0; i < 3; i++) {
		EXPECT_OK(PAPI_add_named_event(sets[i], work_event(WORK_A)));
		EXPECT_OK(PAPI_add_named_event(sets[i], "perf::TASK-CLOCK"));
		EXPECT_OK(PAPI_add_named_event(sets[i], "rusage:::majflt"));
	}
	for (unsigned round = 0; round < ROUNDS_ALIKE; round++) {
		long long values[3][3], enabled[3], running[3];

		for (int i = 0; i < 3; i++)
			EXPECT_OK(PAPI_start(sets[i]));
		cells_work(100);
		work_events(round * 10);
		for (int i = 3; i-- > 0;)
			EXPECT_OK(PAPI_stop(sets[i], values[i]));
		for (int i = 0; i < 3; i++) {
			EXPECT_EQUAL(round * 10, values[i][0]);
			EXPECT(values[i][1] >= values[2][1]);
			if (values[i][1] - values[2][1] < least[i].more)
				least[i] = (struct excess){ values[i][1] - values[2][1], values[2][1] };
			EXPECT_EQUAL(0, values[i][2]);
			EXPECT_OK(PAPI_get_event_times(sets[i], enabled, running));
			for (int j = 0; j < 3; j++)
				EXPECT_EQUAL(enabled[j], running[j]);
		}
	}
	for (int i = 0; i < 3; i++) {
		EXPECT_BETWEEN(0, least[i].more, least[i].than / 20);
		work_discard(sets[i]);
	}
}

/* A derived event needs all its natives, which may be in different turns. */
static void derived_events(void)
{
	char definition[512];
	int set = cells_empty_set(PAPI_MULTIPLEX_FORCE_SW, TURN);
	FILE *file = fopen("multiplexed-cells.events", "w");
	PAPI_option_t option;
	long long values[3];

	REQUIRE(file != NULL);
	fprintf(file, "EVENT,ALL_CELLS,DERIVED_ADD");
	for (unsigned i = 0; i <= registers; i++)
		fprintf(file, ",%s", cells_event(i));
	fprintf(file, "\nEVENT,TWO_CELLS,DERIVED_POSTFIX,N0|N1|-|,%s,%s\n", cells_event(2), cells_event(0));
	fclose(file);
	snprintf(definition, sizeof(definition), "multiplexed-cells.events");
	option.events_file = definition;
	EXPECT_OK(PAPI_set_opt(PAPI_USER_EVENTS_FILE, &option));
	remove(definition);
	EXPECT_OK(PAPI_add_named_event(set, "ALL_CELLS"));
	EXPECT_OK(PAPI_add_named_event(set, "TWO_CELLS"));
	EXPECT_OK(PAPI_start(set));
	cells_work(ROUNDS);
	EXPECT_OK(PAPI_stop(set, values));
	values[2] = 0;
	for (unsigned i = 0; i <= registers; i++)
		values[2] += ROUNDS * cells_writes(i);
	EXPECT_BETWEEN(values[2] * 3 / 4, values[0], values[2] * 5 / 4);
	/* The difference of two estimates, three and one for each round, is off by what both are. */
	EXPECT_BETWEEN(ROUNDS * 1, values[1], ROUNDS * 3);
	work_discard(set);
}

/* While one event waits, others count: no estimate goes down, whenever it is asked for. */
static void estimates_never_decrease(void)
{
	int set = cells_set(PAPI_MULTIPLEX_FORCE_SW, TURN, 0, CELLS);
	long long before[CELLS] = { 0 }, values[CELLS];
	unsigned changed = 0;

	EXPECT_OK(PAPI_start(set));
	cells_work_until_all_ran(set, CELLS);
	for (int i = 0; i < 4000; i++) {
		/* Nothing happens for some time, then much. */
		if (i % 400 < 200)
			cells_work(1);
		REQUIRE_OK(PAPI_read(set, values));
		for (int j = 0; j < CELLS; j++) {
			REQUIRE(EXPECT(values[j] >= before[j]));
			changed += values[j] > before[j];
			before[j] = values[j];
		}
	}
	EXPECT(changed > 100);
	EXPECT_OK(PAPI_stop(set, values));
	for (int j = 0; j < CELLS; j++)
		EXPECT(values[j] >= before[j]);
	work_discard(set);
}

int main(void)
{
	static const struct test tests[] = {
		{ "estimates are near the truth", estimates_are_near_the_truth },
		{ "as without multiplexing", as_without_multiplexing },
		{ "all kinds agree on what is exact", all_kinds_agree_on_what_is_exact },
		{ "derived events", derived_events },
		{ "estimates never decrease", estimates_never_decrease },
	};

	work_begin();
	if (!cells_prompt_signals()) {
		printf("ThreadSanitizer keeps signals back, so turns do not end in time\n");
		return work_end(77);
	}
	registers = cells_registers();
	REQUIRE_OK(PAPI_multiplex_init());
	work_events(100);
	cells_work(1);
	return work_end(check_run(tests, COUNT_OF(tests)));
}
