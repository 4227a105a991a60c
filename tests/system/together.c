/* SPDX-License-Identifier: BSD-3-Clause */
/* Several EventSets of one thread at once, and sets whose events belong to several components. */
#include "check.h"
#include "work.h"

static int one_event(void)
{
	return work_set(work_event(WORK_A), NULL, NULL);
}

static void start(int set)
{
	EXPECT_OK(PAPI_start(set));
}

static void expect_read(long long expected, int set)
{
	long long value = -1;

	EXPECT_OK(PAPI_read(set, &value));
	EXPECT_EQUAL(expected, value);
}

static void expect_stop(long long expected, int set)
{
	EXPECT_EQUAL(expected, work_stop(set));
}

/* Where a sanitizer faults on its own memory, the kernel's books have at least the program's faults. */
static void expect_faults(long long expected, long long got)
{
	EXPECT(work_exact_faults() ? got == expected : got >= expected);
}

/* The same event in two sets that overlap: each counts its own region. */
static void two_that_overlap(void)
{
	int a = one_event(), b = one_event();

	for (int round = 0; round < 10; round++) {
		start(a);
		work_events(100);
		start(b);
		work_events(10);
		expect_stop(110, a);
		work_events(1);
		expect_read(110, a);
		expect_read(11, b);
		start(a);
		work_events(5);
		expect_stop(16, b);
		expect_stop(5, a);
	}
	work_discard(a);
	work_discard(b);
}

static void nested(void)
{
	int sets[4];

	for (size_t i = 0; i < COUNT_OF(sets); i++)
		sets[i] = one_event();
	for (size_t i = 0; i < COUNT_OF(sets); i++) {
		start(sets[i]);
		work_events(1);
	}
	for (size_t i = COUNT_OF(sets); i-- > 0;) {
		work_events(1);
		expect_stop(2 * (long long)(COUNT_OF(sets) - i), sets[i]);
	}
	for (size_t i = 0; i < COUNT_OF(sets); i++)
		work_discard(sets[i]);
}

static void taking_turns(void)
{
	int a = one_event(), b = one_event();

	for (size_t n = 0; n < 100; n++) {
		start(a);
		work_events(n);
		expect_stop((long long)n, a);
		start(b);
		work_events(2 * n);
		expect_stop(2 * (long long)n, b);
	}
	work_discard(a);
	work_discard(b);
}

/* What is done to one set while another runs leaves the other alone. */
static void changes_to_another_set(void)
{
	int a = one_event(), b = one_event();

	start(a);
	work_events(1);
	start(b);
	work_events(1);
	EXPECT_OK(PAPI_reset(b));
	work_events(1);
	expect_stop(1, b);
	EXPECT_OK(PAPI_cleanup_eventset(b));
	EXPECT_OK(PAPI_add_named_event(b, work_event(WORK_B)));
	start(b);
	work_events(2);
	expect_stop(2, b);
	work_discard(b);
	expect_read(5, a);
	work_events(1);
	expect_stop(6, a);
	work_discard(a);
}

/* An event of a set may be in several sets, and twice in one only under two names. */
static void many_sets(void)
{
	enum { SETS = 100 };
	int sets[SETS];

	for (size_t i = 0; i < SETS; i++)
		sets[i] = work_set("perf::CPU-CLOCK", "perf::TASK-CLOCK", NULL);
	for (size_t i = 0; i < SETS; i++)
		start(sets[i]);
	for (size_t i = 0; i < SETS; i++) {
		long long values[2];

		EXPECT_OK(PAPI_read(sets[i], values));
		EXPECT(values[0] > 0 && values[1] > 0);
	}
	for (size_t i = 0; i < SETS; i++) {
		EXPECT_OK(PAPI_stop(sets[i], NULL));
		work_discard(sets[i]);
	}
}

/* The kernel's books of faults and perf's counter agree. */
static void two_components(void)
{
	int set = work_set(work_event(WORK_A), "rusage:::minflt", work_event(WORK_B)), codes[3], number = 3;
	long long values[3];

	EXPECT_EQUAL(3, PAPI_num_events(set));
	EXPECT_OK(PAPI_list_events(set, codes, &number));
	EXPECT_EQUAL(0, PAPI_get_event_component(codes[0]));
	EXPECT_EQUAL(PAPI_get_component_index("rusage"), PAPI_get_event_component(codes[1]));
	EXPECT_EQUAL(0, PAPI_get_eventset_component(set));
	for (int round = 0; round < 10; round++) {
		start(set);
		work_events(100);
		work_read_values(set, values, COUNT_OF(values));
		EXPECT_EQUAL(100, values[0]);
		EXPECT_EQUAL(100, values[2]);
		expect_faults(100, values[1]);
		work_events(50);
		work_stop_values(set, values, COUNT_OF(values));
		EXPECT_EQUAL(150, values[0]);
		EXPECT_EQUAL(150, values[2]);
		expect_faults(150, values[1]);
	}
	work_discard(set);
}

