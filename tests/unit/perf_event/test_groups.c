/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * components/perf_event/control.c: which events share a group, and what happens when a PMU does not take them. On the
 * model kernel with PMUs of several kinds.
 */
#include <errno.h>

#include "pmus.h"
#include "sets.h"

static int begin(void **state)
{
	int status;

	make_machine();
	status = set_up(state);
	add_pmus();
	return status;
}

static int end(void **state)
{
	int status = tear_down(state);

	fake_machine_end();
	return status;
}

static void a_full_pmu_is_a_conflict(void **state)
{
	int set = SET_OF("r01", "r02", "r03", "r04"), other;
	long long values[5];

	(void)state;
	fake_calls_clear();
	assert_refused(PAPI_add_named_event(set, "r05"), PAPI_ECNFLCT, "r05: the counters cannot count it together");
	assert_says("another EventSet, or PAPI_set_multiplex");
	assert_int_equal(PAPI_num_events(set), 4);
	assert_int_equal(fake.n_open, 4);
	/* The attempt, and the one that tells a conflict from an event that cannot be counted at all. */
	assert_int_equal(fake.calls[FAKE_OPEN], 2);
	/* Software is no matter of counters, and joins the same group. */
	ADD(set, "mem:0x1000");
	assert_ptr_equal(fake_event(4)->leader, fake_event(0));
	assert_ok(PAPI_start(set));
	fake_count(3);
	assert_ok(PAPI_stop(set, values));
	assert_int_equal(values[4], 3);
	/* Another EventSet has the counters when this one is not running. */
	other = SET_OF("r05", "r06");
	assert_ok(PAPI_start(other));
	assert_ok(PAPI_stop(other, values));
	/* And here there is room again. */
	assert_ok(PAPI_remove_named_event(set, "r02"));
	ADD(set, "r05");
	destroy_set(set);
	destroy_set(other);
}

static void an_event_the_pmu_does_not_have_is_no_conflict(void **state)
{
	int set = SET_OF("r01");

	(void)state;
	fake_fail(FAKE_OPEN, 1, EINVAL);
	fake_fail(FAKE_OPEN, 2, EINVAL);
	assert_refused(PAPI_add_named_event(set, "r05"), PAPI_EINVAL, "r05: the kernel refuses the event as invalid");
	fake_faults_clear();
	fake_fail(FAKE_OPEN, 1, ENOENT);
	fake_calls_clear();
	assert_refused(
		PAPI_add_named_event(set, "r05"), PAPI_ENOEVNT, "r05: this kernel or CPU does not have the event");
	assert_int_equal(fake.calls[FAKE_OPEN], 1);
	assert_int_equal(fake.n_open, 1);
	destroy_set(set);
}

/* Software leads, and the kernel moves the group to the PMU of the first hardware event. */
static void hardware_joins_a_group_of_software(void **state)
{
	int set = SET_OF("mem:0x1000", "r01", "mem:0x2000", "r02");

	(void)state;
	assert_int_equal(fake.n_open, 4);
	for (unsigned i = 1; i < 4; i++)
		assert_ptr_equal(fake_event(i)->leader, fake_event(0));
	destroy_set(set);
}

/* Cores of two kinds: a group for each, which counts when the thread is on a core of that kind. */
static void two_kinds_of_cores_are_two_groups(void **state)
{
	int set = SET_OF("cpu_core/instructions/", "cpu_atom/instructions/", "cpu_core/cache-misses/", "mem:0x1000");
	long long values[4];

	(void)state;
	assert_int_equal(fake.n_open, 4);
	assert_int_equal(fake_event(0)->attr.type, TYPE_CORE);
	assert_ptr_equal(fake_event(0)->leader, fake_event(0));
	assert_int_equal(fake_event(1)->attr.type, TYPE_ATOM);
	assert_ptr_equal(fake_event(1)->leader, fake_event(1));
	assert_ptr_equal(fake_event(2)->leader, fake_event(0));
	assert_ptr_equal(fake_event(3)->leader, fake_event(0));
	assert_int_equal(fake_event(1)->attr.pinned, 1);
	fake_calls_clear();
	assert_ok(PAPI_start(set));
	assert_int_equal(fake.calls[FAKE_IOCTL], 2);
	for (unsigned i = 0; i < 4; i++)
		fake_event(i)->count += 10 + i;
	assert_ok(PAPI_read(set, values));
	assert_int_equal(fake.calls[FAKE_READ], 2);
	for (int i = 0; i < 4; i++)
		assert_int_equal(values[i], 10 + i);
	assert_ok(PAPI_stop(set, values));
	/* The group that ran before the removal of the other goes on. */
	assert_ok(PAPI_remove_named_event(set, "cpu_atom/instructions/"));
	assert_ok(PAPI_start(set));
	fake_count(4);
	assert_ok(PAPI_stop(set, values));
	for (int i = 0; i < 3; i++)
		assert_int_equal(values[i], 4);
	destroy_set(set);
}

