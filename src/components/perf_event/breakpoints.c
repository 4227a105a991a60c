/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/perf_event/breakpoints.h"

#include "base/error.h"
#include "core/signals.h"

#ifdef __x86_64__
#include <cpuid.h>
#include <signal.h>
#include <stdbool.h>

static bool in_hypervisor(void)
{
	unsigned eax, ebx, ecx, edx;

	return __get_cpuid(1, &eax, &ebx, &ecx, &edx) && ecx >> 31;
}

/* A breakpoint that a debugger has put there, int3, has the code SI_KERNEL; a step TRAP_TRACE; a hit that the kernel
 * knows of but not whose it is TRAP_HWBKPT. */
static enum papi_signal_answer on_trap(const siginfo_t *info, void *context)
{
	(void)context;
	return info->si_code == TRAP_BRKPT ? PAPI_SIGNAL_OWN : PAPI_SIGNAL_FOREIGN;
}

int papi_perf_breakpoints_guard(void)
{
	return in_hypervisor() ? papi_signal_claim(SIGTRAP, on_trap) : PAPI_OK;
}
#else
int papi_perf_breakpoints_guard(void)
{
	return PAPI_OK;
}
#endif
