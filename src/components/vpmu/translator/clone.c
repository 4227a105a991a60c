/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/translator/clone.h"

#include <sched.h>
#include <stddef.h>

#include "components/vpmu/translator/actions.h"
#include "components/vpmu/translator/cache.h"
#include "components/vpmu/translator/calls.h"
#include "components/vpmu/translator/guard.h"
#include "components/vpmu/translator/processor.h"
#include "components/vpmu/translator/profile.h"
#include "components/vpmu/translator/runtime.h"
#include "components/vpmu/translator/signals.h"
#include "components/vpmu/translator/trace.h"

/* The new thread's own papi_vpmu_self, whose memory its maker has prepared. */
static bool set_self(uint64_t tls, struct papi_vpmu_thread *child)
{
	uint64_t offset = (uint64_t)(uintptr_t)&papi_vpmu_self - papi_vpmu_processor_thread_pointer();

	return papi_vpmu_guarded_copy((void *)(uintptr_t)(tls + offset), &child, sizeof(child));
}

/* Overflows are the maker's alone, and so are simulators, but where an agent counts each thread for itself. */
static struct papi_vpmu_wants inherited_wants(const struct papi_vpmu_thread *thread)
{
	struct papi_vpmu_wants wants = thread->wants;

	if (!papi_vpmu_agent)
		wants.parts = 0;
	wants.overflow = false;
	wants.region = 0; /* which is a thread's own */
	return wants;
}

static bool use_flavours(struct papi_vpmu_thread *child, const struct papi_vpmu_thread *thread)
{
	bool ready;

	child->wants = inherited_wants(thread);
	papi_vpmu_cache_lock();
	child->flavour = papi_vpmu_flavour_get(&child->wants);
	child->library = thread->library;
	if (child->flavour)
		child->flavour->users++;
	ready = child->flavour && (!child->wants.profile || papi_vpmu_profile_enter(child)) &&
		(!child->wants.calls || papi_vpmu_calls_begin(child));
	papi_vpmu_cache_unlock();
	return ready;
}

/* It counts from the start: for the heir of the EventSet, for the agent, as all threads do, or for both. */
static bool make_inherited(struct papi_vpmu_thread *child, struct papi_vpmu_thread *thread)
{
	if (!use_flavours(child, thread))
		return false;
	if (child->wants.parts && !papi_vpmu_trace_begin(child, papi_vpmu_processor_stack_pointer(child)))
		return false;
	if (thread->wants.inherit) {
		child->heir = thread->heir ? thread->heir : thread;
		child->heir_region = thread->heir ? thread->heir_region : thread->region;
	}
	child->n_wants = 1;
	child->watched = 1;
	child->active = true;
	papi_vpmu_actions_enter();
	return true;
}

static struct papi_vpmu_thread *make_child(const struct papi_vpmu_thread *thread, uint64_t stack)
{
	struct papi_vpmu_thread *child = papi_vpmu_thread_new();

	if (!child)
		return NULL;
	papi_vpmu_processor_make_child(child, thread, stack);
	child->in_runtime = 1;
	papi_vpmu_signals_hold(child, PAPI_VPMU_SIGNALS_DEFERRED, thread->deferred_mask);
	return child;
}

/*
 * For an agent: no process goes uncounted without a word. A child that has a copy of the memory counts itself as soon
 * as it is told of it, if it is: libc's fork() tells it. The child goes on natively, from here. A child that shares the
 * memory is made in place, as the parent's stack may be its own.
 */
static bool make_process(
	struct papi_vpmu_thread *thread, const struct papi_vpmu_clone_request *request, uint64_t *result)
{
	const struct papi_vpmu_call call = papi_vpmu_processor_call(thread);

	if (request->flags & CLONE_VFORK && request->flags & CLONE_VM)
		return false;
	if (request->flags & CLONE_VM || request->stack) {
		papi_vpmu_agent->lose(
			"it has made a process or thread by clone(2) itself, whose own work is not counted");
		return false;
	}
	*result = papi_vpmu_make_call(&call);
	if (*result == 0)
		thread->active = false;
	else if (*result <= (uint64_t)-4096)
		papi_vpmu_agent->fork();
	return true;
}

bool papi_vpmu_clone(struct papi_vpmu_thread *thread, uint64_t *result)
{
	const uint64_t needed = CLONE_VM | CLONE_THREAD | CLONE_SETTLS;
	struct papi_vpmu_thread *child;
	struct papi_vpmu_clone_request request;

	if (!papi_vpmu_processor_read_clone(thread, &request))
		return false;
	if ((request.flags & needed) != needed)
		return papi_vpmu_agent && make_process(thread, &request, result);
	/* No signal comes between: the new thread has the same mask. */
	papi_vpmu_signals_hold(thread, PAPI_VPMU_SIGNALS_DEFERRED, papi_vpmu_signals_take_mask(thread));
	child = make_child(thread, request.stack);
	if ((thread->wants.inherit || papi_vpmu_agent) && thread->n_wants && (!child || !make_inherited(child, thread)))
		papi_vpmu_thread_lose(thread, "memory for a thread that was to be counted, too, ended");
	if (!child || !set_self(request.tls, child)) {
		papi_vpmu_thread_end(child);
		return false;
	}
	*result = papi_vpmu_clone_call(thread->registers);
	if (*result > (uint64_t)-4096) {
		set_self(request.tls, NULL);
		papi_vpmu_thread_end(child);
	}
	return true;
}

uint64_t papi_vpmu_clone_newborn(struct papi_vpmu_thread *thread)
{
	papi_vpmu_thread_identify(thread);
	thread->thread_base = papi_vpmu_processor_thread_pointer();
	if (!thread->active)
		return thread->pc;
	papi_vpmu_profile_begun(thread);
	papi_vpmu_signals_take_stack(thread);
	return papi_vpmu_runtime_continue(thread);
}

/* ---- what they count ---- */

/* What the child has counted since the last time goes to its heir; under the lock. */
static void hand_over(struct papi_vpmu_thread *child)
{
	struct papi_vpmu_thread *heir = child->heir;

	if (!heir || heir->region != child->heir_region)
		return;
	for (unsigned i = 0; i < PAPI_VPMU_FIRST_MODELLED; i++) {
		uint64_t sum = 0;

		for (unsigned lane = 0; lane < PAPI_VPMU_LANES; lane++)
			sum += __atomic_load_n(&child->counters[lane][i], __ATOMIC_RELAXED);
		heir->inherited[i] += sum - child->handed_over[i];
		child->handed_over[i] = sum;
	}
}

void papi_vpmu_clone_gather(struct papi_vpmu_thread *heir)
{
	uint64_t mask = papi_vpmu_signals_block();

	papi_vpmu_cache_lock();
	for (struct papi_vpmu_thread *child = papi_vpmu_threads_first(); child; child = child->next)
		if (child->heir == heir)
			hand_over(child);
	for (unsigned i = 0; i < PAPI_VPMU_FIRST_MODELLED; i++) {
		/* The agent has it from the thread itself. */
		if (papi_vpmu_agent && heir->inherited[i])
			papi_vpmu_agent->take_back(i, heir->inherited[i]);
		heir->counters[0][i] += heir->inherited[i];
		heir->inherited[i] = 0;
	}
	papi_vpmu_cache_unlock();
	papi_vpmu_signals_unblock(mask);
}

void papi_vpmu_clone_forget(struct papi_vpmu_thread *thread)
{
	hand_over(thread);
	thread->heir = NULL;
	for (struct papi_vpmu_thread *child = papi_vpmu_threads_first(); child; child = child->next)
		if (child->heir == thread)
			child->heir = NULL;
}
