/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Regions of the program as a dimension of its profile: what happened in one alone. They change the profile in memory,
 * and nothing in its store. One thread at a time.
 */
#ifndef PAPI_PROFILE_REGIONS_H
#define PAPI_PROFILE_REGIONS_H

#include "profile/profile.h"

/* Its index, "" for what was outside of all; NONE: nothing is known of that. */
uint32_t papi_profile_region_find(const struct papi_profile *profile, const char *name);

/* Whether there are any, besides what was outside. */
bool papi_profile_has_regions(const struct papi_profile *profile);

/* What happened in other regions is gone; all calls, where it is not known in which they happened. */
void papi_profile_region_keep(struct papi_profile *profile, uint32_t region);

/* Another event: that one as far as it happened in the region, "EVENT in REGION". NONE: there was nothing. */
uint32_t papi_profile_region_split(struct papi_profile *profile, uint32_t event, uint32_t region);

#endif
