/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of the engine's own, without libc: it may be between two instructions of the program. */
#ifndef PAPI_VPMU_TRANSLATOR_MEMORY_H
#define PAPI_VPMU_TRANSLATOR_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* Memory of zeros; NULL when there is none. */
void *papi_vpmu_memory_map(size_t size);
/* Its pages are there before they are written to, or read if they are shared and no longer empty: many at once cost
 * less than a page fault for each. What fails costs time only. */
void papi_vpmu_memory_prepare(void *memory, size_t size, bool write);
/* It is used all over: large pages, where the system has them, so that the processor finds them. */
void papi_vpmu_memory_join(void *memory, size_t size);
/* NULL does nothing. */
void papi_vpmu_memory_unmap(const void *memory, size_t size);
/* papi_vpmu_memory (models/frames.h): from old bytes to new ones, in another place if need be; 0: from or to none. */
void *papi_vpmu_change_memory(void *memory, size_t old, size_t new);

#endif
