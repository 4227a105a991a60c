/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table of native events: names that components know, with their codes.
 *
 * Entries are added under the events mutex, never move and never change their code. Finding one by code takes no lock.
 */
#ifndef PAPI_EVENTS_NATIVES_H
#define PAPI_EVENTS_NATIVES_H

#include "events/events.h"

/* Not looked at yet: only listings make such natives. */
#define PAPI_NATIVE_UNRESOLVED 1

/* NULL with PAPI_ENOEVNT in the detail when no native has the code. */
struct papi_native *papi_native_get(int code);

/* The component that a name belongs to; -1: none is named so. */
int papi_native_component(const char *name);

/* The rest expects the events mutex. */

/* By name, which the component is asked about when it is new. */
int papi_native_find(const char *name, struct papi_native **native);
/* Without asking: for names that the component itself has listed. component_name is without prefix. */
int papi_native_list(int component, const char *component_name, struct papi_native **native);
/* PAPI_OK and native->encoding is valid, or why not. */
int papi_native_resolve(struct papi_native *native);
void papi_natives_clear(void);

#endif
