/* SPDX-License-Identifier: BSD-3-Clause */
/* Domains: faults of the program, and faults that the kernel takes in its name when it fills fresh pages. */
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "check.h"
#include "work.h"

#define USER_FAULTS   30
#define KERNEL_FAULTS 50
#define ROUNDS        20

static int zeros; /* /dev/zero */

static int set_domain(int set, int domain)
{
	PAPI_option_t option = { .domain = { .eventset = set, .domain = domain } };

	return PAPI_set_opt(PAPI_DOMAIN, &option);
}

/* Touches some pages, has read(2) fill others, and counts all of that. */
static void count(int set, long long values[])
{
	size_t n = (size_t)PAPI_num_events(set);
	char *touched = work_pages(USER_FAULTS), *filled = work_pages(KERNEL_FAULTS);

	EXPECT_OK(PAPI_start(set));
	work_touch(touched, USER_FAULTS);
	REQUIRE(read(zeros, filled, work_bytes(KERNEL_FAULTS)) == (ssize_t)work_bytes(KERNEL_FAULTS));
	work_stop_values(set, values, n);
	work_unmap(touched, USER_FAULTS);
	work_unmap(filled, KERNEL_FAULTS);
}

/* A set in a domain; false, with the test skipped, when that is not permitted. */
static bool set_in(int domain, const char *name, int *set)
{
	*set = work_set(name, NULL, NULL);
	if (set_domain(*set, domain) == PAPI_EPERM) {
		check_skip("%s", PAPI_error_detail());
		work_discard(*set);
		return false;
	}
	return true;
}

static void expect_faults(int domain, const char *name, long long expected)
{
	long long value;
	int set;

	if (!set_in(domain, name, &set))
		return;
	for (int round = 0; round < ROUNDS; round++) {
		count(set, &value);
		EXPECT(round == 0 || value == expected);
	}
	EXPECT_EQUAL(expected, value);
	work_discard(set);
}

static void user(void)
{
	expect_faults(PAPI_DOM_USER, "perf::PAGE-FAULTS", USER_FAULTS);
	expect_faults(PAPI_DOM_USER | PAPI_DOM_SUPERVISOR, "perf::PAGE-FAULTS", USER_FAULTS);
	expect_faults(PAPI_DOM_USER | PAPI_DOM_OTHER, "perf::PAGE-FAULTS", USER_FAULTS);
}

static void kernel(void)
{
	expect_faults(PAPI_DOM_KERNEL, "perf::PAGE-FAULTS", KERNEL_FAULTS);
}

static void both(void)
{
	expect_faults(PAPI_DOM_USER | PAPI_DOM_KERNEL, "perf::PAGE-FAULTS", USER_FAULTS + KERNEL_FAULTS);
	expect_faults(PAPI_DOM_ALL, "perf::MINOR-FAULTS", USER_FAULTS + KERNEL_FAULTS);
}

/* A name may say in which modes it counts; then the domain does not. */
static void modes_of_a_name(void)
{
	int set = work_set("perf::PAGE-FAULTS:u", "perf::PAGE-FAULTS", NULL);
	long long values[4];

	if (PAPI_add_named_event(set, "perf::PAGE-FAULTS:k") == PAPI_EPERM) {
		check_skip("%s", PAPI_error_detail());
		work_discard(set);
		return;
	}
	EXPECT_OK(PAPI_add_named_event(set, "perf::PAGE-FAULTS:u:k"));
	count(set, values);
	count(set, values);
	EXPECT_EQUAL(USER_FAULTS, values[0]);
	EXPECT_EQUAL(USER_FAULTS, values[1]);
	EXPECT_EQUAL(KERNEL_FAULTS, values[2]);
	EXPECT_EQUAL(USER_FAULTS + KERNEL_FAULTS, values[3]);
	EXPECT_OK(set_domain(set, PAPI_DOM_KERNEL));
	count(set, values);
	EXPECT_EQUAL(USER_FAULTS, values[0]);
	EXPECT_EQUAL(KERNEL_FAULTS, values[1]);
	EXPECT_EQUAL(KERNEL_FAULTS, values[2]);
	EXPECT_EQUAL(USER_FAULTS + KERNEL_FAULTS, values[3]);
	work_discard(set);
}

/* rusage knows no domains: all modes together, in every one. */
static void without_domains(void)
{
	static const int domains[] = { PAPI_DOM_USER, PAPI_DOM_KERNEL, PAPI_DOM_ALL };
	int set = work_set("rusage:::minflt", NULL, NULL);
	long long value;

	for (size_t i = 0; i < COUNT_OF(domains); i++) {
		EXPECT_OK(set_domain(set, domains[i]));
		count(set, &value);
		count(set, &value);
		EXPECT_EQUAL(USER_FAULTS + KERNEL_FAULTS, value);
	}
	work_discard(set);
}

