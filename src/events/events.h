/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From names and codes to things to count.
 *
 *	name --papi_event_code()--> code --papi_event_get()--> struct papi_event: natives and perhaps a formula
 *
 * Three kinds of codes share an int (papi_types.h): presets 0x80000000 | index, natives 0x40000000 | index, user events
 * 0xC0000000 | index. Preset indexes are fixed by the interface. A native gets the next index when its name is first
 * used or listed, and keeps it until PAPI_shutdown().
 *
 * Names once seen are found in a hash table without a lock; a name seen for the first time is given to the component it
 * belongs to, under the mutex of this layer. Names of component 0, the CPU's, stand alone (`perf::PAGE-FAULTS`) or
 * after `perf_event:::`; those of the others have their component's prefix (`rusage:::minflt`).
 *
 * All functions expect the library lock (core/library.h).
 */
#ifndef PAPI_EVENTS_EVENTS_H
#define PAPI_EVENTS_EVENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "events/formula.h"
#include "papi.h"

/* One thing that a component can count. Never moves, and is immutable once the code is out. */
struct papi_native {
	int code;
	int component;
	int status;     /* PAPI_OK: encoding is valid; else why the event cannot be counted */
	void *encoding; /* the component's own */
	int listed;     /* position among the events the component lists, -1: not known from a listing */
	int mask;       /* position among the masks of its event, -1: not a listed mask */
	int mask_of;    /* code of that event */
	const struct papi_native *self; /* so that &native->self is a list of one */
	const char *name;               /* with the prefix, if its component has one */
	const char *component_name;     /* the same without */
};

struct papi_definition;

/* What an EventSet counts for one code. The arrays belong to this layer and live as long as the code is defined. */
struct papi_event {
	int code;
	unsigned n_natives;
	const struct papi_native *const *natives;
	const struct papi_formula *formula; /* NULL: the count of the one native */
	struct papi_definition *definition; /* NULL: a native event */
};

/* PAPI_OK; PAPI_ENOEVNT, PAPI_ENOTPRESET, PAPI_EINVAL, PAPI_ECMP_DISABLED, PAPI_EPERM with the reason in the detail. */
int papi_event_code(const char *name, int *code);
int papi_event_get(int code, struct papi_event *event);

/* The name of a code, whether it can be counted here or not; NULL with PAPI_ENOEVNT or PAPI_ENOTPRESET. */
const char *papi_event_name(int code);
int papi_event_describe(int code, PAPI_event_info_t *info);
int papi_event_component(int code);

/*
 * What a count of the event is worth, by the notes of the natives it is made of: the worst of "exact", "sampled",
 * "modelled" and "estimated". (A counter that is shared by turns is the caller's business.)
 */
const char *papi_event_kind(int code);
/* Whether it is counted by translation, which makes the program slower. */
bool papi_event_is_virtual(int code);

/*
 * The next code of a listing (PAPI_enum_event, PAPI_enum_cmp_event). component -1: any.
 * PAPI_ENOEVNT at the end; PAPI_EINVAL for a modifier that does not fit the code.
 */
int papi_event_enumerate(int *code, int modifier, int component);

/* A definition is in use by one more (+1) or one fewer (-1) EventSet and must not be replaced meanwhile. */
void papi_event_hold(const struct papi_event *event, int change);

/* New definitions (events/definitions.h, events/tables.h): these expect the library lock held for writing. */
struct papi_definition_source;
int papi_event_define(const struct papi_definition_source *source, bool replace, int *code);
int papi_event_read_presets(const char *path, bool replace);
int papi_event_read_user_events(const char *path);

/* Completes the description of a component: what is only gathered when somebody asks for it. */
void papi_events_survey(int component);

void papi_events_shutdown(void);

#endif
