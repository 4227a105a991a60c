/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * PAPI, the Performance Application Programming Interface: counts what a processor and its operating system do for a
 * program, with hardware counters where there are any.
 *
 * A first program:
 *
 *     int set = PAPI_NULL;
 *     long long counts[2];
 *
 *     if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT || PAPI_create_eventset(&set) != PAPI_OK ||
 *         PAPI_add_named_event(set, "perf::PAGE-FAULTS") != PAPI_OK ||
 *         PAPI_add_named_event(set, "perf::CONTEXT-SWITCHES") != PAPI_OK || PAPI_start(set) != PAPI_OK) {
 *             fprintf(stderr, "%s\n", PAPI_error_detail());
 *             exit(1);
 *     }
 *     work();
 *     PAPI_stop(set, counts);
 *
 * Words. An *event* is something that can be counted; its *code* is an int. A *native event* is one that a *component*
 * (the part of the library that knows one source of counts; 3.5 said substrate) counts directly; a *preset* is one with
 * a name that is the same on every machine, made of one or more native events; a *user event* is a preset that the user
 * defined. An *event set* is a list of events that are started, read and stopped together.
 *
 * ## Two interfaces
 *
 * The library is a drop-in for programs compiled for libpapi.so.7.0, and its header has every name of the Programmer's
 * Reference 3.5 as well. Each function names the page of that reference which specifies it, or says "7.0 interface" or
 * "extension of this library". Where the two differ in behaviour, the reference decides.
 *
 * ## Errors
 *
 * A function that returns int returns PAPI_OK or a number that is not negative when it has done what was asked, and a
 * negative code, PAPI_E..., when it has not; then nothing has changed, unless the function says otherwise. A function
 * that returns a pointer returns NULL instead. In both cases PAPI_error_detail() has a sentence for a person: what was
 * tried, what the system answered and what can be done.
 *
 * These codes can come from any function and are not repeated at each:
 *   PAPI_ENOINIT   PAPI_library_init has not been called; only the functions of this file and of papi_highlevel.h,
 *                  PAPI_disable_component and PAPI_disable_component_by_name work before it
 *   PAPI_EINVAL    a pointer is NULL, or a number or flag has no meaning
 *   PAPI_ENOEVST   the event set does not exist: never created, or destroyed since
 *   PAPI_ENOMEM    there is no memory left
 *   PAPI_ESYS      the system refused something; the detail has its words
 *   PAPI_ECNFLCT   a signal handler used an event set in the middle of another call, see below
 *
 * No function prints, unless PAPI_set_debug or PAPI_VERBOSE in the environment asks for it, and none ends the program,
 * unless PAPI_VERB_ESTOP does.
 *
 * ## Threads
 *
 * Every function may be called by any thread at any time. There is one exclusion: only one thread at a time is inside
 * an event set; others that use the same one wait, so for speed give each thread its own. Threads need not be
 * registered. A set counts the thread that made it, or that last started it, unless it is attached to something else
 * (PAPI_attach, PAPI_CPU_ATTACH).
 *
 * ## Signals
 *
 * A signal handler may call PAPI_start, PAPI_stop, PAPI_read, PAPI_read_ts, PAPI_accum, PAPI_reset, PAPI_state,
 * PAPI_num_events, PAPI_list_events, PAPI_get_overflow_event_index, PAPI_is_initialized, PAPI_error_detail and the
 * timers, if the thread has used them before: the first start of a set in a thread, for one, opens counters. Where a
 * handler interrupted a call on the same event set it cannot wait for that one to end, and gets PAPI_ECNFLCT. So it
 * does where it interrupted any other call of the library, and another thread is inside the set at that moment.
 *
 * ## fork and exec
 *
 * The child of a fork can use the library at once. Event sets of the parent are there, stopped, with their last values;
 * they count the child when they are started again. No file descriptor of the library survives an exec.
 *
 * ## Where what is
 *
 *   papi.h             initialization and errors: this file
 *   papi_highlevel.h   a few calls for measuring with little code
 *   papi_eventset.h    event sets: making, filling, starting, reading
 *   papi_events.h      events and components: names, codes, descriptions
 *   papi_metrics.h     metrics: numbers with a meaning, made of counts
 *   papi_perfometer.h  showing a program while it runs
 *   papi_options.h     domain, granularity, attaching, multiplexing and the other options
 *   papi_sampling.h    overflow and profiling: where in the program events occur
 *   papi_system.h      threads, timers, hardware, program and memory
 *   papi_types.h, papi_constants.h, papiStdEventDefs.h
 *                      the data types, the constants and the codes of the presets
 */
#ifndef PAPI_H
#define PAPI_H

/* Nothing here needs these, but programs rely on their coming with papi.h: pid_t, caddr_t, SIGPROF, INT_MAX. */
#include <limits.h>
#include <signal.h>
#include <sys/types.h>

#include "papiStdEventDefs.h"
#include "papi_constants.h"
#include "papi_types.h"

