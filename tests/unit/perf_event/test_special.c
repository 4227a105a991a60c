/* SPDX-License-Identifier: BSD-3-Clause */
/* components/perf_event/names_special.c: raw codes, breakpoints, tracepoints. */
#include <linux/hw_breakpoint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "components/perf_event/encoding.h"
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
	fake_machine_end();
	return 0;
}

static void breakpoints_that_never_count_are_refused(void **state)
{
	struct papi_perf_encoding *encoding;

	(void)state;
	fake.breakpoints_lost = true;
	assert_refused(papi_perf_breakpoint_resolve("mem:0x1000/8:w", &encoding), PAPI_ENOSUPP, "never counts one");
	assert_refused(papi_perf_breakpoint_resolve("mem:0x1000/3:w", &encoding), PAPI_EINVAL, "not 3");
	fake.breakpoints_lost = false;
	assert_ok(papi_perf_breakpoint_resolve("mem:0x1000/8:w", &encoding));
	free(encoding);
}

static void raw_codes_are_hexadecimal(void **state)
{
	static const struct {
		const char *name;
		uint64_t config;
	} cases[] = {
		{ "r0", 0 },
		{ "r1", 1 },
		{ "r01c0", 0x1c0 },
		{ "rFF", 0xff },
		{ "rffffffffffffffff", UINT64_MAX },
		{ "r00000000000000000001", 1 },
		{ "rdead", 0xdead },
	};
	static const char *const others[] = { "r", "r1g", "R1", "r 1", "r-1", "r+1", "retired", "1", "", "r1:u" };
	struct papi_perf_encoding *encoding;

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		assert_ok(papi_perf_raw_resolve(cases[i].name, &encoding));
		assert_int_equal(encoding->form, PAPI_PERF_RAW);
		assert_int_equal(encoding->attr.type, PERF_TYPE_RAW);
		assert_int_equal(encoding->attr.config, cases[i].config);
		assert_true(encoding->core);
		assert_false(encoding->own_modes);
		free(encoding);
	}
	for (size_t i = 0; i < LENGTH(others); i++)
		if (papi_perf_raw_resolve(others[i], &encoding) != PAPI_ECMP)
			fail_msg("\"%s\" is taken for a raw code", others[i]);
	assert_refused(papi_perf_raw_resolve("r10000000000000000", &encoding), PAPI_EINVAL, "at most 64 bits");
}

static void raw_codes_need_a_pmu(void **state)
{
	struct papi_perf_encoding *encoding;

	(void)state;
	fake_pmu_remove(PERF_TYPE_RAW);
	assert_refused(papi_perf_raw_resolve("r1c0", &encoding), PAPI_ENOEVNT, "no hardware counters that Linux knows");
	/* That there is none has been asked once; the reason depends on the machine. */
	fake_machine_write("/proc/cpuinfo", "flags\t\t: fpu hypervisor rdpmc\n");
	fake_calls_clear();
	assert_refused(
		papi_perf_raw_resolve("r1c0", &encoding), PAPI_ENOEVNT, "virtual and its hypervisor provides no PMU");
	assert_says("perf::*");
	assert_int_equal(fake_calls_all(), 0);
	papi_perf_core_pmu_forget();
	fake_pmu_set((struct fake_pmu){ .type = PERF_TYPE_RAW, .counters = 4 });
	assert_ok(papi_perf_raw_resolve("r1c0", &encoding));
	free(encoding);
}

