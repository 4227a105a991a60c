/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/arm64/frame.h"

#include <signal.h>
#include <stddef.h>

#include "components/vpmu/arm64/recover.h"
#include "components/vpmu/arm64/translate/offsets.h"
#include "components/vpmu/arm64/vectors.h"
#include "components/vpmu/translator/guard.h"
#include "components/vpmu/translator/processor.h"
#include "components/vpmu/translator/signals.h"
#include "components/vpmu/translator/thread.h"
#include "components/vpmu/translator/trace.h"

/* Of the processor's state: N, Z, C and V. */
#define ARITHMETIC_FLAGS 0xf0000000u

const uint64_t papi_vpmu_processor_red_zone = 0;
const bool papi_vpmu_processor_needs_restorer = false;
const uint64_t papi_vpmu_context_size = sizeof(struct papi_vpmu_context);
_Static_assert(sizeof(struct papi_vpmu_context) <= PAPI_VPMU_CONTEXT_SIZE, "more than there is room for");

uint64_t papi_vpmu_context_pc(const struct papi_vpmu_context *context)
{
	return context->pc;
}

void papi_vpmu_context_set_pc(struct papi_vpmu_context *context, uint64_t pc)
{
	context->pc = pc;
}

uint64_t papi_vpmu_context_stack_pointer(const struct papi_vpmu_context *context)
{
	return context->registers[A64_SP];
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
	return &context->unused[0];
}

const char *papi_vpmu_context_obstacle(const struct papi_vpmu_context *context)
{
	(void)context;
	return NULL;
}

/* x15 and x18 are at home, as the dispatcher expects it. */
void papi_vpmu_context_hide(struct papi_vpmu_context *context, struct papi_vpmu_thread *thread)
{
	thread->registers[A64_BORROWED] = context->registers[A64_BORROWED];
	thread->registers[A64_THREAD] = context->registers[A64_THREAD];
	context->registers[A64_THREAD] = (uint64_t)(uintptr_t)thread + A64_BASE;
	context->pc = (uint64_t)(uintptr_t)papi_vpmu_dispatch;
}

void papi_vpmu_context_show(struct papi_vpmu_context *context, const struct papi_vpmu_thread *thread)
{
	for (unsigned i = 0; i < 32; i++)
		context->registers[i] = thread->registers[i];
	context->pc = thread->pc;
	context->state = (context->state & ~(uint64_t)ARITHMETIC_FLAGS) | (thread->flags & ARITHMETIC_FLAGS);
}

_Static_assert(offsetof(ucontext_t, uc_mcontext.regs) == offsetof(struct papi_vpmu_context, registers) &&
		offsetof(ucontext_t, uc_mcontext.pc) == offsetof(struct papi_vpmu_context, pc),
	"contexts have registers in two places");

void papi_vpmu_processor_show(const struct papi_vpmu_thread *thread, ucontext_t *context)
{
	uint32_t *record = (uint32_t *)(void *)context->uc_mcontext.__reserved;

	for (unsigned i = 0; i < sizeof(*context); i++)
		((unsigned char *)context)[i] = 0;
	papi_vpmu_context_show((struct papi_vpmu_context *)(void *)context, thread);
	record[0] = FPSIMD_MAGIC;
	record[1] = sizeof(struct fpsimd_context);
	papi_a64_save_vectors(record + 2);
}

bool papi_vpmu_context_recover(struct papi_vpmu_context *context, struct papi_vpmu_thread *thread)
{
	struct papi_a64_state state = { .pc = context->pc };

	for (unsigned i = 0; i < 32; i++)
		state.registers[i] = context->registers[i];
	papi_vpmu_trace_catch_up(thread);
	if (!papi_a64_recover_thread(thread, &state))
		return false;
	for (unsigned i = 0; i < 32; i++)
		context->registers[i] = state.registers[i];
	context->pc = state.pc;
	return true;
}

/* The record that says where there are more, behind all that fit; NULL. */
static uint64_t *find_extra(struct papi_vpmu_frame *frame)
{
	for (unsigned at = 0; at + 16 <= PAPI_A64_RECORDS;) {
		const uint32_t *head = (const uint32_t *)(const void *)(frame->records + at);

		if (head[0] == EXTRA_MAGIC)
			return (uint64_t *)(void *)(frame->records + at + 8);
		if (!head[0] || !head[1])
			return NULL;
		at += head[1];
	}
	return NULL;
}