/* The share of time that an event ran says nothing there: it may have been on the other cores. */
static void events_of_one_kind_of_cores_are_not_estimated(void **state)
{
	int set = SET_OF("cpu_core/instructions/");

	(void)state;
	assert_refused(PAPI_set_multiplex(set), PAPI_ECMP, "cannot be estimated by multiplexing");
	assert_int_equal(PAPI_get_multiplex(set), 0);
	assert_int_equal(fake.n_open, 1);
	assert_ok(PAPI_start(set));
	assert_ok(PAPI_stop(set, &(long long){ 0 }));
	destroy_set(set);
}

static void raw_and_named_events_of_the_cores_share_a_group(void **state)
{
	int set = SET_OF("cpu_core/instructions/", "r01");

	(void)state;
	/* Type 4 is that of raw codes, whatever the PMU is called. */
	assert_ptr_equal(fake_event(1)->leader, fake_event(0));
	destroy_set(set);
}

static void a_pmu_of_the_package_is_opened_on_its_cpus(void **state)
{
	int set = SET_OF("uncore_imc_0/cas_reads/", "uncore_imc_0/event=7/");
	long long values[3];

	(void)state;
	assert_int_equal(fake.n_open, 4);
	for (unsigned i = 0; i < 4; i++) {
		const struct fake_event *event = fake_event(i);

		assert_int_equal(event->pid, -1);
		assert_int_equal(event->cpu, i % 2 ? 16 : 0);
		assert_int_equal(event->attr.type, TYPE_MEMORY);
		assert_ptr_equal(event->leader, fake_event(i % 2));
		assert_int_equal(event->attr.exclude_kernel, 0);
	}
	/* A full PMU is one here, too. */
	assert_refused(PAPI_add_named_event(set, "uncore_imc_0/event=8/"), PAPI_ECNFLCT, "together");
	assert_int_equal(fake.n_open, 4);
	/* With an event of the thread in the same set: what is of two packages is summed. */
	ADD(set, "r01");
	assert_ok(PAPI_start(set));
	for (unsigned i = 0; i < 5; i++)
		fake_event(i)->count += UINT64_C(1) << (8 * i);
	assert_ok(PAPI_read(set, values));
	assert_int_equal(values[0], 0x101);
	assert_int_equal(values[1], 0x1010000);
	assert_int_equal(values[2], 0x100000000);
	assert_ok(PAPI_reset(set));
	fake_count(3);
	assert_ok(PAPI_stop(set, values));
	assert_int_equal(values[0], 6);
	assert_int_equal(values[1], 6);
	assert_int_equal(values[2], 3);
	assert_ok(PAPI_remove_named_event(set, "uncore_imc_0/cas_reads/"));
	assert_ok(PAPI_start(set));
	fake_count(3);
	assert_ok(PAPI_stop(set, values));
	assert_int_equal(values[0], 6);
	assert_int_equal(values[1], 3);
	destroy_set(set);
}

/* On the second of two CPUs it fails: the first one is closed again. */
static void half_of_an_event_is_none(void **state)
{
	int set = SET_OF("r01");
	long long value;

	(void)state;
	/* The modes are refused once, which is learned; then CPU 0, then CPU 16. */
	fake_fail(FAKE_OPEN, 3, ENODEV);
	assert_refused(PAPI_add_named_event(set, "uncore_imc_0/cas_reads/"), PAPI_EINVAL, "CPU 16 is offline");
	assert_int_equal(fake.n_open, 1);
	assert_int_equal(PAPI_num_events(set), 1);
	assert_ok(PAPI_start(set));
	fake_count(2);
	assert_ok(PAPI_stop(set, &value));
	assert_int_equal(value, 2);
	ADD(set, "uncore_imc_0/cas_reads/");
	assert_int_equal(fake.n_open, 3);
	destroy_set(set);
}

