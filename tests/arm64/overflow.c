/* SPDX-License-Identifier: BSD-3-Clause */
/* Overflows of virtual events: after exactly so many, at that instruction; and exclusive accesses go on. */
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "kernels.h"
#include "virtual.h"

/* known.S */
void known(uint64_t rounds);
extern const char known_loop[], known_end[];

#define INSTRUCTIONS_OF_ROUND 32

static unsigned overflows, inside;
static long long between[64];

static void happened(int set, void *address, long long vector, void *context)
{
	const char *pc = address;

	(void)vector;
	(void)context;
	if (overflows < COUNT_OF(between))
		EXPECT_OK(PAPI_read(set, &between[overflows]));
	overflows++;
	inside += pc >= known_loop && pc < known_end;
}

static long long run(void (*work)(void), int threshold)
{
	int set = PAPI_NULL, code;
	long long count;

	overflows = inside = 0;
	REQUIRE_OK(PAPI_create_eventset(&set));
	REQUIRE_OK(PAPI_add_named_event(set, "vpmu:::INSTRUCTIONS"));
	REQUIRE_OK(PAPI_event_name_to_code("vpmu:::INSTRUCTIONS", &code));
	REQUIRE_OK(PAPI_overflow(set, code, threshold, 0, happened));
	REQUIRE_OK(PAPI_start(set));
	work();
	REQUIRE_OK(PAPI_stop(set, &count));
	EXPECT_OK(PAPI_overflow(set, code, 0, 0, happened));
	EXPECT_OK(PAPI_cleanup_eventset(set));
	EXPECT_OK(PAPI_destroy_eventset(&set));
	return count;
}

static void run_known(void)
{
	known(10000);
}

static void after_exactly_so_many(void)
{
	long long count = run(run_known, 7000);

	EXPECT_BETWEEN(10000 * INSTRUCTIONS_OF_ROUND, count, 10000 * INSTRUCTIONS_OF_ROUND + 100);
	EXPECT_EQUAL(count / 7000, overflows);
	EXPECT(inside >= overflows - 1);
	for (unsigned i = 0; i < overflows && i < COUNT_OF(between); i++)
		EXPECT_EQUAL(7000 * (long long)(i + 1), between[i]);
}

/* Each instruction is near an overflow: an access whose parts ran alone would never succeed on some processors. */
static void exclusive_accesses_go_on(void)
{
	for (unsigned i = 0; i < n_kernels; i++) {
		int threshold = strstr("exclusive accesses, stolen registers, flags", kernels[i].name) ? 50 : 5000;
		long long count = run(kernels[i].run, threshold);

		EXPECT_BETWEEN(count / threshold - count / 500 - 1, overflows, count / threshold);
	}
}

int main(void)
{
	static const struct test tests[] = {
		{ "after exactly so many", after_exactly_so_many },
		{ "exclusive accesses go on", exclusive_accesses_go_on },
	};

	setlinebuf(stdout);
	if (!virtual_begin())
		return 77;
	kernels_begin();
	return check_run(tests, COUNT_OF(tests));
}
