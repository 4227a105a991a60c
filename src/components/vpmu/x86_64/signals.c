/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/x86_64/signals.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>

#include "components/vpmu/translator/actions.h"
#include "components/vpmu/x86_64/cache.h"
#include "components/vpmu/x86_64/dispatch.h"
#include "components/vpmu/x86_64/guard.h"
#include "components/vpmu/x86_64/library.h"
#include "components/vpmu/translator/processor.h"
#include "components/vpmu/x86_64/recover.h"
#include "components/vpmu/x86_64/runtime.h"
#include "components/vpmu/x86_64/step.h"

/* What a frame shows, in its reserved word: nothing when the engine had no part in it. The address of the frame is
 * mixed in, for the word is not cleared by anybody. */
#define SHOWS_PROGRAM 1u /* the program, in the place of its translation */
#define SHOWS_NATIVE  2u /* what really ran */
#define SHOWS_LIBRARY 4u /* in_library was set */
#define SHOWS         7u
#define MIXED_IN      0x9e3779b97f4a7c10u

#define ON_STACK    0x08000000u       /* SA_ONSTACK */
#define NO_DEFER    0x40000000u       /* SA_NODEFER */
#define AUTO_DISARM ((int)(1u << 31)) /* SS_AUTODISARM */

#define TRAP_FLAG 0x100u

/* DF, RF, TF: the kernel calls handlers without them. */
#define CLEARED_FLAGS 0x10500u

/* By the number that x86 gives a register. */
static const unsigned char frame_registers[16] = {
	FRAME_RAX,
	FRAME_RCX,
	FRAME_RDX,
	FRAME_RBX,
	FRAME_RSP,
	FRAME_RBP,
	FRAME_RSI,
	FRAME_RDI,
	FRAME_R8,
	FRAME_R9,
	FRAME_R10,
	FRAME_R11,
	FRAME_R12,
	FRAME_R13,
	FRAME_R14,
	FRAME_R15,
};

static bool is_within(uint64_t address, uint64_t start, uint64_t size)
{
	return address - start < size;
}

static bool is_between(uint64_t address, void (*start)(void), void (*end)(void))
{
	return address >= (uint64_t)(uintptr_t)start && address < (uint64_t)(uintptr_t)end;
}

/* A fault of an instruction, not something that was sent. */
static bool is_fault(const struct papi_vpmu_signal_info *info)
{
	const int sampled = 6, failing_memory_elsewhere = 5; /* TRAP_PERF, BUS_MCEERR_AO */

	if (!papi_vpmu_action_is_fault((uint64_t)info->number) || info->code <= 0)
		return false;
	return !(info->number == SIGTRAP && info->code == sampled) &&
		!(info->number == SIGBUS && info->code == failing_memory_elsewhere);
}

/* The instruction is still to be run, and will do the same. */
static bool comes_again(const struct papi_vpmu_signal_info *info)
{
	return is_fault(info) && info->number != SIGTRAP;
}

/* ---- putting off ---- */

/* Those for faults are not blocked while the engine works: this one is then, for it would come at once. */
static void send_again(const struct papi_vpmu_signal_info *info)
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

/* In the handler, whose work must not be done twice at once. */
static bool is_in_delivery(const struct papi_vpmu_thread *thread, uint64_t pc)
{
	return thread->delivering > 1 || is_between(pc, papi_vpmu_signal_blocked, papi_vpmu_signal_end);
}

/* dispatch.S, but for the way out of the runtime. */
static bool is_in_runtime(const struct papi_vpmu_thread *thread, uint64_t pc)
{
	return thread->in_runtime || is_between(pc, papi_vpmu_jump_miss, papi_vpmu_resume) ||
		is_between(pc, papi_vpmu_gate_enter, papi_vpmu_gate_entered) ||
		pc == (uint64_t)(uintptr_t)papi_vpmu_gate_return;
}

static void put_off(const struct papi_vpmu_delivery *delivery, uint64_t until)
{
	delivery->frame->context.mask |= until | papi_vpmu_mask_of(delivery->number);
	send_again(delivery->info);
}

