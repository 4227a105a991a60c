/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * perf_event_open(2) refused by a seccomp filter, as containers do: the reason is told, and what does not need the
 * system call works. A filter stays for good, so every test is a child process; main() does not initialise the library.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"
#include "work.h"

static bool refuse(int error)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = COUNT_OF(filter), .filter = filter };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

enum { UNTESTED = 77 };

static void in_child(void (*test)(void))
{
	int status = work_in_process(test);

	if (status == UNTESTED)
		check_skip("no seccomp filter can be set here, or there are no breakpoints");
	else
		EXPECT_EQUAL(0, status);
}

static void initialise(void)
{
	REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
}

static void expect_rusage_counting(void)
{
	int set = work_set("rusage:::minflt", "rusage:::realtime", NULL);
	char *pages = work_pages(60);
	long long values[2];

	EXPECT_OK(PAPI_start(set));
	work_stop_values(set, values, COUNT_OF(values));
	EXPECT_OK(PAPI_start(set));
	work_touch(pages, 60);
	work_stop_values(set, values, COUNT_OF(values));
	EXPECT(work_exact_faults() ? values[0] == 60 : values[0] >= 60);
	EXPECT(values[1] > 0);
	work_unmap(pages, 60);
	work_discard(set);
}

static bool virtual_pmu_counts(void)
{
	const PAPI_component_info_t *info = PAPI_get_component_info(PAPI_get_component_index("vpmu"));

	return info && !info->disabled;
}

static void expect_disabled(const char *words)
{
	const PAPI_component_info_t *info = PAPI_get_component_info(0);
	int set = PAPI_NULL, code = PAPI_NATIVE_MASK, n = 0, rusage = PAPI_get_component_index("rusage");

	REQUIRE(info != NULL);
	EXPECT(info->disabled == PAPI_EPERM || info->disabled == PAPI_ECMP_DISABLED);
	EXPECT(strstr(info->disabled_reason, words) != NULL);
	EXPECT_EQUAL(0, info->initialized);
	/* A preset is no event of a component: it can be counted where the virtual PMU can. */
	EXPECT_EQUAL(virtual_pmu_counts(), PAPI_num_hwctrs() > 0);
	EXPECT_EQUAL(virtual_pmu_counts(), info->num_preset_events > 0);
	EXPECT_ERROR(PAPI_ECMP_DISABLED, words, PAPI_event_name_to_code("perf::PAGE-FAULTS", &code));
	EXPECT_ERROR(PAPI_ECMP_DISABLED, words, PAPI_query_named_event("mem:0x1000/8:w"));
	EXPECT_OK(PAPI_create_eventset(&set));
	EXPECT_ERROR(PAPI_ECMP_DISABLED, words, PAPI_add_named_event(set, "perf::PAGE-FAULTS"));
	if (virtual_pmu_counts())
		EXPECT_OK(PAPI_assign_eventset_component(set, 0));
	else
		EXPECT_ERROR(PAPI_ECMP_DISABLED, words, PAPI_assign_eventset_component(set, 0));
	EXPECT_EQUAL(virtual_pmu_counts(), PAPI_query_event(PAPI_TOT_CYC) == PAPI_OK);
	EXPECT_EQUAL(virtual_pmu_counts(), PAPI_add_event(set, PAPI_TOT_CYC) == PAPI_OK);
	EXPECT_OK(PAPI_cleanup_eventset(set));
	/* Listings show what can be counted. */
	code = PAPI_NATIVE_MASK;
	EXPECT_ERROR(PAPI_ECMP_DISABLED, words, PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, 0));
	for (int status = PAPI_enum_event(&code, PAPI_ENUM_FIRST); status == PAPI_OK;
		status = PAPI_enum_event(&code, PAPI_ENUM_EVENTS)) {
		EXPECT(PAPI_get_event_component(code) != 0);
		n += PAPI_get_event_component(code) == rusage;
	}
	EXPECT_EQUAL(PAPI_get_component_info(rusage)->num_native_events, n);
	expect_rusage_counting();
	work_discard(set);
	EXPECT(PAPI_get_hardware_info() != NULL);
	EXPECT(PAPI_get_real_nsec() > 0);
}

static void before_init_with(int error)
{
	if (!refuse(error))
		_exit(UNTESTED);
	initialise();
	expect_disabled("seccomp");
	PAPI_shutdown();
	initialise();
	expect_disabled("seccomp");
	PAPI_shutdown();
}

static void eacces(void)
{
	before_init_with(EACCES);
}

static void eperm(void)
{
	before_init_with(EPERM);
}

static void enosys(void)
{
	before_init_with(ENOSYS);
}

static void before_init(void)
{
	in_child(eacces);
	in_child(eperm);
	in_child(enosys);
}

