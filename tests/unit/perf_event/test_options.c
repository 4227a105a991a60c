/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Options of EventSets on the model kernel: what they make of the events, and that a refused option leaves the set as
 * it was.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pmus.h"
#include "sets.h"

static int begin(void **state)
{
	make_machine();
	return set_up(state);
}

static int end(void **state)
{
	int status = tear_down(state);

	fake_machine_end();
	return status;
}

static int set_domain(int set, int domain)
{
	return PAPI_set_opt(PAPI_DOMAIN, &(PAPI_option_t){ .domain = { .eventset = set, .domain = domain } });
}

static int domain_of(int set)
{
	PAPI_option_t option = { .domain = { .eventset = set } };

	assert_ok(PAPI_get_opt(PAPI_DOMAIN, &option));
	return option.domain.domain;
}

static void assert_modes(unsigned event, bool user, bool kernel, bool hypervisor)
{
	const struct perf_event_attr *attr = &fake_event(event)->attr;

	assert_int_equal(!attr->exclude_user, user);
	assert_int_equal(!attr->exclude_kernel, kernel);
	assert_int_equal(!attr->exclude_hv, hypervisor);
}

static void assert_counts(int set)
{
	long long values[8];

	assert_ok(PAPI_start(set));
	fake_count(12);
	assert_ok(PAPI_stop(set, values));
	for (int i = 0; i < PAPI_num_events(set); i++)
		assert_true(values[i] && values[i] % 12 == 0);
}

static void domains_become_modes(void **state)
{
	static const struct {
		int domain;
		bool user, kernel, hypervisor;
	} cases[] = {
		{ PAPI_DOM_USER, true, false, false },
		{ PAPI_DOM_KERNEL, false, true, false },
		{ PAPI_DOM_USER | PAPI_DOM_KERNEL, true, true, false },
		{ PAPI_DOM_SUPERVISOR, false, false, true },
		{ PAPI_DOM_KERNEL | PAPI_DOM_OTHER, false, true, false },
		{ PAPI_DOM_ALL, true, true, true },
	};
	int set = SET_OF("r01", "mem:0x1000");

	(void)state;
	assert_modes(0, true, false, false);
	for (size_t i = 0; i < LENGTH(cases); i++) {
		fake_calls_clear();
		assert_ok(set_domain(set, cases[i].domain));
		assert_int_equal(fake.calls[FAKE_OPEN], 2);
		assert_int_equal(fake.calls[FAKE_CLOSE], 2);
		assert_modes(0, cases[i].user, cases[i].kernel, cases[i].hypervisor);
		assert_modes(1, cases[i].user, cases[i].kernel, cases[i].hypervisor);
		assert_int_equal(domain_of(set), cases[i].domain);
		assert_counts(set);
	}
	/* What is added later is of the same kind. */
	assert_ok(set_domain(set, PAPI_DOM_KERNEL));
	ADD(set, "r02");
	assert_modes(2, false, true, false);
	destroy_set(set);
}

static void modes_in_a_name_go_before_the_domain(void **state)
{
	int set = SET_OF("cpu_core/instructions/k", "cpu_core/instructions/");

	(void)state;
	assert_modes(0, false, true, false);
	assert_modes(1, true, false, false);
	assert_ok(set_domain(set, PAPI_DOM_USER | PAPI_DOM_SUPERVISOR));
	assert_modes(0, false, true, false);
	assert_modes(1, true, false, true);
	destroy_set(set);
}

/* libpfm4 knows Skylake to have no mode of a hypervisor, and leaves the bit as it was. */
static void names_of_libpfm4_have_modes_too(void **state)
{
	int set;

	(void)state;
#ifndef __x86_64__
	skip(); /* libpfm4 knows the processors of its own architecture only */
#endif
	assert_int_equal(setenv("LIBPFM_FORCE_PMU", "skl", 1), 0);
	set = SET_OF("skl::INST_RETIRED:ANY_P:u", "skl::INST_RETIRED:ANY_P:k", "skl::INST_RETIRED:ANY_P:u=1:k=1");
	assert_int_equal(unsetenv("LIBPFM_FORCE_PMU"), 0);
	assert_modes(0, true, false, false);
	assert_modes(1, false, true, false);
	assert_modes(2, true, true, false);
	destroy_set(set);
}

