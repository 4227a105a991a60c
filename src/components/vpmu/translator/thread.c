/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/translator/thread.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>

#include "base/error.h"
#include "components/vpmu/translator/actions.h"
#include "components/vpmu/translator/cache.h"
#include "components/vpmu/translator/calls.h"
#include "components/vpmu/translator/clone.h"
#include "components/vpmu/translator/jumps.h"
#include "components/vpmu/translator/overflow.h"
#include "components/vpmu/translator/processor.h"
#include "components/vpmu/translator/profile.h"
#include "components/vpmu/translator/profile_models.h"
#include "components/vpmu/translator/syscalls.h"
#include "components/vpmu/translator/trace.h"

_Thread_local struct papi_vpmu_thread *papi_vpmu_self;

/*
 * Under the lock of the cache, under which nothing may take longer where there are more threads. Blocks stay for ever;
 * so they can be found by their address, too.
 */
#define HASHES 1024

static struct papi_vpmu_thread *threads, *by_address[HASHES];

/* Nobody tells when a thread ends. With each new one so many of the old are asked, in turn: there are never more than
 * twice as many blocks as there were threads at a time. */
#define ASKED 2

static struct papi_vpmu_thread *next_asked;

static void set_up(struct papi_vpmu_thread *thread)
{
	thread->self = thread;
	thread->dispatch = papi_vpmu_dispatch;
	thread->check = papi_vpmu_check;
	thread->gate_enter = papi_vpmu_gate_enter;
	thread->jump_miss = papi_vpmu_jump_miss;
	thread->stack = (uint64_t)(uintptr_t)(thread->runtime_stack + sizeof(thread->runtime_stack));
	papi_vpmu_syscalls_begin(thread);
	papi_vpmu_thread_borrow(thread);
}

static struct papi_vpmu_thread **hashed(uint64_t address)
{
	return &by_address[address / _Alignof(struct papi_vpmu_thread) % HASHES];
}

static void put_into_lists(struct papi_vpmu_thread *thread)
{
	struct papi_vpmu_thread **same = hashed((uint64_t)(uintptr_t)thread);

	thread->next = threads;
	threads = thread;
	thread->same_hash = *same;
	*same = thread;
}

bool papi_vpmu_threads_hold(uint64_t address)
{
	const struct papi_vpmu_thread *thread;

	papi_vpmu_cache_lock();
	for (thread = *hashed(address); thread && (uint64_t)(uintptr_t)thread != address; thread = thread->same_hash)
		continue;
	papi_vpmu_cache_unlock();
	return thread;
}

static uint64_t size_of_thread(void)
{
	uint64_t room = papi_vpmu_profile_room();

	return room ? room : sizeof(struct papi_vpmu_thread);
}

/* Aligned more than pages are: a larger piece is mapped, and what is too much given back. */
static struct papi_vpmu_thread *map_thread(void)
{
	const uint64_t size = size_of_thread(), alignment = _Alignof(struct papi_vpmu_thread);
	uint64_t start = (uint64_t)papi_vpmu_raw(SYS_mmap, 0, (long)(size + alignment), PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	uint64_t aligned = (start + alignment - 1) & ~(alignment - 1);

	if (start > (uint64_t)-4096)
		return NULL;
	if (aligned > start)
		papi_vpmu_raw(SYS_munmap, (long)start, (long)(aligned - start), 0, 0, 0, 0);
	if (start + alignment > aligned)
		papi_vpmu_raw(SYS_munmap, (long)(aligned + size), (long)(start + alignment - aligned), 0, 0, 0, 0);
	return (struct papi_vpmu_thread *)(uintptr_t)aligned;
}

/* Those of threads that counted before there was a profile have none. */
static bool has_enough_room(const struct papi_vpmu_thread *thread)
{
	return thread->has_room || !papi_vpmu_profile_is_on();
}

/* Of that process no thread has the number any more. */
static bool is_gone(const struct papi_vpmu_thread *thread)
{
	long process = papi_vpmu_raw(SYS_getpid, 0, 0, 0, 0, 0, 0);

	return thread->signals.tid ? papi_vpmu_raw(SYS_tgkill, process, thread->signals.tid, 0, 0, 0, 0) == -ESRCH
				   : thread->ended;
}

static struct papi_vpmu_thread *find_gone(void)
{
	for (unsigned i = 0; i < ASKED; i++) {
		struct papi_vpmu_thread *thread = next_asked ? next_asked : threads;

		if (!thread)
			return NULL;
		next_asked = thread->next;
		if (is_gone(thread) && has_enough_room(thread))
			return thread;
	}
	return NULL;
}

/* All but its place in the lists, and the jumps, which are emptied otherwise. */
static void clean(struct papi_vpmu_thread *thread)
{
	struct papi_vpmu_thread *next = thread->next, *same_hash = thread->same_hash;
	bool jumps_are_mapped = thread->jumps_are_mapped, has_room = thread->has_room;
	uint32_t lane = thread->lane, lane_entry = thread->lane_entry;
	void *page = thread->page;

	papi_vpmu_trace_end(thread);
	papi_vpmu_calls_end(thread);
	papi_vpmu_overflow_forget(thread, NULL);
	papi_vpmu_clone_forget(thread);
	papi_vpmu_thread_hand_in(thread);
	if (thread->flavour)
		thread->flavour->users--;
	if (thread->stepping)
		thread->stepping->users--;
	if (thread->watched)
		papi_vpmu_actions_leave();
	for (uint64_t *word = (uint64_t *)thread; word < (uint64_t *)thread->jumps; word++)
		*word = 0;
	thread->next = next;
	thread->same_hash = same_hash;
	thread->jumps_are_mapped = jumps_are_mapped;
	thread->has_room = has_room;
	thread->lane = lane;
	thread->lane_entry = lane_entry;
	thread->page = page;
}

struct papi_vpmu_thread *papi_vpmu_thread_new(void)
{
	struct papi_vpmu_thread *thread;