/* Of the frame with what follows it. extra: address and size of that. */
static uint64_t size_of_frame(struct papi_vpmu_frame *frame, const uint64_t *extra)
{
	uint64_t start = (uint64_t)(uintptr_t)frame, end = extra ? extra[0] + (uint32_t)extra[1] : 0;

	return end > start + sizeof(*frame) ? end - start : sizeof(*frame);
}

bool papi_vpmu_frame_move(
	struct papi_vpmu_delivery *delivery, uint64_t top, bool (*copy)(void *, const void *, uint64_t))
{
	struct papi_vpmu_frame *old = delivery->frame;
	const uint64_t record[2] = { old->context.registers[29], old->context.registers[30] };
	uint64_t *extra = find_extra(old), size = size_of_frame(old, extra),
		 above = (top - sizeof(record)) & ~(uint64_t)15, place = (above - size) & ~(uint64_t)15;
	struct papi_vpmu_frame *frame = (struct papi_vpmu_frame *)(uintptr_t)place;

	if (!copy((void *)(uintptr_t)above, record, sizeof(record)))
		return false;
	if (extra)
		extra[0] += place - (uint64_t)(uintptr_t)old;
	if (!copy(frame, old, size))
		return false;
	delivery->frame = frame;
	delivery->context = &frame->context;
	delivery->info = &frame->info;
	return true;
}

/* The record is above the frame, as the kernel has put it and papi_vpmu_frame_move(). */
static uint64_t record_above(struct papi_vpmu_frame *frame)
{
	return ((uint64_t)(uintptr_t)frame + size_of_frame(frame, find_extra(frame)) + 15) & ~(uint64_t)15;
}

void papi_vpmu_frame_call_handler(struct papi_vpmu_thread *thread, const struct papi_vpmu_delivery *delivery)
{
	for (unsigned i = 0; i < 32; i++)
		thread->registers[i] = delivery->context->registers[i];
	thread->registers[0] = delivery->number;
	thread->registers[1] = (uint64_t)(uintptr_t)delivery->info;
	thread->registers[2] = (uint64_t)(uintptr_t)delivery->context;
	thread->registers[29] = record_above(delivery->frame);
	thread->registers[30] = delivery->restorer;
	thread->registers[A64_SP] = (uint64_t)(uintptr_t)delivery->frame;
	thread->flags = delivery->context->state & ARITHMETIC_FLAGS;
	thread->pc = delivery->handler;
}

/* Whether it has vectors of any length, which were interrupted before the program was counted: the kernel puts none
 * into frames of threads that do not use them. */
static bool holds_scalable(uint64_t frame)
{
	uint64_t at = frame + offsetof(struct papi_vpmu_frame, records), end = at + PAPI_A64_RECORDS;
	uint32_t head[2];

	while (at < end && papi_vpmu_guarded_copy(head, (const void *)(uintptr_t)at, sizeof(head)) && head[1]) {
		if (head[0] == EXTRA_MAGIC || (head[0] == SVE_MAGIC && head[1] > sizeof(struct sve_context)))
			return true;
		at += head[1];
	}
	return false;
}

/* The frame lies where the stack pointer is. */
uint64_t papi_vpmu_processor_frame_context(const struct papi_vpmu_thread *thread)
{
	uint64_t frame = thread->registers[A64_SP];

	if (!papi_a64_scalable_used && holds_scalable(frame))
		__atomic_store_n(&papi_a64_scalable_used, 1, __ATOMIC_RELAXED);
	return frame + offsetof(struct papi_vpmu_frame, context);
}

void papi_vpmu_processor_leave_stack(const struct papi_vpmu_signal_stack *stack)
{
	register uint64_t x8 __asm__("x8") = SYS_sigaltstack;
	register uint64_t x0 __asm__("x0") = (uint64_t)(uintptr_t)stack;
	register uint64_t x1 __asm__("x1") = 0;

	__asm__ volatile("mov x9, sp; and x10, x0, #-16; mov sp, x10; svc #0; mov sp, x9"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1)
			 : "x9", "x10", "memory");
}
