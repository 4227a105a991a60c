/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread comes to run translated, and goes: its signals, their mask and their stack. */
#include "components/vpmu/translator/signals.h"

#include <stdatomic.h>

#include "components/vpmu/translator/actions.h"

void papi_vpmu_signals_enter(struct papi_vpmu_thread *thread, uint64_t mask)
{
	papi_vpmu_thread_identify(thread);
	papi_vpmu_signals_hold(thread, PAPI_VPMU_SIGNALS_WAITING, mask);
	if (thread->watched)
		return;
	thread->watched = 1;
	papi_vpmu_actions_enter();
}

void papi_vpmu_signals_release(struct papi_vpmu_thread *thread)
{
	/* Before the state: a handler that runs in between has the mask in force, and leaves its own there. */
	uint64_t mask = __atomic_load_n(&thread->deferred_mask, __ATOMIC_RELAXED);

	atomic_signal_fence(memory_order_seq_cst);
	if (__atomic_load_n(&thread->signal_state, __ATOMIC_RELAXED) != PAPI_VPMU_SIGNALS_DEFERRED)
		return;
	papi_vpmu_signals_change(thread, PAPI_VPMU_SIGNALS_OPEN);
	papi_vpmu_signals_unblock(mask);
}

void papi_vpmu_signals_take_stack(struct papi_vpmu_thread *thread)
{
	struct papi_vpmu_signal_stack own = { .start = (uint64_t)(uintptr_t)thread->runtime_stack,
		.size = sizeof(thread->runtime_stack) };

	if (!thread->signals.own_stack)
		thread->signals.own_stack = !papi_vpmu_raw(
			SYS_sigaltstack, (long)&own, (long)&thread->signals.stack, 0, 0, 0, 0);
}

/* From the runtime, which is on that stack: no signal may come where the call is made. */
static void give_stack_back_from_it(const struct papi_vpmu_signal_stack *stack)
{
	uint64_t mask = papi_vpmu_mask_set(UINT64_MAX);

	papi_vpmu_processor_leave_stack(stack);
	papi_vpmu_mask_set(mask);
}

static void give_stack_back(struct papi_vpmu_thread *thread)
{
	const struct papi_vpmu_signal_stack *stack = &thread->signals.stack;
	uint64_t here = (uint64_t)(uintptr_t)__builtin_frame_address(0);

	if (!thread->signals.own_stack)
		return;
	if (here - (uint64_t)(uintptr_t)thread->runtime_stack < sizeof(thread->runtime_stack))
		give_stack_back_from_it(stack);
	else
		papi_vpmu_raw(SYS_sigaltstack, (long)stack, 0, 0, 0, 0, 0);
	thread->signals.own_stack = false;
}

void papi_vpmu_signals_leave(struct papi_vpmu_thread *thread)
{
	papi_vpmu_signals_change(thread, PAPI_VPMU_SIGNALS_OPEN);
	give_stack_back(thread);
	if (!thread->watched)
		return;
	thread->watched = 0;
	papi_vpmu_actions_leave();
}

void papi_vpmu_signals_forked(struct papi_vpmu_thread *thread)
{
	papi_vpmu_actions_forked();
	if (!thread)
		return;
	give_stack_back(thread);
	papi_vpmu_thread_identify(thread);
	thread->watched = thread->guard = 0;
	thread->signals.early_mask = 0;
	papi_vpmu_signals_change(thread, PAPI_VPMU_SIGNALS_OPEN);
}
