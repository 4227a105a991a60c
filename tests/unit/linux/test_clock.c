/* SPDX-License-Identifier: BSD-3-Clause */
/* linux/time/clock.h. Nothing here depends on how fast the machine is: clocks are compared with each other. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "linux/machine/hardware.h"
#include "linux/time/clock.h"
#include "linux/time/clock_rate.h"

#define THREADS 8

static void use_cpu(long long nanoseconds)
{
	long long end = papi_clock_virtual_ns() + nanoseconds;

	while (papi_clock_virtual_ns() < end)
		;
}

static void clocks_never_go_back(void **state)
{
	long long real = papi_clock_real_ns();
	long long virtual = papi_clock_virtual_ns();
	long long virtual_cycles = papi_clock_virtual_cycles();

	(void)state;
	for (int i = 0; i < 100000; i++) {
		long long now = papi_clock_real_ns();

		assert_true(now >= real);
		real = now;
	}
	for (int i = 0; i < 10000; i++) {
		long long now = papi_clock_virtual_ns();
		long long now_cycles = papi_clock_virtual_cycles();

		assert_true(now >= virtual);
		assert_true(now_cycles >= virtual_cycles);
		virtual = now;
		virtual_cycles = now_cycles;
	}
}

static void real_time_is_the_monotonic_clock(void **state)
{
	struct timespec before, after;
	long long now;

	(void)state;
	clock_gettime(CLOCK_MONOTONIC, &before);
	now = papi_clock_real_ns();
	clock_gettime(CLOCK_MONOTONIC, &after);
	assert_true(now >= (long long)before.tv_sec * 1000000000 + before.tv_nsec);
	assert_true(now <= (long long)after.tv_sec * 1000000000 + after.tv_nsec);
}

/* Work takes CPU time, at most as much as passes; sleep takes next to none. */
static void virtual_time_is_time_on_a_cpu(void **state)
{
	struct timespec pause = { .tv_nsec = 50000000 };
	long long real = papi_clock_real_ns();
	long long virtual = papi_clock_virtual_ns();
	long long asleep;

	(void)state;
	use_cpu(5000000);
	virtual = papi_clock_virtual_ns() - virtual;
	real = papi_clock_real_ns() - real;
	assert_true(virtual >= 5000000);
	assert_true(virtual <= real);
	real = papi_clock_real_ns();
	asleep = papi_clock_virtual_ns();
	nanosleep(&pause, NULL);
	asleep = papi_clock_virtual_ns() - asleep;
	real = papi_clock_real_ns() - real;
	assert_true(real >= pause.tv_nsec);
	assert_true(asleep < real / 2);
}

static void *use_cpu_in_thread(void *used)
{
	long long start = papi_clock_virtual_ns();

	use_cpu(20000000);
	*(long long *)used = papi_clock_virtual_ns() - start;
	return NULL;
}

static void virtual_time_is_that_of_the_thread(void **state)
{
	long long mine = papi_clock_virtual_ns();
	long long used;
	pthread_t thread;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, use_cpu_in_thread, &used), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	mine = papi_clock_virtual_ns() - mine;
	assert_true(used >= 20000000);
	assert_true(mine < used / 2);
}

static void conversion_is_exact(void **state)
{
	long long rate = papi_clock_rate();
	long long year = 365ll * 86400 * 1000000000;
	long long before = papi_clock_to_cycles(0);

	(void)state;
	assert_int_equal(before, 0);
	assert_true(rate >= 1);
	/* A second is the rate, a year a year of them, to the rounding of a multiplier of 32 fractional bits. */
	assert_true(llabs(papi_clock_to_cycles(1000000000) - rate) <= 1);
	assert_true(llabs(papi_clock_to_cycles(year) / (year / 1000000000) - rate) <= 1);
	for (long long time = 1; time < year; time *= 3) {
		long long now = papi_clock_to_cycles(time);

		assert_true(now >= before);
		before = now;
	}
}

/*
 * How many cycles the rate makes of an interval, against how many went by on the counter. If the thread is moved
 * between the two reads at an end, the pair is no measure, so the best of some attempts counts.
 */
