/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A debugger at work on a program that is counted virtually: its breakpoints are hit where they are, as natively; the
 * count ends there and says so, and without any it is right.
 *
 *	test_vpmu_tracer subject    what debugger.py runs under one
 */
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "processor.h"
#include "virtual.h"

#define ENOUGH 100

/* What the breakpoint is set on; called as often as it is written. */
static __attribute__((noinline)) uint64_t work(uint64_t n)
{
	uint64_t sum = 0;

	__asm__ volatile("" : : : "memory");
	for (uint64_t i = 0; i < n; i++)
		sum += i * i ^ n;
	return sum;
}

static volatile uint64_t rounds = 1000;
static uint64_t expected;

static bool works(void)
{
	return work(rounds) == expected;
}

/* Of the child: what it finds out is its exit status, a line of its source. */
#define OR_END(condition)                      \
	do {                                   \
		if (!(condition))              \
			_exit(__LINE__ % 250); \
	} while (0)

static void count_work(bool breakpoint)
{
	static long long first;
	struct counts counts;
	int status;

	OR_END(PAPI_start(virtual_set()) == PAPI_OK);
	OR_END(works() && works());
	status = PAPI_stop(virtual_set(), counts.of);
	if (breakpoint) {
		OR_END(status == PAPI_ECNFLCT && strstr(PAPI_error_detail(), "breakpoint"));
		return;
	}
	OR_END(status == PAPI_OK);
	if (!first)
		first = counts.of[INSTRUCTIONS];
	OR_END(counts.of[INSTRUCTIONS] == first && first > 4000);
}

/* ---- the debugger ---- */

static uint8_t *const place = (uint8_t *)(uintptr_t)work;
static long original;

static long with_breakpoint(long code)
{
#ifdef __aarch64__
	return (code & ~0xffffffffL) | 0xd4200000;
#else
	return (code & ~0xffL) | 0xcc;
#endif
}

static void set_breakpoint(pid_t child)
{
	errno = 0;
	original = ptrace(PTRACE_PEEKTEXT, child, place, NULL);
	REQUIRE(errno == 0);
	REQUIRE(ptrace(PTRACE_POKETEXT, child, place, with_breakpoint(original)) == 0);
}

static void remove_breakpoint(pid_t child)
{
	REQUIRE(ptrace(PTRACE_POKETEXT, child, place, original) == 0);
}

/* Where it is in the registers, which are filled in. */
static unsigned long long *program_counter(pid_t child, struct user_regs_struct *registers)
{
	struct iovec all = { registers, sizeof(*registers) };

	REQUIRE(ptrace(PTRACE_GETREGSET, child, NT_PRSTATUS, &all) == 0);
#ifdef __aarch64__
	return &registers->pc;
#else
	return &registers->rip;
#endif
}

static bool is_at_breakpoint(pid_t child)
{
	struct user_regs_struct registers;

	return *program_counter(child, &registers) == (uintptr_t)place + BEHIND_BREAKPOINT;
}

/* Over the instruction under it, with the breakpoint away. */
static void step_over(pid_t child)
{
	struct user_regs_struct registers;
	struct iovec all = { &registers, sizeof(registers) };
	int status;

	*program_counter(child, &registers) = (uintptr_t)place;
	REQUIRE(ptrace(PTRACE_SETREGSET, child, NT_PRSTATUS, &all) == 0);
	remove_breakpoint(child);
	REQUIRE(ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) == 0);
	REQUIRE(waitpid(child, &status, 0) == child && WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP);
	set_breakpoint(child);
}

/* Lets the child run to its end. It stops itself where a breakpoint is to be set, or, the second time, taken away.
 * Returns how often it has come to one; its exit status is to be 0. */
static int debug(pid_t child)
{
	int status, hits = 0, stops = 0;

	while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
		int signal = WSTOPSIG(status);

		if (signal == SIGTRAP && is_at_breakpoint(child)) {
			hits++;
			step_over(child);
			signal = 0;
		} else if (signal == SIGSTOP) {
			if (stops++ % 2)
				remove_breakpoint(child);
			else
				set_breakpoint(child);
			signal = 0;
		} else {
			printf("the debugger sees signal %d\n", signal);
		}
		if (!EXPECT(hits < ENOUGH && ptrace(PTRACE_CONT, child, NULL, signal) == 0))
			kill(child, SIGKILL);
	}
	EXPECT_EQUAL(0, WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status));
	return hits;
}

