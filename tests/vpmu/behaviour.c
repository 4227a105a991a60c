/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What real programs do in regions that are counted virtually: threads, processes, coroutines, the floating-point
 * environment. It works as it does natively, and what is deterministic is counted the same each time. code.c goes on.
 */
#include <errno.h>
#include <fenv.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "check.h"
#include "spin.h"
#include "virtual.h"

extern char **environ;

/* ---- threads ---- */

static void *spin_thread(void *rounds)
{
	spin((uintptr_t)rounds);
	return (void *)((uintptr_t)rounds + 1); /* NOLINT(performance-no-int-to-ptr) */
}

static void make_threads(void *unused)
{
	pthread_t threads[4];
	void *result;

	(void)unused;
	for (unsigned i = 0; i < 4; i++)
		if (!EXPECT(pthread_create(&threads[i], NULL, spin_thread, (void *)(uintptr_t)1000000) == 0))
			return;
	for (unsigned i = 0; i < 4; i++)
		EXPECT(pthread_join(threads[i], &result) == 0 && result == (void *)(uintptr_t)1000001);
}

static void test_threads_are_not_counted(void)
{
	struct counts counts;

	virtual_count(make_threads, NULL);
	counts = virtual_count(make_threads, NULL);
	EXPECT_BETWEEN(500, counts.of[INSTRUCTIONS], 900000);
}

/* A thread whose own threads are counted, too. */
static void *nested_threads(void *rounds)
{
	pthread_t inner;

	EXPECT(pthread_create(&inner, NULL, spin_thread, rounds) == 0);
	spin((uintptr_t)rounds);
	pthread_join(inner, NULL);
	return NULL;
}

static void test_inherited(void)
{
	PAPI_option_t option = { .inherit = { .eventset = PAPI_NULL, .inherit = PAPI_INHERIT_ALL } };
	int set = PAPI_NULL;
	long long counts[2], middle[2];

	REQUIRE_OK(PAPI_create_eventset(&set));
	REQUIRE_OK(PAPI_assign_eventset_component(set, PAPI_get_component_index("vpmu")));
	option.inherit.eventset = set;
	REQUIRE_OK(PAPI_set_opt(PAPI_INHERIT, &option));
	REQUIRE_OK(PAPI_add_named_event(set, "vpmu:::INSTRUCTIONS"));
	REQUIRE_OK(PAPI_add_named_event(set, "vpmu:::BRANCHES_TAKEN"));
	for (unsigned i = 0; i < 20; i++) {
		pthread_t outer;

		EXPECT_OK(PAPI_start(set));
		make_threads(NULL);
		EXPECT_OK(PAPI_read(set, middle));
		EXPECT(pthread_create(&outer, NULL, nested_threads, (void *)(uintptr_t)500000) == 0);
		pthread_join(outer, NULL);
		EXPECT_OK(PAPI_stop(set, counts));
		EXPECT_BETWEEN(8000000, middle[0], 8100000);
		EXPECT_BETWEEN(3999996, middle[1], 4010000);
		EXPECT_BETWEEN(10000000, counts[0], 10200000);
		EXPECT_BETWEEN(4999994, counts[1], 5020000);
	}
	EXPECT_OK(PAPI_cleanup_eventset(set));
	EXPECT_OK(PAPI_destroy_eventset(&set));
}

static void *wait_forever(void *unused)
{
	while (pause())
		continue;
	return unused;
}

static void cancel_one(void *unused)
{
	pthread_t thread;
	void *result = NULL;

	(void)unused;
	if (!EXPECT(pthread_create(&thread, NULL, wait_forever, NULL) == 0))
		return;
	EXPECT(pthread_cancel(thread) == 0);
	EXPECT(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED);
}

static void test_cancelled(void)
{
	virtual_count(cancel_one, NULL);
	virtual_count(cancel_one, NULL);
}

/* Threads that end in the middle of their regions; blocks of memory are used again. */
static void *end_in_region(void *unused)
{
	(void)unused;
	if (PAPI_start(virtual_set()) != PAPI_OK)
		return (void *)1;
	spin(1000);
	pthread_exit(NULL);
	return (void *)2;
}

