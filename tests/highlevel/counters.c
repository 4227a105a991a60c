/* SPDX-License-Identifier: BSD-3-Clause */
/* PAPI_num_counters, PAPI_start_counters, PAPI_read_counters, PAPI_accum_counters and PAPI_stop_counters in one
 * thread. */

#include "check.h"
#include "presets.h"
#include "work.h"

static int one[] = { PAPI_TOT_INS };
static int two[] = { PAPI_TOT_CYC, PAPI_TOT_INS };

static void do_100events(void)
{
	presets_work(100);
}

/* Every test starts with nothing initialised but all code in memory, and leaves nothing running. */
static void afresh(void)
{
	presets_warm_up();
	PAPI_shutdown();
	EXPECT_EQUAL(PAPI_NOT_INITED, PAPI_is_initialized());
}

static void the_first_call_initialises(void)
{
	long long values[2];

	afresh();
	EXPECT_EQUAL(PAPI_num_counters(), PAPI_num_counters());
	EXPECT_EQUAL(PAPI_HIGH_LEVEL_INITED, PAPI_is_initialized());
	EXPECT_EQUAL(PAPI_num_hwctrs(), PAPI_num_counters());
	PAPI_shutdown();
	EXPECT_OK(PAPI_start_counters(two, 2));
	EXPECT_EQUAL(PAPI_HIGH_LEVEL_INITED, PAPI_is_initialized());
	EXPECT_OK(PAPI_stop_counters(values, 2));
	EXPECT_EQUAL(PAPI_HIGH_LEVEL_INITED, PAPI_is_initialized());
	PAPI_shutdown();
	EXPECT_EQUAL(PAPI_VER_CURRENT, PAPI_library_init(PAPI_VER_CURRENT));
	EXPECT_EQUAL(PAPI_LOW_LEVEL_INITED, PAPI_is_initialized());
	EXPECT_OK(PAPI_start_counters(two, 2));
	EXPECT_EQUAL(PAPI_VER_CURRENT, PAPI_library_init(PAPI_VER_CURRENT));
	EXPECT_EQUAL(PAPI_HIGH_LEVEL_INITED, PAPI_is_initialized());
	EXPECT_OK(PAPI_stop_counters(values, 2));
}

static void before_the_first_start(void)
{
	long long values[2] = { -7, -7 };

	afresh();
	EXPECT_ERROR(PAPI_ENOTRUN, "PAPI_start_counters first", PAPI_read_counters(values, 2));
	EXPECT_ERROR(PAPI_ENOTRUN, "PAPI_start_counters first", PAPI_accum_counters(values, 2));
	EXPECT_ERROR(PAPI_ENOTRUN, "PAPI_start_counters first", PAPI_stop_counters(values, 2));
	EXPECT_EQUAL(-7, values[0]);
	EXPECT_EQUAL(-7, values[1]);
	EXPECT_EQUAL(PAPI_NOT_INITED, PAPI_is_initialized());
}

/* Programmer's Reference 3.5, pages PAPI_read_counters and PAPI_accum_counters. */
static void the_example_of_read_and_accum(void)
{
	long long values[1];

	presets_warm_up();
	EXPECT_OK(PAPI_start_counters(one, 1));
	do_100events();
	EXPECT_OK(PAPI_read_counters(values, 1));
	EXPECT_EQUAL(100, values[0]);
	do_100events();
	EXPECT_OK(PAPI_accum_counters(values, 1));
	EXPECT_EQUAL(200, values[0]);
	values[0] = -100;
	do_100events();
	EXPECT_OK(PAPI_accum_counters(values, 1));
	EXPECT_EQUAL(0, values[0]);
	EXPECT_OK(PAPI_stop_counters(values, 1));
	EXPECT_EQUAL(0, values[0]);
}

/* Each read has what came since the one before. */
static void reading_resets(void)
{
	long long values[2];

	presets_warm_up();
	EXPECT_OK(PAPI_start_counters(two, 2));
	for (int n = 300; n > 0; n -= 100) {
		presets_work((size_t)n);
		EXPECT_OK(PAPI_read_counters(values, 2));
		EXPECT_EQUAL(n * PRESETS_CORE, values[0]);
		EXPECT_EQUAL(n, values[1]);
	}
	EXPECT_OK(PAPI_read_counters(values, 2));
	EXPECT_EQUAL(0, values[1]);
	EXPECT_OK(PAPI_stop_counters(values, 2));
	EXPECT_EQUAL(0, values[1]);
}

