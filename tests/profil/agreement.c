/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The emulated and the real way agree: one program of five functions, profiled by the kernel's samples and by the timer
 * of the library.
 *
 * The statistics: the total variation distance of the two histograms over the functions, half the sum of the
 * differences of shares, which must be below 0.1; and the chi-square test of homogeneity, which for five classes must
 * stay below 18.47, what two samples of one distribution exceed once in a thousand times. That the test would notice a
 * difference is shown by a program that has another one: two functions changed places.
 *
 * The functions run in a random order, so that no timer's period fits theirs, and up to three attempts are made.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>

#include "check.h"
#include "record.h"

#define CLOCK        "perf::TASK-CLOCK"
#define FUNCTIONS    5
#define SAMPLES      500
#define MOST_DISTANT 0.1
#define CRITICAL     18.47 /* chi-square, 4 degrees of freedom, 0.001 */

#define FUNCTION(name)                                                                                    \
	__attribute__((section("text_" #name), aligned(64))) static WORK_PLAIN void name(unsigned long n) \
	{                                                                                                 \
		while (n--)                                                                               \
			__asm__ volatile("" ::: "memory");                                                \
	}                                                                                                 \
	extern char __start_text_##name[], __stop_text_##name[];

FUNCTION(first)
FUNCTION(second)
FUNCTION(third)
FUNCTION(fourth)
FUNCTION(fifth)

static void (*const functions[FUNCTIONS])(unsigned long n) = { first, second, third, fourth, fifth };
/* How often each is called, of 20 times. */
static const unsigned shares[FUNCTIONS] = { 8, 5, 4, 2, 1 };
static uint64_t buckets[FUNCTIONS];

struct histogram {
	double counts[FUNCTIONS], all;
};

static void run(int changed, unsigned turns)
{
	static unsigned seed = 1;

	for (unsigned i = 0; i < turns; i++) {
		unsigned dice = (seed = seed * 1103515245 + 12345) >> 16;
		unsigned which = 0;

		dice %= 20;
		while (dice >= shares[which])
			dice -= shares[which++];
		if (changed && (which == 0 || which == 3))
			which = 3 - which;
		functions[which](20000);
	}
}

static struct histogram profile(int flags, int threshold, int changed)
{
	PAPI_sprofil_t prof[FUNCTIONS] = {
		{ &buckets[0], 8, __start_text_first, 4 },
		{ &buckets[1], 8, __start_text_second, 4 },
		{ &buckets[2], 8, __start_text_third, 4 },
		{ &buckets[3], 8, __start_text_fourth, 4 },
		{ &buckets[4], 8, __start_text_fifth, 4 },
	};
	const char *stops[FUNCTIONS] = { __stop_text_first, __stop_text_second, __stop_text_third, __stop_text_fourth,
		__stop_text_fifth };
	struct histogram histogram = { .all = 0 };
	int set = work_set(CLOCK, NULL, NULL);
	long long delivered = 0;

	/* One bucket for each function: a scale of that many addresses. */
	for (int i = 0; i < FUNCTIONS; i++)
		prof[i].pr_scale = (unsigned)(131072 / (stops[i] - (char *)prof[i].pr_off));
	memset(buckets, 0, sizeof(buckets));
	REQUIRE_OK(PAPI_sprofil(prof, FUNCTIONS, set, record_code(set, 0), threshold, flags | PAPI_PROFIL_BUCKET_64));
	REQUIRE_OK(PAPI_start(set));
	for (int i = 0; i < 10000 && delivered < SAMPLES; i++) {
		run(changed, 100);
		delivered = record_delivered(set);
	}
	REQUIRE_OK(PAPI_stop(set, NULL));
	for (int i = 0; i < FUNCTIONS; i++) {
		histogram.counts[i] = (double)buckets[i];
		histogram.all += (double)buckets[i];
	}
	/* What is between the functions is their caller's: little. */
	EXPECT(histogram.all >= 0.9 * SAMPLES);
	work_discard(set);
	return histogram;
}

static double distance(const struct histogram *a, const struct histogram *b)
{
	double sum = 0;

	for (int i = 0; i < FUNCTIONS; i++)
		sum += fabs(a->counts[i] / a->all - b->counts[i] / b->all);
	return sum / 2;
}

static double chi_square(const struct histogram *a, const struct histogram *b)
{
	double sum = 0;

	for (int i = 0; i < FUNCTIONS; i++) {
		double share = (a->counts[i] + b->counts[i]) / (a->all + b->all);
		double in_a = a->counts[i] - share * a->all, in_b = b->counts[i] - share * b->all;

		if (share > 0)
			sum += in_a * in_a / (share * a->all) + in_b * in_b / (share * b->all);
	}
	return sum;
}

static bool agree(const struct histogram *a, const struct histogram *b)
{
	return distance(a, b) < MOST_DISTANT && chi_square(a, b) < CRITICAL;
}

/* Every tick of the timer is a sample: what it has counted since the last is more than the threshold. */
static void kernel_and_timer(void)
{
	struct histogram kernel, timer, changed;
	PAPI_option_t option;

	memset(&option, 0, sizeof(option));
	option.itimer.ns = 1000000;
	EXPECT_OK(PAPI_set_opt(PAPI_DEF_ITIMER_NS, &option));
	for (int tries = 0; tries < 3; tries++) {
		kernel = profile(0, 1000000, 0);
		timer = profile(PAPI_PROFIL_FORCE_SW, 1, 0);
		if (agree(&kernel, &timer))
			break;
	}
	EXPECT(agree(&kernel, &timer));
	changed = profile(PAPI_PROFIL_FORCE_SW, 1, 1);
	EXPECT(!agree(&kernel, &changed));
	printf("kernel %.0f samples, timer %.0f: distance %.4f, chi-square %.2f; changed program: %.4f, %.2f\n",
		kernel.all, timer.all, distance(&kernel, &timer), chi_square(&kernel, &timer),
		distance(&kernel, &changed), chi_square(&kernel, &changed));
}

int main(void)
{
	static const struct test tests[] = { { "kernel and timer", kernel_and_timer } };

	work_begin();
	return work_end(check_run(tests, COUNT_OF(tests)));
}
