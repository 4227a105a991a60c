/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The groups of metrics on processors that are not here: which of their metrics can be counted there, and each of these
 * with all its events on the machine's own counters. Recorded machines have the model kernel under them; for others
 * libpfm4 is told which processor this is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../tables/machines.h"
#include "../unit/linux/tree.h"
#include "check.h"
#include "kernel.h"

/* What must be there, at the least: metrics of each group. */
struct mark {
	const char *group;
	int metrics;
};

static void look_at(int group, const char *cpu, const struct mark *marks, size_t n)
{
	PAPI_metric_group_info_t info;
	static PAPI_metric_info_t metric;
	int counted = 0, before = check_failures();

	REQUIRE_OK(PAPI_metric_group_info(group, &info));
	for (int i = 0; i < info.metrics; i++) {
		REQUIRE_OK(PAPI_metric_info(group, i, &metric));
		counted += !*metric.why;
		/* One of the two: it is made of something, or it says why not. */
		EXPECT(*metric.why ? !metric.n_events : metric.n_events > 0);
		for (int j = 0; j < metric.n_events; j++) {
			char name[PAPI_MAX_STR_LEN];

			EXPECT_OK(PAPI_metric_event(group, metric.events[j], name, sizeof(name)));
			EXPECT_OK(PAPI_query_named_event(name));
			EXPECT(strncmp(name, "vpmu", 4) != 0);
		}
	}
	printf("  %s %d/%d", info.name, counted, info.metrics);
	for (size_t i = 0; i < n; i++)
		if (marks[i].group && strcmp(marks[i].group, info.name) == 0)
			EXPECT_BETWEEN(marks[i].metrics, counted, info.metrics);
	if (check_failures() > before)
		fprintf(stderr, "^ group %s on %s\n", info.name, cpu);
}

static void look_at_all(const char *cpu, const struct mark *marks, size_t n)
{
	int groups = PAPI_metric_groups();

	EXPECT(groups > 0);
	printf(" %s:", cpu);
	for (int i = 0; i < groups; i++)
		look_at(i, cpu, marks, n);
	printf("\n");
}

/* ---- Recorded machines ---- */

static void recorded(const char *cpu, const struct mark *marks, size_t n)
{
	REQUIRE(machine_begin(cpu, NULL));
	look_at_all(cpu, marks, n);
	machine_end();
}

static void sapphire_rapids(void)
{
	static const struct mark marks[] = { { "flops", 5 }, { "cache", 7 }, { "branch", 4 }, { "tlb", 3 },
		{ "memory", 6 }, { "vector", 4 }, { "instructions", 8 }, { "stalls", 7 }, { "system", 6 } };

	recorded("GenuineIntel-6-CF", marks, COUNT_OF(marks));
}

static void alder_lake(void)
{
	static const struct mark marks[] = { { "flops", 5 }, { "cache", 7 }, { "branch", 4 }, { "tlb", 3 },
		{ "memory", 6 }, { "vector", 4 }, { "instructions", 8 }, { "stalls", 7 }, { "system", 6 } };

	recorded("GenuineIntel-6-97", marks, COUNT_OF(marks));
}

/* Small cores alone: fewer of everything. */
static void sierra_forest(void)
{
	static const struct mark marks[] = { { "flops", 4 }, { "cache", 7 }, { "branch", 4 }, { "tlb", 3 },
		{ "memory", 6 }, { "instructions", 6 }, { "stalls", 5 }, { "roofline", 7 }, { "system", 6 } };

	recorded("GenuineIntel-6-AF", marks, COUNT_OF(marks));
}

/* Three kinds of cores: what one of them cannot count is in no group. */
static void arrow_lake(void)
{
	static const struct mark marks[] = { { "cache", 3 }, { "branch", 4 }, { "memory", 5 }, { "instructions", 5 },
		{ "stalls", 3 }, { "system", 6 } };

	recorded("GenuineIntel-6-C5", marks, COUNT_OF(marks));
}

static void zen5(void)
{
	static const struct mark marks[] = { { "flops", 5 }, { "cache", 7 }, { "branch", 4 }, { "tlb", 3 },
		{ "memory", 6 }, { "vector", 3 }, { "instructions", 7 }, { "stalls", 5 }, { "system", 6 } };

	recorded("AuthenticAMD-26-02", marks, COUNT_OF(marks));
}

/* Its presets are raw codes of the architecture. */
static void raspberry_pi(void)
{
	static const struct mark marks[] = { { "flops", 1 }, { "cache", 5 }, { "branch", 3 }, { "tlb", 3 },
		{ "memory", 5 }, { "vector", 2 }, { "instructions", 9 }, { "stalls", 3 }, { "system", 6 } };
	char *root = tree_unpack(getenv("PAPI_TEST_RASPBERRY_PI"), NULL, NULL);

	REQUIRE(setenv("PAPI_ROOT", root, 1) == 0);
	fake_reset();
	REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
	look_at_all("raspberry-pi-4", marks, COUNT_OF(marks));
	PAPI_shutdown();
	unsetenv("PAPI_ROOT");
	tree_remove(root);
}

/* ---- Processors that libpfm4 knows: it looks at its variable once, so that each has a process of its own ---- */

static const char *forced;

static const struct {
	const char *pmu;
	struct mark marks[10];
} known[] = {
	{ "skx",
		{ { "flops", 5 }, { "cache", 7 }, { "branch", 4 }, { "tlb", 3 }, { "memory", 6 }, { "vector", 7 },
			{ "instructions", 8 }, { "stalls", 9 }, { "system", 6 } } },
	{ "icx",
		{ { "flops", 5 }, { "cache", 7 }, { "branch", 4 }, { "tlb", 3 }, { "memory", 6 }, { "vector", 7 },
			{ "instructions", 8 }, { "stalls", 9 }, { "system", 6 } } },
	{ "amd64_fam19h_zen4",
		{ { "flops", 5 }, { "cache", 7 }, { "branch", 4 }, { "tlb", 3 }, { "memory", 6 }, { "vector", 3 },
			{ "instructions", 7 }, { "stalls", 5 }, { "system", 6 } } },
};

static void told_to_libpfm(void)
{
	size_t i = 0;

	while (strcmp(known[i].pmu, forced) != 0)
		REQUIRE(++i < COUNT_OF(known));
	fake_reset();
	REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
	look_at_all(forced, known[i].marks, COUNT_OF(known[i].marks));
	PAPI_shutdown();
}

int main(int argc, char **argv)
{
	const struct test machines[] = {
		{ "Sapphire Rapids", sapphire_rapids },
		{ "Alder Lake", alder_lake },
		{ "Arrow Lake", arrow_lake },
		{ "Sierra Forest", sierra_forest },
		{ "Zen 5", zen5 },
		{ "Raspberry Pi 4", raspberry_pi },
	};

	if (argc != 2)
		return check_run(machines, COUNT_OF(machines));
	forced = argv[1];
	setenv("LIBPFM_FORCE_PMU", forced, 1);
	return check_run((const struct test[]){ { forced, told_to_libpfm } }, 1);
}
