/* SPDX-License-Identifier: BSD-3-Clause */
/* What is in an EventSet: adding, removing, listing, and that every event keeps its own count through all of it. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "work.h"

#define NOT_AN_EVENT ((int)PAPI_PRESET_MASK | 0x7f)

static int code_of(const char *name)
{
	int code = 0;

	REQUIRE_OK(PAPI_event_name_to_code(name, &code));
	return code;
}

static int empty_set(void)
{
	return work_set(NULL, NULL, NULL);
}

static void expect_list(int set, const int expected[], int n)
{
	int codes[16] = { 0 }, number = 16;

	EXPECT_EQUAL(n, PAPI_num_events(set));
	EXPECT_OK(PAPI_list_events(set, codes, &number));
	EXPECT_EQUAL(n, number);
	for (int i = 0; i < n; i++)
		EXPECT_EQUAL(expected[i], codes[i]);
}

static void listing(void)
{
	int set = empty_set(), number = 0, codes[3] = { -5, -5, -5 };
	int events[] = { code_of("perf::MAJOR-FAULTS"), code_of(work_event(WORK_B)), code_of("rusage:::utime") };

	expect_list(set, NULL, 0);
	for (int i = 0; i < 3; i++) {
		EXPECT_OK(PAPI_add_event(set, events[i]));
		expect_list(set, events, i + 1);
	}
	/* How many there are, without room for them. */
	EXPECT_OK(PAPI_list_events(set, NULL, &number));
	EXPECT_EQUAL(3, number);
	/* No more than there is room for. */
	number = 2;
	EXPECT_OK(PAPI_list_events(set, codes, &number));
	EXPECT_EQUAL(3, number);
	EXPECT_EQUAL(events[1], codes[1]);
	EXPECT_EQUAL(-5, codes[2]);
	work_discard(set);
}

static void adding_several(void)
{
	int set = empty_set();
	int events[] = { code_of("perf::MAJOR-FAULTS"), code_of("rusage:::nvcsw"), code_of("perf::TASK-CLOCK") };
	int broken[] = { code_of("perf::CPU-CLOCK"), code_of("rusage:::stime"), NOT_AN_EVENT,
		code_of("perf::MINOR-FAULTS") };

	EXPECT_OK(PAPI_add_events(set, events, 3));
	expect_list(set, events, 3);
	EXPECT_OK(PAPI_cleanup_eventset(set));
	/* Up to the one that fails; the detail speaks of it, and what came before stays. */
	EXPECT_ERROR(2, "preset", PAPI_add_events(set, broken, 4));
	expect_list(set, broken, 2);
	/* The first fails: nothing was added, and the code is its own. */
	EXPECT_ERROR(PAPI_ENOTPRESET, "preset", PAPI_add_events(set, broken + 2, 2));
	EXPECT_ERROR(PAPI_ECNFLCT, "already", PAPI_add_events(set, broken, 4));
	EXPECT_ERROR(PAPI_EINVAL, "array", PAPI_add_events(set, events, 0));
	EXPECT_ERROR(PAPI_EINVAL, "array", PAPI_add_events(set, events, -1));
	EXPECT_ERROR(PAPI_EINVAL, "array", PAPI_add_events(set, NULL, 3));
	expect_list(set, broken, 2);
	work_discard(set);
}

static void removing_several(void)
{
	int set = empty_set();
	int a = code_of("perf::MAJOR-FAULTS"), b = code_of("rusage:::nvcsw"), c = code_of("perf::TASK-CLOCK");
	int d = code_of("perf::CPU-CLOCK");

	EXPECT_OK(PAPI_add_events(set, (int[]){ a, b, c, d }, 4));
	EXPECT_ERROR(1, "not in the EventSet", PAPI_remove_events(set, (int[]){ b, b, a }, 3));
	expect_list(set, (int[]){ a, c, d }, 3);
	EXPECT_ERROR(PAPI_ENOEVNT, "not in the EventSet", PAPI_remove_events(set, (int[]){ b, a }, 2));
	expect_list(set, (int[]){ a, c, d }, 3);
	EXPECT_OK(PAPI_remove_events(set, (int[]){ d, a }, 2));
	expect_list(set, (int[]){ c }, 1);
	EXPECT_ERROR(PAPI_EINVAL, "array", PAPI_remove_events(set, NULL, 1));
	EXPECT_ERROR(PAPI_EINVAL, "array", PAPI_remove_events(set, &c, 0));
	EXPECT_OK(PAPI_remove_named_event(set, "perf::TASK-CLOCK"));
	EXPECT_ERROR(PAPI_ENOEVNT, "not in the EventSet", PAPI_remove_named_event(set, "perf::TASK-CLOCK"));
	EXPECT_ERROR(PAPI_ENOEVNT, "perf::NOTHING", PAPI_remove_named_event(set, "perf::NOTHING"));
	EXPECT_EQUAL(0, PAPI_num_events(set));
	work_discard(set);
}