static void test_threads_end_in_regions(void)
{
	for (unsigned i = 0; i < 50; i++) {
		pthread_t thread;
		void *result = NULL;

		REQUIRE(pthread_create(&thread, NULL, end_in_region, NULL) == 0);
		pthread_join(thread, &result);
		EXPECT(!result);
	}
}

static void spin_thread_work(void *unused)
{
	(void)unused;
	spin(5000);
}

static void *regions_of_thread(void *unused)
{
	struct counts first, again;

	(void)unused;
	virtual_count(spin_thread_work, NULL);
	first = virtual_count(spin_thread_work, NULL);
	for (unsigned i = 0; i < 200; i++) {
		again = virtual_count(spin_thread_work, NULL);
		if (!EXPECT(virtual_same("regions of threads", first, again)))
			break;
	}
	return NULL;
}

static void test_regions_of_threads(void)
{
	pthread_t threads[8];

	for (unsigned i = 0; i < COUNT_OF(threads); i++)
		REQUIRE(pthread_create(&threads[i], NULL, regions_of_thread, NULL) == 0);
	for (unsigned i = 0; i < COUNT_OF(threads); i++)
		pthread_join(threads[i], NULL);
}

/* ---- processes ---- */

/* In a child: 42, or which step has failed. */
static int count_branches(void)
{
	int own = PAPI_NULL;
	long long count[1];

	if (PAPI_create_eventset(&own) != PAPI_OK || PAPI_add_named_event(own, "vpmu:::BRANCHES_TAKEN") != PAPI_OK)
		return 1;
	if (PAPI_start(own) != PAPI_OK)
		return 2;
	spin(12345);
	if (PAPI_stop(own, count) != PAPI_OK)
		return 3;
	return count[0] == 12344 ? 42 : 4;
}