/* A new set counts in the default domain of the moment it was made. */
static void default_domain(void)
{
	long long value;
	int set = PAPI_NULL, status;

	EXPECT_OK(PAPI_set_domain(PAPI_DOM_KERNEL));
	EXPECT_OK(PAPI_create_eventset(&set));
	EXPECT_OK(PAPI_set_domain(PAPI_DOM_USER));
	status = PAPI_add_named_event(set, "perf::PAGE-FAULTS");
	if (status == PAPI_EPERM) {
		check_skip("%s", PAPI_error_detail());
	} else if (EXPECT_OK(status)) {
		count(set, &value);
		count(set, &value);
		EXPECT_EQUAL(KERNEL_FAULTS, value);
	}
	work_discard(set);
}

/* Context switches happen in the kernel by nature, clocks run in every mode: any domain counts them. */
static void in_any_domain(void)
{
	static const int domains[] = { PAPI_DOM_USER, PAPI_DOM_KERNEL, PAPI_DOM_ALL };

	for (size_t i = 0; i < COUNT_OF(domains); i++) {
		long long values[2];
		int set;

		if (!set_in(domains[i], "perf::TASK-CLOCK", &set))
			return;
		if (PAPI_add_named_event(set, "perf::CONTEXT-SWITCHES") == PAPI_EPERM) {
			check_skip("%s", PAPI_error_detail());
			work_discard(set);
			return;
		}
		EXPECT_OK(PAPI_start(set));
		usleep(1000);
		work_stop_values(set, values, COUNT_OF(values));
		EXPECT(values[0] > 0);
		EXPECT(values[1] >= 1);
		work_discard(set);
	}
}

static int paranoid_level(void)
{
	FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "r");
	char line[16] = "";

	if (!file)
		return 2;
	if (!fgets(line, sizeof(line), file))
		line[0] = '\0';
	fclose(file);
	return atoi(line);
}

/* In a child that has given up its rights: the user of this process afterwards is nobody. */
static void as_nobody(void)
{
	int level = paranoid_level(), set = work_set(NULL, NULL, NULL);
	long long value;

	REQUIRE(setgroups(0, NULL) == 0 && setresgid(65534, 65534, 65534) == 0 && setresuid(65534, 65534, 65534) == 0);
	/* What the kernel lets others look at does not depend on rights that are gone. */
	REQUIRE(prctl(PR_SET_DUMPABLE, 1) == 0);
	if (level > 2) {
		EXPECT_ERROR(PAPI_EPERM, "perf_event_paranoid", PAPI_add_named_event(set, "perf::PAGE-FAULTS"));
	} else {
		EXPECT_OK(PAPI_add_named_event(set, "perf::PAGE-FAULTS"));
		count(set, &value);
		count(set, &value);
		EXPECT_EQUAL(USER_FAULTS, value);
		if (level > 1) {
			EXPECT_ERROR(PAPI_EPERM, "perf_event_paranoid", set_domain(set, PAPI_DOM_KERNEL));
			EXPECT_ERROR(PAPI_EPERM, "PAPI_DOM_USER", set_domain(set, PAPI_DOM_ALL));
		}
		/* As it was, and counting. */
		count(set, &value);
		EXPECT_EQUAL(USER_FAULTS, value);
		/* Somebody else's process: that of the parent. */
		EXPECT_ERROR(PAPI_EPERM, "belongs to somebody else", PAPI_attach(set, (unsigned long)getppid()));
		count(set, &value);
		EXPECT_EQUAL(USER_FAULTS, value);
	}
}

static void without_rights(void)
{
	if (geteuid() != 0)
		check_skip("only root can give up the rights of root");
	else
		EXPECT_EQUAL(0, work_in_process(as_nobody));
}

int main(void)
{
	static const struct test tests[] = {
		{ "user", user },
		{ "kernel", kernel },
		{ "both", both },
		{ "modes of a name", modes_of_a_name },
		{ "without domains", without_domains },
		{ "default domain", default_domain },
		{ "in any domain", in_any_domain },
		{ "without rights", without_rights },
	};
	int status;

	work_begin();
	zeros = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	REQUIRE(zeros >= 0);
	status = check_run(tests, COUNT_OF(tests));
	close(zeros);
	return work_end(status);
}