static int mixed_set;

static void *start_elsewhere(void *unused)
{
	(void)unused;
	EXPECT_ERROR(PAPI_EPERM, "seccomp", PAPI_start(mixed_set));
	return NULL;
}

static void while_running(void)
{
	static struct work_cell cell;
	int set, other, state;
	char name[WORK_NAME];
	long long values[2];

	initialise();
	if (!work_has_breakpoints())
		_exit(UNTESTED);
	work_name(name, &cell, "/8:w");
	set = work_set(name, NULL, NULL);
	mixed_set = work_set("perf::TASK-CLOCK", "rusage:::utime", NULL);
	other = work_set("rusage:::minflt", NULL, NULL);
	EXPECT_OK(PAPI_start(set));
	work_store(&cell, 10);
	if (!refuse(EPERM))
		_exit(UNTESTED);
	/* What is open stays open. */
	work_store(&cell, 10);
	EXPECT_EQUAL(20, work_stop(set));
	EXPECT_OK(PAPI_start(set));
	work_store(&cell, 5);
	EXPECT_EQUAL(5, work_stop(set));
	/* What would have to be opened is refused: another event, another thread. */
	EXPECT_ERROR(PAPI_EPERM, "seccomp", PAPI_add_named_event(set, "perf::PAGE-FAULTS"));
	EXPECT_ERROR(PAPI_EPERM, "perf::PAGE-FAULTS", PAPI_add_named_event(other, "perf::PAGE-FAULTS"));
	EXPECT_ERROR(PAPI_EPERM, "seccomp", PAPI_add_named_event(other, "perf::CPU-CLOCK"));
	EXPECT_EQUAL(1, PAPI_num_events(set));
	EXPECT_EQUAL(1, PAPI_num_events(other));
	EXPECT_OK(PAPI_start(set));
	work_store(&cell, 7);
	EXPECT_EQUAL(7, work_stop(set));
	work_in_thread(start_elsewhere, NULL);
	EXPECT_OK(PAPI_state(mixed_set, &state));
	EXPECT_EQUAL(PAPI_STOPPED, state);
	EXPECT_OK(PAPI_remove_named_event(mixed_set, "perf::TASK-CLOCK"));
	EXPECT_OK(PAPI_start(mixed_set));
	work_stop_values(mixed_set, values, COUNT_OF(values));
	work_discard(mixed_set);
	work_discard(set);
	work_discard(other);
	expect_rusage_counting();
	PAPI_shutdown();
}

static void after_init(void)
{
	in_child(while_running);
}

/* With the rights of root perf_event_paranoid forbids nothing: it is not the reason, whatever its level. */
static void events_in_the_kernel(void)
{
	int set;

	initialise();
	set = work_set(NULL, NULL, NULL);
	if (!refuse(EPERM))
		_exit(UNTESTED);
	EXPECT_ERROR(PAPI_EPERM, "seccomp", PAPI_add_named_event(set, "perf::CONTEXT-SWITCHES"));
	EXPECT_ERROR(PAPI_EPERM, "seccomp", PAPI_add_named_event(set, "perf::PAGE-FAULTS:k"));
	PAPI_shutdown();
}

static void the_right_reason(void)
{
	if (geteuid() != 0)
		check_skip("only for root is it known what the reason is");
	else
		in_child(events_in_the_kernel);
}

static void disabled_by_hand(void)
{
	EXPECT_OK(PAPI_disable_component_by_name("perf_event"));
	initialise();
	expect_disabled("PAPI_disable_component");
	/* For this once. */
	PAPI_shutdown();
	initialise();
	EXPECT_OK(PAPI_get_component_info(0)->disabled);
	EXPECT_ERROR(PAPI_ENOINIT, "before PAPI_library_init", PAPI_disable_component(0));
	PAPI_shutdown();
	EXPECT_ERROR(PAPI_ENOCMP, "component", PAPI_disable_component(99));
	EXPECT_ERROR(PAPI_ENOCMP, "nosuch", PAPI_disable_component_by_name("nosuch"));
	EXPECT_OK(PAPI_disable_component(0));
	initialise();
	expect_disabled("PAPI_disable_component");
	PAPI_shutdown();
}

static void by_the_program(void)
{
	in_child(disabled_by_hand);
}

int main(void)
{
	static const struct test tests[] = {
		{ "before PAPI_library_init", before_init },
		{ "after PAPI_library_init", after_init },
		{ "the right reason", the_right_reason },
		{ "by the program", by_the_program },
	};

	int status = work_in_process(work_begin);

	/* A machine that refuses anyway has nothing to show. */
	if (status)
		return status;
	return check_run(tests, COUNT_OF(tests));
}
