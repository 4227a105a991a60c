/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading memory of the program that another of its threads may be taking away. */
#ifndef PAPI_VPMU_TRANSLATOR_GUARD_H
#define PAPI_VPMU_TRANSLATOR_GUARD_H

#include <stdbool.h>
#include <stdint.h>

#include "components/vpmu/translator/thread.h"

#pragma GCC visibility push(hidden)

#define PAPI_VPMU_GUARD_FAILED UINT64_MAX

/* What function(a, b, c) returns; FAILED if it touched memory that is not there. It must leave no work half done. While
 * signals wait: in the runtime, or with all blocked. */
uint64_t papi_vpmu_guarded(
	uint64_t (*function)(uint64_t a, uint64_t b, uint64_t c), uint64_t a, uint64_t b, uint64_t c);
/* Where the handler of signals sends one that failed. */
void papi_vpmu_guard_failed(void);
/* Copies bytes, in a way that may fail halfway. Returns 0. */
uint64_t papi_vpmu_guarded_bytes(uint64_t to, uint64_t from, uint64_t size);

#pragma GCC visibility pop

static inline bool papi_vpmu_guarded_copy(void *to, const void *from, uint64_t size)
{
	return papi_vpmu_guarded(papi_vpmu_guarded_bytes, (uint64_t)(uintptr_t)to, (uint64_t)(uintptr_t)from, size) ==
		0;
}

#endif
