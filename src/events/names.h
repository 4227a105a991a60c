/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The hash table of names: every name ever used for an event, with its code.
 *
 * Entries are only ever added, at the head of their chain, so readers need no lock; adding is under the caller's mutex.
 * papi_names_clear() is for shutdown, when no reader is left.
 */
#ifndef PAPI_EVENTS_NAMES_H
#define PAPI_EVENTS_NAMES_H

#include <stdbool.h>

bool papi_names_find(const char *name, int *code);
/* False when memory is short. The name is copied; *copy, if wanted, points at the copy. */
bool papi_names_add(const char *name, int code, const char **copy);
void papi_names_clear(void);

#endif
