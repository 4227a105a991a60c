/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The timer of an armed EventSet. It carries the address of the set's slot, which outlives the set: a signal that comes
 * late finds a slot without the set, or with another one, and looking there is in order.
 *
 * It goes off once. Where it is looked without being told, each look sets it for the next one when it is done: however
 * long the program's functions take, the program goes on for that long in between.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "core/handles.h"
#include "core/overflow.h"
#include "core/signals.h"
#include "core/thread.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

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

static bool is_slot(const void *pointer)
{
	uintptr_t offset = (uintptr_t)pointer - (uintptr_t)papi_handle_slots;

	return offset < sizeof(papi_handle_slots) && offset % sizeof(papi_handle_slots[0]) == 0;
}

static enum papi_signal_answer on_timer(const siginfo_t *info, void *context)
{
	if ((info->si_code != SI_TIMER && info->si_code != SI_QUEUE) || !is_slot(info->si_value.sival_ptr))
		return PAPI_SIGNAL_FOREIGN;
	papi_overflow_look(info->si_value.sival_ptr, context);
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

/* Straight from the kernel: the C library's function may allocate. */
static int make(struct papi_eventset *set, int clock, int number)
{
	struct papi_sampling *sampling = set->sampling;
	struct sigevent event;

	memset(&event, 0, sizeof(event));
	event.sigev_notify = SIGEV_THREAD_ID;
	event.sigev_signo = number;
	event.sigev_value.sival_ptr = papi_handle_slot(set->handle);
	event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
	if (syscall(SYS_timer_create, clock, &event, &sampling->timer))
		return papi_error(PAPI_ESYS, "no timer for overflow: %s%s", strerror(errno),
			errno == EAGAIN ? "; the user has as many as ulimit -i allows" : "");
	sampling->has_timer = true;
	sampling->clock = clock;
	sampling->signal = number;
	sampling->thread = papi_thread_number();
	return PAPI_OK;
}

int papi_overflow_timer_make(struct papi_eventset *set)
{
	struct papi_sampling *sampling = set->sampling;
	int number = sampling->software ? atomic_load(&papi_option_itimer_sig) : papi_overflow_signal();
	int clock = clock_for(set);
	int status = papi_signal_claim(number, on_timer);

	if (status != PAPI_OK)
		return status;
	if (sampling->has_timer &&
		(sampling->thread != papi_thread_number() || sampling->clock != clock || sampling->signal != number))
		papi_overflow_timer_delete(set);
	if (!sampling->has_timer)
		status = make(set, clock, number);
	if (status == PAPI_OK)
		atomic_store_explicit(&papi_handle_slot(set->handle)->timer, sampling->timer + 1, memory_order_relaxed);
	return status;
}

static void set_time(int timer, long ns)
{
	struct itimerspec time = { .it_value = { .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 } };

	syscall(SYS_timer_settime, timer, 0, &time, NULL);
}

bool papi_overflow_signal_waits(void)
{
	sigset_t waiting;

	return !sigpending(&waiting) && sigismember(&waiting, papi_overflow_signal()) == 1;
}

void papi_overflow_timer_stop(const struct papi_eventset *set)
{
	set_time(set->sampling->timer, 0);
}

void papi_overflow_timer_delete(struct papi_eventset *set)
{
	struct papi_sampling *sampling = set->sampling;
	int mine = sampling->timer + 1;

	if (!sampling->has_timer)
		return;
	/* A set that is being destroyed has left its slot, which may be another's by now. */
	atomic_compare_exchange_strong(&papi_handle_slot(set->handle)->timer, &mine, 0);
	syscall(SYS_timer_delete, sampling->timer);
	sampling->has_timer = false;
}

void papi_overflow_timer_again(struct papi_slot *slot, long ns)
{
	int timer = atomic_load_explicit(&slot->timer, memory_order_relaxed);

	if (timer)
		set_time(timer - 1, ns);
}
