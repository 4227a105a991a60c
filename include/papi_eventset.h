/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Event sets: making them, filling them, counting with them.
 *
 * An event set is known by a handle, an int. The handle carries a generation, so that one whose set is gone is
 * recognized (PAPI_ENOEVST) even when its place holds another set by now. A set may hold events of several components;
 * they are started, read and stopped together.
 *
 * The values of a set are an array of long long with one entry for each event, in the order in which the events were
 * added; in this file "the array" is such an array, with PAPI_num_events(EventSet) entries. Removing an event moves the
 * later ones up. What the eight bytes mean is told by data_type in PAPI_event_info_t: a whole number nearly always.
 *
 * Rules on errors, threads and signals: papi.h. Included by papi.h.
 */
#ifndef PAPI_EVENTSET_H
#define PAPI_EVENTSET_H

#include "papi_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Making and unmaking ------------------------------------------------------------------------------- */

/**
 * Makes an empty event set.
 *
 * @param[in,out] EventSet  must hold PAPI_NULL; gets the handle.
 * @return PAPI_OK; PAPI_EINVAL when it does not hold PAPI_NULL; PAPI_ECOUNT when the process has as many sets as there
 *         are handles.
 *
 * The set takes over the default domain and granularity of this moment. Programmer's Reference 3.5, page
 * PAPI_create_eventset.
 */
PAPI_API int PAPI_create_eventset(int *EventSet);

/**
 * Removes all events from a stopped set, and with them overflow and profiling. The set is no longer multiplexed, as in
 * the 7.0 interface; domain, attachment, ranges of addresses and the other options stay.
 *
 * @return PAPI_OK; PAPI_EISRUN when the set is running.
 *
 * Programmer's Reference 3.5, page PAPI_cleanup_eventset.
 */
PAPI_API int PAPI_cleanup_eventset(int EventSet);

/**
 * Ends an event set. It must be stopped and empty.
 *
 * @param[in,out] EventSet  the handle; set to PAPI_NULL when the set is gone.
 * @return PAPI_OK; PAPI_EISRUN when the set is running; PAPI_EINVAL when it is not empty.
 *
 * Programmer's Reference 3.5, page PAPI_destroy_eventset.
 */
PAPI_API int PAPI_destroy_eventset(int *EventSet);

/**
 * Binds a set to one component: events of others are refused from then on. Nobody needs it who does not want that.
 *
 * @param cidx  index of a component.
 * @return PAPI_OK; PAPI_ENOCMP for a component that does not exist; PAPI_ECMP_DISABLED; PAPI_EINVAL when the set
 *         belongs to another component already.
 *
 * 7.0 interface.
 */
PAPI_API int PAPI_assign_eventset_component(int EventSet, int cidx);

/**
 * @return the index of the component of the set, the first one when it has several; PAPI_ENOCMP when it has none yet.
 *
 * 7.0 interface.
 */
PAPI_API int PAPI_get_eventset_component(int EventSet);

/* ---- Filling ------------------------------------------------------------------------------------------- */

/**
 * Adds an event to a stopped set, as its last one.
 *
 * @param Event  code of a preset, native or user event.
 * @return PAPI_OK;
 *         PAPI_EISRUN when the set is running;
 *         PAPI_ENOEVNT when the event does not exist or cannot be counted on this machine;
 *         PAPI_ENOTPRESET when the code has the form of a preset but is none;
 *         PAPI_ECNFLCT when the event cannot be counted together with those in the set, or is in it already;
 *         PAPI_ENOCNTR when there are not enough counters;
 *         PAPI_EPERM when the system does not permit it, the detail says what would help;
 *         PAPI_ECMP when the set is assigned to another component, or that of the event cannot do what an option of the
 *         set asks for;
 *         PAPI_EINVAL_DOM when the component cannot count in the domain of the set;
 *         PAPI_ENOSUPP when the counter, or this kernel, cannot count the event in the way the set asks for;
 *         PAPI_ECOUNT when the set is full;
 *         PAPI_ECMP_DISABLED when the component of the event is disabled.
 *
 * Programmer's Reference 3.5, page PAPI_add_event.
 */
PAPI_API int PAPI_add_event(int EventSet, int Event);

/**
 * Adds several events, one after the other, until one fails.
 *
 * @param Events  number codes.
 * @param number  how many, at least 1.
 * @return PAPI_OK when all were added; the error of the first event when that failed; otherwise the positive number of
 *         events that were added before one failed. Those stay in the set; the detail speaks of the one that failed.
 *
 * Programmer's Reference 3.5, page PAPI_add_events.
 */
PAPI_API int PAPI_add_events(int EventSet, int *Events, int number);

/**
 * Adds an event by name.
 *
 * @param EventName  any name that PAPI_event_name_to_code takes.
 * @return what PAPI_event_name_to_code or PAPI_add_event would.
 *
 * 7.0 interface.
 */
PAPI_API int PAPI_add_named_event(int EventSet, const char *EventName);

/**
 * Takes an event out of a stopped set.
 *
 * @return PAPI_OK; PAPI_EISRUN when the set is running; PAPI_ENOEVNT when the event is not in it.
 *
 * Programmer's Reference 3.5, page PAPI_remove_event.
 */
PAPI_API int PAPI_remove_event(int EventSet, int EventCode);

