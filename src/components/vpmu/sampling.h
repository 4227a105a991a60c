/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Overflow of virtual events: exactly after so many, at the very instruction.
 */
#ifndef PAPI_VPMU_SAMPLING_H
#define PAPI_VPMU_SAMPLING_H

#include "base/component.h"
#include "components/vpmu/engine.h"
#include "components/vpmu/names.h"

struct papi_vpmu_sampling;

/* Has the native at a position overflow; 0: no longer. *sampling is made with the first, and belongs to the control. */
int papi_vpmu_sampling_arm(struct papi_vpmu_sampling **sampling, const struct papi_vpmu_event *event, unsigned position,
	long long threshold, int cookie);
void papi_vpmu_sampling_free(struct papi_vpmu_sampling *sampling);
/* A native has been taken out. */
void papi_vpmu_sampling_remove(struct papi_vpmu_sampling *sampling, unsigned position);
/* Around the engine's start and stop; adds to the wants what overflow needs. sampling may be NULL. */
int papi_vpmu_sampling_start(struct papi_vpmu_sampling *sampling, struct papi_vpmu_wants *wants);
void papi_vpmu_sampling_stop(struct papi_vpmu_sampling *sampling);
/* Stopped by another thread than the one that counts, which forgets it when it next looks. */
void papi_vpmu_sampling_abandon(struct papi_vpmu_sampling *sampling);
/* In the child of a fork, after the engine's: no thread looks at it. */
void papi_vpmu_sampling_forked(struct papi_vpmu_sampling *sampling);
/* The component's operation. */
unsigned papi_vpmu_sampling_take(struct papi_vpmu_sampling *sampling, struct papi_overflow taken[], unsigned n);

/* What an event is the sum of. */
static inline long long papi_vpmu_event_sum(const struct papi_vpmu_event *event, const uint64_t counters[])
{
	const struct papi_vpmu_term *terms = event->terms;
	long long sum = (long long)counters[terms[0].counter] * terms[0].weight;

	for (unsigned i = 1; i < event->n_terms; i++)
		sum += (long long)counters[terms[i].counter] * terms[i].weight;
	return sum;
}

#endif
