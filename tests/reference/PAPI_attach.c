/* SPDX-License-Identifier: BSD-3-Clause */
/* Pages PAPI_attach and PAPI_detach: the events of a forked process. */
#include <signal.h>
#include <unistd.h>

#include "reference.h"

static volatile sig_atomic_t told;

static void tell(int number)
{
	told = number;
}

static void child(void)
{
	sigset_t usual;

	sigprocmask(SIG_SETMASK, NULL, &usual);
	sigdelset(&usual, SIGUSR1);
	while (!told)
		sigsuspend(&usual);
	do_100events();
	_exit(0);
}

/* Told to start only when the counters do; until then it sleeps with the signal blocked. */
void example(void)
{
	int EventSet, status;
	long long value = -1;
	sigset_t blocked;
	pid_t pid;

	if (!work_exact_faults()) {
		check_skip("what is counted here is a variable of this process");
		return;
	}
	EventSet = reference_set();
	signal(SIGUSR1, tell);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGUSR1);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	pid = fork();
	REQUIRE(pid >= 0);
	if (pid == 0)
		child();
	REQUIRE_OK(PAPI_attach(EventSet, (unsigned long)pid));
	EXPECT_OK(PAPI_state(EventSet, &status));
	EXPECT((status & PAPI_ATTACHED) != 0);
	EXPECT_OK(PAPI_start(EventSet));
	kill(pid, SIGUSR1);
	EXPECT_EQUAL(0, work_wait(pid));
	EXPECT_OK(PAPI_stop(EventSet, &value));
	/* A forked process also faults on what it writes to first: its stack and its data. */
	EXPECT_BETWEEN(100, value, 400);
	EXPECT_OK(PAPI_detach(EventSet));
	EXPECT_OK(PAPI_state(EventSet, &status));
	EXPECT((status & PAPI_ATTACHED) == 0);
	reference_discard(&EventSet);
}
