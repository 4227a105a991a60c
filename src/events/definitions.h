/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Definitions: what presets and user events are made of on this machine.
 *
 * A definition names its terms: natives, presets or other user events. It is resolved when first asked for: terms that
 * are themselves defined are replaced by their formulas until only natives are left. A success is kept; a failure is
 * tried again next time, since permissions and settings change while a program runs.
 *
 * All functions expect the events mutex. An event that is defined already is replaced only with the library lock held
 * for writing, so that nobody holds on to what is freed.
 */
#ifndef PAPI_EVENTS_DEFINITIONS_H
#define PAPI_EVENTS_DEFINITIONS_H

#include "events/events.h"

/* What makes a definition. Strings are copied; NULL means empty. */
struct papi_definition_source {
	const char *symbol;
	enum papi_derived derived;
	const char *formula; /* of DERIVED_POSTFIX and DERIVED_INFIX */
	unsigned n_terms;
	const char *const *terms;
	const char *short_description, *description, *note; /* of a preset: NULL keeps the standard words */
	bool built_in; /* by the library's own tables, whose terms are those of real processors */
};

struct papi_definition {
	int code;
	struct papi_definition_source source; /* owns its strings */
	int holders;                          /* EventSets that use it */
	bool resolving;                       /* on the way through its terms: meeting it again is a cycle */
	unsigned resolved;                    /* the generation of definitions it was resolved in; 0: not yet */
	struct papi_event event;              /* valid when resolved */
};

/* What becomes of a symbol that is no preset yet: another preset, while there is room, or a user event. */
enum papi_definition_kind { PAPI_DEFINE_PRESET, PAPI_DEFINE_USER_EVENT };

/*
 * Defines the event of a symbol; *code is its code. Without replace, what is defined already stays.
 * PAPI_EPERM: it is defined already. PAPI_EISRUN: and in use by an EventSet. PAPI_EINVAL: a formula that does not
 * compile. PAPI_ENOTPRESET: the table of presets is full. PAPI_ENOMEM.
 */
int papi_definition_make(
	const struct papi_definition_source *source, enum papi_definition_kind kind, bool replace, int *code);

/* The definition of a preset or user event; NULL when it has none, with the reason in the detail. */
struct papi_definition *papi_definition_get(int code);

/* Whether papi_definition_get() has the answer without reading all tables. */
bool papi_definition_at_hand(int code);

/* How many user events are defined, and presets including those that tables have added. Codes count from 0. */
unsigned papi_definition_user_events(void);
unsigned papi_definition_presets(void);

/*
 * Fills definition->event, or says what is missing. A new definition of one of its terms shows when it is resolved
 * again; while EventSets hold it, it stays as it is.
 */
int papi_definition_resolve(struct papi_definition *definition);

void papi_definitions_clear(void);

#endif
