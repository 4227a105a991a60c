/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Filters of system calls. The runtime makes some between the program's own, and a program that lists what it may do
 * has not thought of them. So a filter is tried before it is installed, as the kernel would.
 */
#ifndef PAPI_VPMU_TRANSLATOR_SECCOMP_H
#define PAPI_VPMU_TRANSLATOR_SECCOMP_H

#include "components/vpmu/translator/processor.h"

/* What stands in the way of counting once the system call has been made; NULL: nothing new. In the
 * runtime. */
const char *papi_vpmu_seccomp_obstacle(const struct papi_vpmu_call *call);

#endif