static void breakpoints_have_an_address_a_length_and_accesses(void **state)
{
	static const struct {
		const char *name;
		uint64_t address, length;
		unsigned type;
	} cases[] = {
		{ "mem:0x601040", 0x601040, 4, HW_BREAKPOINT_RW },
		{ "mem:0x601040:w", 0x601040, 4, HW_BREAKPOINT_W },
		{ "mem:0x601040:r", 0x601040, 4, HW_BREAKPOINT_R },
		{ "mem:0x601040:rw", 0x601040, 4, HW_BREAKPOINT_RW },
		{ "mem:0x601040:wr", 0x601040, 4, HW_BREAKPOINT_RW },
		{ "mem:0x601041/1:w", 0x601041, 1, HW_BREAKPOINT_W },
		{ "mem:0x601042/2:w", 0x601042, 2, HW_BREAKPOINT_W },
		{ "mem:0x601044/4", 0x601044, 4, HW_BREAKPOINT_RW },
		{ "mem:0x601048/8:rw", 0x601048, 8, HW_BREAKPOINT_RW },
		{ "mem:4096/8", 4096, 8, HW_BREAKPOINT_RW },
		{ "mem:0xfffffffffffffff8/8:w", 0xfffffffffffffff8, 8, HW_BREAKPOINT_W },
		/* An instruction may be anywhere, and its length is what the kernel wants it to be. */
		{ "mem:0x401123:x", 0x401123, sizeof(long), HW_BREAKPOINT_X },
		{ "mem:0x401123/8:x", 0x401123, sizeof(long), HW_BREAKPOINT_X },
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct papi_perf_encoding *encoding;

		assert_ok(papi_perf_breakpoint_resolve(cases[i].name, &encoding));
		assert_int_equal(encoding->form, PAPI_PERF_BREAKPOINT);
		assert_int_equal(encoding->attr.type, PERF_TYPE_BREAKPOINT);
		assert_int_equal(encoding->attr.bp_addr, cases[i].address);
		assert_int_equal(encoding->attr.bp_len, cases[i].length);
		assert_int_equal(encoding->attr.bp_type, cases[i].type);
		assert_false(encoding->core);
		free(encoding);
	}
}

static void bad_breakpoints_are_refused(void **state)
{
	static const struct {
		const char *name, *words;
	} cases[] = {
		{ "mem:", "expected mem:ADDRESS" },
		{ "mem:x", "expected mem:ADDRESS" },
		{ "mem::w", "expected mem:ADDRESS" },
		{ "mem:main", "expected mem:ADDRESS" },
		{ "mem:-4096", "expected mem:ADDRESS" },
		{ "mem: 4096", "expected mem:ADDRESS" },
		{ "mem:0x10000000000000000", "expected mem:ADDRESS" },
		{ "mem:0x1000z", "expected /LENGTH or :rwx" },
		{ "mem:0x1000,8", "expected /LENGTH or :rwx" },
		{ "mem:0x1000/", "expected a length" },
		{ "mem:0x1000/:w", "expected a length" },
		{ "mem:0x1000/0", "expected a length" },
		{ "mem:0x1000/8w", "expected /LENGTH or :rwx" },
		{ "mem:0x1000/3", "hardware watches 1, 2, 4 or 8 bytes, not 3" },
		{ "mem:0x1000/16", "hardware watches 1, 2, 4 or 8 bytes, not 16" },
		{ "mem:0x1000/99999999999999999999999", "hardware watches 1, 2, 4 or 8 bytes" },
		{ "mem:0x1001", "multiple of the length, 4" },
		{ "mem:0x1004/8:w", "multiple of the length, 8" },
		{ "mem:0x1000:", "accesses are r, w, rw or x" },
		{ "mem:0x1000:rx", "accesses are r, w, rw or x" },
		{ "mem:0x1000:u", "accesses are r, w and x, not \"u\"" },
		{ "mem:0x1000:w/8", "accesses are r, w and x, not \"/\"" },
	};
	struct papi_perf_encoding *encoding;

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		assert_refused(papi_perf_breakpoint_resolve(cases[i].name, &encoding), PAPI_EINVAL, cases[i].words);
		assert_says(cases[i].name);
	}
	assert_int_equal(papi_perf_breakpoint_resolve("memory", &encoding), PAPI_ECMP);
	assert_int_equal(papi_perf_breakpoint_resolve("MEM:0x1000", &encoding), PAPI_ECMP);
}

