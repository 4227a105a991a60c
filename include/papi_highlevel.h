/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * The high level: measuring with a call or two. These functions initialize the library and the calling thread by
 * themselves. There are three families.
 *
 *   - Counters (3.5): start, read, accumulate and stop a list of events. They work on one event set of the calling
 *     thread that the program never sees, and that is gone when they stop.
 *   - Rates: one call at the beginning and one at the end of what is measured.
 *   - Regions (7.0): pairs of calls around named pieces of a program; what to count is chosen when the program runs, in
 *     the environment, and the results are written to a file when it ends.
 *
 * Counters and rates of one thread exclude each other: while one runs, the other returns an error. Low-level calls can
 * be mixed with all of them, and regions with everything. What runs in a thread also ends with the thread, and, but for
 * regions, with PAPI_unregister_thread; PAPI_shutdown takes the counters of all. The child of a fork starts afresh.
 *
 * Rules on errors, threads and signals: papi.h. None of these functions is for signal handlers. Included by papi.h.
 */
#ifndef PAPI_HIGHLEVEL_H
#define PAPI_HIGHLEVEL_H

#include "papi_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Counters ------------------------------------------------------------------------------------------ */

/**
 * @return how many hardware counters this machine has, the best length for the arrays of this chapter; 0 when it has
 *         none, and other events may still be counted; an error of PAPI_library_init.
 *
 * Programmer's Reference 3.5, page PAPI_num_counters.
 */
PAPI_API int PAPI_num_counters(void);

/**
 * Starts to count a list of events for the calling thread, from zero.
 *
 * @param events     array_len codes.
 * @param array_len  how many, at least one.
 * @return PAPI_OK; PAPI_EISRUN when the counters or a rate of this thread are running; any error of PAPI_add_event,
 *         whichever of the events it is, and of PAPI_start.
 *
 * Programmer's Reference 3.5, page PAPI_start_counters.
 */
PAPI_API int PAPI_start_counters(int *events, int array_len);

/**
 * Stops the counters of the calling thread, whether PAPI_start_counters or a rate (PAPI_flips, PAPI_flops, PAPI_ipc and
 * those of 7.0) has started them.
 *
 * @param[out] values  the counts since they were started or last reset, in the order of the events. Of a rate: its
 *                     event, PAPI_TOT_CYC and PAPI_REF_CYC, those that it counts and there is room for; may be NULL if
 *                     array_len is 0.
 * @param array_len    entries of values, at least as many as PAPI_start_counters was given events.
 * @return PAPI_OK; PAPI_ENOTRUN when they are not running; PAPI_EINVAL when array_len is too small, and they go on
 *         counting; an error of PAPI_stop, and they are stopped.
 *
 * Programmer's Reference 3.5, page PAPI_stop_counters.
 */
PAPI_API int PAPI_stop_counters(long long *values, int array_len);

/**
 * Copies the counts and starts again from zero.
 *
 * @param[out] values  the counts since start or the last reset, in the order of the events.
 * @param array_len    entries of values, at least as many as there are events.
 * @return PAPI_OK; PAPI_ENOTRUN when the counters are not running; PAPI_EINVAL when array_len is too small, or when a
 *         rate is running instead.
 *
 * Programmer's Reference 3.5, page PAPI_read_counters.
 */
PAPI_API int PAPI_read_counters(long long *values, int array_len);

/**
 * Adds the counts to an array and starts again from zero.
 *
 * @param[in,out] values  added to, in the order of the events.
 * @param array_len       entries of values, at least as many as there are events.
 * @return as PAPI_read_counters.
 *
 * Programmer's Reference 3.5, page PAPI_accum_counters.
 */
PAPI_API int PAPI_accum_counters(long long *values, int array_len);

/* ---- Rates --------------------------------------------------------------------------------------------- */

