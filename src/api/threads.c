/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reference: PAPI_thread_init, PAPI_thread_id, PAPI_register_thread, PAPI_unregister_thread, PAPI_list_threads,
 * PAPI_get_thr_specific, PAPI_set_thr_specific, PAPI_lock, PAPI_unlock.
 */
#include "api/api.h"
#include "core/thread.h"

#include <pthread.h>

static int check_initialised(void)
{
	if (papi_library_ready())
		return PAPI_OK;
	return papi_library_missing();
}

int PAPI_thread_init(unsigned long (*id_fn)(void))
{
	int status = check_initialised();

	if (status == PAPI_OK)
		status = papi_thread_set_id_function(id_fn);
	if (status == PAPI_OK)
		atomic_fetch_or(&papi_library_state, PAPI_THREAD_LEVEL_INITED);
	return papi_result(status);
}

unsigned long PAPI_thread_id(void)
{
	return papi_thread_id();
}

int PAPI_register_thread(void)
{
	int status = check_initialised();

	return papi_result(status == PAPI_OK ? papi_thread_register() : status);
}

int PAPI_unregister_thread(void)
{
	int status = check_initialised();

	if (status == PAPI_OK)
		papi_thread_unregister();
	return papi_result(status);
}

int PAPI_list_threads(unsigned long *tids, int *number)
{
	int status = check_initialised();

	return papi_result(status == PAPI_OK ? papi_thread_list(tids, number) : status);
}

int PAPI_set_thr_specific(int tag, void *ptr)
{
	int status = check_initialised();

	return papi_result(status == PAPI_OK ? papi_thread_set_specific(tag, ptr) : status);
}

int PAPI_get_thr_specific(int tag, void **ptr)
{
	int status = check_initialised();

	if (status == PAPI_OK)
		status = tag & PAPI_TLS_ALL_THREADS
			? papi_thread_all_specific(tag & ~PAPI_TLS_ALL_THREADS, (PAPI_all_thr_spec_t *)ptr)
			: papi_thread_get_specific(tag, ptr);
	return papi_result(status);
}

static pthread_mutex_t user_locks[PAPI_NUM_LOCK] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };

static int check_lock(int lock)
{
	int status = check_initialised();

	if (status != PAPI_OK)
		return status;
	if (lock >= 0 && lock < PAPI_NUM_LOCK)
		return PAPI_OK;
	return papi_error(PAPI_EINVAL, "%d is not PAPI_USR1_LOCK or PAPI_USR2_LOCK", lock);
}

int PAPI_lock(int lock)
{
	int status = check_lock(lock);

	if (status == PAPI_OK)
		pthread_mutex_lock(&user_locks[lock]);
	return papi_result(status);
}

int PAPI_unlock(int lock)
{
	int status = check_lock(lock);

	if (status == PAPI_OK)
		pthread_mutex_unlock(&user_locks[lock]);
	return papi_result(status);
}
