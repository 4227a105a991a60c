/* SPDX-License-Identifier: BSD-3-Clause */
/* components/perf_event/names_sysfs.c: names of the kernel's PMUs, on machines made of files. */
#include <stdio.h>
#include <stdlib.h>

#include "components/perf_event/encoding.h"
#include "components/perf_event/names_sysfs.h"
#include "components/perf_event/reasons.h"
#include "pmus.h"

static int begin(void **state)
{
	(void)state;
	fake_reset();
	papi_perf_core_pmu_forget();
	make_machine();
	return 0;
}

static int end(void **state)
{
	(void)state;
	papi_perf_sysfs_shutdown();
	fake_machine_end();
	return 0;
}

static struct papi_perf_encoding *resolve(const char *name)
{
	struct papi_perf_encoding *encoding = NULL;

	assert_ok(papi_perf_sysfs_resolve(name, &encoding));
	assert_int_equal(encoding->form, PAPI_PERF_SYSFS);
	assert_int_equal(encoding->attr.size, sizeof(encoding->attr));
	return encoding;
}

static void assert_config(const char *name, unsigned type, uint64_t config, uint64_t config1, uint64_t config2)
{
	struct papi_perf_encoding *encoding = resolve(name);

	assert_int_equal(encoding->attr.type, type);
	assert_int_equal(encoding->attr.config, config);
	assert_int_equal(encoding->attr.config1, config1);
	assert_int_equal(encoding->attr.config2, config2);
	free(encoding);
}

static void events_and_fields_make_the_configuration(void **state)
{
	(void)state;
	assert_config("cpu_core/instructions/", TYPE_CORE, 0xc0, 0, 0);
	assert_config("cpu_core/cache-misses/", TYPE_CORE, 0x412e, 0, 0);
	assert_config("cpu_atom/instructions/", TYPE_ATOM, 0xc0, 0, 0);
	assert_config("cpu_core/event=0x2e,umask=0x41/", TYPE_CORE, 0x412e, 0, 0);
	assert_config("cpu_core/umask=65,event=46/", TYPE_CORE, 0x412e, 0, 0);
	assert_config("cpu_core/event=0xc0,inv/", TYPE_CORE, 0x8000c0, 0, 0);
	assert_config("cpu_core/event=0xc0,inv=1/", TYPE_CORE, 0x8000c0, 0, 0);
	assert_config("cpu_core/event=0xc0,inv=0/", TYPE_CORE, 0xc0, 0, 0);
	assert_config("cpu_core/cache-misses,inv/", TYPE_CORE, 0x80412e, 0, 0);
	assert_config("cpu_core/event=0xcd,umask=1,ldlat=300/", TYPE_CORE, 0x1cd, 300, 0);
	assert_config("cpu_core/ event=0xcd, umask=1/", TYPE_CORE, 0x1cd, 0, 0);
	assert_config("msr/tsc/", TYPE_MSR, 0, 0, 0);
}

static void whole_words_can_be_given(void **state)
{
	(void)state;
	assert_config("cpu_core/config=0xffffffffffffffff/", TYPE_CORE, UINT64_MAX, 0, 0);
	assert_config("cpu_core/config1=7,config2=8,config=9/", TYPE_CORE, 9, 7, 8);
	assert_config("uncore_imc_0/config=0x1234567890/", TYPE_MEMORY, 0x1234567890, 0, 0);
	assert_config("msr/event=0xfedcba9876543210/", TYPE_MSR, 0xfedcba9876543210, 0, 0);
}

/* The bits of one value may lie in several places of a word, lowest first. */
static void fields_may_be_split(void **state)
{
	(void)state;
	assert_config("uncore_imc_0/cas_reads/", TYPE_MEMORY, 0x300000004, 0, 0);
	assert_config("uncore_imc_0/event=0xfff/", TYPE_MEMORY, 0xf000000ff, 0, 0);
	assert_config("uncore_imc_0/event=0x800/", TYPE_MEMORY, 0x800000000, 0, 0);
	fake_machine_write(DEVICES "cpu_core/format/odd", "config2:63,5,0-1\n");
	assert_config("cpu_core/odd=1/", TYPE_CORE, 0, 0, UINT64_C(1) << 63);
	assert_config("cpu_core/odd=2/", TYPE_CORE, 0, 0, 1 << 5);
	assert_config("cpu_core/odd=0xf/", TYPE_CORE, 0, 0, UINT64_C(1) << 63 | 1 << 5 | 3);
}

