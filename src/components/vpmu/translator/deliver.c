/* SPDX-License-Identifier: BSD-3-Clause */
/* The delivery of a signal that has come to a thread that is watched (signals.h). */
#include <signal.h>

#include "components/vpmu/translator/actions.h"
#include "components/vpmu/translator/cache.h"
#include "components/vpmu/translator/calls.h"
#include "components/vpmu/translator/guard.h"
#include "components/vpmu/translator/library.h"
#include "components/vpmu/translator/processor.h"
#include "components/vpmu/translator/runtime.h"
#include "components/vpmu/translator/signals.h"
#include "components/vpmu/translator/trace.h"

static bool is_between(uint64_t address, void (*start)(void), void (*end)(void))
{
	return address >= (uint64_t)(uintptr_t)start && address < (uint64_t)(uintptr_t)end;
}

bool papi_vpmu_signal_is_fault(const struct papi_vpmu_signal_info *info)
{
	const int sampled = 6, failing_memory_elsewhere = 5; /* TRAP_PERF, BUS_MCEERR_AO */

	if (!papi_vpmu_action_is_fault((uint64_t)info->number) || info->code <= 0)
		return false;
	return !(info->number == SIGTRAP && info->code == sampled) &&
		!(info->number == SIGBUS && info->code == failing_memory_elsewhere);
}

bool papi_vpmu_signal_comes_again(const struct papi_vpmu_signal_info *info)
{
	return papi_vpmu_signal_is_fault(info) && info->number != SIGTRAP;
}

/* ---- putting off ---- */

/* Those for faults are not blocked while the engine works: this one is then, for it would come at once. */
void papi_vpmu_signal_send_again(const struct papi_vpmu_signal_info *info)
{
	long process = papi_vpmu_raw(SYS_getpid, 0, 0, 0, 0, 0, 0),
	     thread = papi_vpmu_raw(SYS_gettid, 0, 0, 0, 0, 0, 0);

	if (papi_vpmu_action_is_fault((uint64_t)info->number))
		papi_vpmu_mask_change(SIG_BLOCK, papi_vpmu_mask_of((uint64_t)info->number));
	/* Without room for what comes with it, the bare signal still arrives. */
	if (papi_vpmu_raw(SYS_rt_tgsigqueueinfo, process, thread, info->number, (long)info, 0, 0))
		papi_vpmu_raw(SYS_tgkill, process, thread, info->number, 0, 0, 0);
}

static bool is_in_entry(uint64_t pc)
{
	return is_between(pc, papi_vpmu_signal_entry, papi_vpmu_signal_blocked);
}

/* In the handler, whose work must not be done twice at once; or about to leave by a frame. Whichever way that ends, it
 * sets another mask. */
static bool is_in_delivery(const struct papi_vpmu_thread *thread, uint64_t pc)
{
	return thread->delivering > 1 || is_between(pc, papi_vpmu_signal_blocked, papi_vpmu_signal_end) ||
		is_between(pc, papi_vpmu_leave_by_frame, papi_vpmu_resume_end);
}

/* dispatch.S, but for the way out of the runtime. */
static bool is_in_runtime(const struct papi_vpmu_thread *thread, uint64_t pc)
{
	return thread->in_runtime || is_between(pc, papi_vpmu_jump_miss, papi_vpmu_resume) ||
		is_between(pc, papi_vpmu_gate_enter, papi_vpmu_gate_entered) ||
		pc == (uint64_t)(uintptr_t)papi_vpmu_gate_return;
}

static bool is_leaving_handler(uint64_t pc)
{
	return is_between(pc, papi_vpmu_signal_leave, papi_vpmu_resume_end);
}

/* Its state says that signals are blocked until there is something else than what runs now: a signal for a fault that
 * somebody has sent is not, and has to wait all the same. */
static bool is_on_the_way(const struct papi_vpmu_thread *thread)
{
	return thread->signal_state == PAPI_VPMU_SIGNALS_WAITING ||
		thread->signal_state == PAPI_VPMU_SIGNALS_ARRIVING ||
		thread->signal_state == PAPI_VPMU_SIGNALS_STEPPING;
}

/* On its way back into the middle of a block. */
static bool is_coming_back(uint64_t pc)
{
	return is_between(pc, papi_vpmu_checked, papi_vpmu_checked_end);
}

