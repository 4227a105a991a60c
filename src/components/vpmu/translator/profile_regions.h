/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Regions of the program in an exact profile: what a thread does in one is counted apart, by code of a flavour of its
 * own, for blocks of the log are of one region. So nothing is to be done in between, and a region that a thread comes
 * back to finds its code. Of regions within each other it is the innermost that counts.
 *
 * Under the lock of the cache.
 */
#ifndef PAPI_VPMU_TRANSLATOR_PROFILE_REGIONS_H
#define PAPI_VPMU_TRANSLATOR_PROFILE_REGIONS_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

/* The number of the region of that name; 0: there is no room for it, and it is outside of all. */
uint8_t papi_vpmu_profile_region(const char *name);
/* In the child of a fork there have been none. */
void papi_vpmu_profile_regions_forked(void);

#pragma GCC visibility pop

#endif
