/* SPDX-License-Identifier: BSD-3-Clause */
/* Options of an EventSet: round trips, and refusals that leave the set as it was and able to count. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "work.h"

#define OPTION(member, ...) (&(PAPI_option_t){ .member = { __VA_ARGS__ } })

static int set_domain(int set, int domain)
{
	return PAPI_set_opt(PAPI_DOMAIN, OPTION(domain, .eventset = set, .domain = domain));
}

static int domain_of(int set)
{
	PAPI_option_t option = { .domain = { .eventset = set, .domain = -1 } };

	EXPECT_OK(PAPI_get_opt(PAPI_DOMAIN, &option));
	return option.domain.domain;
}

static int set_granularity(int set, int granularity)
{
	return PAPI_set_opt(PAPI_GRANUL, OPTION(granularity, .eventset = set, .granularity = granularity));
}

static int granularity_of(int set)
{
	PAPI_option_t option = { .granularity = { .eventset = set, .granularity = -1 } };

	EXPECT_OK(PAPI_get_opt(PAPI_GRANUL, &option));
	return option.granularity.granularity;
}

static int set_inherit(int set, int inherit)
{
	return PAPI_set_opt(PAPI_INHERIT, OPTION(inherit, .eventset = set, .inherit = inherit));
}

static int inherit_of(int set)
{
	PAPI_option_t option = { .inherit = { .eventset = set, .inherit = -1 } };

	EXPECT_OK(PAPI_get_opt(PAPI_INHERIT, &option));
	return option.inherit.inherit;
}

/* What is attached to, 0 for nothing; PAPI_ATTACH and PAPI_DETACH ask the same question the other way round. */
static unsigned long attached_to(int set)
{
	PAPI_option_t option = { .attach = { .eventset = set, .tid = 77 } };
	int attached = PAPI_get_opt(PAPI_ATTACH, &option);

	EXPECT_BETWEEN(0, attached, 1);
	EXPECT_EQUAL(1 - attached, PAPI_get_opt(PAPI_DETACH, &option));
	return attached ? option.attach.tid : 0;
}

static int state_of(int set)
{
	int state = 0;

	EXPECT_OK(PAPI_state(set, &state));
	return state;
}

/* The set counts this thread in user mode, as every new one does. */
static void expect_counting(int set)
{
	long long values[4];

	EXPECT_OK(PAPI_start(set));
	work_events(50);
	work_stop_values(set, values, COUNT_OF(values));
	EXPECT_EQUAL(50, values[0]);
}

static void domains(void)
{
	static const int good[] = { PAPI_DOM_USER, PAPI_DOM_USER | PAPI_DOM_SUPERVISOR, PAPI_DOM_USER | PAPI_DOM_OTHER,
		PAPI_DOM_KERNEL, PAPI_DOM_ALL, PAPI_DOM_SUPERVISOR };
	static const int senseless[] = { 0, -1, 0x10, 0x100, PAPI_DOM_ALL | 0x20 };
	int set = work_set(NULL, NULL, NULL);

	EXPECT_EQUAL(PAPI_DOM_USER, domain_of(set));
	for (size_t i = 0; i < COUNT_OF(good); i++) {
		EXPECT_OK(set_domain(set, good[i]));
		EXPECT_EQUAL(good[i], domain_of(set));
	}
	for (size_t i = 0; i < COUNT_OF(senseless); i++) {
		EXPECT_ERROR(PAPI_EINVAL, "domain", set_domain(set, senseless[i]));
		EXPECT_EQUAL(PAPI_DOM_SUPERVISOR, domain_of(set));
	}
	EXPECT_OK(set_domain(set, PAPI_DOM_USER));
	EXPECT_OK(PAPI_add_named_event(set, work_event(WORK_B)));
	/* A domain of its own is nothing that perf events know. */
	EXPECT_ERROR(PAPI_EINVAL_DOM, "domain", set_domain(set, PAPI_DOM_OTHER));
	EXPECT_EQUAL(PAPI_DOM_USER, domain_of(set));
	expect_counting(set);
	work_discard(set);
}

