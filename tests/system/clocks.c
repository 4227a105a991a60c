/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events that measure time, and the timers: each lies between two differences of another clock, one taken inside the
 * region and one around it. No particular time is expected.
 */
#include <time.h>

#include "check.h"
#include "work.h"

#define ROUNDS 50

static long long now(clockid_t clock)
{
	struct timespec time;

	REQUIRE(clock_gettime(clock, &time) == 0);
	return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void burn(long iterations)
{
	for (volatile long i = 0; i < iterations; i++)
		;
}

/* All clocks, read so that those read by a second call enclose those read by the first, or the other way round. */
struct clocks {
	long long cpu, wall;
	long long voluntary, involuntary; /* context switches */
};

static struct clocks outer_first(void)
{
	struct clocks clocks;

	work_switches(&clocks.voluntary, &clocks.involuntary);
	clocks.wall = now(CLOCK_MONOTONIC_RAW);
	clocks.cpu = now(CLOCK_THREAD_CPUTIME_ID);
	return clocks;
}

static struct clocks outer_last(void)
{
	struct clocks clocks;

	clocks.cpu = now(CLOCK_THREAD_CPUTIME_ID);
	clocks.wall = now(CLOCK_MONOTONIC_RAW);
	work_switches(&clocks.voluntary, &clocks.involuntary);
	return clocks;
}

/*
 * Kernel and user space convert the same cycles to nanoseconds with factors that are rounded differently; they agree to
 * far better than one in a thousand.
 */
static long long rounded_up(long long time)
{
	return time + time / 1000 + 1;
}

static bool no_switch(struct clocks from, struct clocks to)
{
	return from.voluntary == to.voluntary && from.involuntary == to.involuntary;
}

/*
 * The event counts while the thread has the CPU: at most all the time that passed, and at least the thread's CPU time
 * inside. The latter holds for regions without a context switch, since the scheduler counts the switch itself as the
 * thread's time, too; and the CPU time around is no limit, since in a virtual machine the host's share is not in it.
 */
static void clock_event(const char *name)
{
	int set = work_set(name, NULL, NULL), undisturbed = 0;

	for (int round = 0; round < 20 * ROUNDS && undisturbed < ROUNDS; round++) {
		struct clocks before = outer_first(), inside, end, after;
		long long count;

		EXPECT_OK(PAPI_start(set));
		inside = outer_last();
		burn(1000L << round % 10);
		end = outer_first();
		count = work_stop(set);
		after = outer_last();
		EXPECT_BETWEEN(1, count, rounded_up(after.wall - before.wall));
		if (no_switch(before, after)) {
			EXPECT(rounded_up(count) >= end.cpu - inside.cpu);
			undisturbed++;
		}
	}
	EXPECT_EQUAL(ROUNDS, undisturbed);
	work_discard(set);
}

static void task_clock(void)
{
	clock_event("perf::TASK-CLOCK");
}

static void cpu_clock(void)
{
	clock_event("perf::CPU-CLOCK");
}

/* Of 20 ms of sleep at least 10 are spent off the CPU, however long it takes to fall asleep and to wake up. */
static void sleep_is_not_counted(void)
{
	int set = work_set("perf::TASK-CLOCK", "perf::CPU-CLOCK", NULL);
	struct clocks before = outer_first(), after;
	long long values[2];

	EXPECT_OK(PAPI_start(set));
	nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
	work_stop_values(set, values, COUNT_OF(values));
	after = outer_last();
	for (size_t i = 0; i < COUNT_OF(values); i++)
		EXPECT_BETWEEN(1, values[i], after.wall - before.wall - 10000000);
	work_discard(set);
}

struct burning {
	struct clocks from, to;
};

static void burn_some(void *argument)
{
	struct burning *burning = argument;

	burning->from = outer_first();
	burn(200000);
	burning->to = outer_last();
}

/* The clock of the thread attached to, not of this one, which sleeps in a pipe meanwhile. */
static void of_another_thread(void)
{
	int set = work_set("perf::TASK-CLOCK", NULL, NULL), undisturbed = 0;
	struct burning burning;
	struct work_child thread;

	work_child_thread(&thread, burn_some, &burning);
	EXPECT_OK(PAPI_attach(set, (unsigned long)thread.id));
	for (int round = 0; round < 20 * ROUNDS && undisturbed < ROUNDS; round++) {
		long long before = now(CLOCK_MONOTONIC_RAW), count;

		EXPECT_OK(PAPI_start(set));
		work_child_go(&thread);
		count = work_stop(set);
		EXPECT_BETWEEN(1, count, rounded_up(now(CLOCK_MONOTONIC_RAW) - before));
		if (no_switch(burning.from, burning.to)) {
			EXPECT(rounded_up(count) >= burning.to.cpu - burning.from.cpu);
			undisturbed++;
		}
	}
	EXPECT_EQUAL(ROUNDS, undisturbed);
	work_child_end(&thread);
	work_discard(set);
}

#if defined(__x86_64__)
static unsigned long long cycles(void)
{
	unsigned low, high;

	__asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high)::"memory");
	return (unsigned long long)high << 32 | low;
}

