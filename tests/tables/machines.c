/* SPDX-License-Identifier: BSD-3-Clause */
#include "machines.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/linux/tree.h"
#include "check.h"
#include "kernel.h"

static char *root;

/* Which tree a CPU has; the first that its name begins with. */
static const struct {
	const char *cpu, *tree;
	unsigned counters; /* of each PMU, for a thread */
} recorded[] = {
	{ "GenuineIntel-6-CF", "intel-core", 8 },
	{ "GenuineIntel-6-AD", "intel-core", 8 },
	{ "GenuineIntel-6-AE", "intel-core", 8 },
	{ "GenuineIntel-6-AF", "intel-atom", 6 },
	{ "GenuineIntel-6-B6", "intel-atom", 6 },
	{ "GenuineIntel-6-BE", "intel-atom", 6 },
	{ "GenuineIntel-6-97", "intel-hybrid", 6 },
	{ "GenuineIntel-6-9A", "intel-hybrid", 6 },
	{ "GenuineIntel-6-B7", "intel-hybrid", 6 },
	{ "GenuineIntel-6-BA", "intel-hybrid", 6 },
	{ "GenuineIntel-6-BF", "intel-hybrid", 6 },
	{ "GenuineIntel-6-AA", "intel-hybrid", 6 },
	{ "GenuineIntel-6-AC", "intel-hybrid", 6 },
	{ "GenuineIntel-6-B5", "intel-hybrid", 6 },
	{ "GenuineIntel-6-BD", "intel-hybrid-wide", 6 },
	{ "GenuineIntel-6-C6", "intel-hybrid-wide", 6 },
	{ "GenuineIntel-6-C5", "intel-hybrid-three", 6 },
	{ "AuthenticAMD-26-", "amd", 6 },
	/* Nobody's number, for a hybrid processor of tomorrow. */
	{ "GenuineIntel-6-FE", "intel-hybrid", 6 },
	{ "unknown", "intel-core", 6 },
};

static unsigned word(const char *four)
{
	return (unsigned char)four[0] | (unsigned)four[1] << 8 | (unsigned)four[2] << 16 | (unsigned)four[3] << 24;
}

/* Leaf 0 has the vendor in ebx, edx, ecx; leaf 1 the family and the model, each in two parts. */
static void write_cpuid(const char *cpu)
{
	char vendor[16], path[512];
	unsigned family, model, base;
	FILE *file;

	REQUIRE(sscanf(cpu, "%12[^-]-%u-%X", vendor, &family, &model) == 3);
	base = family > 15 ? 15 : family;
	snprintf(path, sizeof(path), "%s/cpuid", root);
	file = fopen(path, "we");
	REQUIRE(file != NULL);
	fprintf(file, "00000000 0 00000020 %08x %08x %08x\n", word(vendor), word(vendor + 8), word(vendor + 4));
	fprintf(file, "00000001 0 %08x 00000000 00000000 00000000\n",
		(family - base) << 20 | (model >> 4) << 16 | base << 8 | (model & 15) << 4 | 1);
	REQUIRE(fclose(file) == 0);
}

bool machine_begin(const char *cpu, const char *tree)
{
	unsigned counters = 0;
	char name[64], *path;

	for (size_t i = 0; i < COUNT_OF(recorded) && !counters; i++) {
		if (strncmp(cpu, recorded[i].cpu, strlen(recorded[i].cpu)) != 0)
			continue;
		tree = tree ? tree : recorded[i].tree;
		counters = recorded[i].counters;
	}
	if (!counters)
		return false;
	snprintf(name, sizeof(name), "%s.tree", tree);
	path = tree_path(name);
	root = tree_unpack(path, NULL, NULL);
	free(path);
	if (strcmp(cpu, "unknown") != 0)
		write_cpuid(cpu);
	REQUIRE(setenv("PAPI_ROOT", root, 1) == 0);
	fake_reset();
	fake_pmu_set((struct fake_pmu){ .type = CPU_CORE, .counters = counters });
	if (strstr(tree, "hybrid"))
		fake_pmu_set((struct fake_pmu){ .type = CPU_ATOM, .counters = counters });
	if (strstr(tree, "three"))
		fake_pmu_set((struct fake_pmu){ .type = CPU_LOWPOWER, .counters = counters });
	REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
	return true;
}

void machine_end(void)
{
	PAPI_shutdown();
	EXPECT_EQUAL(0, fake.n_open);
	EXPECT_EQUAL(0, fake.misuses);
	unsetenv("PAPI_ROOT");
	tree_remove(root);
}
