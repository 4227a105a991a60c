/* SPDX-License-Identifier: BSD-3-Clause */
/* Starting and stopping. */
#include "components/vpmu/engine.h"

#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>

#include "base/error.h"
#include "components/vpmu/translator/actions.h"
#include "components/vpmu/translator/cache.h"
#include "components/vpmu/translator/calls.h"
#include "components/vpmu/translator/clone.h"
#include "components/vpmu/translator/engine.h"
#include "components/vpmu/translator/gates.h"
#include "components/vpmu/translator/library.h"
#include "components/vpmu/translator/maps.h"
#include "components/vpmu/translator/moved.h"
#include "components/vpmu/translator/overflow.h"
#include "components/vpmu/translator/processor.h"
#include "components/vpmu/translator/profile.h"
#include "components/vpmu/translator/profile_regions.h"
#include "components/vpmu/translator/signals.h"
#include "components/vpmu/translator/trace.h"
#include "components/vpmu/translator/tracer.h"
#include "components/vpmu/translator/wants.h"
#include "core/thread.h"

static _Atomic bool has_counted; /* some thread: from then on, actions of signals are the engine's to change */

static long of_process; /* whose engine this is, where an agent counts */

static long process_id(void)
{
	return papi_vpmu_raw(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

static bool can_read_maps(void)
{
	uint64_t end;

	papi_vpmu_cache_lock();
	end = papi_vpmu_maps_executable_until((uint64_t)(uintptr_t)can_read_maps);
	papi_vpmu_cache_unlock();
	return end != 0;
}

bool papi_vpmu_engine_probe(char *reason, size_t size)
{
	const char *obstacle = papi_vpmu_processor_obstacle();

	if (!obstacle && !papi_vpmu_library_begin())
		obstacle = "the library's own code cannot be told from the program's: libpapi.a was linked by a linker "
			   "that does not define __start_papi_text. Link with the shared library";
	if (!obstacle)
		papi_vpmu_processor_can_decode(&obstacle);
	if (!obstacle && !can_read_maps())
		obstacle = "/proc/self/maps, which tells what is code, cannot be read: mount /proc";
	if (obstacle)
		snprintf(reason, size, "%s", obstacle);
	return !obstacle;
}

unsigned papi_vpmu_engine_parts(void)
{
	return papi_vpmu_processor_parts;
}

/* Where the function returns to next, it returns to the stub: that goes on at the same place, translated. */
static void enter(struct papi_vpmu_thread *thread, uint64_t *place)
{
	papi_vpmu_gate_open(thread, place);
	thread->active = thread->in_library = true;
}

static void leave(struct papi_vpmu_thread *thread)
{
	uint64_t mask = papi_vpmu_signals_take_mask(thread);

	thread->active = false;
	papi_vpmu_gates_close(thread);
	papi_vpmu_signals_leave(thread);
	papi_vpmu_signals_unblock(mask);
}

/* What another thread has stopped counts no longer: it could not be done before, while this one was running. */
static void settle(struct papi_vpmu_thread *thread)
{
	unsigned abandoned = atomic_exchange(&thread->abandoned, 0);
	unsigned before = thread->n_wants;

	thread->n_wants -= abandoned < before ? abandoned : before;
	if (before && !thread->n_wants && thread->active)
		leave(thread);
}

/* A library was unloaded natively, when nobody saw the system calls, or a debugger has come or gone. */
static void forget_code(void)
{
	papi_vpmu_cache_lock();
	papi_vpmu_maps_forget(0, UINT64_MAX);
	papi_vpmu_cache_flush();
	papi_vpmu_cache_unlock();
}

/* With all signals blocked. mask is the mask to go back to: once the thread runs translated, if it does so from now
 * on. */
static int start(const struct papi_vpmu_wants *wants, uint64_t *place, uint64_t mask)
{
	struct papi_vpmu_thread *thread;
	struct papi_vpmu_wants all = *wants;
	int status = papi_vpmu_cache_begin();

	if (status != PAPI_OK)
		return status;
	thread = papi_vpmu_thread_get();
	if (!thread)
		return papi_error_code();
	thread->number = papi_thread_number();
	if (!thread->handling)
		settle(thread);
	if (thread->handling)
		return papi_error(PAPI_ECNFLCT, "a function that is called for an overflow cannot start an EventSet");
	if (thread->n_wants && (!thread->active || thread->lost))
		return papi_error(
			PAPI_ECNFLCT, "another EventSet of this thread has to be stopped first: %s", thread->lost);
	if (thread->n_wants) {
		if (!papi_vpmu_wants_same_ranges(&thread->wants, wants))
			return papi_error(
				PAPI_ECNFLCT, "another EventSet of this thread counts in other address ranges");
		all = thread->wants;
		papi_vpmu_wants_join(&all, wants);
	}
	status = papi_vpmu_thread_use(thread, &all, (uint64_t)(uintptr_t)__builtin_frame_address(0));
	if (status != PAPI_OK)
		return status;
	thread->n_wants++;
	if (!thread->active) {
		thread->checked = thread->foreseen = false;
		thread->lost = NULL;
		thread->region++;
		atomic_store_explicit(&has_counted, true, memory_order_relaxed);
		if (papi_vpmu_library_bind() || papi_vpmu_tracer_changed())
			forget_code();
		enter(thread, place);
		papi_vpmu_signals_enter(thread, mask);
	}
	return PAPI_OK;
}

int papi_vpmu_start(const struct papi_vpmu_wants *wants, uint64_t *frame, uint64_t *place)
{
	uint64_t mask = papi_vpmu_signals_block();
	int status = start(wants, frame ? frame + 1 : place, mask);

	if (!papi_vpmu_self || papi_vpmu_self->signal_state != PAPI_VPMU_SIGNALS_WAITING)
		papi_vpmu_signals_unblock(mask);
	return status;
}

void papi_vpmu_engine_stop(const struct papi_vpmu_wants *wants)
{
	struct papi_vpmu_thread *thread = papi_vpmu_self;

	(void)wants; /* what others want less is instrumented until all have stopped */
	if (!thread || !thread->n_wants)
		return;
	thread->n_wants--;
	if (thread->n_wants)
		settle(thread);
	else if (thread->active)
		leave(thread);
}

void papi_vpmu_engine_abandon(uint32_t number)
{
	struct papi_vpmu_thread *thread;
	uint64_t mask = papi_vpmu_signals_block();

	papi_vpmu_cache_lock();
	thread = papi_vpmu_thread_find(number);
	if (thread)
		atomic_fetch_add(&thread->abandoned, 1);
	papi_vpmu_cache_unlock();
	papi_vpmu_signals_unblock(mask);
}

int papi_vpmu_engine_exclude(uint64_t start, uint64_t end)
{
	if (papi_vpmu_library_exclude(start, end) < 0)
		return papi_error(PAPI_ENOMEM, "too many pieces of code are to be left out of virtual counts");
	return PAPI_OK;
}

uint64_t papi_vpmu_engine_interruptions(void)
{
	return papi_vpmu_self ? __atomic_load_n(&papi_vpmu_self->signals.handlers, __ATOMIC_RELAXED) : 0;
}

int papi_vpmu_engine_prepare(void)
{
	int status = papi_vpmu_cache_begin();

	if (status != PAPI_OK)
		return status;
	papi_vpmu_moved_stay();
	atomic_store_explicit(&has_counted, true, memory_order_relaxed);
	if (papi_vpmu_library_bind() || papi_vpmu_tracer_changed())
		forget_code();
	return PAPI_OK;
}

void papi_vpmu_engine_lend(const struct papi_agent *agent)
{
	papi_vpmu_agent = agent;
	of_process = process_id();
}

int papi_vpmu_engine_profile(const char *directory, uint64_t counters, uint32_t contexts, uint64_t modelled)
{
	const char *reason = NULL;
	uint64_t mask;

	mask = papi_vpmu_signals_block();
	papi_vpmu_cache_lock();
	if (!papi_vpmu_profile_is_on())
		reason = papi_vpmu_profile_begin(directory, counters, modelled, contexts);
	papi_vpmu_cache_unlock();
	papi_vpmu_signals_unblock(mask);
	return reason ? papi_error(PAPI_ECMP, "%s", reason) : PAPI_OK;
}

void papi_vpmu_engine_region(const char *name)
{
	struct papi_vpmu_thread *thread = papi_vpmu_self;
	struct papi_vpmu_wants wants;
	uint64_t mask;

	if (!thread || !thread->active || !thread->wants.profile)
		return;
	mask = papi_vpmu_signals_block();
	wants = thread->wants;
	papi_vpmu_cache_lock();
	wants.region = name ? papi_vpmu_profile_region(name) : 0;
	papi_vpmu_cache_unlock();
	/* Where there is no room for it, it is a part of what is around it. */
	if (wants.region != thread->wants.region &&
		papi_vpmu_thread_use(thread, &wants, (uint64_t)(uintptr_t)__builtin_frame_address(0)) == PAPI_OK) {
		papi_vpmu_trace_catch_up(thread);
		papi_vpmu_cache_lock();
		papi_vpmu_calls_change_region(thread, wants.region);
		papi_vpmu_cache_unlock();
	}
	papi_vpmu_signals_unblock(mask);
}

bool papi_vpmu_engine_is_lent(void)
{
	return papi_vpmu_agent != NULL;
}

void papi_vpmu_engine_borrow(void)
{
	if (papi_vpmu_self)
		papi_vpmu_thread_borrow(papi_vpmu_self);
}

void papi_vpmu_engine_settle(void)
{
	uint64_t mask;

	if (!papi_vpmu_self)
		return;
	papi_vpmu_trace_drain(papi_vpmu_self);
	mask = papi_vpmu_signals_block();
	papi_vpmu_trace_catch_up(papi_vpmu_self);
	papi_vpmu_cache_lock();
	papi_vpmu_calls_settle(papi_vpmu_self);
	papi_vpmu_cache_unlock();
	papi_vpmu_signals_unblock(mask);
}

papi_vpmu_sigaction *papi_vpmu_engine_sigaction(void)
{
	return atomic_load_explicit(&has_counted, memory_order_relaxed) ? papi_vpmu_action_native : NULL;
}

void papi_vpmu_engine_forked(void)
{
	/* The agent starts to count in its fork handler, and the library's own, which come behind it, must not undo
	 * that. */
	if (papi_vpmu_agent && of_process == process_id())
		return;
	of_process = process_id();
	papi_vpmu_cache_forked();
	papi_vpmu_threads_forked();
	papi_vpmu_profile_forked();
	papi_vpmu_trace_forked(papi_vpmu_self);
	papi_vpmu_signals_forked(papi_vpmu_self);
}
