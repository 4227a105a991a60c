/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The functions under test, in a table: so an operation is written once and works on this library and on a peer, and
 * both are called at the same price.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "papi.h"

const struct bench_api bench_ours = {
	.library_init = PAPI_library_init,
	.create_eventset = PAPI_create_eventset,
	.destroy_eventset = PAPI_destroy_eventset,
	.cleanup_eventset = PAPI_cleanup_eventset,
	.event_name_to_code = PAPI_event_name_to_code,
	.event_code_to_name = PAPI_event_code_to_name,
	.add_event = PAPI_add_event,
	.start = PAPI_start,
	.stop = PAPI_stop,
	.read = PAPI_read,
	.read_ts = PAPI_read_ts,
	.accum = PAPI_accum,
	.reset = PAPI_reset,
	.get_real_cyc = PAPI_get_real_cyc,
	.get_real_nsec = PAPI_get_real_nsec,
	.get_virt_cyc = PAPI_get_virt_cyc,
	.get_virt_nsec = PAPI_get_virt_nsec,
	.strerror = PAPI_strerror,
};

static struct bench_api peer;

static const struct {
	const char *symbol;
	size_t offset;
} functions[] = {
	{ "PAPI_library_init", offsetof(struct bench_api, library_init) },
	{ "PAPI_create_eventset", offsetof(struct bench_api, create_eventset) },
	{ "PAPI_destroy_eventset", offsetof(struct bench_api, destroy_eventset) },
	{ "PAPI_cleanup_eventset", offsetof(struct bench_api, cleanup_eventset) },
	{ "PAPI_event_name_to_code", offsetof(struct bench_api, event_name_to_code) },
	{ "PAPI_event_code_to_name", offsetof(struct bench_api, event_code_to_name) },
	{ "PAPI_add_event", offsetof(struct bench_api, add_event) },
	{ "PAPI_start", offsetof(struct bench_api, start) },
	{ "PAPI_stop", offsetof(struct bench_api, stop) },
	{ "PAPI_read", offsetof(struct bench_api, read) },
	{ "PAPI_read_ts", offsetof(struct bench_api, read_ts) },
	{ "PAPI_accum", offsetof(struct bench_api, accum) },
	{ "PAPI_reset", offsetof(struct bench_api, reset) },
	{ "PAPI_get_real_cyc", offsetof(struct bench_api, get_real_cyc) },
	{ "PAPI_get_real_nsec", offsetof(struct bench_api, get_real_nsec) },
	{ "PAPI_get_virt_cyc", offsetof(struct bench_api, get_virt_cyc) },
	{ "PAPI_get_virt_nsec", offsetof(struct bench_api, get_virt_nsec) },
	{ "PAPI_strerror", offsetof(struct bench_api, strerror) },
};

/*
 * Deep binding: the peer calls its own functions by the names that this program has of ours. The sanitizers forbid it,
 * and then there is no peer.
 */
const struct bench_api *bench_api_load(const char *directory, char *why, size_t size)
{
	char path[4096];
	void *library;

	snprintf(path, sizeof(path), "%s/libpapi.so.7.0", directory);
	library = dlopen(path, RTLD_LAZY | RTLD_LOCAL | RTLD_DEEPBIND);
	if (!library) {
		snprintf(why, size, "%s", dlerror());
		return NULL;
	}
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		void *function = dlsym(library, functions[i].symbol);

		if (!function) {
			snprintf(why, size, "%s has no %s", path, functions[i].symbol);
			return NULL;
		}
		memcpy((char *)&peer + functions[i].offset, &function, sizeof(function));
	}
	if (peer.read == bench_ours.read) {
		snprintf(why, size, "%s is the library under test itself; copy it elsewhere to compare it with itself",
			path);
		return NULL;
	}
	return &peer;
}

const char *bench_api_reason(const struct bench_api *api, int status)
{
	const char *text = api == &bench_ours ? PAPI_error_detail() : api->strerror(status);

	return text && *text ? text : "no reason given";
}