/* Page PAPI_stop_counters; and stopping resets. */
static void the_example_of_stop(void)
{
	presets_warm_up();
	for (int n = 10; n <= 1000; n *= 10) {
		int Events[2] = { PAPI_TOT_CYC, PAPI_TOT_INS };
		long long values[2];

		EXPECT_OK(PAPI_start_counters(Events, 2));
		presets_work((size_t)n);
		EXPECT_OK(PAPI_stop_counters(values, 2));
		EXPECT_EQUAL(n * PRESETS_CORE, values[0]);
		EXPECT_EQUAL(n, values[1]);
	}
}

/* Page PAPI_num_counters: what it returns is the length of an array that all the functions take. */
static void arrays_may_be_longer(void)
{
	long long values[4] = { -7, -7, -7, -7 };

	presets_warm_up();
	EXPECT_OK(PAPI_start_counters(two, 2));
	do_100events();
	EXPECT_OK(PAPI_read_counters(values, 4));
	EXPECT_EQUAL(100 * PRESETS_CORE, values[0]);
	EXPECT_EQUAL(100, values[1]);
	do_100events();
	EXPECT_OK(PAPI_accum_counters(values, 4));
	EXPECT_EQUAL(200 * PRESETS_CORE, values[0]);
	EXPECT_EQUAL(200, values[1]);
	EXPECT_OK(PAPI_stop_counters(values, 4));
	EXPECT_EQUAL(0, values[0]);
	EXPECT_EQUAL(0, values[1]);
	EXPECT_EQUAL(-7, values[2]);
	EXPECT_EQUAL(-7, values[3]);
}

/* None of these disturbs what is counted. */
static void bad_arguments(void)
{
	long long values[2] = { -7, -7 };

	presets_warm_up();
	EXPECT_ERROR(PAPI_EINVAL, "events is a null pointer", PAPI_start_counters(NULL, 2));
	EXPECT_ERROR(PAPI_EINVAL, "array_len is 0", PAPI_start_counters(two, 0));
	EXPECT_ERROR(PAPI_EINVAL, "array_len is -1", PAPI_start_counters(two, -1));
	EXPECT_OK(PAPI_start_counters(two, 2));
	do_100events();
	EXPECT_STATUS(PAPI_EISRUN, PAPI_start_counters(one, 1));
	EXPECT_STATUS(PAPI_EINVAL, PAPI_read_counters(NULL, 2));
	EXPECT_STATUS(PAPI_EINVAL, PAPI_read_counters(values, 1));
	EXPECT_STATUS(PAPI_EINVAL, PAPI_read_counters(values, -1));
	EXPECT_STATUS(PAPI_EINVAL, PAPI_accum_counters(NULL, 2));
	EXPECT_STATUS(PAPI_EINVAL, PAPI_accum_counters(values, 0));
	EXPECT_STATUS(PAPI_EINVAL, PAPI_stop_counters(NULL, 2));
	EXPECT_STATUS(PAPI_EINVAL, PAPI_stop_counters(values, 1));
	EXPECT_EQUAL(-7, values[0]);
	EXPECT_EQUAL(-7, values[1]);
	EXPECT_OK(PAPI_stop_counters(values, 2));
	EXPECT_EQUAL(100 * PRESETS_CORE, values[0]);
	EXPECT_EQUAL(100, values[1]);
	EXPECT_OK(PAPI_start_counters(two, 2));
	EXPECT_ERROR(PAPI_EISRUN, "PAPI_stop_counters", PAPI_start_counters(two, 2));
	EXPECT_ERROR(PAPI_EINVAL, "2 events are counted, and array_len is 1", PAPI_read_counters(values, 1));
	EXPECT_ERROR(PAPI_EINVAL, "values is a null pointer", PAPI_accum_counters(NULL, 2));
	EXPECT_ERROR(PAPI_EINVAL, "2 events are counted, and array_len is 0", PAPI_stop_counters(values, 0));
	EXPECT_OK(PAPI_stop_counters(values, 2));
}