#include "papi_events.h"
#include "papi_eventset.h"
#include "papi_highlevel.h"
#include "papi_metrics.h"
#include "papi_options.h"
#include "papi_perfometer.h"
#include "papi_sampling.h"
#include "papi_sites.h"
#include "papi_system.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Initialization ------------------------------------------------------------------------------------ */

/**
 * Makes the library ready. Any number of threads may call it, any number of times; the first call does the work and the
 * others wait for it. Components look at the machine here; one that finds nothing to count is disabled and says why in
 * its PAPI_component_info_t, which is no error.
 *
 * @param version  PAPI_VER_CURRENT, the version of the header that the program was compiled with.
 * @return version when the library fits it, that is, when major and minor are those of the library;
 *         PAPI_EINVAL when they are not; PAPI_ENOMEM.
 *
 * Programmer's Reference 3.5, page PAPI_library_init. It allows a positive number for a version that does not fit; this
 * library always answers with PAPI_EINVAL.
 */
PAPI_API int PAPI_library_init(int version);

/**
 * Tells which parts of the library are initialized. Never fails.
 *
 * @return PAPI_NOT_INITED; PAPI_LOW_LEVEL_INITED; PAPI_HIGH_LEVEL_INITED once a high-level function has been called.
 *         PAPI_THREAD_LEVEL_INITED is added to the latter two when PAPI_thread_init has been called.
 *
 * Programmer's Reference 3.5, page PAPI_is_initialized.
 */
PAPI_API int PAPI_is_initialized(void);

/**
 * Stops and destroys all event sets of the process and gives back everything the library holds: memory, file
 * descriptors, timers, signal handlers. Handles from before are stale from then on. PAPI_library_init may be called
 * again later. A program that ends anyway need not call it.
 *
 * Not for signal handlers. Other threads that are inside the library finish their call first.
 *
 * Programmer's Reference 3.5, page PAPI_shutdown.
 */
PAPI_API void PAPI_shutdown(void);

/* ---- Errors -------------------------------------------------------------------------------------------- */

/**
 * Chooses what happens when a call fails, for the whole process. May be called before PAPI_library_init.
 *
 * @param level  PAPI_QUIET: nothing, as at the start; PAPI_VERB_ECONT: code, name and detail of the error are printed
 *               on standard error; PAPI_VERB_ESTOP: and the program ends.
 * @return PAPI_OK; PAPI_EINVAL for another level.
 *
 * A program that sets a handler with PAPI_set_opt(PAPI_DEBUG) has it called instead of the printing, at both levels
 * that print.
 *
 * Programmer's Reference 3.5, page PAPI_set_debug.
 */
PAPI_API int PAPI_set_debug(int level);

/**
 * A short fixed text for a return code. May be called before PAPI_library_init. What really happened is said by
 * PAPI_error_detail.
 *
 * @param code  PAPI_OK or an error code.
 * @return the text, which stays valid and must not be changed; NULL for a number that is no code.
 *
 * Programmer's Reference 3.5, page PAPI_strerror.
 */
PAPI_API char *PAPI_strerror(int code);

/* Its earlier name. */
#define PAPI_descr_error(code) PAPI_strerror(code)

/**
 * Why the last call of this thread that failed has failed: one or more sentences, without a newline at the end. As with
 * errno, a call that succeeds leaves it as it is. May be called before PAPI_library_init.
 *
 * @return the text, valid until the next error of this thread; "" when none of its calls has failed.
 *
 * Extension of this library.
 */
PAPI_API const char *PAPI_error_detail(void);

/**
 * Prints the last error of this thread on standard error, as perror does: message, a colon, and what went wrong.
 *
 * @param message  what the program was doing; with NULL or "" only the error is printed.
 *
 * 7.0 interface; see below for the other PAPI_perror.
 */
PAPI_API void PAPI_perror(const char *message);

/**
 * Copies the text of PAPI_strerror into a buffer, or prints it.
 *
 * @param code         PAPI_OK or an error code.
 * @param destination  where the text goes, always ended with a zero byte and cut where the buffer ends; not used when
 *                     length is 0.
 * @param length       bytes of destination; 0: print the text on standard error instead.
 * @return PAPI_OK; PAPI_EINVAL for a number that is no code, a negative length or a missing destination.
 *
 * The PAPI_perror of the Programmer's Reference 3.5, under a name of its own: extension of this library.
 */
PAPI_API int PAPI_perror_code(int code, char *destination, int length);

/*
 * Both interfaces have a PAPI_perror. With one argument the macro calls the function of 7.0, with three that of 3.5;
 * (PAPI_perror) and &PAPI_perror are always the function of 7.0, which is what the library exports under the name.
 */
#define PAPI_PERROR_CHOOSE(first, second, third, chosen, ...) chosen
#define PAPI_perror(...)                                                                                           \
	PAPI_PERROR_CHOOSE(__VA_ARGS__, PAPI_perror_code, PAPI_perror_takes_one_or_three_arguments, PAPI_perror, ) \
	(__VA_ARGS__)

#ifdef __cplusplus
}
#endif

#endif
