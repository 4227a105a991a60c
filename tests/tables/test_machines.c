/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tables in the kernel's form, through the library, on machines that are not here: every preset of every CPU named
 * by vendor, family and model can be counted on its machine; some are compared, bit by bit, with what was worked out by
 * hand from the format files; and a preset of a hybrid processor is the sum over its PMUs.
 *
 *	test_machines FLOORS TABLE...
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "kernel.h"
#include "machines.h"

#define MOST_CPUS 400

static const char *floors;
static char *cpus[MOST_CPUS];
static unsigned n_cpus;

/* The mark of "NAME" or "NAME:PMU"; 0 when it has none. */
static unsigned floor_of(const char *name)
{
	char line[256], word[64];
	unsigned count, found = 0;
	FILE *file = fopen(floors, "re");

	REQUIRE(file != NULL);
	while (fgets(line, sizeof(line), file))
		if (*line != '#' && sscanf(line, "%63s %u", word, &count) == 2 && strcmp(word, name) == 0)
			found = count;
	fclose(file);
	return found;
}

/* Names of x86 processors, once each. */
static void collect(const char *path)
{
	char line[4096], name[64];
	FILE *file = fopen(path, "re");

	REQUIRE(file != NULL);
	while (fgets(line, sizeof(line), file)) {
		bool known = sscanf(line, "CPU,%63[^,\r\n]", name) != 1 || !strchr(name, '-') ||
			strncmp(name, "arm", 3) == 0;

		for (unsigned i = 0; i < n_cpus; i++)
			known = known || strcmp(cpus[i], name) == 0;
		if (known)
			continue;
		REQUIRE(n_cpus < MOST_CPUS);
		cpus[n_cpus++] = strdup(name);
	}
	fclose(file);
}

struct tally {
	unsigned presets, derived, core, atom;
};

/* Alone in an EventSet, with as many events in the kernel as it has natives. */
static void count_alone(const PAPI_event_info_t *info)
{
	int set = PAPI_NULL;

	REQUIRE_OK(PAPI_create_eventset(&set));
	EXPECT_OK(PAPI_add_event(set, (int)info->event_code));
	EXPECT_BETWEEN(1, fake.n_open, info->count);
	REQUIRE_OK(PAPI_cleanup_eventset(set));
	REQUIRE_OK(PAPI_destroy_eventset(&set));
}

static void look_at(int code, struct tally *tally)
{
	PAPI_event_info_t info;
	int before = check_failures();
	bool core = false, atom = false;

	REQUIRE_OK(PAPI_get_event_info(code, &info));
	if (!*info.name[0])
		return;
	EXPECT_OK(PAPI_query_event(code));
	if (info.count)
		count_alone(&info);
	for (unsigned i = 0; i < info.count; i++) {
		core = core || strncmp(info.name[i], "cpu_core/", 9) == 0;
		atom = atom || strncmp(info.name[i], "cpu_atom/", 9) == 0;
	}
	if (check_failures() > before)
		fprintf(stderr, "^ preset %s\n", info.symbol);
	tally->presets++;
	tally->derived += strcmp(info.derived, "NOT_DERIVED") != 0;
	tally->core += core;
	tally->atom += atom;
}

static struct tally look_at_all(void)
{
	struct tally tally = { 0 };

	for (int code = PAPI_PRESET_MASK; code < PAPI_END; code++)
		look_at(code, &tally);
	return tally;
}

static void expect_mark(const char *cpu, const char *pmu, unsigned count)
{
	char name[96];

	snprintf(name, sizeof(name), "%s%s", cpu, pmu);
	if (!EXPECT(count >= floor_of(name)))
		fprintf(stderr, "^ %s has %u presets, and its mark is %u\n", name, count, floor_of(name));
}

static void every_cpu(void)
{
	for (unsigned i = 0; i < n_cpus; i++) {
		int before = check_failures();
		struct tally tally;

		if (!EXPECT(machine_begin(cpus[i], NULL))) {
			fprintf(stderr, "^ no tree is recorded for %s\n", cpus[i]);
			continue;
		}
		tally = look_at_all();
		machine_end();
		printf("  %-24s %3u presets, %3u derived", cpus[i], tally.presets, tally.derived);
		printf(tally.atom ? ", %3u of P cores, %3u of E cores\n" : "\n", tally.core, tally.atom);
		EXPECT(tally.presets > 0);
		expect_mark(cpus[i], "", tally.presets);
		expect_mark(cpus[i], ":cpu_core", tally.core);
		expect_mark(cpus[i], ":cpu_atom", tally.atom);
		if (check_failures() > before)
			fprintf(stderr, "^ on %s\n", cpus[i]);
	}
	EXPECT(n_cpus > 0);
}

