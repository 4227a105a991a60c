/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All that the perf_event component asks of the kernel, in one table: a test can put a model of a PMU in its place.
 * Functions behave as the system calls of their names: -1 and errno on failure.
 */
#ifndef PAPI_PERF_KERNEL_H
#define PAPI_PERF_KERNEL_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct papi_perf_kernel {
	int (*open)(struct perf_event_attr *attr, pid_t pid, int cpu, int group, unsigned long flags);
	ssize_t (*read)(int fd, void *buffer, size_t size);
	int (*ioctl)(int fd, unsigned long request, unsigned long argument);
	void *(*map)(int fd, size_t size); /* read-only; NULL on failure */
	void *(*map_ring)(
		int fd, size_t size); /* to be read and written: a page of facts, then samples; NULL on failure */
	int (*unmap)(void *page, size_t size);
	int (*fcntl)(int fd, int command, unsigned long argument);
	int (*close)(int fd);
	/* Whether breakpoints that can be opened also count: not where a hypervisor loses them. True where none can
	 * be opened. */
	bool (*breakpoints_count)(void);
	/* Whether a breakpoint is told of, and its signal comes, before its instruction is done: that begins anew then,
	 * and is counted again. */
	bool (*breakpoints_come_first)(void);
};

/* The table in force. A test sets it before PAPI_library_init(). */
extern const struct papi_perf_kernel *papi_perf_kernel;
extern const struct papi_perf_kernel papi_perf_linux;

#endif