static void named_events_may_name_events(void **state)
{
	(void)state;
	fake_machine_write(DEVICES "cpu_core/events/a", "instructions,umask=2\n");
	fake_machine_write(DEVICES "cpu_core/events/b", "a,inv\n");
	assert_config("cpu_core/b/", TYPE_CORE, 0x8002c0, 0, 0);
	fake_machine_write(DEVICES "cpu_core/events/instructions", "b\n");
	assert_refused(papi_perf_sysfs_resolve("cpu_core/b/", &(struct papi_perf_encoding *){ NULL }), PAPI_EINVAL,
		"cpu_core/b/: events defined by each other");
}

static void modes_stand_behind_the_last_slash(void **state)
{
	static const struct {
		const char *name;
		bool user, kernel, hypervisor, own;
	} cases[] = {
		{ "cpu_core/instructions/", true, true, true, false },
		{ "cpu_core/instructions/u", true, false, false, true },
		{ "cpu_core/instructions/k", false, true, false, true },
		{ "cpu_core/instructions/h", false, false, true, true },
		{ "cpu_core/instructions/uk", true, true, false, true },
		{ "cpu_core/instructions/ukh", true, true, true, true },
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct papi_perf_encoding *encoding = resolve(cases[i].name);

		assert_int_equal(!encoding->attr.exclude_user, cases[i].user);
		assert_int_equal(!encoding->attr.exclude_kernel, cases[i].kernel);
		assert_int_equal(!encoding->attr.exclude_hv, cases[i].hypervisor);
		assert_int_equal(encoding->own_modes, cases[i].own);
		free(encoding);
	}
}

static bool has_name(unsigned type, uint64_t config)
{
	return papi_perf_sysfs_names(&(struct perf_event_attr){ .type = type, .config = config });
}

static void events_with_names_are_told_from_others(void **state)
{
	(void)state;
	assert_true(has_name(TYPE_POWER, 2));
	assert_false(has_name(TYPE_POWER, 0));
	assert_false(has_name(TYPE_POWER, 3));
	assert_true(has_name(TYPE_MEMORY, 0x300000004));
	assert_false(has_name(TYPE_MEMORY, 4));
	/* Neither names of nothing nor PMUs without names are in the way. */
	fake_machine_write(DEVICES "power/events/energy-any", "what=0x03\n");
	fake_machine_write(DEVICES "power/events/energy-ram", "event=0x03\n");
	assert_true(has_name(TYPE_POWER, 3));
	assert_true(has_name(TYPE_POWER, 2));
	assert_false(has_name(1, 0));
	assert_false(has_name(99, 0));
}

static void pmus_of_cores_and_packages_are_told_apart(void **state)
{
	struct papi_perf_encoding *encoding = resolve("cpu_core/instructions/");

	(void)state;
	assert_true(encoding->core);
	assert_int_equal(encoding->n_cpus, 0);
	free(encoding);
	encoding = resolve("cpu_atom/instructions/");
	assert_true(encoding->core);
	assert_int_equal(encoding->n_cpus, 0);
	free(encoding);
	encoding = resolve("uncore_imc_0/cas_reads/");
	assert_false(encoding->core);
	assert_int_equal(encoding->n_cpus, 2);
	assert_int_equal(encoding->cpus[0], 0);
	assert_int_equal(encoding->cpus[1], 16);
	free(encoding);
	encoding = resolve("msr/tsc/");
	assert_false(encoding->core);
	assert_int_equal(encoding->n_cpus, 0);
	free(encoding);
	/* Where all cores are alike their PMU is called cpu, and has no list; arm's are called by their design. */
	fake_machine_write(DEVICES "cpu/type", "4\n");
	encoding = resolve("cpu/config=0xc0/");
	assert_true(encoding->core);
	free(encoding);
	fake_machine_write(DEVICES "armv8_pmuv3_0/type", "8\n");
	encoding = resolve("armv8_pmuv3_0/config=0x11/");
	assert_true(encoding->core);
	free(encoding);
}

static void assert_some_cores(const char *name, bool some)
{
	struct papi_perf_encoding *encoding = resolve(name);

	assert_int_equal(encoding->some_cores, some);
	free(encoding);
}