/* The reason is that of the event which failed, also when it is not the first, and nothing is left of the others. */
static void events_that_do_not_exist(void)
{
	int absent[] = { PAPI_TOT_INS, PAPI_VEC_DP }, twice[] = { PAPI_TOT_INS, PAPI_TOT_INS };
	int nonsense[] = { PAPI_TOT_INS, 77 };
	long long values[2];
	int descriptors = work_descriptors();

	presets_warm_up();
	EXPECT_ERROR(PAPI_ENOEVNT, "PAPI_VEC_DP is not defined for this CPU", PAPI_start_counters(absent, 2));
	EXPECT_ERROR(PAPI_ENOEVNT, "PAPI_VEC_DP is not defined for this CPU", PAPI_start_counters(absent + 1, 1));
	EXPECT_ERROR(PAPI_ECNFLCT, "PAPI_TOT_INS is in the EventSet already", PAPI_start_counters(twice, 2));
	EXPECT_ERROR(PAPI_EINVAL, "is no event code", PAPI_start_counters(nonsense, 2));
	EXPECT_STATUS(PAPI_ENOTRUN, PAPI_stop_counters(values, 2));
	EXPECT_EQUAL(descriptors, work_descriptors());
	EXPECT_OK(PAPI_start_counters(two, 2));
	EXPECT_OK(PAPI_stop_counters(values, 2));
}

/* Low-level sets of the same thread run at the same time. */
static void low_level_calls_between(void)
{
	long long values[2], value;
	int set = PAPI_NULL;

	presets_warm_up();
	EXPECT_EQUAL(PAPI_VER_CURRENT, PAPI_library_init(PAPI_VER_CURRENT));
	EXPECT_OK(PAPI_create_eventset(&set));
	EXPECT_OK(PAPI_add_event(set, PAPI_TOT_INS));
	EXPECT_OK(PAPI_start(set));
	EXPECT_OK(PAPI_read(set, &value));
	EXPECT_OK(PAPI_reset(set));
	do_100events();
	EXPECT_OK(PAPI_start_counters(two, 2));
	EXPECT_OK(PAPI_reset(set));
	do_100events();
	EXPECT_OK(PAPI_read(set, &value));
	EXPECT_EQUAL(100, value);
	do_100events();
	EXPECT_OK(PAPI_stop_counters(values, 2));
	EXPECT_EQUAL(200, values[1]);
	EXPECT_EQUAL(200 * PRESETS_CORE, values[0]);
	EXPECT_STATUS(PAPI_ENOTRUN, PAPI_read_counters(values, 2));
	EXPECT_OK(PAPI_stop(set, &value));
	work_discard(set);
}

/* More measurements than there are handles; and no descriptor stays open. */
static void nothing_is_left_behind(void)
{
	int descriptors, code;
	long long value;

	presets_warm_up();
	EXPECT_OK(PAPI_event_name_to_code("rusage:::minflt", &code));
	descriptors = work_descriptors();
	for (int i = 0; i < 70000; i++) {
		REQUIRE_OK(PAPI_start_counters(&code, 1));
		REQUIRE_OK(PAPI_stop_counters(&value, 1));
	}
	EXPECT_OK(PAPI_start_counters(two, 2));
	EXPECT_OK(PAPI_stop_counters((long long[2]){ 0 }, 2));
	EXPECT_EQUAL(descriptors, work_descriptors());
}

static void shutdown_in_between(void)
{
	long long values[2];

	presets_warm_up();
	EXPECT_OK(PAPI_start_counters(two, 2));
	do_100events();
	PAPI_shutdown();
	EXPECT_ERROR(PAPI_ENOTRUN, "PAPI_shutdown", PAPI_read_counters(values, 2));
	EXPECT_STATUS(PAPI_ENOTRUN, PAPI_stop_counters(values, 2));
	EXPECT_STATUS(PAPI_ENOTRUN, PAPI_rate_stop());
	EXPECT_EQUAL(PAPI_NOT_INITED, PAPI_is_initialized());
	presets_warm_up();
	EXPECT_OK(PAPI_start_counters(two, 2));
	do_100events();
	EXPECT_OK(PAPI_read_counters(values, 2));
	EXPECT_EQUAL(100 * PRESETS_CORE, values[0]);
	EXPECT_EQUAL(100, values[1]);
	PAPI_shutdown();
	EXPECT_OK(PAPI_start_counters(two, 2));
	PAPI_shutdown();
}

static void unregistering_in_between(void)
{
	long long values[2];
	int descriptors;

	presets_warm_up();
	descriptors = work_descriptors();
	EXPECT_OK(PAPI_start_counters(two, 2));
	EXPECT_OK(PAPI_unregister_thread());
	EXPECT_EQUAL(descriptors, work_descriptors());
	EXPECT_STATUS(PAPI_ENOTRUN, PAPI_stop_counters(values, 2));
	EXPECT_OK(PAPI_start_counters(two, 2));
	EXPECT_OK(PAPI_stop_counters(values, 2));
}

static int reports;

