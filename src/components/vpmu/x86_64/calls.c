/* SPDX-License-Identifier: BSD-3-Clause */
/* The program's system calls: their registers, and those that x86-64 alone has (translator/processor.h). */
#include <asm/prctl.h>
#include <errno.h>

#include "components/vpmu/translator/guard.h"
#include "components/vpmu/translator/processor.h"
#include "components/vpmu/translator/thread.h"
#include "components/vpmu/x86_64/translate/offsets.h"

const unsigned papi_vpmu_processor_call_length = 2;

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

/* ---- those that x86-64 alone has ---- */

void papi_vpmu_processor_calls_begin(unsigned char kinds[], bool counted)
{
	kinds[SYS_arch_prctl] = PAPI_VPMU_SYSCALL_RUNTIME;
	kinds[SYS_fork] = counted ? PAPI_VPMU_SYSCALL_RUNTIME : PAPI_VPMU_SYSCALL_CLONE;
	kinds[SYS_vfork] = PAPI_VPMU_SYSCALL_CLONE;
}

const char *papi_vpmu_processor_call_obstacle(const struct papi_vpmu_call *call)
{
	if (call->number == SYS_arch_prctl && call->arguments[0] == ARCH_SET_GS)
		return "the program uses the gs segment, which counting needs";
	return NULL;
}

bool papi_vpmu_processor_do_call(const struct papi_vpmu_call *call, uint64_t *result)
{
	const uint64_t none = 0; /* the program's own gs, which it has never set */

	if (call->number != SYS_arch_prctl)
		return false;
	*result = papi_vpmu_make_call(call);
	if (call->arguments[0] == ARCH_GET_GS && *result <= (uint64_t)-4096 &&
		!papi_vpmu_guarded_copy((void *)(uintptr_t)call->arguments[1], &none, sizeof(none)))
		*result = (uint64_t)-EFAULT;
	return true;
}

bool papi_vpmu_processor_is_fork(uint64_t number)
{
	return number == SYS_fork;
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

	if (r[RAX] == SYS_fork) {
		*request = (struct papi_vpmu_clone_request){ 0, 0, 0 };
		return true;
	}
	if (r[RAX] == SYS_clone) {
		*request = (struct papi_vpmu_clone_request){ r[RDI], r[RSI], r[R8] };
		return true;
	}
	if (r[RSI] < sizeof(arguments) ||
		!papi_vpmu_guarded_copy(&arguments, (const void *)(uintptr_t)r[RDI], sizeof(arguments)))
		return false;
	*request = (struct papi_vpmu_clone_request){ arguments.flags, arguments.stack + arguments.stack_size,
		arguments.tls };
	return true;
}

void papi_vpmu_processor_make_child(
	struct papi_vpmu_thread *child, const struct papi_vpmu_thread *thread, uint64_t stack)
{
	for (unsigned i = 0; i < 16; i++)
		child->registers[i] = thread->registers[i];
	child->pc = thread->pc;
	child->flags = thread->flags;
	if (stack)
		child->registers[RSP] = stack;
	papi_vpmu_processor_return(child, 0);
}
