/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Between two instructions of the program: finds the code to go on at. The program's vector registers are live; the
 * compiler keeps off them (-mgeneral-regs-only), and libraries are called between saving and restoring them.
 */
#include <signal.h>
#include <stddef.h>

#include "components/vpmu/translator/cache.h"
#include "components/vpmu/translator/calls.h"
#include "components/vpmu/translator/gates.h"
#include "components/vpmu/translator/guard.h"
#include "components/vpmu/translator/jumps.h"
#include "components/vpmu/translator/library.h"
#include "components/vpmu/translator/moved.h"
#include "components/vpmu/translator/overflow.h"
#include "components/vpmu/translator/processor.h"
#include "components/vpmu/translator/runtime.h"
#include "components/vpmu/translator/signals.h"
#include "components/vpmu/translator/syscalls.h"
#include "components/vpmu/translator/trace.h"
#include "components/vpmu/translator/wants.h"

static uint64_t translate_for_guard(uint64_t thread, uint64_t flavour, uint64_t indirect)
{
	return (uint64_t)(uintptr_t)papi_vpmu_translate((const struct papi_vpmu_thread *)(uintptr_t)thread,
		(struct papi_vpmu_flavour *)(uintptr_t)flavour, indirect);
}

/* The program's code may be gone by the time it is looked at: what happens there, happens to the program. */
static struct papi_vpmu_block *translate_guarded(
	const struct papi_vpmu_thread *thread, struct papi_vpmu_flavour *flavour, bool indirect)
{
	uint64_t block = papi_vpmu_guarded(
		translate_for_guard, (uint64_t)(uintptr_t)thread, (uint64_t)(uintptr_t)flavour, indirect);

	return block == PAPI_VPMU_GUARD_FAILED ? papi_vpmu_translate_step(thread, flavour)
					       : (struct papi_vpmu_block *)(uintptr_t)block;
}

/* When the cache is full, all starts again. */
static struct papi_vpmu_block *translate(
	struct papi_vpmu_thread *thread, struct papi_vpmu_flavour *flavour, bool indirect)
{
	struct papi_vpmu_block *block;

	papi_vpmu_processor_save_vectors(thread);
	block = translate_guarded(thread, flavour, indirect);
	if (!block) {
		papi_vpmu_cache_flush();
		papi_vpmu_cache_pass(thread);
		block = translate_guarded(thread, flavour, indirect);
	}
	papi_vpmu_processor_restore_vectors(thread);
	return block;
}

/* glibc's, since 2.35: where the area of restartable sequences is, from the thread pointer. */
extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned __rseq_size __attribute__((weak));

/* The kernel sends a thread that is interrupted within one to its beginning, by its pc: in translated code it cannot
 * tell. The second word of the area names the last one that the thread has entered. */
static bool has_restartable_sequence(void)
{
	if (!&__rseq_size || !&__rseq_offset || !__rseq_size)
		return false;
	return *(const volatile uint64_t *)(uintptr_t)(papi_vpmu_processor_thread_pointer() + (uint64_t)__rseq_offset +
		       8) != 0;
}

/* The translation of the thread's pc; the lock is held. NULL when memory has ended, or the program cannot be translated
 * any more. */
static struct papi_vpmu_block *find(struct papi_vpmu_thread *thread, struct papi_vpmu_flavour *flavour, bool indirect)
{
	struct papi_vpmu_block *block = papi_vpmu_cache_find(flavour, thread->pc);

	if (!block && !has_restartable_sequence())
		block = translate(thread, flavour, indirect);
	return block;
}

/* What cannot be counted to the end must not look as if it had been. */
uint64_t papi_vpmu_runtime_go_native(struct papi_vpmu_thread *thread, const char *reason)
{
	uint64_t mask = papi_vpmu_signals_take_mask(thread);

	thread->active = false;
	papi_vpmu_thread_lose(thread, reason);
	papi_vpmu_gates_close(thread);
	papi_vpmu_signals_leave(thread);
	/* Until the program's registers are its own again. */
	papi_vpmu_signals_hold(thread, PAPI_VPMU_SIGNALS_DEFERRED, mask);
	return thread->pc;
}

