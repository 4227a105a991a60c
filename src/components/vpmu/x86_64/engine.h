/* SPDX-License-Identifier: BSD-3-Clause */
/* What engine.c offers to the rest of the engine. */
#ifndef PAPI_VPMU_X86_64_ENGINE_H
#define PAPI_VPMU_X86_64_ENGINE_H

#include "components/vpmu/x86_64/thread.h"

/* Brings the counters of a thread up to date: those that papi_vpmu_engine_counters() returns. */
const uint64_t *papi_vpmu_engine_up_to_date(struct papi_vpmu_thread *thread);

#endif