static void rate_is_that_of_the_counter(void **state)
{
	double best = 1;

	(void)state;
	for (int i = 0; i < 20 && best > 0.001; i++) {
		long long start = papi_clock_real_ns();
		long long start_cycles = papi_clock_real_cycles();
		double expected, off;

		use_cpu(5000000);
		expected = (double)papi_clock_to_cycles(papi_clock_real_ns() - start);
		off = (double)(papi_clock_real_cycles() - start_cycles) / expected - 1;
		if (off < 0)
			off = -off;
		if (off < best)
			best = off;
	}
	assert_true(best <= 0.001);
}

/* What the sources say on machines that are not at hand, in Hz. */
static void processors_and_hypervisors_tell_the_rate(void **state)
{
	/* A Skylake that gives only the ratio, an Ice Lake server that gives all, and a processor without the leaf. */
	static const papi_cpuid_t without_crystal = { 2, 300, 0, 0 };
	static const papi_cpuid_t complete = { 2, 248, 25000000, 0 };
	static const papi_cpuid_t none = { 0, 0, 0, 0 };
	static const papi_cpuid_t hypervisor = { 2596122, 66000, 0, 0 };

	(void)state;
	assert_true(papi_clock_crystal_rate(&without_crystal) == 0);
	assert_true(papi_clock_crystal_rate(&complete) == 3.1e9);
	assert_true(papi_clock_crystal_rate(&none) == 0);
	assert_true(papi_clock_hypervisor_rate(&hypervisor) == 2596122000.0);
	assert_true(papi_clock_hypervisor_rate(&none) == 0);
}

static void the_kernels_page_tells_the_rate(void **state)
{
	struct perf_event_mmap_page page = { .time_shift = 31, .time_mult = 0x40000000 };

	(void)state;
	/* Unless the kernel says that user space may use them, the numbers mean nothing. */
	assert_true(papi_clock_page_rate(&page) == 0);
	page.cap_user_time = 1;
	assert_true(papi_clock_page_rate(&page) == 2e9);
	page.time_mult = 0;
	assert_true(papi_clock_page_rate(&page) == 0);
	page.time_mult = 1;
	page.time_shift = 64;
	assert_true(papi_clock_page_rate(&page) == 0);
}

/* However the rate was found, a measurement agrees. */
static void measuring_agrees_with_the_rate(void **state)
{
	double best = 1;

	(void)state;
	if (!papi_clock_has_counter())
		skip();
	for (int i = 0; i < 20 && best > 0.001; i++) {
		double off = papi_clock_measured_rate() / (double)papi_clock_rate() - 1;

		if (off < 0)
			off = -off;
		if (off < best)
			best = off;
	}
	assert_true(best <= 0.001);
}

static void *get_rate(void *barrier)
{
	pthread_barrier_wait(barrier);
	return (void *)(intptr_t)papi_clock_rate(); // NOLINT(performance-no-int-to-ptr): a result, not an address
}

static int find_rate_in_threads(void)
{
	pthread_t threads[THREADS];
	pthread_barrier_t barrier;
	void *rates[THREADS];

	pthread_barrier_init(&barrier, NULL, THREADS);
	for (int i = 0; i < THREADS; i++) {
		if (pthread_create(&threads[i], NULL, get_rate, &barrier) != 0)
			return 2;
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], &rates[i]);
	for (int i = 1; i < THREADS; i++) {
		if (rates[i] != rates[0] || (long long)(intptr_t)rates[i] != papi_clock_rate())
			return 1;
	}
	return 0;
}

/* In a child, since the rate is found once in the life of a process: this test has to be the first. */
static void threads_that_come_at_once_get_one_rate(void **state)
{
	int status;
	pid_t child = fork();

	(void)state;
	if (child == 0)
		_exit(find_rate_in_threads());
	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_that_come_at_once_get_one_rate),
		cmocka_unit_test(clocks_never_go_back),
		cmocka_unit_test(real_time_is_the_monotonic_clock),
		cmocka_unit_test(virtual_time_is_time_on_a_cpu),
		cmocka_unit_test(virtual_time_is_that_of_the_thread),
		cmocka_unit_test(conversion_is_exact),
		cmocka_unit_test(rate_is_that_of_the_counter),
		cmocka_unit_test(processors_and_hypervisors_tell_the_rate),
		cmocka_unit_test(the_kernels_page_tells_the_rate),
		cmocka_unit_test(measuring_agrees_with_the_rate),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	/* Where there is no counter the rate is the hardware's. */
	papi_hardware_reset();
	return failed;
}