/**
 * Takes several events out, one after the other, until one fails.
 *
 * @param Events  number codes.
 * @param number  how many, at least 1.
 * @return as PAPI_add_events: PAPI_OK, the error of the first, or how many are out before one failed.
 *
 * Programmer's Reference 3.5, page PAPI_remove_events.
 */
PAPI_API int PAPI_remove_events(int EventSet, int *Events, int number);

/**
 * Takes an event out by name.
 *
 * @return what PAPI_event_name_to_code or PAPI_remove_event would.
 *
 * 7.0 interface.
 */
PAPI_API int PAPI_remove_named_event(int EventSet, const char *EventName);

/**
 * Lists the events of a set.
 *
 * @param[out] Events     their codes, in the order of the values; may be NULL when *number is 0.
 * @param[in,out] number  in: entries of Events; out: events in the set, which may be more than were stored.
 * @return PAPI_OK.
 *
 * Programmer's Reference 3.5, page PAPI_list_events.
 */
PAPI_API int PAPI_list_events(int EventSet, int *Events, int *number);

/**
 * @return how many events are in the set, 0 or more.
 *
 * Programmer's Reference 3.5, page PAPI_num_events.
 */
PAPI_API int PAPI_num_events(int EventSet);

/**
 * Tells the state of a set.
 *
 * @param[out] status  either PAPI_STOPPED or PAPI_RUNNING; with it PAPI_ATTACHED, PAPI_CPU_ATTACHED, PAPI_MULTIPLEXING,
 *                     PAPI_OVERFLOWING and PAPI_PROFILING as they apply.
 * @return PAPI_OK.
 *
 * Programmer's Reference 3.5, page PAPI_state.
 */
PAPI_API int PAPI_state(int EventSet, int *status);

/* ---- Counting ------------------------------------------------------------------------------------------ */

/**
 * Starts to count, every event from zero. Several sets of one thread may run at once, also with the same events.
 *
 * @return PAPI_OK;
 *         PAPI_EISRUN when the set is running already;
 *         PAPI_EINVAL when the set is empty;
 *         PAPI_ECNFLCT when something else holds the counters: another set, another process, a watchdog of the system;
 *         PAPI_EINVAL when what the set is attached to is gone.
 *
 * Programmer's Reference 3.5, page PAPI_start.
 */
PAPI_API int PAPI_start(int EventSet);

/**
 * Stops to count. The values are kept: PAPI_read shows them until the next start.
 *
 * @param[out] values  the array, filled with what was counted since start or reset; may be NULL.
 * @return PAPI_OK; PAPI_ENOTRUN when the set is not running; otherwise as PAPI_read, and the set is stopped all the
 *         same.
 *
 * Programmer's Reference 3.5, page PAPI_stop.
 */
PAPI_API int PAPI_stop(int EventSet, long long *values);

/**
 * Reads the values of a set, which goes on counting. A stopped set shows the values of its last run.
 *
 * @param[out] values  the array, filled.
 * @return PAPI_OK; PAPI_ECNFLCT when an event was never on a counter, since others hold them, so that there is nothing
 *         to report; PAPI_ECLOST when a counter shows something that cannot be.
 *
 * Programmer's Reference 3.5, page PAPI_read.
 */
PAPI_API int PAPI_read(int EventSet, long long *values);

/**
 * PAPI_read, with the time at which the values were read.
 *
 * @param[out] values  the array, filled.
 * @param[out] cyc     the value of PAPI_get_real_cyc, taken as near to the reading as possible.
 * @return as PAPI_read.
 *
 * 7.0 interface.
 */
PAPI_API int PAPI_read_ts(int EventSet, long long *values, long long *cyc);

/**
 * Adds the values of a set to an array and resets the set, which goes on counting; what is counted between the two is
 * not lost. A stopped set adds the values of its last run, and has zeros afterwards.
 *
 * @param[in,out] values  the array, added to.
 * @return as PAPI_read.
 *
 * Programmer's Reference 3.5, page PAPI_accum. It says both that the counters and that the array become zero; its
 * examples, and this library, add to the array and zero the counters.
 */
PAPI_API int PAPI_accum(int EventSet, long long *values);

/**
 * Makes all values of a set zero; one that runs goes on counting from there. The counters themselves are not touched,
 * only what is subtracted from them.
 *
 * @return PAPI_OK.
 *
 * Programmer's Reference 3.5, page PAPI_reset.
 */
PAPI_API int PAPI_reset(int EventSet);

/**
 * Gives the values of a set new values: the next read shows these, plus what a running set counts meanwhile.
 *
 * @param[in] values  the array.
 * @return PAPI_OK.
 *
 * The library keeps the difference and leaves the counters alone, so this works for every event. Programmer's Reference
 * 3.5, page PAPI_write, where some machines cannot do it.
 */
PAPI_API int PAPI_write(int EventSet, long long *values);

/**
 * Tells for each event of a set how long it should have counted and how long it really did, since start or reset. When
 * the two differ, the kernel let events take turns on the counters, and the value is an estimate: the count times
 * enabled / running. A stopped set gives the times of its last run.
 *
 * @param[out] enabled  nanoseconds for each event, PAPI_num_events(EventSet) entries; may be NULL.
 * @param[out] running  the same, never more than enabled; may be NULL.
 * @return PAPI_OK.
 *
 * A preset made of several native events has the times of the one that ran least. Extension of this library.
 */
PAPI_API int PAPI_get_event_times(int EventSet, long long *enabled, long long *running);

#ifdef __cplusplus
}
#endif

#endif
