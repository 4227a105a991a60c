/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads as the library sees them.
 *
 * Every thread has a number, unique in the life of the process and never 0, handed out on first use and kept in
 * thread-local storage. It is the cheapest way to ask "is this the same thread as before?": thread ids and TLS
 * addresses are used again after a thread ends, numbers are not. In the child of a fork the surviving thread gets a new
 * number, so that everything its parent opened is recognised as not its own.
 *
 * A context holds what the API promises per thread (the user's pointers, the id in lists). It is made when the thread
 * first creates an EventSet, registers, or stores a pointer, and freed when the thread ends or unregisters. The list of
 * contexts is under a mutex that only creation, end and listing take.
 */
#ifndef PAPI_CORE_THREAD_H
#define PAPI_CORE_THREAD_H

#include <stdint.h>

#include "papi.h"

extern _Thread_local uint32_t papi_thread_self __attribute__((tls_model("initial-exec"), visibility("hidden")));

uint32_t papi_thread_assign_number(void);

static inline uint32_t papi_thread_number(void)
{
	uint32_t self = papi_thread_self;

	return __builtin_expect(self != 0, 1) ? self : papi_thread_assign_number();
}

/* Makes the calling thread known. PAPI_OK, also when it is already; PAPI_ENOMEM. */
int papi_thread_register(void);

/* Forgets the calling thread and the pointers it stored. */
void papi_thread_unregister(void);

/* The id function of PAPI_thread_init(); NULL when there is none. */
int papi_thread_set_id_function(unsigned long (*function)(void));
void papi_thread_forget_id_function(void);
unsigned long papi_thread_id(void);

/* At most *number ids into ids (which may be NULL); *number becomes how many threads there are. */
int papi_thread_list(PAPI_thread_id_t *ids, int *number);

int papi_thread_set_specific(int tag, void *pointer);
int papi_thread_get_specific(int tag, void **pointer);
/* For PAPI_TLS_ALL_THREADS: the pointers of all threads with their ids. */
int papi_thread_all_specific(int tag, PAPI_all_thr_spec_t *all);

/*
 * What the high level keeps for the calling thread, one block of malloc(); NULL: nothing. It is not in the slot
 * PAPI_TLS_HIGH_LEVEL, where programs can store what they like. release gets it should the thread end or unregister
 * with it, and may run while PAPI_shutdown() has the library lock. The child of a fork only frees those of the other
 * threads.
 */
int papi_thread_set_high_level(void *block, void (*release)(void *block));
void *papi_thread_get_high_level(void);

/* fork(2): the list is locked across it; the child keeps only the calling thread. */
void papi_thread_fork_prepare(void);
void papi_thread_fork_parent(void);
void papi_thread_fork_child(void);

#endif