static void granularities(void)
{
	static const int senseless[] = { 0, -1, 3, 0x20, PAPI_GRN_THR | PAPI_GRN_SYS };
	int set = work_set(work_event(WORK_B), NULL, NULL);

	EXPECT_EQUAL(PAPI_GRN_THR, granularity_of(set));
	for (size_t i = 0; i < COUNT_OF(senseless); i++)
		EXPECT_ERROR(PAPI_EINVAL, "granularities", set_granularity(set, senseless[i]));
	EXPECT_ERROR(PAPI_ECMP, "PAPI_INHERIT", set_granularity(set, PAPI_GRN_PROC));
	EXPECT_ERROR(PAPI_ECMP, "threads, CPUs or the system", set_granularity(set, PAPI_GRN_PROCG));
	EXPECT_EQUAL(PAPI_GRN_THR, granularity_of(set));
	expect_counting(set);
	EXPECT_OK(PAPI_cleanup_eventset(set));
	EXPECT_OK(set_granularity(set, PAPI_GRN_SYS_CPU));
	EXPECT_EQUAL(PAPI_GRN_SYS_CPU, granularity_of(set));
	EXPECT_OK(set_granularity(set, PAPI_GRN_THR));
	work_discard(set);
}

static void inheriting(void)
{
	int set = work_set(work_event(WORK_B), NULL, NULL);

	EXPECT_EQUAL(PAPI_INHERIT_NONE, inherit_of(set));
	EXPECT_OK(set_inherit(set, PAPI_INHERIT_ALL));
	EXPECT_EQUAL(PAPI_INHERIT_ALL, inherit_of(set));
	expect_counting(set);
	EXPECT_ERROR(PAPI_EINVAL, "not 2", set_inherit(set, 2));
	EXPECT_ERROR(PAPI_EINVAL, "not -1", set_inherit(set, -1));
	EXPECT_EQUAL(PAPI_INHERIT_ALL, inherit_of(set));
	EXPECT_OK(set_inherit(set, PAPI_INHERIT_NONE));
	EXPECT_EQUAL(PAPI_INHERIT_NONE, inherit_of(set));
	expect_counting(set);
	work_discard(set);
}

/* The Fortran routine sets the default, which C has no name for. */
void papif_set_inherit_(const int *inherit, int *check);

static int set_default_inherit(int inherit)
{
	int check = 1;

	papif_set_inherit_(&inherit, &check);
	return check;
}

static void inheriting_by_default(void)
{
	int set = work_set(work_event(WORK_B), NULL, NULL), later;

	EXPECT_ERROR(PAPI_EINVAL, "not 2", set_default_inherit(2));
	EXPECT_OK(set_default_inherit(PAPI_INHERIT_ALL));
	EXPECT_EQUAL(PAPI_INHERIT_NONE, inherit_of(set));
	later = work_set(work_event(WORK_B), NULL, NULL);
	EXPECT_EQUAL(PAPI_INHERIT_ALL, inherit_of(later));
	expect_counting(later);
	EXPECT_OK(set_default_inherit(PAPI_INHERIT_NONE));
	EXPECT_EQUAL(PAPI_INHERIT_ALL, inherit_of(later));
	work_discard(later);
	work_discard(set);
}

static void multiplexing(void)
{
	int set = work_set(work_event(WORK_B), NULL, NULL);
	PAPI_option_t option = { .multiplex = { .eventset = set, .ns = -1, .flags = -1 } };

	EXPECT_EQUAL(0, PAPI_get_multiplex(set));
	EXPECT_EQUAL(0, PAPI_get_opt(PAPI_MULTIPLEX, &option));
	EXPECT_OK(PAPI_multiplex_init());
	option.multiplex.flags = PAPI_MULTIPLEX_DEFAULT;
	EXPECT_OK(PAPI_set_opt(PAPI_MULTIPLEX, &option));
	EXPECT(PAPI_get_multiplex(set) > 0);
	option.multiplex.ns = -1;
	EXPECT_EQUAL(1, PAPI_get_opt(PAPI_MULTIPLEX, &option));
	EXPECT(option.multiplex.ns > 0);
	EXPECT_EQUAL(PAPI_STOPPED | PAPI_MULTIPLEXING, state_of(set));
	EXPECT_ERROR(PAPI_EINVAL, "multiplexed already", PAPI_set_multiplex(set));
	expect_counting(set);
	work_discard(set);
}

