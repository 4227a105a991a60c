/* SPDX-License-Identifier: BSD-3-Clause */
/* The program's own system calls about signals: each sees and changes the program's view. */
#include <errno.h>
#include <signal.h>

#include "components/vpmu/translator/actions.h"
#include "components/vpmu/translator/guard.h"
#include "components/vpmu/translator/library.h"
#include "components/vpmu/translator/runtime.h"
#include "components/vpmu/translator/signals.h"

#define AUTO_DISARM ((int)(1u << 31)) /* SS_AUTODISARM */

/* Memory of the program that an argument names. */
static void *memory(uint64_t argument)
{
	return (void *)(uintptr_t)argument;
}

uint64_t papi_vpmu_signals_action(const uint64_t arguments[])
{
	const void *from = memory(arguments[1]);
	void *to = memory(arguments[2]);
	struct papi_vpmu_action new, old;
	long status;

	if (arguments[3] != sizeof(new.mask))
		return (uint64_t)-EINVAL;
	if (from && !papi_vpmu_guarded_copy(&new, from, sizeof(new)))
		return (uint64_t)-EFAULT;
	status = papi_vpmu_action_change(arguments[0], from ? &new : NULL, &old);
	if (!status && to && !papi_vpmu_guarded_copy(to, &old, sizeof(old)))
		status = -EFAULT;
	return (uint64_t)status;
}

static long change_stack(struct papi_vpmu_signal_stack *stack, struct papi_vpmu_signal_stack new, bool in_use)
{
	const uint64_t smallest = 2048; /* MINSIGSTKSZ */

	if (in_use)
		return -EPERM;
	if (new.flags & ~AUTO_DISARM & ~(SS_DISABLE | SS_ONSTACK) ||
		(new.flags & ~AUTO_DISARM) == (SS_DISABLE | SS_ONSTACK))
		return -EINVAL;
	if (new.flags & SS_DISABLE)
		new.start = new.size = 0;
	else if (new.size < smallest)
		return -ENOMEM;
	new.flags &= ~SS_ONSTACK;
	*stack = new;
	return 0;
}

uint64_t papi_vpmu_signals_stack(struct papi_vpmu_thread *thread, const uint64_t arguments[])
{
	const void *from = memory(arguments[0]);
	void *to = memory(arguments[1]);
	struct papi_vpmu_signal_stack *stack = &thread->signals.stack, new, old = *stack;
	bool in_use = papi_vpmu_is_on_stack(stack, papi_vpmu_processor_stack_pointer(thread)) &&
		!(stack->flags & AUTO_DISARM);
	long status = 0;

	if (!thread->signals.own_stack)
		return (uint64_t)papi_vpmu_raw(SYS_sigaltstack, (long)from, (long)to, 0, 0, 0, 0);
	if (!old.size)
		old.flags = SS_DISABLE;
	else if (in_use)
		old.flags |= SS_ONSTACK;
	if (from && !papi_vpmu_guarded_copy(&new, from, sizeof(new)))
		return (uint64_t)-EFAULT;
	if (from)
		status = change_stack(stack, new, in_use);
	if (!status && to && !papi_vpmu_guarded_copy(to, &old, sizeof(old)))
		status = -EFAULT;
	return (uint64_t)status;
}

/* What it returns to. */
static void return_to(struct papi_vpmu_thread *thread, struct papi_vpmu_context *context, unsigned shows)
{
	const char *obstacle = papi_vpmu_context_obstacle(context);

	if (thread->active && obstacle)
		papi_vpmu_runtime_go_native(thread, obstacle);
	if (thread->active)
		papi_vpmu_frame_hide(thread, context, shows ? shows : PAPI_VPMU_SHOWS_PROGRAM);
	*papi_vpmu_context_note(context) = 0;
}

void papi_vpmu_signals_return(struct papi_vpmu_thread *thread)
{
	_Alignas(16) unsigned char room[PAPI_VPMU_CONTEXT_SIZE];
	struct papi_vpmu_context *context = (struct papi_vpmu_context *)(void *)room;
	uint64_t address = papi_vpmu_processor_frame_context(thread);
	unsigned shows;

	if (!papi_vpmu_guarded_copy(room, memory(address), papi_vpmu_context_size))
		papi_vpmu_signal_leave(); /* the kernel will say what it makes of it */
	shows = papi_vpmu_frame_read_note(context, address);
	if (!shows && papi_vpmu_library_holds(papi_vpmu_context_pc(context))) {
		/* A handler that interrupted the library has started to count: the middle of the library is no place
		 * to. */
		thread->active = false;
		papi_vpmu_thread_lose(
			thread, "a signal handler that had interrupted the library started to count and did not stop");
	}
	return_to(thread, context, shows);
	papi_vpmu_guarded_copy(memory(address), room, papi_vpmu_context_size);
	/* The kernel is to have the mask, but the frame's is not in force yet: no signal comes until then, also none
	 * for a fault, which would take what it finds for the program's. */
	papi_vpmu_mask_set(UINT64_MAX);
	papi_vpmu_signals_change(thread, PAPI_VPMU_SIGNALS_OPEN);
	papi_vpmu_signal_leave();
}
