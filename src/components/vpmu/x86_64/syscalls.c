/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/x86_64/syscalls.h"

#include <asm/prctl.h>
#include <errno.h>
#include <sys/mman.h>

#include "components/vpmu/translator/processor.h"
#include "components/vpmu/translator/signals.h"
#include "components/vpmu/x86_64/cache.h"
#include "components/vpmu/x86_64/clone.h"
#include "components/vpmu/x86_64/dispatch.h"
#include "components/vpmu/x86_64/guard.h"
#include "components/vpmu/x86_64/runtime.h"
#include "components/vpmu/x86_64/seccomp.h"
#include "components/vpmu/x86_64/trace.h"

static const struct {
	unsigned short number;
	unsigned char kind;
} special[] = {
	{ SYS_mmap, PAPI_VPMU_SYSCALL_RUNTIME },
	{ SYS_munmap, PAPI_VPMU_SYSCALL_RUNTIME },
	{ SYS_mremap, PAPI_VPMU_SYSCALL_RUNTIME },
	{ SYS_mprotect, PAPI_VPMU_SYSCALL_RUNTIME },
	{ SYS_pkey_mprotect, PAPI_VPMU_SYSCALL_RUNTIME },
	{ SYS_arch_prctl, PAPI_VPMU_SYSCALL_RUNTIME },
	{ SYS_prctl, PAPI_VPMU_SYSCALL_RUNTIME },
	{ SYS_seccomp, PAPI_VPMU_SYSCALL_RUNTIME },
	{ SYS_rt_sigaction, PAPI_VPMU_SYSCALL_RUNTIME },
	{ SYS_rt_sigreturn, PAPI_VPMU_SYSCALL_RUNTIME },
	{ SYS_sigaltstack, PAPI_VPMU_SYSCALL_RUNTIME },
	{ SYS_exit, PAPI_VPMU_SYSCALL_RUNTIME },
	{ SYS_clone, PAPI_VPMU_SYSCALL_RUNTIME },
	{ SYS_fork, PAPI_VPMU_SYSCALL_CLONE },
	{ SYS_vfork, PAPI_VPMU_SYSCALL_CLONE },
	{ SYS_clone3, PAPI_VPMU_SYSCALL_RUNTIME },
};

void papi_vpmu_syscalls_begin(struct papi_vpmu_thread *thread)
{
	for (unsigned i = 0; i < sizeof(special) / sizeof(special[0]); i++)
		thread->syscall_kinds[special[i].number] = special[i].kind;
	if (papi_vpmu_agent)
		thread->syscall_kinds[SYS_exit_group] = thread->syscall_kinds[SYS_fork] = PAPI_VPMU_SYSCALL_RUNTIME;
}

/* Of the instruction. */
#define SYSCALL_LENGTH 2

static bool failed(uint64_t result)
{
	return result > (uint64_t)-4096;
}

/* Memory has another content from now on. Anonymous mappings that cannot be executed were no code before, unless they
 * lie over what was. */
static void forget_code(const uint64_t *r, uint64_t result)
{
	papi_vpmu_cache_lock();
	switch (r[RAX]) {
	case SYS_mmap:
		if (r[R10] & MAP_FIXED || r[RDX] & PROT_EXEC)
			papi_vpmu_cache_invalidate(result, result + r[RSI]);
		break;
	case SYS_mremap:
		papi_vpmu_cache_invalidate(r[RDI], r[RDI] + r[RSI]);
		papi_vpmu_cache_invalidate(result, result + r[RDX]);
		break;
	default: /* munmap, mprotect, pkey_mprotect */
		papi_vpmu_cache_invalidate(r[RDI], r[RDI] + r[RSI]);
		break;
	}
	papi_vpmu_cache_unlock();
}

static uint64_t do_call(const uint64_t *r)
{
	return (uint64_t)papi_vpmu_raw(
		(long)r[RAX], (long)r[RDI], (long)r[RSI], (long)r[RDX], (long)r[R10], (long)r[R8], (long)r[R9]);
}

/* The program's own gs, which it has never set. */
static uint64_t get_gs(const uint64_t *r)
{
	const uint64_t none = 0;
	uint64_t result = do_call(r);

	if (!failed(result) && !papi_vpmu_guarded_copy((void *)(uintptr_t)r[RSI], &none, sizeof(none)))
		result = (uint64_t)-EFAULT;
	return result;
}

static uint64_t do_memory_call(const uint64_t *r)
{
	uint64_t result = do_call(r);

	if (!failed(result))
		forget_code(r, result);
	return result;
}

/* Why nothing can be counted any more once the call has been made; NULL. */
static const char *find_obstacle(const uint64_t *r)
{
	switch (r[RAX]) {
	case SYS_arch_prctl:
		return r[RDI] == ARCH_SET_GS ? "the program uses the gs segment, which counting needs" : NULL;
	case SYS_prctl:
	case SYS_seccomp:
		return papi_vpmu_seccomp_obstacle(r);
	default:
		return NULL;
	}
}

uint64_t papi_vpmu_syscall(struct papi_vpmu_thread *thread)
{
	const struct papi_vpmu_call call = papi_vpmu_processor_call(thread);
	uint64_t *r = thread->registers, result;
	const char *obstacle = find_obstacle(r);

	if (obstacle) { /* it is made natively, when nothing of the runtime is needed any more */
		thread->pc -= SYSCALL_LENGTH;
		return papi_vpmu_runtime_go_native(thread, obstacle);
	}

	switch (r[RAX]) {
	case SYS_arch_prctl:
		result = r[RDI] == ARCH_GET_GS ? get_gs(r) : do_call(r);
		break;
	case SYS_prctl:
	case SYS_seccomp:
		result = do_call(r);
		break;
	case SYS_rt_sigaction:
		result = papi_vpmu_signals_action(call.arguments);
		break;
	case SYS_sigaltstack:
		result = papi_vpmu_signals_stack(thread, call.arguments);
		break;
	case SYS_fork:
	case SYS_clone:
	case SYS_clone3:
		if (papi_vpmu_clone(thread, &result))
			break;
		/* In place, and a child goes on natively. */
		thread->pc -= SYSCALL_LENGTH;
		return thread->code;
	case SYS_exit_group:
		papi_vpmu_trace_drain(thread);
		papi_vpmu_agent->leave();
		result = do_call(r);
		break;
	case SYS_exit:
		papi_vpmu_signals_block();
		papi_vpmu_trace_drain(thread);
		papi_vpmu_thread_end(thread);
		result = do_call(r);
		break;
	case SYS_rt_sigreturn:
		papi_vpmu_signals_return(thread);
	default:
		result = do_memory_call(r);
		break;
	}
	papi_vpmu_processor_return(thread, result);
	return thread->active ? papi_vpmu_runtime_continue(thread) : thread->pc;
}
