/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names of this machine's CPUs, by which tables of events are chosen where no library knows the PMU yet:
 * `GenuineIntel-6-97` (vendor, family, model in upper-case hexadecimal) on x86, `arm-0x41-0xd0c` (implementer and part
 * of the main ID register) on Arm, one for each kind of core.
 */
#ifndef PAPI_LINUX_MACHINE_CPU_NAMES_H
#define PAPI_LINUX_MACHINE_CPU_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* Calls visit with each name. */
void papi_cpu_names(void (*visit)(void *data, const char *name), void *data);

#endif
