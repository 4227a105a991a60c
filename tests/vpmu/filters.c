/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs that forbid themselves system calls, by seccomp, in regions that are counted virtually and after them: no
 * call of the library's kills them. Where counting needs none that is forbidden, it goes on; else the count ends and
 * says so.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "spin.h"
#include "virtual.h"

#define NUMBER      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))
#define ALLOW(call) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (call), 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define SAY(action) BPF_STMT(BPF_RET | BPF_K, (action))

/* What a small program needs to print something and end. */
static const struct sock_filter few_calls[] = { NUMBER, ALLOW(SYS_write), ALLOW(SYS_exit_group), ALLOW(SYS_exit),
	ALLOW(SYS_brk), ALLOW(SYS_fstat), ALLOW(SYS_newfstatat), ALLOW(SYS_rt_sigreturn),
	SAY(SECCOMP_RET_KILL_PROCESS) };

static const struct sock_filter all_but_getppid[] = { NUMBER, BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
	SAY(SECCOMP_RET_ERRNO | EPERM), SAY(SECCOMP_RET_ALLOW) };

/* The same by a detour through every sort of instruction: 2 * number + 1 is kept, halved, and looked up. */
#define DETOUR(call)                                                                                                 \
	{                                                                                                            \
		NUMBER, BPF_STMT(BPF_ALU | BPF_LSH | BPF_K, 1), BPF_STMT(BPF_ALU | BPF_ADD | BPF_K, 1),              \
			BPF_STMT(BPF_ST, 3), BPF_STMT(BPF_LDX | BPF_IMM, 2), BPF_STMT(BPF_ALU | BPF_DIV | BPF_X, 0), \
			BPF_STMT(BPF_MISC | BPF_TAX, 0), BPF_STMT(BPF_STX, 4), BPF_STMT(BPF_LD | BPF_MEM, 3),        \
			BPF_STMT(BPF_ALU | BPF_RSH | BPF_K, 1), BPF_STMT(BPF_LDX | BPF_MEM, 4),                      \
			BPF_STMT(BPF_ALU | BPF_SUB | BPF_X, 0), BPF_STMT(BPF_ALU | BPF_ADD | BPF_X, 0),              \
			BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0x80000000u, 2, 0),                                     \
			BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, (call), 1, 0),                                           \
			BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, (call), 1, 0), SAY(SECCOMP_RET_ALLOW),                   \
			SAY(SECCOMP_RET_ERRNO | EPERM),                                                              \
	}

static const struct sock_filter detour_to_getppid[] = DETOUR(SYS_getppid);
static const struct sock_filter detour_to_sched_yield[] = DETOUR(SYS_sched_yield);

struct filter {
	const struct sock_filter *instructions;
	unsigned short length;
	bool by_prctl;
};

static bool install(const struct filter *filter)
{
	struct sock_fprog program = { .len = filter->length,
		.filter = (struct sock_filter *)(uintptr_t)filter->instructions };

	if (filter->by_prctl)
		return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}

/* Of a child: its exit status says what it found. */
enum { AS_EXPECTED = 42, NO_FILTERS = 77, NOT_STARTED = 1, WRONG_COUNT, WRONG_REASON, WRONG_CALLS };

static void install_or_end(const struct filter *filter)
{
	if (!install(filter))
		_exit(NO_FILTERS);
}

static void prepare(void)
{
	struct counts counts;

	alarm(60);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		_exit(NO_FILTERS);
	/* What the library maps for its first region is mapped. */
	if (PAPI_start(virtual_set()) != PAPI_OK || PAPI_stop(virtual_set(), counts.of) != PAPI_OK)
		_exit(NOT_STARTED);
}

