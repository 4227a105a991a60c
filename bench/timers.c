/* SPDX-License-Identifier: BSD-3-Clause */
/* The timers, against the clock or the register that they read. */
#include "bench.h"

#ifdef __x86_64__
#include <x86intrin.h>
#endif

/* Results go here, so that no compiler leaves a call out. */
static volatile long long sink;

static double call_timer(long long (*timer)(void), size_t times)
{
	double begin = bench_now();
	long long sum = 0;

	for (size_t i = 0; i < times; i++)
		sum += timer();
	sink = sum;
	return bench_now() - begin;
}

static double read_clock(clockid_t clock, size_t times)
{
	double begin = bench_now();
	long long sum = 0;

	for (size_t i = 0; i < times; i++) {
		struct timespec now;

		clock_gettime(clock, &now);
		sum += now.tv_sec * 1000000000LL + now.tv_nsec;
	}
	sink = sum;
	return bench_now() - begin;
}

static double read_counter(struct bench_subject *subject, size_t times)
{
#ifdef __x86_64__
	double begin = bench_now();
	long long sum = 0;

	(void)subject;
	for (size_t i = 0; i < times; i++)
		sum += (long long)__rdtsc();
	sink = sum;
	return bench_now() - begin;
#else
	(void)subject;
	return read_clock(CLOCK_MONOTONIC, times);
#endif
}

double bench_unit(struct bench_subject *subject, size_t times)
{
	(void)subject;
	return read_clock(CLOCK_MONOTONIC, times);
}

static double read_thread_clock(struct bench_subject *subject, size_t times)
{
	(void)subject;
	return read_clock(CLOCK_THREAD_CPUTIME_ID, times);
}

static double real_nsec(struct bench_subject *subject, size_t times)
{
	return call_timer(subject->api->get_real_nsec, times);
}

static double real_cyc(struct bench_subject *subject, size_t times)
{
	return call_timer(subject->api->get_real_cyc, times);
}

static double virt_nsec(struct bench_subject *subject, size_t times)
{
	return call_timer(subject->api->get_virt_nsec, times);
}

static double virt_cyc(struct bench_subject *subject, size_t times)
{
	return call_timer(subject->api->get_virt_cyc, times);
}

const struct bench_case bench_timer_cases[] = {
	{ "real-nsec", "PAPI_get_real_nsec", "clock_gettime", real_nsec, bench_unit, BENCH_NOTHING, .limit = 1.3 },
	{ "real-cyc", "PAPI_get_real_cyc", "rdtsc, or clock_gettime", real_cyc, read_counter, BENCH_NOTHING,
		.limit = 0 },
	{ "virt-nsec", "PAPI_get_virt_nsec", "clock_gettime of the thread", virt_nsec, read_thread_clock, BENCH_NOTHING,
		.limit = 0 },
	{ "virt-cyc", "PAPI_get_virt_cyc", "clock_gettime of the thread", virt_cyc, read_thread_clock, BENCH_NOTHING,
		.limit = 0 },
	{ 0 },
};
