/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * jumping_clock.so - preloaded: the time of day jumps to and fro by up to a day with each look at it, as when somebody
 * sets the clock. Clocks that nobody sets are as they are.
 */
#include <stddef.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#pragma GCC visibility push(default)

static long jump(void)
{
	static unsigned looks;

	return (long)(++looks * 2654435761u >> 15) - 65536;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
	int result = (int)syscall(SYS_clock_gettime, clock, now);

	if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)
		now->tv_sec += jump();
	return result;
}

time_t time(time_t *now)
{
	struct timespec exact;

	clock_gettime(CLOCK_REALTIME, &exact);
	if (now)
		*now = exact.tv_sec;
	return exact.tv_sec;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
	struct timespec exact;

	(void)zone;
	clock_gettime(CLOCK_REALTIME, &exact);
	*now = (struct timeval){ exact.tv_sec, exact.tv_nsec / 1000 };
	return 0;
}

#pragma GCC visibility pop