static void domains_that_are_none_are_refused(void **state)
{
	int set = SET_OF("r01");

	(void)state;
	fake_calls_clear();
	assert_refused(set_domain(set, 0), PAPI_EINVAL, "domain 0x0");
	assert_refused(set_domain(set, 0x10), PAPI_EINVAL, "domain 0x10");
	assert_int_equal(fake_calls_all(), 0);
	assert_refused(set_domain(set, PAPI_DOM_OTHER), PAPI_EINVAL_DOM, "cannot count domain 0x4 alone");
	assert_int_equal(domain_of(set), PAPI_DOM_USER);
	assert_counts(set);
	destroy_set(set);
}

static void a_refused_domain_leaves_the_set_as_it_was(void **state)
{
	int set = SET_OF("r01", "r02", "mem:0x1000");

	(void)state;
	fake.paranoid = 2;
	assert_refused(set_domain(set, PAPI_DOM_ALL), PAPI_EPERM,
		"perf_event_paranoid is 2 and forbids counting in the kernel");
	assert_says("sysctl kernel.perf_event_paranoid=1");
	assert_says("PAPI_DOM_USER");
	assert_int_equal(domain_of(set), PAPI_DOM_USER);
	assert_int_equal(fake.n_open, 3);
	for (unsigned i = 0; i < 3; i++)
		assert_modes(i, true, false, false);
	assert_ptr_equal(fake_event(2)->leader, fake_event(0));
	assert_counts(set);
	destroy_set(set);
}

/* The way back fails as well: the first reason is told, and the next start tries once more. */
static void a_way_back_that_fails_is_tried_again_by_start(void **state)
{
	int set = SET_OF("r01", "r02");

	(void)state;
	fake_fail(FAKE_OPEN, 2, EACCES);
	fake_fail(FAKE_OPEN, 3, EMFILE);
	fake.paranoid = 1;
	assert_refused(set_domain(set, PAPI_DOM_KERNEL), PAPI_EPERM, "perf_event_paranoid is 2");
	fake.paranoid = -1;
	assert_int_equal(fake.n_open, 0);
	assert_int_equal(domain_of(set), PAPI_DOM_USER);
	fake_fail(FAKE_OPEN, 1, EMFILE);
	assert_refused(PAPI_start(set), PAPI_ESYS, "ulimit -n");
	assert_int_equal(fake.n_open, 0);
	assert_counts(set);
	assert_modes(0, true, false, false);
	destroy_set(set);
}

static int set_cpu(int set, unsigned cpu)
{
	return PAPI_set_opt(PAPI_CPU_ATTACH, &(PAPI_option_t){ .cpu = { .eventset = set, .cpu_num = cpu } });
}

static void a_set_counts_the_process_it_is_attached_to(void **state)
{
	int set = SET_OF("r01", "mem:0x1000"), status;
	PAPI_option_t option = { .attach = { .eventset = set } };

	(void)state;
	assert_int_equal(PAPI_get_opt(PAPI_ATTACH, &option), 0);
	assert_ok(PAPI_attach(set, (unsigned long)getppid()));
	assert_int_equal(fake_event(0)->pid, getppid());
	assert_int_equal(fake_event(1)->pid, getppid());
	assert_int_equal(fake_event(1)->cpu, -1);
	assert_ok(PAPI_state(set, &status));
	assert_int_equal(status, PAPI_STOPPED | PAPI_ATTACHED);
	assert_int_equal(PAPI_get_opt(PAPI_ATTACH, &option), 1);
	assert_int_equal(option.attach.tid, getppid());
	assert_counts(set);
	assert_refused(set_cpu(set, 0), PAPI_ECOMBO, "to a CPU or to a thread");
	assert_int_equal(fake_event(0)->pid, getppid());
	assert_ok(PAPI_detach(set));
	assert_int_equal(fake_event(0)->pid, 0);
	assert_refused(PAPI_detach(set), PAPI_EINVAL, "not attached");
	assert_counts(set);
	destroy_set(set);
}