/* Until the runtime is done, and restores the mask. */
static void put_off_in_runtime(struct papi_vpmu_thread *thread, const struct papi_vpmu_delivery *delivery)
{
	if (!thread->deferred)
		thread->deferred_mask = delivery->frame->context.mask;
	thread->deferred = 1;
	put_off(delivery, papi_vpmu_all_signals);
}

/* Until the handler that had hardly begun has come to its end. It asks the kernel for its mask, too late now. */
static void put_off_at_entry(struct papi_vpmu_thread *thread, const struct papi_vpmu_delivery *delivery)
{
	thread->signals.early_mask = delivery->frame->context.mask;
	thread->signals.mask_is_early = true;
	put_off(delivery, papi_vpmu_all_signals);
}

/* ---- what was interrupted ---- */

static void read_frame(const struct papi_vpmu_context *context, struct papi_vpmu_state *state)
{
	for (unsigned i = 0; i < 16; i++)
		state->registers[i] = context->registers[frame_registers[i]];
	state->pc = context->registers[FRAME_PC];
	state->flags = context->registers[FRAME_FLAGS];
}

static void write_frame(struct papi_vpmu_context *context, const struct papi_vpmu_state *state)
{
	for (unsigned i = 0; i < 16; i++)
		context->registers[frame_registers[i]] = state->registers[i];
	context->registers[FRAME_PC] = state->pc;
	context->registers[FRAME_FLAGS] = state->flags;
}

static void read_thread(const struct papi_vpmu_thread *thread, struct papi_vpmu_state *state)
{
	for (unsigned i = 0; i < 16; i++)
		state->registers[i] = thread->registers[i];
	state->pc = thread->pc;
	state->flags = thread->flags;
}

/* Makes the frame show the program. Returns what it shows then. */
static unsigned show_program(struct papi_vpmu_thread *thread, const struct papi_vpmu_delivery *delivery)
{
	unsigned library = thread->in_library ? SHOWS_LIBRARY : 0;
	struct papi_vpmu_context *context = delivery->context;
	struct papi_vpmu_state state;
	uint64_t pc;

	read_frame(context, &state);
	pc = state.pc;
	if (is_between(pc, papi_vpmu_resume, papi_vpmu_resume_end))
		read_thread(thread, &state);
	else if (!papi_vpmu_cache_holds(pc) || !papi_vpmu_recover(thread, &state))
		return SHOWS_NATIVE | library;
	write_frame(context, &state);
	/* Of SIGILL, SIGFPE and a trap: the instruction's. */
	if (is_fault(delivery->info) && delivery->info->address == pc)
		delivery->info->address = state.pc;
	return (thread->active ? SHOWS_PROGRAM : SHOWS_NATIVE) | library;
}

/* ---- the frame ---- */

static bool is_on_stack(const struct papi_vpmu_signal_stack *stack, uint64_t address)
{
	return stack->size && address - stack->start <= stack->size && address > stack->start;
}

static uint64_t size_of_vectors(uint64_t vectors)
{
	const uint32_t magic = 0x46505853; /* says that xsave's format with its size follows */
	const uint32_t *words = (const uint32_t *)(uintptr_t)(vectors + 464);

	if (!vectors)
		return 0;
	return words[0] == magic ? words[1] : 512;
}

/* Where the kernel would have put it. copy: returns false when it cannot be written there. */
static bool move_frame(struct papi_vpmu_delivery *delivery, uint64_t top, bool (*copy)(void *, const void *, uint64_t))
{
	struct papi_vpmu_frame *old = delivery->frame;
	uint64_t size = size_of_vectors(old->context.vectors), vectors = (top - size) & ~(uint64_t)63;
	uint64_t place = ((vectors - sizeof(*old)) & ~(uint64_t)15) - 8;
	struct papi_vpmu_frame *frame = (struct papi_vpmu_frame *)(uintptr_t)place;

	if (!copy((void *)(uintptr_t)vectors, (const void *)(uintptr_t)old->context.vectors, size))
		return false;
	if (old->context.vectors)
		old->context.vectors = vectors;
	if (!copy(frame, old, sizeof(*old)))
		return false;
	delivery->frame = frame;
	delivery->context = &frame->context;
	delivery->info = &frame->info;
	return true;
}

