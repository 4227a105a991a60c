/* SPDX-License-Identifier: BSD-3-Clause */
/* What the log of a profile tells of blocks (translator/profile.h). Under the lock of the cache. */
#ifndef PAPI_VPMU_ARM64_PROFILE_H
#define PAPI_VPMU_ARM64_PROFILE_H

#include "components/vpmu/arm64/translate/translate.h"

#pragma GCC visibility push(hidden)

/* The entry of a block that is about to be emitted, and the number of its first counter. 0: there is no room. */
uint32_t papi_a64_profile_translation(const struct papi_a64_translation *t, uint32_t *first_way);

#pragma GCC visibility pop

#endif
