/* SPDX-License-Identifier: BSD-3-Clause */
/* What happens in the signal handler: from an overflow to the program's functions and histograms. */
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/handles.h"
#include "core/overflow.h"
#include "core/thread.h"
#include "linux/process/program_counter.h"
#include "linux/time/clock.h"

/* Calls of handlers that are fetched in one go: as many as one overflow of all events with handlers of their own. */
#define NOTICES 64
/* How often it is tried again when another thread is inside. */
#define MOST_TRIES 1000
/* How often the time until a timer's next look doubles at most. */
#define MOST_DOUBLINGS 13
/* And what it does not grow beyond. */
#define LONGEST_WAIT_NS 500000000

/* A call that is to be made. */
struct notice {
	PAPI_overflow_handler_t handler;
	void *address;
	long long vector;
};

/* All that is needed once the set has been left. */
struct notices {
	unsigned n, first; /* first: of those that one overflow has made so far */
	struct notice all[NOTICES];
};

static void note(struct notices *notices, const struct papi_sampler *sampler, void *address)
{
	struct notice *notice = &notices->all[notices->first];

	while (notice < &notices->all[notices->n] && notice->handler != sampler->handler)
		notice++;
	if (notice == &notices->all[notices->n]) {
		notices->n++;
		*notice = (struct notice){ .handler = sampler->handler, .address = address };
	}
	notice->vector |= (long long)(1ull << sampler->event);
}

/* An event has passed its threshold, and was told of it only the last of so many times. */
static void overflowed(struct papi_sampler *sampler, struct notices *notices, void *address, uint64_t times)
{
	sampler->delivered++;
	sampler->lost += (long long)(times - 1);
	if (sampler->profil)
		papi_profil_count(sampler->profil, address, times);
	else
		note(notices, sampler, address);
}

static void take(struct papi_sampling *sampling, const struct papi_part *part, const struct papi_overflow *overflow,
	struct notices *notices)
{
	notices->first = notices->n;
	for (unsigned i = 0; i < sampling->n; i++) {
		struct papi_sampler *sampler = &sampling->samplers[i];
		unsigned position = sampler->place - part->first;

		if (sampler->place < part->first || position >= part->count || position > 63 ||
			!(overflow->natives >> position & 1))
			continue;
		if (overflow->happened)
			overflowed(sampler, notices, overflow->address, 1 + overflow->lost);
		else
			sampler->lost += (long long)overflow->lost;
	}
}

/* In hardware: what the components have kept. False: there may be more than could be taken. */
static bool fetch(struct papi_eventset *set, struct notices *notices)
{
	for (unsigned i = 0; i < set->n_parts; i++) {
		const struct papi_part *part = &set->parts[i];
		struct papi_overflow overflow;

		while (part->component->overflow) {
			if (notices->n + set->sampling->n > NOTICES)
				return false;
			if (!part->component->overflow->fetch(part->control, &overflow, 1))
				break;
			take(set->sampling, part, &overflow, notices);
		}
	}
	return true;
}

/* The difference of counts may wrap; it must not be undefined. */
static void advance(struct papi_sampler *sampler, long long value)
{
	unsigned long long counted = (unsigned long long)value - (unsigned long long)sampler->seen;

	sampler->seen = value;
	sampler->progress = (long long)((unsigned long long)sampler->progress + counted);
}

/* In software: what the counts say. */
static void compare(struct papi_eventset *set, struct notices *notices, void *address)
{
	if (papi_count_refresh(set) != PAPI_OK)
		return;
	for (unsigned i = 0; i < set->sampling->n; i++) {
		struct papi_sampler *sampler = &set->sampling->samplers[i];
		long long times;

		advance(sampler, papi_count_value(set, sampler->event));
		times = sampler->progress / sampler->threshold;
		if (times <= 0)
			continue;
		sampler->progress -= times * sampler->threshold;
		overflowed(sampler, notices, address, (uint64_t)times);
	}
}

int papi_overflow_rebased(struct papi_slot *slot)
{
	const struct papi_eventset *set = slot->set;

	for (unsigned i = 0; i < set->sampling->n; i++) {
		struct papi_sampler *sampler = &set->sampling->samplers[i];

		if (set->sampling->software)
			advance(sampler, papi_count_value(set, sampler->event));
		sampler->seen = 0;
	}
	return PAPI_OK;
}

