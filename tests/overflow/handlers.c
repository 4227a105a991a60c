/* SPDX-License-Identifier: BSD-3-Clause */
/* What handlers may do with their set: read it, add it up, reset it, stop it, start it again. */
#include "check.h"
#include "record.h"

static struct work_cell cell;
static volatile long calls, failures;
static volatile long long values[RECORD_KEPT];
static volatile int codes[RECORD_KEPT];

static int new_set(int threshold, PAPI_overflow_handler_t handler)
{
	char name[WORK_NAME];
	int set;

	work_name(name, &cell, "/8:w");
	set = work_set(name, NULL, NULL);
	REQUIRE_OK(PAPI_overflow(set, record_code(set, 0), threshold, 0, handler));
	calls = failures = 0;
	return set;
}

static void keep(int status, long long value)
{
	codes[calls] = status;
	values[calls++] = value;
}

static void expect_codes(long n)
{
	EXPECT_EQUAL(n, calls);
	for (long i = 0; i < calls; i++)
		EXPECT_STATUS(PAPI_OK, codes[i]);
}

static void reader(int set, void *address, long long vector, void *context)
{
	long long value = -1;
	int status = PAPI_read(set, &value);

	(void)address;
	(void)vector;
	(void)context;
	keep(status, value);
}

static void read_it(void)
{
	int set = new_set(10, reader);

	EXPECT_OK(PAPI_start(set));
	work_store(&cell, 55);
	EXPECT_EQUAL(55, work_stop(set));
	expect_codes(5);
	for (int i = 0; i < 5; i++)
		EXPECT_EQUAL(10 * (i + 1), values[i]);
	work_discard(set);
}

/* The handler begins again after each period, so it always finds ten; the last period is not full. */
static void expect_ten_each(int set)
{
	EXPECT_OK(PAPI_start(set));
	work_store(&cell, 55);
	EXPECT_EQUAL(5, work_stop(set));
	expect_codes(5);
	for (int i = 0; i < 5; i++)
		EXPECT_EQUAL(10, values[i]);
	work_discard(set);
}

static void resetter(int set, void *address, long long vector, void *context)
{
	long long value = -1;
	int status = PAPI_read(set, &value);

	(void)address;
	(void)vector;
	(void)context;
	if (status == PAPI_OK)
		status = PAPI_reset(set);
	keep(status, value);
}

static void reset_it(void)
{
	int set = new_set(10, resetter);

	expect_ten_each(set);
}

static long long total;

static void accumulator(int set, void *address, long long vector, void *context)
{
	int status = PAPI_accum(set, &total);

	(void)address;
	(void)vector;
	(void)context;
	keep(status, total);
}

static void accumulate_it(void)
{
	int set = new_set(10, accumulator);

	total = 0;
	EXPECT_OK(PAPI_start(set));
	work_store(&cell, 55);
	EXPECT_EQUAL(5, work_stop(set));
	expect_codes(5);
	EXPECT_EQUAL(50, total);
	work_discard(set);
}

static void stopper(int set, void *address, long long vector, void *context)
{
	long long value = -1;
	int status = PAPI_stop(set, &value);

	(void)address;
	(void)vector;
	(void)context;
	keep(status, value);
}

static void stop_it(void)
{
	int set = new_set(10, stopper), state;
	long long value;

	for (int run = 0; run < 3; run++) {
		calls = 0;
		EXPECT_OK(PAPI_start(set));
		work_store(&cell, 55);
		expect_codes(1);
		EXPECT_EQUAL(10, values[0]);
		EXPECT_STATUS(PAPI_ENOTRUN, PAPI_stop(set, &value));
		EXPECT_OK(PAPI_state(set, &state));
		EXPECT_EQUAL(PAPI_STOPPED | PAPI_OVERFLOWING, state);
		EXPECT_OK(PAPI_read(set, &value));
		EXPECT_EQUAL(10, value);
	}
	work_discard(set);
}

static void restarter(int set, void *address, long long vector, void *context)
{
	long long value = -1;
	int status = PAPI_stop(set, &value);

	(void)address;
	(void)vector;
	(void)context;
	if (status == PAPI_OK)
		status = PAPI_start(set);
	keep(status, value);
}

static void restart_it(void)
{
	int set = new_set(10, restarter);

	expect_ten_each(set);
}

/* Which event it was, as a handler would ask. */
static volatile int asked, index_of, indexes;

static void asker(int set, void *address, long long vector, void *context)
{
	int array[4], number = 4;

	(void)address;
	(void)context;
	asked = PAPI_get_overflow_event_index(set, vector, array, &number);
	index_of = array[0];
	indexes = number;
}

static void ask_which(void)
{
	char name[WORK_NAME];
	int set;

	work_name(name, &cell, "/8:w");
	set = work_set("perf::TASK-CLOCK", name, NULL);
	asked = -1;
	EXPECT_OK(PAPI_overflow(set, record_code(set, 1), 10, 0, asker));
	EXPECT_OK(PAPI_start(set));
	work_store(&cell, 10);
	EXPECT_OK(PAPI_stop(set, (long long[2]){ 0 }));
	EXPECT_STATUS(PAPI_OK, asked);
	EXPECT_EQUAL(1, index_of);
	EXPECT_EQUAL(1, indexes);
	work_discard(set);
}

/* What takes the library lock or memory does not belong into a handler; changing what overflows is refused there. */
static volatile int refused;

static void changer(int set, void *address, long long vector, void *context)
{
	(void)address;
	(void)vector;
	(void)context;
	refused = PAPI_overflow(set, index_of, 0, 0, NULL);
}

static void change_it(void)
{
	int set = new_set(10, changer);

	index_of = record_code(set, 0);
	refused = 1;
	EXPECT_OK(PAPI_start(set));
	work_store(&cell, 10);
	EXPECT_STATUS(PAPI_EISRUN, refused);
	EXPECT_EQUAL(10, work_stop(set));
	work_discard(set);
}

/* Another set, stopped and started where this one overflows. */
static int other_set;

static void other_user(int set, void *address, long long vector, void *context)
{
	long long value[1] = { -1 };
	int status = PAPI_stop(other_set, value);

	(void)set;
	(void)address;
	(void)vector;
	(void)context;
	if (status == PAPI_OK)
		status = PAPI_start(other_set);
	keep(status, value[0]);
}

static void use_another_set(void)
{
	int set = new_set(10, other_user);

	other_set = work_set("perf::MINOR-FAULTS", NULL, NULL);
	EXPECT_OK(PAPI_start(other_set));
	EXPECT_OK(PAPI_start(set));
	work_store(&cell, 55);
	EXPECT_EQUAL(55, work_stop(set));
	expect_codes(5);
	EXPECT_OK(PAPI_stop(other_set, (long long[1]){ 0 }));
	work_discard(set);
	work_discard(other_set);
}

int main(void)
{
	static const struct test tests[] = {
		{ "read", RECORD_WATCHED(read_it) },
		{ "reset", RECORD_WATCHED(reset_it) },
		{ "accum", RECORD_WATCHED(accumulate_it) },
		{ "stop", RECORD_WATCHED(stop_it) },
		{ "stop and start", RECORD_WATCHED(restart_it) },
		{ "which event", RECORD_WATCHED(ask_which) },
		{ "change what overflows", RECORD_WATCHED(change_it) },
		{ "another set", RECORD_WATCHED(use_another_set) },
	};

	record_need_prompt_signals();
	work_begin();
	work_need_breakpoints();
	return work_end(check_run(tests, COUNT_OF(tests)));
}
