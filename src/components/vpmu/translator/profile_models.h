/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the simulators of a thread count in a profile, at which instruction: ways of their own (components/vpmu/ways.h),
 * made when something first misses there. For the thread itself, in the runtime, as its trace (trace.h).
 */
#ifndef PAPI_VPMU_TRANSLATOR_PROFILE_MODELS_H
#define PAPI_VPMU_TRANSLATOR_PROFILE_MODELS_H

#include <stdbool.h>

#include "components/vpmu/models/attribute.h"

#pragma GCC visibility push(hidden)

struct papi_vpmu_thread;

/* A thread whose wants have modelled counters. False: there is no memory. */
bool papi_vpmu_profile_models_begin(struct papi_vpmu_thread *thread);
/* It has none any more, or is in the child of a fork, whose profile is another. */
void papi_vpmu_profile_models_end(struct papi_vpmu_thread *thread);
/* To be handed to the models; NULL: what they count is nobody's. */
struct papi_vpmu_attribution *papi_vpmu_profile_models(struct papi_vpmu_thread *thread);

#pragma GCC visibility pop

#endif
