/* SPDX-License-Identifier: BSD-3-Clause */
/* PAPI_VPMU_CACHE: what it may say, and what it is told when it may not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "components/vpmu/models/estimates.h"
#include "components/vpmu/models/geometry.h"

static struct papi_vpmu_geometry geometry;
static char reason[512];

static void takes(const char *text)
{
	reason[0] = '\0';
	if (!papi_vpmu_geometry_read(&geometry, text, reason, sizeof(reason)))
		fail_msg("%s: %s", text ? text : "nothing", reason);
}

static void refuses(const char *text, const char *because)
{
	reason[0] = '\0';
	assert_false(papi_vpmu_geometry_read(&geometry, text, reason, sizeof(reason)));
	if (!strstr(reason, because))
		fail_msg("%s: \"%s\" does not say \"%s\"", text, reason, because);
}

static void is_shape(const struct papi_vpmu_shape *shape, uint32_t sets, uint32_t ways, uint32_t shift)
{
	assert_int_equal(shape->sets, sets);
	assert_int_equal(shape->ways, ways);
	assert_int_equal(shape->shift, shift);
}

static void of_the_machine(void **state)
{
	(void)state;
	takes(NULL);
	assert_true(geometry.l1i.ways > 0 && geometry.l1d.ways > 0 && geometry.l2.ways > 0);
	assert_true(geometry.itlb.ways > 0 && geometry.dtlb.ways > 0);
	assert_int_equal(geometry.dtlb.shift, 12);
}

static void caches(void **state)
{
	struct papi_vpmu_shape machine;

	(void)state;
	takes(NULL);
	machine = geometry.l1i;
	takes("L1D=32K/8/64,L2=1M/16/64,L3=none");
	is_shape(&geometry.l1d, 64, 8, 6);
	is_shape(&geometry.l2, 1024, 16, 6);
	assert_int_equal(geometry.l3.ways, 0);
	/* What is not named stays. */
	is_shape(&geometry.l1i, machine.sets, machine.ways, machine.shift);
	takes("l3=36m/12/64");
	is_shape(&geometry.l3, 49152, 12, 6);
	takes("L1I=4096/full/32");
	is_shape(&geometry.l1i, 1, 128, 5);
	takes("L2=48K/12/128,L3=3G/24/128");
	is_shape(&geometry.l2, 32, 12, 7);
	is_shape(&geometry.l3, 1048576, 24, 7);
}

/* One for all threads, besides its shape; which sampled models do not have. */
static void shared(void **state)
{
	(void)state;
	takes("L3=32M/16/64");
	assert_false(geometry.shared_l3);
	takes("L3=shared,L3=32M/16/64");
	assert_true(geometry.shared_l3);
	is_shape(&geometry.l3, 32768, 16, 6);
	assert_false(papi_vpmu_geometry_choose(&geometry, "sampled", reason, sizeof(reason)));
	assert_non_null(strstr(reason, "L3=shared"));
	assert_true(papi_vpmu_geometry_choose(&geometry, "full", reason, sizeof(reason)));
	refuses("L3=none,L3=shared", "there is no L3");
	refuses("L2=shared", "SIZE/WAYS/LINE");
}

static void tlbs(void **state)
{
	(void)state;
	takes("DTLB=64/4,ITLB=48/full,DTLB2=1K/8,ITLB2=none");
	is_shape(&geometry.dtlb, 16, 4, 12);
	is_shape(&geometry.itlb, 1, 48, 12);
	is_shape(&geometry.dtlb2, 128, 8, 12);
	assert_int_equal(geometry.itlb2.ways, 0);
	assert_false(geometry.shared_tlb2);
}