static void attaching(void)
{
	unsigned long self = (unsigned long)getpid(), parent = (unsigned long)getppid();
	int set = work_set(NULL, NULL, NULL);

	EXPECT_EQUAL(0, (long long)attached_to(set));
	EXPECT_OK(PAPI_attach(set, parent));
	EXPECT_EQUAL((long long)parent, (long long)attached_to(set));
	EXPECT_EQUAL(PAPI_STOPPED | PAPI_ATTACHED, state_of(set));
	EXPECT_OK(PAPI_set_opt(PAPI_ATTACH, OPTION(attach, .eventset = set, .tid = self)));
	EXPECT_EQUAL((long long)self, (long long)attached_to(set));
	EXPECT_OK(PAPI_add_named_event(set, work_event(WORK_B)));
	expect_counting(set);
	EXPECT_OK(PAPI_set_opt(PAPI_DETACH, OPTION(attach, .eventset = set)));
	EXPECT_EQUAL(0, (long long)attached_to(set));
	EXPECT_EQUAL(PAPI_STOPPED, state_of(set));
	EXPECT_ERROR(PAPI_EINVAL, "not attached", PAPI_detach(set));
	EXPECT_ERROR(PAPI_EINVAL, "no number of a process", PAPI_attach(set, 0));
	EXPECT_ERROR(PAPI_EINVAL, "no number of a process", PAPI_attach(set, 1ul << 40));
	EXPECT_ERROR(PAPI_EINVAL, "no number of a process", PAPI_attach(set, (unsigned long)-1));
	/* Larger than any number the kernel gives. */
	EXPECT_ERROR(PAPI_EINVAL, "there is no process or thread 2147483647", PAPI_attach(set, 2147483647));
	expect_counting(set);
	work_discard(set);
}

/* Numbers of CPUs that no machine has, on a set with and without events. */
static void cpus_that_do_not_exist(void)
{
	static const unsigned cpus[] = { 100000, 0x7fffffff, 0x80000000, 0xffffffff };
	int set = work_set(work_event(WORK_B), NULL, NULL), empty = work_set(NULL, NULL, NULL);

	for (size_t i = 0; i < COUNT_OF(cpus); i++) {
		PAPI_option_t option = { .cpu = { .eventset = set, .cpu_num = cpus[i] } };
		int status = PAPI_set_opt(PAPI_CPU_ATTACH, &option);

		/* Who may not count CPUs at all is not told which there are. */
		EXPECT(status == PAPI_EINVAL || (status == PAPI_EPERM && geteuid() != 0));
		EXPECT_EQUAL(0, PAPI_get_opt(PAPI_CPU_ATTACH, &option));
		EXPECT_EQUAL(PAPI_STOPPED, state_of(set));
		option.cpu = (PAPI_cpu_option_t){ .eventset = empty, .cpu_num = cpus[i] };
		EXPECT_ERROR(PAPI_EINVAL, "CPU", PAPI_set_opt(PAPI_CPU_ATTACH, &option));
		EXPECT_EQUAL(PAPI_STOPPED, state_of(empty));
	}
	expect_counting(set);
	work_discard(set);
	work_discard(empty);
}

/* rusage counts the calling thread and nothing else; where it is in the set, so does the set. */
static void what_a_component_cannot_do(void)
{
	int set = work_set(work_event(WORK_B), "rusage:::nvcsw", NULL), software, status;

	EXPECT_ERROR(PAPI_ECMP, "rusage", PAPI_attach(set, (unsigned long)getpid()));
	EXPECT_ERROR(PAPI_ECMP, "rusage", set_inherit(set, PAPI_INHERIT_ALL));
	/* Who may not count CPUs at all is told that first. Of a breakpoint, who has them all. */
	software = work_set("perf::TASK-CLOCK", "rusage:::nvcsw", NULL);
	status = set_granularity(software, PAPI_GRN_SYS);
	EXPECT(status == PAPI_ECMP || (status == PAPI_EPERM && geteuid() != 0));
	EXPECT_EQUAL(PAPI_GRN_THR, granularity_of(software));
	work_discard(software);
	EXPECT_EQUAL(0, (long long)attached_to(set));
	EXPECT_EQUAL(PAPI_INHERIT_NONE, inherit_of(set));
	EXPECT_EQUAL(PAPI_GRN_THR, granularity_of(set));
	EXPECT_EQUAL(PAPI_STOPPED, state_of(set));
	expect_counting(set);
	work_discard(set);
	/* The other way round: options first, and then an event whose component cannot. */
	set = work_set(work_event(WORK_B), NULL, NULL);
	EXPECT_OK(set_inherit(set, PAPI_INHERIT_ALL));
	EXPECT_ERROR(PAPI_ECMP, "rusage", PAPI_add_named_event(set, "rusage:::nvcsw"));
	EXPECT_EQUAL(1, PAPI_num_events(set));
	expect_counting(set);
	work_discard(set);
}

