/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What papi_avail, papi_native_avail and their kin ask about events: can this one be counted, is it derived, and what
 * makes hardware events impossible here.
 */
#ifndef PAPI_TOOLS_EVENTS_H
#define PAPI_TOOLS_EVENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "papi.h"

/* Whether the code is that of a native event: presets and user defined events have the top bit. */
bool papi_event_is_native(int code);

/*
 * Whether the event can be added to an EventSet of its own, which opens a counter and so asks the kernel. Returns
 * PAPI_OK or the code of the refusal, and then leaves the reason.
 */
int papi_event_try(int code, char *reason, size_t size);

/* Whether the EventSet takes the event as well. Leaves the set as it was; ends the program if that cannot be done. */
bool papi_event_fits(int set, int code);

/*
 * The native event itself if the set takes it; of an event that needs a mask, the first with which it fits; 0 if there
 * is none.
 */
int papi_event_find_fitting(int set, int code, int component);

/* Whether the event's value is computed from several native events. */
bool papi_event_is_derived(const PAPI_event_info_t *event);

/*
 * What a count of the event is worth, unless it shares its counter with others: "exact"; "modelled", when a simulator
 * makes it or a part of it; "estimated", when that simulates only a part of the caches; "sampled", when it is an
 * estimate from samples. It is the first word of the event's note, and for presets and user events also of the notes of
 * what they are made of. One word of the four, never NULL.
 */
const char *papi_event_kind(int code);

/* Whether it is counted by translation of the program, which makes the program slower. */
bool papi_event_is_virtual(int code);

/*
 * Does an event take one of the CPU's few counters? Not those that the kernel counts itself, in software: any number of
 * them at once, and exactly. An event that is not known to be one of those may take a counter.
 */
bool papi_event_takes_counter(const char *name);

/* Whether its value is one per second already. */
bool papi_event_is_rate(const PAPI_event_info_t *event);

/* Whether the type of its derivation is one of those listed, up to NULL. */
bool papi_event_has_type(const PAPI_event_info_t *event, const char *const *types);

/* The part of a native event's name that selects a mask: what follows the base name, with its colon. */
const char *papi_event_mask(const PAPI_event_info_t *masked, const PAPI_event_info_t *base);

/* What that mask means: of the description "what the event counts, masks:what the mask means" the last part. */
const char *papi_event_mask_description(const PAPI_event_info_t *masked);

/*
 * Where there are no hardware counters, one paragraph that says why, and what can be counted all the same. Prints
 * nothing on a machine that has them.
 */
void papi_event_explain_missing(void);

#endif