/* Whoever is not described has what the kernel gives to all. */
static void nobodys_table(void)
{
	struct tally tally;
	int set = PAPI_NULL;

	REQUIRE(machine_begin("unknown", NULL));
	tally = look_at_all();
	printf("  %-24s %3u presets, %3u derived\n", "generic", tally.presets, tally.derived);
	expect_mark("generic", "", tally.presets);
	REQUIRE_OK(PAPI_create_eventset(&set));
	REQUIRE_OK(PAPI_add_event(set, PAPI_TOT_CYC));
	REQUIRE_OK(PAPI_add_event(set, PAPI_TOT_INS));
	EXPECT_EQUAL(PERF_TYPE_HARDWARE, fake_event(0)->attr.type);
	EXPECT_EQUAL(PERF_COUNT_HW_CPU_CYCLES, (long long)fake_event(0)->attr.config);
	EXPECT_EQUAL(PERF_COUNT_HW_INSTRUCTIONS, (long long)fake_event(1)->attr.config);
	REQUIRE_OK(PAPI_cleanup_eventset(set));
	REQUIRE_OK(PAPI_destroy_eventset(&set));
	machine_end();
}

struct words {
	unsigned type;
	unsigned long long config, config1;
};

/*
 * Worked out by hand: the event's code in bits 0 to 7 (its upper bits in 32 to 35 for AMD), the mask in 8 to 15 (its
 * upper bits from 40), inverted 23, threshold from 24.
 */
static const struct {
	const char *cpu;
	int preset;
	struct words words[4];
} by_hand[] = {
	{ "GenuineIntel-6-AD", PAPI_TOT_CYC, { { CPU_CORE, 0x3c, 0 } } },
	{ "GenuineIntel-6-AD", PAPI_TOT_INS, { { CPU_CORE, 0xc0, 0 } } },
	{ "GenuineIntel-6-AD", PAPI_BR_UCN, { { CPU_CORE, 0xc4, 0 }, { CPU_CORE, 0x11c4, 0 } } },
	{ "GenuineIntel-6-CF", PAPI_LST_INS, { { CPU_CORE, 0x81d0, 0 }, { CPU_CORE, 0x82d0, 0 } } },
	{ "GenuineIntel-6-97", PAPI_TOT_INS, { { CPU_CORE, 0xc0, 0 }, { CPU_ATOM, 0xc0, 0 } } },
	{ "GenuineIntel-6-97", PAPI_REF_CYC, { { CPU_CORE, 0x0300, 0 }, { CPU_ATOM, 0x0300, 0 } } },
	{ "GenuineIntel-6-97", PAPI_BR_CN, { { CPU_CORE, 0x11c4, 0 }, { CPU_ATOM, 0x7ec4, 0 } } },
	{ "GenuineIntel-6-97", PAPI_MEM_RCY, { { CPU_CORE, 0x050021a6, 0 }, { CPU_ATOM, 0x0734, 0 } } },
	{ "GenuineIntel-6-97", PAPI_STL_CCY, { { CPU_CORE, 0x018002c2, 0 }, { CPU_ATOM, 0x018000c2, 0 } } },
	{ "GenuineIntel-6-97", PAPI_L3_LDM,
		{ { CPU_CORE, 0x012a, 0x3fbfc00001 }, { CPU_ATOM, 0x01b7, 0x3f84400001 } } },
	{ "GenuineIntel-6-97", PAPI_FP_INS, { { CPU_CORE, 0x3fc7, 0 } } },
	{ "GenuineIntel-6-C6", PAPI_BR_CN, { { CPU_CORE, 0x100000011c4, 0 }, { CPU_ATOM, 0x7ec4, 0 } } },
	{ "GenuineIntel-6-C5", PAPI_BR_TKN,
		{ { CPU_CORE, 0x100000001c4, 0 }, { CPU_ATOM, 0xfec4, 0 }, { CPU_LOWPOWER, 0xfec4, 0 } } },
	{ "AuthenticAMD-26-2", PAPI_TOT_CYC, { { CPU_CORE, 0x76, 0 } } },
	{ "AuthenticAMD-26-2", PAPI_TOT_INS, { { CPU_CORE, 0xc0, 0 } } },
	{ "AuthenticAMD-26-44", PAPI_REF_CYC, { { CPU_CORE, 0x100000120, 0 } } },
	{ "AuthenticAMD-26-44", PAPI_STL_CCY, { { CPU_CORE, 0x018000c0, 0 } } },
	{ "AuthenticAMD-26-11", PAPI_BR_MSP, { { CPU_CORE, 0x1000000c7, 0 } } },
	{ "AuthenticAMD-26-11", PAPI_L1_ICM, { { CPU_CORE, 0x10000188e, 0 } } },
};

