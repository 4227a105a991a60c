/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads that run already, brought into translated code and out of it by another thread, while a tool has stopped
 * them:
 *
 *	native --- enter_at, then it arrives ---> translated --- leave_at, then it departs ---> native
 *	                                               |                                          ^
 *	                                               +--- retreat, and it is in the runtime ----+
 *
 * The other thread does what needs no registers; what has to be done on the thread itself (its alternate stack, gates,
 * the mask) it does in the runtime, at its first steps there and its last. A stopped thread may hold any lock of libc
 * or of the dynamic linker, so none of them is taken here; of the engine's own, it is seen that it holds none.
 */
#include "components/vpmu/translator/moved.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

#include "base/error.h"
#include "components/vpmu/translator/actions.h"
#include "components/vpmu/translator/cache.h"
#include "components/vpmu/translator/calls.h"
#include "components/vpmu/translator/gates.h"
#include "components/vpmu/translator/library.h"
#include "components/vpmu/translator/marks.h"
#include "components/vpmu/translator/processor.h"
#include "components/vpmu/translator/profile.h"
#include "components/vpmu/translator/signals.h"
#include "components/vpmu/translator/trace.h"
#include "components/vpmu/translator/wants.h"

/* The thread's own papi_vpmu_self: its thread-local variables lie where all threads have them. */
static struct papi_vpmu_thread **self_of(const struct papi_agent_moved *moved)
{
	uint64_t offset = (uint64_t)(uintptr_t)&papi_vpmu_self - papi_vpmu_processor_thread_pointer();

	return (struct papi_vpmu_thread **)(uintptr_t)(moved->thread_pointer + offset);
}

static int not_now(const char *why)
{
	return papi_error(PAPI_ECNFLCT, "%s", why);
}

/* ---- in ---- */

static struct papi_vpmu_thread *block_for(const struct papi_agent_moved *moved)
{
	struct papi_vpmu_thread *thread = *self_of(moved);

	return thread ? papi_vpmu_thread_again(thread) : papi_vpmu_thread_new();
}

static void begin_region(struct papi_vpmu_thread *thread, uint64_t mask)
{
	thread->checked = thread->foreseen = thread->in_library = thread->handling = false;
	thread->lost = NULL;
	thread->region++;
	thread->n_wants = 1;
	thread->exit = PAPI_VPMU_EXIT_CONTINUE;
	thread->in_runtime = 1;
	papi_vpmu_signals_hold(thread, PAPI_VPMU_SIGNALS_DEFERRED, mask);
	thread->active = true;
	if (!thread->watched)
		papi_vpmu_actions_enter();
	thread->watched = 1;
}

static int enter(struct papi_vpmu_thread *thread, const struct papi_vpmu_wants *wants, struct papi_agent_moved *moved)
{
	const char *obstacle = papi_vpmu_processor_take(thread, moved);
	int status = PAPI_OK;

	if (obstacle)
		return not_now(obstacle);
	status = papi_vpmu_thread_use(thread, wants, papi_vpmu_processor_stack_pointer(thread));
	if (status != PAPI_OK)
		return status;
	begin_region(thread, moved->mask);
	*self_of(moved) = thread;
	papi_vpmu_processor_send(thread, moved, papi_vpmu_arrive);
	moved->mask = papi_vpmu_all_signals;
	return PAPI_OK;
}

int papi_vpmu_engine_enter_at(const struct papi_vpmu_wants *wants, struct papi_agent_moved *moved)
{
	struct papi_vpmu_thread *thread = *self_of(moved);
	bool is_new = !thread;
	int status;

	if (thread && thread->active)
		return PAPI_EISRUN;
	if (thread && (thread->n_wants || thread->in_runtime))
		return not_now("the program counts in this thread by itself");
	if (papi_vpmu_library_holds(moved->pc) || !papi_vpmu_cache_is_free() || !papi_vpmu_actions_are_free())
		return not_now("it is in a function of the library");
	if (moved->base && moved->base != (uint64_t)(uintptr_t)thread)
		return not_now("it uses the gs segment, which the virtual PMU needs");
	thread = block_for(moved);
	if (!thread)
		return papi_error(PAPI_ENOMEM, "no memory for a thread of the virtual PMU");
	status = enter(thread, wants, moved);
	if (status != PAPI_OK && is_new)
		papi_vpmu_thread_end(thread);
	return status;
}

/* ---- out ---- */

