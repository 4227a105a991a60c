/* SPDX-License-Identifier: BSD-3-Clause */
/* The program's system calls: their registers (translator/processor.h). There is none that arm64 alone has. */
#include "components/vpmu/arm64/translate/offsets.h"
#include "components/vpmu/arm64/vectors.h"
#include "components/vpmu/translator/guard.h"
#include "components/vpmu/translator/processor.h"
#include "components/vpmu/translator/thread.h"
#include "components/vpmu/translator/trace.h"

const unsigned papi_vpmu_processor_call_length = 4;

struct papi_vpmu_call papi_vpmu_processor_call(const struct papi_vpmu_thread *thread)
{
	const uint64_t *r = thread->registers;

	return (struct papi_vpmu_call){ r[8], { r[0], r[1], r[2], r[3], r[4], r[5] } };
}

void papi_vpmu_processor_return(struct papi_vpmu_thread *thread, uint64_t result)
{
	thread->registers[0] = result;
}

void papi_vpmu_processor_calls_begin(unsigned char kinds[], bool counted)
{
	(void)kinds;
	(void)counted;
}

const char *papi_vpmu_processor_call_obstacle(const struct papi_vpmu_call *call)
{
	(void)call;
	return NULL;
}

/* None; but it may change what can be read. */
bool papi_vpmu_processor_do_call(const struct papi_vpmu_call *call, uint64_t *result)
{
	(void)call;
	(void)result;
	if (papi_a64_stops_used)
		papi_vpmu_trace_drain(papi_vpmu_self);
	return false;
}

bool papi_vpmu_processor_is_fork(uint64_t number)
{
	(void)number;
	return false;
}

/* ---- threads that a thread makes ---- */

/* clone3(2)'s argument, as far as it matters. */
struct arguments {
	uint64_t flags, pidfd, child, parent, exit_signal, stack, stack_size, tls;
};

bool papi_vpmu_processor_read_clone(const struct papi_vpmu_thread *thread, struct papi_vpmu_clone_request *request)
{
	const uint64_t *r = thread->registers;
	struct arguments arguments;

	if (r[8] == SYS_clone) {
		*request = (struct papi_vpmu_clone_request){ r[0], r[1], r[3] };
		return true;
	}
	if (r[1] < sizeof(arguments) ||
		!papi_vpmu_guarded_copy(&arguments, (const void *)(uintptr_t)r[0], sizeof(arguments)))
		return false;
	*request = (struct papi_vpmu_clone_request){ arguments.flags, arguments.stack + arguments.stack_size,
		arguments.tls };
	return true;
}

void papi_vpmu_processor_make_child(
	struct papi_vpmu_thread *child, const struct papi_vpmu_thread *thread, uint64_t stack)
{
	for (unsigned i = 0; i < 32; i++)
		child->registers[i] = thread->registers[i];
	child->pc = thread->pc;
	child->flags = thread->flags;
	if (stack)
		child->registers[A64_SP] = stack;
	papi_vpmu_processor_return(child, 0);
}