static void an_event_only_once(void)
{
	int set = work_set(work_event(WORK_B), "perf::TASK-CLOCK", "rusage:::utime");
	int task_clock = code_of("perf::TASK-CLOCK");

	EXPECT_ERROR(PAPI_ECNFLCT, "perf::TASK-CLOCK is in the EventSet already", PAPI_add_event(set, task_clock));
	/* Another name of the same event. */
	EXPECT_EQUAL(task_clock, code_of("perf_event:::perf::TASK-CLOCK"));
	EXPECT_ERROR(PAPI_ECNFLCT, "already", PAPI_add_named_event(set, "perf_event:::perf::TASK-CLOCK"));
	EXPECT_ERROR(PAPI_ECNFLCT, "already", PAPI_add_named_event(set, "rusage:::utime"));
	EXPECT_EQUAL(3, PAPI_num_events(set));
	work_discard(set);
}

/*
 * Four events of known counts: variables of their own, so that the counts differ, and from one time to the next, so
 * that an old value is not taken for a new one. Whichever goes, the others keep theirs: the first is the leader of the
 * kernel's group.
 */
#define WATCHED 4

static struct work_cell watched[WATCHED];
static int times;

static long long expected_of(int which)
{
	return (which + 1) * 10 + times;
}

static void count_watched(int set, const int order[], int n)
{
	long long values[WATCHED];

	times = (times + 1) % 7;
	EXPECT_OK(PAPI_start(set));
	for (int i = 0; i < WATCHED; i++)
		work_store(&watched[i], (unsigned long)expected_of(i));
	work_stop_values(set, values, COUNT_OF(values));
	for (int i = 0; i < n; i++)
		EXPECT_EQUAL(expected_of(order[i]), values[i]);
}

static void take_out(int order[], int n, int position)
{
	for (int i = position; i < n - 1; i++)
		order[i] = order[i + 1];
}

static void add_watched(int set, int which)
{
	char name[WORK_NAME];

	work_name(name, &watched[which], "/8:w");
	EXPECT_OK(PAPI_add_named_event(set, name));
}

static void remove_watched(int set, int which)
{
	char name[WORK_NAME];

	work_name(name, &watched[which], "/8:w");
	EXPECT_OK(PAPI_remove_named_event(set, name));
}

static void counts_stay_right_when_events_go(void)
{
	for (int first = 0; first < WATCHED; first++) {
		for (int second = 0; second < WATCHED - 1; second++) {
			int set = empty_set(), order[WATCHED] = { 0, 1, 2, 3 };

			for (int i = 0; i < WATCHED; i++)
				add_watched(set, i);
			count_watched(set, order, WATCHED);
			remove_watched(set, order[first]);
			take_out(order, WATCHED, first);
			count_watched(set, order, WATCHED - 1);
			remove_watched(set, order[second]);
			take_out(order, WATCHED - 1, second);
			count_watched(set, order, WATCHED - 2);
			/* One that comes back comes last. */
			add_watched(set, first);
			order[WATCHED - 2] = first;
			count_watched(set, order, WATCHED - 1);
			work_discard(set);
		}
	}
}

/* A stopped set goes on showing its last values, without those of events that went, and zero for new ones. */
static void last_values_when_events_come_and_go(void)
{
	long long values[WATCHED];
	int set = empty_set();

	add_watched(set, 0);
	add_watched(set, 1);
	add_watched(set, 2);
	count_watched(set, (int[]){ 0, 1, 2 }, 3);
	remove_watched(set, 1);
	work_read_values(set, values, COUNT_OF(values));
	EXPECT_EQUAL(expected_of(0), values[0]);
	EXPECT_EQUAL(expected_of(2), values[1]);
	add_watched(set, 3);
	work_read_values(set, values, COUNT_OF(values));
	EXPECT_EQUAL(expected_of(0), values[0]);
	EXPECT_EQUAL(expected_of(2), values[1]);
	EXPECT_EQUAL(0, values[2]);
	remove_watched(set, 0);
	work_read_values(set, values, COUNT_OF(values));
	EXPECT_EQUAL(expected_of(2), values[0]);
	EXPECT_EQUAL(0, values[1]);
	work_discard(set);
}

