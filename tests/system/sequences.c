/* SPDX-License-Identifier: BSD-3-Clause */
/* Start, read, accum, reset, write and stop in the orders that programs use them in; every value is known. */
#include "check.h"
#include "work.h"

/* Two events, of which do_events() makes the same number. */
static int set;

static void do_events(size_t n)
{
	work_events(n);
}

static void do_100events(void)
{
	do_events(100);
}

static bool both(long long expected, const long long values[2])
{
	return EXPECT_EQUAL(expected, values[0]) && EXPECT_EQUAL(expected, values[1]);
}

static void expect_read(long long expected)
{
	long long values[2] = { -1, -1 };

	EXPECT_OK(PAPI_read(set, values));
	both(expected, values);
}

static void expect_stop(long long expected)
{
	long long values[2] = { -1, -1 };

	EXPECT_OK(PAPI_stop(set, values));
	both(expected, values);
}

/*
 * The example of PAPI_read and PAPI_accum in the Programmer's Reference 3.5. Its comment after the first accum, "200",
 * is what the counters hold: accum adds that to the array, which is therefore set to zero here before.
 */
static void the_example_of_read_and_accum(void)
{
	long long values[2] = { 0, 0 };

	EXPECT_OK(PAPI_start(set));
	do_100events();
	EXPECT_OK(PAPI_read(set, values));
	both(100, values);
	values[0] = values[1] = 0;
	do_100events();
	EXPECT_OK(PAPI_accum(set, values));
	both(200, values);
	values[0] = values[1] = -100;
	do_100events();
	EXPECT_OK(PAPI_accum(set, values));
	both(0, values);
	expect_stop(0);
}

static void accum_adds_to_what_is_there(void)
{
	long long values[2] = { 5, 5 };

	EXPECT_OK(PAPI_start(set));
	do_100events();
	EXPECT_OK(PAPI_accum(set, values));
	both(105, values);
	expect_read(0);
	do_events(10);
	EXPECT_OK(PAPI_accum(set, values));
	both(115, values);
	expect_stop(0);
}

/* Reading and setting to zero are one step: nothing falls between. */
static void accum_loses_nothing(void)
{
	long long values[2] = { 0, 0 };

	EXPECT_OK(PAPI_start(set));
	for (size_t i = 0; i < 500; i++) {
		do_events(i % 5);
		EXPECT_OK(PAPI_accum(set, values));
	}
	both(1000, values);
	expect_stop(0);
}

/* A stopped set adds the values of its last run, and has zeros afterwards. */
static void accum_of_a_stopped_set(void)
{
	long long values[2] = { 1, 1 };

	EXPECT_OK(PAPI_start(set));
	do_100events();
	expect_stop(100);
	EXPECT_OK(PAPI_accum(set, values));
	both(101, values);
	EXPECT_OK(PAPI_accum(set, values));
	both(101, values);
	expect_read(0);
}

static void start_begins_at_zero(void)
{
	for (size_t n = 0; n < 5; n++) {
		EXPECT_OK(PAPI_start(set));
		do_events(10 * n);
		expect_stop((long long)(10 * n));
		/* Nobody counts this. */
		do_events(3);
	}
}

static void reads_go_on(void)
{
	EXPECT_OK(PAPI_start(set));
	expect_read(0);
	do_100events();
	expect_read(100);
	expect_read(100);
	do_events(1);
	expect_read(101);
	do_100events();
	expect_stop(201);
}

static void a_stopped_set_shows_its_last_values(void)
{
	EXPECT_OK(PAPI_start(set));
	do_100events();
	expect_stop(100);
	do_events(7);
	expect_read(100);
	expect_read(100);
	EXPECT_OK(PAPI_start(set));
	EXPECT_OK(PAPI_stop(set, NULL));
	expect_read(0);
	EXPECT_OK(PAPI_start(set));
	do_events(4);
	EXPECT_OK(PAPI_stop(set, NULL));
	expect_read(4);
}

static void stop_twice(void)
{
	long long values[2] = { 12, 34 };

	EXPECT_OK(PAPI_start(set));
	do_events(2);
	expect_stop(2);
	EXPECT_ERROR(PAPI_ENOTRUN, "not counting", PAPI_stop(set, values));
	EXPECT_EQUAL(12, values[0]);
	EXPECT_EQUAL(34, values[1]);
	expect_read(2);
}

static void start_twice(void)
{
	EXPECT_OK(PAPI_start(set));
	do_events(20);
	EXPECT_ERROR(PAPI_EISRUN, "counting already", PAPI_start(set));
	do_events(3);
	expect_stop(23);
}

static void reset_while_running(void)
{
	EXPECT_OK(PAPI_start(set));
	do_100events();
	EXPECT_OK(PAPI_reset(set));
	expect_read(0);
	do_events(30);
	expect_read(30);
	EXPECT_OK(PAPI_reset(set));
	EXPECT_OK(PAPI_reset(set));
	do_events(4);
	expect_stop(4);
}

static void reset_while_stopped(void)
{
	EXPECT_OK(PAPI_start(set));
	do_100events();
	expect_stop(100);
	EXPECT_OK(PAPI_reset(set));
	expect_read(0);
	EXPECT_OK(PAPI_start(set));
	do_events(6);
	expect_stop(6);
}

static void write_while_running(void)
{
	long long values[2] = { 1000, -50 };

	EXPECT_OK(PAPI_start(set));
	do_100events();
	EXPECT_OK(PAPI_write(set, values));
	do_events(10);
	EXPECT_OK(PAPI_read(set, values));
	EXPECT_EQUAL(1010, values[0]);
	EXPECT_EQUAL(-40, values[1]);
	/* Again: what was written is replaced, not added to. */
	values[0] = values[1] = 7;
	EXPECT_OK(PAPI_write(set, values));
	do_events(1);
	expect_read(8);
	EXPECT_OK(PAPI_reset(set));
	do_events(2);
	expect_stop(2);
}

