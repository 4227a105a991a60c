/* SPDX-License-Identifier: BSD-3-Clause */
/* Overflow at the exact instruction. */
#ifndef PAPI_VPMU_TRANSLATOR_OVERFLOW_H
#define PAPI_VPMU_TRANSLATOR_OVERFLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "components/vpmu/translator/thread.h"

/* The thread is between two instructions: calls whoever has overflowed, and gives it a new budget. Without the lock of
 * the cache. The thread may not be active any more afterwards. */
void papi_vpmu_overflow_check(struct papi_vpmu_thread *thread);
/* Those with that argument; NULL: all. */
void papi_vpmu_overflow_forget(struct papi_vpmu_thread *thread, const void *argument);

#endif