/* A new event of the first component comes before those of the second in what is counted, not in the values. */
static void last_values_of_two_components(void)
{
	int set = work_set(NULL, NULL, NULL);
	long long values[3], again[3];

	add_watched(set, 2);
	EXPECT_OK(PAPI_add_named_event(set, "rusage:::realtime"));
	EXPECT_OK(PAPI_start(set));
	work_store(&watched[2], 30);
	work_stop_values(set, values, COUNT_OF(values));
	EXPECT_EQUAL(30, values[0]);
	EXPECT(values[1] > 0);
	add_watched(set, 3);
	work_read_values(set, again, COUNT_OF(again));
	EXPECT_EQUAL(30, again[0]);
	EXPECT_EQUAL(values[1], again[1]);
	EXPECT_EQUAL(0, again[2]);
	remove_watched(set, 2);
	work_read_values(set, again, COUNT_OF(again));
	EXPECT_EQUAL(values[1], again[0]);
	EXPECT_EQUAL(0, again[1]);
	work_discard(set);
}

/* Values that were written belong to their events. */
static void written_values_when_events_go(void)
{
	long long values[WATCHED] = { 100, 200, 300 };
	int set = empty_set();

	add_watched(set, 0);
	add_watched(set, 1);
	add_watched(set, 2);
	EXPECT_OK(PAPI_write(set, values));
	remove_watched(set, 0);
	work_read_values(set, values, COUNT_OF(values));
	EXPECT_EQUAL(200, values[0]);
	EXPECT_EQUAL(300, values[1]);
	add_watched(set, 3);
	work_read_values(set, values, COUNT_OF(values));
	EXPECT_EQUAL(300, values[1]);
	EXPECT_EQUAL(0, values[2]);
	work_discard(set);
}

/* One event under many names: the case of letters means nothing to it. All of them count the same. */
static void a_large_set(void)
{
	enum { LARGE = 64 };
	static const char *const name = "perf::page-faults";
	int set = empty_set();
	long long values[LARGE];

	if (!work_exact_faults()) {
		check_skip("a sanitizer has page faults of its own");
		work_discard(set);
		return;
	}
	for (int i = 0; i < LARGE; i++) {
		char variant[32];

		snprintf(variant, sizeof(variant), "%s", name);
		for (int bit = 0; bit < 4; bit++)
			variant[6 + bit] = (char)(i >> bit & 1 ? toupper(name[6 + bit]) : name[6 + bit]);
		for (int bit = 4; bit < 6; bit++)
			variant[7 + bit] = (char)(i >> bit & 1 ? toupper(name[7 + bit]) : name[7 + bit]);
		EXPECT_OK(PAPI_add_named_event(set, variant));
	}
	EXPECT_EQUAL(LARGE, PAPI_num_events(set));
	for (int round = 0; round < 5; round++) {
		EXPECT_OK(PAPI_start(set));
		work_events(100);
		work_stop_values(set, values, COUNT_OF(values));
		for (int i = 0; i < LARGE && round; i++)
			EXPECT_EQUAL(100, values[i]);
	}
	work_discard(set);
}

static void cleaning_up(void)
{
	int set = work_set(work_event(WORK_B), "rusage:::utime", NULL), state;
	PAPI_option_t option = { .domain = { .eventset = set, .domain = PAPI_DOM_USER | PAPI_DOM_SUPERVISOR } };

	EXPECT_OK(PAPI_set_opt(PAPI_DOMAIN, &option));
	EXPECT_OK(PAPI_cleanup_eventset(set));
	EXPECT_EQUAL(0, PAPI_num_events(set));
	EXPECT_OK(PAPI_cleanup_eventset(set));
	EXPECT_ERROR(PAPI_EINVAL, "empty", PAPI_start(set));
	/* Options stay, and the set can be filled again. */
	option.domain.domain = 0;
	EXPECT_OK(PAPI_get_opt(PAPI_DOMAIN, &option));
	EXPECT_EQUAL(PAPI_DOM_USER | PAPI_DOM_SUPERVISOR, option.domain.domain);
	EXPECT_OK(PAPI_add_named_event(set, work_event(WORK_B)));
	EXPECT_OK(PAPI_start(set));
	work_events(5);
	EXPECT_EQUAL(5, work_stop(set));
	EXPECT_OK(PAPI_state(set, &state));
	EXPECT_EQUAL(PAPI_STOPPED, state);
	work_discard(set);
}

