/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PAPI_stop has overflows to deliver while another thread is inside the set: it waits for that one, instead of sending
 * itself one signal after the other that cannot be heeded.
 *
 * A thread is kept inside by where its values go: the first write there is a fault, whose handler takes its time.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "record.h"

#define ROUNDS  50
#define HOLD_NS 5000000

static long (*next_syscall)(long number, ...);
static long sent; /* signals, by the thread that stops to itself */

static int set;
static char *barred[2]; /* pages: of the thread that stops, of the other one */
static _Atomic int round_begun, round_ended, other_comes;
static _Atomic bool other_is_inside, stop_has_returned;

/* The library's, too. The first signal is sent when the other thread has come in. */
__attribute__((visibility("default"))) long syscall(long number, ...)
{
	long arguments[6];
	va_list list;

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		arguments[i] = va_arg(list, long);
	va_end(list);
	if (number == SYS_rt_tgsigqueueinfo && sent++ == 0)
		while (!atomic_load(&other_is_inside))
			sched_yield();
	return next_syscall(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
}

static long long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return 1000000000LL * now.tv_sec + now.tv_nsec;
}

static void wait_for(const _Atomic int *which, int value)
{
	while (atomic_load(which) < value)
		sched_yield();
}

/* Inside the set: the stop goes on when the other thread is about to come, and that one once the stop has returned. */
static void on_fault(int number, siginfo_t *info, void *context)
{
	bool other = (char *)info->si_addr >= barred[1] && (char *)info->si_addr < barred[1] + work_bytes(1);
	long long end = now_ns() + HOLD_NS;

	(void)number;
	(void)context;
	if (other) {
		atomic_store(&other_is_inside, true);
		while (!atomic_load(&stop_has_returned) && now_ns() < end)
			sched_yield();
	} else {
		atomic_fetch_add(&round_begun, 1);
		wait_for(&other_comes, atomic_load(&round_begun));
	}
	mprotect(barred[other], work_bytes(1), PROT_READ | PROT_WRITE);
}

static void *come_in(void *unused)
{
	for (int i = 1; i <= ROUNDS; i++) {
		wait_for(&round_begun, i);
		atomic_store(&other_comes, i);
		EXPECT_OK(PAPI_read(set, (long long *)(void *)barred[1]));
		atomic_store(&round_ended, i);
	}
	return unused;
}

static void stop_once(int i)
{
	char *values = work_pages(1);

	for (int j = 0; j < 2; j++)
		mprotect(barred[j], work_bytes(1), PROT_NONE);
	atomic_store(&other_is_inside, false);
	atomic_store(&stop_has_returned, false);
	record_clear();
	EXPECT_OK(PAPI_start(set));
	/* Overflows inside, by a fault. */
	EXPECT_OK(PAPI_read(set, (long long *)(void *)values));
	sent = 0;
	EXPECT_OK(PAPI_stop(set, (long long *)(void *)barred[0]));
	atomic_store(&stop_has_returned, true);
	/* The other thread comes in between once; the timer may have been faster. */
	EXPECT_BETWEEN(0, sent, 2);
	wait_for(&round_ended, i);
	for (int j = 0; j < 5000 && record.calls < *(long long *)(void *)barred[0]; j++)
		usleep(1000);
	EXPECT(record.calls >= 1);
	EXPECT_EQUAL(*(long long *)(void *)barred[0], record.calls);
	EXPECT_EQUAL(record.calls, record_delivered(set));
	EXPECT_EQUAL(0, record_lost(set));
	work_unmap(values, 1);
}

static void another_is_inside(void)
{
	struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };
	pthread_t thread;

	sigaction(SIGSEGV, &action, NULL);
	for (int i = 0; i < 2; i++)
		barred[i] = work_pages(1);
	set = work_set("perf::MINOR-FAULTS", NULL, NULL);
	REQUIRE_OK(PAPI_overflow(set, record_code(set, 0), 1, 0, record_handler));
	REQUIRE(pthread_create(&thread, NULL, come_in, NULL) == 0);
	for (int i = 1; i <= ROUNDS; i++)
		stop_once(i);
	REQUIRE(pthread_join(thread, NULL) == 0);
	work_discard(set);
	signal(SIGSEGV, SIG_DFL);
}

int main(void)
{
	static const struct test tests[] = {
		{ "another thread is inside", another_is_inside },
	};

	next_syscall = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	record_need_prompt_signals();
	work_begin();
	return work_end(check_run(tests, COUNT_OF(tests)));
}
