/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From records to counts of instructions, for profiles: the same models as in simulate.c count the same, but who asks
 * is told at which instruction each counter has grown. A miss belongs to the instruction whose access or fetch it is,
 * also in the levels behind; a wrong prediction to the branch.
 *
 * The attribution is its thread's, and may be used where the models may.
 */
#ifndef PAPI_VPMU_MODELS_ATTRIBUTE_H
#define PAPI_VPMU_MODELS_ATTRIBUTE_H

#include "components/vpmu/counters.h"
#include "components/vpmu/models/trace.h"

/* An instruction, as the origins of a description have it (trace.h). */
struct papi_vpmu_origin {
	uint32_t block; /* what the profile's log has; 0: none */
	unsigned instruction;
};

struct papi_vpmu_attribution {
	/* So many more of a modelled counter, at that instruction. */
	void (*add)(struct papi_vpmu_attribution *attribution, struct papi_vpmu_origin origin, unsigned counter,
		uint64_t more);
	/* Of the counters, what it has been told of; and the branch whose outcome the next record tells. */
	uint64_t told[PAPI_VPMU_LAST_MODELLED + 1];
	struct papi_vpmu_origin pending;
};

/* As papi_vpmu_simulate(), of full models, and of records whose descriptions have origins. */
void papi_vpmu_simulate_attributed(struct papi_vpmu_models *models, struct papi_vpmu_attribution *attribution,
	uint64_t counters[], const uint64_t *start, const uint64_t *end, const unsigned char *arena);
/* As papi_vpmu_simulate_arrival(). */
void papi_vpmu_simulate_attributed_arrival(
	struct papi_vpmu_models *models, struct papi_vpmu_attribution *attribution, uint64_t counters[], uint64_t pc);

#endif
