/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/x86_64/frame.h"

#include <stddef.h>
#include <sys/syscall.h>

#include "components/vpmu/translator/cache.h"
#include "components/vpmu/translator/processor.h"
#include "components/vpmu/translator/runtime.h"
#include "components/vpmu/translator/signals.h"
#include "components/vpmu/translator/thread.h"
#include "components/vpmu/translator/trace.h"
#include "components/vpmu/translator/wants.h"
#include "components/vpmu/x86_64/recover.h"
#include "components/vpmu/x86_64/translate/offsets.h"
#include "components/vpmu/x86_64/step.h"

/* DF, RF, TF: the kernel calls handlers without them. */
#define CLEARED_FLAGS 0x10500u

#define TRAP_FLAG 0x100u

const uint64_t papi_vpmu_processor_red_zone = 128;
const bool papi_vpmu_processor_needs_restorer = true;
const uint64_t papi_vpmu_context_size = sizeof(struct papi_vpmu_context);
_Static_assert(sizeof(struct papi_vpmu_context) <= PAPI_VPMU_CONTEXT_SIZE, "more than there is room for");

/* Where a context has the registers, by the numbers that the processor gives them. */
static const unsigned char places[16] = {
	[RAX] = REG_RAX,
	[RCX] = REG_RCX,
	[RDX] = REG_RDX,
	[RBX] = REG_RBX,
	[RSP] = REG_RSP,
	[RBP] = REG_RBP,
	[RSI] = REG_RSI,
	[RDI] = REG_RDI,
	[R8] = REG_R8,
	[R9] = REG_R9,
	[R10] = REG_R10,
	[R11] = REG_R11,
	[R12] = REG_R12,
	[R13] = REG_R13,
	[R14] = REG_R14,
	[R15] = REG_R15,
};

uint64_t papi_vpmu_context_pc(const struct papi_vpmu_context *context)
{
	return context->registers[REG_RIP];
}

void papi_vpmu_context_set_pc(struct papi_vpmu_context *context, uint64_t pc)
{
	context->registers[REG_RIP] = pc;
}

uint64_t papi_vpmu_context_stack_pointer(const struct papi_vpmu_context *context)
{
	return context->registers[REG_RSP];
}

uint64_t *papi_vpmu_context_mask(struct papi_vpmu_context *context)
{
	return &context->mask;
}

struct papi_vpmu_signal_stack *papi_vpmu_context_stack(struct papi_vpmu_context *context)
{
	return &context->stack;
}

uint64_t *papi_vpmu_context_note(struct papi_vpmu_context *context)
{
	return &context->reserved[0];
}

const char *papi_vpmu_context_obstacle(const struct papi_vpmu_context *context)
{
	return context->registers[REG_EFL] & TRAP_FLAG ? PAPI_VPMU_STEPS_ITSELF : NULL;
}

void papi_vpmu_context_hide(struct papi_vpmu_context *context, struct papi_vpmu_thread *thread)
{
	(void)thread;
	context->registers[REG_RIP] = (uint64_t)(uintptr_t)papi_vpmu_dispatch;
}

void papi_vpmu_context_show(struct papi_vpmu_context *context, const struct papi_vpmu_thread *thread)
{
	for (unsigned i = 0; i < 16; i++)
		context->registers[places[i]] = thread->registers[i];
	context->registers[REG_RIP] = thread->pc;
	context->registers[REG_EFL] = thread->flags;
}

_Static_assert(offsetof(ucontext_t, uc_mcontext.gregs) == offsetof(struct papi_vpmu_context, registers),
	"contexts have registers in two places");

void papi_vpmu_processor_show(const struct papi_vpmu_thread *thread, ucontext_t *context)
{
	for (unsigned i = 0; i < sizeof(*context); i++)
		((unsigned char *)context)[i] = 0;
	papi_vpmu_context_show((struct papi_vpmu_context *)(void *)context, thread);
	context->uc_mcontext.fpregs = (fpregset_t)(uintptr_t)thread->vector_state;
}

bool papi_vpmu_context_recover(struct papi_vpmu_context *context, struct papi_vpmu_thread *thread)
{
	struct papi_vpmu_state state = { .pc = context->registers[REG_RIP], .flags = context->registers[REG_EFL] };

	for (unsigned i = 0; i < 16; i++)
		state.registers[i] = context->registers[places[i]];
	papi_vpmu_trace_catch_up(thread);
	if (!papi_vpmu_recover(thread, &state))
		return false;
	for (unsigned i = 0; i < 16; i++)
		context->registers[places[i]] = state.registers[i];
	context->registers[REG_RIP] = state.pc;
	context->registers[REG_EFL] = state.flags;
	return true;
}

/* At the instruction before which the block has left, in one that begins there. */
uint64_t papi_vpmu_check_interrupted(struct papi_vpmu_thread *thread)
{
	struct papi_vpmu_state state = { .pc = thread->code, .flags = thread->flags };

	for (unsigned i = 0; i < 16; i++)
		state.registers[i] = thread->registers[i];
	papi_vpmu_processor_save_vectors(thread);
	papi_vpmu_recover(thread, &state);
	papi_vpmu_processor_restore_vectors(thread);
	for (unsigned i = 0; i < 16; i++)
		thread->registers[i] = state.registers[i];
	thread->flags = state.flags;
	thread->pc = state.pc;
	thread->exit = PAPI_VPMU_EXIT_CONTINUE;
	return papi_vpmu_runtime_continue(thread);
}

/* Records may ask for places of code, which is not to be done under the lock. */
uint64_t papi_vpmu_check_trace(struct papi_vpmu_thread *thread)
{
	papi_vpmu_trace_drain(thread);
	papi_vpmu_cache_lock();
	papi_vpmu_thread_trace(thread, true);
	papi_vpmu_cache_unlock();
	return papi_vpmu_check_interrupted(thread);
}

static uint64_t size_of_vectors(uint64_t vectors)
{
	const uint32_t magic = 0x46505853; /* says that xsave's format with its size follows */
	const uint32_t *words = (const uint32_t *)(uintptr_t)(vectors + 464);

	if (!vectors)
		return 0;
	return words[0] == magic ? words[1] : 512;
}

bool papi_vpmu_frame_move(
	struct papi_vpmu_delivery *delivery, uint64_t top, bool (*copy)(void *, const void *, uint64_t))
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

void papi_vpmu_frame_call_handler(struct papi_vpmu_thread *thread, const struct papi_vpmu_delivery *delivery)
{
	thread->registers[RAX] = 0;
	thread->registers[RDI] = delivery->number;
	thread->registers[RSI] = (uint64_t)(uintptr_t)delivery->info;
	thread->registers[RDX] = (uint64_t)(uintptr_t)delivery->context;
	thread->registers[RSP] = (uint64_t)(uintptr_t)delivery->frame;
	thread->flags = delivery->context->registers[REG_EFL] & ~(uint64_t)CLEARED_FLAGS;
	thread->pc = delivery->handler;
}

void papi_vpmu_processor_leave_stack(const struct papi_vpmu_signal_stack *stack)
{
	long result;

	__asm__ volatile("mov %%rsp, %%rbx; mov %%rdi, %%rsp; syscall; mov %%rbx, %%rsp"
			 : "=a"(result)
			 : "a"(SYS_sigaltstack), "D"(stack), "S"(0)
			 : "rbx", "rcx", "r11", "memory");
}
