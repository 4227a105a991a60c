/* SPDX-License-Identifier: BSD-3-Clause */
/* The signals of overflow, and a program that uses the same: each gets its own. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "record.h"

#define N 100

static struct work_cell cell;
static volatile int received, with_value;
static int overflow_signal;

static int new_set(void)
{
	char name[WORK_NAME];

	work_name(name, &cell, "/8:w");
	return record_set(name, 10, 0);
}

static void run(int set)
{
	record_clear();
	EXPECT_OK(PAPI_start(set));
	work_store(&cell, N);
	EXPECT_EQUAL(N, work_stop(set));
	EXPECT_EQUAL(N / 10, record.calls);
	EXPECT_EQUAL(0, record_lost(set));
}

static void own_handler(int number, siginfo_t *info, void *context)
{
	(void)context;
	received += number == overflow_signal || number == SIGIO || number == SIGPROF;
	with_value += info->si_value.sival_int == 42;
}

static void install(int number, void (*handler)(int number, siginfo_t *info, void *context), int flags)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags };

	sigemptyset(&action.sa_mask);
	REQUIRE(sigaction(number, &action, NULL) == 0);
}

static void send(int number)
{
	union sigval value = { .sival_int = 42 };

	EXPECT(pthread_sigqueue(pthread_self(), number, value) == 0);
}

/* Each in a process of its own: what is installed stays. */

static void handler_from_before(void)
{
	int set;

	install(overflow_signal, own_handler, 0);
	set = new_set();
	run(set);
	EXPECT_EQUAL(0, received);
	for (int i = 1; i <= 3; i++) {
		send(overflow_signal);
		EXPECT_EQUAL(i, received);
		EXPECT_EQUAL(i, with_value);
	}
	/* While it counts, too. */
	record_clear();
	EXPECT_OK(PAPI_start(set));
	work_store(&cell, 15);
	send(overflow_signal);
	work_store(&cell, 5);
	EXPECT_OK(PAPI_stop(set, NULL));
	EXPECT_EQUAL(2, record.calls);
	EXPECT_EQUAL(4, received);
	/* Overflow off: the handler is the program's as ever. */
	work_discard(set);
	send(overflow_signal);
	EXPECT_EQUAL(5, received);
}

static void handler_from_after(void)
{
	int set = new_set();

	run(set);
	/* The program takes the signal; the next start brings it back, and passes on what is the program's. */
	install(overflow_signal, own_handler, 0);
	run(set);
	EXPECT_EQUAL(0, received);
	send(overflow_signal);
	EXPECT_EQUAL(1, received);
	EXPECT_EQUAL(1, with_value);
	work_discard(set);
}

static void simple_handler(int number)
{
	sigset_t blocked;

	sigemptyset(&blocked);
	pthread_sigmask(SIG_BLOCK, NULL, &blocked);
	/* Its mask is in force. */
	received += number == overflow_signal && sigismember(&blocked, SIGUSR2);
}

static void handler_of_the_old_kind(void)
{
	struct sigaction action = { .sa_handler = simple_handler };
	int set;

	sigemptyset(&action.sa_mask);
	sigaddset(&action.sa_mask, SIGUSR2);
	REQUIRE(sigaction(overflow_signal, &action, NULL) == 0);
	set = new_set();
	run(set);
	send(overflow_signal);
	EXPECT_EQUAL(1, received);
	work_discard(set);
}

static void ignored(void)
{
	int set;

	signal(overflow_signal, SIG_IGN);
	set = new_set();
	run(set);
	send(overflow_signal);
	work_discard(set);
}

/* A program without a handler is ended by a foreign signal, as without the library. */
static void ended_by_it(void)
{
	int set = new_set();

	run(set);
	send(overflow_signal);
	_exit(3);
}

static void default_effect(void)
{
	pid_t child = fork();
	int status;

	if (child == 0)
		ended_by_it();
	REQUIRE(waitpid(child, &status, 0) == child);
	EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == overflow_signal);
}

static void sigio_of_the_program(void)
{
	int set;

	install(SIGIO, own_handler, 0);
	set = new_set();
	run(set);
	send(SIGIO);
	EXPECT_EQUAL(1, received);
	run(set);
	work_discard(set);
}

/* A profiler of the program's own runs by the same signal as the library's timer. */
static void timer_of_the_program(void)
{
	struct itimerval every = { .it_interval = { .tv_usec = 5000 }, .it_value = { .tv_usec = 5000 } };
	struct itimerval never = { 0 };
	int set;

	install(SIGPROF, own_handler, SA_RESTART);
	set = record_set("perf::TASK-CLOCK", 1000000, PAPI_OVERFLOW_FORCE_SW);
	received = 0;
	EXPECT_OK(PAPI_start(set));
	REQUIRE(setitimer(ITIMER_PROF, &every, NULL) == 0);
	for (int i = 0; i < 100 && (record.calls < 5 || received < 5); i++)
		record_spin(20);
	REQUIRE(setitimer(ITIMER_PROF, &never, NULL) == 0);
	EXPECT_OK(PAPI_stop(set, NULL));
	EXPECT(record.calls >= 5);
	EXPECT(received >= 5);
	work_discard(set);
}

