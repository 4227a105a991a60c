/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The events of an exact profile: which can be one, what has to be counted for them, and what counters make of them.
 * What cannot be done ends papi_profile, told. The library is initialised. One thread.
 */
#ifndef PAPI_PROFILE_EXACT_EVENTS_H
#define PAPI_PROFILE_EXACT_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "components/vpmu/agent.h"
#include "papi_profile/event_list.h"

/* Looks at one alone, so that the reason names it. */
void papi_profile_exact_check(const char *name);

/* An EventSet of all of them; fills in what is to be counted. calls: they are wanted; contexts: and so many ways of
 * them. */
int papi_profile_exact_plan(
	struct papi_profile_events *list, bool calls, uint32_t contexts, struct papi_agent_plan *plan);
void papi_profile_exact_forget(int eventset);

/* The values of all events from counters; argument: the EventSet, an int. */
void papi_profile_exact_values(void *argument, const uint64_t *counters, long long *values);

#endif