static void write_while_stopped(void)
{
	long long values[2] = { 500, 600 };

	EXPECT_OK(PAPI_start(set));
	do_100events();
	expect_stop(100);
	EXPECT_OK(PAPI_write(set, values));
	values[0] = values[1] = 0;
	EXPECT_OK(PAPI_read(set, values));
	EXPECT_EQUAL(500, values[0]);
	EXPECT_EQUAL(600, values[1]);
	/* Accum takes what was written, and leaves zeros. */
	EXPECT_OK(PAPI_accum(set, values));
	EXPECT_EQUAL(1000, values[0]);
	EXPECT_EQUAL(1200, values[1]);
	expect_read(0);
	/* Start begins at zero, whatever was written. */
	EXPECT_OK(PAPI_write(set, values));
	EXPECT_OK(PAPI_start(set));
	do_events(9);
	expect_stop(9);
}

static void write_and_accum_while_running(void)
{
	long long values[2] = { 50, 50 };

	EXPECT_OK(PAPI_start(set));
	EXPECT_OK(PAPI_write(set, values));
	do_events(5);
	values[0] = values[1] = 1;
	EXPECT_OK(PAPI_accum(set, values));
	both(56, values);
	do_events(3);
	expect_stop(3);
}

static void write_keeps_until_stop(void)
{
	long long values[2] = { 40, 40 };

	EXPECT_OK(PAPI_start(set));
	EXPECT_OK(PAPI_write(set, values));
	do_events(2);
	expect_stop(42);
	expect_read(42);
}

static void read_with_time(void)
{
	long long values[2], first, second;

	EXPECT_OK(PAPI_start(set));
	do_100events();
	EXPECT_OK(PAPI_read_ts(set, values, &first));
	both(100, values);
	do_100events();
	EXPECT_OK(PAPI_read_ts(set, values, &second));
	both(200, values);
	EXPECT(first > 0 && second > first);
	EXPECT_OK(PAPI_stop(set, NULL));
	EXPECT_OK(PAPI_read_ts(set, values, &first));
	both(200, values);
	EXPECT(first > second);
}

/* Software events are never without a counter: they run whenever they are enabled. */
static void times(void)
{
	long long enabled[2], running[2], again[2], wall = PAPI_get_real_nsec();

	EXPECT_OK(PAPI_start(set));
	do_100events();
	EXPECT_OK(PAPI_get_event_times(set, enabled, running));
	for (int i = 0; i < 2; i++) {
		EXPECT_BETWEEN(1, enabled[i], PAPI_get_real_nsec() - wall);
		EXPECT_EQUAL(enabled[i], running[i]);
	}
	EXPECT_OK(PAPI_get_event_times(set, NULL, again));
	EXPECT(again[0] > running[0]);
	EXPECT_OK(PAPI_stop(set, NULL));
	/* A stopped set: those of its last run, and they stand still. */
	EXPECT_OK(PAPI_get_event_times(set, enabled, NULL));
	EXPECT(enabled[0] >= again[0]);
	EXPECT_OK(PAPI_get_event_times(set, again, running));
	EXPECT_EQUAL(enabled[0], again[0]);
	EXPECT_EQUAL(again[0], running[0]);
	expect_read(100);
}

static void times_begin_at_start_and_reset(void)
{
	long long enabled[2], wall;

	EXPECT_OK(PAPI_start(set));
	do_events(1000);
	EXPECT_OK(PAPI_stop(set, NULL));
	wall = PAPI_get_real_nsec();
	EXPECT_OK(PAPI_start(set));
	EXPECT_OK(PAPI_get_event_times(set, enabled, NULL));
	EXPECT_BETWEEN(1, enabled[0], PAPI_get_real_nsec() - wall);
	do_events(1000);
	wall = PAPI_get_real_nsec();
	EXPECT_OK(PAPI_reset(set));
	EXPECT_OK(PAPI_get_event_times(set, enabled, NULL));
	EXPECT_BETWEEN(1, enabled[0], PAPI_get_real_nsec() - wall);
	EXPECT_OK(PAPI_stop(set, NULL));
}

int main(void)
{
	static const struct test tests[] = {
		{ "the example of read and accum", the_example_of_read_and_accum },
		{ "accum adds to what is there", accum_adds_to_what_is_there },
		{ "accum loses nothing", accum_loses_nothing },
		{ "accum of a stopped set", accum_of_a_stopped_set },
		{ "start begins at zero", start_begins_at_zero },
		{ "reads go on", reads_go_on },
		{ "a stopped set shows its last values", a_stopped_set_shows_its_last_values },
		{ "stop twice", stop_twice },
		{ "start twice", start_twice },
		{ "reset while running", reset_while_running },
		{ "reset while stopped", reset_while_stopped },
		{ "write while running", write_while_running },
		{ "write while stopped", write_while_stopped },
		{ "write and accum while running", write_and_accum_while_running },
		{ "what was written stays until stop", write_keeps_until_stop },
		{ "read with time", read_with_time },
		{ "times", times },
		{ "times begin at start and reset", times_begin_at_start_and_reset },
	};
	int status;

	work_begin();
	work_need_breakpoints();
	set = work_set(work_event(WORK_A), work_event(WORK_B), NULL);
	/* Everything that is used has been used once before it is counted. */
	EXPECT_OK(PAPI_start(set));
	do_events(4000);
	EXPECT_OK(PAPI_stop(set, NULL));
	status = check_run(tests, COUNT_OF(tests));
	work_discard(set);
	return work_end(status);
}
