/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The events that are sampled: from the names that PAPI knows to what the kernel is asked for. An event that cannot be
 * sampled ends papi_profile, with the reason and what can be.
 *
 * The list owns its events and their strings. One thread.
 */
#ifndef PAPI_PROFILE_EVENT_LIST_H
#define PAPI_PROFILE_EVENT_LIST_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "components/perf_event/encoding.h"
#include "symbols/unwind.h"

struct papi_profile_sampled {
	char *name;   /* as it was asked for */
	char *native; /* what perf_event calls it */
	struct papi_perf_encoding *encoding;
	struct perf_event_attr attr; /* with all that sampling adds */
	bool user_only;              /* what it does in the kernel may not be sampled */
	int64_t samples, value;      /* so far */
};

struct papi_profile_events {
	struct papi_profile_sampled *events;
	size_t number;
};

/* How callers are found. */
enum papi_profile_graph {
	PAPI_PROFILE_GRAPH_NONE,
	PAPI_PROFILE_GRAPH_FRAMES, /* by frame pointers, in the kernel */
	PAPI_PROFILE_GRAPH_STACKS  /* by unwind tables, from a copy of the stack */
};

/* How often, and what of each sample. */
struct papi_profile_rate {
	uint64_t period;    /* 0: by frequency */
	uint64_t frequency; /* per second */
	enum papi_profile_graph graph;
	uint32_t stack;                            /* bytes to copy */
	const struct papi_unwind_machine *machine; /* of stacks: whose registers */
};

/* Appends the names of one -e option, or ends papi_profile when the text is no list of names. */
void papi_profile_events_parse(struct papi_profile_events *list, const char *text);

/* Looks the names up, or takes the default where there is none, and completes what the kernel is asked for. */
void papi_profile_events_resolve(struct papi_profile_events *list, const struct papi_profile_rate *rate);

void papi_profile_events_free(struct papi_profile_events *list);

#endif