static void fork_and_count(void *unused)
{
	int status = -1;
	pid_t child = fork();

	(void)unused;
	if (child == 0) {
		/* Counts by itself, though its parent is in a region. */
		PAPI_stop(virtual_set(), NULL);
		_exit(count_branches());
	}
	waitpid(child, &status, 0);
	EXPECT_EQUAL(42, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

static void spawn_true(void *unused)
{
	char *arguments[] = { "sh", "-c", "exit 7", NULL };
	pid_t child;
	int status = -1;

	(void)unused;
	if (!EXPECT(posix_spawn(&child, "/bin/sh", NULL, NULL, arguments, environ) == 0))
		return;
	waitpid(child, &status, 0);
	EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 7);
	EXPECT(system("exit 3") == 3 << 8);
	child = vfork();
	if (child == 0) {
		execve("/bin/sh", arguments, environ);
		_exit(1);
	}
	waitpid(child, &status, 0);
	EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

/* The cache of code is no file that would be too large. */
static void count_with_limited_files(void)
{
	const struct rlimit none = { 0, 0 };
	int status = -1;
	pid_t child = fork();

	if (child == 0)
		_exit(setrlimit(RLIMIT_FSIZE, &none) ? 1 : count_branches());
	waitpid(child, &status, 0);
	EXPECT_EQUAL(42, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

/* mmap(2) that asks for memory to be executed fails, as security policies make it. */
static bool refuse_executable_memory(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = COUNT_OF(filter), .filter = filter };

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* It says why, and the program goes on. */
static void count_without_executable_memory(void)
{
	int status = -1;
	pid_t child = fork();

	if (child == 0) {
		if (!refuse_executable_memory())
			_exit(77);
		if (PAPI_start(virtual_set()) != PAPI_ECMP || !strstr(PAPI_error_detail(), "executable memory"))
			_exit(1);
		spin(1000);
		_exit(42);
	}
	waitpid(child, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		printf("no system call can be refused here\n");
	else
		EXPECT_EQUAL(42, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

static void test_processes(void)
{
	for (unsigned i = 0; i < 3; i++)
		virtual_count(fork_and_count, NULL);
	count_with_limited_files();
	count_without_executable_memory();
	virtual_count(spawn_true, NULL);
	virtual_count(spawn_true, NULL);
}

/* ---- control ---- */

static jmp_buf buffer;

static __attribute__((noinline)) unsigned jump(unsigned depth)
{
	volatile char stack[100];

	stack[0] = (char)depth;
	if (!depth && !stack[0])
		longjmp(buffer, 5);
	return depth ? jump(depth - 1) + (unsigned)stack[0] : 0;
}

static void jump_often(void *unused)
{
	(void)unused;
	for (volatile unsigned i = 0; i < 100; i++) {
		int value = setjmp(buffer);

		if (!value)
			jump(i & 31);
		EXPECT(value == 5);
	}
}

static ucontext_t main_context, coroutine;
static char coroutine_stack[65536];
static volatile unsigned switches;

static void run_coroutine(void)
{
	for (;;) {
		switches++;
		swapcontext(&coroutine, &main_context);
	}
}

static void switch_often(void *unused)
{
	(void)unused;
	switches = 0;
	getcontext(&coroutine);
	coroutine.uc_stack.ss_sp = coroutine_stack;
	coroutine.uc_stack.ss_size = sizeof(coroutine_stack);
	makecontext(&coroutine, run_coroutine, 0);
	for (unsigned i = 0; i < 200; i++)
		swapcontext(&main_context, &coroutine);
	EXPECT_EQUAL(200, (long long)switches);
}

static void test_jumps_and_coroutines(void)
{
	EXPECT(virtual_count_twice("longjmp", jump_often, NULL));
	EXPECT(virtual_count_twice("coroutines", switch_often, NULL));
}

/* ---- the rest ---- */

static void use_floating_point(void *unused)
{
	volatile double one = 1, three = 3, zero = 0;
	volatile double nearest, up, down; /* computed here, whatever the compiler thinks of rounding */

	(void)unused;
	nearest = one / three;
	fesetround(FE_UPWARD);
	up = one / three;
	spin(10);
	fesetround(FE_DOWNWARD);
	down = one / three;
	fesetround(FE_TONEAREST);
	EXPECT(down < up && (nearest == up || nearest == down));
	feclearexcept(FE_ALL_EXCEPT);
	EXPECT(one / zero > 0);
	EXPECT(fetestexcept(FE_ALL_EXCEPT) == FE_DIVBYZERO);
	feclearexcept(FE_ALL_EXCEPT);
}

static void use_the_vdso(void *unused)
{
	struct timespec before, after;

	(void)unused;
	clock_gettime(CLOCK_MONOTONIC, &before);
	for (unsigned i = 0; i < 1000; i++)
		clock_gettime(CLOCK_MONOTONIC, &after);
	EXPECT(after.tv_sec > before.tv_sec || (after.tv_sec == before.tv_sec && after.tv_nsec >= before.tv_nsec));
	EXPECT(time(NULL) > 1000000000);
}

static void test_floating_point_and_clocks(void)
{
	EXPECT(virtual_count_twice("floating point", use_floating_point, NULL));
	virtual_count(use_the_vdso, NULL);
}

static int compare(const void *a, const void *b)
{
	const int *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void sort_and_print(void *unused)
{
	static int numbers[2000];
	char text[100];

	(void)unused;
	srand(1);
	for (unsigned i = 0; i < COUNT_OF(numbers); i++)
		numbers[i] = rand();
	qsort(numbers, COUNT_OF(numbers), sizeof(numbers[0]), compare);
	for (unsigned i = 1; i < COUNT_OF(numbers); i++)
		EXPECT(numbers[i - 1] <= numbers[i]);
	snprintf(text, sizeof(text), "%d %.3f %s", 12, 1.5, "abc");
	EXPECT_TEXT("12 1.500 abc", text);
}

static void test_hundred_times_the_same(void)
{
	struct counts first;

	virtual_count(sort_and_print, NULL);
	first = virtual_count(sort_and_print, NULL);
	for (unsigned i = 0; i < 100; i++)
		if (!EXPECT(virtual_same("100 times", first, virtual_count(sort_and_print, NULL))))
			break;
}

int main(void)
{
	static const struct test tests[] = {
		{ "threads are not counted", test_threads_are_not_counted },
		{ "inherited", test_inherited },
		{ "cancelled", test_cancelled },
		{ "threads end in regions", test_threads_end_in_regions },
		{ "regions of threads", test_regions_of_threads },
		{ "processes", test_processes },
		{ "jumps and coroutines", test_jumps_and_coroutines },
		{ "floating point and clocks", test_floating_point_and_clocks },
		{ "a hundred times the same", test_hundred_times_the_same },
	};

	if (!virtual_begin())
		return 77;
	return check_run(tests, COUNT_OF(tests));
}
