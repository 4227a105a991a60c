/* SPDX-License-Identifier: BSD-3-Clause */
/* What engine.c offers to the rest of the engine. */
#ifndef PAPI_VPMU_TRANSLATOR_ENGINE_H
#define PAPI_VPMU_TRANSLATOR_ENGINE_H

#include "components/vpmu/translator/thread.h"

/* Brings the counters of a thread up to date: those that papi_vpmu_engine_counters() returns. */
const uint64_t *papi_vpmu_engine_up_to_date(struct papi_vpmu_thread *thread);

#pragma GCC visibility push(hidden)

/* The body of papi_vpmu_engine_start(), which is assembly; place is where its return address is. */
int papi_vpmu_start(const struct papi_vpmu_wants *wants, uint64_t *frame, uint64_t *place);

#pragma GCC visibility pop

#endif
