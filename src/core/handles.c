/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/handles.h"

#include <pthread.h>
#include <sched.h>
#include <stddef.h>

#include "core/error.h"
#include "core/library.h"

/* Bits of a handle that hold the generation: a handle is a non-negative int. */
#define GENERATIONS (1u << (31 - PAPI_HANDLE_INDEX_BITS))

/*
 * A slot that becomes free goes to the end of a queue, and new slots are preferred while there are few of them: so it
 * takes long until a generation comes round again.
 */
#define PREFERRED 1024

struct papi_slot papi_handle_slots[1 << PAPI_HANDLE_INDEX_BITS];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_uint n_used; /* slots 0 .. n_used-1 have been handed out at least once */
static _Atomic uint32_t forking; /* papi_thread_number() of the thread that is about to fork */
static struct papi_slot *free_first, **free_end = &free_first;

int papi_handle_missing(int handle)
{
	if (!papi_library_ready())
		return papi_library_missing();
	if (handle == PAPI_NULL)
		return papi_error(PAPI_ENOEVST, "the EventSet handle is PAPI_NULL: call PAPI_create_eventset first");
	return papi_error(PAPI_ENOEVST, "no EventSet has the handle %d; it was never created, or it has been destroyed",
			  handle);
}

/*
 * A thread that forks is inside all sets it could get, and waits for the next. Is that one held by a call that a signal
 * handler has interrupted, the handler must not wait for a set that the forking thread has: nobody would go on.
 */
static bool would_wait_for_self(uint32_t self)
{
	uint32_t forker = atomic_load_explicit(&forking, memory_order_acquire);

	/* The forker has the lock: no set comes or goes. */
	for (unsigned i = 0; forker && forker != self && i < n_used; i++)
		if (atomic_load_explicit(&papi_handle_slots[i].inside, memory_order_relaxed) == self)
			return true;
	return false;
}

int papi_handle_enter_slowly(struct papi_slot *slot)
{
	uint32_t self = papi_thread_number(), inside;

	for (;;) {
		inside = 0;
		if (atomic_compare_exchange_weak_explicit(&slot->inside, &inside, self, memory_order_acquire,
							  memory_order_relaxed)) {
			slot->counting = slot->kept = 0;
			return PAPI_OK;
		}
		if (inside == self)
			return papi_error_in_handler(PAPI_ECNFLCT, "a signal handler used the EventSet that the call it interrupted "
							"is working on");
		if (would_wait_for_self(self))
			return papi_error_in_handler(PAPI_ECNFLCT, "another thread is forking and waits for the call that this signal "
							"handler has interrupted");
		sched_yield();
	}
}

int papi_handle_create(struct papi_eventset *set, int *handle)
{
	struct papi_slot *slot;

	pthread_mutex_lock(&lock);
	if (free_first && (n_used >= PREFERRED || n_used == 1u << PAPI_HANDLE_INDEX_BITS)) {
		slot = free_first;
		free_first = slot->next_free;
		if (!free_first)
			free_end = &free_first;
	} else if (n_used < 1u << PAPI_HANDLE_INDEX_BITS) {
		slot = &papi_handle_slots[n_used++];
	} else {
		pthread_mutex_unlock(&lock);
		return papi_error(PAPI_ECOUNT, "there are %u EventSets already; destroy some",
				  1u << PAPI_HANDLE_INDEX_BITS);
	}
	pthread_mutex_unlock(&lock);
	/* Somebody with a stale handle may be looking into the slot this moment. */
	papi_handle_enter_slowly(slot);
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
	pthread_mutex_lock(&lock);
	*free_end = slot;
	free_end = &slot->next_free;
	pthread_mutex_unlock(&lock);
}

void papi_handle_each(void (*function)(struct papi_slot *slot))
{
	unsigned n;

	pthread_mutex_lock(&lock);
	n = n_used;
	pthread_mutex_unlock(&lock);
	for (unsigned i = 0; i < n; i++) {
		struct papi_slot *slot = &papi_handle_slots[i];

		if (papi_handle_enter_slowly(slot) != PAPI_OK)
			continue;
		if (slot->set)
			function(slot);
		else
			papi_handle_leave(slot);
	}
}

void papi_handle_fork_prepare(void)
{
	pthread_mutex_lock(&lock);
	atomic_store_explicit(&forking, papi_thread_number(), memory_order_release);
	for (unsigned i = 0; i < n_used; i++) {
		struct papi_slot *slot = &papi_handle_slots[i];

		/* A signal handler that forks may have interrupted a call on the set: that call stays inside. */
		slot->forking = papi_handle_enter_slowly(slot) == PAPI_OK;
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
	atomic_store_explicit(&forking, 0, memory_order_release);
	pthread_mutex_unlock(&lock);
}

void papi_handle_fork_child(void)
{
	for (unsigned i = 0; i < n_used; i++) {
		struct papi_slot *slot = &papi_handle_slots[i];

		/* A set that the interrupted call of a forking signal handler is inside of is let go by its next start. */
		if (slot->set && slot->forking)
			papi_eventset_forked(slot->set);
		else if (slot->set)
			papi_eventset_orphaned(slot->set);
		/* Timers are not copied. */
		atomic_store_explicit(&slot->timer, 0, memory_order_relaxed);
		leave_after_fork(slot);
	}
	atomic_store_explicit(&forking, 0, memory_order_release);
	pthread_mutex_unlock(&lock);
}
