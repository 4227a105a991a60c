/* SPDX-License-Identifier: BSD-3-Clause */
/* More events than there is room for: file descriptors, hardware breakpoints, EventSets. */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "check.h"
#include "work.h"

/* Many names of one event: they differ by the case of letters. */
static void name_of_fault(char name[32], int i)
{
	snprintf(name, 32, "perf::page-faults");
	for (int bit = 0; bit < 4; bit++)
		if (i >> bit & 1)
			name[6 + bit] = (char)(name[6 + bit] - 'a' + 'A');
}

static struct rlimit usual;

/* Room for so many more descriptors, or for fewer than are open: main() has seen to it that no lower ones are free. */
static void leave_room_for(int room)
{
	struct rlimit limit = usual;

	limit.rlim_cur = (rlim_t)(work_descriptors() + room);
	REQUIRE(setrlimit(RLIMIT_NOFILE, &limit) == 0);
}

static void as_much_room_as_usual(void)
{
	REQUIRE(setrlimit(RLIMIT_NOFILE, &usual) == 0);
}

/* All names are known before, since looking for them opens files, too. */
static void know_names(void)
{
	char name[32];
	int code;

	for (int i = 0; i < 16; i++) {
		name_of_fault(name, i);
		REQUIRE_OK(PAPI_event_name_to_code(name, &code));
	}
}

static void count_exactly(int set, int n)
{
	long long values[16];

	for (int round = 0; round < 2; round++) {
		EXPECT_OK(PAPI_start(set));
		work_events(100);
		work_stop_values(set, values, COUNT_OF(values));
	}
	for (int i = 0; i < n; i++)
		EXPECT(work_exact_faults() ? values[i] == 100 : values[i] > 0);
}

static void descriptors(void)
{
	int before = work_descriptors(), set = work_set(NULL, NULL, NULL), added = 0;
	char name[32];

	know_names();
	leave_room_for(6);
	for (; added < 16; added++) {
		name_of_fault(name, added);
		if (PAPI_add_named_event(set, name) != PAPI_OK)
			break;
	}
	EXPECT_EQUAL(6, added);
	for (int again = 0; again < 3; again++)
		EXPECT_ERROR(PAPI_ESYS, "ulimit -n", PAPI_add_named_event(set, name));
	EXPECT_EQUAL(6, PAPI_num_events(set));
	/* What is in the set counts on, at the limit and beyond it. */
	count_exactly(set, 6);
	as_much_room_as_usual();
	EXPECT_EQUAL(before + 6, work_descriptors());
	count_exactly(set, 6);
	EXPECT_OK(PAPI_add_named_event(set, name));
	count_exactly(set, 7);
	work_discard(set);
	EXPECT_EQUAL(before, work_descriptors());
}

/* Several at once: those for which there was room. */
static void descriptors_for_some(void)
{
	int before = work_descriptors(), set = work_set(NULL, NULL, NULL), codes[10];
	char name[32];

	for (int i = 0; i < 10; i++) {
		name_of_fault(name, i);
		EXPECT_OK(PAPI_event_name_to_code(name, &codes[i]));
	}
	leave_room_for(4);
	EXPECT_ERROR(4, "ulimit -n", PAPI_add_events(set, codes, 10));
	EXPECT_EQUAL(4, PAPI_num_events(set));
	EXPECT_ERROR(PAPI_ESYS, "ulimit -n", PAPI_add_events(set, codes + 4, 6));
	count_exactly(set, 4);
	as_much_room_as_usual();
	work_discard(set);
	EXPECT_EQUAL(before, work_descriptors());
}

static void *start_elsewhere(void *argument)
{
	int set = *(int *)argument;

	/* The set has to be opened for this thread, and there is room for one of its three events. */
	leave_room_for(-2);
	EXPECT_ERROR(PAPI_ESYS, "ulimit -n", PAPI_start(set));
	EXPECT_ERROR(PAPI_ESYS, "ulimit -n", PAPI_start(set));
	as_much_room_as_usual();
	return NULL;
}

/* A set that could not be opened again has lost nothing but time: the next start tries again. */
static void descriptors_for_another_thread(void)
{
	int before = work_descriptors(), set = work_set("perf::PAGE-FAULTS", "perf::FAULTS", "perf::MINOR-FAULTS");

	work_in_thread(start_elsewhere, &set);
	EXPECT_EQUAL(3, PAPI_num_events(set));
	count_exactly(set, 3);
	work_discard(set);
	EXPECT_EQUAL(before, work_descriptors());
}

