/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The mutexes that somebody who is inside an EventSet may wait for: that of names, that of handles.
 *
 * A signal handler may interrupt the thread that has one, and wait for an EventSet whose user waits for the mutex:
 * nobody would ever go on. So a thread remembers that it is about to take one, and from then on does not wait for
 * EventSets (papi_handle_enter_contended()). Who holds such a mutex enters no EventSet, so only handlers come to know
 * it.
 */
#ifndef PAPI_BASE_LOCK_H
#define PAPI_BASE_LOCK_H

#include <pthread.h>
#include <stdatomic.h>

/* How many the calling thread has, or waits for. */
extern _Thread_local unsigned papi_locks_held __attribute__((tls_model("initial-exec"), visibility("hidden")));

static inline void papi_lock(pthread_mutex_t *mutex)
{
	papi_locks_held++;
	atomic_signal_fence(memory_order_seq_cst);
	pthread_mutex_lock(mutex);
}

static inline void papi_unlock(pthread_mutex_t *mutex)
{
	pthread_mutex_unlock(mutex);
	atomic_signal_fence(memory_order_seq_cst);
	papi_locks_held--;
}

#endif
