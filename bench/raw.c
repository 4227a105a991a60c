/* SPDX-License-Identifier: BSD-3-Clause */
/* The baseline: perf events used without any library. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

const struct bench_event bench_events[BENCH_ADDED] = {
	{ "perf::TASK-CLOCK", "software/config=1/", PERF_COUNT_SW_TASK_CLOCK },
	{ "perf::PAGE-FAULTS", "software/config=2/", PERF_COUNT_SW_PAGE_FAULTS },
	{ "perf::MINOR-FAULTS", "software/config=5/", PERF_COUNT_SW_PAGE_FAULTS_MIN },
	{ "perf::MAJOR-FAULTS", "software/config=6/", PERF_COUNT_SW_PAGE_FAULTS_MAJ },
	{ "perf::CPU-CLOCK", "software/config=0/", PERF_COUNT_SW_CPU_CLOCK },
	/* Some again: another name makes it another event. */
	{ "perf::PAGE-FAULTS:u", "software/config=2/u", PERF_COUNT_SW_PAGE_FAULTS },
	{ "perf::MINOR-FAULTS:u", "software/config=5/u", PERF_COUNT_SW_PAGE_FAULTS_MIN },
	{ "perf::MAJOR-FAULTS:u", "software/config=6/u", PERF_COUNT_SW_PAGE_FAULTS_MAJ },
};

/*
 * What the library asks for by default: this thread, user mode, times with every read. The trace of case add-8 compares
 * the two, so that a difference does not go unnoticed.
 */
static int open_event(const struct bench_event *event, int thread, int leader)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = event->config,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_GROUP,
		.disabled = leader < 0,
		.pinned = leader < 0,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, thread, -1, leader, PERF_FLAG_FD_CLOEXEC);
}

bool bench_raw_open(struct bench_raw *raw, const struct bench_event events[], unsigned n, int thread)
{
	for (raw->n = 0; raw->n < n; raw->n++) {
		int fd = open_event(&events[raw->n], thread, raw->n ? raw->fds[0] : -1);

		if (fd < 0) {
			int error = errno;

			bench_raw_close(raw);
			errno = error;
			return false;
		}
		raw->fds[raw->n] = fd;
	}
	return true;
}

/* Members first: a leader that goes before them leaves the kernel to make singles of them. */
void bench_raw_close(struct bench_raw *raw)
{
	while (raw->n)
		close(raw->fds[--raw->n]);
}

/* A process and not a thread: a program with several threads pays more for each read(2) of the C library. */
static pid_t sleeper;

void bench_guard_start(void)
{
	static struct bench_raw guard;

	sleeper = fork();
	if (sleeper < 0)
		bench_die("fork: %s", strerror(errno));
	if (sleeper == 0) {
		/* Should this program be killed before it stops the guard. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		while (getppid() != 1)
			pause();
		_exit(0);
	}
	atexit(bench_guard_stop);
	/* Where events are refused, what needs them says so by itself. */
	bench_raw_open(&guard, bench_events, BENCH_ADDED, sleeper);
}

void bench_guard_stop(void)
{
	if (sleeper <= 0)
		return;
	kill(sleeper, SIGKILL);
	waitpid(sleeper, NULL, 0);
	sleeper = 0;
}

unsigned bench_raise_files(void)
{
	struct rlimit limit = { 0 };

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	getrlimit(RLIMIT_NOFILE, &limit);
	return limit.rlim_cur > 1u << 20 ? 1u << 20 : (unsigned)limit.rlim_cur;
}
