/* SPDX-License-Identifier: BSD-3-Clause */
/* Stands in for cpuid_x86.c on architectures without the instruction. */
#include "linux/cpu/cpuid.h"

bool papi_cpuid_execute(uint32_t leaf, uint32_t subleaf, papi_cpuid_t *registers)
{
	(void)leaf;
	(void)subleaf;
	(void)registers;
	return false;
}
