/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings of the library that options set and get, beside those of EventSets and components. Read at any time. */
#ifndef PAPI_API_OPTIONS_H
#define PAPI_API_OPTIONS_H

#include "core/eventset.h"

/* Nanoseconds of a turn in multiplexing. */
extern _Atomic int papi_option_mpx_ns;

/* Puts options, a changed copy of those of the set, in force. Inside the set and the library. */
int papi_option_apply(struct papi_eventset *set, const struct papi_options *options);

/* The options with files of their own: multiplex.c, ranges.c. */
int papi_option_set_multiplex(const PAPI_multiplex_option_t *wanted);
int papi_option_get_multiplex(PAPI_multiplex_option_t *found);
int papi_option_set_range(PAPI_addr_range_option_t *wanted, bool data);
int papi_option_get_range(PAPI_addr_range_option_t *found, bool data);

/* All of them as in a new process. */
void papi_options_reset(void);

/* PAPI_INHERIT_ALL or PAPI_INHERIT_NONE for EventSets that are made from now on. */
int papi_option_set_default_inherit(int inherit);

#endif