/* Whether translated code at that address is behind a call or return that is not all done. */
static bool is_in_call(uint64_t pc)
{
	const struct papi_vpmu_block *block;
	bool is;

	papi_vpmu_cache_lock();
	block = papi_vpmu_cache_block_at(pc);
	is = block && block->n_marks && papi_vpmu_block_mark(block, (int64_t)(pc - block->code)).call;
	papi_vpmu_cache_unlock();
	return is;
}

int papi_vpmu_engine_leave_at(struct papi_agent_moved *moved)
{
	struct papi_vpmu_thread *thread = *self_of(moved);

	if (!thread || !thread->active)
		return PAPI_ENOTRUN;
	if (papi_vpmu_signal_is_busy(thread, moved->pc) || !papi_vpmu_cache_is_free() || !papi_vpmu_actions_are_free())
		return not_now("the engine works for it");
	if (thread->n_wants > 1)
		return not_now("the program counts in this thread by itself");
	/* Its simulators would have to catch up, for which they may need what another stopped thread holds. */
	if (thread->notes_next && is_in_call(moved->pc))
		return not_now("it is in the middle of a call");
	if (!papi_vpmu_frame_is_resuming(moved->pc) && !papi_vpmu_processor_recover(thread, moved))
		return not_now("it runs natively, in a function of the library");
	if (thread->signal_state == PAPI_VPMU_SIGNALS_OPEN)
		papi_vpmu_signals_hold(thread, PAPI_VPMU_SIGNALS_DEFERRED, moved->mask);
	thread->in_runtime = 1;
	papi_vpmu_processor_send(thread, moved, papi_vpmu_depart);
	moved->mask = papi_vpmu_all_signals;
	return PAPI_OK;
}

static void end_calls(struct papi_vpmu_thread *thread)
{
	if (!thread->calls)
		return;
	papi_vpmu_cache_lock();
	papi_vpmu_calls_end(thread);
	papi_vpmu_cache_unlock();
}

uint64_t papi_vpmu_departing(struct papi_vpmu_thread *thread)
{
	uint64_t mask = papi_vpmu_signals_take_mask(thread);

	papi_vpmu_trace_drain(thread);
	papi_vpmu_trace_end(thread);
	end_calls(thread);
	thread->n_wants = 0;
	thread->active = false;
	papi_vpmu_gates_close(thread);
	papi_vpmu_signals_leave(thread);
	/* Until the program's registers are its own again. */
	papi_vpmu_signals_hold(thread, PAPI_VPMU_SIGNALS_DEFERRED, mask);
	return thread->pc;
}

/* ---- by itself ---- */

static _Atomic bool retreats;

bool papi_vpmu_moved_retreats(const struct papi_vpmu_thread *thread)
{
	return atomic_load_explicit(&retreats, memory_order_relaxed) && thread->n_wants == 1;
}

/* Each block leads to the dispatcher from now on. */
void papi_vpmu_engine_retreat(void)
{
	atomic_store(&retreats, true);
	papi_vpmu_cache_lock();
	papi_vpmu_cache_flush();
	papi_vpmu_cache_unlock();
}

void papi_vpmu_moved_stay(void)
{
	atomic_store(&retreats, false);
}

/* ---- who is inside ---- */

static bool is_inside(const struct papi_vpmu_thread *thread, long process)
{
	if (thread->ended || (!thread->active && !thread->in_runtime))
		return false;
	return !thread->signals.tid || papi_vpmu_raw(SYS_tgkill, process, thread->signals.tid, 0, 0, 0, 0) != -ESRCH;
}

unsigned papi_vpmu_engine_inside(void)
{
	long process = papi_vpmu_raw(SYS_getpid, 0, 0, 0, 0, 0, 0);
	unsigned inside = 0;

	papi_vpmu_cache_lock();
	for (struct papi_vpmu_thread *thread = papi_vpmu_threads_first(); thread; thread = thread->next)
		inside += is_inside(thread, process);
	papi_vpmu_cache_unlock();
	return inside;
}

void papi_vpmu_engine_give_back(void)
{
	papi_vpmu_cache_lock();
	for (struct papi_vpmu_thread *thread = papi_vpmu_threads_first(); thread; thread = thread->next)
		papi_vpmu_thread_return(thread);
	papi_vpmu_profile_end();
	papi_vpmu_cache_unlock();
	papi_vpmu_engine_lend(NULL);
	papi_vpmu_moved_stay();
}
