/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The handle table: from the int that a program holds to its EventSet.
 *
 * A handle is generation << 16 | index. The index names a slot of a static array; the generation tells a set from those
 * that had the slot before it, so that a stale handle is an error and not somebody else's set. The array is in .bss and
 * as large as there are indexes: it never moves, looking a handle up takes no lock and no pointer, and the pages of
 * slots that no set has used yet are never touched. Generations outlive PAPI_shutdown(), so handles from before it stay
 * stale.
 *
 * One thread at a time is inside a set. papi_handle_enter() claims the slot with one compare-and-swap on a cache line
 * that only the users of this set touch, papi_handle_leave() is one store; no thread ever waits unless two really use
 * the same set at once, and then for the time of one call. A signal handler that interrupts a call on the set and uses
 * that set would wait for itself: it gets PAPI_ECNFLCT instead. So does one that has interrupted a call on another set,
 * or the holder of a mutex (base/lock.h), when another thread is inside: that one may be waiting for what was
 * interrupted, be it in a handler of its own. And should one call not end for seconds, nobody waits for it any longer.
 *
 * Creating and destroying take a mutex.
 */
#ifndef PAPI_CORE_HANDLES_H
#define PAPI_CORE_HANDLES_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/claim.h"
#include "core/eventset.h"
#include "core/thread.h"
#include "core/way.h"

#define PAPI_HANDLE_INDEX_BITS 16

struct papi_slot {
	_Alignas(64) _Atomic uint32_t inside; /* papi_thread_number() of who is inside, 0: nobody */
	uint32_t generation;
	struct papi_eventset *set; /* NULL: free */
	struct papi_slot *next_free;
	bool forking;          /* entered for the time of a fork */
	_Atomic bool turn_due; /* core/multiplex.h: the timer went off while somebody was inside */
	/* core/overflow.h, for signal handlers, to whom a slot is always there when its set may be gone: */
	_Atomic uint32_t dispatcher; /* papi_thread_number() of who is calling the program's handlers; 0: nobody */
	_Atomic int timer;           /* the kernel's number of the timer that asks again, and 1; 0: none */
	_Atomic bool leftover;       /* overflows of the last run are yet to be delivered */
	struct papi_open_way open;   /* core/way.h */
};

_Static_assert(sizeof(struct papi_slot) == 64, "a slot is a cache line");

/* The ways of core/way.h that are open: from the slot, since compilers then address its members without a detour. */
static inline void papi_way_close(struct papi_slot *slot)
{
	slot->open.counting = slot->open.stopped = 0;
}

/* The way to go with a set that counts, and with one that is stopped. */
static inline enum papi_way papi_way_counting(const struct papi_slot *slot, uint64_t key)
{
	if (slot->open.counting != key)
		return PAPI_WAY_FULL;
	return slot->open.direct ? PAPI_WAY_DIRECT : PAPI_WAY_SHORT;
}

static inline enum papi_way papi_way_stopped(const struct papi_slot *slot, uint64_t key)
{
	if (slot->open.stopped != key)
		return PAPI_WAY_FULL;
	return slot->open.direct ? PAPI_WAY_DIRECT : PAPI_WAY_SHORT;
}

/* The set has been started, or stopped, on a way that is open. */
static inline void papi_way_starts(struct papi_slot *slot, uint64_t key)
{
	slot->open.counting = key;
	slot->open.stopped = 0;
}

static inline void papi_way_stops(struct papi_slot *slot, uint64_t key)
{
	slot->open.counting = 0;
	slot->open.stopped = key;
}

extern struct papi_slot papi_handle_slots[1 << PAPI_HANDLE_INDEX_BITS] __attribute__((visibility("hidden")));

int papi_handle_enter_contended(struct papi_slot *slot);
/* For a thread that may be inside another set, and knows that it is no signal handler; or whatever it takes: then
 * nobody may be waiting for a set that it is inside of. False: the caller is inside already, or it takes too long. */
bool papi_handle_enter_another(struct papi_slot *slot, bool whatever_it_takes);
/* Until nobody is inside, for a thread that is not. False: somebody still is, and may be waiting for what the caller
 * has interrupted; or it takes too long. */
bool papi_handle_wait(const struct papi_slot *slot);
int papi_handle_missing(int handle);

/* Where a set with that handle is, if there is one. */
static inline struct papi_slot *papi_handle_slot(int handle)
{
	struct papi_slot *slot = &papi_handle_slots[(unsigned)handle & ((1u << PAPI_HANDLE_INDEX_BITS) - 1)];

	/* Found once: compilers would find it again from the handle rather than keep it. */
	__asm__("" : "+r"(slot));
	return slot;
}

static inline void papi_handle_leave(struct papi_slot *slot)
{
	papi_claim_end(&slot->inside);
}

/* PAPI_OK and inside the set; or PAPI_ENOEVST, PAPI_ENOINIT, PAPI_ECNFLCT. */
static inline int papi_handle_enter(int handle, struct papi_slot **where)
{
	struct papi_slot *slot = papi_handle_slot(handle);
	uint32_t holder;

	*where = slot;
	if (__builtin_expect(!papi_claim_or_holder(&slot->inside, papi_thread_number(), &holder), 0)) {
		int status = papi_handle_enter_contended(slot);

		if (status != PAPI_OK)
			return status;
	}
	if (__builtin_expect(!slot->set || slot->generation != (uint32_t)handle >> PAPI_HANDLE_INDEX_BITS, 0)) {
		papi_handle_leave(slot);
		return papi_handle_missing(handle);
	}
	/* A caller that comes this way may change the set. */
	papi_way_close(slot);
	return PAPI_OK;
}

/* The beginning of a call that may go another way than the full one, for a thread that has a number: one attempt,
 * which may fail for no reason. */
static inline bool papi_handle_claim(struct papi_slot *slot, uint32_t self)
{
	return self && papi_claim(&slot->inside, self);
}

/* For one that is inside by papi_handle_claim(): the rest of papi_handle_enter(). Outside after a failure. */
static inline int papi_handle_check(int handle, struct papi_slot *slot)
{
	if (__builtin_expect(slot->set && slot->generation == (uint32_t)handle >> PAPI_HANDLE_INDEX_BITS, 1))
		return PAPI_OK;
	papi_handle_leave(slot);
	return papi_handle_missing(handle);
}

/* The same for signal handlers: does not wait. False, and not inside, when somebody is; the set may not be there. */
static inline bool papi_handle_try(struct papi_slot *slot)
{
	uint32_t holder;

	return papi_claim_or_holder(&slot->inside, papi_thread_number(), &holder);
}

/* Gives a set a handle. PAPI_ENOMEM, PAPI_ECOUNT when all handles are in use. */
int papi_handle_create(struct papi_eventset *set, int *handle);

/* Takes the set out of a slot that the caller is inside of, and leaves. */
void papi_handle_destroy(struct papi_slot *slot);

/* Calls function for every set, being inside it; sets that the caller is already inside of are passed over, and those
 * that papi_handle_enter_another() does not get into. */
void papi_handle_each(void (*function)(struct papi_slot *slot), bool whatever_it_takes);

/* fork(2): nobody is inside any set and none is made or destroyed while the process is copied. */
void papi_handle_fork_prepare(void);
void papi_handle_fork_parent(void);
void papi_handle_fork_child(void);

#endif
