/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When an armed EventSet is looked at: what its timer (core/timer.h) is set for.
 *
 * It goes off once. Where it is looked without being told, each look sets it for the next one when it is done: however
 * long the program's functions take, the program goes on for that long in between.
 */
#include <signal.h>
#include <sys/time.h>
#include <time.h>

#include "core/handles.h"
#include "core/overflow.h"
#include "core/signals.h"
#include "core/timer.h"

/* Time between two looks, unless PAPI_DEF_ITIMER_NS says otherwise. */
#define LOOK_NS 10000000

_Atomic int papi_option_itimer_num = ITIMER_PROF;
_Atomic int papi_option_itimer_sig = SIGPROF;
_Atomic int papi_option_itimer_ns = LOOK_NS;

void papi_overflow_options_reset(void)
{
	atomic_store(&papi_option_itimer_num, ITIMER_PROF);
	atomic_store(&papi_option_itimer_sig, SIGPROF);
	atomic_store(&papi_option_itimer_ns, LOOK_NS);
}

/*
 * Below SIGRTMIN, where the kernel keeps one for a thread and finds room for it also when the user's queue of signals
 * is full; and one that neither it nor, in all likelihood, the program uses for anything.
 */
int papi_overflow_signal(void)
{
	return SIGSTKFLT;
}

static enum papi_signal_answer on_timer(const siginfo_t *info, void *context)
{
	struct papi_slot *slot = papi_timer_slot(info);

	if (!slot)
		return PAPI_SIGNAL_FOREIGN;
	papi_overflow_look(slot, context);
	return PAPI_SIGNAL_OWN;
}

/*
 * Real time, or the CPU time of the thread: there is no clock of its time in user mode alone. By that a set that counts
 * its thread is looked at: nothing wakes one that sleeps, and one that gets little time gets on all the same.
 */
static int clock_for(const struct papi_eventset *set)
{
	const struct papi_options *options = &set->options;
	bool real = set->sampling->software ? atomic_load(&papi_option_itimer_num) == ITIMER_REAL
					    : !set->sampling->interval || options->attach || options->cpu >= 0 ||
			options->granularity != PAPI_GRN_THR;

	return real ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID;
}

int papi_overflow_timer_make(struct papi_eventset *set)
{
	struct papi_sampling *sampling = set->sampling;
	struct papi_slot *slot = papi_handle_slot(set->handle);
	struct papi_timer_plan plan = {
		.clock = clock_for(set),
		.signal = sampling->software ? atomic_load(&papi_option_itimer_sig) : papi_overflow_signal(),
		.claimant = on_timer,
		.purpose = "overflow",
	};
	int status = papi_timer_make(&sampling->timer, slot, &plan);

	if (status == PAPI_OK)
		atomic_store_explicit(&slot->timer, sampling->timer.number + 1, memory_order_relaxed);
	return status;
}

bool papi_overflow_signal_waits(void)
{
	sigset_t waiting;

	return !sigpending(&waiting) && sigismember(&waiting, papi_overflow_signal()) == 1;
}

void papi_overflow_timer_stop(const struct papi_eventset *set)
{
	papi_timer_set(set->sampling->timer.number, 0, false);
}

void papi_overflow_timer_delete(struct papi_eventset *set)
{
	int mine = set->sampling->timer.number + 1;

	/* A set that is being destroyed has left its slot, which may be another's by now. */
	if (set->sampling->timer.made)
		atomic_compare_exchange_strong(&papi_handle_slot(set->handle)->timer, &mine, 0);
	papi_timer_delete(&set->sampling->timer);
}

int papi_overflow_forked(struct papi_slot *slot)
{
	papi_timer_forget(&slot->set->sampling->timer);
	atomic_store_explicit(&slot->timer, 0, memory_order_relaxed);
	return PAPI_OK;
}

void papi_overflow_timer_again(struct papi_slot *slot, long ns)
{
	int timer = atomic_load_explicit(&slot->timer, memory_order_relaxed);

	if (timer)
		papi_timer_set(timer - 1, ns, false);
}