static bool place_frame(
	struct papi_vpmu_thread *thread, struct papi_vpmu_delivery *delivery, const struct papi_vpmu_action *action)
{
	const uint64_t red_zone = 128, lowest = (uint64_t)(uintptr_t)thread->runtime_stack;
	struct papi_vpmu_signal_stack *stack = &thread->signals.stack;
	uint64_t top = delivery->context->registers[FRAME_RSP] - red_zone;

	if (!thread->signals.own_stack)
		return true;
	delivery->context->stack = *stack;
	if (!is_within((uint64_t)(uintptr_t)delivery->frame, lowest, sizeof(thread->runtime_stack)))
		return true;
	if (action->flags & ON_STACK && stack->size && !is_on_stack(stack, top + red_zone)) {
		top = stack->start + stack->size;
		if (stack->flags & AUTO_DISARM)
			*stack = (struct papi_vpmu_signal_stack){ .flags = SS_DISABLE };
	}
	return move_frame(delivery, top, papi_vpmu_guarded_copy);
}

static uint64_t *shows_of(struct papi_vpmu_context *context)
{
	return &context->reserved[0];
}

static uint64_t mixed(uint64_t address, unsigned shows)
{
	return (address ^ MIXED_IN) + shows;
}

/* 0: the engine did not make it. */
static unsigned read_shows(struct papi_vpmu_context *context, uint64_t address)
{
	uint64_t difference = *shows_of(context) - mixed(address, 0);

	return difference <= SHOWS ? (unsigned)difference : 0;
}

/* ---- delivery ---- */

/* The process ends as it would have without us, where it would have. */
static enum papi_vpmu_deliver die(struct papi_vpmu_thread *thread, struct papi_vpmu_delivery *delivery, uint64_t number)
{
	thread->active = false;
	thread->lost = "a signal came that ends the process";
	papi_vpmu_action_make_default(number);
	delivery->context->mask &= ~papi_vpmu_mask_of(number);
	if (!comes_again(delivery->info) || number != delivery->number) {
		struct papi_vpmu_signal_info info = *delivery->info;

		info.number = (int)number;
		send_again(&info);
	}
	return PAPI_VPMU_DELIVER_RETURN;
}

static enum papi_vpmu_deliver run_translated(
	struct papi_vpmu_thread *thread, struct papi_vpmu_delivery *delivery, uint64_t mask)
{
	thread->signals.handlers++;
	thread->registers[RAX] = 0;
	thread->registers[RDI] = delivery->number;
	thread->registers[RSI] = (uint64_t)(uintptr_t)delivery->info;
	thread->registers[RDX] = (uint64_t)(uintptr_t)delivery->context;
	thread->registers[RSP] = (uint64_t)(uintptr_t)delivery->frame;
	thread->flags = delivery->context->registers[FRAME_FLAGS] & ~(uint64_t)CLEARED_FLAGS;
	thread->pc = delivery->handler;
	thread->in_library = false;
	thread->deferred = 1; /* until it is there: then the handler's mask is in force */
	thread->deferred_mask = mask;
	thread->in_runtime = 1;
	thread->code = papi_vpmu_runtime_continue(thread);
	/* The frame is on the program's stack; where the runtime has none of its own, below it. */
	delivery->stack = thread->signals.own_stack ? thread->stack : (uint64_t)(uintptr_t)delivery->frame;
	return PAPI_VPMU_DELIVER_TRANSLATED;
}

/* Whether the signal waits while its handler runs. To the kernel the engine says so always (actions.c). */
static bool is_blocked_by(const struct papi_vpmu_action *action, uint64_t number)
{
	return !(action->flags & NO_DEFER) || action->mask & papi_vpmu_mask_of(number);
}

/* The masks that the program would see: of what was interrupted, and of the handler. */
static uint64_t settle_masks(struct papi_vpmu_thread *thread, const struct papi_vpmu_delivery *delivery,
	const struct papi_vpmu_action *action)
{
	uint64_t mask = delivery->mask, own = papi_vpmu_mask_of(delivery->number);

	if (thread->deferred) {
		delivery->context->mask = thread->deferred_mask;
		mask = thread->deferred_mask | action->mask;
	}
	thread->deferred = 0;
	return is_blocked_by(action, delivery->number) ? mask | own : mask & ~own;
}

