/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/thread.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"

struct context {
	struct context *next, **link;
	unsigned long id;
	void *specific[PAPI_NUM_TLS];
	void *high_level;
	void (*release_high_level)(void *block);
};

_Thread_local uint32_t papi_thread_self;

static _Atomic uint32_t last_number;
static _Thread_local struct context *own;
static struct context *orphans; /* of threads that a fork has left behind; under the lock, too */
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct context *list;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static _Atomic(unsigned long (*)(void)) id_function;

uint32_t papi_thread_assign_number(void)
{
	return papi_thread_self = atomic_fetch_add_explicit(&last_number, 1, memory_order_relaxed) + 1;
}

static void free_orphans(void)
{
	struct context *context;

	pthread_mutex_lock(&list_lock);
	context = orphans;
	orphans = NULL;
	pthread_mutex_unlock(&list_lock);
	while (context) {
		struct context *next = context->next;

		free(context->high_level);
		free(context);
		context = next;
	}
}

/* Runs in the thread that owns the context: by hand, or as the destructor of its key. */
static void release(void *pointer)
{
	struct context *context = pointer;

	own = NULL;
	free_orphans();
	pthread_mutex_lock(&list_lock);
	*context->link = context->next;
	if (context->next)
		context->next->link = context->link;
	pthread_mutex_unlock(&list_lock);
	/* Out of the list, so that no child of a fork frees it again. */
	if (context->high_level)
		context->release_high_level(context->high_level);
	free(context);
}

static void make_key(void)
{
	pthread_key_create(&key, release);
}

static unsigned long current_id(void)
{
	unsigned long (*function)(void) = atomic_load_explicit(&id_function, memory_order_relaxed);

	return function ? function() : (unsigned long)syscall(SYS_gettid);
}

int papi_thread_register(void)
{
	struct context *context;

	if (own)
		return PAPI_OK;
	pthread_once(&key_once, make_key);
	context = papi_error_prepare() ? calloc(1, sizeof(*context)) : NULL;
	if (!context || pthread_setspecific(key, context)) {
		free(context);
		return papi_error(PAPI_ENOMEM, "no memory for the context of a thread");
	}
	context->id = current_id();
	own = context;
	pthread_mutex_lock(&list_lock);
	context->next = list;
	context->link = &list;
	if (list)
		list->link = &context->next;
	list = context;
	pthread_mutex_unlock(&list_lock);
	return PAPI_OK;
}

void papi_thread_unregister(void)
{
	struct context *context = own;

	if (!context)
		return;
	pthread_setspecific(key, NULL);
	release(context);
}

int papi_thread_set_id_function(unsigned long (*function)(void))
{
	if (!function)
		return papi_error(PAPI_EINVAL,
			"PAPI_thread_init needs a function that returns the id of the calling "
			"thread, such as pthread_self");
	atomic_store(&id_function, function);
	if (own) {
		unsigned long id = function();

		pthread_mutex_lock(&list_lock);
		own->id = id;
		pthread_mutex_unlock(&list_lock);
	}
	return PAPI_OK;
}

void papi_thread_forget_id_function(void)
{
	atomic_store(&id_function, NULL);
}

unsigned long papi_thread_id(void)
{
	unsigned long (*function)(void) = atomic_load_explicit(&id_function, memory_order_relaxed);

	if (function)
		return function();
	papi_error(PAPI_EMISC, "no thread id function: call PAPI_thread_init first");
	return (unsigned long)PAPI_EMISC;
}

int papi_thread_list(PAPI_thread_id_t *ids, int *number)
{
	int count = 0;

	if (!number || (ids && *number < 0))
		return papi_error(
			PAPI_EINVAL, "PAPI_list_threads needs a pointer to the number of elements of its array");
	pthread_mutex_lock(&list_lock);
	for (struct context *context = list; context; context = context->next, count++)
		if (ids && count < *number)
			ids[count] = context->id;
	pthread_mutex_unlock(&list_lock);
	*number = count;
	return PAPI_OK;
}

static int check_tag(int tag)
{
	if (tag < 0 || tag >= PAPI_NUM_TLS)
		return papi_error(PAPI_EINVAL, "thread specific tag %d is not PAPI_USR1_TLS or PAPI_USR2_TLS", tag);
	return PAPI_OK;
}

int papi_thread_set_specific(int tag, void *pointer)
{
	int status = check_tag(tag);

	if (status == PAPI_OK)
		status = papi_thread_register();
	if (status != PAPI_OK)
		return status;
	pthread_mutex_lock(&list_lock);
	own->specific[tag] = pointer;
	pthread_mutex_unlock(&list_lock);
	return PAPI_OK;
}

int papi_thread_get_specific(int tag, void **pointer)
{
	int status = check_tag(tag);

	if (status != PAPI_OK)
		return status;
	if (!pointer)
		return papi_error(PAPI_EINVAL, "PAPI_get_thr_specific needs a place for the pointer");
	*pointer = own ? own->specific[tag] : NULL;
	return PAPI_OK;
}

int papi_thread_all_specific(int tag, PAPI_all_thr_spec_t *all)
{
	int status = check_tag(tag), count = 0;

	if (status != PAPI_OK)
		return status;
	if (!all || all->num < 0)
		return papi_error(PAPI_EINVAL, "PAPI_TLS_ALL_THREADS needs a PAPI_all_thr_spec_t that tells its size");
	pthread_mutex_lock(&list_lock);
	for (struct context *context = list; context; context = context->next, count++) {
		if (count >= all->num)
			continue;
		if (all->id)
			all->id[count] = context->id;
		if (all->data)
			all->data[count] = context->specific[tag];
	}
	pthread_mutex_unlock(&list_lock);
	all->num = count;
	return PAPI_OK;
}

int papi_thread_set_high_level(void *block, void (*release_block)(void *block))
{
	int status = papi_thread_register();

	if (status != PAPI_OK)
		return status;
	pthread_mutex_lock(&list_lock);
	own->high_level = block;
	own->release_high_level = release_block;
	pthread_mutex_unlock(&list_lock);
	return PAPI_OK;
}

void *papi_thread_get_high_level(void)
{
	return own ? own->high_level : NULL;
}

void papi_thread_fork_prepare(void)
{
	pthread_mutex_lock(&list_lock);
}

void papi_thread_fork_parent(void)
{
	pthread_mutex_unlock(&list_lock);
}

void papi_thread_fork_child(void)
{
	struct context *context = list;

	/* The other threads are not here. Their contexts are freed later: this may be no moment to use the
	 * allocator. */
	while (context) {
		struct context *next = context->next;

		if (context != own) {
			context->next = orphans;
			orphans = context;
		}
		context = next;
	}
	list = own;
	if (own) {
		own->next = NULL;
		own->link = &list;
	}
	papi_thread_assign_number();
	pthread_mutex_unlock(&list_lock);
}