/* How many PMUs a generic event of the kernel is opened on for it to count on all cores; 0: on the one there is. */
static unsigned spread(void)
{
	struct papi_perf_encoding *encoding = papi_perf_encoding_make(PAPI_PERF_PFM, 0);
	unsigned n;

	assert_non_null(encoding);
	papi_perf_sysfs_spread(encoding);
	n = encoding->n_core_pmus;
	free(encoding);
	return n;
}

/* PMUs that list some of the cores. */
static void cpus_of_several_kinds_of_cores_are_known(void **state)
{
	(void)state;
	assert_some_cores("cpu_core/instructions/", true);
	assert_some_cores("cpu_atom/instructions/", true);
	assert_some_cores("uncore_imc_0/cas_reads/", false);
	assert_int_equal(spread(), 2);
	fake_machine_end();
	/* One kind, whether its PMU lists the cores or not. */
	fake_machine_begin();
	fake_machine_write("/sys/devices/system/cpu/online", "0-23\n");
	fake_machine_write(DEVICES "armv8_pmuv3_0/type", "8\n");
	fake_machine_write(DEVICES "armv8_pmuv3_0/cpus", "0-23\n");
	assert_some_cores("armv8_pmuv3_0/config=1/", false);
	assert_int_equal(spread(), 0);
	fake_machine_write("/sys/devices/system/cpu/online", "0-27\n");
	fake_machine_write(DEVICES "armv8_pmuv3_1/type", "9\n");
	fake_machine_write(DEVICES "armv8_pmuv3_1/cpus", "24-27\n");
	assert_some_cores("armv8_pmuv3_0/config=1/", true);
	assert_int_equal(spread(), 2);
	fake_machine_end();
	fake_machine_begin();
	fake_machine_write(DEVICES "cpu/type", "4\n");
	assert_some_cores("cpu/config=1/", false);
	assert_int_equal(spread(), 0);
}

/* On a machine without counters a table's `cpu/.../` is not a matter of names. */
static void names_of_cores_need_a_core_pmu(void **state)
{
	struct papi_perf_encoding *encoding = NULL;

	(void)state;
	fake_pmu_remove(PERF_TYPE_RAW);
	papi_perf_core_pmu_forget();
	assert_refused(papi_perf_sysfs_resolve("cpu/instructions/", &encoding), PAPI_ENOEVNT, "no hardware counters");
	assert_refused(
		papi_perf_sysfs_resolve("armv8_pmuv3/instructions/", &encoding), PAPI_ENOEVNT, "no hardware counters");
	assert_refused(
		papi_perf_sysfs_resolve("nopmu/instructions/", &encoding), PAPI_ENOEVNT, "the kernel has no PMU");
}

static void cpu_masks_must_be_readable(void **state)
{
	struct papi_perf_encoding *encoding = NULL;
	int *cpus;

	(void)state;
	fake_machine_write(DEVICES "uncore_imc_0/cpumask", "\n");
	assert_refused(
		papi_perf_sysfs_resolve("uncore_imc_0/cas_reads/", &encoding), PAPI_ESYS, "uncore_imc_0/cpumask");
	assert_int_equal(papi_perf_sysfs_cpus(TYPE_MEMORY, &cpus), -1);
	fake_machine_write(DEVICES "uncore_imc_0/cpumask", "0,x\n");
	assert_refused(
		papi_perf_sysfs_resolve("uncore_imc_0/cas_reads/", &encoding), PAPI_ESYS, "uncore_imc_0/cpumask");
	/* More CPUs than are taken are not cut off: their counts would be missing. */
	fake_machine_write(DEVICES "uncore_imc_0/cpumask", "0-8000\n");
	assert_int_not_equal(papi_perf_sysfs_resolve("uncore_imc_0/cas_reads/", &encoding), PAPI_OK);
	assert_says("uncore_imc_0");
	fake_machine_write(DEVICES "uncore_imc_0/cpumask", "0-1023\n");
	encoding = resolve("uncore_imc_0/cas_reads/");
	assert_int_equal(encoding->n_cpus, 1024);
	assert_int_equal(encoding->cpus[1023], 1023);
	free(encoding);
}

static void units_and_scales_are_kept(void **state)
{
	struct papi_perf_encoding *encoding = resolve("power/energy-pkg/");

	(void)state;
	assert_int_equal(encoding->attr.type, TYPE_POWER);
	assert_int_equal(encoding->attr.config, 2);
	assert_int_equal(encoding->n_cpus, 1);
	assert_string_equal(encoding->unit, "2.32831e-10 Joules");
	free(encoding);
	fake_machine_write(DEVICES "power/events/energy-pkg.scale", "1\n");
	encoding = resolve("power/energy-pkg/");
	assert_string_equal(encoding->unit, "Joules");
	free(encoding);
	encoding = resolve("power/event=2/");
	assert_string_equal(encoding->unit, "");
	free(encoding);
}

