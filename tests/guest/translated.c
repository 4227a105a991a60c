/* SPDX-License-Identifier: BSD-3-Clause */
/* Virtual counts of instructions beside those of a PMU that counts exactly: of each kernel the same, to the unit. And
 * what they cost, in instructions. */
#include <stdio.h>
#include <stdlib.h>

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

/* As much as that for all kernels together. */
#define DEAREST 3.5

int main(void)
{
	long long sum = 0, native = 0;
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

		printf("%-20s %9lld, for %.2f times as many\n", kernels[i].name, ours, (double)more / (double)real);
		sum += more;
		native += real;
		if (!EXPECT_EQUAL(real, ours))
			fprintf(stderr, "\tthat was %s\n", kernels[i].name);
	}
	EXPECT((double)sum < DEAREST * (double)native);
	return check_failures() ? 1 : 0;
}
