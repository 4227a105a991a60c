/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events that overflow faster than can be dealt with: the program gets on, one signal waits at most, and what was not
 * delivered is counted. On a machine that has other things to do, too.
 */
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "record.h"

#define CLOCK "perf::TASK-CLOCK"
/* The kernel takes no shorter one; from the last but one on, the event sends signals. */
static const int periods[] = { 10000, 20000, 50000, 99999, 100000, 250000 };

#define BUSY 2

static struct work_cell cell;
static sigset_t overflow_signals;
static pid_t busy[BUSY];

/* Processes that do nothing else than use up time; the last of their parent's ends is theirs. */
static void begin_load(void)
{
	int ends[2];

	REQUIRE(pipe(ends) == 0);
	for (int i = 0; i < BUSY; i++) {
		busy[i] = fork();
		REQUIRE(busy[i] >= 0);
		if (busy[i] == 0) {
			close(ends[1]);
			alarm(300);
			for (;;)
				;
		}
	}
	close(ends[0]);
	close(ends[1]);
}

static void end_load(void)
{
	for (int i = 0; i < BUSY; i++) {
		kill(busy[i], SIGKILL);
		waitpid(busy[i], NULL, 0);
	}
}

static long long cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* A fixed amount of work, in instructions. */
WORK_PLAIN static void work(unsigned long rounds)
{
	volatile unsigned long n = 0;

	while (n < rounds)
		n++;
}

static int new_clock(int period, int flags, PAPI_overflow_handler_t handler)
{
	int set = work_set(CLOCK, NULL, NULL);

	REQUIRE_OK(PAPI_overflow(set, record_code(set, 0), period, flags, handler));
	record_clear();
	return set;
}

/* What was delivered is what the handler has seen, and the rest is counted. */
static void stop_and_check(int set)
{
	EXPECT_OK(PAPI_stop(set, NULL));
	EXPECT(record.calls > 0);
	EXPECT_EQUAL(record.calls, record_delivered(set));
	EXPECT(record_lost(set) >= 0);
	work_discard(set);
}

/* It is enough that this ends. */
static void handler_that_does_nothing(void)
{
	for (size_t i = 0; i < COUNT_OF(periods); i++) {
		int set = new_clock(periods[i], 0, record_handler);

		EXPECT_OK(PAPI_start(set));
		for (int rounds = 0; rounds < 5 || (record.calls == 0 && rounds < 10000); rounds++)
			work(100000);
		stop_and_check(set);
	}
}

#define SLOW_NS 100000LL

static void slow_handler(int set, void *address, long long vector, void *context)
{
	long long end = cpu_ns() + SLOW_NS;

	record_handler(set, address, vector, context);
	while (cpu_ns() < end)
		;
}

/* Its calls alone would take many times the time there is. */
static void handler_much_slower_than_its_event(int period, int flags)
{
	int set = new_clock(period, flags, slow_handler);
	long long begin = cpu_ns(), in_program = 0, in_all = 0;

	EXPECT_OK(PAPI_start(set));
	/* A timer of CPU time goes off when the kernel next looks at it, which it may do late. */
	while (in_all < 1000 * SLOW_NS || (record.calls == 0 && in_all < 100000 * SLOW_NS)) {
		work(1000);
		in_all = cpu_ns() - begin;
		in_program = in_all - record.calls * SLOW_NS;
	}
	EXPECT(in_program > in_all / 10);
	stop_and_check(set);
}

static void slow_handlers(void)
{
	for (size_t i = 0; i < COUNT_OF(periods); i++)
		handler_much_slower_than_its_event(periods[i], 0);
}

