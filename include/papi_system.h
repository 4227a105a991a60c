/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file
 * Around counting: threads and locks, timers, and what the machine and the program look like.
 *
 * Rules on errors, threads and signals: papi.h. Included by papi.h.
 */
#ifndef PAPI_SYSTEM_H
#define PAPI_SYSTEM_H

#include "papi_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Threads ------------------------------------------------------------------------------------------- */

/**
 * Tells the library which function names the calling thread. Counting in threads works without it; what it is for is
 * PAPI_thread_id and PAPI_list_threads.
 *
 * @param id_fn  returns a number that no other living thread has: pthread_self serves. The library calls it from every
 *               thread, also in signal handlers.
 * @return PAPI_OK. A later call replaces the function.
 *
 * Programmer's Reference 3.5, page PAPI_thread_init.
 */
PAPI_API int PAPI_thread_init(unsigned long (*id_fn)(void));

/**
 * @return what the function given to PAPI_thread_init returns in this thread; (unsigned long)PAPI_EMISC when none has
 *         been given.
 *
 * Programmer's Reference 3.5, page PAPI_thread_id.
 */
PAPI_API unsigned long PAPI_thread_id(void);

/**
 * Makes the calling thread known, so that it is listed and its first call need not do it.
 *
 * @return PAPI_OK, also when it is known already; PAPI_ENOMEM.
 *
 * Programmer's Reference 3.5, page PAPI_register_thread.
 */
PAPI_API int PAPI_register_thread(void);

/**
 * Makes the library forget the calling thread and what is stored for it. The end of a thread does the same.
 *
 * @return PAPI_OK.
 *
 * Programmer's Reference 3.5, page PAPI_unregister_thread.
 */
PAPI_API int PAPI_unregister_thread(void);

/**
 * Lists the threads that the library knows: those that are registered or have created an event set.
 *
 * @param[out] tids       their PAPI_thread_id; may be NULL to ask for the number only.
 * @param[in,out] number  in: entries of tids; out: how many threads there are, which may be more than were stored.
 * @return PAPI_OK.
 *
 * Programmer's Reference 3.5, page PAPI_list_threads.
 */
PAPI_API int PAPI_list_threads(unsigned long *tids, int *number);

/**
 * Stores a pointer for the calling thread. The library does not look at what it points to.
 *
 * @param tag  PAPI_USR1_TLS or PAPI_USR2_TLS.
 * @param ptr  the pointer.
 * @return PAPI_OK; PAPI_EINVAL for another tag.
 *
 * Programmer's Reference 3.5, page PAPI_set_thr_specific.
 */
PAPI_API int PAPI_set_thr_specific(int tag, void *ptr);

/**
 * Gets the pointer that the calling thread has stored.
 *
 * @param tag       PAPI_USR1_TLS or PAPI_USR2_TLS; with | PAPI_TLS_ALL_THREADS the pointers of all threads.
 * @param[out] ptr  the pointer, NULL when none has been stored. With PAPI_TLS_ALL_THREADS ptr is really the address of
 *                  a PAPI_all_thr_spec_t: num is the room in id and data, either of which may be NULL, and becomes the
 *                  number of threads.
 * @return PAPI_OK; PAPI_EINVAL for another tag.
 *
 * Programmer's Reference 3.5, page PAPI_get_thr_specific.
 */
PAPI_API int PAPI_get_thr_specific(int tag, void **ptr);

/**
 * Takes one of two locks that the library keeps for the program, and waits for it while another thread has it. A thread
 * that has it must not take it again. Not for signal handlers.
 *
 * @param lock  PAPI_USR1_LOCK or PAPI_USR2_LOCK.
 * @return PAPI_OK; PAPI_EINVAL for another lock.
 *
 * Programmer's Reference 3.5, page PAPI_lock, where it returns nothing.
 */
PAPI_API int PAPI_lock(int lock);

/**
 * Gives back a lock that the calling thread has.
 *
 * @param lock  PAPI_USR1_LOCK or PAPI_USR2_LOCK.
 * @return PAPI_OK; PAPI_EINVAL for another lock.
 *
 * Programmer's Reference 3.5, page PAPI_unlock, where it returns nothing.
 */
PAPI_API int PAPI_unlock(int lock);

/* ---- Timers -------------------------------------------------------------------------------------------- */

/*
 * All count from an arbitrary point: only differences mean something. Real time is that of CLOCK_MONOTONIC, which no
 * change of the system's clock touches. Virtual time is the CPU time of the calling thread, in the program and in the
 * kernel. Cycles are those of the processor's constant clock (on x86 the time stamp counter), of which
 * PAPI_get_opt(PAPI_CLOCKRATE) gives the rate; with frequency scaling they are not what PAPI_TOT_CYC counts.
 *
 * The timers may be called in signal handlers, and in an initialized library they never fail.
 */

