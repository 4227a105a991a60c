/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/feature.h"

#include "papi.h"

const struct papi_feature *papi_features[PAPI_FEATURES] = {
	&papi_multiplex_feature,
	&papi_overflow_feature,
	&papi_written_feature,
};

int papi_features_tell(unsigned used, enum papi_phase phase, struct papi_slot *slot)
{
	int status = PAPI_OK;

	for (unsigned i = 0; i < PAPI_FEATURES && status == PAPI_OK; i++)
		if (used >> i & 1 && papi_features[i]->in[phase])
			status = papi_features[i]->in[phase](slot);
	return status;
}
