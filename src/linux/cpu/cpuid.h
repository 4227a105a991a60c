/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The x86 CPUID instruction, of this machine or of a recorded one.
 *
 * papi_cpuid_read() answers for the machine that papi_linux_root() stands for. With the usual root it executes the
 * instruction. With another root it must not, since that would describe the wrong machine; there it looks into the
 * file "cpuid" in the root, which holds a line "LEAF SUBLEAF EAX EBX ECX EDX" of hexadecimal numbers per leaf. Without
 * the file, and on other architectures, no leaf is known. What interprets the leaves is therefore the same on every
 * architecture and needs no x86 machine to be tested.
 *
 * Cost: the instruction takes some 100 cycles, and a microsecond or more in a virtual machine, so results are kept by
 * those who ask. On a machine with several kinds of cores the answer is that of the core the caller happens to run on.
 * No state: any thread may call these.
 */
#ifndef PAPI_LINUX_CPU_CPUID_H
#define PAPI_LINUX_CPU_CPUID_H

#include <stdbool.h>
#include <stdint.h>

typedef struct papi_cpuid {
	uint32_t eax, ebx, ecx, edx;
} papi_cpuid_t;

/* First leaves of the three ranges; eax of each holds the last leaf of its range. */
#define PAPI_CPUID_BASIC      0x00000000u
#define PAPI_CPUID_HYPERVISOR 0x40000000u
#define PAPI_CPUID_EXTENDED   0x80000000u

/* False, with all registers 0, when the machine has no such leaf. */
bool papi_cpuid_read(uint32_t leaf, uint32_t subleaf, papi_cpuid_t *registers);

/* The instruction on this machine, whatever the root; the clocks need it. False as above. */
bool papi_cpuid_read_live(uint32_t leaf, uint32_t subleaf, papi_cpuid_t *registers);

/* One bare execution, without asking whether the leaf exists: cpuid_x86.c, or cpuid_none.c elsewhere, which returns
 * false. */
typedef bool (*papi_cpuid_execute_t)(uint32_t leaf, uint32_t subleaf, papi_cpuid_t *registers);
bool papi_cpuid_execute(uint32_t leaf, uint32_t subleaf, papi_cpuid_t *registers);

/* What papi_cpuid_read_live() makes of an instruction; tests have one of their own. */
bool papi_cpuid_read_checked(papi_cpuid_execute_t execute, uint32_t leaf, uint32_t subleaf, papi_cpuid_t *registers);

/* Copies registers as the text they hold, `count` of them, and a '\0'. */
void papi_cpuid_text(char *target, const uint32_t *registers, int count);

#endif
