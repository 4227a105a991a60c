/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a thread was when a signal interrupted it. */
#ifndef PAPI_LINUX_PROCESS_PROGRAM_COUNTER_H
#define PAPI_LINUX_PROCESS_PROGRAM_COUNTER_H

#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

/* context is what a handler with SA_SIGINFO gets. NULL on machines that nobody has looked at yet. */
static inline void *papi_linux_program_counter(const void *context)
{
	const ucontext_t *machine = context;

#if defined(__x86_64__)
	return (void *)(uintptr_t)machine->uc_mcontext.gregs[REG_RIP];
#elif defined(__i386__)
	return (void *)(uintptr_t)machine->uc_mcontext.gregs[REG_EIP];
#elif defined(__aarch64__)
	return (void *)(uintptr_t)machine->uc_mcontext.pc;
#elif defined(__riscv)
	return (void *)(uintptr_t)machine->uc_mcontext.__gregs[REG_PC];
#else
	(void)machine;
	return NULL;
#endif
}

#endif
