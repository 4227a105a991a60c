/* SPDX-License-Identifier: BSD-3-Clause */
/* Overflow in hardware is exact: every threshold counts one call, in the function that made them. */
#include "check.h"
#include "record.h"

#define FAULTS  "perf::PAGE-FAULTS"
#define TOUCHED 1000

static struct work_cell cell, other;

/* Faults of a sanitizer's own memory are counted, too. */
static long long expected_calls(long long count, int threshold)
{
	return count / threshold;
}

static void page_faults(void)
{
	static const int thresholds[] = { 2, 3, 7, 10, 100, 999, 1000, 1001 };

	for (size_t i = 0; i < COUNT_OF(thresholds); i++) {
		int set = record_set(FAULTS, thresholds[i], 0);

		for (int run = 0; run < 3; run++) {
			char *pages = work_pages(TOUCHED);
			long long count;

			record_clear();
			EXPECT_OK(PAPI_start(set));
			record_touch(pages, TOUCHED);
			count = work_stop(set);
			if (work_exact_faults())
				EXPECT_EQUAL(TOUCHED, count);
			/* A sanitizer's own memory faults meanwhile, also where nothing can be delivered. */
			if (work_exact_faults())
				EXPECT_EQUAL(expected_calls(count, thresholds[i]), record.calls);
			else
				EXPECT(record.calls <= expected_calls(count, thresholds[i]));
			EXPECT_EQUAL(record.calls, record_delivered(set));
			EXPECT_EQUAL(0, record_lost(set));
			EXPECT_EQUAL(record.calls, record.contexts);
			if (record.calls) {
				EXPECT_EQUAL(1, record.vectors);
				EXPECT_EQUAL(set, record.set);
			}
			if (record.calls && work_exact_faults()) {
				EXPECT(record_in_touch(record.lowest));
				EXPECT(record_in_touch(record.highest));
			}
			work_unmap(pages, TOUCHED);
		}
		work_discard(set);
	}
}

/* Where each one overflows: those that are counted when they are over. */
static void every_fault(void)
{
	int set = record_set("perf::MINOR-FAULTS", 1, 0);
	char *pages = work_pages(100);
	long long count;

	EXPECT_OK(PAPI_start(set));
	record_touch(pages, 100);
	count = work_stop(set);
	if (work_exact_faults())
		EXPECT_EQUAL(100, count);
	EXPECT_EQUAL(count, record.calls + record_lost(set));
	EXPECT_EQUAL(0, record_lost(set));
	work_unmap(pages, 100);
	work_discard(set);
}

/* A period begins with each start: what was left of the last one does not count. */
static void periods_begin_with_start(void)
{
	char *pages = work_pages(64);
	int set;

	if (!work_exact_faults()) {
		work_unmap(pages, 64);
		check_skip("a sanitizer makes faults of its own");
		return;
	}
	set = record_set(FAULTS, 10, 0);
	for (size_t run = 0; run < 4; run++) {
		record_clear();
		EXPECT_OK(PAPI_start(set));
		record_touch(pages + run * work_bytes(9), 9);
		EXPECT_EQUAL(9, work_stop(set));
		EXPECT_EQUAL(0, record.calls);
	}
	record_clear();
	EXPECT_OK(PAPI_start(set));
	record_touch(pages + 4 * work_bytes(9), 10);
	EXPECT_EQUAL(10, work_stop(set));
	EXPECT_EQUAL(1, record.calls);
	work_discard(set);
	work_unmap(pages, 64);
}

static void watched_variable(void)
{
	static const int thresholds[] = { 1, 3, 10, 50 };
	char name[WORK_NAME];

	work_name(name, &cell, "/8:w");
	for (size_t i = 0; i < COUNT_OF(thresholds); i++) {
		int set = record_set(name, thresholds[i], 0);

		EXPECT_OK(PAPI_start(set));
		work_store(&cell, 100);
		work_store(&other, 20);
		EXPECT_EQUAL(100, work_stop(set));
		EXPECT_EQUAL(100 / thresholds[i], record.calls);
		EXPECT_EQUAL(0, record_lost(set));
		/* A few instructions of one small function. */
		EXPECT((char *)record.lowest >= (char *)work_store);
		EXPECT_BETWEEN(0, (char *)record.highest - (char *)work_store, 200);
		work_discard(set);
	}
}

static WORK_PLAIN unsigned long watched_function(unsigned long x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}

static void watched_function_entry(void)
{
	char name[WORK_NAME];
	unsigned long sum = 0;
	int set;

	work_name(name, (void *)(unsigned long)watched_function, ":x");
	set = record_set(name, 5, 0);
	EXPECT_OK(PAPI_start(set));
	for (unsigned i = 0; i < 103; i++)
		sum = watched_function(sum);
	EXPECT_EQUAL(103, work_stop(set));
	EXPECT_EQUAL(103, (long long)sum);
	EXPECT_EQUAL(20, record.calls);
	/* Before the instruction, and exactly there. */
	EXPECT(record.lowest == (void *)(unsigned long)watched_function);
	EXPECT(record.highest == (void *)(unsigned long)watched_function);
	work_discard(set);
}

/* Each event has its threshold, its bit, and its handler. */
static _Thread_local struct record second;

static void second_handler(int set, void *address, long long vector, void *context)
{
	(void)address;
	(void)context;
	second.calls++;
	second.vectors |= vector;
	second.set = set;
}