	papi_vpmu_cache_lock();
	thread = find_gone();
	if (thread) {
		clean(thread);
		papi_vpmu_jumps_forget(thread);
	} else {
		thread = map_thread();
		if (thread) {
			thread->has_room = papi_vpmu_profile_is_on();
			papi_vpmu_jumps_map(thread);
			put_into_lists(thread);
		}
	}
	if (thread)
		set_up(thread);
	papi_vpmu_cache_unlock();
	return thread;
}

/* The block itself is kept: its thread is still on its stack, and threads that it made may still name it. */
void papi_vpmu_thread_end(struct papi_vpmu_thread *thread)
{
	if (!thread)
		return;
	papi_vpmu_cache_lock();
	papi_vpmu_clone_forget(thread);
	papi_vpmu_thread_hand_in(thread);
	thread->active = false;
	thread->ended = true;
	papi_vpmu_cache_unlock();
	if (thread->watched)
		papi_vpmu_actions_leave();
	thread->watched = 0;
}

struct papi_vpmu_thread *papi_vpmu_thread_again(struct papi_vpmu_thread *thread)
{
	if (has_enough_room(thread)) {
		papi_vpmu_thread_borrow(thread);
		return thread;
	}
	papi_vpmu_thread_end(thread);
	thread->signals.tid = 0; /* nobody has it any more */
	return papi_vpmu_thread_new();
}

struct papi_vpmu_thread *papi_vpmu_threads_first(void)
{
	return threads;
}

struct papi_vpmu_thread *papi_vpmu_thread_get(void)
{
	struct papi_vpmu_thread *thread = papi_vpmu_self;

	if (thread) /* the program may have taken the register since the last region */
		return papi_vpmu_processor_bind(thread) ? thread : NULL;
	thread = papi_vpmu_thread_new();
	if (!thread) {
		papi_error(PAPI_ENOMEM, "no memory for a thread of the virtual PMU");
		return NULL;
	}
	if (!papi_vpmu_processor_bind(thread)) {
		papi_vpmu_thread_end(thread);
		return NULL;
	}
	papi_vpmu_thread_identify(thread);
	papi_vpmu_self = thread;
	return thread;
}

bool papi_vpmu_threads_are_in(uint64_t epoch)
{
	for (const struct papi_vpmu_thread *thread = threads; thread; thread = thread->next)
		if (thread->active && thread->epoch == epoch)
			return true;
	return false;
}

struct papi_vpmu_thread *papi_vpmu_thread_find(uint32_t number)
{
	struct papi_vpmu_thread *thread = threads;

	while (thread && thread->number != number)
		thread = thread->next;
	return thread;
}

void papi_vpmu_threads_forked(void)
{
	struct papi_vpmu_thread *self = papi_vpmu_self;

	while (threads) {
		struct papi_vpmu_thread *next = threads->next;

		if (threads != self)
			munmap(threads, threads->has_room ? size_of_thread() : sizeof(*threads));
		threads = next;
	}
	threads = next_asked = NULL;
	for (unsigned i = 0; i < HASHES; i++)
		by_address[i] = NULL;
	if (self) {
		put_into_lists(self);
		self->active = false;
		self->in_runtime = 0;
		self->flavour = self->library = self->stepping = NULL;
		papi_vpmu_jumps_forget(self); /* the cache that they lead into is the parent's */
		self->n_wants = 0;
		self->profiled = false;
		papi_vpmu_calls_forked(self);
		papi_vpmu_profile_models_end(self);
		self->lane = 0;
		papi_vpmu_overflow_forget(self, NULL);
		papi_vpmu_thread_forget_parent(self);
	}
}
