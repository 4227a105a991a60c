/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/multiplex.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "core/handles.h"
#include "core/signals.h"
#include "core/thread.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int timer_signal;

int papi_multiplex_signal(void)
{
	return atomic_load_explicit(&timer_signal, memory_order_relaxed);
}

static void take_turn(const struct papi_eventset *set)
{
	for (unsigned i = 0; i < set->n_parts; i++)
		if (set->parts[i].component->turns)
			set->parts[i].component->turns->next(set->parts[i].control);
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

static enum papi_signal_answer on_signal(const siginfo_t *info, void *context)
{
	struct papi_slot *slot = papi_timer_slot(info);

	(void)context;
	if (!slot)
		return PAPI_SIGNAL_FOREIGN;
	papi_multiplex_expired(slot);
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
		const struct papi_component_turns *turns = set->parts[i].component->turns;

		if (turns && turns->needed(set->parts[i].control))
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

static int started(struct papi_slot *slot)
{
	struct papi_eventset *set = slot->set;
	struct papi_multiplex *multiplex = set->multiplex;
	struct papi_timer_plan plan = { clock_for(&set->options), papi_multiplex_signal(), on_signal, "multiplexing" };
	int status;

	if (!takes_turns(set))
		return PAPI_OK;
	status = papi_timer_make(&multiplex->timer, slot, &plan);
	if (status != PAPI_OK)
		return status;
	atomic_store_explicit(&slot->turn_due, false, memory_order_relaxed);
	if (!papi_timer_set(multiplex->timer.number, set->options.turn_ns, true))
		return papi_error(PAPI_ESYS, "the timer of multiplexing cannot be set: %s", strerror(errno));
	multiplex->runs = true;
	return PAPI_OK;
}

/* To a program that reads all the time, the end of a turn comes while it is inside. */
static int catch_up(struct papi_slot *slot)
{
	if (atomic_load_explicit(&slot->turn_due, memory_order_relaxed)) {
		atomic_store_explicit(&slot->turn_due, false, memory_order_relaxed);
		take_turn(slot->set);
	}
	return PAPI_OK;
}

static int stopping(struct papi_slot *slot)
{
	struct papi_multiplex *multiplex = slot->set->multiplex;

	if (multiplex->runs)
		papi_timer_set(multiplex->timer.number, 0, false);
	multiplex->runs = false;
	return PAPI_OK;
}

static int forked(struct papi_slot *slot)
{
	papi_timer_forget(&slot->set->multiplex->timer);
	slot->set->multiplex->runs = false;
	return PAPI_OK;
}

const struct papi_feature papi_multiplex_feature = {
	.in[PAPI_PHASE_STARTED] = started,
	.in[PAPI_PHASE_READ] = catch_up,
	.in[PAPI_PHASE_STOPPING] = stopping,
	.in[PAPI_PHASE_FORKED] = forked,
};

void papi_multiplex_free(struct papi_eventset *set)
{
	if (set->multiplex)
		papi_timer_delete(&set->multiplex->timer);
	free(set->multiplex);
	set->multiplex = NULL;
	set->features &= (uint8_t)~PAPI_FEATURE_MULTIPLEX;
}