static void stop(void)
{
	raise(SIGSTOP);
}

static pid_t fork_traced(void (*run)(void))
{
	pid_t child = fork();

	if (child == 0) {
		alarm(60);
		OR_END(ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0);
		run();
		_exit(0);
	}
	return child;
}

/* ---- what the child does ---- */

static void count_in_peace(void)
{
	for (unsigned i = 0; i < 3; i++)
		count_work(false);
}

static void come_to_breakpoint(void)
{
	stop();
	count_work(true);
	count_work(true);
	stop();
	count_work(false); /* it is away */
}

/* It is set where code has been translated. */
static void come_to_late_breakpoint(void)
{
	struct counts counts;

	count_work(false);
	OR_END(PAPI_start(virtual_set()) == PAPI_OK);
	OR_END(works());
	stop();
	OR_END(works());
	OR_END(PAPI_stop(virtual_set(), counts.of) == PAPI_ECNFLCT);
	count_work(true);
	stop();
	count_work(false);
}

static void test_no_breakpoint(void)
{
	EXPECT_EQUAL(0, debug(fork_traced(count_in_peace)));
}

static void test_breakpoint(void)
{
	EXPECT_EQUAL(4, debug(fork_traced(come_to_breakpoint)));
}

static void test_late_breakpoint(void)
{
	EXPECT_EQUAL(3, debug(fork_traced(come_to_late_breakpoint)));
}

/* ---- one that comes while the program runs ---- */

static int ready[2];

/* Regions, until a breakpoint ends one. */
static void wait_for_debugger(void)
{
	const struct timespec pause = { 0, 10000000 };
	struct counts counts;
	int status;

	do {
		OR_END(PAPI_start(virtual_set()) == PAPI_OK);
		OR_END(works());
		status = PAPI_stop(virtual_set(), counts.of);
		OR_END(write(ready[1], "x", 1) == 1);
		nanosleep(&pause, NULL);
	} while (status == PAPI_OK);
	OR_END(strstr(PAPI_error_detail(), "breakpoint"));
}

static void test_attached(void)
{
	char byte;
	pid_t child;
	int status;

	REQUIRE(pipe(ready) == 0);
	child = fork();
	if (child == 0) {
		alarm(60);
		wait_for_debugger();
		_exit(0);
	}
	close(ready[1]);
	EXPECT(read(ready[0], &byte, 1) == 1);
	REQUIRE(ptrace(PTRACE_ATTACH, child, NULL, NULL) == 0);
	REQUIRE(waitpid(child, &status, 0) == child && WIFSTOPPED(status));
	set_breakpoint(child);
	REQUIRE(ptrace(PTRACE_CONT, child, NULL, 0) == 0);
	EXPECT(debug(child) >= 1);
	close(ready[0]);
}

static int be_subject(void)
{
	struct counts counts;
	int status;

	PAPI_start(virtual_set());
	printf("%d %d\n", works(), works());
	status = PAPI_stop(virtual_set(), counts.of);
	printf("%s\n", status == PAPI_OK ? "counted" : PAPI_error_detail());
	return 0;
}

static bool can_trace(void)
{
	pid_t child = fork();
	int status = 0;

	if (child == 0)
		_exit(ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0 ? 0 : errno);
	waitpid(child, &status, 0);
	if (status)
		printf("no process can be traced here: %s\n", strerror(WEXITSTATUS(status)));
	return !status;
}

int main(int count, char **arguments)
{
	static const struct test tests[] = {
		{ "traced, without a breakpoint", test_no_breakpoint },
		{ "a breakpoint", test_breakpoint },
		{ "a breakpoint on code that has run", test_late_breakpoint },
		{ "a debugger that comes later", test_attached },
	};

	if (!virtual_begin())
		return 77;
	expected = work(rounds);
	if (count > 1 && !strcmp(arguments[1], "subject"))
		return be_subject();
	if (!can_trace())
		return 77;
	return check_run(tests, COUNT_OF(tests));
}