/* From the second on, indirect branches to that pc find the block by themselves. Many places are reached once, and
 * memory that is touched the first time takes longer than the dispatcher. */
static void enter_into_jumps(struct papi_vpmu_thread *thread, struct papi_vpmu_block *block)
{
	papi_vpmu_processor_save_vectors(thread);
	papi_vpmu_processor_enter_jump(thread, block);
	papi_vpmu_processor_restore_vectors(thread);
}

/* The library's code ends where it returns to the program. */
static struct papi_vpmu_flavour *flavour_at(const struct papi_vpmu_thread *thread, uint64_t pc, bool returned)
{
	if (!thread->in_library)
		return thread->flavour;
	return returned && !papi_vpmu_library_holds(pc) ? thread->flavour : thread->library;
}

/* The block, if its weight is within the budget; else only its first instruction. A block that weighs less than it says
 * has to be let pass all the same: it is given what it asks for, and nothing is left behind it. */
static uint64_t pace(struct papi_vpmu_thread *thread, const struct papi_vpmu_block *block)
{
	int32_t weight = block->weight;

	if (weight > thread->budget)
		weight = papi_vpmu_foresee(thread, block);
	thread->checked = weight > thread->budget;
	if (!thread->checked && weight < block->weight) {
		thread->budget = block->weight;
		thread->foreseen = true;
	}
	if (!thread->checked)
		return block->code;
	thread->stepped = thread->pc;
	block = find(thread, thread->stepping, false);
	return block ? block->code : papi_vpmu_runtime_go_native(thread, "memory for translated code ended");
}

/* In place of code, which is never there: the thread is to go native. Its simulators and calls need the lock for that,
 * which is held when this is found. */
static uint64_t departure(void)
{
	return (uint64_t)(uintptr_t)papi_vpmu_departing;
}

static uint64_t go_on(struct papi_vpmu_thread *thread, const struct papi_vpmu_link *link, bool indirect, bool returned)
{
	uint64_t epoch = thread->epoch;
	struct papi_vpmu_flavour *flavour = flavour_at(thread, thread->pc, returned);
	struct papi_vpmu_block *block;

	if (papi_vpmu_moved_retreats(thread))
		return departure();
	block = find(thread, flavour, indirect);
	if (!block)
		return papi_vpmu_runtime_go_native(thread,
			has_restartable_sequence() ? "the program uses restartable sequences (rseq)"
						   : "memory for translated code ended");
	thread->in_library = flavour->library;
	if (thread->signal_state == PAPI_VPMU_SIGNALS_WAITING && !flavour->library)
		papi_vpmu_signals_change(thread, PAPI_VPMU_SIGNALS_DEFERRED);
	/* Unless the code that came here has been given back meanwhile. */
	if (link && thread->epoch == epoch)
		papi_vpmu_cache_connect(thread->exit, block);
	if (indirect && block->reached && !flavour->library && !flavour->step)
		enter_into_jumps(thread, block);
	block->reached = block->reached || indirect;
	return thread->checked && !flavour->library ? pace(thread, block) : block->code;
}

/* The program has rewritten the code that it is about to run. */
static void forget_changed(struct papi_vpmu_thread *thread)
{
	struct papi_vpmu_flavour *const flavours[] = { thread->flavour, thread->library, thread->stepping };

	for (unsigned i = 0; i < sizeof(flavours) / sizeof(flavours[0]); i++) {
		struct papi_vpmu_block *block = flavours[i] ? papi_vpmu_cache_find(flavours[i], thread->pc) : NULL;

		if (block)
			papi_vpmu_cache_remove(block);
	}
}

/* Its budget is spent, or it has none and comes from a block or an instruction. */
static bool is_to_be_checked(const struct papi_vpmu_thread *thread, const struct papi_vpmu_link *link)
{
	return !thread->in_library &&
		(thread->checked || (link && !link->place && link->to_code == PAPI_VPMU_LINK_BUDGET));
}