bool papi_vpmu_signal_is_busy(const struct papi_vpmu_thread *thread, uint64_t pc)
{
	return is_coming_back(pc) || thread->delivering || thread->guard || is_in_entry(pc) ||
		is_in_delivery(thread, pc) || is_in_runtime(thread, pc) || is_on_the_way(thread) ||
		is_leaving_handler(pc);
}

static void put_off(const struct papi_vpmu_delivery *delivery, uint64_t until)
{
	*papi_vpmu_context_mask(delivery->context) |= until | papi_vpmu_mask_of(delivery->number);
	papi_vpmu_signal_send_again(delivery->info);
}

/* Until the runtime is done, and restores the mask. */
static void put_off_in_runtime(struct papi_vpmu_thread *thread, const struct papi_vpmu_delivery *delivery)
{
	if (thread->signal_state == PAPI_VPMU_SIGNALS_OPEN)
		papi_vpmu_signals_hold(thread, PAPI_VPMU_SIGNALS_DEFERRED, *papi_vpmu_context_mask(delivery->context));
	put_off(delivery, papi_vpmu_all_signals);
}

/* Until the handler that had hardly begun has come to its end. It asks the kernel for its mask, too late now. Nothing
 * else comes meanwhile: where several wait, each has interrupted the beginning of the one before. If one that is put
 * off let in those that were put off before it, there would be twice as many for each that waits. */
static void put_off_at_entry(struct papi_vpmu_thread *thread, const struct papi_vpmu_delivery *delivery)
{
	thread->signals.early_mask = *papi_vpmu_context_mask(delivery->context);
	put_off(delivery, UINT64_MAX);
}

/* ---- delivery ---- */

/* The process ends as it would have without us, where it would have. */
static enum papi_vpmu_deliver die(struct papi_vpmu_thread *thread, struct papi_vpmu_delivery *delivery, uint64_t number)
{
	thread->active = false;
	thread->lost = "a signal came that ends the process";
	papi_vpmu_action_make_default(number);
	*papi_vpmu_context_mask(delivery->context) &= ~papi_vpmu_mask_of(number);
	if (!papi_vpmu_signal_comes_again(delivery->info) || number != delivery->number) {
		struct papi_vpmu_signal_info info = *delivery->info;

		info.number = (int)number;
		papi_vpmu_signal_send_again(&info);
	}
	return PAPI_VPMU_DELIVER_RETURN;
}

static enum papi_vpmu_deliver run_translated(
	struct papi_vpmu_thread *thread, struct papi_vpmu_delivery *delivery, uint64_t mask)
{
	thread->signals.handlers++;
	papi_vpmu_frame_call_handler(thread, delivery);
	thread->in_library = false;
	if (thread->calls) {
		papi_vpmu_trace_catch_up(thread);
		papi_vpmu_cache_lock();
		papi_vpmu_calls_interrupt(thread);
		papi_vpmu_cache_unlock();
	}
	/* Until it is there: then the handler's mask is in force. */
	papi_vpmu_signals_hold(thread, PAPI_VPMU_SIGNALS_DEFERRED, mask);
	thread->in_runtime = 1;
	thread->code = papi_vpmu_runtime_continue(thread);
	/* The frame is on the program's stack; where the runtime has none of its own, below it. */
	delivery->stack = thread->signals.own_stack ? thread->stack : (uint64_t)(uintptr_t)delivery->frame;
	return PAPI_VPMU_DELIVER_TRANSLATED;
}

/* The masks that the program would see: of what was interrupted, and of the handler. */
static uint64_t settle_masks(struct papi_vpmu_thread *thread, const struct papi_vpmu_delivery *delivery,
	const struct papi_vpmu_action *action)
{
	uint64_t mask = delivery->mask, own = papi_vpmu_mask_of(delivery->number);

	if (thread->signal_state != PAPI_VPMU_SIGNALS_OPEN) {
		*papi_vpmu_context_mask(delivery->context) = thread->deferred_mask;
		mask = thread->deferred_mask | action->mask;
	}
	papi_vpmu_signals_change(thread, PAPI_VPMU_SIGNALS_OPEN);
	return papi_vpmu_action_blocks(action, delivery->number) ? mask | own : mask & ~own;
}

static enum papi_vpmu_deliver deliver_to_program(struct papi_vpmu_thread *thread, struct papi_vpmu_delivery *delivery)
{
	struct papi_vpmu_action action = papi_vpmu_action_take(delivery->number);
	unsigned shows;
	uint64_t mask;

