/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A processor with few counters, for machines without any: preloaded into papi_run, this takes the place of the C
 * library's syscall(), by which libpapi opens its events. Every event of the processor is opened as one of page faults,
 * which the kernel counts, and a group of more than FEW_COUNTERS of them is refused as the kernel would.
 *
 * papi_run has one thread.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>

#define DESCRIPTORS 4096

/* How many events of the processor are in the group that a descriptor leads. */
static int in_group[DESCRIPTORS];

static long pass_on(long number, const long a[6])
{
	register long fourth __asm__("r10") = a[3];
	register long fifth __asm__("r8") = a[4];
	register long sixth __asm__("r9") = a[5];
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(fourth), "r"(fifth), "r"(sixth)
			 : "rcx", "r11", "memory");
	if (result < 0 && result >= -4095) {
		errno = (int)-result;
		return -1;
	}
	return result;
}

static long open_event(long number, long a[6])
{
	struct perf_event_attr attr = *(const struct perf_event_attr *)a[0];
	long leader = a[3], descriptor;
	const char *few = getenv("FEW_COUNTERS");

	if (attr.type != PERF_TYPE_HARDWARE && attr.type != PERF_TYPE_HW_CACHE && attr.type != PERF_TYPE_RAW)
		return pass_on(number, a);
	if (leader >= 0 && leader < DESCRIPTORS && in_group[leader] >= (few ? atoi(few) : 2)) {
		errno = EINVAL;
		return -1;
	}
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_PAGE_FAULTS;
	attr.config1 = attr.config2 = 0;
	a[0] = (long)&attr;
	descriptor = pass_on(number, a);
	/* An event that follows leads itself when its leader is closed. */
	if (descriptor >= 0 && descriptor < DESCRIPTORS)
		in_group[descriptor] = 1;
	if (descriptor >= 0 && leader >= 0 && leader < DESCRIPTORS)
		in_group[leader]++;
	return descriptor;
}

long syscall(long number, ...) __attribute__((visibility("default")));

long syscall(long number, ...)
{
	va_list arguments;
	long a[6];

	va_start(arguments, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(arguments, long);
	va_end(arguments);
	return number == SYS_perf_event_open ? open_event(number, a) : pass_on(number, a);
}