static void nonsense(void **state)
{
	static const char *const shapes[] = {
		"L1D=",
		"L1D=32K",
		"L1D=32K/8",
		"L1D=32K/8/64/1",
		"L1D=32K/0/64",
		"L1D=32K/7/64",
		"L1D=32K/8/48",
		"L1D=32X/8/64",
		"L1D=-32K/8/64",
		"L1D=0/8/64",
		"L1D=none",
		"L2=100/1/64",
		"L1D=32K/8/64K",
		"L3=9999999G/8/64",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		refuses(shapes[i], "SIZE/WAYS/LINE");
	refuses("DTLB=64/4/64", "ENTRIES/WAYS");
	refuses("DTLB=64/5", "ENTRIES/WAYS");
	refuses("DTLB=none", "ENTRIES/WAYS");
	refuses("L4=32K/8/64", "names none of L1I");
	refuses("32K/8/64", "names none of L1I");
	refuses("L1D=32K/8/64,", "names none of L1I");
	refuses("L1D=32K/8/128,L2=1M/16/64", "must not be longer");
}

/* Of the bits that pick sets in all levels. */
static void choices(void **state)
{
	static const struct {
		const char *caches;
		unsigned low, classes, groups;
	} cases[] = {
		{ "L1I=32K/8/64,L1D=32K/8/64,L2=1M/16/64,L3=none", 6, 64, 8 },
		{ "L1I=32K/8/64,L1D=48K/12/64,L2=1M/16/64,L3=33M/11/64", 6, 64, 8 },
		{ "L1I=32K/8/64,L1D=32K/8/64,L2=1M/16/128,L3=none", 7, 32, 4 },
		{ "L1I=32K/8/64,L1D=24K/8/64,L2=1M/16/64,L3=none", 6, 16, 4 },
		{ "L1I=32K/8/64,L1D=4K/8/64,L2=1M/16/64,L3=none", 6, 8, 4 },
		{ "L1I=32K/8/64,L1D=2K/8/64,L2=1M/16/64,L3=none", 6, 0, 0 },
		{ "L1I=32K/8/64,L1D=32K/full/64,L2=1M/16/64,L3=none", 6, 0, 0 },
		{ "L1I=32K/8/64,L1D=32K/8/64,L2=72K/8/64,L3=none", 6, 16, 4 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		takes(cases[i].caches);
		assert_int_equal(geometry.choice.groups, 0);
		assert_true(papi_vpmu_geometry_choose(&geometry, "Sampled", reason, sizeof(reason)));
		assert_int_equal(geometry.choice.low, cases[i].low);
		assert_int_equal(geometry.choice.classes, cases[i].classes);
		assert_int_equal(geometry.choice.groups, cases[i].groups);
		assert_int_equal(geometry.choice.groups * geometry.choice.scale, cases[i].classes);
		assert_true(papi_vpmu_geometry_choose(&geometry, i % 2 ? "full" : NULL, reason, sizeof(reason)));
		assert_int_equal(geometry.choice.groups, 0);
	}
	assert_false(papi_vpmu_geometry_choose(&geometry, "half", reason, sizeof(reason)));
	assert_string_equal(reason, "PAPI_VPMU_MODEL is \"half\", and should be full or sampled");
}

/* Chosen classes are in pairs of neighbours: of all neighbours so many as make up for accesses across two lines. */
static void choices_are_in_pairs(void **state)
{
	static const char *const caches[] = { "L1I=32K/8/64,L1D=32K/8/64,L2=1M/16/64,L3=none",
		"L1I=32K/8/64,L1D=32K/8/64,L2=1M/16/128,L3=none", "L1I=32K/8/64,L1D=24K/8/64,L2=1M/16/64,L3=none",
		"L1I=32K/8/64,L1D=4K/8/64,L2=1M/16/64,L3=none" };

	(void)state;
	for (size_t i = 0; i < sizeof(caches) / sizeof(caches[0]); i++) {
		unsigned pairs = 0, chosen = 0;

		takes(caches[i]);
		assert_true(papi_vpmu_geometry_choose(&geometry, "sampled", reason, sizeof(reason)));
		for (unsigned class = 0; class < geometry.choice.classes; class ++) {
			bool here = geometry.choice.group_of[class] != PAPI_VPMU_NO_GROUP;
			unsigned next = (class + 1) % geometry.choice.classes;

			chosen += here;
			pairs += here && geometry.choice.group_of[next] != PAPI_VPMU_NO_GROUP;
		}
		assert_int_equal(chosen, geometry.choice.groups);
		assert_int_equal(2 * pairs, chosen);
	}
}

/* Misses of L2 in eight groups of 64: the textbook's variance of a total, N * N * (1 - n / N) * s * s / n, and t. */
static void intervals(void **state)
{
	static const uint64_t misses[PAPI_VPMU_GROUPS_MAX] = { 80, 96, 104, 88, 96, 80, 120, 104 };
	uint64_t counters[PAPI_VPMU_GROUPS_MAX][PAPI_VPMU_COUNTERS] = { 0 }, without[PAPI_VPMU_COUNTERS];
	long long values[PAPI_VPMU_GROUPS_MAX], same[PAPI_VPMU_GROUPS_MAX] = { 7, 7, 7, 7, 7, 7, 7, 7 };

	(void)state;
	takes("L1I=32K/8/64,L1D=32K/8/64,L2=1M/16/64,L3=none");
	assert_true(papi_vpmu_geometry_choose(&geometry, "sampled", reason, sizeof(reason)));
	counters[0][PAPI_VPMU_ITLB_MISSES] = 1000;
	for (unsigned i = 0; i < PAPI_VPMU_GROUPS_MAX; i++) {
		counters[0][PAPI_VPMU_L2D_READ_MISSES] += 8000 * misses[i];
		if (i)
			counters[i][PAPI_VPMU_L2D_READ_MISSES] = 8000 * misses[i];
	}
	for (unsigned i = 0; i < PAPI_VPMU_GROUPS_MAX; i++) {
		papi_vpmu_estimates_without(&geometry.choice, i, counters, without);
		values[i] = (long long)without[PAPI_VPMU_L2D_READ_MISSES];
		assert_int_equal(values[i], 8000 * (768 - misses[i]) * 8 / 7);
		assert_int_equal(without[PAPI_VPMU_ITLB_MISSES], 1000);
	}
	/* The squares of the deviations from 96 are 256, 0, 64, 64, 0, 256, 576, 64: s * s is 1280 / 7. */
	assert_in_range(papi_vpmu_estimates_interval(&geometry.choice, values), 910740, 911140);
	assert_int_equal(papi_vpmu_estimates_interval(&geometry.choice, same), 0);
}

/* What is written is read as the same geometry. */
static void written(void **state)
{
	static const char *const texts[] = {
		"L1I=32K/8/64,L1D=48K/12/64,L2=1M/16/64,L3=none,ITLB=64/4,DTLB=64/4,ITLB2=none,DTLB2=1536/12",
		"L1I=16K/4/32,L1D=1000/5/8,L2=3M/12/128,L3=32M/16/128,L3=shared,"
		"ITLB=3K/8,DTLB=17/17,ITLB2=8/8,DTLB2=none",
	};
	char text[512], small[8];

	(void)state;
	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		takes(texts[i]);
		papi_vpmu_geometry_write(&geometry, text, sizeof(text));
		assert_string_equal(text, texts[i]);
	}
	takes(texts[0]);
	geometry.itlb2 = geometry.dtlb2;
	geometry.shared_tlb2 = true;
	papi_vpmu_geometry_write(&geometry, text, sizeof(text));
	assert_non_null(strstr(text, ",ITLB2=shared,DTLB2=1536/12"));
	/* Cut, and ended. */
	papi_vpmu_geometry_write(&geometry, small, sizeof(small));
	assert_memory_equal(small, "L1I=32K", 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(written),
		cmocka_unit_test(of_the_machine),
		cmocka_unit_test(caches),
		cmocka_unit_test(shared),
		cmocka_unit_test(tlbs),
		cmocka_unit_test(nonsense),
		cmocka_unit_test(choices),
		cmocka_unit_test(choices_are_in_pairs),
		cmocka_unit_test(intervals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
