/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Signals that come while modelled events are read. Reading runs what the program has done through the models, natively
 * and with signals open; the program's handlers run translated meanwhile, and may read EventSets themselves. Nothing is
 * simulated twice, nothing that a handler did is lost.
 *
 *	test_vpmu_reentry [TICKS]	how many signals there are in a region, at least
 */
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "virtual.h"

/* What a handler touches: each line misses a cache of 32 KiB, and its records fill the thread's trace more than
 * once. */
#define LINES     4096
#define LINE_SIZE 64

enum { MISSES, MISPREDICTED, CYCLES, MODELLED_STORES, MODELLED };
static const char *const modelled_events[MODELLED] = {
	[MISSES] = "vpmu:::L1D_WRITE_MISSES",
	[MISPREDICTED] = "vpmu:::BRANCHES_MISPREDICTED",
	[CYCLES] = "vpmu:::CYCLES",
	[MODELLED_STORES] = "vpmu:::STORES",
};

static int modelled, other; /* sets */
static unsigned char lines[LINES][LINE_SIZE], own[1 << 20];
static volatile sig_atomic_t ticks, in_region;
static long least_ticks = 300;
static long long read_by_handler[MODELLED];
static unsigned went_back, failed, overflows;

static int make_set(const char *const events[], unsigned n)
{
	int set = PAPI_NULL;

	REQUIRE_OK(PAPI_create_eventset(&set));
	for (unsigned i = 0; i < n; i++)
		REQUIRE_OK(PAPI_add_named_event(set, events[i]));
	return set;
}

static void free_set(int set)
{
	EXPECT_OK(PAPI_cleanup_eventset(set));
	EXPECT_OK(PAPI_destroy_eventset(&set));
}

/* One store for each line, and nothing else that could be one. */
void touch(unsigned char (*from)[LINE_SIZE], uint64_t n);
#ifdef __aarch64__
__asm__("	.text\n"
	"	.globl	touch\n"
	"touch:	mov	w2, #1\n"
	"1:	strb	w2, [x0], #64\n"
	"	subs	x1, x1, #1\n"
	"	b.ne	1b\n"
	"	ret\n");
#else
__asm__("	.text\n"
	"	.globl	touch\n"
	"touch:	movb	$1, (%rdi)\n"
	"	add	$64, %rdi\n"
	"	dec	%rsi\n"
	"	jnz	touch\n"
	"	ret\n");
#endif

static void tick(int number)
{
	(void)number;
	if (in_region)
		ticks++;
	touch(lines, LINES);
}

static void tick_and_read(int number)
{
	long long values[MODELLED];

	tick(number);
	if (!in_region)
		return;
	if (PAPI_read(other, values) != PAPI_OK) {
		failed++;
		return;
	}
	went_back += values[0] < read_by_handler[0];
	read_by_handler[0] = values[0];
}

static void set_timer(long microseconds)
{
	struct itimerval interval = { { 0, microseconds }, { 0, microseconds } };

	REQUIRE(setitimer(ITIMER_REAL, &interval, NULL) == 0);
}

static long microseconds_of(const struct timespec *from, const struct timespec *to)
{
	return (to->tv_sec - from->tv_sec) * 1000000 + (to->tv_nsec - from->tv_nsec) / 1000;
}

/* Of the timer: twice what a handler takes that counts here and is told to the models, so that something else is done,
 * too. */
static long find_interval(void)
{
	long long values[MODELLED];
	struct timespec before, after;
	long least = LONG_MAX;

	for (unsigned i = 0; i < 5; i++) {
		clock_gettime(CLOCK_MONOTONIC, &before);
		REQUIRE_OK(PAPI_start(modelled));
		touch(lines, LINES);
		REQUIRE_OK(PAPI_stop(modelled, values));
		clock_gettime(CLOCK_MONOTONIC, &after);
		if (microseconds_of(&before, &after) < least)
			least = microseconds_of(&before, &after);
	}
	return 2 * least < 300 ? 300 : 2 * least;
}

/* Reads all the time: signals mostly come while it does. */
static void disturb(void (*handler)(int), const char *const others[], unsigned n, PAPI_overflow_handler_t overflow)
{
	struct sigaction action = { .sa_handler = handler };
	long long values[MODELLED], last[MODELLED] = { 0 }, unused[MODELLED];
	unsigned random = 1, code;
	long interval;

	modelled = make_set(modelled_events, MODELLED);
	interval = find_interval();
	other = make_set(others, n);
	if (overflow && EXPECT_OK(PAPI_event_name_to_code(others[0], (int *)&code)))
		EXPECT_OK(PAPI_overflow(other, (int)code, 100000, PAPI_OVERFLOW_FORCE_SW, overflow));
	ticks = 0;
	memset(read_by_handler, 0, sizeof(read_by_handler));
	sigaction(SIGALRM, &action, NULL);
	REQUIRE_OK(PAPI_start(modelled));
	REQUIRE_OK(PAPI_start(other));
	in_region = 1;
	set_timer(interval);
	while (ticks < least_ticks) {
		for (unsigned i = 0; i < 2000; i++) {
			random = random * 1664525 + 1013904223;
			own[random >> 12]++;
		}
		if (!EXPECT_OK(PAPI_read(modelled, values)))
			break;
		for (unsigned i = 0; i < MODELLED; i++)
			went_back += values[i] < last[i];
		memcpy(last, values, sizeof(last));
	}
	in_region = 0;
	set_timer(0);
	EXPECT_OK(PAPI_stop(other, unused));
	EXPECT_OK(PAPI_stop(modelled, values));
	EXPECT_EQUAL(0, went_back);
	EXPECT_EQUAL(0, failed);
	/* Whatever stood in a set before: nearly all lines of a handler miss, since its lines are more than there
	 * are. */
	EXPECT_BETWEEN((long long)ticks * (LINES - 1024), values[MISSES], values[MODELLED_STORES]);
	EXPECT(values[MODELLED_STORES] >= (long long)ticks * LINES);
	EXPECT(values[CYCLES] > values[MODELLED_STORES]);
	free_set(other);
	free_set(modelled);
}

static void test_handler_calls_nothing(void)
{
	disturb(tick, modelled_events, MODELLED, NULL);
}

static void test_handler_reads_modelled(void)
{
	disturb(tick_and_read, modelled_events, MODELLED, NULL);
}

static void test_handler_reads_exact(void)
{
	const char *const exact[] = { "vpmu:::INSTRUCTIONS" };

	disturb(tick_and_read, exact, 1, NULL);
}

static void overflowed(int set, void *address, long long vector, void *context)
{
	(void)set;
	(void)address;
	(void)vector;
	(void)context;
	overflows++;
}

static void test_forced_overflow(void)
{
	const char *const exact[] = { "vpmu:::INSTRUCTIONS" };

	overflows = 0;
	disturb(tick_and_read, exact, 1, overflowed);
	EXPECT(overflows > 0);
}

int main(int count, char **arguments)
{
	static const struct test tests[] = {
		{ "a handler that calls nothing", test_handler_calls_nothing },
		{ "a handler that reads modelled events", test_handler_reads_modelled },
		{ "a handler that reads exact events", test_handler_reads_exact },
		{ "a handler that reads, and overflows by comparing counts", test_forced_overflow },
	};

	setenv("PAPI_VPMU", "always", 1);
	setenv("PAPI_VPMU_CACHE", "L1D=32K/8/64", 1);
	if (!virtual_begin())
		return 77;
	if (count > 1)
		least_ticks = strtol(arguments[1], NULL, 10);
	return check_run(tests, COUNT_OF(tests));
}
