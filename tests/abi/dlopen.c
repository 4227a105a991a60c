/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The library as language bindings and plugins load it: by dlopen() from a program that knows nothing of it, used from
 * several threads, closed, and used again. A library with much thread-local storage could not be loaded so.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "papi.h"

#define THREADS 8

static void *library;

static void *find(const char *name)
{
	void *function = dlsym(library, name);

	if (!function) {
		fprintf(stderr, "%s: %s\n", name, dlerror());
		exit(1);
	}
	return function;
}

#define CALL(name) ((__typeof__(&(name)))find(#name))

static void *count(void *data)
{
	int set = PAPI_NULL;
	long long value = -1;
	int *failed = data;

	*failed = CALL(PAPI_create_eventset)(&set) != PAPI_OK ||
		CALL(PAPI_add_named_event)(set, "rusage:::realtime") != PAPI_OK || CALL(PAPI_start)(set) != PAPI_OK ||
		CALL(PAPI_stop)(set, &value) != PAPI_OK || value <= 0 ||
		/* An error makes per-thread state, which the end of the thread must free. */
		CALL(PAPI_add_named_event)(set, "no such event") != PAPI_ENOEVNT ||
		CALL(PAPI_cleanup_eventset)(set) != PAPI_OK || CALL(PAPI_destroy_eventset)(&set) != PAPI_OK;
	if (*failed)
		fprintf(stderr, "counting failed: %s\n", CALL(PAPI_error_detail)());
	return NULL;
}

static int use(const char *path)
{
	pthread_t threads[THREADS];
	int failed[THREADS], failures = 0;

	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	if (CALL(PAPI_library_init)(PAPI_VER_CURRENT) != PAPI_VER_CURRENT) {
		fprintf(stderr, "not initialised: %s\n", CALL(PAPI_error_detail)());
		return 1;
	}
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, count, &failed[i]);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		failures += failed[i];
	}
	CALL(PAPI_shutdown)();
	dlclose(library);
	return failures;
}

int main(int argc, char *argv[])
{
	int failures = 0;

	if (argc != 2) {
		fprintf(stderr, "usage: %s LIBRARY\n", argv[0]);
		return 2;
	}
	for (int i = 0; i < 3; i++)
		failures += use(argv[1]);
	printf("%d threads, 3 times: %d failures\n", THREADS, failures);
	return failures != 0;
}