/**
 * Floating point instructions and their rate. The first call starts the measurement and gives zeros; each later one
 * gives totals since the first, and the rate since the call before it, or 0 if no time has passed. Counts PAPI_FP_INS
 * and PAPI_TOT_CYC; the cycles can be had from PAPI_stop_counters.
 *
 * @param[out] rtime   seconds of real time since the first call.
 * @param[out] ptime   seconds of the thread's CPU time since the first call.
 * @param[out] flpins  floating point instructions since the first call.
 * @param[out] mflips  millions of them per second of CPU time since the last call.
 * @return PAPI_OK; PAPI_EINVAL when the counters of this thread were started by something else, be it another of these
 *         functions or the same with another event; PAPI_ENOEVNT when one of the events cannot be counted here; any
 *         error of the low level.
 *
 * PAPI_stop_counters or PAPI_rate_stop ends the measurement. Programmer's Reference 3.5, page PAPI_flips.
 */
PAPI_API int PAPI_flips(float *rtime, float *ptime, long long *flpins, float *mflips);

/**
 * As PAPI_flips with floating point operations, PAPI_FP_OPS and PAPI_TOT_CYC: an instruction that works on several
 * numbers, or does two things to one, counts as many times.
 *
 * @param[out] rtime   seconds of real time since the first call.
 * @param[out] ptime   seconds of the thread's CPU time since the first call.
 * @param[out] flpops  floating point operations since the first call.
 * @param[out] mflops  millions of them per second of CPU time since the last call.
 * @return as PAPI_flips.
 *
 * Programmer's Reference 3.5, page PAPI_flops.
 */
PAPI_API int PAPI_flops(float *rtime, float *ptime, long long *flpops, float *mflops);

/**
 * As PAPI_flips with instructions and cycles: PAPI_TOT_INS and PAPI_TOT_CYC.
 *
 * @param[out] rtime  seconds of real time since the first call.
 * @param[out] ptime  seconds of the thread's CPU time since the first call.
 * @param[out] ins    instructions since the first call.
 * @param[out] ipc    instructions per cycle since the last call.
 * @return as PAPI_flips.
 *
 * Programmer's Reference 3.5, page PAPI_ipc.
 */
PAPI_API int PAPI_ipc(float *rtime, float *ptime, long long *ins, float *ipc);

/**
 * PAPI_flips with a choice of what is counted, and without PAPI_TOT_CYC.
 *
 * @param event        PAPI_FP_INS, PAPI_VEC_SP or PAPI_VEC_DP.
 * @param[out] rtime   seconds of real time since the first call.
 * @param[out] ptime   seconds of the thread's CPU time since the first call.
 * @param[out] flpins  instructions since the first call.
 * @param[out] mflips  millions of them per second of CPU time since the last call.
 * @return as PAPI_flips; PAPI_EINVAL for another event.
 *
 * 7.0 interface.
 */
PAPI_API int PAPI_flips_rate(int event, float *rtime, float *ptime, long long *flpins, float *mflips);

/**
 * PAPI_flops with a choice of what is counted, and without PAPI_TOT_CYC.
 *
 * @param event        PAPI_FP_OPS, PAPI_SP_OPS or PAPI_DP_OPS.
 * @param[out] rtime   seconds of real time since the first call.
 * @param[out] ptime   seconds of the thread's CPU time since the first call.
 * @param[out] flpops  operations since the first call.
 * @param[out] mflops  millions of them per second of CPU time since the last call.
 * @return as PAPI_flips; PAPI_EINVAL for another event.
 *
 * 7.0 interface.
 */
PAPI_API int PAPI_flops_rate(int event, float *rtime, float *ptime, long long *flpops, float *mflops);

/**
 * Any event per cycle, in the manner of PAPI_flips.
 *
 * @param event       code of the event; 0: PAPI_TOT_INS.
 * @param[out] rtime  seconds of real time since the first call.
 * @param[out] ptime  seconds of the thread's CPU time since the first call.
 * @param[out] ref    cycles of the constant clock since the first call, PAPI_REF_CYC; 0 where they cannot be counted.
 * @param[out] core   cycles of the core's own clock since the first call, PAPI_TOT_CYC.
 * @param[out] evt    events since the first call.
 * @param[out] epc    events per cycle of the core since the last call.
 * @return as PAPI_flips; PAPI_EINVAL for a number that is no event code.
 *
 * 7.0 interface.
 */
PAPI_API int PAPI_epc(
	int event, float *rtime, float *ptime, long long *ref, long long *core, long long *evt, float *epc);

