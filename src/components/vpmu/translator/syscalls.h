/* SPDX-License-Identifier: BSD-3-Clause */
/* System calls of the program that the runtime does in its stead. */
#ifndef PAPI_VPMU_TRANSLATOR_SYSCALLS_H
#define PAPI_VPMU_TRANSLATOR_SYSCALLS_H

#include "components/vpmu/translator/thread.h"

/* Fills the table that translated code looks at. */
void papi_vpmu_syscalls_begin(struct papi_vpmu_thread *thread);

/* Does the one that the thread's registers describe; returns the code to go on at. */
uint64_t papi_vpmu_syscall(struct papi_vpmu_thread *thread);

#endif
