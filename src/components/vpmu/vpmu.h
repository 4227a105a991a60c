/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The virtual PMU: counts by translation of the program, where the processor's counters are out of reach.
 *
 *	component.c  EventSets: options, baselines, reads		  names.c     the events and what they are worth
 *	sampling.c   overflow
 *	mode.c	     PAPI_VPMU, and whether presets resolve to it	  classify.c  what an instruction counts as
 *	engine.h     what moves threads into translated code, in a	  models/     simulators of caches, TLBs, branches
 *		     folder for each architecture			  engine_none.c  in its place elsewhere
 *
 * doc/vpmu.md is for its users.
 */
#ifndef PAPI_VPMU_VPMU_H
#define PAPI_VPMU_VPMU_H

#include "core/component.h"

extern const struct papi_component papi_vpmu_component;

#endif