static bool is_function(uint64_t handler)
{
	return handler != (uint64_t)(uintptr_t)SIG_DFL && handler != (uint64_t)(uintptr_t)SIG_IGN;
}

static enum papi_vpmu_deliver deliver_to_program(struct papi_vpmu_thread *thread, struct papi_vpmu_delivery *delivery)
{
	struct papi_vpmu_action action = papi_vpmu_action_take(delivery->number);
	unsigned shows;
	uint64_t mask;

	if (action.handler == (uint64_t)(uintptr_t)SIG_IGN && !is_fault(delivery->info))
		return PAPI_VPMU_DELIVER_RETURN;
	mask = settle_masks(thread, delivery, &action);
	shows = show_program(thread, delivery);
	if (!is_function(action.handler))
		return die(thread, delivery, delivery->number);
	if (!place_frame(thread, delivery, &action))
		return die(thread, delivery, SIGSEGV);
	*shows_of(delivery->context) = mixed((uint64_t)(uintptr_t)delivery->context, shows);
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
	*shows_of(delivery->context) = 0;
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
	if (thread->signals.step && fault && papi_vpmu_step_trap(thread, delivery))
		return PAPI_VPMU_DELIVER_RETURN;
	return deliver_to_program(thread, delivery);
}

/* All signals are blocked yet. From now on those for faults are not: accesses to the program's memory may fail. Where
 * one delivery has interrupted another there are none, and whoever sends fast would never let them end. */
static void begin_delivery(struct papi_vpmu_thread *thread, struct papi_vpmu_delivery *delivery)
{
	if (thread->signals.mask_is_early)
		delivery->mask = thread->signals.early_mask;
	thread->signals.mask_is_early = false;
	if (thread->delivering == 1)
		papi_vpmu_mask_set(papi_vpmu_all_signals);
}

enum papi_vpmu_deliver papi_vpmu_signal_deliver(struct papi_vpmu_thread *thread, struct papi_vpmu_delivery *delivery)
{
	struct papi_vpmu_context *context = delivery->context;
	uint64_t pc = context->registers[FRAME_PC];
	bool fault = is_fault(delivery->info);

	if (is_child(thread))
		return deliver_to_child(thread, delivery);
	begin_delivery(thread, delivery);
	if (fault && thread->guard) {
		context->registers[FRAME_PC] = (uint64_t)(uintptr_t)papi_vpmu_guard_failed;
		return PAPI_VPMU_DELIVER_RETURN;
	}
	if (fault && (is_in_entry(pc) || is_in_delivery(thread, pc) || is_in_runtime(thread, pc)))
		return die(thread, delivery, delivery->number);
	if (is_in_entry(pc))
		put_off_at_entry(thread, delivery);
	else if (is_in_delivery(thread, pc))
		put_off(delivery, 0); /* whichever way that ends, it sets another mask */
	else if (is_in_runtime(thread, pc))
		put_off_in_runtime(thread, delivery);
	else
		return deliver_to_thread(thread, delivery, fault);
	return PAPI_VPMU_DELIVER_RETURN;
}

/* The frame is about to be returned from: where it shows the program, it will lead there through the dispatcher. */
static void hide_program(struct papi_vpmu_thread *thread, struct papi_vpmu_context *context, unsigned shows)
{
	if (thread->signals.own_stack) {
		if (!is_on_stack(&thread->signals.stack, context->registers[FRAME_RSP]))
			thread->signals.stack = context->stack;
		context->stack = (struct papi_vpmu_signal_stack){ .start = (uint64_t)(uintptr_t)thread->runtime_stack,
			.size = sizeof(thread->runtime_stack) };
	}
	thread->in_library = (shows & SHOWS_LIBRARY) != 0;
	if (shows & SHOWS_NATIVE)
		return;
	thread->pc = context->registers[FRAME_PC];
	thread->exit = PAPI_VPMU_EXIT_CONTINUE;
	context->registers[FRAME_PC] = (uint64_t)(uintptr_t)papi_vpmu_dispatch;
}

