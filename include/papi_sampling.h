/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Overflow and profiling: where in a program events occur.
 *
 * Each time an event of a running set has passed a threshold, the library gets to know where the program was. It calls
 * a function of the program (overflow) or counts the address in a histogram (profiling). The hardware gives the signal
 * where it can; otherwise, or when asked to, a timer of the thread does and the library compares counts: then an
 * overflow is noticed at the next tick, and events derived from several can overflow too.
 *
 * Rules on errors, threads and signals: papi.h. Included by papi.h.
 */
#ifndef PAPI_SAMPLING_H
#define PAPI_SAMPLING_H

#include "papi_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Has a function called whenever an event of a stopped set has occurred threshold times more. May be called for several
 * events of a set.
 *
 * @param EventCode  an event that is in the set.
 * @param threshold  events between two calls; 0: no longer.
 * @param flags      0: in hardware where the event can, else by a timer; PAPI_OVERFLOW_FORCE_SW: by a timer;
 *                   PAPI_OVERFLOW_HARDWARE: in hardware or not at all. All events of a set go the same way.
 * @param handler    called in a signal handler of the thread that started the set. It may read, accumulate, reset, stop
 *                   and start the set and ask PAPI_get_overflow_event_index; whatever else it calls must be safe in
 *                   signal handlers. It must return. Ignored when threshold is 0.
 * @return PAPI_OK; PAPI_EISRUN when the set is running; PAPI_ENOEVNT when the event is not in the set; PAPI_EINVAL for
 *         a threshold that is negative, or smaller than the event allows, for unknown flags, and without a handler;
 *         PAPI_ECNFLCT when other events of the set overflow the other way, when this one is profiled or shares its
 *         counter with one that overflows, and when the set is multiplexed or, by timer, attached; PAPI_ENOSUPP for
 *         PAPI_OVERFLOW_HARDWARE and an event that cannot; PAPI_ECOUNT behind the 64th event; PAPI_EPERM when no
 *         locked memory is left for samples; PAPI_ENOMEM; PAPI_ENOEVST.
 *
 * Programmer's Reference 3.5, page PAPI_overflow.
 */
PAPI_API int PAPI_overflow(int EventSet, int EventCode, int threshold, int flags, PAPI_overflow_handler_t handler);

/**
 * Tells which events an overflow vector speaks of. For overflow handlers.
 *
 * @param overflow_vector  what the handler was given: bit k stands for event k of the set.
 * @param[out] array       positions of the events in the set, lowest first.
 * @param[in,out] number   in: entries of array, at least 1; out: entries filled.
 * @return PAPI_OK; PAPI_EINVAL when the vector is 0 or names no event of the set, without array or number, and when the
 *         set is empty; PAPI_ENOEVST.
 *
 * Programmer's Reference 3.5, page PAPI_get_overflow_event_index.
 */
PAPI_API int PAPI_get_overflow_event_index(int EventSet, long long overflow_vector, int *array, int *number);

/**
 * Counts in a histogram where in a piece of the program an event has passed its threshold, from the next start on. May
 * be called for several events of a set.
 *
 * @param buf        the buckets: unsigned short, unsigned int or unsigned long long, as flags says, and aligned for
 *                   that. The library adds to them while the set runs, until they are full; they stay the program's,
 *                   and are not touched any more once it is turned off, or the set cleaned up.
 * @param bufsiz     bytes of buf. For one bucket per address, (end - offset) * bytes of a bucket; in general
 *                   (end - offset) * (bytes of a bucket / 2) * (scale / 65536).
 * @param offset     lowest address of the piece.
 * @param scale      buckets per address, in 1/131072: 131072 one bucket for each address, 65536 for two, 32768 for
 *                   four, and so on; 2: one for all. 0 and 1 have no meaning.
 * @param EventCode  an event that is in the set.
 * @param threshold  events between two samples; 0: no longer.
 * @param flags      PAPI_PROFIL_..., combined with |.
 * @return as PAPI_overflow; PAPI_EINVAL also for a buffer without room for a bucket, other scales and unknown flags;
 *         PAPI_ENOSUPP for PAPI_PROFIL_DATA_EAR and PAPI_PROFIL_INST_EAR.
 *
 * Programmer's Reference 3.5, page PAPI_profil.
 */
PAPI_API int PAPI_profil(void *buf, unsigned bufsiz, vptr_t offset, unsigned scale, int EventSet, int EventCode,
	int threshold, int flags);

/**
 * PAPI_profil with several histograms, for pieces that do not lie together.
 *
 * @param prof     profcnt pieces; copied. What falls into none of them is counted in the one with pr_off 0 and scale 2,
 *                 if there is such a one.
 * @param profcnt  how many.
 * @return as PAPI_overflow.
 *
 * The other parameters are those of PAPI_profil. Programmer's Reference 3.5, page PAPI_sprofil.
 */
PAPI_API int PAPI_sprofil(PAPI_sprofil_t *prof, int profcnt, int EventSet, int EventCode, int threshold, int flags);

/**
 * Writes the histograms of a set to a file, of which `papi_profile import` makes a profile: functions, lines and
 * instructions instead of addresses. An extension of this library.
 *
 * The set may count or have stopped; its histograms must not be turned off yet, since the library forgets them then.
 * Counts are those of the buckets now, whoever has written there. The file is JSON (doc/profiles.md); it gets its name
 * when it is whole, and replaces one that has it.
 *
 * @param path  of the file.
 * @return PAPI_OK; PAPI_EINVAL for a set without histograms and a path that is a null pointer or empty; PAPI_ESYS when
 *         the file cannot be written, and one that was there before stays; PAPI_ENOMEM; those of a missing set.
 *
 * Threads: any; not in a signal handler.
 */
PAPI_API int PAPI_profil_write(int EventSet, const char *path);

/**
 * Tells what has become of the overflows of an event since its set was last started. An extension of this library.
 *
 * @param EventCode       an event of the set that overflows or is profiled.
 * @param[out] delivered  times the handler was called, or a sample counted; or NULL.
 * @param[out] lost       times the event passed its threshold and nobody was told, as far as is known: because the
 *                        kernel had no room for the sample or throttled the event, because a handler stopped the set
 *                        while others were waiting, or, by a timer, because it passed the threshold several times
 *                        between two looks. Final once the set is stopped. Or NULL.
 * @return PAPI_OK; PAPI_EINVAL when the event does not overflow; PAPI_ENOEVST.
 *
 * May be called by overflow handlers.
 */
PAPI_API int PAPI_get_overflow_counts(int EventSet, int EventCode, long long *delivered, long long *lost);

#ifdef __cplusplus
}
#endif

#endif
