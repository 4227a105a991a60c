/* SPDX-License-Identifier: BSD-3-Clause */
/* What overflowed while a call was inside the set is delivered, or counted, when PAPI_stop returns. */
#include <signal.h>
#include <string.h>

#include "check.h"
#include "record.h"

#define RUNS 100

/* Watched: so PAPI_read itself makes the event occur. */
static _Alignas(64) long long values[8];

static int new_set(PAPI_overflow_handler_t handler)
{
	char name[WORK_NAME];
	int set;

	work_name(name, values, "/8:w");
	set = work_set(name, NULL, NULL);
	REQUIRE_OK(PAPI_overflow(set, record_code(set, 0), 1, 0, handler));
	record_clear();
	return set;
}

/* Reads into what is watched; returns how often that has overflowed. */
static long long run(int set)
{
	long long count = -1;

	EXPECT_OK(PAPI_start(set));
	EXPECT_OK(PAPI_read(set, values));
	EXPECT_OK(PAPI_stop(set, &count));
	EXPECT(count >= 1);
	return count;
}

static void delivered_at_stop(void)
{
	int set = new_set(record_handler);

	for (int i = 0; i < RUNS; i++) {
		long long count;

		record_clear();
		count = run(set);
		EXPECT_EQUAL(count, record.calls);
		EXPECT_EQUAL(count, record.contexts);
		EXPECT_EQUAL(count, record_delivered(set));
		EXPECT_EQUAL(0, record_lost(set));
	}
	work_discard(set);
}

/* Nothing is there any more that could be delivered later. */
static void delivered_before_cleanup(void)
{
	for (int i = 0; i < RUNS; i++) {
		int set = new_set(record_handler);
		long long count = run(set);

		work_discard(set);
		EXPECT_EQUAL(count, record.calls);
	}
}

static unsigned buckets[1];

static void in_a_histogram(void)
{
	char name[WORK_NAME];
	int set;

	work_name(name, values, "/8:w");
	set = work_set(name, NULL, NULL);
	/* One bucket for all addresses. */
	REQUIRE_OK(PAPI_profil(buckets, sizeof(buckets), 0, 2, set, record_code(set, 0), 1,
		PAPI_PROFIL_POSIX | PAPI_PROFIL_BUCKET_32));
	for (int i = 0; i < RUNS; i++) {
		long long count;

		buckets[0] = 0;
		count = run(set);
		EXPECT_EQUAL(count, buckets[0]);
	}
	REQUIRE_OK(PAPI_profil(buckets, sizeof(buckets), 0, 2, set, record_code(set, 0), 0,
		PAPI_PROFIL_POSIX | PAPI_PROFIL_BUCKET_32));
	work_discard(set);
}

/* A handler that stops another set: what that one has left comes when the handler is done. */
static struct work_cell cell;
static int other_set;
static volatile long long other_count;

static void stopper(int set, void *address, long long vector, void *context)
{
	long long count = -1;

	(void)set;
	(void)address;
	(void)vector;
	(void)context;
	if (PAPI_read(other_set, values) == PAPI_OK && PAPI_stop(other_set, &count) == PAPI_OK)
		other_count = count;
}

static void stopped_by_a_handler(void)
{
	char name[WORK_NAME];
	int set;

	work_name(name, &cell, "/8:w");
	set = work_set(name, NULL, NULL);
	REQUIRE_OK(PAPI_overflow(set, record_code(set, 0), 1, 0, stopper));
	other_set = new_set(record_handler);
	other_count = -1;
	EXPECT_OK(PAPI_start(other_set));
	EXPECT_OK(PAPI_start(set));
	work_store(&cell, 1);
	EXPECT_OK(PAPI_stop(set, NULL));
	EXPECT(other_count >= 1);
	EXPECT_EQUAL(other_count, record.calls);
	EXPECT_EQUAL(other_count, record_delivered(other_set));
	work_discard(set);
	work_discard(other_set);
}

/* A program that blocks the signal does not want its handler called now; the next run is another one. */
static void blocked(void)
{
	int set = new_set(record_handler);
	sigset_t overflow, before;
	long long count;

	sigemptyset(&overflow);
	sigaddset(&overflow, PAPI_get_component_info(0)->hardware_intr_sig);
	sigprocmask(SIG_BLOCK, &overflow, &before);
	count = run(set);
	EXPECT_EQUAL(0, record.calls);
	sigprocmask(SIG_SETMASK, &before, NULL);
	EXPECT_EQUAL(count, record.calls);
	EXPECT_EQUAL(count, record_delivered(set));
	EXPECT_EQUAL(0, record_lost(set));
	work_discard(set);
}

/* By timer nothing is called for what the last look has not seen: it is counted. */
static void by_timer(void)
{
	char name[WORK_NAME];
	int set;

	work_name(name, &cell, "/8:w");
	set = work_set(name, NULL, NULL);
	REQUIRE_OK(PAPI_overflow(set, record_code(set, 0), 10, PAPI_OVERFLOW_FORCE_SW, record_handler));
	for (int i = 0; i < RUNS; i++) {
		record_clear();
		EXPECT_OK(PAPI_start(set));
		work_store(&cell, 57);
		EXPECT_EQUAL(57, work_stop(set));
		EXPECT_EQUAL(record.calls, record_delivered(set));
		EXPECT_EQUAL(5, record_delivered(set) + record_lost(set));
	}
	work_discard(set);
}

int main(void)
{
	static const struct test tests[] = {
		{ "delivered when PAPI_stop returns", RECORD_WATCHED(delivered_at_stop) },
		{ "delivered before cleanup", RECORD_WATCHED(delivered_before_cleanup) },
		{ "in a histogram", RECORD_WATCHED(in_a_histogram) },
		{ "stopped by the handler of another set", RECORD_WATCHED(stopped_by_a_handler) },
		{ "the signal is blocked", RECORD_WATCHED(blocked) },
		{ "by timer", by_timer },
	};

	record_need_prompt_signals();
	work_begin();
	work_need_breakpoints();
	return work_end(check_run(tests, COUNT_OF(tests)));
}