void papi_vpmu_signal_returned(struct papi_vpmu_thread *thread, struct papi_vpmu_frame *frame)
{
	unsigned shows = read_shows(&frame->context, (uint64_t)(uintptr_t)&frame->context);

	if (thread->active && shows && !is_child(thread))
		hide_program(thread, &frame->context, shows);
}

void papi_vpmu_signals_return(struct papi_vpmu_thread *thread)
{
	uint64_t address = thread->registers[RSP];
	struct papi_vpmu_context *place = (struct papi_vpmu_context *)(uintptr_t)address, context;
	unsigned shows;

	if (!papi_vpmu_guarded_copy(&context, place, sizeof(context)))
		papi_vpmu_signal_leave(); /* the kernel will say what it makes of it */
	shows = read_shows(&context, address);
	if (!shows && papi_vpmu_library_holds(context.registers[FRAME_PC])) {
		/* A handler that interrupted the library has started to count: the middle of the library is no place
		 * to. */
		thread->active = false;
		papi_vpmu_thread_lose(
			thread, "a signal handler that had interrupted the library started to count and did not stop");
	}
	papi_vpmu_signals_block();
	if (thread->active && context.registers[FRAME_FLAGS] & TRAP_FLAG)
		papi_vpmu_runtime_go_native(thread, PAPI_VPMU_STEPS_ITSELF);
	thread->deferred = 0; /* the frame's mask lets them come */
	if (thread->active)
		hide_program(thread, &context, shows ? shows : SHOWS_PROGRAM);
	*shows_of(&context) = 0;
	papi_vpmu_guarded_copy(place, &context, sizeof(context));
	papi_vpmu_signal_leave();
}

/* ---- threads that are not watched ---- */

static bool plain_copy(void *to, const void *from, uint64_t size)
{
	papi_vpmu_guarded_bytes((uint64_t)(uintptr_t)to, (uint64_t)(uintptr_t)from, size);
	return true;
}

/* The kernel has been told to use the alternate stack for all handlers, this one does not want it. */
static void leave_stack(struct papi_vpmu_delivery *delivery, const struct papi_vpmu_action *action)
{
	const struct papi_vpmu_signal_stack *stack = &delivery->context->stack;
	uint64_t rsp = delivery->context->registers[FRAME_RSP];

	if (!(action->flags & ON_STACK) && is_on_stack(stack, (uint64_t)(uintptr_t)delivery->frame) &&
		!is_on_stack(stack, rsp))
		move_frame(delivery, rsp - 128, plain_copy);
}

void papi_vpmu_signal_native(struct papi_vpmu_delivery *delivery)
{
	struct papi_vpmu_action action = papi_vpmu_action_take(delivery->number);

	delivery->handler = 0;
	if (is_function(action.handler)) {
		delivery->handler = action.handler;
		leave_stack(delivery, &action);
		if (!is_blocked_by(&action, delivery->number)) {
			delivery->mask &= ~papi_vpmu_mask_of(delivery->number);
			papi_vpmu_mask_change(SIG_UNBLOCK, papi_vpmu_mask_of(delivery->number));
		}
		return;
	}
	if (action.handler == (uint64_t)(uintptr_t)SIG_IGN && !is_fault(delivery->info))
		return;
	papi_vpmu_action_make_default(delivery->number);
	if (!comes_again(delivery->info))
		send_again(delivery->info);
}

uint64_t papi_vpmu_signal_handler(uint64_t number)
{
	uint64_t handler = papi_vpmu_action_get(number).handler;

	return is_function(handler) ? handler : (uint64_t)(uintptr_t)papi_vpmu_signal_nothing;
}

/* ---- coming and going ---- */

void papi_vpmu_signals_enter(struct papi_vpmu_thread *thread, uint64_t mask)
{
	thread->signals.tid = (int)papi_vpmu_raw(SYS_gettid, 0, 0, 0, 0, 0, 0);
	thread->signals.waiting = true;
	thread->deferred_mask = mask;
	if (thread->watched)
		return;
	thread->watched = 1;
	papi_vpmu_actions_enter();
}

