/* SPDX-License-Identifier: BSD-3-Clause */
/* Overflows of hardware counters: how many there are, where, and of what; and histograms made of them. */
#include <linux/perf_event.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"
#include "loop.h"
#include "work.h"

#define THRESHOLD 100000
#define TIMES     40
#define N         (THRESHOLD * TIMES / (LOOP_INSTRUCTIONS * CYCLES_EACH))

static atomic_int n_calls, n_inside, n_wrong;
static int counted_set;
static long long expected_vector;

static void handler(int set, void *address, long long vector, void *context)
{
	uintptr_t where = (uintptr_t)address;

	atomic_fetch_add(&n_calls, 1);
	atomic_fetch_add(&n_inside, where >= (uintptr_t)loop && where < (uintptr_t)loop_end);
	atomic_fetch_add(&n_wrong, set != counted_set || vector != expected_vector || !context);
}

static void expect_overflows(int set, const char *event, int place)
{
	int code;

	REQUIRE_OK(PAPI_event_name_to_code(event, &code));
	REQUIRE_OK(PAPI_overflow(set, code, THRESHOLD, 0, handler));
	counted_set = set;
	expected_vector = 1LL << place;
	for (int i = 0; i < 3; i++) {
		n_calls = n_inside = n_wrong = 0;
		EXPECT_OK(PAPI_start(set));
		loop(N);
		EXPECT_OK(PAPI_stop(set, NULL));
		/* What the handlers themselves run is counted, too: that makes a few more. */
		EXPECT_BETWEEN(TIMES, n_calls, TIMES + TIMES / 4);
		EXPECT_BETWEEN(TIMES - 2, n_inside, n_calls);
		EXPECT_EQUAL(0, n_wrong);
	}
	EXPECT_OK(PAPI_overflow(set, code, 0, 0, handler));
	n_calls = 0;
	EXPECT_OK(PAPI_start(set));
	loop(N);
	EXPECT_OK(PAPI_stop(set, NULL));
	EXPECT_EQUAL(0, n_calls);
}

static void of_cycles(void)
{
	int set = work_set("perf::CYCLES", NULL, NULL);

	expect_overflows(set, "perf::CYCLES", 0);
	work_discard(set);
}

/*
 * Overflows of this event reach the emulated processor when something else interrupts it: here a clock of the whole CPU
 * that wants an interrupt each 20 us, half as long as it takes to the next overflow.
 */
static void of_instructions(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 20000 };
	int clock = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	int set = work_set("perf::INSTRUCTIONS", NULL, NULL), code;

	REQUIRE(clock >= 0);
	REQUIRE_OK(PAPI_event_name_to_code("perf::INSTRUCTIONS", &code));
	REQUIRE_OK(PAPI_overflow(set, code, THRESHOLD / CYCLES_EACH, 0, handler));
	counted_set = set;
	expected_vector = 1;
	for (int i = 0; i < 3; i++) {
		n_calls = n_wrong = 0;
		EXPECT_OK(PAPI_start(set));
		loop(N);
		EXPECT_OK(PAPI_stop(set, NULL));
		EXPECT_BETWEEN(TIMES - 2, n_calls, TIMES + TIMES / 4);
		EXPECT_EQUAL(0, n_wrong);
	}
	close(clock);
	EXPECT_OK(PAPI_overflow(set, code, 0, 0, handler));
	work_discard(set);
}

/* Before, a set that ran often: it must not be kept counting while it is armed. */
static void of_the_second_of_two(void)
{
	int set = work_set("perf::INSTRUCTIONS", "perf::CYCLES", NULL);

	for (int i = 0; i < 4; i++) {
		EXPECT_OK(PAPI_start(set));
		EXPECT_OK(PAPI_stop(set, NULL));
	}
	expect_overflows(set, "perf::CYCLES", 1);
	n_calls = 0;
	loop(10 * N);
	EXPECT_EQUAL(0, n_calls);
	work_discard(set);
}

/* Each bucket of 4 bytes at scale 65536 / 2 covers one instruction. */
static void a_histogram(void)
{
	int set = work_set("perf::CYCLES", NULL, NULL), code;
	uint32_t buckets[64];
	unsigned sum = 0, inside = 0;

	memset(buckets, 0, sizeof(buckets));
	REQUIRE_OK(PAPI_event_name_to_code("perf::CYCLES", &code));
	EXPECT_OK(PAPI_profil(buckets, sizeof(buckets), (vptr_t)(uintptr_t)loop, 65536, set, code, THRESHOLD,
		PAPI_PROFIL_POSIX | PAPI_PROFIL_BUCKET_32));
	EXPECT_OK(PAPI_start(set));
	loop(N);
	EXPECT_OK(PAPI_stop(set, NULL));
	for (size_t i = 0; i < COUNT_OF(buckets); i++) {
		sum += buckets[i];
		/* Of the addresses counted from loop, half a bucket for each byte. */
		inside += i * 4 <= (size_t)(loop_end - (const char *)(uintptr_t)loop) ? buckets[i] : 0;
	}
	EXPECT_BETWEEN(TIMES - 2, sum, TIMES + TIMES / 4);
	EXPECT_BETWEEN(TIMES - 2, inside, sum);
	EXPECT_OK(PAPI_profil(buckets, sizeof(buckets), (vptr_t)(uintptr_t)loop, 65536, set, code, 0,
		PAPI_PROFIL_POSIX | PAPI_PROFIL_BUCKET_32));
	work_discard(set);
}

int main(void)
{
	static const struct test tests[] = {
		{ "of cycles", of_cycles },
		{ "of instructions", of_instructions },
		{ "of the second of two", of_the_second_of_two },
		{ "a histogram", a_histogram },
	};

	loop_begin();
	return check_run(tests, COUNT_OF(tests));
}