static void a_process_that_is_gone_cannot_be_attached_to(void **state)
{
	int set = SET_OF("r01");
	pid_t child = fork();

	(void)state;
	if (!child)
		_exit(0);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_refused(PAPI_attach(set, (unsigned long)child), PAPI_EINVAL, "it has ended");
	assert_refused(PAPI_attach(set, 0), PAPI_EINVAL, "0 is no number of a process");
	assert_refused(PAPI_attach(set, (unsigned long)-5), PAPI_EINVAL, "-5 is no number of a process");
	assert_refused(PAPI_attach(set, 1ul << 40), PAPI_EINVAL, "is no number of a process");
	/* It may also end between the look and the opening. */
	fake_fail(FAKE_OPEN, 1, ESRCH);
	assert_refused(PAPI_attach(set, (unsigned long)getppid()), PAPI_EINVAL, "it has ended");
	assert_int_equal(fake_event(0)->pid, 0);
	assert_counts(set);
	destroy_set(set);
}

static void a_set_counts_the_cpu_it_is_attached_to(void **state)
{
	int set = SET_OF("r01"), status;
	PAPI_option_t option = { .cpu = { .eventset = set, .cpu_num = 77 } };

	(void)state;
	assert_int_equal(PAPI_get_opt(PAPI_CPU_ATTACH, &option), 0);
	assert_ok(set_cpu(set, 0));
	assert_int_equal(fake_event(0)->pid, -1);
	assert_int_equal(fake_event(0)->cpu, 0);
	assert_int_equal(PAPI_get_opt(PAPI_CPU_ATTACH, &option), 1);
	assert_int_equal(option.cpu.cpu_num, 0);
	assert_ok(PAPI_state(set, &status));
	assert_int_equal(status, PAPI_STOPPED | PAPI_CPU_ATTACHED);
	assert_refused(PAPI_attach(set, (unsigned long)getpid()), PAPI_ECOMBO, "to a CPU or to a thread");
	assert_counts(set);
	assert_ok(PAPI_detach(set));
	assert_int_equal(fake_event(0)->cpu, -1);
	assert_refused(set_cpu(set, 1u << 30), PAPI_EINVAL, "there is no CPU 1073741824");
	assert_refused(set_cpu(set, UINT32_MAX), PAPI_EINVAL, "CPU");
	fake.paranoid = 1;
	fake_machine_write("/proc/sys/kernel/perf_event_paranoid", "1\n");
	assert_refused(set_cpu(set, 0), PAPI_EPERM, "perf_event_paranoid is 1 and forbids counting a whole CPU");
	fake.paranoid = -1;
	fake_fail(FAKE_OPEN, 1, ENODEV);
	assert_refused(set_cpu(set, 0), PAPI_EINVAL, "CPU 0 is offline");
	assert_counts(set);
	destroy_set(set);
}

static int set_granularity(int set, int granularity)
{
	return PAPI_set_opt(
		PAPI_GRANUL, &(PAPI_option_t){ .granularity = { .eventset = set, .granularity = granularity } });
}

static void the_system_is_all_its_cpus(void **state)
{
	int set = SET_OF("r01", "r02");
	long long values[2];

	(void)state;
	fake_machine_write("/sys/devices/system/cpu/online", "0-2,7\n");
	assert_ok(set_granularity(set, PAPI_GRN_SYS_CPU));
	assert_int_equal(fake.n_open, 8);
	for (unsigned i = 0; i < 8; i++) {
		static const int cpus[] = { 0, 1, 2, 7 };

		assert_int_equal(fake_event(i)->pid, -1);
		assert_int_equal(fake_event(i)->cpu, cpus[i % 4]);
		assert_ptr_equal(fake_event(i)->leader, fake_event(i % 4));
	}
	assert_ok(PAPI_start(set));
	for (unsigned i = 0; i < 8; i++)
		fake_event(i)->count = UINT64_C(1) << (4 * i);
	assert_ok(PAPI_stop(set, values));
	assert_int_equal(values[0], 0x1111);
	assert_int_equal(values[1], 0x11110000);
	/* One of the leaders' natives goes. */
	assert_ok(PAPI_remove_named_event(set, "r01"));
	assert_int_equal(fake.n_open, 4);
	assert_counts(set);
	assert_refused(PAPI_attach(set, (unsigned long)getpid()), PAPI_ECOMBO, "not both");
	assert_int_equal(fake.n_open, 4);
	destroy_set(set);
}

