/* SPDX-License-Identifier: BSD-3-Clause */
/* Where functions begin, as unwind tables tell, also those of stripped files. Takes no lock; reads memory of the
 * program. */
#ifndef PAPI_VPMU_TRANSLATOR_FUNCTIONS_H
#define PAPI_VPMU_TRANSLATOR_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* Whether a function begins at target, and it is not the one that site is in, nor a part of one that lies elsewhere.
 * False where nothing is known. */
bool papi_vpmu_functions_begins_another(uint64_t site, uint64_t target) __attribute__((visibility("hidden")));
/* Whether a function begins there that is none of a linker's stubs: these lie in rows of 8 or 16 bytes each. */
bool papi_vpmu_functions_is_no_stub(uint64_t target) __attribute__((visibility("hidden")));

#endif