static void destroying(void)
{
	int set = work_set(work_event(WORK_B), NULL, NULL), same = set;

	EXPECT_ERROR(PAPI_EINVAL, "holds 1 event", PAPI_destroy_eventset(&set));
	EXPECT_EQUAL(same, set);
	EXPECT_OK(PAPI_start(set));
	EXPECT_ERROR(PAPI_EISRUN, "stop it", PAPI_destroy_eventset(&set));
	EXPECT_ERROR(PAPI_EISRUN, "stop it", PAPI_cleanup_eventset(set));
	EXPECT_EQUAL(same, set);
	EXPECT_OK(PAPI_stop(set, NULL));
	EXPECT_OK(PAPI_cleanup_eventset(set));
	EXPECT_OK(PAPI_destroy_eventset(&set));
	EXPECT_EQUAL(PAPI_NULL, set);
	EXPECT_ERROR(PAPI_ENOEVST, "PAPI_NULL", PAPI_destroy_eventset(&set));
	/* A handle that holds something is not overwritten. */
	set = empty_set();
	same = set;
	EXPECT_ERROR(PAPI_EINVAL, "PAPI_NULL", PAPI_create_eventset(&set));
	EXPECT_EQUAL(same, set);
	EXPECT_OK(PAPI_destroy_eventset(&set));
}

static void states(void)
{
	int set = empty_set(), state = -1;

	EXPECT_OK(PAPI_state(set, &state));
	EXPECT_EQUAL(PAPI_STOPPED, state);
	EXPECT_OK(PAPI_add_named_event(set, "perf::TASK-CLOCK"));
	EXPECT_OK(PAPI_set_multiplex(set));
	EXPECT_OK(PAPI_state(set, &state));
	EXPECT_EQUAL(PAPI_STOPPED | PAPI_MULTIPLEXING, state);
	EXPECT_OK(PAPI_start(set));
	EXPECT_OK(PAPI_state(set, &state));
	EXPECT_EQUAL(PAPI_RUNNING | PAPI_MULTIPLEXING, state);
	EXPECT_OK(PAPI_stop(set, NULL));
	work_discard(set);
}

static void assigning_a_component(void)
{
	int set = empty_set(), rusage = PAPI_get_component_index("rusage");

	EXPECT_ERROR(PAPI_ENOCMP, "no component has been assigned", PAPI_get_eventset_component(set));
	EXPECT_ERROR(PAPI_ENOCMP, "component index 99", PAPI_assign_eventset_component(set, 99));
	EXPECT_ERROR(PAPI_ENOCMP, "component index -1", PAPI_assign_eventset_component(set, -1));
	EXPECT_OK(PAPI_assign_eventset_component(set, rusage));
	EXPECT_OK(PAPI_assign_eventset_component(set, rusage));
	EXPECT_EQUAL(rusage, PAPI_get_eventset_component(set));
	EXPECT_ERROR(PAPI_EINVAL, "component", PAPI_assign_eventset_component(set, 0));
	EXPECT_ERROR(PAPI_ECMP, "assigned to", PAPI_add_named_event(set, "perf::TASK-CLOCK"));
	EXPECT_OK(PAPI_add_named_event(set, "rusage:::utime"));
	EXPECT_EQUAL(rusage, PAPI_get_eventset_component(set));
	work_discard(set);
	/* A set that has events belongs to their component already. */
	set = work_set("perf::TASK-CLOCK", NULL, NULL);
	EXPECT_EQUAL(0, PAPI_get_eventset_component(set));
	EXPECT_ERROR(PAPI_EINVAL, "component", PAPI_assign_eventset_component(set, rusage));
	EXPECT_OK(PAPI_assign_eventset_component(set, 0));
	EXPECT_ERROR(PAPI_ECMP, "assigned to", PAPI_add_named_event(set, "rusage:::utime"));
	work_discard(set);
}

int main(void)
{
	static const struct test tests[] = {
		{ "listing", listing },
		{ "adding several", adding_several },
		{ "removing several", removing_several },
		{ "an event only once", an_event_only_once },
		{ "counts stay right when events go", counts_stay_right_when_events_go },
		{ "last values when events come and go", last_values_when_events_come_and_go },
		{ "last values of two components", last_values_of_two_components },
		{ "written values when events go", written_values_when_events_go },
		{ "a large set", a_large_set },
		{ "cleaning up", cleaning_up },
		{ "destroying", destroying },
		{ "states", states },
		{ "assigning a component", assigning_a_component },
	};

	work_begin();
	work_need_breakpoints();
	return work_end(check_run(tests, COUNT_OF(tests)));
}
