/* SPDX-License-Identifier: BSD-3-Clause */
/* What the translator asks of the processor (translator/processor.h), where a few lines answer. */
#include "components/vpmu/translator/processor.h"

#include "components/vpmu/x86_64/raw.h"
#include "components/vpmu/x86_64/thread.h"

/* Displacements have 32 bits with their sign, and offsets in the region have 31. */
const uint64_t papi_vpmu_processor_reach = (uint64_t)1 << 30;

uint64_t papi_vpmu_processor_stack_pointer(const struct papi_vpmu_thread *thread)
{
	return thread->registers[RSP];
}

/* The handler has taken its return address from the stack: what is next is the context. */
uint64_t papi_vpmu_processor_frame_context(const struct papi_vpmu_thread *thread)
{
	return thread->registers[RSP];
}

struct papi_vpmu_call papi_vpmu_processor_call(const struct papi_vpmu_thread *thread)
{
	const uint64_t *r = thread->registers;

	return (struct papi_vpmu_call){ r[RAX], { r[RDI], r[RSI], r[RDX], r[R10], r[R8], r[R9] } };
}

void papi_vpmu_processor_return(struct papi_vpmu_thread *thread, uint64_t result)
{
	thread->registers[RAX] = result;
	thread->registers[RCX] = thread->pc;
	thread->registers[R11] = thread->flags;
}

long papi_vpmu_raw(long number, long a, long b, long c, long d, long e, long f)
{
	return papi_vpmu_raw_inline(number, a, b, c, d, e, f);
}
