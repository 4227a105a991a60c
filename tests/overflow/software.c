/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Overflow by a timer of the thread: forced, and for components without interrupts. When it is noticed is a matter of
 * time; that nothing is told that did not happen is not.
 */
#include <signal.h>
#include <string.h>
#include <sys/time.h>

#include "check.h"
#include "record.h"

#define FAULTS "perf::PAGE-FAULTS"
#define CLOCK  "perf::TASK-CLOCK"

/* Works until the handler has been called so often; how much there was to do is no promise. */
static void work_until(long calls)
{
	for (int i = 0; i < 500 && record.calls < calls; i++) {
		record_faults(20);
		record_spin(5);
	}
	EXPECT(record.calls >= calls);
}

static void forced(void)
{
	int set = record_set(FAULTS, 10, PAPI_OVERFLOW_FORCE_SW), state;
	long long count;

	EXPECT_OK(PAPI_state(set, &state));
	EXPECT_EQUAL(PAPI_STOPPED | PAPI_OVERFLOWING, state);
	for (int run = 0; run < 2; run++) {
		record_clear();
		EXPECT_OK(PAPI_start(set));
		work_until(5);
		count = work_stop(set);
		EXPECT_EQUAL(1, record.vectors);
		EXPECT_EQUAL(set, record.set);
		EXPECT_EQUAL(record.calls, record.contexts);
		EXPECT_EQUAL(record.calls, record_delivered(set));
		/* Passed several times between two looks: told once, the others are counted. */
		EXPECT_BETWEEN(record.calls, record_delivered(set) + record_lost(set), count / 10);
	}
	work_discard(set);
}

/* A stopped set has no timer. */
static void stopped(void)
{
	int set = record_set(CLOCK, 1, PAPI_OVERFLOW_FORCE_SW);

	EXPECT_OK(PAPI_start(set));
	work_until(2);
	EXPECT_OK(PAPI_stop(set, NULL));
	record_clear();
	record_spin(50);
	EXPECT_EQUAL(0, record.calls);
	work_discard(set);
}

static void below_the_threshold(void)
{
	int set = record_set(FAULTS, 1000000, PAPI_OVERFLOW_FORCE_SW);

	EXPECT_OK(PAPI_start(set));
	record_faults(100);
	record_spin(50);
	EXPECT_OK(PAPI_stop(set, NULL));
	EXPECT_EQUAL(0, record.calls);
	EXPECT_EQUAL(0, record_lost(set));
	work_discard(set);
}

/* getrusage(2) interrupts nobody: the timer does, unasked; in hardware only, it cannot be. */
static void component_without_interrupts(void)
{
	int set = work_set("rusage:::utime", NULL, NULL), code = record_code(set, 0);

	EXPECT_ERROR(
		PAPI_ENOSUPP, "no interrupt", PAPI_overflow(set, code, 1000, PAPI_OVERFLOW_HARDWARE, record_handler));
	EXPECT_OK(PAPI_overflow(set, code, 1000000, 0, record_handler));
	record_clear();
	EXPECT_OK(PAPI_start(set));
	work_until(3);
	EXPECT_OK(PAPI_stop(set, NULL));
	EXPECT_EQUAL(1, record.vectors);
	work_discard(set);
}

/* The baseline moves, the way to the threshold does not get longer. */
static void reset_meanwhile(void)
{
	int set = record_set(FAULTS, 50, PAPI_OVERFLOW_FORCE_SW);
	long long sum = 0, value;

	EXPECT_OK(PAPI_start(set));
	for (int i = 0; i < 20; i++) {
		record_faults(10);
		EXPECT_OK(PAPI_read(set, &value));
		EXPECT_BETWEEN(10, value, 1000);
		sum += value;
		EXPECT_OK(PAPI_reset(set));
	}
	/* Where signals are slow, looks are far apart. */
	for (int i = 0; i < 1000 && record_delivered(set) + record_lost(set) < 4; i++)
		record_spin(5);
	EXPECT_BETWEEN(200, sum, 20000);
	EXPECT(record_delivered(set) + record_lost(set) >= 4);
	EXPECT_OK(PAPI_stop(set, NULL));
	work_discard(set);
}

static volatile int statuses[3];

