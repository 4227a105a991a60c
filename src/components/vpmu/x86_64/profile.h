/* SPDX-License-Identifier: BSD-3-Clause */
/* What the log of a profile tells of blocks (translator/profile.h). Under the lock of the cache. */
#ifndef PAPI_VPMU_X86_64_PROFILE_H
#define PAPI_VPMU_X86_64_PROFILE_H

#include "components/vpmu/x86_64/translate/translate.h"

/* The entry of a block that is about to be emitted, and the number of its first counter. 0: there is no room. */
uint32_t papi_vpmu_profile_translation(const struct papi_vpmu_translation *t, uint32_t *first_way);
/* The entry of one instruction, of those bytes, which has been run by other means; 0 also where it is not counted. */
uint32_t papi_vpmu_profile_alone(const struct papi_vpmu_wants *wants, uint64_t pc, const uint8_t *bytes, uint64_t size);

#endif