/** Real time in cycles. Programmer's Reference 3.5, page PAPI_get_real_cyc. */
PAPI_API long long PAPI_get_real_cyc(void);

/** Real time in nanoseconds. 7.0 interface. */
PAPI_API long long PAPI_get_real_nsec(void);

/** Real time in microseconds. Programmer's Reference 3.5, page PAPI_get_real_usec. */
PAPI_API long long PAPI_get_real_usec(void);

/** Virtual time in cycles. Programmer's Reference 3.5, page PAPI_get_virt_cyc. */
PAPI_API long long PAPI_get_virt_cyc(void);

/** Virtual time in nanoseconds. 7.0 interface. */
PAPI_API long long PAPI_get_virt_nsec(void);

/** Virtual time in microseconds. Programmer's Reference 3.5, page PAPI_get_virt_usec. */
PAPI_API long long PAPI_get_virt_usec(void);

/* ---- Machine and program ------------------------------------------------------------------------------- */

/**
 * Describes the machine: processors, their maker and model, clock rates, caches and TLBs, hypervisor.
 *
 * @return the description, valid until PAPI_shutdown. What the system does not tell is 0 or "", or -1 in the numbers of
 *         the model; NULL when it tells nothing.
 *
 * Programmer's Reference 3.5, page PAPI_get_hardware_info.
 */
PAPI_API const PAPI_hw_info_t *PAPI_get_hardware_info(void);

/**
 * Describes the running program: its file and where its code and data are.
 *
 * @return the description, valid until PAPI_shutdown; NULL when the system does not tell.
 *
 * Programmer's Reference 3.5, page PAPI_get_executable_info.
 */
PAPI_API const PAPI_exe_info_t *PAPI_get_executable_info(void);

/**
 * Lists the shared libraries of the running program, with their files and where their code and data are, as they are
 * now.
 *
 * @return the list, valid until the next call or PAPI_shutdown; NULL when the system does not tell.
 *
 * The list is one for the process: threads that call this at the same time must agree on who reads it when.
 * Programmer's Reference 3.5, page PAPI_get_shared_lib_info.
 */
PAPI_API const PAPI_shlib_info_t *PAPI_get_shared_lib_info(void);

/**
 * Tells how much memory the process uses now.
 *
 * @param[out] dest  sizes in kB, and bytes of a page; PAPI_EINVAL where the system does not tell.
 * @return PAPI_OK; PAPI_ESYS when the system tells nothing at all.
 *
 * Programmer's Reference 3.5, page PAPI_get_dmem_info.
 */
PAPI_API int PAPI_get_dmem_info(PAPI_dmem_info_t *dest);

/**
 * Walks over the kinds of device in the machine.
 *
 * @param enum_modifier   PAPI_DEV_TYPE_ENUM__CPU and the other kinds, combined with |; PAPI_DEV_TYPE_ENUM__ALL;
 *                        PAPI_DEV_TYPE_ENUM__FIRST: the first, whatever *handle holds.
 * @param[in,out] handle  NULL at the beginning; gets a handle for the next kind, valid until PAPI_shutdown.
 * @return PAPI_OK; PAPI_EINVAL when there is no further one, then *handle is NULL again.
 *
 * 7.0 interface.
 */
PAPI_API int PAPI_enum_dev_type(int enum_modifier, void **handle);

/**
 * Tells something about a kind of device.
 *
 * @param handle      from PAPI_enum_dev_type.
 * @param attr        what is asked. The third word of its name is the type of *value: INT int, CHAR const char *.
 * @param[out] value  the answer; strings stay valid until PAPI_shutdown.
 * @return PAPI_OK; PAPI_ENOSUPP for something this kind does not have.
 *
 * 7.0 interface.
 */
PAPI_API int PAPI_get_dev_type_attr(void *handle, PAPI_dev_type_attr_e attr, void *value);

/**
 * Tells something about one device of a kind.
 *
 * @param handle      from PAPI_enum_dev_type.
 * @param id          number of the device, from 0; for attributes of a NUMA node or thread the number of that.
 * @param attr        what is asked. The third word of its name is the type of *value: UINT unsigned int, ULONG
 *                    unsigned long, CHAR const char *.
 * @param[out] value  the answer; strings stay valid until PAPI_shutdown.
 * @return PAPI_OK; PAPI_ENOSUPP for something this kind does not have.
 *
 * 7.0 interface.
 */
PAPI_API int PAPI_get_dev_attr(void *handle, int id, PAPI_dev_attr_e attr, void *value);

#ifdef __cplusplus
}
#endif

#endif
