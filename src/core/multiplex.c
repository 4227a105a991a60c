/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/multiplex.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "core/handles.h"
#include "core/signals.h"
#include "core/thread.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int timer_signal;

int papi_multiplex_signal(void)
{
	return atomic_load_explicit(&timer_signal, memory_order_relaxed);
}

static void take_turn(const struct papi_eventset *set)
{
	for (unsigned i = 0; i < set->n_parts; i++)
		if (set->parts[i].component->next_turn)
			set->parts[i].component->next_turn(set->parts[i].control);
}

void papi_multiplex_expired(struct papi_slot *slot)
{
	if (!papi_handle_try(slot)) {
		atomic_store_explicit(&slot->turn_due, true, memory_order_relaxed);
		return;
	}
	if (slot->set && slot->set->running && slot->set->multiplex)
		take_turn(slot->set);
	papi_handle_leave(slot);
}

/* Ours is the timer that tells the place of a slot; a program's own may use the same signal. */
static enum papi_signal_answer on_signal(const siginfo_t *info, void *context)
{
	uintptr_t first = (uintptr_t)papi_handle_slots, place = (uintptr_t)info->si_value.sival_ptr;

	(void)context;
	if (info->si_code != SI_TIMER || place < first || place >= first + sizeof(papi_handle_slots))
		return PAPI_SIGNAL_FOREIGN;
	papi_multiplex_expired(info->si_value.sival_ptr);
	return PAPI_SIGNAL_OWN;
}

/* From above, since programs count theirs from SIGRTMIN. */
static int find_unused_signal(void)
{
	struct sigaction now;

	for (int number = SIGRTMAX - 1; number >= SIGRTMIN; number--)
		if (!sigaction(number, NULL, &now) && !(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_DFL)
			return number;
	return SIGRTMAX - 1;
}

static int need_signal(void)
{
	int number, status;

	pthread_mutex_lock(&lock);
	number = papi_multiplex_signal() ? papi_multiplex_signal() : find_unused_signal();
	status = papi_signal_claim(number, on_signal);
	if (status == PAPI_OK)
		atomic_store_explicit(&timer_signal, number, memory_order_relaxed);
	pthread_mutex_unlock(&lock);
	return status;
}

int papi_multiplex_prepare(struct papi_eventset *set)
{
	int status = need_signal();

	if (status != PAPI_OK || set->multiplex)
		return status;
	set->multiplex = calloc(1, sizeof(*set->multiplex));
	if (!set->multiplex)
		return papi_error(PAPI_ENOMEM, "no memory for a multiplexed EventSet");
	set->features |= PAPI_FEATURE_MULTIPLEX;
	return PAPI_OK;
}

static bool takes_turns(const struct papi_eventset *set)
{
	for (unsigned i = 0; i < set->n_parts; i++) {
		const struct papi_component *component = set->parts[i].component;

		if (component->takes_turns && component->takes_turns(set->parts[i].control))
			return true;
	}
	return false;
}

static int clock_for(const struct papi_options *options)
{
	bool own_thread = !options->attach && options->cpu < 0 && options->granularity == PAPI_GRN_THR &&
		!options->inherit;

	return own_thread ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
}

/* Straight from the kernel: the C library's would allocate, and hide the number that counts against the limit. */
static int make_timer(struct papi_eventset *set, int clock)
{
	struct papi_multiplex *multiplex = set->multiplex;
	struct sigevent event;

	memset(&event, 0, sizeof(event));
	event.sigev_notify = SIGEV_THREAD_ID;
	event.sigev_signo = papi_multiplex_signal();
	event.sigev_value.sival_ptr = papi_handle_slot(set->handle);
	event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
	if (syscall(SYS_timer_create, clock, &event, &multiplex->timer))
		return papi_error(PAPI_ESYS, "no timer for multiplexing: %s%s", strerror(errno),
			errno == EAGAIN ? "; the user has as many as ulimit -i allows" : "");
	multiplex->has_timer = true;
	multiplex->clock = clock;
	multiplex->thread = papi_thread_number();
	return PAPI_OK;
}

static int set_timer(const struct papi_multiplex *multiplex, int ns)
{
	struct timespec interval = { .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };
	struct itimerspec time = { .it_interval = interval, .it_value = interval };

	return (int)syscall(SYS_timer_settime, multiplex->timer, 0, &time, NULL);
}

static int started(struct papi_slot *slot)
{
	struct papi_eventset *set = slot->set;
	struct papi_multiplex *multiplex = set->multiplex;
	int clock = clock_for(&set->options), ns = set->options.turn_ns, status;

	if (!takes_turns(set))
		return PAPI_OK;
	/* Again: the program may have installed a handler of its own since. */
	status = papi_signal_claim(papi_multiplex_signal(), on_signal);
	if (status != PAPI_OK)
		return status;
	if (multiplex->has_timer && (multiplex->thread != papi_thread_number() || multiplex->clock != clock))
		papi_multiplex_close(set);
	if (!multiplex->has_timer)
		status = make_timer(set, clock);
	if (status != PAPI_OK)
		return status;
	atomic_store_explicit(&slot->turn_due, false, memory_order_relaxed);
	if (set_timer(multiplex, ns))
		return papi_error(PAPI_ESYS, "the timer of multiplexing cannot be set: %s", strerror(errno));
	multiplex->armed = true;
	return PAPI_OK;
}

static int stopping(struct papi_slot *slot)
{
	struct papi_multiplex *multiplex = slot->set->multiplex;

	if (multiplex->armed)
		set_timer(multiplex, 0);
	multiplex->armed = false;
	return PAPI_OK;
}

const struct papi_feature papi_multiplex_feature = {
	.in[PAPI_PHASE_STARTED] = started,
	.in[PAPI_PHASE_STOPPING] = stopping,
};

void papi_multiplex_catch_up(struct papi_eventset *set)
{
	struct papi_slot *slot = papi_handle_slot(set->handle);

	if (atomic_load_explicit(&slot->turn_due, memory_order_relaxed)) {
		atomic_store_explicit(&slot->turn_due, false, memory_order_relaxed);
		take_turn(set);
	}
}

void papi_multiplex_close(struct papi_eventset *set)
{
	struct papi_multiplex *multiplex = set->multiplex;

	if (multiplex && multiplex->has_timer) {
		syscall(SYS_timer_delete, multiplex->timer);
		multiplex->has_timer = multiplex->armed = false;
	}
}

void papi_multiplex_free(struct papi_eventset *set)
{
	papi_multiplex_close(set);
	free(set->multiplex);
	set->multiplex = NULL;
	set->features &= ~(unsigned)PAPI_FEATURE_MULTIPLEX;
}

void papi_multiplex_forked(struct papi_eventset *set)
{
	if (set->multiplex)
		set->multiplex->has_timer = set->multiplex->armed = false;
}
