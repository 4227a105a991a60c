/* SPDX-License-Identifier: BSD-3-Clause */
/* Virtual counts of instructions beside those of a PMU that counts exactly: of each kernel the same, to the unit. And
 * what they cost, in instructions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "kernels.h"
#include "work.h"

static void nothing(void)
{
}

/* The third time, when all that happens once has happened. */
static long long count(int set, void (*run)(void))
{
	long long counted = -1;

	for (int i = 0; i < 3; i++) {
		EXPECT_OK(PAPI_start(set));
		run();
		EXPECT_OK(PAPI_stop(set, &counted));
	}
	return counted;
}

/* What the hardware counts while the kernel is counted virtually. */
static long long cost(int hardware, int virtual, void (*run)(void))
{
	long long ours, counted = -1;

	for (int i = 0; i < 3; i++) {
		EXPECT_OK(PAPI_start(hardware));
		EXPECT_OK(PAPI_start(virtual));
		run();
		EXPECT_OK(PAPI_stop(virtual, &ours));
		EXPECT_OK(PAPI_stop(hardware, &counted));
	}
	return counted;
}

/* How many times as many instructions a kernel may take while one event is counted. */
static const struct {
	const char *name;
	double most;
} limits[] = {
	{ "quicksort", 1.5 },
	{ "qsort of libc", 2.05 },
	{ "fibonacci", 1.7 },
	{ "matrices", 1.1 },
	{ "mathematics", 1.35 },
	{ "strings", 1.3 },
	{ "print", 1.45 },
	{ "memory", 1.45 },
	{ "interpreter", 2.45 },
};

static bool is_within_limit(const char *name, double times)
{
	for (unsigned i = 0; i < COUNT_OF(limits); i++)
		if (!strcmp(name, limits[i].name))
			return times < limits[i].most;
	return true;
}

int main(void)
{
	int hardware, virtual;

	setlinebuf(stdout);
	setenv("PAPI_VPMU", "always", 1);
	REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
	hardware = work_set("perf::INSTRUCTIONS:u", NULL, NULL);
	virtual = work_set("vpmu:::INSTRUCTIONS", NULL, NULL);
	kernels_begin();
	for (unsigned i = 0; i < n_kernels; i++) {
		long long real = count(hardware, kernels[i].run) - count(hardware, nothing);
		long long ours = count(virtual, kernels[i].run) - count(virtual, nothing);
		long long more = cost(hardware, virtual, kernels[i].run) - cost(hardware, virtual, nothing);
		double times = (double)more / (double)real;

		printf("%-20s %9lld, for %.2f times as many\n", kernels[i].name, ours, times);
		if (!EXPECT_EQUAL(real, ours) || !EXPECT(is_within_limit(kernels[i].name, times)))
			fprintf(stderr, "\tthat was %s\n", kernels[i].name);
	}
	return check_failures() ? 1 : 0;
}