static void a_pmu_without_modes_is_asked_without(void **state)
{
	int set = PAPI_NULL, other;

	(void)state;
	assert_ok(PAPI_create_eventset(&set));
	assert_ok(PAPI_query_named_event("msr/tsc/"));
	fake_calls_clear();
	ADD(set, "msr/tsc/");
	assert_int_equal(fake.calls[FAKE_OPEN], 2);
	assert_int_equal(fake_event(0)->attr.exclude_kernel, 0);
	assert_int_equal(fake_event(0)->attr.exclude_user, 0);
	assert_int_equal(fake_event(0)->attr.exclude_hv, 0);
	/* From then on it is known. */
	fake_calls_clear();
	other = SET_OF("msr/tsc/");
	assert_int_equal(fake.calls[FAKE_OPEN], 1);
	destroy_set(other);
	/* Another event of that PMU, in a group of the cores: it cannot be in there, and gets one of its own. */
	other = SET_OF("r01", "msr/event=0x10/");
	assert_int_equal(fake.n_open, 3);
	assert_ptr_equal(fake_event(2)->leader, fake_event(2));
	assert_int_equal(fake_event(2)->attr.disabled, 1);
	destroy_set(other);
	destroy_set(set);
}

/* Some PMUs take no part in groups of software: then the event leads a group of its own, and waits for the start. */
static void an_event_that_cannot_join_is_alone(void **state)
{
	static const struct {
		const char *name;
		unsigned refusals;
	} cases[] = { { "cpu_atom/instructions/", 1 }, { "msr/tsc/", 2 }, { "msr/event=1/ukh", 1 } };

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		int set = SET_OF("mem:0x1000");
		long long values[2];

		assert_ok(PAPI_query_named_event(cases[i].name));
		/* In the group, and where modes may be the reason also without them. */
		for (unsigned nth = 1; nth <= cases[i].refusals; nth++)
			fake_fail(FAKE_OPEN, nth, EINVAL);
		ADD(set, cases[i].name);
		fake_faults_clear();
		assert_int_equal(fake.n_open, 2);
		assert_ptr_equal(fake_event(1)->leader, fake_event(1));
		assert_int_equal(fake_event(1)->attr.disabled, 1);
		assert_int_equal(fake_event(1)->attr.pinned, 1);
		fake_count(100);
		assert_ok(PAPI_start(set));
		fake_count(8);
		assert_ok(PAPI_stop(set, values));
		assert_int_equal(values[0], 8);
		assert_int_equal(values[1], 8);
		destroy_set(set);
	}
}

/* Modes in the name are an order, not a wish. */
static void modes_that_a_pmu_cannot_tell_are_refused_if_demanded(void **state)
{
	int set = PAPI_NULL;

	(void)state;
	assert_ok(PAPI_create_eventset(&set));
	assert_refused(PAPI_add_named_event(set, "msr/tsc/u"), PAPI_EINVAL, "modes");
	assert_int_equal(fake.n_open, 0);
	ADD(set, "msr/tsc/ukh");
	destroy_set(set);
}

/* Learning that a PMU has no modes must not come from a refusal that had another reason. */
static void permission_is_not_taken_for_a_lack_of_modes(void **state)
{
	int set = PAPI_NULL;

	(void)state;
	assert_ok(PAPI_create_eventset(&set));
	assert_ok(PAPI_query_named_event("mem:0x1000"));
	fake.paranoid = 2;
	fake_fail(FAKE_OPEN, 1, EINVAL);
	assert_int_not_equal(PAPI_add_named_event(set, "mem:0x1000"), PAPI_OK);
	fake_faults_clear();
	/* The same event in user mode is allowed. */
	ADD(set, "mem:0x1000");
	assert_int_equal(fake_event(0)->attr.exclude_kernel, 1);
	destroy_set(set);
}

