/* SPDX-License-Identifier: BSD-3-Clause */
/* Registers of threads that others have stopped (translator/processor.h). */
#include "components/vpmu/translator/cache.h"
#include "components/vpmu/translator/processor.h"
#include "components/vpmu/translator/thread.h"
#include "components/vpmu/x86_64/recover.h"
#include "components/vpmu/x86_64/step.h"

#define TRAP_FLAG 0x100u

const char *papi_vpmu_processor_take(struct papi_vpmu_thread *thread, const struct papi_agent_moved *moved)
{
	if (moved->flags & TRAP_FLAG)
		return PAPI_VPMU_STEPS_ITSELF;
	for (unsigned i = 0; i < 16; i++)
		thread->registers[i] = moved->registers[i];
	thread->pc = moved->pc;
	thread->flags = moved->flags;
	return NULL;
}

/* The label needs no other register, and no flag of the program's. */
void papi_vpmu_processor_send(
	const struct papi_vpmu_thread *thread, struct papi_agent_moved *moved, void (*label)(void))
{
	moved->pc = (uint64_t)(uintptr_t)label;
	moved->flags = 2;
	moved->base = (uint64_t)(uintptr_t)thread;
}

bool papi_vpmu_processor_recover(struct papi_vpmu_thread *thread, const struct papi_agent_moved *moved)
{
	struct papi_vpmu_state state = { .pc = moved->pc, .flags = moved->flags };

	for (unsigned i = 0; i < 16; i++)
		state.registers[i] = moved->registers[i];
	if (!papi_vpmu_cache_holds(moved->pc) || !papi_vpmu_recover(thread, &state))
		return false;
	for (unsigned i = 0; i < 16; i++)
		thread->registers[i] = state.registers[i];
	thread->pc = state.pc;
	thread->flags = state.flags;
	return true;
}
