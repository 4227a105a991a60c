/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * read(2) and ioctl(2) without the C library around them, for the hot path: no call, no cancellation point, and no
 * errno. They return what their names do, or the error as a negative number.
 */
#ifndef PAPI_PERF_SYSTEM_READ_H
#define PAPI_PERF_SYSTEM_READ_H

#include <errno.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static inline long papi_system_call(long number, long first, unsigned long second, unsigned long third)
{
#if defined(__x86_64__)
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "0"(number), "D"(first), "S"(second), "d"(third)
			 : "rcx", "r11", "memory");
	return result;
#elif defined(__aarch64__)
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = first;
	register unsigned long x1 __asm__("x1") = second;
	register unsigned long x2 __asm__("x2") = third;

	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
	return x0;
#else
	long result = syscall(number, first, second, third);

	return result < 0 ? -errno : result;
#endif
}

static inline long papi_system_read(int fd, void *buffer, size_t size)
{
	return papi_system_call(SYS_read, fd, (unsigned long)buffer, size);
}

static inline long papi_system_ioctl(int fd, unsigned long request, unsigned long argument)
{
	return papi_system_call(SYS_ioctl, fd, request, argument);
}

#endif
