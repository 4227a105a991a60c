/* SPDX-License-Identifier: BSD-3-Clause */
/* What a profile tells of the block that the harness runs, from how often each way through it was gone. One at a time,
 * as the harness. */
#ifndef PAPI_TESTS_UNIT_VPMU_HARNESS_PROFILE_H
#define PAPI_TESTS_UNIT_VPMU_HARNESS_PROFILE_H

#include "harness.h"

/* Recovery has said nothing of ways yet; and what it says of one (struct papi_vpmu_recovery). */
void harness_profile_begin(void);
void harness_profile_add(const struct papi_vpmu_recovery *r, enum papi_vpmu_way_kind kind, unsigned n, uint64_t more);
/* Reads the counters of ways. */
void harness_profile_make(const struct subject *s);
/* The first counter that it has otherwise, PAPI_VPMU_FIRST_MODELLED: none; and what it has of one. */
unsigned harness_profile_wrong(const struct subject *s, const uint64_t *expected);
uint64_t harness_profile_of(unsigned counter);

#endif