static void granularities_of_others_are_refused(void **state)
{
	int set = SET_OF("r01");

	(void)state;
	assert_refused(set_granularity(set, PAPI_GRN_PROC), PAPI_ECMP, "PAPI_INHERIT");
	assert_refused(set_granularity(set, PAPI_GRN_PROCG), PAPI_ECMP, "count threads, CPUs or the system");
	assert_refused(set_granularity(set, 0), PAPI_EINVAL, "granularities");
	assert_refused(set_granularity(set, PAPI_GRN_SYS | PAPI_GRN_THR), PAPI_EINVAL, "granularities");
	assert_int_equal(fake_event(0)->pid, 0);
	assert_ok(set_granularity(set, PAPI_GRN_THR));
	assert_counts(set);
	destroy_set(set);
}

static void options_may_come_before_events(void **state)
{
	int set = PAPI_NULL;

	(void)state;
	assert_ok(PAPI_create_eventset(&set));
	fake_calls_clear();
	assert_ok(set_domain(set, PAPI_DOM_KERNEL));
	assert_ok(PAPI_set_opt(
		PAPI_INHERIT, &(PAPI_option_t){ .inherit = { .eventset = set, .inherit = PAPI_INHERIT_ALL } }));
	assert_ok(PAPI_attach(set, (unsigned long)getppid()));
	assert_int_equal(fake_calls_all(), 0);
	ADD(set, "r01");
	assert_modes(0, false, true, false);
	assert_int_equal(fake_event(0)->attr.inherit, 1);
	assert_int_equal(fake_event(0)->pid, getppid());
	assert_refused(PAPI_set_opt(PAPI_INHERIT, &(PAPI_option_t){ .inherit = { .eventset = set, .inherit = 7 } }),
		PAPI_EINVAL, "PAPI_INHERIT_ALL or PAPI_INHERIT_NONE");
	/* They stay when the events go. */
	assert_ok(PAPI_cleanup_eventset(set));
	assert_int_equal(domain_of(set), PAPI_DOM_KERNEL);
	destroy_set(set);
}

static void defaults_are_those_of_new_sets(void **state)
{
	int old = SET_OF("r01"), set;

	(void)state;
	assert_ok(PAPI_set_domain(PAPI_DOM_KERNEL));
	set = SET_OF("r02");
	assert_modes(0, true, false, false);
	assert_modes(1, false, true, false);
	destroy_set(set);
	destroy_set(old);
	PAPI_shutdown();
	assert_int_equal(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
	set = SET_OF("r01");
	assert_modes(0, true, false, false);
	destroy_set(set);
}

#define test_on_machine(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_on_machine(domains_become_modes),
		test_on_machine(modes_in_a_name_go_before_the_domain),
		test_on_machine(names_of_libpfm4_have_modes_too),
		test_on_machine(domains_that_are_none_are_refused),
		test_on_machine(a_refused_domain_leaves_the_set_as_it_was),
		test_on_machine(a_way_back_that_fails_is_tried_again_by_start),
		test_on_machine(a_set_counts_the_process_it_is_attached_to),
		test_on_machine(a_process_that_is_gone_cannot_be_attached_to),
		test_on_machine(a_set_counts_the_cpu_it_is_attached_to),
		test_on_machine(the_system_is_all_its_cpus),
		test_on_machine(granularities_of_others_are_refused),
		test_on_machine(options_may_come_before_events),
		test_on_machine(defaults_are_those_of_new_sets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
