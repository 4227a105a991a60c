/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tables of events: the built-in text, or a file in its place, and the user's files.
 *
 * The built-in tables (data/events, embedded in the library) are read when a preset is first needed that the last of
 * them does not define by itself (papi_tables_load_one). What belongs to
 * this machine is taken: tables named for a PMU that is here, for this CPU, or for "any"; and where nothing else is,
 * the table named "generic". PAPI_CSV_EVENT_FILE (or PAPI_PERFMON_EVENT_FILE, its older name) is read instead of the
 * built-in text; PAPI_USER_EVENTS_FILE adds user events.
 *
 * Events that a bad line lost are remembered with the reason, which a query for them gets.
 *
 * All functions expect the events mutex.
 */
#ifndef PAPI_EVENTS_TABLES_H
#define PAPI_EVENTS_TABLES_H

#include "events/definitions.h"

/* Reads what is to be read, once; cheap afterwards. */
void papi_tables_load(void);

/*
 * Before that: defines a preset as the last of the built-in tables does, if nothing could override it and that table is
 * the one of a component that stands in for the CPU's counters. It spares those who count such presets libpfm4, which
 * tells what machine this is in milliseconds.
 */
void papi_tables_load_one(const char *symbol);

/* Reads the tables if a file of user events belongs to them, whose names must be known before any other is looked
 * up. */
bool papi_tables_have_user_events(void);

/* Why the event of that name was lost, into the detail as PAPI_ENOEVNT. PAPI_OK when it was not. */
int papi_tables_lost(const char *symbol);

/*
 * Reads a file of user events (PAPI_USER_EVENTS_FILE), or of presets as papi_decode prints them (PAPI_encode_events).
 * Good lines count, whatever others are like; the result is that of the first bad one.
 */
int papi_tables_read_user_events(const char *path);
int papi_tables_read_presets(const char *path, bool replace);

void papi_tables_clear(void);

#endif
