/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Options: in which modes and for whom events count, and what else can be asked and chosen.
 *
 * Options of an event set can be changed while it is stopped; they hold for all its events, those added later too.
 * Defaults hold for sets that are created afterwards, by any thread.
 *
 * Rules on errors, threads and signals: papi.h. None of these functions is for signal handlers. Included by papi.h.
 */
#ifndef PAPI_OPTIONS_H
#define PAPI_OPTIONS_H

#include "papi_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Domain and granularity ---------------------------------------------------------------------------- */

/**
 * Sets the default domain of component 0: the modes of the processor in which events count. It is PAPI_DOM_USER at the
 * start.
 *
 * Events that by their nature happen in the kernel (context switches, migrations, tracepoints) count in any domain. A
 * source of counts that cannot tell the modes apart counts all of them, and the note of its events says so.
 *
 * @param domain  PAPI_DOM_USER, PAPI_DOM_KERNEL, PAPI_DOM_OTHER and PAPI_DOM_SUPERVISOR, combined with |.
 * @return PAPI_OK; PAPI_EINVAL for other bits or none; PAPI_EINVAL_DOM for a domain that the component does not know.
 *
 * Programmer's Reference 3.5, page PAPI_set_domain.
 */
PAPI_API int PAPI_set_domain(int domain);

/**
 * PAPI_set_domain for one component.
 *
 * @param cidx  its index.
 * @return as PAPI_set_domain; PAPI_ENOCMP when there is no such component.
 *
 * 7.0 interface.
 */
PAPI_API int PAPI_set_cmp_domain(int domain, int cidx);

/**
 * Sets the default granularity of component 0: whose events are counted. It is PAPI_GRN_THR at the start.
 *
 * @param granularity  PAPI_GRN_THR: one thread; PAPI_GRN_SYS: whatever runs on one CPU; PAPI_GRN_SYS_CPU: whatever runs
 *                     on any. The component info has the list of those a component can do.
 * @return PAPI_OK; PAPI_EINVAL for a number that is no granularity; PAPI_ECMP for one that the component cannot do.
 *
 * Programmer's Reference 3.5, page PAPI_set_granularity.
 */
PAPI_API int PAPI_set_granularity(int granularity);

/**
 * PAPI_set_granularity for one component.
 *
 * @param cidx  its index.
 * @return as PAPI_set_granularity; PAPI_ENOCMP when there is no such component.
 *
 * 7.0 interface.
 */
PAPI_API int PAPI_set_cmp_granularity(int granularity, int cidx);

/* ---- Attaching ----------------------------------------------------------------------------------------- */

/**
 * Makes a stopped set count another thread or process instead of the calling thread.
 *
 * @param tid  the kernel's number of a thread or process, as gettid and getpid return it. A process is its first
 *             thread; with PAPI_INHERIT_ALL, also what that creates afterwards.
 * @return PAPI_OK; PAPI_EISRUN when the set is running; PAPI_EINVAL when there is no such thread; PAPI_EPERM when it
 *         may not be watched, the detail says what would help; PAPI_ECMP when a component of the set cannot attach.
 *
 * When the target ends, the counts stay and can be read. Programmer's Reference 3.5, page PAPI_attach.
 */
PAPI_API int PAPI_attach(int EventSet, unsigned long tid);

/**
 * Makes an attached set count the thread that starts it again.
 *
 * @return PAPI_OK; PAPI_EISRUN when the set is running; PAPI_EINVAL when it is not attached.
 *
 * Programmer's Reference 3.5, page PAPI_detach.
 */
PAPI_API int PAPI_detach(int EventSet);

/* ---- Multiplexing -------------------------------------------------------------------------------------- */

/**
 * Prepares the library for multiplexing: events that take turns on too few counters, with values estimated from the
 * share of time each had. Sets that do not ask for it are not concerned; those that do need no preparation here.
 *
 * @return PAPI_OK.
 *
 * Programmer's Reference 3.5, page PAPI_multiplex_init.
 */
PAPI_API int PAPI_multiplex_init(void);