static void several_events(void)
{
	char first_name[WORK_NAME], second_name[WORK_NAME];
	long long values[3];
	int set, index[4], number = 4;

	work_name(first_name, &cell, "/8:w");
	work_name(second_name, &other, "/8:w");
	set = work_set("perf::TASK-CLOCK", first_name, second_name);
	EXPECT_OK(PAPI_overflow(set, record_code(set, 1), 4, 0, record_handler));
	EXPECT_OK(PAPI_overflow(set, record_code(set, 2), 7, 0, second_handler));
	record_clear();
	EXPECT_OK(PAPI_start(set));
	for (int i = 0; i < 10; i++) {
		work_store(&cell, 10);
		work_store(&other, 10);
	}
	EXPECT_OK(PAPI_stop(set, values));
	EXPECT_EQUAL(100, values[1]);
	EXPECT_EQUAL(100, values[2]);
	EXPECT_EQUAL(25, record.calls);
	EXPECT_EQUAL(2, record.vectors);
	EXPECT_EQUAL(14, second.calls);
	EXPECT_EQUAL(4, second.vectors);
	EXPECT_OK(PAPI_get_overflow_event_index(set, second.vectors, index, &number));
	EXPECT_EQUAL(1, number);
	EXPECT_EQUAL(2, index[0]);

	/* Events that go take their overflow with them, and positions move. */
	EXPECT_OK(PAPI_remove_named_event(set, "perf::TASK-CLOCK"));
	record_clear();
	second = (struct record){ 0 };
	EXPECT_OK(PAPI_start(set));
	work_store(&cell, 8);
	work_store(&other, 14);
	EXPECT_OK(PAPI_stop(set, values));
	EXPECT_EQUAL(2, record.calls);
	EXPECT_EQUAL(1, record.vectors);
	EXPECT_EQUAL(2, second.calls);
	EXPECT_EQUAL(2, second.vectors);
	EXPECT_OK(PAPI_remove_named_event(set, first_name));
	second = (struct record){ 0 };
	EXPECT_OK(PAPI_start(set));
	work_store(&other, 70);
	EXPECT_OK(PAPI_stop(set, values));
	EXPECT_EQUAL(10, second.calls);
	EXPECT_EQUAL(1, second.vectors);
	work_discard(set);
}

static void thresholds_change(void)
{
	char name[WORK_NAME];
	int set, code, state;

	work_name(name, &cell, "/8:w");
	set = record_set(name, 10, 0);
	code = record_code(set, 0);
	EXPECT_OK(PAPI_state(set, &state));
	EXPECT_EQUAL(PAPI_STOPPED | PAPI_OVERFLOWING, state);
	EXPECT_OK(PAPI_overflow(set, code, 20, 0, record_handler));
	EXPECT_OK(PAPI_start(set));
	EXPECT_OK(PAPI_state(set, &state));
	EXPECT_EQUAL(PAPI_RUNNING | PAPI_OVERFLOWING, state);
	work_store(&cell, 100);
	EXPECT_EQUAL(100, work_stop(set));
	EXPECT_EQUAL(5, record.calls);

	/* 0 turns it off, once and again. */
	record_clear();
	EXPECT_OK(PAPI_overflow(set, code, 0, 0, NULL));
	EXPECT_OK(PAPI_overflow(set, code, 0, 0, record_handler));
	EXPECT_OK(PAPI_state(set, &state));
	EXPECT_EQUAL(PAPI_STOPPED, state);
	EXPECT_OK(PAPI_start(set));
	work_store(&cell, 100);
	EXPECT_EQUAL(100, work_stop(set));
	EXPECT_EQUAL(0, record.calls);
	EXPECT_ERROR(PAPI_EINVAL, "does not overflow", PAPI_get_overflow_counts(set, code, NULL, NULL));
	work_discard(set);
}

/* Counts are those of a set without overflow; reset, accum and write do not move the thresholds. */
static void counts_are_exact(void)
{
	char name[WORK_NAME];
	long long value = 1000;
	int set;

	work_name(name, &cell, "/8:w");
	set = record_set(name, 10, 0);
	EXPECT_OK(PAPI_start(set));
	work_store(&cell, 15);
	EXPECT_OK(PAPI_read(set, &value));
	EXPECT_EQUAL(15, value);
	EXPECT_OK(PAPI_reset(set));
	work_store(&cell, 4);
	EXPECT_EQUAL(1, record.calls);
	work_store(&cell, 1);
	EXPECT_EQUAL(2, record.calls);
	EXPECT_OK(PAPI_accum(set, &value));
	EXPECT_EQUAL(20, value);
	value = 100;
	EXPECT_OK(PAPI_write(set, &value));
	work_store(&cell, 10);
	EXPECT_EQUAL(110, work_stop(set));
	EXPECT_EQUAL(3, record.calls);
	EXPECT_EQUAL(0, record_lost(set));
	work_discard(set);
}

int main(void)
{
	static const struct test tests[] = {
		{ "page faults", page_faults },
		{ "every page fault", every_fault },
		{ "a period begins with each start", periods_begin_with_start },
		{ "stores to a variable", RECORD_WATCHED(watched_variable) },
		{ "entries of a function", RECORD_WATCHED(watched_function_entry) },
		{ "several events of a set", RECORD_WATCHED(several_events) },
		{ "thresholds change, and 0 turns off", RECORD_WATCHED(thresholds_change) },
		{ "counts are as without", RECORD_WATCHED(counts_are_exact) },
	};

	record_need_prompt_signals();
	work_begin();
	work_need_breakpoints();
	return work_end(check_run(tests, COUNT_OF(tests)));
}
