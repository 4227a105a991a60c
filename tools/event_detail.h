/* SPDX-License-Identifier: BSD-3-Clause */
/* All that is known about one event, as papi_avail -e and papi_native_avail -e show it. */
#ifndef PAPI_TOOLS_EVENT_DETAIL_H
#define PAPI_TOOLS_EVENT_DETAIL_H

/*
 * Shows the event of that name, be it preset, native or user defined, and whether it can be counted here. Returns the
 * exit status: 0 when there is such an event, 1 after a message when there is none.
 */
int papi_event_show(const char *name);

#endif
