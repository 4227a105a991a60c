/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Preloaded into a utility, gives the machine a PMU with four counters, whatever it really has: events of the CPU's
 * PMU are opened as software events that count nothing, and a fifth in one group is refused as the kernel refuses it.
 */
#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { COUNTERS = 4, DESCRIPTORS = 256, SECOND_PMU = 10 };

/* By descriptor, the last event that got it. What has become of it since is asked of the kernel, by its number. */
static struct {
	uint64_t number;
	uint64_t leader;
} events[DESCRIPTORS];

/* On a made-up machine also that of the second kind of cores, which Intel's kernels give the number 10. */
static bool needs_counter(const struct perf_event_attr *attr)
{
	if (getenv("PAPI_ROOT") != NULL && attr->type == SECOND_PMU)
		return true;
	return attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_HW_CACHE || attr->type == PERF_TYPE_RAW;
}

/* The number of an event, which no other has; 0 when the descriptor is closed or that of something else. */
static uint64_t number_of(int descriptor)
{
	uint64_t number;

	return ioctl(descriptor, PERF_EVENT_IOC_ID, &number) == 0 ? number : 0;
}

static int count_held(uint64_t leader)
{
	int held = 0;

	for (int i = 0; i < DESCRIPTORS; i++)
		held += events[i].leader == leader && number_of(i) == events[i].number;
	return held;
}

static long open_event(long (*real)(long, ...), const struct perf_event_attr *attr, const long arguments[])
{
	struct perf_event_attr dummy = *attr;
	uint64_t leader = number_of((int)arguments[3]);

	if (leader != 0 && count_held(leader) == COUNTERS) {
		errno = EINVAL;
		return -1;
	}
	dummy.type = PERF_TYPE_SOFTWARE;
	dummy.config = PERF_COUNT_SW_DUMMY;
	long descriptor = real(SYS_perf_event_open, &dummy, arguments[1], arguments[2], arguments[3], arguments[4]);
	if (descriptor >= 0 && descriptor < DESCRIPTORS) {
		events[descriptor].number = number_of((int)descriptor);
		events[descriptor].leader = leader != 0 ? leader : events[descriptor].number;
	}
	return descriptor;
}

__attribute__((visibility("default"))) long syscall(long number, ...)
{
	long (*real)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	long arguments[6];
	va_list list;

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		arguments[i] = va_arg(list, long);
	va_end(list);

	const struct perf_event_attr *attr = (const struct perf_event_attr *)arguments[0];
	if (number == SYS_perf_event_open && needs_counter(attr))
		return open_event(real, attr, arguments);
	return real(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
}
