/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading memory of the program that another of its threads may be taking away. */
#ifndef PAPI_VPMU_TRANSLATOR_GUARD_H
#define PAPI_VPMU_TRANSLATOR_GUARD_H

#include <stdbool.h>
#include <stdint.h>

#include "components/vpmu/translator/processor.h"

/* False when memory of one or the other is not there: part of it may have been copied. */
static inline bool papi_vpmu_guarded_copy(void *to, const void *from, uint64_t size)
{
	return papi_vpmu_guarded(papi_vpmu_guarded_bytes, (uint64_t)(uintptr_t)to, (uint64_t)(uintptr_t)from, size) ==
		0;
}

#endif