	if (action.handler == (uint64_t)(uintptr_t)SIG_IGN && !papi_vpmu_signal_is_fault(delivery->info))
		return PAPI_VPMU_DELIVER_RETURN;
	mask = settle_masks(thread, delivery, &action);
	shows = papi_vpmu_frame_show(thread, delivery);
	if (!papi_vpmu_action_is_function(&action))
		return die(thread, delivery, delivery->number);
	if (!papi_vpmu_frame_place(thread, delivery, action.flags))
		return die(thread, delivery, SIGSEGV);
	papi_vpmu_frame_note(delivery->context, shows);
	delivery->handler = action.handler;
	if (thread->active && !papi_vpmu_library_holds(action.handler))
		return run_translated(thread, delivery, mask);
	thread->handler_mask = mask;
	return PAPI_VPMU_DELIVER_NATIVE;
}

/* A child that shares or copied the memory of the thread, and runs natively. */
static enum papi_vpmu_deliver deliver_to_child(struct papi_vpmu_thread *thread, struct papi_vpmu_delivery *delivery)
{
	papi_vpmu_signal_native(delivery);
	if (!delivery->handler)
		return PAPI_VPMU_DELIVER_RETURN;
	*papi_vpmu_context_note(delivery->context) = 0;
	thread->handler_mask = delivery->mask;
	return PAPI_VPMU_DELIVER_NATIVE;
}

static bool is_child(const struct papi_vpmu_thread *thread)
{
	return papi_vpmu_raw(SYS_gettid, 0, 0, 0, 0, 0, 0) != thread->signals.tid;
}

static enum papi_vpmu_deliver deliver_to_thread(
	struct papi_vpmu_thread *thread, struct papi_vpmu_delivery *delivery, bool fault)
{
	if (fault && papi_vpmu_step_trap(thread, delivery))
		return PAPI_VPMU_DELIVER_RETURN;
	return deliver_to_program(thread, delivery);
}

/* All signals are blocked yet. From now on those for faults are not: accesses to the program's memory may fail. Where
 * one delivery has interrupted another there are none, and whoever sends fast would never let them end. */
static void begin_delivery(struct papi_vpmu_thread *thread, struct papi_vpmu_delivery *delivery)
{
	if (thread->signals.early_mask)
		delivery->mask = thread->signals.early_mask;
	thread->signals.early_mask = 0;
	if (thread->delivering == 1)
		papi_vpmu_mask_set(papi_vpmu_all_signals);
}

enum papi_vpmu_deliver papi_vpmu_signal_deliver(struct papi_vpmu_thread *thread, struct papi_vpmu_delivery *delivery)
{
	uint64_t pc = papi_vpmu_context_pc(delivery->context);
	bool fault = papi_vpmu_signal_is_fault(delivery->info);

	if (is_child(thread))
		return deliver_to_child(thread, delivery);
	if (is_coming_back(pc)) {
		pc = thread->code;
		papi_vpmu_context_set_pc(delivery->context, pc);
	}
	begin_delivery(thread, delivery);
	if (fault && thread->guard) {
		papi_vpmu_context_set_pc(delivery->context, (uint64_t)(uintptr_t)papi_vpmu_guard_failed);
		return PAPI_VPMU_DELIVER_RETURN;
	}
	if (fault && (is_in_entry(pc) || is_in_delivery(thread, pc) || is_in_runtime(thread, pc)))
		return die(thread, delivery, delivery->number);
	if (is_in_entry(pc))
		put_off_at_entry(thread, delivery);
	else if (!is_in_delivery(thread, pc) && is_in_runtime(thread, pc))
		put_off_in_runtime(thread, delivery);
	else if (is_in_delivery(thread, pc) || (!fault && is_on_the_way(thread)))
		put_off(delivery, 0);
	else
		return deliver_to_thread(thread, delivery, fault);
	return PAPI_VPMU_DELIVER_RETURN;
}

void papi_vpmu_signal_returned(struct papi_vpmu_thread *thread, struct papi_vpmu_context *context)
{
	unsigned shows = papi_vpmu_frame_read_note(context, (uint64_t)(uintptr_t)context);

	if (thread->active && shows && !is_child(thread))
		papi_vpmu_frame_hide(thread, context, shows);
}
