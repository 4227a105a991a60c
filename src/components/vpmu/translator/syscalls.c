/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/translator/syscalls.h"

#include <sys/mman.h>

#include "components/vpmu/translator/cache.h"
#include "components/vpmu/translator/calls.h"
#include "components/vpmu/translator/clone.h"
#include "components/vpmu/translator/processor.h"
#include "components/vpmu/translator/runtime.h"
#include "components/vpmu/translator/seccomp.h"
#include "components/vpmu/translator/signals.h"
#include "components/vpmu/translator/trace.h"

static const struct {
	unsigned short number;
	unsigned char kind;
} special[] = {
	{ SYS_mmap, PAPI_VPMU_SYSCALL_RUNTIME },
	{ SYS_munmap, PAPI_VPMU_SYSCALL_RUNTIME },
	{ SYS_mremap, PAPI_VPMU_SYSCALL_RUNTIME },
	{ SYS_mprotect, PAPI_VPMU_SYSCALL_RUNTIME },
	{ SYS_pkey_mprotect, PAPI_VPMU_SYSCALL_RUNTIME },
	{ SYS_prctl, PAPI_VPMU_SYSCALL_RUNTIME },
	{ SYS_seccomp, PAPI_VPMU_SYSCALL_RUNTIME },
	{ SYS_rt_sigaction, PAPI_VPMU_SYSCALL_RUNTIME },
	{ SYS_rt_sigreturn, PAPI_VPMU_SYSCALL_RUNTIME },
	{ SYS_sigaltstack, PAPI_VPMU_SYSCALL_RUNTIME },
	{ SYS_exit, PAPI_VPMU_SYSCALL_RUNTIME },
	{ SYS_clone, PAPI_VPMU_SYSCALL_RUNTIME },
	{ SYS_clone3, PAPI_VPMU_SYSCALL_RUNTIME },
};

void papi_vpmu_syscalls_begin(struct papi_vpmu_thread *thread)
{
	for (unsigned i = 0; i < sizeof(special) / sizeof(special[0]); i++)
		thread->syscall_kinds[special[i].number] = special[i].kind;
	if (papi_vpmu_agent)
		thread->syscall_kinds[SYS_exit_group] = PAPI_VPMU_SYSCALL_RUNTIME;
	papi_vpmu_processor_calls_begin(thread->syscall_kinds, papi_vpmu_agent);
}

/* Memory has another content from now on. Anonymous mappings that cannot be executed were no code before, unless they
 * lie over what was. */
static void forget_code(const struct papi_vpmu_call *call, uint64_t result)
{
	const uint64_t *a = call->arguments;

	papi_vpmu_cache_lock();
	switch (call->number) {
	case SYS_mmap:
		if (a[3] & MAP_FIXED || a[2] & PROT_EXEC)
			papi_vpmu_cache_invalidate(result, result + a[1]);
		break;
	case SYS_mremap:
		papi_vpmu_cache_invalidate(a[0], a[0] + a[1]);
		papi_vpmu_cache_invalidate(result, result + a[2]);
		break;
	default: /* munmap, mprotect, pkey_mprotect */
		papi_vpmu_cache_invalidate(a[0], a[0] + a[1]);
		break;
	}
	papi_vpmu_cache_unlock();
}

static uint64_t do_memory_call(const struct papi_vpmu_call *call)
{
	uint64_t result = papi_vpmu_make_call(call);

	if (!papi_vpmu_failed((long)result))
		forget_code(call, result);
	return result;
}

/* Why nothing can be counted any more once the call has been made; NULL. */
static const char *find_obstacle(const struct papi_vpmu_call *call)
{
	if (call->number == SYS_prctl || call->number == SYS_seccomp)
		return papi_vpmu_seccomp_obstacle(call);
	return papi_vpmu_processor_call_obstacle(call);
}

/* The thread ends, or the whole process does, where an agent counts it. */
static uint64_t end(struct papi_vpmu_thread *thread, const struct papi_vpmu_call *call)
{
	if (call->number == SYS_exit)
		papi_vpmu_signals_block();
	papi_vpmu_trace_drain(thread);
	if (thread->calls) {
		papi_vpmu_cache_lock();
		papi_vpmu_calls_end(thread);
		papi_vpmu_cache_unlock();
	}
	if (call->number == SYS_exit)
		papi_vpmu_thread_end(thread);
	else
		papi_vpmu_agent->leave();
	return papi_vpmu_make_call(call);
}

/* All but those that make threads and processes. */
static uint64_t do_call(struct papi_vpmu_thread *thread, const struct papi_vpmu_call *call)
{
	uint64_t result;

	switch (call->number) {
	case SYS_prctl:
	case SYS_seccomp:
		return papi_vpmu_make_call(call);
	case SYS_rt_sigaction:
		return papi_vpmu_signals_action(call->arguments);
	case SYS_sigaltstack:
		return papi_vpmu_signals_stack(thread, call->arguments);
	case SYS_exit:
	case SYS_exit_group:
		return end(thread, call);
	case SYS_rt_sigreturn:
		papi_vpmu_signals_return(thread);
	default:
		if (!papi_vpmu_processor_do_call(call, &result))
			return do_memory_call(call);
		thread->thread_base = papi_vpmu_processor_thread_pointer(); /* that may be what it has changed */
		return result;
	}
}

static bool makes_thread(const struct papi_vpmu_call *call)
{
	return call->number == SYS_clone || call->number == SYS_clone3 || papi_vpmu_processor_is_fork(call->number);
}

uint64_t papi_vpmu_syscall(struct papi_vpmu_thread *thread)
{
	const struct papi_vpmu_call call = papi_vpmu_processor_call(thread);
	const char *obstacle = find_obstacle(&call);
	uint64_t result;

	if (obstacle) { /* it is made natively, when nothing of the runtime is needed any more */
		thread->pc -= papi_vpmu_processor_call_length;
		return papi_vpmu_runtime_go_native(thread, obstacle);
	}
	if (!makes_thread(&call)) {
		result = do_call(thread, &call);
	} else if (!papi_vpmu_clone(thread, &result)) {
		/* In place, and a child goes on natively. */
		thread->pc -= papi_vpmu_processor_call_length;
		return thread->code;
	}
	papi_vpmu_processor_return(thread, result);
	return thread->active ? papi_vpmu_runtime_continue(thread) : thread->pc;
}