/* The child ends by exit(), with all that the library does then. */
static int end_with(const struct filter *filter, void (*run)(const struct filter *))
{
	pid_t child = fork();
	int status = 0;

	if (child == 0) {
		prepare();
		run(filter);
		exit(AS_EXPECTED);
	}
	waitpid(child, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == NO_FILTERS) {
		check_skip("no filter of system calls can be installed here");
		return AS_EXPECTED;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

#define END_WITH(list, prctl_is_used, run) end_with(&(struct filter){ (list), COUNT_OF(list), (prctl_is_used) }, (run))

/* ---- in a region ---- */

static void begin(void)
{
	if (PAPI_start(virtual_set()) != PAPI_OK)
		_exit(NOT_STARTED);
}

static void work(void)
{
	for (unsigned i = 0; i < 1000; i++)
		spin(100);
}

static void work_under(const struct filter *filter)
{
	begin();
	install_or_end(filter);
	work();
}

static void lose_count(const struct filter *filter)
{
	struct counts counts;

	work_under(filter);
	if (PAPI_read(virtual_set(), counts.of) != PAPI_ECNFLCT || PAPI_stop(virtual_set(), counts.of) != PAPI_ECNFLCT)
		_exit(WRONG_COUNT);
	if (!strstr(PAPI_error_detail(), "seccomp"))
		_exit(WRONG_REASON);
}

static void keep_count(const struct filter *filter)
{
	struct counts counts;

	work_under(filter);
	if (PAPI_stop(virtual_set(), counts.of) != PAPI_OK || counts.of[INSTRUCTIONS] < 200000 ||
		counts.of[INSTRUCTIONS] > 210000)
		_exit(WRONG_COUNT);
	errno = 0;
	if (syscall(SYS_getppid) != -1 || errno != EPERM)
		_exit(WRONG_CALLS);
}

/* read, write, exit and rt_sigreturn are left; the clock is not, which PAPI_stop looks at. */
static void be_strict(const struct filter *by_prctl)
{
	begin();
	if (by_prctl->by_prctl ? prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT)
			       : syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 0, NULL))
		_exit(NO_FILTERS);
	work();
	syscall(SYS_exit, write(STDOUT_FILENO, "", 0) == 0 ? AS_EXPECTED : WRONG_CALLS);
}

/* What asks what the kernel knows, and is refused. */
static void ask(const struct filter *unused)
{
	struct counts counts;

	(void)unused;
	begin();
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 1, NULL) != -1 ||
		syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, NULL) != -1 || prctl(PR_GET_SECCOMP) != 0 ||
		prctl(PR_SET_NAME, "asked") != 0)
		_exit(WRONG_CALLS);
	if (PAPI_stop(virtual_set(), counts.of) != PAPI_OK)
		_exit(WRONG_COUNT);
}

static void test_few_calls(void)
{
	EXPECT_EQUAL(AS_EXPECTED, END_WITH(few_calls, true, lose_count));
	EXPECT_EQUAL(AS_EXPECTED, END_WITH(few_calls, false, lose_count));
}

static void test_harmless_filters(void)
{
	EXPECT_EQUAL(AS_EXPECTED, END_WITH(all_but_getppid, true, keep_count));
	EXPECT_EQUAL(AS_EXPECTED, END_WITH(all_but_getppid, false, keep_count));
	EXPECT_EQUAL(AS_EXPECTED, end_with(NULL, ask));
}

static void test_filters_that_calculate(void)
{
	EXPECT_EQUAL(AS_EXPECTED, END_WITH(detour_to_getppid, true, keep_count));
	EXPECT_EQUAL(AS_EXPECTED, END_WITH(detour_to_sched_yield, true, lose_count));
}

static void test_strict_mode(void)
{
	EXPECT_EQUAL(AS_EXPECTED, end_with(&(struct filter){ .by_prctl = true }, be_strict));
	EXPECT_EQUAL(AS_EXPECTED, end_with(&(struct filter){ .by_prctl = false }, be_strict));
}

/* ---- after one ---- */

static void work_on(const struct filter *filter)
{
	install_or_end(filter);
	spin(1000);
}

static void test_after_regions(void)
{
	EXPECT_EQUAL(AS_EXPECTED, END_WITH(few_calls, true, work_on));
}

int main(void)
{
	static const struct test tests[] = {
		{ "few calls", test_few_calls },
		{ "harmless filters", test_harmless_filters },
		{ "filters that calculate", test_filters_that_calculate },
		{ "strict mode", test_strict_mode },
		{ "after regions", test_after_regions },
	};

	if (!virtual_begin())
		return 77;
	return check_run(tests, COUNT_OF(tests));
}
