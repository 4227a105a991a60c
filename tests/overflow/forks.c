/* SPDX-License-Identifier: BSD-3-Clause */
/* fork(2) with events that overflow: the parent goes on, the child has sets that are stopped and can be started. */
#include <unistd.h>

#include "check.h"
#include "record.h"

static struct work_cell cell;

static int new_set(int threshold)
{
	char name[WORK_NAME];

	work_name(name, &cell, "/8:w");
	return record_set(name, threshold, 0);
}

static void expect_child(pid_t child)
{
	EXPECT_EQUAL(0, work_wait(child));
}

static void while_it_runs(void)
{
	int set = new_set(10), state;
	pid_t child;

	EXPECT_OK(PAPI_start(set));
	work_store(&cell, 25);
	EXPECT_EQUAL(2, record.calls);
	child = fork();
	if (child == 0) {
		record_clear();
		work_store(&cell, 100);
		EXPECT_EQUAL(0, record.calls);
		EXPECT_OK(PAPI_state(set, &state));
		EXPECT_EQUAL(PAPI_STOPPED | PAPI_OVERFLOWING, state);
		for (int run = 0; run < 2; run++) {
			record_clear();
			EXPECT_OK(PAPI_start(set));
			work_store(&cell, 45);
			EXPECT_EQUAL(45, work_stop(set));
			EXPECT_EQUAL(4, record.calls);
			EXPECT_EQUAL(0, record_lost(set));
		}
		EXPECT_OK(PAPI_overflow(set, record_code(set, 0), 0, 0, NULL));
		work_discard(set);
		_exit(check_failures() != 0);
	}
	work_store(&cell, 25);
	expect_child(child);
	EXPECT_EQUAL(50, work_stop(set));
	EXPECT_EQUAL(5, record.calls);
	EXPECT_EQUAL(0, record_lost(set));
	work_discard(set);
}

static void by_timer(void)
{
	int set = record_set("perf::TASK-CLOCK", 1000000, PAPI_OVERFLOW_FORCE_SW);
	pid_t child;

	EXPECT_OK(PAPI_start(set));
	child = fork();
	if (child == 0) {
		record_clear();
		record_spin(50);
		EXPECT_EQUAL(0, record.calls);
		EXPECT_OK(PAPI_start(set));
		for (int i = 0; i < 100 && record.calls < 3; i++)
			record_spin(20);
		EXPECT(record.calls >= 3);
		EXPECT_OK(PAPI_stop(set, NULL));
		work_discard(set);
		_exit(check_failures() != 0);
	}
	record_clear();
	for (int i = 0; i < 100 && record.calls < 3; i++)
		record_spin(20);
	EXPECT(record.calls >= 3);
	expect_child(child);
	EXPECT_OK(PAPI_stop(set, NULL));
	work_discard(set);
}

/* Signals arrive all the time, also while the library prepares for a fork. */
static void again_and_again(void)
{
	int set = work_set("perf::TASK-CLOCK", NULL, NULL), forks = 0;

	REQUIRE_OK(PAPI_overflow(set, record_code(set, 0), 20000, 0, record_handler));
	record_clear();
	EXPECT_OK(PAPI_start(set));
	while (forks < 100) {
		pid_t child = fork();

		if (child == 0)
			_exit(0);
		forks++;
		expect_child(child);
	}
	record_spin(10);
	EXPECT_OK(PAPI_stop(set, NULL));
	EXPECT(record.calls > 0);
	work_discard(set);
}

static void in_a_handler(void)
{
	int set = new_set(10);

	EXPECT_OK(PAPI_overflow(set, record_code(set, 0), 10, 0, record_forking_handler));
	EXPECT_OK(PAPI_start(set));
	work_store(&cell, 100);
	EXPECT_EQUAL(100, work_stop(set));
	EXPECT_EQUAL(10, record.calls);
	work_discard(set);
}

int main(void)
{
	static const struct test tests[] = {
		{ "while it runs", RECORD_WATCHED(while_it_runs) },
		{ "by timer", by_timer },
		{ "again and again", again_and_again },
		{ "in a handler", RECORD_WATCHED(in_a_handler) },
	};

	record_need_prompt_signals();
	work_begin();
	work_need_breakpoints();
	return work_end(check_run(tests, COUNT_OF(tests)));
}