/**
 * Ends the rate measurement of the calling thread, of 3.5 or of 7.0, so that another may begin.
 *
 * @return PAPI_OK; PAPI_ENOTRUN when there is none.
 *
 * 7.0 interface.
 */
PAPI_API int PAPI_rate_stop(void);

/* ---- Regions ------------------------------------------------------------------------------------------- */

/*
 * A region is a piece of the program between two calls, and has a name. Regions may be nested and occur any number of
 * times, in any number of threads; each thread has its own. What a name counts inside another region is kept apart from
 * what it counts elsewhere. A thread counts from its first region on, in an event set of its own that the program never
 * sees, beside whatever the program counts itself.
 *
 * The environment, as it is when the first region begins, says what is counted and where the results go:
 *
 *   PAPI_EVENTS            names with commas between them; behind a name "=instant": its last value instead of a count.
 *                          Without it: what the machine can count of a short list.
 *   PAPI_METRICS           groups of metrics (papi_metrics.h), with commas between them: their events are counted, too,
 *                          and the results have their values.
 *   PAPI_OUTPUT_DIRECTORY  where papi_hl_output is; the current directory without it.
 *   PAPI_REPORT=1          a report on standard output, too.
 *   PAPI_MULTIPLEX=1       more events than counters; counts are estimates then.
 *   PAPI_HL_VERBOSE=1      says on standard error where the results are.
 *
 * Results are written when the program ends, by exit or return from main, and by PAPI_hl_stop, to the file
 * papi_hl_output/rank_N.json, N being the rank of an MPI process and otherwise 0. Nothing is ever overwritten: every
 * run has a directory of its own, and papi_hl_output is a link to the newest. What cannot be counted or written is told
 * on standard error. The child of a fork writes what it counts itself, to a file of its own. doc/regions.md says more,
 * and papi_hl_output_writer(1) merges the files.
 */

/**
 * Begins a region of the calling thread. The first one in a thread takes milliseconds, another time the same region
 * reads the counters once and allocates nothing.
 *
 * @param region  its name; copied when it is new.
 * @return PAPI_OK, also where nothing can be counted and only time is taken; PAPI_EINVAL when the name is NULL or
 *         empty; PAPI_ECOUNT when 10,000 regions are open in the thread; PAPI_ENOMEM; an error of PAPI_library_init. In
 *         a signal handler that interrupted a call on a region PAPI_ECNFLCT.
 *
 * 7.0 interface.
 */
PAPI_API int PAPI_hl_region_begin(const char *region);

/**
 * Records the counts since a region has begun, without ending it. The first read of each instance is added up with all
 * first ones, the second with all second ones and so on.
 *
 * @param region  name of a region that has begun in this thread; of several the innermost.
 * @return PAPI_OK; PAPI_EINVAL when it has not begun; PAPI_ECOUNT at the 1001st read of an instance; as
 *         PAPI_hl_region_end.
 *
 * 7.0 interface.
 */
PAPI_API int PAPI_hl_read(const char *region);

/**
 * Ends a region and adds what it has counted to the results. Regions that have begun inside it and not ended, since an
 * exception or a jump has left them, end with it.
 *
 * @param region  name of a region that has begun in this thread; of several the innermost.
 * @return PAPI_OK; PAPI_EINVAL when it has not begun, or has ended with another; PAPI_ECLOST, PAPI_ENOINIT or any error
 *         of PAPI_read when the counters could not be read, now or at the beginning: its time is recorded, and in the
 *         results the instance is one without counts.
 *
 * 7.0 interface.
 */
PAPI_API int PAPI_hl_region_end(const char *region);

/**
 * Ends all regions of the calling thread, gives its counters back, and writes the results of all threads as they are
 * now. The thread may begin regions again afterwards; when the program ends the file is replaced. Not needed where a
 * program ends in the usual way.
 *
 * @return PAPI_OK; PAPI_ENOTRUN when no region has begun in this thread, or none since the last call; PAPI_ESYS when
 *         the results cannot be written; PAPI_ENOMEM.
 *
 * 7.0 interface.
 */
PAPI_API int PAPI_hl_stop(void);

#ifdef __cplusplus
}
#endif

#endif