static int report(int code)
{
	reports++;
	return code;
}

/* PAPI_set_debug: a failing call is reported once, whatever it is made of. */
static void failures_are_reported_once(void)
{
	PAPI_option_t option = { .debug = { .level = PAPI_VERB_ECONT, .handler = report } };
	int absent[] = { PAPI_TOT_INS, PAPI_VEC_DP };
	long long values[2];
	float times[3];

	presets_warm_up();
	EXPECT_OK(PAPI_set_opt(PAPI_DEBUG, &option));
	reports = 0;
	EXPECT_STATUS(PAPI_ENOEVNT, PAPI_start_counters(absent, 2));
	EXPECT_EQUAL(1, reports);
	EXPECT_STATUS(PAPI_ENOTRUN, PAPI_read_counters(values, 2));
	EXPECT_EQUAL(2, reports);
	EXPECT_STATUS(PAPI_EINVAL, PAPI_flips(&times[0], &times[1], values, NULL));
	EXPECT_EQUAL(3, reports);
	EXPECT_OK(PAPI_start_counters(two, 2));
	EXPECT_OK(PAPI_stop_counters(values, 2));
	EXPECT_EQUAL(3, reports);
	EXPECT_OK(PAPI_set_debug(PAPI_QUIET));
}

/* The slot that 7.0 has for the high level is as good as any other to programs, and ours is not there. */
static void slots_of_the_thread(void)
{
	static char mine;
	void *pointer = NULL;
	long long values[2];

	presets_warm_up();
	EXPECT_OK(PAPI_start_counters(two, 2));
	EXPECT_OK(PAPI_set_thr_specific(PAPI_TLS_HIGH_LEVEL, &mine));
	EXPECT_OK(PAPI_read_counters(values, 2));
	EXPECT_OK(PAPI_stop_counters(values, 2));
	EXPECT_OK(PAPI_get_thr_specific(PAPI_TLS_HIGH_LEVEL, &pointer));
	EXPECT(pointer == &mine);
	EXPECT_OK(PAPI_set_thr_specific(PAPI_TLS_HIGH_LEVEL, NULL));
}

static void count_in_child(void)
{
	long long values[2] = { -7, -7 };

	EXPECT_ERROR(PAPI_ENOTRUN, "child of a fork", PAPI_read_counters(values, 2));
	EXPECT_EQUAL(-7, values[0]);
	presets_warm_up();
	presets_work(1000);
	EXPECT_OK(PAPI_start_counters(two, 2));
	do_100events();
	EXPECT_OK(PAPI_stop_counters(values, 2));
	EXPECT_EQUAL(100, values[1]);
}

/* The child of a fork starts afresh; the parent goes on. */
static void forking_in_between(void)
{
	long long values[2];
	int descriptors;

	if (!presets_can_fork()) {
		check_skip("ThreadSanitizer does not understand what the library does to its lock in a child");
		return;
	}
	presets_warm_up();
	descriptors = work_descriptors();
	EXPECT_OK(PAPI_start_counters(two, 2));
	do_100events();
	EXPECT_EQUAL(0, work_in_process(count_in_child));
	/* Memory was copied on write meanwhile. */
	EXPECT_OK(PAPI_read_counters(values, 2));
	EXPECT(values[1] >= 100);
	do_100events();
	EXPECT_OK(PAPI_read_counters(values, 2));
	do_100events();
	EXPECT_OK(PAPI_stop_counters(values, 2));
	EXPECT_EQUAL(100, values[1]);
	EXPECT_EQUAL(descriptors, work_descriptors());
}

int main(void)
{
	static const struct test tests[] = {
		{ "the first call initialises", the_first_call_initialises },
		{ "before the first start", before_the_first_start },
		{ "the example of read and accum", the_example_of_read_and_accum },
		{ "reading resets", reading_resets },
		{ "the example of stop", the_example_of_stop },
		{ "arrays may be longer", arrays_may_be_longer },
		{ "bad arguments", bad_arguments },
		{ "events that do not exist", events_that_do_not_exist },
		{ "low-level calls between", low_level_calls_between },
		{ "nothing is left behind", nothing_is_left_behind },
		{ "shutdown in between", shutdown_in_between },
		{ "unregistering in between", unregistering_in_between },
		{ "failures are reported once", failures_are_reported_once },
		{ "slots of the thread", slots_of_the_thread },
		{ "forking in between", forking_in_between },
	};

	presets_begin();
	return presets_end(check_run(tests, COUNT_OF(tests)));
}
