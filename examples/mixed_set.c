/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One EventSet, events of two components: the kernel's software events (perf::) and what getrusage knows
 * (rusage:::). They start and stop together, and their counts come in the order in which they were added.
 */
#include <papi.h>
#include <stdio.h>
#include <unistd.h>

static const char *const names[] = { "perf::PAGE-FAULTS", "perf::TASK-CLOCK", "rusage:::minflt" };
enum { EVENTS = sizeof(names) / sizeof(names[0]) };

static _Alignas(4096) volatile char pages[256][4096];

int main(void)
{
	long long counts[EVENTS];
	int set = PAPI_NULL;

	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT || PAPI_create_eventset(&set) != PAPI_OK) {
		fprintf(stderr, "cannot use PAPI: %s\n", PAPI_error_detail());
		return 1;
	}
	for (int i = 0; i < EVENTS; i++) {
		if (PAPI_add_named_event(set, names[i]) != PAPI_OK) {
			fprintf(stderr, "cannot add %s: %s\n", names[i], PAPI_error_detail());
			return 1;
		}
	}

	if (PAPI_start(set) != PAPI_OK) {
		fprintf(stderr, "cannot start: %s\n", PAPI_error_detail());
		return 1;
	}
	for (int i = 0; i < 256; i++)
		pages[i][0] = 1;
	if (PAPI_stop(set, counts) != PAPI_OK) {
		fprintf(stderr, "cannot stop: %s\n", PAPI_error_detail());
		return 1;
	}

	for (int i = 0; i < EVENTS; i++)
		printf("%s: %lld\n", names[i], counts[i]);
	PAPI_shutdown();
	return 0;
}
