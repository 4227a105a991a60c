/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The signal that ends turns may come at any moment: inside calls on the set, inside malloc() and printf(), while the
 * program handles signals of its own, which may use the set too; and it may be kept from coming.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "cells.h"
#include "check.h"

#define TURN 100000 /* ns, the shortest there is */

static unsigned n_events;

static int turns_set(void)
{
	return cells_set(PAPI_MULTIPLEX_FORCE_SW, TURN, 0, n_events);
}

/* For most of the time the thread is inside PAPI_read(), and there the end of a turn finds it. Turns go on. */
static void inside_calls_on_the_set(void)
{
	int set = turns_set();
	long long values[CELLS], running[CELLS], before[CELLS];

	EXPECT_OK(PAPI_start(set));
	cells_work_until_all_ran(set, n_events);
	EXPECT_OK(PAPI_get_event_times(set, NULL, before));
	for (int i = 0; i < 100000; i++)
		REQUIRE_OK(PAPI_read(set, values));
	EXPECT_OK(PAPI_get_event_times(set, NULL, running));
	for (unsigned i = 0; i < n_events; i++)
		EXPECT(running[i] > before[i]);
	EXPECT_OK(PAPI_stop(set, values));
	work_discard(set);
}

static void inside_malloc_and_printf(void)
{
	int set = turns_set();
	void *blocks[64] = { 0 };
	long long values[CELLS];
	FILE *nowhere = fopen("/dev/null", "w");

	REQUIRE(nowhere != NULL);
	EXPECT_OK(PAPI_start(set));
	for (unsigned i = 0; i < 200000; i++) {
		free(blocks[i % 64]);
		blocks[i % 64] = malloc(16 + i % 5000);
		fprintf(nowhere, "%u %p\n", i, blocks[i % 64]);
	}
	cells_work_until_all_ran(set, n_events);
	EXPECT_OK(PAPI_stop(set, values));
	for (unsigned i = 0; i < 64; i++)
		free(blocks[i]);
	fclose(nowhere);
	work_discard(set);
}

static struct {
	int set;
	volatile sig_atomic_t read, busy, wrong;
} handled;

/* It may interrupt a call on the set, which is an answer; or a turn, which it must not. */
static void on_program_signal(int number)
{
	long long values[CELLS];
	int status = PAPI_read(handled.set, values);

	(void)number;
	if (status == PAPI_OK)
		handled.read++;
	else if (status == PAPI_ECNFLCT)
		handled.busy++;
	else
		handled.wrong++;
}

static void handlers_that_use_the_set(void)
{
	struct itimerval every = { .it_interval = { .tv_usec = 500 }, .it_value = { .tv_usec = 500 } }, never = { 0 };
	struct sigaction action, old;
	long long values[CELLS];

	memset(&action, 0, sizeof(action));
	action.sa_handler = on_program_signal;
	action.sa_flags = SA_RESTART;
	handled.set = turns_set();
	REQUIRE(!sigaction(SIGALRM, &action, &old));
	EXPECT_OK(PAPI_start(handled.set));
	cells_work_until_all_ran(handled.set, n_events);
	REQUIRE(!setitimer(ITIMER_REAL, &every, NULL));
	for (int i = 0; i < 300; i++) {
		cells_work(2);
		for (int j = 0; j < 50; j++)
			EXPECT_OK(PAPI_read(handled.set, values));
	}
	setitimer(ITIMER_REAL, &never, NULL);
	EXPECT_OK(PAPI_stop(handled.set, values));
	sigaction(SIGALRM, &old, NULL);
	EXPECT(handled.read > 0);
	EXPECT_EQUAL(0, handled.wrong);
	work_discard(handled.set);
}

/* Who blocks all signals gets no turns, and is told so; when they are let through, turns begin. */
static void blocked(void)
{
	int set = turns_set();
	long long values[CELLS];
	sigset_t all, old;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	EXPECT_OK(PAPI_start(set));
	cells_work(200);
	EXPECT_ERROR(PAPI_ECNFLCT, "turn", PAPI_read(set, values));
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	cells_work_until_all_ran(set, n_events);
	EXPECT_OK(PAPI_stop(set, values));
	work_discard(set);
}

static volatile sig_atomic_t foreign;

static void on_foreign(int number)
{
	(void)number;
	foreign++;
}

/* Which signal it is, the program cannot know: the one that it does not use itself, as far as that can be seen. */
static void the_programs_own_signals_are_left_alone(void)
{
	struct sigaction action, now;
	int own = 0, set = turns_set();

	memset(&action, 0, sizeof(action));
	action.sa_handler = on_foreign;
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++) {
		REQUIRE(!sigaction(number, NULL, &now));
		own += now.sa_flags & SA_SIGINFO || now.sa_handler != SIG_DFL;
	}
	EXPECT_EQUAL(1, own);
	/* A program that takes all of them now: a start takes one back, and both get what is theirs. */
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
		REQUIRE(!sigaction(number, &action, NULL));
	EXPECT_OK(PAPI_start(set));
	cells_work_until_all_ran(set, n_events);
	EXPECT_EQUAL(0, foreign);
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
		raise(number);
	EXPECT_EQUAL(SIGRTMAX - SIGRTMIN + 1, foreign);
	EXPECT_OK(PAPI_stop(set, NULL));
	work_discard(set);
}

/* A thread that sleeps is not woken by the turns of a set that counts it. */
static void sleeps_are_not_cut_short(void)
{
	int set = turns_set();
	struct timespec wanted = { .tv_nsec = 300000000 }, left;
	int woken = 0;

	EXPECT_OK(PAPI_start(set));
	cells_work_until_all_ran(set, n_events);
	for (int i = 0; i < 3; i++)
		woken += nanosleep(&wanted, &left) != 0;
	/* The signal of a turn that ends with the call that falls asleep may be one. */
	EXPECT(woken <= 1);
	EXPECT_OK(PAPI_stop(set, NULL));
	work_discard(set);
}

int main(void)
{
	static const struct test tests[] = {
		{ "inside calls on the set", inside_calls_on_the_set },
		{ "inside malloc and printf", inside_malloc_and_printf },
		{ "handlers that use the set", handlers_that_use_the_set },
		{ "blocked", blocked },
		{ "sleeps are not cut short", sleeps_are_not_cut_short },
		{ "the program's own signals are left alone", the_programs_own_signals_are_left_alone },
	};

	work_begin();
	n_events = cells_registers() + 2;
	cells_work(1);
	return work_end(check_run(tests, COUNT_OF(tests)));
}