static uint64_t step(struct papi_vpmu_thread *thread)
{
	const char *obstacle;

	papi_vpmu_processor_save_vectors(thread);
	obstacle = papi_vpmu_step_obstacle(thread->pc);
	papi_vpmu_processor_restore_vectors(thread);
	return obstacle ? papi_vpmu_runtime_go_native(thread, obstacle) : papi_vpmu_step_begin(thread);
}

/* To the branch that leads there: the processor is to say what it makes of it. */
static bool go_back(struct papi_vpmu_thread *thread)
{
	bool done;

	papi_vpmu_processor_save_vectors(thread);
	done = papi_vpmu_recover_branch(thread);
	papi_vpmu_processor_restore_vectors(thread);
	return done;
}

/* What has to be run alone, or had to when it was last translated. */
static uint64_t step_or_go_on(struct papi_vpmu_thread *thread)
{
	bool over;

	papi_vpmu_processor_save_vectors(thread);
	over = papi_vpmu_step_is_over(thread->pc);
	papi_vpmu_processor_restore_vectors(thread);
	if (!over)
		return step(thread);
	forget_changed(thread);
	return go_on(thread, NULL, false, false);
}

static uint64_t unlock(struct papi_vpmu_thread *thread, uint64_t code)
{
	papi_vpmu_cache_unlock();
	return code == departure() ? papi_vpmu_departing(thread) : code;
}

uint64_t papi_vpmu_runtime_dispatch(struct papi_vpmu_thread *thread)
{
	int64_t exit = thread->exit;
	bool is_indirect = exit == PAPI_VPMU_EXIT_INDIRECT || exit == PAPI_VPMU_EXIT_RETURN ||
		(exit == PAPI_VPMU_EXIT_CALLS && thread->pc >= papi_vpmu_processor_end_of_programs);
	bool needless = false;
	struct papi_vpmu_link link;
	uint64_t epoch, code;

	if (exit == PAPI_VPMU_EXIT_SYSCALL)
		return papi_vpmu_syscall(thread);
	if (exit == PAPI_VPMU_EXIT_TRACE)
		needless = papi_vpmu_trace_full(thread);
	if (exit == PAPI_VPMU_EXIT_CALLS || exit == PAPI_VPMU_EXIT_CONTINUE)
		papi_vpmu_trace_catch_up(thread);
	papi_vpmu_cache_lock();
	if (needless)
		papi_vpmu_thread_trace(thread, false);
	if (exit == PAPI_VPMU_EXIT_CALLS)
		papi_vpmu_calls_exit(thread);
	if (exit == PAPI_VPMU_EXIT_CONTINUE)
		papi_vpmu_calls_go_on(thread);
	if (exit >= 0) {
		link = papi_vpmu_cache_link(exit);
		thread->pc = link.pc;
	} else {
		papi_vpmu_gate_pass(thread);
	}
	if (is_to_be_checked(thread, exit >= 0 ? &link : NULL)) {
		papi_vpmu_cache_unlock();
		papi_vpmu_overflow_check(thread);
		if (!thread->active)
			return thread->pc;
		papi_vpmu_cache_lock();
	}
	epoch = thread->epoch;
	papi_vpmu_cache_pass(thread);
	if (exit >= 0 && !link.place && link.to_code == PAPI_VPMU_LINK_CHANGED)
		forget_changed(thread);
	if (exit == PAPI_VPMU_EXIT_STEP)
		code = step_or_go_on(thread);
	else if (is_indirect && thread->pc >= papi_vpmu_processor_end_of_programs && go_back(thread))
		code = step(thread);
	else
		code = go_on(thread, exit >= 0 && thread->epoch == epoch ? &link : NULL, is_indirect,
			exit == PAPI_VPMU_EXIT_RETURN);
	return unlock(thread, code);
}

uint64_t papi_vpmu_runtime_continue(struct papi_vpmu_thread *thread)
{
	/* A budget that was for one block alone: a signal may have come before that. */
	if (thread->foreseen)
		thread->checked = true;
	if (is_to_be_checked(thread, NULL)) {
		papi_vpmu_overflow_check(thread);
		if (!thread->active)
			return thread->pc;
	}
	papi_vpmu_cache_lock();
	papi_vpmu_cache_pass(thread);
	return unlock(thread, go_on(thread, NULL, false, false));
}
