/* SPDX-License-Identifier: BSD-3-Clause */
#include "virtual.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *const events[EVENTS] = {
	[INSTRUCTIONS] = "vpmu:::INSTRUCTIONS",
	[LOADS] = "vpmu:::LOADS",
	[STORES] = "vpmu:::STORES",
	[TAKEN] = "vpmu:::BRANCHES_TAKEN",
	[CALLS] = "vpmu:::CALLS",
};

static unsigned long thread_id(void)
{
	return (unsigned long)pthread_self();
}

/* Signals are queued, and timers made, out of a limit that all processes of the user share. */
static bool can_queue_signals(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM };
	timer_t timer;

	if (timer_create(CLOCK_MONOTONIC, &event, &timer))
		return false;
	timer_delete(timer);
	return true;
}

bool virtual_begin(void)
{
	int code;

	if (!can_queue_signals()) {
		printf("no timer can be made: %s\n", strerror(errno));
		return false;
	}
	/* On any machine, unless the person who runs this says otherwise. */
	setenv("PAPI_VPMU", "always", 0);
	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT || PAPI_thread_init(thread_id) != PAPI_OK) {
		printf("the library does not start: %s\n", PAPI_error_detail());
		exit(1);
	}
	if (PAPI_event_name_to_code(events[INSTRUCTIONS], &code) == PAPI_OK)
		return true;
	printf("the virtual PMU counts nothing here: %s\n", PAPI_error_detail());
	return false;
}

static void must(int status, const char *what)
{
	if (status == PAPI_OK)
		return;
	printf("%s: %s: %s\n", what, PAPI_strerror(status), PAPI_error_detail());
	exit(1);
}

static _Thread_local int own_set = PAPI_NULL;
static unsigned n_events = EVENTS;

int virtual_set(void)
{
	if (own_set != PAPI_NULL)
		return own_set;
	must(PAPI_create_eventset(&own_set), "PAPI_create_eventset");
	for (unsigned i = 0; i < n_events; i++)
		must(PAPI_add_named_event(own_set, events[i]), events[i]);
	return own_set;
}

void virtual_forget(void)
{
	if (own_set == PAPI_NULL)
		return;
	must(PAPI_cleanup_eventset(own_set), "PAPI_cleanup_eventset");
	must(PAPI_destroy_eventset(&own_set), "PAPI_destroy_eventset");
}

void virtual_count_alone(bool alone)
{
	virtual_forget();
	n_events = alone ? INSTRUCTIONS + 1 : EVENTS;
}

__attribute__((noinline)) struct counts virtual_count(void (*work)(void *), void *argument)
{
	struct counts counts = { { 0 } };
	int set = virtual_set();

	must(PAPI_start(set), "PAPI_start");
	work(argument);
	must(PAPI_stop(set, counts.of), "PAPI_stop");
	return counts;
}

bool virtual_same(const char *what, struct counts expected, struct counts got)
{
	if (!memcmp(&expected, &got, sizeof(got)))
		return true;
	printf("%s:\n", what);
	for (unsigned i = 0; i < EVENTS; i++)
		printf("  %-22s expected %lld, got %lld\n", events[i], expected.of[i], got.of[i]);
	return false;
}

bool virtual_count_twice(const char *what, void (*work)(void *), void *argument)
{
	struct counts first;

	virtual_count(work, argument);
	first = virtual_count(work, argument);
	return virtual_same(what, first, virtual_count(work, argument));
}

double virtual_seconds(int count, char **arguments)
{
	return count > 1 ? strtod(arguments[1], NULL) : 0;
}
