/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who waits for what a created counter counts: overflow in hardware, as it were, for here the counter itself tells.
 *
 * papi_sde_inc_counter() looks at the list of a counter without a lock, as readers of its value do: it counts itself
 * into entry->readers, and who takes a watch out of the list waits until none is left. Those to be told are told
 * afterwards, since their handlers may do anything, also end the watch; of a watch that has gone the cookie is stale,
 * and stale cookies are known as such.
 */
#include <limits.h>
#include <sched.h>

#include "sde/registry.h"

/* Told in one go; who stands behind these in the list is told in the next. */
#define AT_ONCE 16

struct told {
	void (*tell)(int cookie);
	int cookie;
};

/* Whether the watch was due; then it waits for the next threshold that the count has not passed. */
static bool take(struct papi_sde_watch *watch, long long count, void *address)
{
	long long due = atomic_load(&watch->due), next;
	unsigned long long times;

	do {
		if (due == LLONG_MAX || count < due)
			return false;
		times = ((unsigned long long)count - (unsigned long long)due) / (unsigned long long)watch->threshold +
			1;
		next = (long long)((unsigned long long)due + times * (unsigned long long)watch->threshold);
		if (next < due)
			next = LLONG_MAX;
	} while (!atomic_compare_exchange_weak(&watch->due, &due, next));
	atomic_store(&watch->address, address);
	atomic_fetch_add(&watch->passed, times);
	return true;
}

void papi_sde_watch_look(struct papi_sde_entry *entry, long long count, void *address)
{
	struct told told[AT_ONCE];
	unsigned n;

	do {
		n = 0;
		atomic_fetch_add(&entry->readers, 1);
		for (struct papi_sde_watch *watch = atomic_load(&entry->watches); watch && n < AT_ONCE;
			watch = watch->next)
			if (take(watch, count, address))
				told[n++] = (struct told){ watch->tell, watch->cookie };
		papi_sde_reader_leave(entry);
		for (unsigned i = 0; i < n; i++)
			told[i].tell(told[i].cookie);
	} while (n == AT_ONCE);
}

static bool is_created(const struct papi_sde_entry *entry)
{
	return atomic_load(&entry->live) && entry->source == PAPI_SDE_CREATED;
}

bool papi_sde_watch_add(struct papi_sde_entry *entry, struct papi_sde_watch *watch)
{
	bool possible;

	papi_sde_lock();
	possible = is_created(entry);
	if (possible) {
		atomic_store(&watch->due, LLONG_MAX);
		watch->next = atomic_load(&entry->watches);
		atomic_store(&entry->watches, watch);
	}
	papi_sde_unlock();
	return possible;
}

bool papi_sde_watch_expect(struct papi_sde_entry *entry, struct papi_sde_watch *watch, bool on)
{
	long long due;

	if (!on) {
		atomic_store(&watch->due, LLONG_MAX);
		return true;
	}
	if (!is_created(entry))
		return false;
	atomic_store(&watch->passed, 0);
	if (__builtin_add_overflow(atomic_load(&entry->count), watch->threshold, &due))
		due = LLONG_MAX;
	atomic_store(&watch->due, due);
	return true;
}

void papi_sde_watch_remove(struct papi_sde_entry *entry, struct papi_sde_watch *watch)
{
	struct papi_sde_watch *other;

	papi_sde_lock();
	other = atomic_load(&entry->watches);
	if (other == watch) {
		atomic_store(&entry->watches, watch->next);
	} else {
		while (other && other->next != watch)
			other = other->next;
		if (other)
			atomic_store(&other->next, watch->next);
	}
	papi_sde_unlock();
	while (atomic_load(&entry->readers))
		sched_yield();
}
