/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the translator needs of a processor. This folder is the same for every processor and includes nothing of one; a
 * folder for each (x86_64/) includes this one and defines the functions below. Nothing else goes from here to there.
 *
 * All of it may be called between two instructions of the program: no libc, no vector registers, no errno.
 */
#ifndef PAPI_VPMU_TRANSLATOR_PROCESSOR_H
#define PAPI_VPMU_TRANSLATOR_PROCESSOR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>

#pragma GCC visibility push(hidden)

/* ---- system calls ---- */

/* Makes a system call without libc. Returns what the kernel returns: a negative errno when it fails. */
long papi_vpmu_raw(long number, long a, long b, long c, long d, long e, long f);

/* ---- memory ---- */

/* How far apart code and what it names may lie at most, in bytes, for the instructions that the processor has. */
extern const uint64_t papi_vpmu_processor_reach;

/* ---- signals ---- */

/* Labels of assembly: the handler that the kernel is told of, and the restorer of a program that has named none. */
void papi_vpmu_signal_entry(void);
void papi_vpmu_signal_restorer(void);

#pragma GCC visibility pop

#endif
