/* SPDX-License-Identifier: BSD-3-Clause */
/* Which file code is of, for the log of a profile. As profile.h, of which this is a part. */
#ifndef PAPI_VPMU_TRANSLATOR_PROFILE_MODULES_H
#define PAPI_VPMU_TRANSLATOR_PROFILE_MODULES_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* Writes the first entry, of memory of no file. */
bool papi_vpmu_modules_begin(void);
/* The number of what is mapped at pc; its entry is written if there is none. */
uint32_t papi_vpmu_modules_number(uint64_t pc);
/* Something else may be mapped in [start, end) from now on. */
bool papi_vpmu_modules_forget(uint64_t start, uint64_t end);
void papi_vpmu_modules_forked(void);

#pragma GCC visibility pop

#endif
