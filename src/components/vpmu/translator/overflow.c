/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An overflow is to be seen right after the instruction that caused it. No event grows by more than the weights of the
 * blocks that run, so the thread runs freely while the next overflow is further away than that, and at last instruction
 * by instruction, in code of a flavour that comes back to the dispatcher after each. What simulators count is known as
 * soon as they have been through the trace: which is whenever somebody looks.
 */
#include "components/vpmu/translator/overflow.h"

#include <ucontext.h>

#include "base/error.h"
#include "components/vpmu/translator/block.h"
#include "components/vpmu/translator/engine.h"
#include "components/vpmu/translator/processor.h"
#include "components/vpmu/translator/signals.h"
#include "components/vpmu/translator/trace.h"

/* Nothing but an instruction that has run alone makes an event overflow; or what other threads have handed over. */
static uint64_t cause_of(const struct papi_vpmu_thread *thread)
{
	return thread->checked ? thread->stepped : thread->pc;
}

/* As if a signal had come: the program's vector state is kept, and it sees its registers. */
static void call(struct papi_vpmu_thread *thread, const struct papi_vpmu_overflow *overflow)
{
	ucontext_t context;

	papi_vpmu_processor_show(thread, &context);
	thread->handling = true;
	papi_vpmu_processor_save_all(thread);
	overflow->happened(overflow->argument, (void *)(uintptr_t)cause_of(thread), &context);
	papi_vpmu_processor_restore_all(thread);
	thread->handling = false;
}

/* The others stay in their order. */
static void forget(struct papi_vpmu_thread *thread, unsigned gone)
{
	const struct papi_vpmu_overflow overflow = thread->overflows[gone];

	thread->n_overflows--;
	for (unsigned i = gone; i < thread->n_overflows; i++)
		thread->overflows[i] = thread->overflows[i + 1];
	overflow.dropped(overflow.argument);
}

void papi_vpmu_overflow_forget(struct papi_vpmu_thread *thread, const void *argument)
{
	for (unsigned i = thread->n_overflows; i-- > 0;)
		if (!argument || thread->overflows[i].argument == argument)
			forget(thread, i);
}

/* How much every event may grow without reaching an overflow. */
static int64_t find_budget(struct papi_vpmu_thread *thread)
{
	int64_t budget = INT64_MAX;

	for (unsigned i = 0; thread->active && i < thread->n_overflows; i++) {
		const struct papi_vpmu_overflow *overflow = &thread->overflows[i];
		int64_t left = overflow->left(overflow->argument, papi_vpmu_engine_up_to_date(thread));

		if (left == INT64_MAX) {
			forget(thread, i--);
			continue;
		}
		if (left <= 0) {
			call(thread, overflow);
			i = (unsigned)-1; /* it may have changed everything */
			budget = INT64_MAX;
			continue;
		}
		if (left - 1 < budget)
			budget = left - 1;
	}
	return budget;
}

void papi_vpmu_overflow_check(struct papi_vpmu_thread *thread)
{
	papi_vpmu_trace_arrive(thread);
	thread->budget = find_budget(thread);
	thread->checked = true;
	thread->foreseen = false;
}

/* ---- for the component ---- */

int papi_vpmu_engine_overflow(const struct papi_vpmu_overflow *overflow)
{
	uint64_t mask = papi_vpmu_signals_block();
	struct papi_vpmu_thread *thread = papi_vpmu_thread_get();

	papi_vpmu_signals_unblock(mask);
	if (!thread)
		return papi_error_code();
	if (thread->n_overflows == PAPI_VPMU_OVERFLOWS)
		return papi_error(PAPI_ENOMEM, "%d events of this thread overflow already", PAPI_VPMU_OVERFLOWS);
	thread->overflows[thread->n_overflows++] = *overflow;
	thread->budget = -1;
	return PAPI_OK;
}

void papi_vpmu_engine_forget_overflow(const void *argument)
{
	if (papi_vpmu_self)
		papi_vpmu_overflow_forget(papi_vpmu_self, argument);
}