/* What had been fetched when a handler stopped the set, and is not told any more. */
static void discard(struct papi_slot *slot, int handle, const struct notice *notice, unsigned n)
{
	unsigned tries = 0;

	/* The thread that is inside now is so for a short time, unless it waits for the call that this handler has
	 * interrupted. */
	while (!papi_handle_try(slot)) {
		if (++tries == MOST_TRIES)
			return;
		sched_yield();
	}
	for (; slot->set && slot->set->handle == handle && papi_eventset_armed(slot->set) && n; n--, notice++) {
		struct papi_sampling *sampling = slot->set->sampling;

		for (unsigned i = 0; i < sampling->n; i++) {
			if (notice->vector >> sampling->samplers[i].event & 1 && !sampling->samplers[i].profil) {
				sampling->samplers[i].delivered--;
				sampling->samplers[i].lost++;
			}
		}
	}
	papi_handle_leave(slot);
}

/* Outside the set, of which nothing but the slot may be touched: a handler or another thread may do anything to it. */
static bool deliver(struct papi_slot *slot, int handle, const struct notices *notices, void *context)
{
	uint32_t self = papi_thread_number();

	if (!notices->n)
		return true;
	atomic_store_explicit(&slot->dispatcher, self, memory_order_relaxed);
	for (unsigned i = 0; i < notices->n; i++) {
		const struct notice *notice = &notices->all[i];

		notice->handler(handle, notice->address, notice->vector, context);
		/* Its stop takes the office away. */
		if (atomic_load_explicit(&slot->dispatcher, memory_order_relaxed) == self)
			continue;
		if (i + 1 < notices->n)
			discard(slot, handle, notice + 1, notices->n - i - 1);
		return false;
	}
	atomic_store_explicit(&slot->dispatcher, 0, memory_order_relaxed);
	return true;
}

enum found {
	NOBODY,   /* there is no such set, or it does not overflow, or not any more */
	OCCUPIED, /* somebody is inside */
	SOME,     /* and there is more */
	ALL,
};

/* What has happened, from a set that has *handle, or, where that is PAPI_NULL, any; and when to look again; 0: when
 * told. */
static enum found find(struct papi_slot *slot, int *handle, struct notices *notices, long *interval, void *context)
{
	struct papi_eventset *set;
	enum found found = ALL;

	notices->n = notices->first = 0;
	*interval = 0;
	if (!papi_handle_try(slot))
		return OCCUPIED;
	set = slot->set;
	if (!set || !papi_eventset_armed(set) || (*handle != PAPI_NULL && set->handle != *handle)) {
		papi_handle_leave(slot);
		return NOBODY;
	}
	*handle = set->handle;
	if (set->running)
		*interval = set->sampling->interval;
	if (!set->sampling->software)
		found = fetch(set, notices) ? ALL : SOME;
	else if (set->running)
		compare(set, notices, papi_linux_program_counter(context));
	if (found == ALL)
		atomic_store_explicit(&slot->leftover, false, memory_order_relaxed);
	papi_handle_leave(slot);
	return found;
}

/* The program gets on for at least as long as its functions have taken. */
static void pause_for(struct papi_slot *slot, long long taken, long least)
{
	papi_overflow_timer_again(slot, taken > least ? (long)taken : least);
}

/* What timers have left of the calling thread. */
static _Thread_local struct {
	unsigned doublings; /* of the time until a timer's next look */
	long waits;         /* how often it had waited for something, */
	long long ended;    /* and what processor time it had had, when the last of these looks ended */
} crowded __attribute__((tls_model("initial-exec")));

/* Whether the thread has run for a while, or waited, since the last look by a timer. */
static bool has_got_on(long long begin)
{
	struct rusage usage;
	bool waited;

	if (begin - crowded.ended >= PAPI_OVERFLOW_WHILE_NS)
		return true;
	if (getrusage(RUSAGE_THREAD, &usage))
		return true;
	waited = usage.ru_nvcsw != crowded.waits;
	crowded.waits = usage.ru_nvcsw;
	return waited;
}

/*
 * Signals cost what they cost. Where one takes longer than the wait for the next, as on a slow or busy machine, or of
 * many sets, the thread would not get on, nor the call that is inside, if that is what the signal has interrupted: so
 * waits double as long as there is no progress, up to half a second.
 */
static void look_again(struct papi_slot *slot, long ns, bool progress)
{
	if (!progress)
		crowded.doublings += crowded.doublings < MOST_DOUBLINGS;
	else if (crowded.doublings)
		crowded.doublings--;
	if (ns < LONGEST_WAIT_NS >> crowded.doublings)
		ns <<= crowded.doublings;
	else if (ns < LONGEST_WAIT_NS)
		ns = LONGEST_WAIT_NS;
	papi_overflow_timer_again(slot, ns);
	crowded.ended = papi_clock_virtual_ns();
}

