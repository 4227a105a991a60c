/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What counting costs: start, stop, read, accum, reset.
 *
 * A status is collected and looked at after the clock has been read: the price of looking would be ours alone.
 */
#include <stdint.h>

#include "bench.h"

#ifdef __x86_64__
#include <x86intrin.h>
#endif

static double read_set(struct bench_subject *subject, size_t times)
{
	int (*read_it)(int, long long *) = subject->api->read;
	int status = 0, set = subject->set;
	double begin = bench_now(), spent;

	for (size_t i = 0; i < times; i++)
		status |= read_it(set, subject->values);
	spent = bench_now() - begin;
	bench_expect(subject->api, status, "PAPI_read");
	return spent;
}

static double read_group(struct bench_subject *subject, size_t times)
{
	double begin = bench_now(), spent;
	int status = 0;

	for (size_t i = 0; i < times; i++)
		status |= bench_raw_read(&subject->raw);
	spent = bench_now() - begin;
	bench_expect(NULL, status, "read of a group");
	return spent;
}

static double read_set_with_time(struct bench_subject *subject, size_t times)
{
	double begin = bench_now(), spent;
	int status = 0;

	for (size_t i = 0; i < times; i++)
		status |= subject->api->read_ts(subject->set, subject->values, &subject->cycles);
	spent = bench_now() - begin;
	bench_expect(subject->api, status, "PAPI_read_ts");
	return spent;
}

static long long cycles(void)
{
#ifdef __x86_64__
	return (long long)__rdtsc();
#else
	return (long long)bench_now();
#endif
}

static double read_group_with_time(struct bench_subject *subject, size_t times)
{
	double begin = bench_now(), spent;
	int status = 0;

	for (size_t i = 0; i < times; i++) {
		status |= bench_raw_read(&subject->raw);
		subject->cycles = cycles();
	}
	spent = bench_now() - begin;
	bench_expect(NULL, status, "read of a group");
	return spent;
}

static double accumulate(struct bench_subject *subject, size_t times)
{
	double begin = bench_now(), spent;
	int status = 0;

	for (size_t i = 0; i < times; i++)
		status |= subject->api->accum(subject->set, subject->values);
	spent = bench_now() - begin;
	bench_expect(subject->api, status, "PAPI_accum");
	return spent;
}

static double reset(struct bench_subject *subject, size_t times)
{
	double begin = bench_now(), spent;
	int status = 0;

	for (size_t i = 0; i < times; i++)
		status |= subject->api->reset(subject->set);
	spent = bench_now() - begin;
	bench_expect(subject->api, status, "PAPI_reset");
	return spent;
}

static double start_stop(struct bench_subject *subject, size_t times)
{
	double begin = bench_now(), spent;
	int status = 0;

	for (size_t i = 0; i < times; i++) {
		status |= subject->api->start(subject->set);
		status |= subject->api->stop(subject->set, subject->values);
	}
	spent = bench_now() - begin;
	bench_expect(subject->api, status, "PAPI_start or PAPI_stop");
	return spent;
}

static double enable_read_disable(struct bench_subject *subject, size_t times)
{
	double begin = bench_now(), spent;
	int status = 0;

	for (size_t i = 0; i < times; i++) {
		status |= bench_raw_enable(&subject->raw);
		status |= bench_raw_read(&subject->raw);
		status |= bench_raw_disable(&subject->raw);
	}
	spent = bench_now() - begin;
	bench_expect(NULL, status, "ioctl or read of a group");
	return spent;
}

static double enable_disable_read(struct bench_subject *subject, size_t times)
{
	double begin = bench_now(), spent;
	int status = 0;

	for (size_t i = 0; i < times; i++) {
		status |= bench_raw_enable(&subject->raw);
		status |= bench_raw_disable(&subject->raw);
		status |= bench_raw_read(&subject->raw);
	}
	spent = bench_now() - begin;
	bench_expect(NULL, status, "ioctl or read of a group");
	return spent;
}

/* Each time both sets, or two times the same one. */
static double start_stop_sets(struct bench_subject *subject, int second, size_t times)
{
	double begin = bench_now(), spent;
	int status = 0;

	for (size_t i = 0; i < times; i++) {
		status |= subject->api->start(subject->set);
		status |= subject->api->stop(subject->set, subject->values);
		status |= subject->api->start(second);
		status |= subject->api->stop(second, subject->values);
	}
	spent = bench_now() - begin;
	bench_expect(subject->api, status, "PAPI_start or PAPI_stop");
	return spent;
}

static double alternate_sets(struct bench_subject *subject, size_t times)
{
	return start_stop_sets(subject, subject->other, times);
}

static double repeat_set(struct bench_subject *subject, size_t times)
{
	return start_stop_sets(subject, subject->set, times);
}

static double start_stop_groups(struct bench_raw *first, struct bench_raw *second, size_t times)
{
	double begin = bench_now(), spent;
	int status = 0;

	for (size_t i = 0; i < times; i++) {
		status |= bench_raw_enable(first);
		status |= bench_raw_disable(first);
		status |= bench_raw_read(first);
		status |= bench_raw_enable(second);
		status |= bench_raw_disable(second);
		status |= bench_raw_read(second);
	}
	spent = bench_now() - begin;
	bench_expect(NULL, status, "ioctl or read of a group");
	return spent;
}

static double alternate_groups(struct bench_subject *subject, size_t times)
{
	return start_stop_groups(&subject->raw, &subject->raw_other, times);
}

static double repeat_group(struct bench_subject *subject, size_t times)
{
	return start_stop_groups(&subject->raw, &subject->raw, times);
}

const struct bench_case bench_counting_cases[] = {
	{ "read-4", "PAPI_read", "read(2) of the group", read_set, read_group, BENCH_RUNNING, .limit = 1.05 },
	{ "start-stop-4", "PAPI_start, PAPI_stop", "enable, read(2), disable", start_stop, enable_read_disable,
		BENCH_SETS, .limit = 1.1 },
	{ "alternate", "start A, stop A, start B, stop B", "start A, stop A, twice", alternate_sets, repeat_set,
		BENCH_TWO, .limit = 1.05 },
	{ "start-stop-4-order", "PAPI_start, PAPI_stop", "enable, disable, read(2)", start_stop, enable_disable_read,
		BENCH_SETS, .limit = 0, .no_peer = true },
	{ "alternate-kernel", "enable, disable, read A, then B", "the same with A, twice", alternate_groups,
		repeat_group, BENCH_TWO, .limit = 0, .no_peer = true },
	{ "accum-4", "PAPI_accum", "read(2) of the group", accumulate, read_group, BENCH_RUNNING, .limit = 0 },
	{ "reset-4", "PAPI_reset, counting", "read(2) of the group", reset, read_group, BENCH_RUNNING, .limit = 0 },
	{ "read-ts-4", "PAPI_read_ts", "read(2), time stamp", read_set_with_time, read_group_with_time, BENCH_RUNNING,
		.limit = 0 },
	{ "reset-stopped-4", "PAPI_reset, stopped", "clock_gettime", reset, bench_unit, BENCH_SETS, .limit = 0 },
	{ "read-stopped-4", "PAPI_read, stopped", "clock_gettime", read_set, bench_unit, BENCH_SETS, .limit = 0 },
	{ 0 },
};
