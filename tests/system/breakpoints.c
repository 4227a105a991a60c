/* SPDX-License-Identifier: BSD-3-Clause */
/* mem:ADDRESS/LENGTH:ACCESS counts each access to a watched variable and each execution of a watched function. */
#ifdef __x86_64__
#include <cpuid.h>
#endif
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "work.h"

#define N 1000

static struct work_cell cell, other_cell;

static int watch(const volatile void *address, const char *rest)
{
	char name[WORK_NAME];

	work_name(name, address, rest);
	return work_set(name, NULL, NULL);
}

static void writes(void)
{
	static const unsigned long numbers[] = { 0, 1, 2, 10, 999, N, 20000 };
	int set = watch(&cell, "/8:w");

	for (size_t i = 0; i < COUNT_OF(numbers); i++) {
		EXPECT_OK(PAPI_start(set));
		work_store(&cell, numbers[i]);
		work_load(&cell, 7);
		work_store(&other_cell, 5);
		EXPECT_EQUAL((long long)numbers[i], work_stop(set));
	}
	work_discard(set);
}

static void reads_and_writes(void)
{
	static const char *const names[] = { "/8:rw", "/8:wr", "/8" };

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		int set = watch(&cell, names[i]);

		EXPECT_OK(PAPI_start(set));
		work_store(&cell, N);
		work_load(&cell, N / 2);
		work_load(&other_cell, 5);
		EXPECT_EQUAL(N + N / 2, work_stop(set));
		work_discard(set);
	}
}

/* Some processors watch reads alone; x86 does not, and says so. */
static void reads(void)
{
	char name[WORK_NAME];
	int set = PAPI_NULL, status;

	work_name(name, &cell, "/8:r");
	REQUIRE_OK(PAPI_create_eventset(&set));
	check_plant();
	status = PAPI_add_named_event(set, name);
	if (status == PAPI_OK) {
		EXPECT_OK(PAPI_start(set));
		work_store(&cell, N);
		work_load(&cell, N / 2);
		EXPECT_EQUAL(N / 2, work_stop(set));
	} else {
		EXPECT_STATUS(PAPI_EINVAL, status);
		EXPECT(strstr(PAPI_error_detail(), name) != NULL);
		EXPECT_EQUAL(0, PAPI_num_events(set));
	}
	work_discard(set);
}

static WORK_PLAIN unsigned long watched_function(unsigned long x)
{
	/* Kept from being folded into its callers. */
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}

static WORK_PLAIN unsigned long unwatched_function(unsigned long x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 2;
}

static void executions(void)
{
	int set = watch((const volatile void *)(size_t)&watched_function, ":x");
	unsigned long sum = 0;

	for (unsigned long n = 0; n <= N; n += N / 4) {
		EXPECT_OK(PAPI_start(set));
		for (unsigned long i = 0; i < n; i++)
			sum += watched_function(i) - unwatched_function(i);
		EXPECT_EQUAL((long long)n, work_stop(set));
	}
	EXPECT_EQUAL(-(long long)(N / 4 * 10), (long long)sum);
	work_discard(set);
}

static union {
	_Alignas(64) volatile unsigned char bytes[64];
	volatile unsigned short halves[32];
	volatile unsigned int words[16];
} buffer;

static WORK_PLAIN void store_bytes(void)
{
	for (size_t i = 0; i < sizeof(buffer.bytes); i++)
		buffer.bytes[i] = 1;
}

static WORK_PLAIN void store_wide(void)
{
	for (size_t i = 0; i < COUNT_OF(buffer.halves); i++)
		buffer.halves[i] = 2;
	for (size_t i = 0; i < COUNT_OF(buffer.words); i++)
		buffer.words[i] = 3;
}

/* Every byte of the buffer is written once as a byte: as many of these count as the name gives bytes. */
static void lengths(void)
{
	static const struct {
		const char *rest;
		size_t offset;
		long long bytes, wide; /* writes of one byte; of two and of four that overlap */
	} cases[] = {
		{ "/1:w", 0, 1, 2 }, { "/1:w", 13, 1, 2 }, { "/2:w", 6, 2, 2 }, { "/2:w", 62, 2, 2 },
		{ "/4:w", 8, 4, 3 }, { "/4:w", 60, 4, 3 }, { "/8:w", 16, 8, 6 }, { "/8:w", 56, 8, 6 },
		{ ":w", 4, 4, 3 }, /* four bytes unless told otherwise */
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		int set = watch(&buffer.bytes[cases[i].offset], cases[i].rest);

		EXPECT_OK(PAPI_start(set));
		store_bytes();
		EXPECT_EQUAL(cases[i].bytes, work_stop(set));
		EXPECT_OK(PAPI_start(set));
		store_wide();
		EXPECT_EQUAL(cases[i].wide, work_stop(set));
		work_discard(set);
	}
}

/* Two variables and a function in one set, and each keeps its own count. */
static void several_in_one_set(void)
{
	char names[3][WORK_NAME];
	long long values[3];
	unsigned long sum = 0;
	int set;

	work_name(names[0], &cell, "/8:w");
	work_name(names[1], (const volatile void *)(size_t)&watched_function, ":x");
	work_name(names[2], &other_cell, "/8:rw");
	set = work_set(names[0], names[1], names[2]);
	EXPECT_OK(PAPI_start(set));
	work_store(&cell, 11);
	for (unsigned long i = 0; i < 22; i++)
		sum += watched_function(i);
	work_store(&other_cell, 30);
	work_load(&other_cell, 3);
	work_stop_values(set, values, COUNT_OF(values));
	EXPECT_EQUAL(11, values[0]);
	EXPECT_EQUAL(22, values[1]);
	EXPECT_EQUAL(33, values[2]);
	EXPECT(sum > 0);
	work_discard(set);
}

