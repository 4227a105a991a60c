/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Processors that libpfm4 does not know, as machines: CPUID of the one named by a table, the kernel's format files of
 * its PMUs from a recorded tree, and the model kernel with these PMUs.
 */
#ifndef PAPI_TEST_MACHINES_H
#define PAPI_TEST_MACHINES_H

/* Types that Linux gives the PMUs of cores. */
#define CPU_CORE     4u
#define CPU_ATOM     10u
#define CPU_LOWPOWER 11u

/*
 * The library on the machine of a CPU named "GenuineIntel-6-97". tree: NULL for the one that goes with the name; false
 * when there is none. "unknown": a machine that nobody has described.
 */
_Bool machine_begin(const char *cpu, const char *tree);
/* Ends the library; nothing may be left behind in the model kernel. */
void machine_end(void);

#endif
