/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Usage: loaded PLUGIN LIBPAPI before|after
 *
 * A program linked with neither library. It loads the plugin, which is linked with libsde, for itself alone, and
 * libpapi likewise; before or after libpapi has been initialised, and has been asked once for an event that was not
 * there.
 */
#include <dlfcn.h>
#include <papi_constants.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

static void expect(long long expected, long long got, const char *what)
{
	if (expected == got)
		return;
	fprintf(stderr, "%s: %lld instead of %lld\n", what, got, expected);
	failures++;
}

static void *load(const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	if (library)
		return library;
	fprintf(stderr, "%s\n", dlerror());
	exit(1);
}

/* A function of a library, by way of memcpy: C knows no conversion. */
#define FIND(library, function)                                \
	do {                                                   \
		void *symbol = dlsym(library, #function);      \
                                                               \
		if (!symbol) {                                 \
			fprintf(stderr, "no %s\n", #function); \
			exit(1);                               \
		}                                              \
		memcpy(&function, &symbol, sizeof(symbol));    \
	} while (0)

static void (*plugin_begin)(void);
static void (*plugin_work)(long long n);

static void load_plugin(const char *path)
{
	void *plugin = load(path);

	FIND(plugin, plugin_begin);
	FIND(plugin, plugin_work);
	plugin_begin();
}

int main(int argc, char **argv)
{
	int (*PAPI_create_eventset)(int *);
	int (*PAPI_add_named_event)(int, const char *);
	int (*PAPI_start)(int);
	int (*PAPI_stop)(int, long long *);
	const char *(*PAPI_error_detail)(void);
	int (*PAPI_library_init)(int);
	int set = PAPI_NULL;
	bool before;
	long long value = -1;
	void *papi;

	if (argc != 4)
		return 2;
	before = !strcmp(argv[3], "before");
	if (before)
		load_plugin(argv[1]);
	papi = load(argv[2]);
	FIND(papi, PAPI_library_init);
	FIND(papi, PAPI_create_eventset);
	FIND(papi, PAPI_add_named_event);
	FIND(papi, PAPI_start);
	FIND(papi, PAPI_stop);
	FIND(papi, PAPI_error_detail);
	expect(PAPI_VER_CURRENT, PAPI_library_init(PAPI_VER_CURRENT), "PAPI_library_init");
	expect(PAPI_OK, PAPI_create_eventset(&set), "PAPI_create_eventset");
	if (!before) {
		expect(PAPI_ENOEVNT, PAPI_add_named_event(set, "sde:::plugin::steps"),
			"an event of a plugin that is not here");
		expect(1, strstr(PAPI_error_detail(), "libsde.so.1 is not loaded") != NULL, "the reason");
		load_plugin(argv[1]);
	}
	plugin_work(10);
	expect(PAPI_OK, PAPI_add_named_event(set, "sde:::plugin::steps"), "PAPI_add_named_event");
	expect(PAPI_OK, PAPI_start(set), "PAPI_start");
	plugin_work(32);
	expect(PAPI_OK, PAPI_stop(set, &value), "PAPI_stop");
	expect(32, value, "the count");
	return failures > 0;
}
