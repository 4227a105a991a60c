/* SPDX-License-Identifier: BSD-3-Clause */
/* The counters of a thread: where they lie, and what they come to. */
#include <stddef.h>
#include <sys/mman.h>

#include "components/vpmu/translator/clone.h"
#include "components/vpmu/translator/engine.h"
#include "components/vpmu/translator/processor.h"
#include "components/vpmu/translator/thread.h"
#include "components/vpmu/translator/trace.h"

const struct papi_agent *papi_vpmu_agent;

_Static_assert(sizeof(((struct papi_vpmu_thread *)0)->counters) == PAPI_AGENT_PAGE &&
		offsetof(struct papi_vpmu_thread, counters) == 0 && PAPI_VPMU_LANES == PAPI_AGENT_LANES,
	"the counters are the first page");

void papi_vpmu_thread_borrow(struct papi_vpmu_thread *thread)
{
	void *page = papi_vpmu_agent && !thread->page ? papi_vpmu_agent->take() : NULL;

	if (!page)
		return;
	/* An old size of 0 maps the same memory a second time. */
	if (papi_vpmu_raw(SYS_mremap, (long)page, 0, PAPI_AGENT_PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, (long)thread, 0) ==
		(long)thread)
		thread->page = page;
	if (thread->page && thread->signals.tid)
		papi_vpmu_agent->begin(page, thread->signals.tid);
}

void papi_vpmu_thread_identify(struct papi_vpmu_thread *thread)
{
	thread->signals.tid = (int)papi_vpmu_raw(SYS_gettid, 0, 0, 0, 0, 0, 0);
	if (papi_vpmu_agent && thread->page)
		papi_vpmu_agent->begin(thread->page, thread->signals.tid);
}

/* Zeros of the process's own in the place of the agent's page. */
static void use_own_counters(struct papi_vpmu_thread *thread)
{
	if (thread->page)
		papi_vpmu_raw(SYS_mmap, (long)thread, PAPI_AGENT_PAGE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	thread->page = NULL;
}

/* The page stays with the block: no system call is made at the end of a thread. */
void papi_vpmu_thread_hand_in(struct papi_vpmu_thread *thread)
{
	if (papi_vpmu_agent && thread->page)
		papi_vpmu_agent->begin(thread->page, -thread->signals.tid);
	if (papi_vpmu_agent)
		papi_vpmu_agent->add(thread->counters[0], thread->signals.tid);
}

void papi_vpmu_thread_return(struct papi_vpmu_thread *thread)
{
	if (!thread->page)
		return;
	papi_vpmu_thread_hand_in(thread);
	use_own_counters(thread);
}

void papi_vpmu_thread_lose(struct papi_vpmu_thread *thread, const char *reason)
{
	thread->lost = reason;
	if (papi_vpmu_agent)
		papi_vpmu_agent->lose(reason);
}

/* What the parent had in the trace is counted there; the simulators have seen it here, too. */
void papi_vpmu_thread_forget_parent(struct papi_vpmu_thread *thread)
{
	if (!papi_vpmu_agent)
		return;
	use_own_counters(thread);
	papi_vpmu_trace_drain(thread);
	for (unsigned lane = 0; lane < PAPI_VPMU_LANES; lane++)
		for (unsigned i = 0; i < PAPI_VPMU_COUNTERS; i++)
			thread->counters[lane][i] = 0;
}

/* ---- what they come to ---- */

/* The counters that are wanted are gathered in the first lane. */
static void add_lanes(struct papi_vpmu_thread *thread)
{
	for (uint64_t left = thread->wants.counters; left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctzll(left);

		for (unsigned lane = 1; lane < PAPI_VPMU_LANES; lane++)
			papi_vpmu_processor_move_count(&thread->counters[0][i], &thread->counters[lane][i]);
	}
}

const uint64_t *papi_vpmu_engine_up_to_date(struct papi_vpmu_thread *thread)
{
	if (thread->models)
		papi_vpmu_trace_drain(thread);
	add_lanes(thread);
	if (thread->wants.inherit)
		papi_vpmu_clone_gather(thread);
	return thread->counters[0];
}

const uint64_t *papi_vpmu_engine_counters(const char **lost)
{
	struct papi_vpmu_thread *thread = papi_vpmu_self;

	*lost = thread ? thread->lost : NULL;
	return thread ? papi_vpmu_engine_up_to_date(thread) : NULL;
}
