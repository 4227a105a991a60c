/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The virtual PMU: counts by translation of the program, where the processor's counters are out of reach.
 *
 *	component.c  EventSets: options, baselines, reads		  names.c     the events and what they are worth
 *	sampling.c   overflow					  agent.c     whole processes, for papi_run
 *	mode.c	     PAPI_VPMU, and whether presets resolve to it	  classify.c  what an instruction counts as
 *	engine.h     what moves threads into translated code, in a	  models/     simulators: caches, TLBs, branches
 *		     folder for each architecture			  engine_none.c  in its place elsewhere
 *
 * doc/vpmu.md is for its users.
 */
#ifndef PAPI_VPMU_VPMU_H
#define PAPI_VPMU_VPMU_H

#include "base/component.h"
#include "components/vpmu/agent.h"

extern const struct papi_component papi_vpmu_component;

/* Of a control: what its events need to have instrumented, and what they come to. For agent.c. */
void papi_vpmu_control_plan(const void *control, struct papi_agent_plan *plan);
void papi_vpmu_control_values(const void *control, const uint64_t counters[], long long values[]);

#endif
