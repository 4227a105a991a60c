/* SPDX-License-Identifier: BSD-3-Clause */
/* Where in the program do page faults occur, and how is its time divided: a handler, and a histogram. */
#include <papi.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

#define N 1000

static _Alignas(4096) volatile char pages[N][4096];
static volatile long calls;
static void *volatile place;

/* Runs in a signal handler: it only stores. */
static void handler(int set, void *address, long long vector, void *context)
{
	(void)set;
	(void)vector;
	(void)context;
	place = address;
	calls++;
}

/* One fault for each page, also where the system would rather give many at once. */
static void touch(void)
{
	madvise((void *)(uintptr_t)pages, sizeof(pages), MADV_NOHUGEPAGE);
	for (int i = 0; i < N; i++)
		pages[i][0] = 1;
}

/* Buckets of 16 bits, each for 64 addresses of the program: a scale of 131072 / 64. */
static unsigned short buckets[1 << 16];

int main(void)
{
	const PAPI_exe_info_t *program;
	int set = PAPI_NULL, faults, clock;
	unsigned busiest = 0;
	double sum = 0;

	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT || PAPI_create_eventset(&set) != PAPI_OK ||
		PAPI_event_name_to_code("perf::PAGE-FAULTS", &faults) != PAPI_OK ||
		PAPI_event_name_to_code("perf::TASK-CLOCK", &clock) != PAPI_OK ||
		PAPI_add_event(set, faults) != PAPI_OK || PAPI_add_event(set, clock) != PAPI_OK ||
		!(program = PAPI_get_executable_info()) || PAPI_overflow(set, faults, 100, 0, handler) != PAPI_OK ||
		PAPI_profil(buckets, sizeof(buckets), program->address_info.text_start, 131072 / 64, set, clock, 100000,
			PAPI_PROFIL_POSIX) != PAPI_OK ||
		PAPI_start(set) != PAPI_OK) {
		fprintf(stderr, "cannot sample: %s\n", PAPI_error_detail());
		return 1;
	}
	touch();
	for (int i = 1; i < 20000000; i++)
		sum += 1.0 / i;
	PAPI_stop(set, (long long[2]){ 0 });
	printf("%ld times 100 page faults, the last at %s\n", calls,
		place ? "an address of the program" : "no address");
	for (unsigned i = 0; i < 1 << 16; i++)
		if (buckets[i] > buckets[busiest])
			busiest = i;
	printf("the sum is %.3f; most of the time was spent in 64 bytes: %d samples\n", sum, buckets[busiest]);
}
