/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/handles.h"

#include <pthread.h>
#include <sched.h>
#include <stddef.h>

#include "base/error.h"
#include "base/lock.h"
#include "core/library.h"
#include "linux/time/clock.h"

/* Bits of a handle that hold the generation: a handle is a non-negative int. */
#define GENERATIONS (1u << (31 - PAPI_HANDLE_INDEX_BITS))

/*
 * A slot that becomes free goes to the end of a queue, and new slots are preferred while there are few of them: so it
 * takes long until a generation comes round again.
 */
#define PREFERRED 1024

/*
 * Calls end soon, unless what they wait for has been interrupted by a signal handler that waits for them: the allocator
 * of the program, for one. The thread that waits gives up then; nothing that works takes so long. Where one thread
 * comes after the other, their calls do end: the machine has much to do.
 */
#define LONGEST_WAIT_NS 2000000000

struct patience {
	uint32_t holder; /* seen last; 0: nobody yet */
	long long end;   /* of papi_clock_real_ns() */
};

struct papi_slot papi_handle_slots[1 << PAPI_HANDLE_INDEX_BITS];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_uint n_used; /* slots 0 .. n_used-1 have been handed out at least once */
static struct papi_slot *free_first, **free_end = &free_first;

int papi_handle_missing(int handle)
{
	if (!papi_library_ready())
		return papi_library_missing();
	if (handle == PAPI_NULL)
		return papi_error(PAPI_ENOEVST, "the EventSet handle is PAPI_NULL: call PAPI_create_eventset first");
	return papi_error(
		PAPI_ENOEVST, "no EventSet has the handle %d; it was never created, or it has been destroyed", handle);
}

/* Whether a call on some set is what has been interrupted. */
static bool is_inside_any(uint32_t self)
{
	unsigned n = atomic_load_explicit(&n_used, memory_order_relaxed);

	for (unsigned i = 0; i < n; i++)
		if (atomic_load_explicit(&papi_handle_slots[i].inside, memory_order_relaxed) == self)
			return true;
	return false;
}

/* Whether that thread, which is inside, may yet come out; then others have run meanwhile. */
static bool wait_for(struct patience *patience, uint32_t holder)
{
	long long now = papi_clock_real_ns();

	if (holder != patience->holder)
		*patience = (struct patience){ holder, now + LONGEST_WAIT_NS };
	if (now > patience->end)
		return false;
	sched_yield();
	return true;
}

/* Whether the set came free, and the caller is inside. */
static bool wait_to_enter(struct papi_slot *slot, uint32_t self, bool whatever_it_takes)
{
	struct patience patience = { 0 };
	uint32_t holder;

	while (!papi_claim_or_holder(&slot->inside, self, &holder))
		if (whatever_it_takes)
			sched_yield();
		else if (!wait_for(&patience, holder))
			return false;
	papi_way_close(slot);
	return true;
}

bool papi_handle_enter_another(struct papi_slot *slot, bool whatever_it_takes)
{
	uint32_t self = papi_thread_number();

	if (atomic_load_explicit(&slot->inside, memory_order_relaxed) == self)
		return false;
	return wait_to_enter(slot, self, whatever_it_takes);
}

/* The thread that is inside a set may be waiting for a call that the caller has interrupted. */
static bool may_be_waited_for(uint32_t self)
{
	return papi_locks_held || is_inside_any(self);
}

bool papi_handle_wait(const struct papi_slot *slot)
{
	struct patience patience = { 0 };
	uint32_t holder = atomic_load_explicit(&slot->inside, memory_order_acquire);

	if (holder && may_be_waited_for(papi_thread_number()))
		return false;
	for (; holder; holder = atomic_load_explicit(&slot->inside, memory_order_acquire))
		if (!wait_for(&patience, holder))
			return false;
	return true;
}

