/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a probe costs: papi_probe -f probed bench/probed, and --calls. A call of a function with a probe, and two
 * readings of the processor's clock, in calls of a function that is the same and has none; the least of many rounds.
 */
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

#define CALLS  100000
#define ROUNDS 50

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

int main(void)
{
	long (*const functions[])(long) = { plain, probed, two_readings };
	double least[3] = { 1e18, 1e18, 1e18 };
	long sum = 0;

	for (int round = 0; round < ROUNDS; round++)
		for (int which = 0; which < 3; which++) {
			double took = -nanoseconds();

			for (long i = 0; i < CALLS; i++)
				sum += functions[which](i);
			took = (took + nanoseconds()) / CALLS;
			if (took < least[which])
				least[which] = took;
		}
	printf("a call takes %.2f ns, one of the probed function %.1f times as much, two readings of the clock %.1f\n",
		least[0], least[1] / least[0], least[2] / least[0]);
	return sum == 0;
}
