/* SPDX-License-Identifier: BSD-3-Clause */
/* What the kinds of counts mean, in the legends of all tables. A count that is exact needs no explanation. */
#ifndef PAPI_TOOLS_KINDS_H
#define PAPI_TOOLS_KINDS_H

struct papi_kind {
	const char *name; /* as papi_event_kind() and the results of regions have it; NULL ends the list */
	const char *mark; /* for names in narrow columns */
	const char *meaning;
};

extern const struct papi_kind papi_kinds[];

#endif