int papi_handle_enter_contended(struct papi_slot *slot)
{
	uint32_t self = papi_thread_number(), holder;

	if (papi_claim_or_holder(&slot->inside, self, &holder)) {
		papi_way_close(slot);
		return PAPI_OK;
	}
	if (holder == self)
		return papi_error_in_handler(PAPI_ECNFLCT,
			"a signal handler used the EventSet that the call it interrupted "
			"is working on");
	if (may_be_waited_for(self))
		return papi_error_in_handler(PAPI_ECNFLCT,
			"a signal handler used an EventSet that another thread is working "
			"on, and that thread may be waiting for the call that the handler has "
			"interrupted");
	if (!wait_to_enter(slot, self, false))
		return papi_error_in_handler(PAPI_ECNFLCT,
			"another thread does not come to an end with its call on the "
			"EventSet: perhaps it waits for what a signal handler has interrupted here");
	return PAPI_OK;
}

int papi_handle_create(struct papi_eventset *set, int *handle)
{
	struct papi_slot *slot;

	papi_lock(&lock);
	if (free_first && (n_used >= PREFERRED || n_used == 1u << PAPI_HANDLE_INDEX_BITS)) {
		slot = free_first;
		free_first = slot->next_free;
		if (!free_first)
			free_end = &free_first;
	} else if (n_used < 1u << PAPI_HANDLE_INDEX_BITS) {
		slot = &papi_handle_slots[n_used++];
	} else {
		papi_unlock(&lock);
		return papi_error(
			PAPI_ECOUNT, "there are %u EventSets already; destroy some", 1u << PAPI_HANDLE_INDEX_BITS);
	}
	papi_unlock(&lock);
	/* Somebody with a stale handle may be looking into the slot this moment. */
	papi_handle_enter_another(slot, true);
	slot->set = set;
	slot->next_free = NULL;
	*handle = (int)(slot->generation << PAPI_HANDLE_INDEX_BITS | (unsigned)(slot - papi_handle_slots));
	set->handle = *handle;
	papi_handle_leave(slot);
	return PAPI_OK;
}

void papi_handle_destroy(struct papi_slot *slot)
{
	slot->set = NULL;
	slot->generation = (slot->generation + 1) % GENERATIONS;
	papi_handle_leave(slot);
	papi_lock(&lock);
	*free_end = slot;
	free_end = &slot->next_free;
	papi_unlock(&lock);
}

void papi_handle_each(void (*function)(struct papi_slot *slot), bool whatever_it_takes)
{
	unsigned n;

	papi_lock(&lock);
	n = n_used;
	papi_unlock(&lock);
	for (unsigned i = 0; i < n; i++) {
		struct papi_slot *slot = &papi_handle_slots[i];

		if (!papi_handle_enter_another(slot, whatever_it_takes))
			continue;
		if (slot->set)
			function(slot);
		else
			papi_handle_leave(slot);
	}
}

void papi_handle_fork_prepare(void)
{
	papi_lock(&lock);
	for (unsigned i = 0; i < n_used; i++) {
		struct papi_slot *slot = &papi_handle_slots[i];

		/* A signal handler that forks may have interrupted a call on the set: that call stays inside. */
		slot->forking = papi_handle_enter_another(slot, true);
		if (slot->forking && slot->set)
			papi_eventset_forking(slot->set);
	}
}

static void leave_after_fork(struct papi_slot *slot)
{
	if (slot->forking) {
		slot->forking = false;
		papi_handle_leave(slot);
	}
}

void papi_handle_fork_parent(void)
{
	for (unsigned i = 0; i < n_used; i++)
		leave_after_fork(&papi_handle_slots[i]);
	papi_unlock(&lock);
}

void papi_handle_fork_child(void)
{
	for (unsigned i = 0; i < n_used; i++) {
		struct papi_slot *slot = &papi_handle_slots[i];

		/* A set that the interrupted call of a forking signal handler is inside of is let go by its next
		 * start. */
		if (slot->set && slot->forking)
			papi_eventset_forked(slot->set);
		else if (slot->set)
			papi_eventset_orphaned(slot->set);
		leave_after_fork(slot);
	}
	papi_unlock(&lock);
}