/* A running set keeps its options, and its counts. */
static void while_running(void)
{
	int set = work_set(work_event(WORK_A), work_event(WORK_B), NULL);
	long long values[2];

	EXPECT_OK(PAPI_start(set));
	work_events(10);
	EXPECT_ERROR(PAPI_EISRUN, "stop it", set_domain(set, PAPI_DOM_ALL));
	EXPECT_ERROR(PAPI_EISRUN, "stop it", set_granularity(set, PAPI_GRN_SYS));
	EXPECT_ERROR(PAPI_EISRUN, "stop it", set_inherit(set, PAPI_INHERIT_ALL));
	EXPECT_ERROR(PAPI_EISRUN, "stop it", PAPI_attach(set, (unsigned long)getppid()));
	EXPECT_ERROR(PAPI_EISRUN, "stop it", PAPI_set_multiplex(set));
	EXPECT_ERROR(PAPI_EISRUN, "stop it", PAPI_set_opt(PAPI_CPU_ATTACH, OPTION(cpu, .eventset = set, .cpu_num = 0)));
	work_events(10);
	EXPECT_EQUAL(PAPI_RUNNING, state_of(set));
	work_stop_values(set, values, COUNT_OF(values));
	EXPECT_EQUAL(20, values[1]);
	EXPECT_EQUAL(PAPI_DOM_USER, domain_of(set));
	EXPECT_EQUAL(PAPI_GRN_THR, granularity_of(set));
	EXPECT_EQUAL(PAPI_INHERIT_NONE, inherit_of(set));
	EXPECT_EQUAL(0, PAPI_get_multiplex(set));
	work_discard(set);
}

/* What cannot be both. */
static void that_exclude_each_other(void)
{
	int set = work_set(work_event(WORK_B), NULL, NULL);
	PAPI_option_t cpu = { .cpu = { .eventset = set, .cpu_num = 0 } };

	EXPECT_OK(PAPI_attach(set, (unsigned long)getpid()));
	EXPECT_ERROR(PAPI_ECOMBO, "not to both", PAPI_set_opt(PAPI_CPU_ATTACH, &cpu));
	EXPECT_ERROR(PAPI_ECOMBO, "not both", set_granularity(set, PAPI_GRN_SYS));
	EXPECT_EQUAL((long long)getpid(), (long long)attached_to(set));
	EXPECT_EQUAL(0, PAPI_get_opt(PAPI_CPU_ATTACH, &cpu));
	expect_counting(set);
	work_discard(set);
}

/* Options outlive the events, and hold for those that come later. */
static void stay_with_the_set(void)
{
	int set = work_set(work_event(WORK_B), NULL, NULL);

	EXPECT_OK(set_inherit(set, PAPI_INHERIT_ALL));
	EXPECT_OK(PAPI_attach(set, (unsigned long)getpid()));
	EXPECT_OK(PAPI_cleanup_eventset(set));
	EXPECT_EQUAL(PAPI_INHERIT_ALL, inherit_of(set));
	EXPECT_EQUAL((long long)getpid(), (long long)attached_to(set));
	EXPECT_OK(PAPI_add_named_event(set, work_event(WORK_B)));
	expect_counting(set);
	EXPECT_OK(PAPI_remove_named_event(set, work_event(WORK_B)));
	EXPECT_EQUAL(PAPI_INHERIT_ALL, inherit_of(set));
	work_discard(set);
}

int main(void)
{
	static const struct test tests[] = {
		{ "domains", domains },
		{ "granularities", granularities },
		{ "inheriting", inheriting },
		{ "inheriting by default", inheriting_by_default },
		{ "multiplexing", multiplexing },
		{ "attaching", attaching },
		{ "CPUs that do not exist", cpus_that_do_not_exist },
		{ "what a component cannot do", what_a_component_cannot_do },
		{ "while running", while_running },
		{ "that exclude each other", that_exclude_each_other },
		{ "stay with the set", stay_with_the_set },
	};

	work_begin();
	work_need_breakpoints();
	return work_end(check_run(tests, COUNT_OF(tests)));
}
