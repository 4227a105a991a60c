/* SPDX-License-Identifier: BSD-3-Clause */
/* Virtual counts of instructions beside those of a PMU that counts exactly: of each kernel the same, to the unit. And
 * what they cost, in instructions. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "check.h"
#include "kernels.h"
#include "work.h"

static void nothing(void)
{
}

/* The kernel has the first such instruction behind a system call come to it, and the PMU counts it twice. */
static void nothing_in_vectors(void)
{
	__asm__ volatile(".arch_extension sve\n\tcntb x0" : : : "x0");
}

static bool uses_vectors(const char *name)
{
	return getauxval(AT_HWCAP) & HWCAP_SVE && !strcmp(name, "scalable vectors");
}

/* From the third time on, when all that happens once has happened, the least: where the kernel has just taken the
 * counters away and given them back, the library asks it for their values, which takes it some hundred instructions. */
static long long count(int set, void (*run)(void))
{
	long long least = -1;

	for (int i = 0; i < 5; i++) {
		long long counted = -1;

		EXPECT_OK(PAPI_start(set));
		run();
		EXPECT_OK(PAPI_stop(set, &counted));
		if (i == 2 || (i > 2 && counted < least))
			least = counted;
	}
	return least;
}

/* What the hardware counts while the kernel is counted virtually: the least, likewise. */
static long long cost_of(int hardware, int virtual, void (*run)(void))
{
	long long least = -1;

	for (int i = 0; i < 5; i++) {
		long long ours[7], counted = -1;

		EXPECT_OK(PAPI_start(hardware));
		EXPECT_OK(PAPI_start(virtual));
		run();
		EXPECT_OK(PAPI_stop(virtual, ours));
		EXPECT_OK(PAPI_stop(hardware, &counted));
		if (i == 2 || (i > 2 && counted < least))
			least = counted;
	}
	return least;
}

static double cost(int hardware, int virtual, void (*run)(void), long long native)
{
	long long more = cost_of(hardware, virtual, run) - cost_of(hardware, virtual, nothing);

	return (double)more / (double)native;
}

/* How many times as many instructions a kernel may take while one event is counted, and while seven are. */
static const struct {
	const char *name;
	double one, seven;
} limits[] = {
	{ "quicksort", 1.5, 3.8 },
	{ "qsort of libc", 2.05, 3.45 },
	{ "fibonacci", 1.7, 2.7 },
	{ "matrices", 1.1, 1.75 },
	{ "mathematics", 1.35, 1.8 },
	{ "strings", 1.3, 2.65 },
	{ "print", 1.45, 2.5 },
	{ "memory", 1.45, 2.2 },
	{ "interpreter", 2.45, 3.3 },
};

static bool is_within_limit(const char *name, double one, double seven)
{
	for (unsigned i = 0; i < COUNT_OF(limits); i++)
		if (!strcmp(name, limits[i].name))
			return one < limits[i].one && seven < limits[i].seven;
	return true;
}

static int set_of_seven(void)
{
	static const char *const more[] = { "BRANCHES_CONDITIONAL", "BRANCHES_TAKEN", "FP_INSTRUCTIONS",
		"SYSTEM_CALLS" };
	int set = work_set("vpmu:::INSTRUCTIONS", "vpmu:::LOADS", "vpmu:::STORES");
	char name[64];

	for (unsigned i = 0; i < COUNT_OF(more); i++) {
		snprintf(name, sizeof(name), "vpmu:::%s", more[i]);
		REQUIRE_OK(PAPI_add_named_event(set, name));
	}
	return set;
}

/* ---- signals ---- */

#define SIGNALS 100
/* Of the library, on a signal's way to a handler and back. */
#define MOST_OF_SIGNAL 8000

static void on_signal(int number)
{
	(void)number;
}

static void signal_often(void)
{
	for (int i = 0; i < SIGNALS; i++)
		raise(SIGUSR1);
}

static void expect_cheap_signals(int hardware, int virtual)
{
	long long natively, more;

	REQUIRE(signal(SIGUSR1, on_signal) != SIG_ERR);
	natively = count(hardware, signal_often) - count(hardware, nothing);
	more = cost_of(hardware, virtual, signal_often) - cost_of(hardware, virtual, nothing);
	printf("%-20s %9lld, and %lld of the library\n", "a signal", natively / SIGNALS, (more - natively) / SIGNALS);
	EXPECT(natively > 0);
	EXPECT((more - natively) / SIGNALS < MOST_OF_SIGNAL);
}

int main(void)
{
	int hardware, virtual, seven;

	setlinebuf(stdout);
	setenv("PAPI_VPMU", "always", 1);
	REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
	hardware = work_set("perf::INSTRUCTIONS:u", NULL, NULL);
	virtual = work_set("vpmu:::INSTRUCTIONS", NULL, NULL);
	seven = set_of_seven();
	kernels_begin();
	for (unsigned i = 0; i < n_kernels; i++) {
		void (*least)(void) = uses_vectors(kernels[i].name) ? nothing_in_vectors : nothing;
		long long real = count(hardware, kernels[i].run) - count(hardware, least);
		long long ours = count(virtual, kernels[i].run) - count(virtual, least);
		double one = cost(hardware, virtual, kernels[i].run, real),
		       all = cost(hardware, seven, kernels[i].run, real);

		printf("%-20s %9lld, for %.2f times as many; seven events: %.2f\n", kernels[i].name, ours, one, all);
		if (!EXPECT_EQUAL(real, ours) || !EXPECT(is_within_limit(kernels[i].name, one, all)))
			fprintf(stderr, "\tthat was %s\n", kernels[i].name);
	}
	expect_cheap_signals(hardware, virtual);
	return check_failures() ? 1 : 0;
}