void papi_vpmu_signals_release(struct papi_vpmu_thread *thread)
{
	if (!__atomic_load_n(&thread->deferred, __ATOMIC_RELAXED))
		return;
	thread->deferred = 0;
	papi_vpmu_signals_unblock(thread->deferred_mask);
}

void papi_vpmu_signals_take_stack(struct papi_vpmu_thread *thread)
{
	struct papi_vpmu_signal_stack own = { .start = (uint64_t)(uintptr_t)thread->runtime_stack,
		.size = sizeof(thread->runtime_stack) };

	if (!thread->signals.own_stack)
		thread->signals.own_stack = !papi_vpmu_raw(
			SYS_sigaltstack, (long)&own, (long)&thread->signals.stack, 0, 0, 0, 0);
}

/* From the runtime, which is on that stack: the kernel wants the call to come from elsewhere. No signal may come
 * there. */
static void give_stack_back_from_it(const struct papi_vpmu_signal_stack *stack)
{
	uint64_t mask = papi_vpmu_mask_set(UINT64_MAX);
	long result;

	__asm__ volatile("mov %%rsp, %%rbx; mov %%rdi, %%rsp; syscall; mov %%rbx, %%rsp"
			 : "=a"(result)
			 : "a"(SYS_sigaltstack), "D"(stack), "S"(0)
			 : "rbx", "rcx", "r11", "memory");
	papi_vpmu_mask_set(mask);
}

static void give_stack_back(struct papi_vpmu_thread *thread)
{
	const struct papi_vpmu_signal_stack *stack = &thread->signals.stack;

	if (!thread->signals.own_stack)
		return;
	if (is_within((uint64_t)(uintptr_t)__builtin_frame_address(0), (uint64_t)(uintptr_t)thread->runtime_stack,
		    sizeof(thread->runtime_stack)))
		give_stack_back_from_it(stack);
	else
		papi_vpmu_raw(SYS_sigaltstack, (long)stack, 0, 0, 0, 0, 0);
	thread->signals.own_stack = false;
}

void papi_vpmu_signals_leave(struct papi_vpmu_thread *thread)
{
	thread->deferred = thread->signals.waiting = false;
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
	thread->signals.tid = (int)papi_vpmu_raw(SYS_gettid, 0, 0, 0, 0, 0, 0);
	thread->watched = thread->guard = 0;
	thread->signals.step = 0;
	thread->signals.waiting = thread->signals.mask_is_early = false;
}

/* ---- system calls ---- */

uint64_t papi_vpmu_signals_action(struct papi_vpmu_thread *thread)
{
	const uint64_t *r = thread->registers;
	const void *from = (const void *)(uintptr_t)r[RSI];
	void *to = (void *)(uintptr_t)r[RDX];
	struct papi_vpmu_action new, old;
	long status;

	if (r[R10] != sizeof(new.mask))
		return (uint64_t)-EINVAL;
	if (from && !papi_vpmu_guarded_copy(&new, from, sizeof(new)))
		return (uint64_t)-EFAULT;
	status = papi_vpmu_action_change(r[RDI], from ? &new : NULL, &old);
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

uint64_t papi_vpmu_signals_stack(struct papi_vpmu_thread *thread)
{
	const uint64_t *r = thread->registers;
	struct papi_vpmu_signal_stack *stack = &thread->signals.stack, new, old = *stack;
	bool in_use = is_on_stack(stack, r[RSP]) && !(stack->flags & AUTO_DISARM);
	long status = 0;

	if (!thread->signals.own_stack)
		return (uint64_t)papi_vpmu_raw(SYS_sigaltstack, (long)r[RDI], (long)r[RSI], 0, 0, 0, 0);
	if (!old.size)
		old.flags = SS_DISABLE;
	else if (in_use)
		old.flags |= SS_ONSTACK;
	if (r[RDI] && !papi_vpmu_guarded_copy(&new, (const void *)(uintptr_t)r[RDI], sizeof(new)))
		return (uint64_t)-EFAULT;
	if (r[RDI])
		status = change_stack(stack, new, in_use);
	if (!status && r[RSI] && !papi_vpmu_guarded_copy((void *)(uintptr_t)r[RSI], &old, sizeof(old)))
		status = -EFAULT;
	return (uint64_t)status;
}