/* Counts while the thread has the CPU: only a region without a context switch has the cycles between two readings. */
static void time_stamp_counter(void)
{
	int set = PAPI_NULL, undisturbed = 0;

	REQUIRE_OK(PAPI_create_eventset(&set));
	if (PAPI_add_named_event(set, "msr/tsc/") != PAPI_OK) {
		check_skip("%s", PAPI_error_detail());
		work_discard(set);
		return;
	}
	for (int round = 0; round < 20 * ROUNDS && undisturbed < ROUNDS; round++) {
		struct clocks first = outer_first(), last;
		unsigned long long before = cycles(), inside, end, after;
		long long count;

		EXPECT_OK(PAPI_start(set));
		inside = cycles();
		burn(1000L << round % 10);
		end = cycles();
		count = work_stop(set);
		after = cycles();
		last = outer_last();
		EXPECT_BETWEEN(0, count, (long long)(after - before));
		if (no_switch(first, last)) {
			EXPECT_BETWEEN((long long)(end - inside), count, (long long)(after - before));
			undisturbed++;
		}
	}
	EXPECT_EQUAL(ROUNDS, undisturbed);
	work_discard(set);
}
#else
static void time_stamp_counter(void)
{
	check_skip("msr/tsc/ is of x86");
}
#endif

static void timers(void)
{
	for (int round = 0; round < ROUNDS; round++) {
		struct clocks before, inside, end, after;
		long long real, virtual, real_us, virtual_us;

		before = outer_first();
		real = PAPI_get_real_nsec();
		virtual = PAPI_get_virt_nsec();
		real_us = PAPI_get_real_usec();
		virtual_us = PAPI_get_virt_usec();
		inside = outer_last();
		burn(1000L << round % 10);
		end = outer_first();
		real = PAPI_get_real_nsec() - real;
		virtual = PAPI_get_virt_nsec() - virtual;
		real_us = PAPI_get_real_usec() - real_us;
		virtual_us = PAPI_get_virt_usec() - virtual_us;
		after = outer_last();
		EXPECT_BETWEEN(
			end.wall - inside.wall, rounded_up(real), rounded_up(rounded_up(after.wall - before.wall)));
		EXPECT_BETWEEN(
			end.cpu - inside.cpu, rounded_up(virtual), rounded_up(rounded_up(after.cpu - before.cpu)));
		/* Microseconds are cut off at both ends. */
		EXPECT_BETWEEN((end.wall - inside.wall) / 1000 - 1, rounded_up(real_us),
			rounded_up(rounded_up((after.wall - before.wall) / 1000 + 1)));
		EXPECT_BETWEEN((end.cpu - inside.cpu) / 1000 - 1, rounded_up(virtual_us),
			rounded_up(rounded_up((after.cpu - before.cpu) / 1000 + 1)));
	}
}

/* Cycles are those of a clock whose rate is an option. */
static void timers_in_cycles(void)
{
	long long rate = PAPI_get_opt(PAPI_CLOCKRATE, NULL), real, cycles, virtual, outside;

	EXPECT(rate > 0);
	outside = PAPI_get_real_nsec();
	cycles = PAPI_get_real_cyc();
	virtual = PAPI_get_virt_cyc();
	real = PAPI_get_real_nsec();
	burn(10000000);
	real = PAPI_get_real_nsec() - real;
	virtual = PAPI_get_virt_cyc() - virtual;
	cycles = PAPI_get_real_cyc() - cycles;
	outside = PAPI_get_real_nsec() - outside;
	/* The rate is in whole MHz: 1 in 100 is far more than the rounding. */
	EXPECT_BETWEEN(real * rate / 1010, cycles, outside * rate / 990);
	EXPECT_BETWEEN(1, virtual, outside * rate / 990);
}

/* PAPI_read_ts: the time of the reading lies between two readings of the same clock. */
static void time_of_a_reading(void)
{
	int set = work_set("perf::TASK-CLOCK", NULL, NULL);

	EXPECT_OK(PAPI_start(set));
	for (int round = 0; round < ROUNDS; round++) {
		long long before = PAPI_get_real_cyc(), time, value;

		EXPECT_OK(PAPI_read_ts(set, &value, &time));
		EXPECT_BETWEEN(before, time, PAPI_get_real_cyc());
		EXPECT(value > 0);
	}
	EXPECT_OK(PAPI_stop(set, NULL));
	work_discard(set);
}

int main(void)
{
	static const struct test tests[] = {
		{ "TASK-CLOCK", task_clock },
		{ "CPU-CLOCK", cpu_clock },
		{ "sleep is not counted", sleep_is_not_counted },
		{ "the clock of another thread", of_another_thread },
		{ "msr/tsc/", time_stamp_counter },
		{ "timers", timers },
		{ "timers in cycles", timers_in_cycles },
		{ "the time of a reading", time_of_a_reading },
	};

	work_begin();
	return work_end(check_run(tests, COUNT_OF(tests)));
}
