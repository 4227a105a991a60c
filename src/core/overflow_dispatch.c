/* SPDX-License-Identifier: BSD-3-Clause */
/* What happens in the signal handler: from an overflow to the program's functions and histograms. */
#include <stdatomic.h>
#include <sched.h>

#include "core/handles.h"
#include "core/overflow.h"
#include "core/thread.h"
#include "linux/program_counter.h"

/* Calls of handlers that are fetched in one go: as many as one overflow of all events with handlers of their own. */
#define NOTICES 64
/* And how often in a row, before the program goes on. */
#define MOST_BATCHES 16

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
		unsigned position = sampler->slot - part->first;

		if (sampler->slot < part->first || position >= part->count || position > 63 ||
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

		while (part->component->overflows) {
			if (notices->n + set->sampling->n > NOTICES)
				return false;
			if (!part->component->overflows(part->control, &overflow, 1))
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
	if (!set->running || papi_count_refresh(set) != PAPI_OK)
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

void papi_overflow_rebase(struct papi_eventset *set)
{
	for (unsigned i = 0; i < set->sampling->n; i++) {
		struct papi_sampler *sampler = &set->sampling->samplers[i];

		if (set->sampling->software)
			advance(sampler, papi_count_value(set, sampler->event));
		sampler->seen = 0;
	}
}

/* What had been fetched when a handler stopped the set, and is not told any more. */
static void discard(struct papi_slot *slot, int handle, const struct notice *notice, unsigned n)
{
	unsigned tries = 0;

	/* Whoever is inside now is so for a short time, unless it waits for the call that this handler has interrupted. */
	while (!papi_handle_try(slot)) {
		if (++tries == 1000)
			return;
		sched_yield();
	}
	for (; slot->set && slot->set->handle == handle && slot->set->armed && n; n--, notice++) {
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

static bool look(struct papi_slot *slot, int handle, void *context)
{
	struct papi_eventset *set;
	struct notices notices;
	unsigned batches = 0;
	bool all = true;

	do {
		notices.n = notices.first = 0;
		if (!papi_handle_try(slot)) {
			papi_overflow_timer_again(slot, PAPI_OVERFLOW_SOON_NS);
			return false;
		}
		set = slot->set;
		if (!set || !set->armed || (handle != PAPI_NULL && set->handle != handle)) {
			papi_handle_leave(slot);
			return true;
		}
		handle = set->handle;
		if (set->sampling->software)
			compare(set, &notices, papi_linux_program_counter(context));
		else
			all = fetch(set, &notices);
		papi_handle_leave(slot);
	} while (deliver(slot, handle, &notices, context) && !all && ++batches < MOST_BATCHES);
	/* They come faster than they are dealt with: the program must get on, too. */
	if (batches == MOST_BATCHES)
		papi_overflow_timer_again(slot, PAPI_OVERFLOW_LATER_NS);
	return true;
}

bool papi_overflow_look(struct papi_slot *slot, void *context)
{
	return look(slot, PAPI_NULL, context);
}

bool papi_overflow_pending(int cookie, void *context)
{
	return look(papi_handle_slot(cookie), cookie, context);
}

void papi_overflow_later(int cookie)
{
	papi_overflow_timer_again(papi_handle_slot(cookie), PAPI_OVERFLOW_LATER_NS);
}

static bool some_wait(const struct papi_eventset *set)
{
	for (unsigned i = 0; i < set->n_parts; i++)
		if (set->parts[i].component->overflows &&
			set->parts[i].component->overflows(set->parts[i].control, NULL, 0))
			return true;
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

void papi_overflow_stopped(struct papi_eventset *set)
{
	struct papi_slot *slot = papi_handle_slot(set->handle);
	uint32_t self = papi_thread_number();

	if (set->sampling->software) {
		atomic_compare_exchange_strong(&slot->dispatcher, &self, 0);
		return;
	}
	if (atomic_compare_exchange_strong(&slot->dispatcher, &self, 0) || !some_wait(set))
		drain(set);
	else if (set->sampling->thread == papi_thread_number())
		atomic_store(&slot->leftover, true);
}