static void store_n(void *argument)
{
	work_store(&cell, *(unsigned long *)argument);
}

static void *count_in_thread(void *argument)
{
	unsigned long *n = argument;
	int set = watch(&cell, "/8:w");

	EXPECT_OK(PAPI_start(set));
	store_n(n);
	EXPECT_EQUAL((long long)*n, work_stop(set));
	work_discard(set);
	return NULL;
}

static void in_a_thread(void)
{
	unsigned long n = N;

	work_in_thread(count_in_thread, &n);
}

/* A breakpoint belongs to a thread: the writes of others to the same variable do not count. */
static void only_in_its_thread(void)
{
	struct work_child thread;
	unsigned long n = N;
	int set = watch(&cell, "/8:w");

	work_child_thread(&thread, store_n, &n);
	EXPECT_OK(PAPI_start(set));
	work_child_go(&thread);
	work_store(&cell, 3);
	EXPECT_EQUAL(3, work_stop(set));
	EXPECT_OK(PAPI_attach(set, (unsigned long)thread.id));
	EXPECT_OK(PAPI_start(set));
	work_child_go(&thread);
	work_store(&cell, 3);
	EXPECT_EQUAL(N, work_stop(set));
	work_child_end(&thread);
	work_discard(set);
}

/* The address means the same variable in a child of fork(2). */
static void in_an_attached_process(void)
{
	struct work_child child;
	unsigned long n = N;
	int set = watch(&cell, "/8:w");

	work_child_fork(&child, store_n, &n);
	EXPECT_OK(PAPI_attach(set, (unsigned long)child.id));
	for (int round = 0; round < 3; round++) {
		EXPECT_OK(PAPI_start(set));
		work_child_go(&child);
		work_store(&cell, 3);
		EXPECT_EQUAL(N, work_stop(set));
	}
	work_child_end(&child);
	work_discard(set);
}

static void inherited(void)
{
	int set = watch(&cell, "/8:w");
	PAPI_option_t option = { .inherit = { .eventset = set, .inherit = PAPI_INHERIT_ALL } };
	struct work_child child, thread;
	unsigned long n = N;

	EXPECT_OK(PAPI_set_opt(PAPI_INHERIT, &option));
	EXPECT_OK(PAPI_start(set));
	work_child_fork(&child, store_n, &n);
	work_child_thread(&thread, store_n, &n);
	work_child_go(&child);
	work_child_end(&child);
	work_child_end(&thread);
	work_store(&cell, 5);
	/* Two rounds of the process, one of the thread, and our own. */
	EXPECT_EQUAL(3 * N + 5, work_stop(set));
	work_discard(set);
}

#ifdef __x86_64__
/* As the kernel sends it for a hit that it knows nothing of, which a hypervisor has made. */
static void trap_of_nobody(void)
{
	siginfo_t info = { .si_signo = SIGTRAP, .si_code = TRAP_BRKPT };

	syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), SIGTRAP, &info);
}

static void trap_of_a_debugger(void)
{
	__asm__ volatile("int3");
}

static void trap_of_the_program(void)
{
	raise(SIGTRAP);
}

static volatile sig_atomic_t trapped;

static void on_trap(int number)
{
	trapped += number == SIGTRAP;
}

/* What a process of its own ends with that does it: a signal, or 0. */
static int end_of(void (*trap)(void))
{
	pid_t child = fork();
	int status;

	REQUIRE(child >= 0);
	if (!child) {
		trap();
		_exit(0);
	}
	REQUIRE(waitpid(child, &status, 0) == child);
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

/* In a virtual machine the kernel may send a SIGTRAP for a hit, which is not the program's end. */
static void traps(void)
{
	unsigned eax, ebx, ecx = 0, edx;
	int set;

	REQUIRE(__get_cpuid(1, &eax, &ebx, &ecx, &edx));
	set = watch(&cell, "/8:w");
	EXPECT_EQUAL(ecx >> 31 ? 0 : SIGTRAP, end_of(trap_of_nobody));
	EXPECT_EQUAL(SIGTRAP, end_of(trap_of_a_debugger));
	EXPECT_EQUAL(SIGTRAP, end_of(trap_of_the_program));
	work_discard(set);

	signal(SIGTRAP, on_trap);
	set = watch(&cell, "/8:w");
	EXPECT_EQUAL(0, end_of(trap_of_the_program));
	trap_of_a_debugger();
	trap_of_the_program();
	EXPECT_EQUAL(2, trapped);
	trap_of_nobody();
	EXPECT_EQUAL(ecx >> 31 ? 2 : 3, trapped);
	signal(SIGTRAP, SIG_DFL);
	work_discard(set);
}
#endif

int main(void)
{
	static const struct test tests[] = {
#ifdef __x86_64__
		{ "traps", traps },
#endif
		{ "writes", writes },
		{ "reads and writes", reads_and_writes },
		{ "reads", reads },
		{ "executions", executions },
		{ "lengths", lengths },
		{ "several in one set", several_in_one_set },
		{ "in a thread", in_a_thread },
		{ "only in its thread", only_in_its_thread },
		{ "in an attached process", in_an_attached_process },
		{ "inherited", inherited },
	};

	work_begin();
	work_need_breakpoints();
	return work_end(check_run(tests, COUNT_OF(tests)));
}