static void cpus_are_found_by_type(void **state)
{
	int *cpus = NULL;

	(void)state;
	assert_int_equal(papi_perf_sysfs_cpus(TYPE_MEMORY, &cpus), 2);
	assert_int_equal(cpus[0], 0);
	assert_int_equal(cpus[1], 16);
	free(cpus);
	assert_int_equal(papi_perf_sysfs_cpus(TYPE_POWER, &cpus), 1);
	assert_int_equal(cpus[0], 0);
	free(cpus);
	assert_int_equal(papi_perf_sysfs_cpus(TYPE_ATOM, &cpus), 0);
	assert_null(cpus);
	assert_int_equal(papi_perf_sysfs_cpus(TYPE_MSR, &cpus), 0);
	assert_int_equal(papi_perf_sysfs_cpus(99, &cpus), -1);
	assert_null(cpus);
}

static void what_is_wrong_is_told(void **state)
{
	static const struct {
		const char *name;
		int status;
		const char *words;
	} cases[] = {
		{ "nopmu/instructions/", PAPI_ENOEVNT, "the kernel has no PMU \"nopmu\"" },
		{ "../power/energy-pkg/", PAPI_ENOEVNT, "the kernel has no PMU" },
		{ "./energy-pkg/", PAPI_ENOEVNT, "the kernel has no PMU" },
		{ "cpu_core/a/b/", PAPI_ENOEVNT, "the kernel has no PMU" },
		{ "cpu_core/instructions", PAPI_ENOEVNT, "have the form pmu/event/" },
		{ "cpu_core//", PAPI_ENOEVNT, "have the form pmu/event/" },
		{ "/instructions/", PAPI_ENOEVNT, "have the form pmu/event/" },
		{ "/", PAPI_ENOEVNT, "have the form pmu/event/" },
		{ "cpu_core/nothing/", PAPI_ENOEVNT, "PMU cpu_core has no event or field \"nothing\"" },
		{ "cpu_core/nothing=3/", PAPI_ENOEVNT, "PMU cpu_core has no event or field \"nothing\"" },
		{ "cpu_core/instructions,nothing/", PAPI_ENOEVNT, "no event or field \"nothing\"" },
		{ "cpu_core/instructions=3/", PAPI_ENOEVNT, "no event or field \"instructions\"" },
		{ "power/energy-pkg.unit/", PAPI_ENOEVNT, "no event or field" },
		{ "cpu_core/event=0x100/", PAPI_EINVAL,
			"0x100 is too large for field event of PMU cpu_core (config:0-7)" },
		{ "cpu_core/inv=2/", PAPI_EINVAL, "0x2 is too large for field inv" },
		{ "uncore_imc_0/event=0x1000/", PAPI_EINVAL, "too large for field event" },
		{ "cpu_core/event=/", PAPI_EINVAL, "\"\" is no value for field event" },
		{ "cpu_core/event=x/", PAPI_EINVAL, "\"x\" is no value for field event" },
		{ "cpu_core/event=0xc0x/", PAPI_EINVAL, "\"0xc0x\" is no value for field event" },
		{ "cpu_core/event=-1/", PAPI_EINVAL, "event" },
		{ "cpu_core/config=-1/", PAPI_EINVAL, "\"-1\" is no value for field config" },
		{ "cpu_core/config=0x1ffffffffffffffff/", PAPI_EINVAL, "config" },
		{ "cpu_core/instructions/x", PAPI_EINVAL, "modifier \"x\" after the last slash is not one of u, k, h" },
		{ "cpu_core/instructions/u ", PAPI_EINVAL, "modifier \" \"" },
	};
	struct papi_perf_encoding *encoding = NULL;

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		assert_refused(papi_perf_sysfs_resolve(cases[i].name, &encoding), cases[i].status, cases[i].words);
		assert_says(cases[i].name);
		assert_null(encoding);
	}
	/* Other forms of names are not for this one to judge. */
	assert_int_equal(papi_perf_sysfs_resolve("instructions", &encoding), PAPI_ECMP);
	assert_int_equal(papi_perf_sysfs_resolve("mem:0x1000/8:w", &encoding), PAPI_ECMP);
	assert_int_equal(papi_perf_sysfs_resolve("perf::PAGE-FAULTS", &encoding), PAPI_ECMP);
}

