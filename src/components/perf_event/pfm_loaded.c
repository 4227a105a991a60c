/* SPDX-License-Identifier: BSD-3-Clause */
/* libpfm4, loaded. See pfm.h. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "components/perf_event/pfm.h"

#define LIBRARY "libpfm.so.4"

static struct papi_pfm functions;
static bool complete;

/* By way of memcpy: C knows no conversion from what dlsym(3) gives. */
static bool find(void *library, const char *name, void *function)
{
	void *symbol = dlsym(library, name);

	memcpy(function, &symbol, sizeof(symbol));
	return symbol != NULL;
}

/* All of it now: binding a function at its first call would happen under locks, or in translated code. */
static void load(void)
{
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

	complete = library != NULL;
#define X(function) complete = complete && find(library, "pfm_" #function, &functions.function);
	PAPI_PFM_FUNCTIONS
#undef X
}

const struct papi_pfm *papi_pfm_library(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load);
	return complete ? &functions : NULL;
}