/* Values come in the order of the events, however components take turns in it. */
static void order_of_mixed_events(void)
{
	int set = work_set("rusage:::realtime", work_event(WORK_A), "rusage:::majflt");
	long long values[5], before, inside;

	EXPECT_OK(PAPI_add_named_event(set, work_event(WORK_B)));
	EXPECT_OK(PAPI_add_named_event(set, "rusage:::minflt"));
	EXPECT_EQUAL(PAPI_get_component_index("rusage"), PAPI_get_eventset_component(set));
	for (int round = 0; round < 3; round++) {
		before = PAPI_get_real_nsec();
		start(set);
		inside = PAPI_get_real_nsec();
		work_events(30);
		inside = PAPI_get_real_nsec() - inside;
		work_stop_values(set, values, COUNT_OF(values));
		before = PAPI_get_real_nsec() - before;
	}
	EXPECT_BETWEEN(inside, values[0], before);
	EXPECT_EQUAL(30, values[1]);
	EXPECT_EQUAL(0, values[2]);
	EXPECT_EQUAL(30, values[3]);
	expect_faults(30, values[4]);
	/* Without the first of perf_event's. */
	EXPECT_OK(PAPI_remove_named_event(set, work_event(WORK_A)));
	start(set);
	work_events(40);
	work_stop_values(set, values, COUNT_OF(values));
	EXPECT_EQUAL(0, values[1]);
	EXPECT_EQUAL(40, values[2]);
	expect_faults(40, values[3]);
	/* Without the last one of perf_event: one component is left. */
	EXPECT_OK(PAPI_remove_named_event(set, work_event(WORK_B)));
	start(set);
	work_events(50);
	work_stop_values(set, values, COUNT_OF(values));
	expect_faults(50, values[2]);
	work_discard(set);
}

static void accum_reset_and_write_of_mixed_events(void)
{
	int set = work_set(work_event(WORK_A), "rusage:::minflt", NULL);
	long long values[2] = { 1, 1 };

	start(set);
	work_events(10);
	EXPECT_OK(PAPI_accum(set, values));
	EXPECT_EQUAL(11, values[0]);
	expect_faults(11, values[1]);
	work_events(20);
	EXPECT_OK(PAPI_accum(set, values));
	EXPECT_EQUAL(31, values[0]);
	expect_faults(31, values[1]);
	work_events(5);
	EXPECT_OK(PAPI_reset(set));
	work_events(3);
	work_read_values(set, values, COUNT_OF(values));
	EXPECT_EQUAL(3, values[0]);
	expect_faults(3, values[1]);
	values[0] = 100;
	values[1] = -200;
	EXPECT_OK(PAPI_write(set, values));
	work_events(4);
	work_stop_values(set, values, COUNT_OF(values));
	EXPECT_EQUAL(104, values[0]);
	expect_faults(-196, values[1]);
	work_discard(set);
}

/* The clocks of both components start and stop together. */
static void times_of_mixed_events(void)
{
	int set = work_set(work_event(WORK_A), "rusage:::utime", NULL);
	long long enabled[2], running[2], wall = PAPI_get_real_nsec();

	start(set);
	work_events(100);
	EXPECT_OK(PAPI_stop(set, NULL));
	wall = PAPI_get_real_nsec() - wall;
	EXPECT_OK(PAPI_get_event_times(set, enabled, running));
	for (int i = 0; i < 2; i++) {
		EXPECT_BETWEEN(1, enabled[i], wall);
		EXPECT_EQUAL(enabled[i], running[i]);
	}
	work_discard(set);
}

static void *read_elsewhere(void *argument)
{
	long long values[2];
	int set = *(int *)argument;

	/* perf events can be read by anybody in the process, getrusage(2) tells of the calling thread only. */
	EXPECT_ERROR(PAPI_ECMP, "thread that started", PAPI_read(set, values));
	return NULL;
}

static void *read_perf_elsewhere(void *argument)
{
	expect_read(20, *(int *)argument);
	return NULL;
}

static void read_by_another_thread(void)
{
	int set = one_event(), mixed = work_set(work_event(WORK_B), "rusage:::nvcsw", NULL);
	long long values[2];

	start(set);
	start(mixed);
	work_events(20);
	work_read_values(set, values, COUNT_OF(values));
	/* Making the thread may fault here: only what came before is known. */
	EXPECT_OK(PAPI_stop(set, NULL));
	work_in_thread(read_perf_elsewhere, &set);
	work_in_thread(read_elsewhere, &mixed);
	work_events(2);
	work_stop_values(mixed, values, COUNT_OF(values));
	EXPECT_EQUAL(22, values[0]);
	work_discard(set);
	set = work_set(work_event(WORK_B), NULL, NULL);
	start(set);
	work_events(20);
	work_in_thread(read_perf_elsewhere, &set);
	work_events(1);
	expect_stop(21, set);
	work_discard(set);
	work_discard(mixed);
}

int main(void)
{
	static const struct test tests[] = {
		{ "two that overlap", two_that_overlap },
		{ "nested", nested },
		{ "taking turns", taking_turns },
		{ "changes to another set", changes_to_another_set },
		{ "many sets", many_sets },
		{ "two components", two_components },
		{ "order of mixed events", order_of_mixed_events },
		{ "accum, reset and write of mixed events", accum_reset_and_write_of_mixed_events },
		{ "times of mixed events", times_of_mixed_events },
		{ "read by another thread", read_by_another_thread },
	};

	work_begin();
	work_need_breakpoints();
	work_events(4000);
	two_that_overlap();
	return work_end(check_run(tests, COUNT_OF(tests)));
}
