/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The traps of one instruction: the first comes before it, when it has been jumped to; the second after it.
 * Asynchronous signals wait from papi_vpmu_step_begin() until the dispatcher has what comes next.
 */
#include "components/vpmu/x86_64/step.h"

#include <signal.h>

#include "components/vpmu/translator/guard.h"
#include "components/vpmu/translator/maps.h"
#include "components/vpmu/translator/processor.h"
#include "components/vpmu/translator/runtime.h"
#include "components/vpmu/translator/tracer.h"
#include "components/vpmu/x86_64/frame.h"
#include "components/vpmu/x86_64/recover.h"
#include "components/vpmu/x86_64/translate/decode.h"

#define TRAP_FLAG   0x100u
#define SINGLE_STEP 2 /* si_code: TRAP_TRACE */

/* False where it will fault: as far as translation knows, or else the two would never agree on what has to be
 * stepped. */
static bool read_instruction(uint64_t pc, struct papi_vpmu_instruction *instruction)
{
	uint64_t limit = papi_vpmu_maps_executable_until(pc), size = limit > pc ? limit - pc : 0;
	uint8_t bytes[ZYDIS_MAX_INSTRUCTION_LENGTH];

	if (size > sizeof(bytes))
		size = sizeof(bytes);
	return size && papi_vpmu_guarded_copy(bytes, (const void *)(uintptr_t)pc, size) &&
		papi_vpmu_decode_copy(instruction, pc, bytes, size);
}

const char *papi_vpmu_step_obstacle(uint64_t pc)
{
	struct papi_vpmu_instruction instruction;
	bool known = read_instruction(pc, &instruction);

	if (known && papi_vpmu_uses_gs(&instruction))
		return "the program uses the gs segment, which counting needs";
	if (known && papi_vpmu_is_breakpoint(&instruction) && papi_vpmu_tracer_owns_breakpoints())
		return "the program has come to a breakpoint, of a debugger or without a handler";
	if (papi_vpmu_tracer_look())
		return "a debugger is here, and would see how counting runs an instruction alone";
	return NULL;
}

bool papi_vpmu_step_is_over(uint64_t pc)
{
	struct papi_vpmu_instruction instruction;

	return read_instruction(pc, &instruction) && instruction.kind != PAPI_VPMU_STEP &&
		!papi_vpmu_loads_flags(&instruction) && !papi_vpmu_is_breakpoint(&instruction);
}

uint64_t papi_vpmu_step_begin(struct papi_vpmu_thread *thread)
{
	papi_vpmu_signals_hold(thread, PAPI_VPMU_SIGNALS_ARRIVING, papi_vpmu_signals_take_mask(thread));
	return (uint64_t)(uintptr_t)papi_vpmu_step_code;
}

/* Either way signals may come again soon. */
static void finish(struct papi_vpmu_thread *thread, struct papi_vpmu_context *context)
{
	context->registers[REG_EFL] &= ~(uint64_t)TRAP_FLAG;
	papi_vpmu_signals_change(thread, PAPI_VPMU_SIGNALS_DEFERRED);
}

/* The program has set the trap flag itself. That is for the processor, right behind the instruction. */
static void go_native(struct papi_vpmu_thread *thread, struct papi_vpmu_context *context)
{
	papi_vpmu_runtime_go_native(thread, PAPI_VPMU_STEPS_ITSELF);
	papi_vpmu_signals_change(thread, PAPI_VPMU_SIGNALS_OPEN);
	context->mask = thread->deferred_mask;
	context->stack = thread->signals.stack;
}

/* It has run: the dispatcher finds what follows. */
static void go_on(struct papi_vpmu_thread *thread, struct papi_vpmu_context *context)
{
	struct papi_vpmu_instruction instruction;
	uint8_t bytes[ZYDIS_MAX_INSTRUCTION_LENGTH];
	bool known = papi_vpmu_guarded_copy(bytes, (const void *)(uintptr_t)thread->pc, sizeof(bytes)) &&
		papi_vpmu_decode_copy(&instruction, thread->pc, bytes, sizeof(bytes));

	if (known)
		papi_vpmu_recover_count(thread, bytes, sizeof(bytes), thread->pc);
	if (known && papi_vpmu_loads_flags(&instruction) && context->registers[REG_EFL] & TRAP_FLAG) {
		go_native(thread, context);
		return;
	}
	finish(thread, context);
	thread->pc = context->registers[REG_RIP];
	thread->exit = PAPI_VPMU_EXIT_CONTINUE;
	context->registers[REG_RIP] = (uint64_t)(uintptr_t)papi_vpmu_dispatch;
}

static bool is_stepping(const struct papi_vpmu_thread *thread)
{
	return thread->signal_state == PAPI_VPMU_SIGNALS_ARRIVING || thread->signal_state == PAPI_VPMU_SIGNALS_STEPPING;
}

static bool is_on_the_way(uint64_t pc)
{
	return pc >= (uint64_t)(uintptr_t)papi_vpmu_step_code && pc < (uint64_t)(uintptr_t)papi_vpmu_step_code_end;
}

bool papi_vpmu_step_trap(struct papi_vpmu_thread *thread, struct papi_vpmu_delivery *delivery)
{
	struct papi_vpmu_context *context = delivery->context;
	uint64_t pc = context->registers[REG_RIP];

	if (!is_stepping(thread))
		return false;
	if (delivery->number != SIGTRAP || delivery->info->code != SINGLE_STEP) {
		/* A value that is no address at all cannot even be jumped to. */
		if (is_on_the_way(pc))
			context->registers[REG_RIP] = thread->pc;
		finish(thread, context);
		return false;
	}
	if (is_on_the_way(pc))
		return true;
	if (thread->signal_state == PAPI_VPMU_SIGNALS_ARRIVING)
		papi_vpmu_signals_change(thread, PAPI_VPMU_SIGNALS_STEPPING);
	else
		go_on(thread, context);
	return true;
}
