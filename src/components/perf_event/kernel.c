/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/perf_event/kernel.h"
#include "components/perf_event/system_read.h"

#include <linux/hw_breakpoint.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static int open_event(struct perf_event_attr *attr, pid_t pid, int cpu, int group, unsigned long flags)
{
	return (int)syscall(SYS_perf_event_open, attr, pid, cpu, group, flags);
}

/*
 * Not read() and close() of the C library: these are cancellation points, and a thread cancelled there would leave its
 * EventSet claimed for ever.
 */
static ssize_t read_event(int fd, void *buffer, size_t size)
{
	long got = papi_system_read(fd, buffer, size);

	if (got >= 0)
		return got;
	errno = (int)-got;
	return -1;
}

static int close_event(int fd)
{
	return (int)syscall(SYS_close, fd);
}

static int control_event(int fd, unsigned long request, unsigned long argument)
{
	return ioctl(fd, request, argument);
}

static void *map_page(int fd, size_t size)
{
	void *page = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);

	return page == MAP_FAILED ? NULL : page;
}

/* With all its pages: before Linux 6.13 they came by faults of the program's, which are counted. */
static void *map_ring(int fd, size_t size)
{
	void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, 0);

	return pages == MAP_FAILED ? NULL : pages;
}

/* Not fcntl() of the C library, a cancellation point too. */
static int fcntl_event(int fd, int command, unsigned long argument)
{
	return (int)syscall(SYS_fcntl, fd, command, argument);
}

/* One breakpoint on a variable that is then written. */
static bool breakpoints_count(void)
{
	static volatile uint32_t watched;
	struct perf_event_attr attr = { .size = sizeof(attr),
		.type = PERF_TYPE_BREAKPOINT,
		.bp_type = HW_BREAKPOINT_W,
		.bp_addr = (uintptr_t)&watched,
		.bp_len = sizeof(watched),
		.exclude_kernel = 1,
		.exclude_hv = 1 };
	int fd = open_event(&attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	uint64_t count = 0;
	bool answered;

	if (fd < 0)
		return true;
	watched = 0;
	answered = read_event(fd, &count, sizeof(count)) == sizeof(count);
	close_event(fd);
	return !answered || count;
}

/* Of data, too; on x86-64 those of data come behind the access, and a flag keeps those of code from coming again. */
static bool breakpoints_come_first(void)
{
#ifdef __aarch64__
	return true;
#else
	return false;
#endif
}

const struct papi_perf_kernel papi_perf_linux = {
	.open = open_event,
	.read = read_event,
	.ioctl = control_event,
	.map = map_page,
	.map_ring = map_ring,
	.unmap = munmap,
	.fcntl = fcntl_event,
	.close = close_event,
	.breakpoints_count = breakpoints_count,
	.breakpoints_come_first = breakpoints_come_first,
};

const struct papi_perf_kernel *papi_perf_kernel = &papi_perf_linux;