static void bit_by_bit(void)
{
	for (size_t i = 0; i < COUNT_OF(by_hand); i++) {
		const struct words *words = by_hand[i].words;
		int set = PAPI_NULL, before = check_failures();
		unsigned n = 0;

		REQUIRE(machine_begin(by_hand[i].cpu, NULL));
		REQUIRE_OK(PAPI_create_eventset(&set));
		EXPECT_OK(PAPI_add_event(set, by_hand[i].preset));
		for (; n < COUNT_OF(by_hand[i].words) && words[n].type; n++) {
			const struct fake_event *event = fake_event(n);

			REQUIRE(event != NULL);
			EXPECT_EQUAL(words[n].type, event->attr.type);
			EXPECT_EQUAL((long long)words[n].config, (long long)event->attr.config);
			EXPECT_EQUAL((long long)words[n].config1, (long long)event->attr.config1);
			EXPECT_EQUAL(0, (long long)event->attr.config2);
			EXPECT(event->attr.exclude_kernel && !event->attr.exclude_user);
		}
		EXPECT_EQUAL(n, fake.n_open);
		REQUIRE_OK(PAPI_cleanup_eventset(set));
		REQUIRE_OK(PAPI_destroy_eventset(&set));
		machine_end();
		if (check_failures() > before)
			fprintf(stderr, "^ preset 0x%x of %s\n", (unsigned)by_hand[i].preset, by_hand[i].cpu);
	}
}

/* The thread is on a CPU of that PMU: its events count, those of the others stand still, and time passes for all. */
static void run_on(unsigned type, unsigned long long counts, unsigned long long time)
{
	for (unsigned i = 0; i < fake.n_events; i++) {
		struct fake_event *event = &fake.events[i];

		if (!fake_is_counting(event))
			continue;
		event->enabled_time += time;
		if (event->attr.type != type)
			continue;
		event->running_time += time;
		event->count += counts;
	}
}

/* Migrating from one kind of cores to another loses nothing. */
static void sum_over_pmus(void)
{
	static const char *const names[] = { "GenuineIntel-6-97", "GenuineIntel-6-AA", "GenuineIntel-6-C6",
		"GenuineIntel-6-C5" };

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		long long values[2], more = strcmp(names[i], "GenuineIntel-6-C5") == 0 ? 500 : 0;
		int set = PAPI_NULL;

		REQUIRE(machine_begin(names[i], NULL));
		REQUIRE_OK(PAPI_create_eventset(&set));
		REQUIRE_OK(PAPI_add_event(set, PAPI_TOT_INS));
		REQUIRE_OK(PAPI_add_event(set, PAPI_LST_INS));
		REQUIRE_OK(PAPI_start(set));
		run_on(CPU_CORE, 10000, 70);
		EXPECT_OK(PAPI_read(set, values));
		EXPECT_EQUAL(10000, values[0]);
		/* Loads and stores are two events of each PMU. */
		EXPECT_EQUAL(20000, values[1]);
		run_on(CPU_ATOM, 234, 30);
		run_on(CPU_LOWPOWER, 500, 30);
		EXPECT_OK(PAPI_read(set, values));
		EXPECT_EQUAL(10234 + more, values[0]);
		run_on(CPU_CORE, 1, 1);
		EXPECT_OK(PAPI_stop(set, values));
		EXPECT_EQUAL(10235 + more, values[0]);
		EXPECT_EQUAL(2 * (10235 + more), values[1]);
		REQUIRE_OK(PAPI_cleanup_eventset(set));
		REQUIRE_OK(PAPI_destroy_eventset(&set));
		machine_end();
	}
}

/*
 * A hybrid processor without a table has the kernel's generic events, which Linux counts on one PMU unless told
 * otherwise: the type of the PMU stands above the event's number (perf_event_open(2), PERF_TYPE_HARDWARE).
 */
