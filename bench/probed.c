/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a probe costs: papi_probe -f probed bench/probed, and --calls. A call of a function with a probe, and two
 * readings of the processor's clock, in calls of a function that is the same and has none; the median of many rounds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <x86intrin.h>

#define CALLS  100000
#define ROUNDS 51

/* Not static, and the compiler knows nothing of what they do. */
#ifdef __clang__
#define OPAQUE __attribute__((noinline, optnone, visibility("default")))
#else
#define OPAQUE __attribute__((noipa, visibility("default")))
#endif

long probed(long x);
long plain(long x);

OPAQUE long probed(long x)
{
	return 3 * x + 1;
}

OPAQUE long plain(long x)
{
	return 3 * x + 1;
}

static long two_readings(long x)
{
	return x + (long)(__rdtsc() - __rdtsc());
}

static double nanoseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int compare(const void *left, const void *right)
{
	const double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

static double median(double values[ROUNDS])
{
	qsort(values, ROUNDS, sizeof(values[0]), compare);
	return values[ROUNDS / 2];
}

static double time_a_call(long (*function)(long), long *result)
{
	const double began = nanoseconds();
	long sum = 0;

	for (long i = 0; i < CALLS; i++)
		sum += function(i);
	*result += sum;
	return (nanoseconds() - began) / CALLS;
}

int main(void)
{
	double took[ROUNDS], with_probe[ROUNDS], readings[ROUNDS];
	long sum = 0;

	for (int i = 0; i < ROUNDS; i++) {
		took[i] = time_a_call(plain, &sum);
		with_probe[i] = time_a_call(probed, &sum) / took[i];
		readings[i] = time_a_call(two_readings, &sum) / took[i];
	}
	printf("a call takes %.2f ns, one of the probed function %.1f times as much, two readings of the clock %.1f\n",
		median(took), median(with_probe), median(readings));
	return sum == 0;
}
