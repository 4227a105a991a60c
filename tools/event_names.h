/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names that are not there: what may have been meant, and the message about it. A name that is misspelt must never pass
 * for a count.
 */
#ifndef PAPI_TOOLS_EVENT_NAMES_H
#define PAPI_TOOLS_EVENT_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The event of this machine that is most likely meant by a name that is none: the preset for a word that other tools
 * use ("instructions", "cache-misses"), or else the most similar name. False if nothing is near.
 */
bool papi_event_suggest(const char *name, char *suggestion, size_t size);

/* Whether a code that PAPI_event_name_to_code returned says that the name, or what is behind its colons, means
 * nothing. */
bool papi_event_means_nothing(int code);

/* Whether the library knows no event of that name. If so, why, and what may be meant instead, in one sentence. */
bool papi_event_is_unknown(const char *name, char *reason, size_t size);

/*
 * The message about an event of that name which the call that just returned code refused, as papi_tool_complain, with
 * what may be meant instead if there is no such event.
 */
void papi_event_complain(const char *name, int code);

/*
 * Takes the next name of a list with commas, as -e has it: *text goes on to the rest, NULL at the end. NULL: the text
 * is no list of names, and *mistake says why.
 */
const char *papi_event_list_next(const char **text, size_t *length, const char **mistake);

#endif
