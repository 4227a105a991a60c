/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counts system calls with ptrace, which sees them all; a library that wraps read() would not. What is counted is the
 * same on every machine and under any load, so tests can rely on it.
 *
 * The helper makes marks, a close() of a number that is no file, around the two things it does.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

#define MARK  (-4711)
#define MARKS 3

void bench_trace_begin(void)
{
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		bench_die("PTRACE_TRACEME: %s", strerror(errno));
	raise(SIGSTOP);
}

void bench_trace_mark(void)
{
	syscall(SYS_close, MARK);
}

static void copy_attributes(pid_t child, uint64_t address, struct perf_event_attr *attributes)
{
	struct iovec here = { attributes, sizeof(*attributes) };
	struct iovec there = { (void *)(uintptr_t)address, sizeof(*attributes) };

	if (process_vm_readv(child, &here, 1, &there, 1, 0) < 0)
		memset(attributes, 0, sizeof(*attributes));
}

/* Between which marks a call was made; -1 outside. */
static void note(struct bench_trace *trace, pid_t child, const struct __ptrace_syscall_info *info, int *marks)
{
	int part = *marks - 1;

	if (info->entry.nr == SYS_close && (int)info->entry.args[0] == MARK) {
		++*marks;
		return;
	}
	if (part < 0 || part > 1)
		return;
	trace->calls[part]++;
	if (info->entry.nr == SYS_perf_event_open && trace->opened[part] < BENCH_ADDED)
		copy_attributes(child, info->entry.args[0], &trace->attributes[part][trace->opened[part]++]);
}

/* Follows the helper to its end; its exit status, or -1 when it did not come to an end of its own. */
static int follow(pid_t child, struct bench_trace *trace, int *marks)
{
	struct __ptrace_syscall_info info;
	int status, signal = 0;

	if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status))
		return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	ptrace(PTRACE_SETOPTIONS, child, NULL, (void *)(uintptr_t)(PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL));
	for (;;) {
		if (ptrace(PTRACE_SYSCALL, child, NULL, (void *)(uintptr_t)signal))
			return -1;
		while (waitpid(child, &status, 0) != child)
			if (errno != EINTR)
				return -1;
		if (!WIFSTOPPED(status))
			return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
		signal = 0;
		if (WSTOPSIG(status) != (SIGTRAP | 0x80))
			signal = WSTOPSIG(status);
		else if (ptrace(PTRACE_GET_SYSCALL_INFO, child, (void *)sizeof(info), &info) > 0 &&
			info.op == PTRACE_SYSCALL_INFO_ENTRY)
			note(trace, child, &info, marks);
	}
}

/* What the helper had to say before it gave up: a line, and there is room for it in the pipe. */
static void hear(int fd, char *why, size_t size)
{
	ssize_t length = read(fd, why, size - 1);

	why[length > 0 ? length : 0] = '\0';
	why[strcspn(why, "\n")] = '\0';
	close(fd);
}

bool bench_trace(const char *const arguments[], struct bench_trace *trace, char *why, size_t size)
{
	const char *command[8] = { "papi_bench", "--helper" };
	int marks = 0, status, ends[2];
	pid_t child;

	memset(trace, 0, sizeof(*trace));
	for (int i = 0; arguments[i] && i < 5; i++)
		command[2 + i] = arguments[i];
	if (pipe2(ends, O_CLOEXEC))
		bench_die("pipe2: %s", strerror(errno));
	child = fork();
	if (child == 0) {
		dup2(ends[1], STDERR_FILENO);
		execv("/proc/self/exe", (char *const *)(uintptr_t)command);
		_exit(127);
	}
	status = child < 0 ? -1 : follow(child, trace, &marks);
	close(ends[1]);
	hear(ends[0], why, size);
	if (status == 0 && marks == MARKS) {
		why[0] = '\0';
		return true;
	}
	if (!*why)
		snprintf(why, size, "system calls cannot be traced here: status %d after %d marks", status, marks);
	return false;
}