/**
 * Makes a stopped set a multiplexed one: by the kernel, but for breakpoints, which the kernel does not multiplex; these
 * take turns by a timer of the library. Ends with PAPI_cleanup_eventset.
 *
 * PAPI_get_event_times tells how much of the time each event has counted. As long as one of them had no turn since the
 * last start, reset or accum, PAPI_read, PAPI_accum and PAPI_stop return PAPI_ECNFLCT, and PAPI_accum changes nothing.
 * Estimates never decrease between two resets.
 *
 * @return PAPI_OK; PAPI_EINVAL when it is one already; PAPI_EISRUN when it is running; PAPI_ECMP when a component of
 *         the set cannot multiplex.
 *
 * Programmer's Reference 3.5, page PAPI_set_multiplex.
 */
PAPI_API int PAPI_set_multiplex(int EventSet);

/**
 * @return a positive number when the set is multiplexed, 0 when it is not.
 *
 * Programmer's Reference 3.5, page PAPI_get_multiplex.
 */
PAPI_API int PAPI_get_multiplex(int EventSet);

/* ---- All options --------------------------------------------------------------------------------------- */

/**
 * Asks for an option. "Returns" below is the result of the call; everything else is stored in *ptr. Where an event set
 * is meant, its handle must be in the member named, as in ptr->domain.eventset.
 *
 * Options that return a number, and take NULL for ptr:
 *   PAPI_CLOCKRATE       MHz of PAPI_get_real_cyc
 *   PAPI_MAX_CPUS        CPUs of the machine
 *   PAPI_MAX_HWCTRS      counters of component 0
 *   PAPI_MAX_MPX_CTRS    events of component 0 in one multiplexed set
 *   PAPI_LIB_VERSION     version of the library, increment and revision included
 *   PAPI_DEFDOM          default domain; with ptr also in defdomain.domain
 *   PAPI_DEFGRN          default granularity; with ptr also in defgranularity.granularity
 *
 * Options of the library; they return PAPI_OK:
 *   PAPI_EXEINFO         exe_info, as PAPI_get_executable_info
 *   PAPI_HWINFO          hw_info, as PAPI_get_hardware_info
 *   PAPI_SHLIBINFO       shlib_info, as PAPI_get_shared_lib_info
 *   PAPI_COMPONENTINFO   cmp_info, as PAPI_get_component_info(0); PAPI_SUBSTRATEINFO is another name
 *   PAPI_PRELOAD         preload: which variables load libraries into programs
 *   PAPI_DEBUG           debug.level and debug.handler
 *   PAPI_DEF_MPX_NS      multiplex.ns: nanoseconds of a turn of sets that become multiplexed
 *   PAPI_DEF_MPX_USEC    multiplex.us: the same in microseconds
 *   PAPI_DEF_ITIMER      itimer.itimer_num, itimer.itimer_sig: the timer of software overflow
 *   PAPI_DEF_ITIMER_NS   itimer.ns: its interval, 100,000 ns at least
 *
 * Options of an event set:
 *   PAPI_DOMAIN          domain.domain; returns PAPI_OK
 *   PAPI_GRANUL          granularity.granularity; returns PAPI_OK
 *   PAPI_INHERIT         inherit.inherit; returns PAPI_OK
 *   PAPI_ATTACH          attach.tid; returns 1 when the set is attached to a thread or process, 0 when not
 *   PAPI_DETACH          the same with 0 and 1 exchanged
 *   PAPI_CPU_ATTACH      cpu.cpu_num; returns 1 when the set is attached to a CPU, 0 when not
 *   PAPI_MULTIPLEX       multiplex.ns, the turn of this set, and multiplex.flags; returns 1 when the set is
 *                        multiplexed, 0 when not
 *   PAPI_DATA_ADDRESS    addr.start, addr.end: the range, or null pointers where there is none; addr.start_off,
 *                        addr.end_off: how many bytes earlier and later the range that is counted starts and ends.
 *                        Returns PAPI_OK
 *   PAPI_INSTR_ADDRESS   the same for instructions
 *
 * @param option  one of these.
 * @param ptr     in and out.
 * @return as listed; PAPI_EINVAL for an option that does not exist or cannot be asked for.
 *
 * Programmer's Reference 3.5, page PAPI_get_opt; options without a row there are of the 7.0 interface.
 */