/* Taking out the leader of a group opens the group again, which must not need more descriptors than it had. */
static void removing_at_the_limit(void)
{
	int before = work_descriptors(), set = work_set("perf::PAGE-FAULTS", "perf::FAULTS", "perf::MINOR-FAULTS");

	leave_room_for(0);
	EXPECT_OK(PAPI_remove_named_event(set, "perf::PAGE-FAULTS"));
	count_exactly(set, 2);
	as_much_room_as_usual();
	work_discard(set);
	EXPECT_EQUAL(before, work_descriptors());
}

#define MOST_BREAKPOINTS 64

static struct work_cell cells[MOST_BREAKPOINTS];

/* The processor has a few registers for breakpoints (x86: four); one more is a conflict, and the others go on. */
static void breakpoints(void)
{
	int before = work_descriptors(), set = work_set(NULL, NULL, NULL), n = 0, status = PAPI_OK;
	long long values[MOST_BREAKPOINTS];
	char name[WORK_NAME];

	for (; n < MOST_BREAKPOINTS; n++) {
		work_name(name, &cells[n], "/8:w");
		check_plant();
		status = PAPI_add_named_event(set, name);
		if (status != PAPI_OK)
			break;
	}
	REQUIRE(n < MOST_BREAKPOINTS);
#if defined(__x86_64__)
	EXPECT_EQUAL(4, n);
#endif
	EXPECT_STATUS(PAPI_ECNFLCT, status);
	EXPECT(strstr(PAPI_error_detail(), "breakpoints are in use") != NULL);
	EXPECT(strstr(PAPI_error_detail(), name) != NULL);
	EXPECT_EQUAL(n, PAPI_num_events(set));
	EXPECT_EQUAL(before + n, work_descriptors());
	EXPECT_OK(PAPI_start(set));
	for (int i = 0; i <= n; i++)
		work_store(&cells[i], (unsigned long)i + 1);
	work_stop_values(set, values, COUNT_OF(values));
	for (int i = 0; i < n; i++)
		EXPECT_EQUAL(i + 1, values[i]);
	/* When one goes, there is room for another. */
	work_name(name, &cells[0], "/8:w");
	EXPECT_OK(PAPI_remove_named_event(set, name));
	work_name(name, &cells[n], "/8:w");
	EXPECT_OK(PAPI_add_named_event(set, name));
	EXPECT_OK(PAPI_start(set));
	work_store(&cells[n], 3);
	work_stop_values(set, values, COUNT_OF(values));
	EXPECT_EQUAL(3, values[n - 1]);
	work_discard(set);
	EXPECT_EQUAL(before, work_descriptors());
}

/* As many sets as there are handles, and what comes after is refused; none of them costs a descriptor while empty. */
static void sets(void)
{
	enum { MOST = 1 << 17 };
	static int handles[MOST];
	int n = 0, before = work_descriptors(), status = PAPI_OK;

	for (; n < MOST; n++) {
		handles[n] = PAPI_NULL;
		check_plant();
		status = PAPI_create_eventset(&handles[n]);
		if (status != PAPI_OK)
			break;
	}
	EXPECT_STATUS(PAPI_ECOUNT, status);
	EXPECT(strstr(PAPI_error_detail(), "destroy some") != NULL);
	EXPECT_EQUAL(PAPI_NULL, handles[n]);
	EXPECT_EQUAL(before, work_descriptors());
	EXPECT(n > 1000);
	for (int i = 0; i < n; i++)
		REQUIRE_OK(PAPI_destroy_eventset(&handles[i]));
	EXPECT_OK(PAPI_create_eventset(&handles[0]));
	EXPECT_OK(PAPI_destroy_eventset(&handles[0]));
}

int main(void)
{
	static const struct test tests[] = {
		{ "descriptors", descriptors },
		{ "descriptors for some", descriptors_for_some },
		{ "descriptors for another thread", descriptors_for_another_thread },
		{ "removing at the limit", removing_at_the_limit },
		{ "breakpoints", breakpoints },
		{ "sets", sets },
	};

	/* What a parent has left open. */
	for (int fd = 3; fd < 1024; fd++)
		close(fd);
	work_begin();
	work_need_breakpoints();
	REQUIRE(getrlimit(RLIMIT_NOFILE, &usual) == 0);
	return work_end(check_run(tests, COUNT_OF(tests)));
}
