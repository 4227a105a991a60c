/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/translator/signal_state.h"

#include <stdatomic.h>

#include "components/vpmu/translator/masks.h"
#include "components/vpmu/translator/thread.h"

#ifndef NDEBUG
#define TO(state) (1u << PAPI_VPMU_SIGNALS_##state)

/* From which state to which. */
static const unsigned allowed[] = {
	[PAPI_VPMU_SIGNALS_OPEN] = TO(OPEN) | TO(DEFERRED) | TO(WAITING) | TO(ARRIVING),
	[PAPI_VPMU_SIGNALS_DEFERRED] = TO(OPEN) | TO(DEFERRED) | TO(ARRIVING),
	[PAPI_VPMU_SIGNALS_WAITING] = TO(OPEN) | TO(DEFERRED),
	[PAPI_VPMU_SIGNALS_ARRIVING] = TO(OPEN) | TO(STEPPING) | TO(DEFERRED),
	[PAPI_VPMU_SIGNALS_STEPPING] = TO(OPEN) | TO(DEFERRED),
};
#endif

void papi_vpmu_signals_change(struct papi_vpmu_thread *thread, enum papi_vpmu_signal_state to)
{
#ifndef NDEBUG
	if (!(allowed[thread->signal_state] >> to & 1))
		__builtin_trap();
#endif
	thread->signal_state = to;
}

/* In this order: a signal for a fault that is put off in between would take the mask that it finds for the program's,
 * as long as the state is OPEN. */
void papi_vpmu_signals_hold(struct papi_vpmu_thread *thread, enum papi_vpmu_signal_state to, uint64_t mask)
{
	papi_vpmu_signals_change(thread, to);
	atomic_signal_fence(memory_order_seq_cst);
	thread->deferred_mask = mask;
}

/* For the same reason nothing comes between the mask and the state. */
uint64_t papi_vpmu_signals_take_mask(const struct papi_vpmu_thread *thread)
{
	uint64_t mask = papi_vpmu_mask_set(UINT64_MAX);

	if (thread->signal_state != PAPI_VPMU_SIGNALS_OPEN)
		mask = thread->deferred_mask;
	papi_vpmu_signals_block();
	return mask;
}