static bool look(struct papi_slot *slot, int handle, void *context)
{
	struct notices notices;
	long interval;
	enum found found = find(slot, &handle, &notices, &interval, context);
	long long begin = found == SOME || interval ? papi_clock_virtual_ns() : 0, taken = 0;

	while (deliver(slot, handle, &notices, context) && found == SOME && taken < PAPI_OVERFLOW_SLICE_NS) {
		found = find(slot, &handle, &notices, &interval, context);
		taken = papi_clock_virtual_ns() - begin;
	}
	if (found == OCCUPIED) {
		look_again(slot, PAPI_OVERFLOW_SOON_NS, false);
	} else if (found == SOME || interval) {
		long least = found == SOME ? PAPI_OVERFLOW_LATER_NS : interval;

		/* The program gets on for at least as long as its functions have taken. */
		taken = papi_clock_virtual_ns() - begin;
		look_again(slot, taken > least ? (long)taken : least, has_got_on(begin));
	}
	return found != OCCUPIED;
}

bool papi_overflow_look(struct papi_slot *slot, void *context)
{
	return look(slot, PAPI_NULL, context);
}

bool papi_overflow_pending(int cookie, void *context)
{
	return look(papi_handle_slot(cookie), cookie, context);
}

void papi_overflow_later(int cookie, long ns)
{
	pause_for(papi_handle_slot(cookie), ns, PAPI_OVERFLOW_LATER_NS);
}

static bool some_wait(const struct papi_eventset *set)
{
	for (unsigned i = 0; i < set->n_parts; i++) {
		const struct papi_part *part = &set->parts[i];

		if (part->component->overflow && part->component->overflow->fetch(part->control, NULL, 0))
			return true;
	}
	return false;
}

/* All that is left is lost. */
static void drain(struct papi_eventset *set)
{
	struct notices notices;
	bool all;

	do {
		notices.n = 0;
		all = fetch(set, &notices);
		for (unsigned i = 0; i < notices.n; i++) {
			for (unsigned j = 0; j < set->sampling->n; j++) {
				struct papi_sampler *sampler = &set->sampling->samplers[j];

				if (sampler->profil || !(notices.all[i].vector >> sampler->event & 1))
					continue;
				sampler->delivered--;
				sampler->lost++;
			}
		}
	} while (!all);
}

/* In software: thresholds that were passed after the last look. */
static void count_unseen(struct papi_eventset *set)
{
	for (unsigned i = 0; i < set->sampling->n; i++) {
		struct papi_sampler *sampler = &set->sampling->samplers[i];
		long long times;

		advance(sampler, papi_count_value(set, sampler->event));
		times = sampler->progress / sampler->threshold;
		if (times > 0)
			sampler->lost += times;
	}
}

int papi_overflow_stopped(struct papi_slot *slot)
{
	struct papi_eventset *set = slot->set;
	uint32_t self = papi_thread_number();
	bool in_handler = atomic_compare_exchange_strong(&slot->dispatcher, &self, 0);

	if (set->sampling->software)
		count_unseen(set);
	else if (in_handler || !some_wait(set))
		drain(set);
	else if (set->sampling->timer.thread == papi_thread_number())
		atomic_store(&slot->leftover, true);
	else
		papi_overflow_timer_again(slot, PAPI_OVERFLOW_SOON_NS);
	return PAPI_OK;
}

/*
 * By a signal to this thread: so handlers have a context as ever. Where the program has blocked it, or this is a
 * handler already, they are called when that is over. Another thread may have come in meanwhile: it is waited for, as
 * long as calls take. A call that takes longer may be waiting for this thread, which then leaves it to the timer.
 */
int papi_overflow_left(struct papi_slot *slot)
{
	siginfo_t info;

	memset(&info, 0, sizeof(info));
	info.si_code = SI_QUEUE;
	info.si_value.sival_ptr = slot;
	for (unsigned i = 0; i < MOST_TRIES && atomic_load(&slot->leftover); i++) {
		if (!papi_handle_wait(slot))
			break;
		syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), papi_overflow_signal(), &info);
		if (papi_overflow_signal_waits())
			break;
	}
	if (atomic_exchange(&slot->leftover, false))
		papi_overflow_timer_again(slot, PAPI_OVERFLOW_SOON_NS);
	return PAPI_OK;
}
