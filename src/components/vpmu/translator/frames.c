/* SPDX-License-Identifier: BSD-3-Clause */
/* The frames that handlers see: what they show, and on which stack they lie. */
#include <signal.h>

#include "components/vpmu/translator/cache.h"
#include "components/vpmu/translator/guard.h"
#include "components/vpmu/translator/processor.h"
#include "components/vpmu/translator/signals.h"

#define SHOWS 7u /* all of PAPI_VPMU_SHOWS_... */
/* The address of the frame is mixed into its note, for nobody clears that word. */
#define MIXED_IN 0x9e3779b97f4a7c10u

#define ON_STACK    0x08000000u       /* SA_ONSTACK */
#define AUTO_DISARM ((int)(1u << 31)) /* SS_AUTODISARM */

static bool is_within(uint64_t address, uint64_t start, uint64_t size)
{
	return address - start < size;
}

bool papi_vpmu_is_on_stack(const struct papi_vpmu_signal_stack *stack, uint64_t address)
{
	return stack->size && address - stack->start <= stack->size && address > stack->start;
}

/* ---- what they show ---- */

bool papi_vpmu_frame_is_resuming(uint64_t pc)
{
	return pc >= (uint64_t)(uintptr_t)papi_vpmu_resume && pc < (uint64_t)(uintptr_t)papi_vpmu_resume_end;
}

unsigned papi_vpmu_frame_show(struct papi_vpmu_thread *thread, const struct papi_vpmu_delivery *delivery)
{
	unsigned library = thread->in_library ? PAPI_VPMU_SHOWS_LIBRARY : 0;
	struct papi_vpmu_context *context = delivery->context;
	uint64_t pc = papi_vpmu_context_pc(context);

	if (papi_vpmu_frame_is_resuming(pc))
		papi_vpmu_context_show(context, thread);
	else if (!papi_vpmu_cache_holds(pc) || !papi_vpmu_context_recover(context, thread))
		return PAPI_VPMU_SHOWS_NATIVE | library;
	/* Of SIGILL, SIGFPE and a trap: the instruction's. */
	if (papi_vpmu_signal_is_fault(delivery->info) && delivery->info->address == pc)
		delivery->info->address = papi_vpmu_context_pc(context);
	return (thread->active ? PAPI_VPMU_SHOWS_PROGRAM : PAPI_VPMU_SHOWS_NATIVE) | library;
}

static uint64_t mixed(uint64_t address, unsigned shows)
{
	return (address ^ MIXED_IN) + shows;
}

void papi_vpmu_frame_note(struct papi_vpmu_context *context, unsigned shows)
{
	*papi_vpmu_context_note(context) = mixed((uint64_t)(uintptr_t)context, shows);
}

unsigned papi_vpmu_frame_read_note(struct papi_vpmu_context *context, uint64_t address)
{
	uint64_t difference = *papi_vpmu_context_note(context) - mixed(address, 0);

	return difference <= SHOWS ? (unsigned)difference : 0;
}

void papi_vpmu_frame_hide(struct papi_vpmu_thread *thread, struct papi_vpmu_context *context, unsigned shows)
{
	struct papi_vpmu_signal_stack *stack = papi_vpmu_context_stack(context);

	if (thread->signals.own_stack) {
		if (!papi_vpmu_is_on_stack(&thread->signals.stack, papi_vpmu_context_stack_pointer(context)))
			thread->signals.stack = *stack;
		*stack = (struct papi_vpmu_signal_stack){ .start = (uint64_t)(uintptr_t)thread->runtime_stack,
			.size = sizeof(thread->runtime_stack) };
	}
	thread->in_library = (shows & PAPI_VPMU_SHOWS_LIBRARY) != 0;
	if (shows & PAPI_VPMU_SHOWS_NATIVE)
		return;
	thread->pc = papi_vpmu_context_pc(context);
	thread->exit = PAPI_VPMU_EXIT_CONTINUE;
	papi_vpmu_context_hide(context, thread);
}

/* ---- where they lie ---- */

bool papi_vpmu_frame_place(struct papi_vpmu_thread *thread, struct papi_vpmu_delivery *delivery, uint64_t flags)
{
	const uint64_t lowest = (uint64_t)(uintptr_t)thread->runtime_stack,
		       pointer = papi_vpmu_context_stack_pointer(delivery->context);
	struct papi_vpmu_signal_stack *stack = &thread->signals.stack;
	uint64_t top = pointer - papi_vpmu_processor_red_zone;

	if (!thread->signals.own_stack)
		return true;
	*papi_vpmu_context_stack(delivery->context) = *stack;
	if (!is_within((uint64_t)(uintptr_t)delivery->frame, lowest, sizeof(thread->runtime_stack)))
		return true;
	if (flags & ON_STACK && stack->size && !papi_vpmu_is_on_stack(stack, pointer)) {
		top = stack->start + stack->size;
		if (stack->flags & AUTO_DISARM)
			*stack = (struct papi_vpmu_signal_stack){ .flags = SS_DISABLE };
	}
	return papi_vpmu_frame_move(delivery, top, papi_vpmu_guarded_copy);
}
