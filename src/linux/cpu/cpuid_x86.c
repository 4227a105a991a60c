/* SPDX-License-Identifier: BSD-3-Clause */
#include <cpuid.h>

#include "linux/cpu/cpuid.h"

bool papi_cpuid_execute(uint32_t leaf, uint32_t subleaf, papi_cpuid_t *registers)
{
	__cpuid_count(leaf, subleaf, registers->eax, registers->ebx, registers->ecx, registers->edx);
	return true;
}