static void assert_tracepoint(const char *name, uint64_t id)
{
	struct papi_perf_encoding *encoding;

	assert_ok(papi_perf_tracepoint_resolve(name, &encoding));
	assert_int_equal(encoding->form, PAPI_PERF_TRACEPOINT);
	assert_int_equal(encoding->attr.type, PERF_TYPE_TRACEPOINT);
	assert_int_equal(encoding->attr.config, id);
	assert_true(encoding->any_mode);
	free(encoding);
}

static void tracepoints_are_found_where_tracefs_is(void **state)
{
	struct papi_perf_encoding *encoding;

	(void)state;
	assert_refused(
		papi_perf_tracepoint_resolve("sched:sched_switch", &encoding), PAPI_ENOEVNT, "tracefs is not mounted");
	assert_says("sched:sched_switch");
	/* The older place. */
	fake_machine_write("/sys/kernel/debug/tracing/events/sched/sched_switch/id", "316\n");
	assert_tracepoint("sched:sched_switch", 316);
	fake_machine_write("/sys/kernel/tracing/events/sched/sched_switch/id", "317\n");
	fake_machine_write("/sys/kernel/tracing/events/my-probes/probe_1/id", "2000\n");
	assert_tracepoint("sched:sched_switch", 317);
	assert_tracepoint("my-probes:probe_1", 2000);
	/* Where it is mounted, what is not there is simply no event. */
	assert_int_equal(papi_perf_tracepoint_resolve("sched:nothing", &encoding), PAPI_ECMP);
	fake_machine_write("/sys/kernel/tracing/events/sched/broken/id", "x\n");
	assert_int_equal(papi_perf_tracepoint_resolve("sched:broken", &encoding), PAPI_ECMP);
}

static void other_names_are_no_tracepoints(void **state)
{
	static const char *const names[] = { "sched", ":", "sched:", ":sched_switch", "perf::PAGE-FAULTS", "a:b:c",
		"../a:b", "a:../b", "a:b/c", "skl::INST_RETIRED:ANY_P", "a b:c", "" };
	struct papi_perf_encoding *encoding;

	(void)state;
	for (size_t i = 0; i < LENGTH(names); i++)
		if (papi_perf_tracepoint_resolve(names[i], &encoding) != PAPI_ECMP)
			fail_msg("\"%s\" is taken for a tracepoint", names[i]);
}

static void unreadable_tracepoints_say_who_may(void **state)
{
	struct papi_perf_encoding *encoding;
	char path[4096];
	int status;

	(void)state;
	fake_machine_write("/sys/kernel/tracing/events/sched/sched_switch/id", "317\n");
	papi_linux_path("/sys/kernel/tracing/events/sched/sched_switch/id", path, sizeof(path));
	assert_int_equal(chmod(path, 0), 0);
	assert_int_equal(chmod(papi_linux_root(), 0755), 0);
	/* Root would read it nevertheless: be nobody for a moment. */
	if (!geteuid())
		assert_int_equal(seteuid(65534), 0);
	status = papi_perf_tracepoint_resolve("sched:sched_switch", &encoding);
	assert_int_equal(seteuid(getuid()), 0);
	assert_int_equal(status, PAPI_EPERM);
	assert_says("sched:sched_switch: tracepoints are for root here");
}

#define test_on_machine(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_on_machine(breakpoints_that_never_count_are_refused),
		test_on_machine(raw_codes_are_hexadecimal),
		test_on_machine(raw_codes_need_a_pmu),
		test_on_machine(breakpoints_have_an_address_a_length_and_accesses),
		test_on_machine(bad_breakpoints_are_refused),
		test_on_machine(tracepoints_are_found_where_tracefs_is),
		test_on_machine(other_names_are_no_tracepoints),
		test_on_machine(unreadable_tracepoints_say_who_may),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
