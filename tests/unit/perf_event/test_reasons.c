/* SPDX-License-Identifier: BSD-3-Clause */
/* components/perf_event/reasons.c: what a person is told for each answer of the kernel, on each kind of machine. */
#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>

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
	papi_perf_core_pmu_forget();
	fake_machine_end();
	return 0;
}

static const struct perf_event_attr user_mode = { .type = PERF_TYPE_RAW, .exclude_kernel = 1, .exclude_hv = 1 };
static const struct perf_event_attr all_modes = { .type = PERF_TYPE_RAW };
static const struct perf_event_attr tracepoint = { .type = PERF_TYPE_TRACEPOINT };

static int failed(const struct perf_event_attr *attr, pid_t pid, int error)
{
	return papi_perf_open_failed(
		&(struct papi_perf_attempt){
			.attr = attr, .pid = pid, .cpu = pid == -1 ? 3 : -1, .core = attr->type == PERF_TYPE_RAW },
		error);
}

/* As it is at the sysctl's levels 3, 2, 1 and below, for what each of them forbids. */
static void permission_depends_on_perf_event_paranoid(void **state)
{
	static const struct {
		const char *level;
		const struct perf_event_attr *attr;
		pid_t pid;
		const char *forbidden, *remedy;
	} cases[] = {
		{ "3\n", &user_mode, 0, "perf_event_paranoid is 3 and forbids any counting",
			"kernel.perf_event_paranoid=2" },
		{ "4\n", &user_mode, 0, "perf_event_paranoid is 4 and forbids any counting",
			"kernel.perf_event_paranoid=2" },
		{ "3\n", &all_modes, 0, "perf_event_paranoid is 3 and forbids counting in the kernel",
			"kernel.perf_event_paranoid=1" },
		{ "3\n", &user_mode, -1, "perf_event_paranoid is 3 and forbids counting a whole CPU",
			"kernel.perf_event_paranoid=0" },
		{ "2\n", &all_modes, 0, "perf_event_paranoid is 2 and forbids counting in the kernel",
			"or count user mode only" },
		{ "2\n", &all_modes, 1234, "perf_event_paranoid is 2 and forbids counting in the kernel",
			"CAP_PERFMON" },
		{ "2\n", &user_mode, 0, "the kernel refuses perf_event_open (Permission denied)", "lockdown" },
		{ "2\n", &user_mode, 1234, "process 1234 belongs to somebody else", "CAP_SYS_PTRACE" },
		{ "1\n", &all_modes, 0, "the kernel refuses perf_event_open (Permission denied)", "a security module" },
		{ "1\n", &user_mode, -1, "perf_event_paranoid is 1 and forbids counting a whole CPU",
			"kernel.perf_event_paranoid=0" },
		{ "0\n", &user_mode, -1, "the kernel refuses perf_event_open", "a security module" },
		{ "0\n", &tracepoint, 0, "perf_event_paranoid is 0 and forbids tracepoints",
			"kernel.perf_event_paranoid=-1" },
		{ "-1\n", &tracepoint, 0, "the kernel refuses perf_event_open", "a security module" },
		{ "nonsense\n", &all_modes, 0, "perf_event_paranoid is 2", "kernel.perf_event_paranoid=1" },
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		fake_machine_write("/proc/sys/kernel/perf_event_paranoid", cases[i].level);
		assert_refused(failed(cases[i].attr, cases[i].pid, EACCES), PAPI_EPERM, cases[i].forbidden);
		assert_says(cases[i].remedy);
		/* Only where the mode can be chosen is that the remedy. */
		if (cases[i].attr != &all_modes)
			assert_null(strstr(PAPI_error_detail(), "PAPI_DOM_USER"));
	}
}

static void a_mode_that_cannot_be_chosen_is_no_remedy(void **state)
{
	const struct papi_perf_attempt attempt = { .attr = &all_modes, .cpu = -1, .any_mode = true };

	(void)state;
	fake_machine_write("/proc/sys/kernel/perf_event_paranoid", "2\n");
	assert_refused(papi_perf_open_failed(&attempt, EACCES), PAPI_EPERM, "happens in the kernel");
	assert_null(strstr(PAPI_error_detail(), "PAPI_DOM_USER"));
}

