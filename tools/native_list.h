/* SPDX-License-Identifier: BSD-3-Clause */
/* What papi_native_avail and papi_hybrid_native_avail share: which events are listed, and the box of each. */
#ifndef PAPI_TOOLS_NATIVE_LIST_H
#define PAPI_TOOLS_NATIVE_LIST_H

#include <stdbool.h>

#include "papi.h"

struct papi_native_filter {
	bool check;          /* only what an EventSet accepts */
	bool no_qualifiers;  /* without masks */
	const char *include; /* only names with this in them; NULL: all */
	const char *exclude; /* no names with this in them; NULL: all */
};

bool papi_native_wanted(const struct papi_native_filter *filter, const PAPI_event_info_t *event);

/* Name, description, units and masks, and the line below. */
void papi_native_print(const struct papi_native_filter *filter, const PAPI_event_info_t *event, int component);

#endif