PAPI_API int PAPI_get_opt(int option, PAPI_option_t *ptr);

/**
 * PAPI_get_opt for one component, for those options that concern one: PAPI_MAX_HWCTRS, PAPI_MAX_MPX_CTRS, PAPI_DEFDOM,
 * PAPI_DEFGRN, PAPI_COMPONENTINFO.
 *
 * @param cidx  its index.
 * @return as PAPI_get_opt; PAPI_ENOCMP when there is no such component.
 *
 * 7.0 interface.
 */
PAPI_API int PAPI_get_cmp_opt(int option, PAPI_option_t *ptr, int cidx);

/**
 * Sets an option.
 *
 *   PAPI_DEFDOM            defdomain.domain for component defdomain.def_cidx
 *   PAPI_DEFGRN            defgranularity.granularity for component defgranularity.def_cidx
 *   PAPI_DEBUG             debug.level, debug.handler: see PAPI_set_debug; the function that is called with the code of
 *                          an error instead of printing it, or NULL
 *   PAPI_DEF_MPX_NS        multiplex.ns, PAPI_DEF_MPX_USEC multiplex.us: the turn in multiplexing by the library, at
 *                          least 100 us, for sets that become multiplexed from now on. The kernel has a turn of its
 *                          own.
 *   PAPI_DEF_ITIMER        itimer.itimer_num, itimer.itimer_sig
 *   PAPI_DEF_ITIMER_NS     itimer.ns
 *   PAPI_USER_EVENTS_FILE  events_file: path of a file whose definitions are added to the user events
 *
 * Options of an event set, which must be stopped:
 *   PAPI_DOMAIN            domain.eventset, domain.domain: see PAPI_set_domain
 *   PAPI_GRANUL            granularity.eventset, granularity.granularity: see PAPI_set_granularity
 *   PAPI_ATTACH            attach.eventset, attach.tid: see PAPI_attach
 *   PAPI_DETACH            attach.eventset: see PAPI_detach
 *   PAPI_CPU_ATTACH        cpu.eventset, cpu.cpu_num: counts whatever runs on that CPU. Needs the same rights as
 *                          watching the whole system.
 *   PAPI_INHERIT           inherit.eventset, inherit.inherit: PAPI_INHERIT_ALL counts threads and processes that the
 *                          counted thread creates while the set runs, PAPI_INHERIT_NONE does not
 *   PAPI_MULTIPLEX         multiplex.eventset, multiplex.flags: see PAPI_set_multiplex; with PAPI_MULTIPLEX_FORCE_SW in
 *                          flags the library gives all the turns, else the kernel where it can. multiplex.ns is not
 *                          looked at
 *   PAPI_DATA_ADDRESS      addr.eventset, addr.start, addr.end: count only accesses to the addresses from start up to,
 *                          but without, end; null pointers end that. Stores addr.start_off, addr.end_off as
 *                          PAPI_get_opt does. PAPI_ECMP where a component cannot restrict an event of the set: of perf
 *                          events, those that are no breakpoints on data; PAPI_ECNFLCT where one could never count
 *   PAPI_INSTR_ADDRESS     the same for instructions and breakpoints on these
 *
 * @param option   one of these.
 * @param[in] ptr  the values.
 * @return PAPI_OK; PAPI_EINVAL for an option that does not exist or cannot be set; PAPI_EISRUN when the set is running;
 *         PAPI_EINVAL_DOM; PAPI_ECMP when a component cannot do it; PAPI_EPERM when the system does not permit it.
 *
 * Programmer's Reference 3.5, page PAPI_set_opt; options without a row there are of the 7.0 interface.
 */
PAPI_API int PAPI_set_opt(int option, PAPI_option_t *ptr);

#ifdef __cplusplus
}
#endif

#endif