/* The sysctl does not bind who has one of two capabilities: then it is something else that refuses. */
static void the_sysctl_is_no_reason_for_the_privileged(void **state)
{
	static const char first[] = "         0          0 4294967295\n",
			  rootless[] = "         0       1000          1\n";
	static const struct {
		const char *capabilities, *users;
		bool bound;
	} cases[] = {
		{ "0000000000000000", first, true },
		{ "0000004000000000", first, false },
		{ "0000000000200000", first, false },
		{ "000001ffffffffff", first, false },
		{ "0000008000100000", first, true },
		/* In a user namespace of its own, root is nobody to perf events. */
		{ "000001ffffffffff", rootless, true },
		{ "000001ffffffffff", "         0          0      65536\n", true },
		{ "000001ffffffffff", "", true },
	};
	char status[100];

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		snprintf(status, sizeof(status), "Name:\ttest\nCapPrm:\tffffffffffffffff\nCapEff:\t%s\nSeccomp:\t0\n",
			cases[i].capabilities);
		fake_machine_write("/proc/self/status", status);
		fake_machine_write("/proc/self/uid_map", cases[i].users);
		assert_refused(failed(&all_modes, 0, EACCES), PAPI_EPERM,
			cases[i].bound ? "perf_event_paranoid is 2" : "a security module or lockdown");
	}
}

static void a_seccomp_filter_is_recognised(void **state)
{
	(void)state;
	fake_machine_write("/proc/self/status", "Name:\ttest\nSeccomp:\t2\nSeccomp_filters:\t1\n");
	fake_machine_write("/proc/sys/kernel/perf_event_paranoid", "1\n");
	assert_refused(failed(&user_mode, 0, EPERM), PAPI_EPERM, "a seccomp filter refuses perf_event_open");
	assert_says("Operation not permitted");
	assert_refused(failed(&user_mode, 0, ENOSYS), PAPI_EPERM, "a seccomp filter hides perf_event_open");
	/* The sysctl forbids it in any case: it comes first. */
	fake_machine_write("/proc/sys/kernel/perf_event_paranoid", "3\n");
	assert_refused(failed(&user_mode, 0, EPERM), PAPI_EPERM, "perf_event_paranoid is 3");
	fake_machine_write("/proc/self/status", "Name:\ttest\nSeccomp:\t0\n");
	assert_refused(failed(&user_mode, 0, ENOSYS), PAPI_ECMP, "without perf events (CONFIG_PERF_EVENTS)");
}

static void each_error_has_a_code_and_a_sentence(void **state)
{
	static const struct {
		int error, code;
		const char *words;
	} cases[] = {
		{ ENOENT, PAPI_ENOEVNT, "this kernel or CPU does not have the event" },
		{ ENXIO, PAPI_ENOEVNT, "this kernel or CPU does not have the event" },
		{ ENOSPC, PAPI_ECNFLCT, "all hardware breakpoints are in use" },
		{ EBUSY, PAPI_ECNFLCT, "another user has the PMU for itself" },
		{ ESRCH, PAPI_EINVAL, "there is no process or thread 77: it has ended" },
		{ EOPNOTSUPP, PAPI_ENOSUPP, "does not support this way of counting" },
		{ E2BIG, PAPI_ENOSUPP, "needs a newer kernel" },
		{ ENOMEM, PAPI_ENOMEM, "no memory for the event" },
		{ EINVAL, PAPI_EINVAL, "invalid in this combination" },
		{ ENFILE, PAPI_ESYS, "fs.file-max" },
		{ EIO, PAPI_ESYS, "perf_event_open failed: Input/output error" },
		{ EINTR, PAPI_ESYS, "perf_event_open failed: Interrupted system call" },
		{ 12345, PAPI_ESYS, "perf_event_open failed: Unknown error 12345" },
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++)
		assert_refused(failed(&user_mode, 77, cases[i].error), cases[i].code, cases[i].words);
	assert_refused(failed(&user_mode, -1, ENODEV), PAPI_EINVAL, "CPU 3 is offline");
	/* Where no CPU was asked for, none can be offline. */
	assert_true(failed(&user_mode, 0, ENODEV) < 0);
	assert_null(strstr(PAPI_error_detail(), "CPU -1"));
}

