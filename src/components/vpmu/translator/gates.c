/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/translator/gates.h"

#include "components/vpmu/translator/cache.h"
#include "components/vpmu/translator/calls.h"
#include "components/vpmu/translator/guard.h"
#include "components/vpmu/translator/library.h"
#include "components/vpmu/translator/processor.h"
#include "components/vpmu/translator/runtime.h"
#include "components/vpmu/translator/signals.h"
#include "components/vpmu/translator/trace.h"

static unsigned count(const struct papi_vpmu_thread *thread)
{
	return (unsigned)(thread->gate_depth / sizeof(thread->gates[0]));
}

/* Drops gates that nothing will return through any more. */
static void forget(struct papi_vpmu_thread *thread, uint64_t stack)
{
	unsigned kept = 0, n = count(thread);

	/* A return address below the stack pointer is nobody's. A program with several stacks may have others for good
	 * reasons; when all are, the oldest goes. */
	for (unsigned i = 0; i < n; i++)
		if (thread->gates[i].place >= stack)
			thread->gates[kept++] = thread->gates[i];
	if (kept == n)
		for (unsigned i = 1; i < n; i++)
			thread->gates[i - 1] = thread->gates[i];
	thread->gate_depth = (kept == n ? n - 1 : kept) * sizeof(thread->gates[0]);
}

void papi_vpmu_runtime_forget_gates(struct papi_vpmu_thread *thread)
{
	forget(thread, papi_vpmu_processor_stack_pointer(thread));
}

void papi_vpmu_gate_open(struct papi_vpmu_thread *thread, uint64_t *place)
{
	if (thread->gate_depth == sizeof(thread->gates))
		forget(thread, (uint64_t)(uintptr_t)place);
	thread->gates[count(thread)] = (struct papi_vpmu_gate){ *place, (uint64_t)(uintptr_t)place,
		papi_vpmu_processor_flags() };
	thread->gate_depth += sizeof(thread->gates[0]);
	*place = (uint64_t)(uintptr_t)papi_vpmu_gate_return;
}

/* The stack of a coroutine that has left a gate behind may be gone. */
void papi_vpmu_gates_close(struct papi_vpmu_thread *thread)
{
	unsigned n = count(thread);
	const uint64_t stub = (uint64_t)(uintptr_t)papi_vpmu_gate_return;

	if (!papi_vpmu_processor_calls_by_stack)
		return;
	for (unsigned i = 0; i < n; i++) {
		uint64_t *place = (uint64_t *)(uintptr_t)thread->gates[i].place, found;

		if (papi_vpmu_guarded_copy(&found, place, sizeof(found)) && found == stub)
			*place = thread->gates[i].pc;
	}
	thread->gate_depth = 0;
}

/* The flags that decide what instructions do are as they were before the call; of the others a call leaves nothing. */
static bool pop_gate(struct papi_vpmu_thread *thread, uint64_t place)
{
	unsigned n = count(thread);

	for (unsigned i = n; i-- > 0;) {
		if (thread->gates[i].place != place)
			continue;
		thread->pc = thread->gates[i].pc;
		thread->flags = papi_vpmu_processor_flags_after_call(thread->gates[i].flags);
		for (unsigned j = i + 1; j < n; j++)
			thread->gates[j - 1] = thread->gates[j];
		thread->gate_depth -= sizeof(thread->gates[0]);
		return true;
	}
	return false;
}

void papi_vpmu_gate_pass(struct papi_vpmu_thread *thread)
{
	if (!papi_vpmu_processor_calls_by_stack && thread->pc == (uint64_t)(uintptr_t)papi_vpmu_gate_return)
		pop_gate(thread, papi_vpmu_processor_returned_through(thread));
}

uint64_t papi_vpmu_runtime_gate_return(struct papi_vpmu_thread *thread)
{
	if (!pop_gate(thread, papi_vpmu_processor_returned_through(thread)))
		__builtin_trap(); /* nobody else puts the address of the stub on a stack */
	if (!thread->active)
		return thread->pc;
	thread->in_library = thread->in_library && papi_vpmu_library_holds(thread->pc);
	papi_vpmu_signals_take_stack(thread);
	if (thread->calls) {
		papi_vpmu_trace_catch_up(thread);
		papi_vpmu_cache_lock();
		papi_vpmu_calls_go_on(thread);
		papi_vpmu_cache_unlock();
	}
	return papi_vpmu_runtime_continue(thread);
}
