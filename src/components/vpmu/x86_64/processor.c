/* SPDX-License-Identifier: BSD-3-Clause */
/* What the translator asks of the processor (translator/processor.h), where a few lines answer. */
#include "components/vpmu/translator/processor.h"

#include "components/vpmu/x86_64/raw.h"

/* Displacements have 32 bits with their sign, and offsets in the region have 31. */
const uint64_t papi_vpmu_processor_reach = (uint64_t)1 << 30;

long papi_vpmu_raw(long number, long a, long b, long c, long d, long e, long f)
{
	return papi_vpmu_raw_inline(number, a, b, c, d, e, f);
}