static void the_limit_of_files_is_told(void **state)
{
	struct rlimit limit;
	char words[100];

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	snprintf(words, sizeof(words), "the process has %llu files open", (unsigned long long)limit.rlim_cur);
	assert_refused(failed(&user_mode, 0, EMFILE), PAPI_ESYS, words);
	snprintf(words, sizeof(words), "ulimit -n (the hard limit is %llu)", (unsigned long long)limit.rlim_max);
	assert_says(words);
}

static void a_machine_without_counters_says_so(void **state)
{
	(void)state;
	fake_pmu_remove(PERF_TYPE_RAW);
	assert_false(papi_perf_core_pmu());
	assert_says("no hardware counters that Linux knows");
	assert_refused(failed(&user_mode, 0, ENOENT), PAPI_ENOEVNT, "the kernel has no driver for the PMU of this CPU");
	fake_machine_write("/proc/cpuinfo", "flags\t\t: fpu hypervisor rdpmc\n");
	assert_refused(failed(&user_mode, 0, ENOENT), PAPI_ENOEVNT, "its hypervisor provides no PMU");
	/* That is no reason for events of other PMUs. */
	assert_refused(papi_perf_open_failed(&(struct papi_perf_attempt){ .attr = &user_mode, .cpu = -1 }, ENOENT),
		PAPI_ENOEVNT, "this kernel or CPU does not have the event");
}

/* The core PMU is looked for once, but a refusal is no answer: permissions change while a program runs. */
static void the_core_pmu_is_asked_for_once(void **state)
{
	(void)state;
	assert_true(papi_perf_core_pmu());
	assert_int_equal(fake.calls[FAKE_OPEN], 1);
	assert_int_equal(fake.n_open, 0);
	assert_true(papi_perf_core_pmu());
	assert_int_equal(fake.calls[FAKE_OPEN], 1);
	papi_perf_core_pmu_forget();
	fake_pmu_remove(PERF_TYPE_RAW);
	assert_false(papi_perf_core_pmu());
	assert_false(papi_perf_core_pmu());
	assert_int_equal(fake.calls[FAKE_OPEN], 2);
	papi_perf_core_pmu_forget();
	fake_pmu_set((struct fake_pmu){ .type = PERF_TYPE_RAW });
	fake.paranoid = 3;
	assert_true(papi_perf_core_pmu());
	fake.paranoid = -1;
	assert_true(papi_perf_core_pmu());
	assert_int_equal(fake.calls[FAKE_OPEN], 4);
	assert_true(papi_perf_core_pmu());
	assert_int_equal(fake.calls[FAKE_OPEN], 4);
	assert_int_equal(fake.without_cloexec, 0);
}

static void other_calls_are_named(void **state)
{
	(void)state;
	assert_refused(
		papi_perf_call_failed("read", EIO), PAPI_ESYS, "read on a perf event failed: Input/output error");
}

static void counters_that_never_ran_have_reasons(void **state)
{
	(void)state;
	assert_refused(papi_perf_never_ran(true), PAPI_ECNFLCT, "never got its turn");
	assert_refused(papi_perf_never_ran(false), PAPI_ECNFLCT, "another program may hold some");
	fake_machine_write("/proc/sys/kernel/nmi_watchdog", "1\n");
	assert_refused(papi_perf_never_ran(false), PAPI_ECNFLCT, "sysctl kernel.nmi_watchdog=0");
}

#define test_on_machine(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_on_machine(permission_depends_on_perf_event_paranoid),
		test_on_machine(a_mode_that_cannot_be_chosen_is_no_remedy),
		test_on_machine(the_sysctl_is_no_reason_for_the_privileged),
		test_on_machine(a_seccomp_filter_is_recognised),
		test_on_machine(each_error_has_a_code_and_a_sentence),
		test_on_machine(the_limit_of_files_is_told),
		test_on_machine(a_machine_without_counters_says_so),
		test_on_machine(the_core_pmu_is_asked_for_once),
		test_on_machine(other_calls_are_named),
		test_on_machine(counters_that_never_ran_have_reasons),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
