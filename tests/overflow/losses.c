/* SPDX-License-Identifier: BSD-3-Clause */
/* What cannot be delivered is counted: delivered and lost ones together are all there were. */
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

#include "check.h"
#include "record.h"

static struct work_cell cell;
static sigset_t overflow_signals;

static int new_set(PAPI_overflow_handler_t handler)
{
	char name[WORK_NAME];
	int set;

	work_name(name, &cell, "/8:w");
	set = record_set(name, 1, 0);
	EXPECT_OK(PAPI_overflow(set, record_code(set, 0), 1, 0, handler));
	return set;
}

static void block(bool on)
{
	pthread_sigmask(on ? SIG_BLOCK : SIG_UNBLOCK, &overflow_signals, NULL);
}

/* So many, so fast, and nobody looks: the kernel throttles the event, or has no room for its samples. */
static void too_many(void)
{
	int set = new_set(record_handler);

	EXPECT_OK(PAPI_start(set));
	block(true);
	work_store(&cell, 20000);
	block(false);
	EXPECT_EQUAL(20000, work_stop(set));
	EXPECT_EQUAL(record.calls, record_delivered(set));
	EXPECT_EQUAL(20000, record_delivered(set) + record_lost(set));
	EXPECT_BETWEEN(1, record.calls, 19999);
	EXPECT(record_lost(set) > 0);

	/* The next run knows nothing of it. */
	record_clear();
	EXPECT_OK(PAPI_start(set));
	work_store(&cell, 100);
	EXPECT_EQUAL(100, work_stop(set));
	EXPECT_EQUAL(100, record_delivered(set) + record_lost(set));
	EXPECT_EQUAL(record.calls, record_delivered(set));
	work_discard(set);
}

/* No room in the queue of signals: the kernel says it by another one, and what happened is in the ring. */
static void signal_queue_is_full(void)
{
	struct rlimit before, none;
	int set = new_set(record_handler);

	EXPECT_OK(PAPI_start(set));
	REQUIRE(getrlimit(RLIMIT_SIGPENDING, &before) == 0);
	none = before;
	none.rlim_cur = 0;
	REQUIRE(setrlimit(RLIMIT_SIGPENDING, &none) == 0);
	work_store(&cell, 50);
	REQUIRE(setrlimit(RLIMIT_SIGPENDING, &before) == 0);
	EXPECT_EQUAL(50, record.calls);
	EXPECT_EQUAL(50, work_stop(set));
	EXPECT_EQUAL(50, record.calls);
	EXPECT_EQUAL(0, record_lost(set));
	work_discard(set);
}

static void stopper(int set, void *address, long long vector, void *context)
{
	record_handler(set, address, vector, context);
	PAPI_stop(set, NULL);
}

/* A handler that stops its set is not called again, though others were waiting. */
static void handler_stops_with_others_waiting(void)
{
	int set = new_set(stopper);

	for (int run = 0; run < 2; run++) {
		record_clear();
		EXPECT_OK(PAPI_start(set));
		block(true);
		work_store(&cell, 100);
		block(false);
		EXPECT_EQUAL(1, record.calls);
		EXPECT_EQUAL(1, record_delivered(set));
		EXPECT_EQUAL(99, record_lost(set));
		EXPECT_STATUS(PAPI_ENOTRUN, PAPI_stop(set, NULL));
		EXPECT_EQUAL(1, record.calls);
	}
	work_discard(set);
}

static void slow_handler(int set, void *address, long long vector, void *context)
{
	record_handler(set, address, vector, context);
	record_spin(1);
}

/* An event that overflows while its handler runs: the program gets on all the same, and the queue of signals is
 * short. */
static void handler_slower_than_its_event(void)
{
	int set = work_set("perf::TASK-CLOCK", NULL, NULL);
	volatile unsigned long n = 0;

	EXPECT_OK(PAPI_overflow(set, record_code(set, 0), 250000, 0, slow_handler));
	record_clear();
	EXPECT_OK(PAPI_start(set));
	while (n < 20000000)
		n++;
	EXPECT_OK(PAPI_stop(set, NULL));
	EXPECT(record.calls > 0);
	EXPECT_EQUAL(record.calls, record_delivered(set));
	work_discard(set);
}

/* What is left over from a run that was never delivered does not come up in the next. */
static void left_over(void)
{
	int set = new_set(record_handler);

	block(true);
	EXPECT_OK(PAPI_start(set));
	work_store(&cell, 30);
	EXPECT_EQUAL(30, work_stop(set));
	EXPECT_EQUAL(0, record.calls);
	EXPECT_OK(PAPI_start(set));
	block(false);
	EXPECT_EQUAL(0, record.calls);
	work_store(&cell, 7);
	EXPECT_EQUAL(7, work_stop(set));
	EXPECT_EQUAL(7, record.calls);
	EXPECT_EQUAL(0, record_lost(set));
	work_discard(set);
}

int main(void)
{
	static const struct test tests[] = {
		{ "more than the kernel keeps", RECORD_WATCHED(too_many) },
		{ "the queue of signals is full", RECORD_WATCHED(signal_queue_is_full) },
		{ "a handler stops while others wait", RECORD_WATCHED(handler_stops_with_others_waiting) },
		{ "a handler slower than its event", handler_slower_than_its_event },
		{ "left over from the last run", RECORD_WATCHED(left_over) },
	};

	record_need_prompt_signals();
	work_begin();
	work_need_breakpoints();
	sigemptyset(&overflow_signals);
	sigaddset(&overflow_signals, PAPI_get_component_info(0)->hardware_intr_sig);
	return work_end(check_run(tests, COUNT_OF(tests)));
}
