/* SPDX-License-Identifier: BSD-3-Clause */
/* Signals of threads that are not watched: they never ran translated, or do so no longer. */
#include <signal.h>

#include "components/vpmu/translator/actions.h"
#include "components/vpmu/translator/guard.h"
#include "components/vpmu/translator/signals.h"

#define ON_STACK 0x08000000u /* SA_ONSTACK */

static bool plain_copy(void *to, const void *from, uint64_t size)
{
	papi_vpmu_guarded_bytes((uint64_t)(uintptr_t)to, (uint64_t)(uintptr_t)from, size);
	return true;
}

/* The kernel has been told to use the alternate stack for all handlers, this one does not want it. */
static void leave_stack(struct papi_vpmu_delivery *delivery, const struct papi_vpmu_action *action)
{
	const struct papi_vpmu_signal_stack *stack = papi_vpmu_context_stack(delivery->context);
	uint64_t pointer = papi_vpmu_context_stack_pointer(delivery->context);

	if (!(action->flags & ON_STACK) && papi_vpmu_is_on_stack(stack, (uint64_t)(uintptr_t)delivery->frame) &&
		!papi_vpmu_is_on_stack(stack, pointer))
		papi_vpmu_frame_move(delivery, pointer - papi_vpmu_processor_red_zone, plain_copy);
}

void papi_vpmu_signal_native(struct papi_vpmu_delivery *delivery)
{
	struct papi_vpmu_action action = papi_vpmu_action_take(delivery->number);

	delivery->handler = 0;
	if (papi_vpmu_action_is_function(&action)) {
		delivery->handler = action.handler;
		leave_stack(delivery, &action);
		if (!papi_vpmu_action_blocks(&action, delivery->number)) {
			delivery->mask &= ~papi_vpmu_mask_of(delivery->number);
			papi_vpmu_mask_change(SIG_UNBLOCK, papi_vpmu_mask_of(delivery->number));
		}
		return;
	}
	if (action.handler == (uint64_t)(uintptr_t)SIG_IGN && !papi_vpmu_signal_is_fault(delivery->info))
		return;
	papi_vpmu_action_make_default(delivery->number);
	if (!papi_vpmu_signal_comes_again(delivery->info))
		papi_vpmu_signal_send_again(delivery->info);
}

uint64_t papi_vpmu_signal_handler(uint64_t number)
{
	struct papi_vpmu_action action = papi_vpmu_action_get(number);

	return papi_vpmu_action_is_function(&action) ? action.handler : (uint64_t)(uintptr_t)papi_vpmu_signal_nothing;
}