/* By timer, as often as one may look. */
static void slow_handlers_by_timer(void)
{
	PAPI_option_t option, before;

	memset(&option, 0, sizeof(option));
	REQUIRE_OK(PAPI_get_opt(PAPI_DEF_ITIMER_NS, &before));
	option.itimer.ns = 100000;
	REQUIRE_OK(PAPI_set_opt(PAPI_DEF_ITIMER_NS, &option));
	handler_much_slower_than_its_event(1, PAPI_OVERFLOW_FORCE_SW);
	REQUIRE_OK(PAPI_set_opt(PAPI_DEF_ITIMER_NS, &before));
}

static void feeder(int set, void *address, long long vector, void *context)
{
	record_handler(set, address, vector, context);
	work_store(&cell, 2);
}

static int watched_set(PAPI_overflow_handler_t handler)
{
	char name[WORK_NAME];
	int set;

	work_name(name, &cell, "/8:w");
	set = work_set(name, NULL, NULL);
	REQUIRE_OK(PAPI_overflow(set, record_code(set, 0), 1, 0, handler));
	record_clear();
	return set;
}

/* Each call brings about two more. */
static void handler_that_causes_its_event(void)
{
	int set = watched_set(feeder);
	long long count;

	EXPECT_OK(PAPI_start(set));
	work_store(&cell, 1);
	for (int i = 0; i < 20; i++)
		work(100000);
	EXPECT_OK(PAPI_stop(set, &count));
	EXPECT(record.calls > 1);
	EXPECT_EQUAL(record.calls, record_delivered(set));
	EXPECT_EQUAL(count, record_delivered(set) + record_lost(set));
	work_discard(set);
}

/* Whatever happens while the signal is blocked. */
static void one_signal_waits(void)
{
	struct timespec at_once = { 0 };
	int set = watched_set(record_handler), signals = 0;
	sigset_t before;

	EXPECT_OK(PAPI_start(set));
	pthread_sigmask(SIG_BLOCK, &overflow_signals, &before);
	work_store(&cell, 200);
	while (sigtimedwait(&overflow_signals, NULL, &at_once) > 0)
		signals++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	EXPECT_EQUAL(1, signals);
	EXPECT_EQUAL(0, record.calls);
	/* The signal was taken away; what it stood for was not. */
	EXPECT_EQUAL(200, work_stop(set));
	EXPECT_EQUAL(200, record.calls);
	EXPECT_EQUAL(200, record_delivered(set));
	EXPECT_EQUAL(0, record_lost(set));
	work_discard(set);
}

static void run_until_killed(int tell)
{
	int set = new_clock(periods[0], 0, slow_handler);

	PAPI_start(set);
	if (write(tell, "x", 1) != 1)
		_exit(2);
	alarm(100);
	for (;;)
		work(1000);
}

/* A signal to the process comes after all those to its thread. */
static void can_be_ended(void)
{
	int ends[2], status;
	pid_t child;
	char byte;

	REQUIRE(pipe(ends) == 0);
	child = fork();
	REQUIRE(child >= 0);
	if (child == 0)
		run_until_killed(ends[1]);
	EXPECT(read(ends[0], &byte, 1) == 1);
	usleep(20000);
	kill(child, SIGTERM);
	REQUIRE(waitpid(child, &status, 0) == child);
	EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	close(ends[0]);
	close(ends[1]);
}

int main(void)
{
	static const struct test tests[] = {
		{ "a handler that does nothing", handler_that_does_nothing },
		{ "a handler slower than its event", slow_handlers },
		{ "a handler slower than its event, by timer", slow_handlers_by_timer },
		{ "a handler that causes its event", RECORD_WATCHED(handler_that_causes_its_event) },
		{ "one signal waits", RECORD_WATCHED(one_signal_waits) },
		{ "the process can be ended", RECORD_WATCHED(can_be_ended) },
	};
	int status;

	record_need_prompt_signals();
	work_begin();
	work_need_breakpoints();
	sigemptyset(&overflow_signals);
	sigaddset(&overflow_signals, PAPI_get_component_info(0)->hardware_intr_sig);
	begin_load();
	status = check_run(tests, COUNT_OF(tests));
	end_load();
	return work_end(status);
}