static void formats_of_other_kernels_are_told(void **state)
{
	struct papi_perf_encoding *encoding = NULL;

	(void)state;
	fake_machine_write(DEVICES "cpu_core/format/new", "config3:0-7\n");
	assert_refused(papi_perf_sysfs_resolve("cpu_core/new=1/", &encoding), PAPI_ENOSUPP,
		"field new of PMU cpu_core is in config3:0-7, which this library does not set");
	fake_machine_write(DEVICES "cpu_core/format/broken", "config:\n");
	assert_refused(
		papi_perf_sysfs_resolve("cpu_core/broken=1/", &encoding), PAPI_EINVAL, "too large for field broken");
	fake_machine_write(DEVICES "cpu_core/format/broken", "config:64-70\n");
	assert_refused(
		papi_perf_sysfs_resolve("cpu_core/broken=1/", &encoding), PAPI_EINVAL, "too large for field broken");
	fake_machine_write(DEVICES "cpu_core/type", "none\n");
	assert_refused(papi_perf_sysfs_resolve("cpu_core/instructions/", &encoding), PAPI_ENOEVNT,
		"the kernel has no PMU \"cpu_core\"");
}

static void the_listing_is_sorted_and_can_be_counted(void **state)
{
	static const char *const expected[] = { "cpu_atom/instructions/", "cpu_core/cache-misses/",
		"cpu_core/instructions/", "cxl_pmu_mem0.0/clock/", "msr/tsc/", "power/energy-pkg/",
		"uncore_imc_0/cas_reads/" };
	char name[PAPI_MAX_STR_LEN];
	unsigned n = 0;

	(void)state;
	/* Some PMUs have a dot in their name. */
	fake_machine_write(DEVICES "cxl_pmu_mem0.0/type", "30\n");
	fake_machine_write(DEVICES "cxl_pmu_mem0.0/cpumask", "3\n");
	fake_machine_write(DEVICES "cxl_pmu_mem0.0/format/event", "config:0-15\n");
	fake_machine_write(DEVICES "cxl_pmu_mem0.0/events/clock", "event=1\n");
	for (; papi_perf_sysfs_event(n, name, sizeof(name)) == PAPI_OK; n++) {
		assert_in_range(n, 0, LENGTH(expected) - 1);
		assert_string_equal(name, expected[n]);
		free(resolve(name));
	}
	assert_int_equal(n, LENGTH(expected));
	assert_int_equal(papi_perf_sysfs_event(n + 100, name, sizeof(name)), PAPI_ENOEVNT);
}

static void a_machine_without_pmus_has_no_events(void **state)
{
	struct papi_perf_encoding *encoding = NULL;
	char name[PAPI_MAX_STR_LEN];
	int *cpus;

	(void)state;
	fake_machine_begin();
	assert_int_equal(papi_perf_sysfs_event(0, name, sizeof(name)), PAPI_ENOEVNT);
	assert_int_equal(papi_perf_sysfs_cpus(TYPE_MSR, &cpus), -1);
	assert_refused(papi_perf_sysfs_resolve("msr/tsc/", &encoding), PAPI_ENOEVNT, "the kernel has no PMU \"msr\"");
	papi_perf_sysfs_shutdown();
	fake_machine_end();
}

#define test_on_machine(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_on_machine(events_and_fields_make_the_configuration),
		test_on_machine(whole_words_can_be_given),
		test_on_machine(fields_may_be_split),
		test_on_machine(named_events_may_name_events),
		test_on_machine(modes_stand_behind_the_last_slash),
		test_on_machine(events_with_names_are_told_from_others),
		test_on_machine(pmus_of_cores_and_packages_are_told_apart),
		test_on_machine(cpus_of_several_kinds_of_cores_are_known),
		test_on_machine(names_of_cores_need_a_core_pmu),
		test_on_machine(cpu_masks_must_be_readable),
		test_on_machine(units_and_scales_are_kept),
		test_on_machine(cpus_are_found_by_type),
		test_on_machine(what_is_wrong_is_told),
		test_on_machine(formats_of_other_kernels_are_told),
		test_on_machine(the_listing_is_sorted_and_can_be_counted),
		cmocka_unit_test(a_machine_without_pmus_has_no_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