static void unknown_hybrid(void)
{
	long long value = -1, configs = 0;
	int set = PAPI_NULL;

	REQUIRE(machine_begin("GenuineIntel-6-FE", NULL));
	REQUIRE_OK(PAPI_create_eventset(&set));
	REQUIRE_OK(PAPI_add_event(set, PAPI_TOT_INS));
	if (EXPECT_EQUAL(2, fake.n_open)) {
		configs = (long long)fake_event(0)->attr.config + (long long)fake_event(1)->attr.config;
		EXPECT_EQUAL(((long long)CPU_CORE << 32) + ((long long)CPU_ATOM << 32) + 2 * PERF_COUNT_HW_INSTRUCTIONS,
			configs);
		REQUIRE_OK(PAPI_start(set));
		fake_event(0)->count += 1000;
		fake_event(1)->count += 234;
		EXPECT_OK(PAPI_stop(set, &value));
		EXPECT_EQUAL(1234, value);
	}
	REQUIRE_OK(PAPI_cleanup_eventset(set));
	REQUIRE_OK(PAPI_destroy_eventset(&set));
	machine_end();
}

/*
 * Multiplexed counts are scaled by the share of time that they ran, but time on the other kind of cores is no waiting
 * for a counter, and the kernel does not tell the two apart: refused, and the set counts as before.
 */
static void sum_of_multiplexed(void)
{
	long long value = -1;
	int set = PAPI_NULL;

	REQUIRE(machine_begin("GenuineIntel-6-97", NULL));
	REQUIRE_OK(PAPI_multiplex_init());
	REQUIRE_OK(PAPI_create_eventset(&set));
	REQUIRE_OK(PAPI_add_event(set, PAPI_TOT_INS));
	EXPECT_ERROR(PAPI_ECMP, "hybrid", PAPI_set_multiplex(set));
	REQUIRE_OK(PAPI_start(set));
	run_on(CPU_CORE, 3000, 1000);
	run_on(CPU_ATOM, 500, 1000);
	EXPECT_OK(PAPI_stop(set, &value));
	EXPECT_EQUAL(3500, value);
	REQUIRE_OK(PAPI_cleanup_eventset(set));
	REQUIRE_OK(PAPI_set_multiplex(set));
	EXPECT_ERROR(PAPI_ECMP, "hybrid", PAPI_add_event(set, PAPI_TOT_INS));
	REQUIRE_OK(PAPI_destroy_eventset(&set));
	machine_end();
}

/* A kernel older than the processor: what it has no bits for is not available and says why, the rest is. */
static void older_kernel(void)
{
	REQUIRE(machine_begin("GenuineIntel-6-C6", "intel-hybrid"));
	EXPECT_OK(PAPI_query_event(PAPI_TOT_INS));
	EXPECT_ERROR(PAPI_EINVAL, "PAPI_BR_CN needs cpu_core/event=0xc4,umask=0x111/: ", PAPI_query_event(PAPI_BR_CN));
	EXPECT(strstr(PAPI_error_detail(), "0x111 is too large for field umask of PMU cpu_core (config:8-15)") != NULL);
	machine_end();
	/* It does not know the third PMU, or any. */
	REQUIRE(machine_begin("GenuineIntel-6-C5", "intel-hybrid-wide"));
	EXPECT_ERROR(PAPI_ENOEVNT, "PAPI_TOT_INS needs cpu_lowpower/event=0xc0/: ", PAPI_query_event(PAPI_TOT_INS));
	machine_end();
	REQUIRE(machine_begin("GenuineIntel-6-97", "amd"));
	EXPECT_ERROR(PAPI_ENOEVNT, "the kernel has no PMU \"cpu_core\"", PAPI_query_event(PAPI_TOT_INS));
	machine_end();
}

int main(int argc, char **argv)
{
	static const struct test tests[] = {
		{ "every CPU", every_cpu },
		{ "nobody's table", nobodys_table },
		{ "bit by bit", bit_by_bit },
		{ "sum over PMUs", sum_over_pmus },
		{ "unknown hybrid", unknown_hybrid },
		{ "sum of multiplexed", sum_of_multiplexed },
		{ "older kernel", older_kernel },
	};

	static const char *const variables[] = { "PAPI_CSV_EVENT_FILE", "PAPI_PERFMON_EVENT_FILE",
		"PAPI_USER_EVENTS_FILE", "LIBPFM_FORCE_PMU" };
	int status;

	REQUIRE(argc > 2);
	for (size_t i = 0; i < COUNT_OF(variables); i++)
		unsetenv(variables[i]);
	floors = argv[1];
	for (int i = 2; i < argc; i++)
		collect(argv[i]);
	status = check_run(tests, COUNT_OF(tests));
	for (unsigned i = 0; i < n_cpus; i++)
		free(cpus[i]);
	return status;
}