static void blocked_for_a_while(void)
{
	sigset_t some, before;
	int set = new_set();

	sigemptyset(&some);
	sigaddset(&some, overflow_signal);
	record_clear();
	EXPECT_OK(PAPI_start(set));
	pthread_sigmask(SIG_BLOCK, &some, &before);
	work_store(&cell, 50);
	EXPECT_EQUAL(0, record.calls);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	EXPECT_EQUAL(5, record.calls);
	pthread_sigmask(SIG_BLOCK, &some, NULL);
	work_store(&cell, 50);
	/* Stopped before they could be delivered: they still are. */
	EXPECT_EQUAL(N, work_stop(set));
	EXPECT_EQUAL(5, record.calls);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	EXPECT_EQUAL(10, record.calls);
	EXPECT_EQUAL(0, record_lost(set));
	EXPECT_EQUAL(10, record_delivered(set));
	work_discard(set);
}

static volatile int on_alternate;
static char alternate[64 * 1024];

static void stack_handler(int set, void *address, long long vector, void *context)
{
	char here;

	record_handler(set, address, vector, context);
	on_alternate += (char *)&here >= alternate && (char *)&here < alternate + sizeof(alternate);
	errno = EXDEV;
}

static void alternate_stack_and_errno(void)
{
	stack_t stack = { .ss_sp = alternate, .ss_size = sizeof(alternate) };
	int set = new_set();

	REQUIRE(sigaltstack(&stack, NULL) == 0);
	EXPECT_OK(PAPI_overflow(set, record_code(set, 0), 10, 0, stack_handler));
	record_clear();
	EXPECT_OK(PAPI_start(set));
	errno = EDOM;
	work_store(&cell, N);
	EXPECT_EQUAL(EDOM, errno);
	EXPECT_OK(PAPI_stop(set, NULL));
	EXPECT_EQUAL(10, record.calls);
	if (work_exact_faults())
		EXPECT_EQUAL(10, on_alternate);
	work_discard(set);
}

/* A system call that waits goes on waiting. */
static void calls_are_restarted(void)
{
	PAPI_option_t option;
	int ends[2], set;
	ssize_t got;
	pid_t child;
	char byte;

	memset(&option, 0, sizeof(option));
	option.itimer.itimer_num = ITIMER_REAL;
	option.itimer.itimer_sig = SIGALRM;
	EXPECT_OK(PAPI_set_opt(PAPI_DEF_ITIMER, &option));
	option.itimer.ns = 5000000;
	EXPECT_OK(PAPI_set_opt(PAPI_DEF_ITIMER_NS, &option));
	set = record_set("perf::TASK-CLOCK", 1, PAPI_OVERFLOW_FORCE_SW);
	REQUIRE(pipe(ends) == 0);
	child = fork();
	if (child == 0) {
		usleep(100000);
		_exit(write(ends[1], "x", 1) != 1);
	}
	EXPECT_OK(PAPI_start(set));
	got = read(ends[0], &byte, 1);
	EXPECT_OK(PAPI_stop(set, NULL));
	EXPECT_EQUAL(1, got);
	EXPECT(record.calls > 0);
	EXPECT_EQUAL(0, work_wait(child));
	work_discard(set);
}

#define IN_PROCESS(function)                                \
	static void function##_apart(void)                  \
	{                                                   \
		EXPECT_EQUAL(0, work_in_process(function)); \
	}

IN_PROCESS(handler_from_before)
IN_PROCESS(handler_from_after)
IN_PROCESS(handler_of_the_old_kind)
IN_PROCESS(ignored)
IN_PROCESS(sigio_of_the_program)
IN_PROCESS(timer_of_the_program)
IN_PROCESS(blocked_for_a_while)
IN_PROCESS(alternate_stack_and_errno)
IN_PROCESS(calls_are_restarted)

int main(void)
{
	static const struct test tests[] = {
		{ "the program had a handler before", RECORD_WATCHED(handler_from_before_apart) },
		{ "the program installs a handler later", RECORD_WATCHED(handler_from_after_apart) },
		{ "a handler without SA_SIGINFO, with a mask", RECORD_WATCHED(handler_of_the_old_kind_apart) },
		{ "the program ignores the signal", RECORD_WATCHED(ignored_apart) },
		{ "no handler: the default effect", RECORD_WATCHED(default_effect) },
		{ "SIGIO", RECORD_WATCHED(sigio_of_the_program_apart) },
		{ "a timer of the program", timer_of_the_program_apart },
		{ "blocked for a while", RECORD_WATCHED(blocked_for_a_while_apart) },
		{ "alternate stack, errno", RECORD_WATCHED(alternate_stack_and_errno_apart) },
		{ "interrupted calls are restarted", calls_are_restarted_apart },
	};

	record_need_prompt_signals();
	work_begin();
	work_need_breakpoints();
	overflow_signal = PAPI_get_component_info(0)->hardware_intr_sig;
	REQUIRE(overflow_signal > 0);
	return work_end(check_run(tests, COUNT_OF(tests)));
}
