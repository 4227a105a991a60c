/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PAPI_VPMU_X86_64_DESCRIBE_H
#define PAPI_VPMU_X86_64_DESCRIBE_H

#include "components/vpmu/x86_64/translate/trace_plan.h"

/* Puts the plan's description where threads find it: offset is where. The plan knows its branches afterwards. And so
 * does following, of the block that its record stands for as well, or NULL. False when memory has ended. */
bool papi_vpmu_describe(
	struct papi_vpmu_trace_plan *plan, struct papi_vpmu_trace_plan *following, bool with_sources, uint32_t *offset);
/* Of a block that makes no record: where its lines and branches are is in the plan afterwards, and nowhere else. */
bool papi_vpmu_describe_places(struct papi_vpmu_trace_plan *plan);
/* The same of what runs up to a way out, of a plan that has been described. Under the lock of the cache. */
bool papi_vpmu_describe_way_out(const struct papi_vpmu_trace_plan *plan, unsigned way_out, uint32_t *offset);
#endif