static void user(int set, void *address, long long vector, void *context)
{
	long long value;

	record_handler(set, address, vector, context);
	statuses[0] |= PAPI_read(set, &value);
	statuses[1] |= PAPI_reset(set);
	if (record.calls == 3)
		statuses[2] |= PAPI_stop(set, &value);
}

static void handlers_use_the_set(void)
{
	int set = record_set(CLOCK, 1000, PAPI_OVERFLOW_FORCE_SW);

	EXPECT_OK(PAPI_overflow(set, record_code(set, 0), 1000, PAPI_OVERFLOW_FORCE_SW, user));
	EXPECT_OK(PAPI_start(set));
	work_until(3);
	record_spin(50);
	EXPECT_EQUAL(3, record.calls);
	for (int i = 0; i < 3; i++)
		EXPECT_STATUS(PAPI_OK, statuses[i]);
	EXPECT_STATUS(PAPI_ENOTRUN, PAPI_stop(set, NULL));
	work_discard(set);
}

/* The options say which clock and signal, and how often. */
static void timer_options(void)
{
	static const struct {
		int timer, number;
	} timers[] = { { ITIMER_REAL, SIGALRM }, { ITIMER_VIRTUAL, SIGVTALRM }, { ITIMER_PROF, SIGPROF } };
	PAPI_option_t option, before, before_ns;
	struct sigaction action;
	int set;

	memset(&option, 0, sizeof(option));
	EXPECT_OK(PAPI_get_opt(PAPI_DEF_ITIMER, &before));
	EXPECT_OK(PAPI_get_opt(PAPI_DEF_ITIMER_NS, &before_ns));
	EXPECT_EQUAL(ITIMER_PROF, before.itimer.itimer_num);
	EXPECT_EQUAL(SIGPROF, before.itimer.itimer_sig);
	set = record_set(CLOCK, 1, PAPI_OVERFLOW_FORCE_SW);
	for (size_t i = 0; i < COUNT_OF(timers); i++) {
		option.itimer.itimer_num = timers[i].timer;
		option.itimer.itimer_sig = timers[i].number;
		EXPECT_OK(PAPI_set_opt(PAPI_DEF_ITIMER, &option));
		option.itimer.ns = 1000000;
		EXPECT_OK(PAPI_set_opt(PAPI_DEF_ITIMER_NS, &option));
		record_clear();
		EXPECT_OK(PAPI_start(set));
		work_until(5);
		EXPECT_OK(PAPI_stop(set, NULL));
		EXPECT_EQUAL(0, sigaction(timers[i].number, NULL, &action));
		EXPECT(action.sa_flags & SA_SIGINFO && action.sa_handler != SIG_DFL);
	}
	/* A timer that never lets the thread go on is refused. */
	option.itimer.ns = 99999;
	EXPECT_ERROR(PAPI_EINVAL, "at least 100000", PAPI_set_opt(PAPI_DEF_ITIMER_NS, &option));
	option.itimer.ns = 1;
	EXPECT_ERROR(PAPI_EINVAL, "at least 100000", PAPI_set_opt(PAPI_DEF_ITIMER_NS, &option));
	/* No more often than it is told: the clock of the thread is what both go by. */
	option.itimer = (PAPI_itimer_option_t){ .itimer_num = ITIMER_PROF, .itimer_sig = SIGPROF, .ns = 50000000 };
	EXPECT_OK(PAPI_set_opt(PAPI_DEF_ITIMER, &option));
	EXPECT_OK(PAPI_set_opt(PAPI_DEF_ITIMER_NS, &option));
	record_clear();
	EXPECT_OK(PAPI_start(set));
	record_spin(300);
	EXPECT_OK(PAPI_stop(set, NULL));
	EXPECT_BETWEEN(1, record.calls, 8);
	EXPECT_OK(PAPI_set_opt(PAPI_DEF_ITIMER, &before));
	EXPECT_OK(PAPI_set_opt(PAPI_DEF_ITIMER_NS, &before_ns));
	work_discard(set);
}

int main(void)
{
	static const struct test tests[] = {
		{ "forced", forced },
		{ "a stopped set is quiet", stopped },
		{ "below the threshold", below_the_threshold },
		{ "a component without interrupts", component_without_interrupts },
		{ "resets do not move thresholds", reset_meanwhile },
		{ "handlers read, reset and stop", handlers_use_the_set },
		{ "options of the timer", timer_options },
	};

	work_begin();
	return work_end(check_run(tests, COUNT_OF(tests)));
}