static void inherited_events_of_old_kernels_are_read_one_by_one(void **state)
{
	int set = SET_OF("mem:0x1000", "r01", "r02");
	PAPI_option_t option = { .inherit = { .eventset = set, .inherit = PAPI_INHERIT_ALL } };
	long long values[3];

	(void)state;
	/* As an ordinary user: the kernel mode is not to be asked for on the way. */
	fake.paranoid = 2;
	fake.old_inherit = true;
	assert_ok(PAPI_set_opt(PAPI_INHERIT, &option));
	assert_int_equal(fake.n_open, 3);
	for (unsigned i = 0; i < 3; i++) {
		assert_ptr_equal(fake_event(i)->leader, fake_event(i));
		assert_int_equal(fake_event(i)->attr.inherit, 1);
		assert_int_equal(fake_event(i)->attr.disabled, 1);
		assert_int_equal(fake_event(i)->attr.exclude_kernel, 1);
		assert_int_equal(fake_event(i)->attr.read_format & PERF_FORMAT_GROUP, 0);
	}
	fake_calls_clear();
	assert_ok(PAPI_start(set));
	for (unsigned i = 0; i < 3; i++)
		fake_event(i)->count += 20 + i;
	assert_ok(PAPI_stop(set, values));
	assert_int_equal(fake.calls[FAKE_READ], 3);
	for (int i = 0; i < 3; i++)
		assert_int_equal(values[i], 20 + i);
	/* Newer kernels read the group. */
	fake.old_inherit = false;
	option.inherit.inherit = PAPI_INHERIT_NONE;
	assert_ok(PAPI_set_opt(PAPI_INHERIT, &option));
	option.inherit.inherit = PAPI_INHERIT_ALL;
	assert_ok(PAPI_set_opt(PAPI_INHERIT, &option));
	assert_ptr_equal(fake_event(2)->leader, fake_event(0));
	assert_int_equal(fake_event(2)->attr.inherit, 1);
	destroy_set(set);
}

/* End of file is how the kernel tells that a pinned group found no counters. */
static void a_group_that_never_ran_is_an_error(void **state)
{
	int set = SET_OF("r01", "r02");
	long long values[2];

	(void)state;
	assert_ok(PAPI_start(set));
	fake_event(0)->error = true;
	assert_refused(PAPI_read(set, values), PAPI_ECNFLCT, "the counters never ran");
	assert_says("another program may hold some");
	fake_machine_write("/proc/sys/kernel/nmi_watchdog", "1\n");
	assert_refused(
		PAPI_accum(set, values), PAPI_ECNFLCT, "the NMI watchdog holds one (sysctl kernel.nmi_watchdog=0)");
	assert_refused(PAPI_stop(set, values), PAPI_ECNFLCT, "the counters never ran");
	/* It is stopped all the same, and starts with new counters. */
	assert_refused(PAPI_stop(set, values), PAPI_ENOTRUN, "not counting");
	assert_ok(PAPI_start(set));
	fake_count(6);
	assert_ok(PAPI_stop(set, values));
	assert_int_equal(values[1], 6);
	destroy_set(set);
}

static void answers_that_make_no_sense_are_errors(void **state)
{
	int set = SET_OF("r01", "r02");
	long long values[2];

	(void)state;
	assert_ok(PAPI_start(set));
	fake.short_read = 16;
	assert_refused(PAPI_read(set, values), PAPI_ESYS, "gave 16 bytes instead of 40");
	fake.short_read = 0;
	fake_count(100);
	assert_ok(PAPI_reset(set));
	fake_event(1)->count = 30;
	assert_refused(PAPI_read(set, values), PAPI_ECLOST, "went backwards, by 70 from 100");
	fake_event(1)->count = 130;
	assert_ok(PAPI_read(set, values));
	assert_int_equal(values[1], 30);
	assert_ok(PAPI_stop(set, values));
	destroy_set(set);
}

#define test_on_machine(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_on_machine(a_full_pmu_is_a_conflict),
		test_on_machine(an_event_the_pmu_does_not_have_is_no_conflict),
		test_on_machine(hardware_joins_a_group_of_software),
		test_on_machine(two_kinds_of_cores_are_two_groups),
		test_on_machine(events_of_one_kind_of_cores_are_not_estimated),
		test_on_machine(raw_and_named_events_of_the_cores_share_a_group),
		test_on_machine(a_pmu_of_the_package_is_opened_on_its_cpus),
		test_on_machine(half_of_an_event_is_none),
		test_on_machine(a_pmu_without_modes_is_asked_without),
		test_on_machine(an_event_that_cannot_join_is_alone),
		test_on_machine(modes_that_a_pmu_cannot_tell_are_refused_if_demanded),
		test_on_machine(permission_is_not_taken_for_a_lack_of_modes),
		test_on_machine(inherited_events_of_old_kernels_are_read_one_by_one),
		test_on_machine(a_group_that_never_ran_is_an_error),
		test_on_machine(answers_that_make_no_sense_are_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
