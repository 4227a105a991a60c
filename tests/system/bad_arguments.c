/* SPDX-License-Identifier: BSD-3-Clause */
/* Handles of nothing, pointers to nothing and sets that are running: the code, the reason, and no harm done. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "work.h"

static long long values[8], more_values[8];
static int codes[8], number;

/* Every function that takes a handle, with otherwise good arguments. */
static int destroy(int set)
{
	return PAPI_destroy_eventset(&set);
}

static int assign(int set)
{
	return PAPI_assign_eventset_component(set, 0);
}

static int add(int set)
{
	return PAPI_add_event(set, PAPI_TOT_CYC);
}

static int add_several(int set)
{
	return PAPI_add_events(set, (int[]){ PAPI_TOT_CYC, PAPI_TOT_INS }, 2);
}

static int add_named(int set)
{
	return PAPI_add_named_event(set, "perf::TASK-CLOCK");
}

static int remove_one(int set)
{
	return PAPI_remove_event(set, PAPI_TOT_CYC);
}

static int remove_several(int set)
{
	return PAPI_remove_events(set, (int[]){ PAPI_TOT_CYC, PAPI_TOT_INS }, 2);
}

static int remove_named(int set)
{
	return PAPI_remove_named_event(set, "perf::TASK-CLOCK");
}

static int list(int set)
{
	number = 8;
	return PAPI_list_events(set, codes, &number);
}

static int state(int set)
{
	return PAPI_state(set, &number);
}

static int stop(int set)
{
	return PAPI_stop(set, values);
}

static int read_values(int set)
{
	return PAPI_read(set, values);
}

static int read_with_time(int set)
{
	return PAPI_read_ts(set, values, more_values);
}

static int accum(int set)
{
	return PAPI_accum(set, values);
}

static int write_values(int set)
{
	return PAPI_write(set, values);
}

static int times(int set)
{
	return PAPI_get_event_times(set, values, more_values);
}

static int attach(int set)
{
	return PAPI_attach(set, (unsigned long)getpid());
}

static int get_domain(int set)
{
	return PAPI_get_opt(PAPI_DOMAIN, &(PAPI_option_t){ .domain = { .eventset = set } });
}

static int set_domain(int set)
{
	return PAPI_set_opt(PAPI_DOMAIN, &(PAPI_option_t){ .domain = { .eventset = set, .domain = PAPI_DOM_USER } });
}

static int get_granularity(int set)
{
	return PAPI_get_opt(PAPI_GRANUL, &(PAPI_option_t){ .granularity = { .eventset = set } });
}

static int set_granularity(int set)
{
	return PAPI_set_opt(
		PAPI_GRANUL, &(PAPI_option_t){ .granularity = { .eventset = set, .granularity = PAPI_GRN_THR } });
}

static int get_inherit(int set)
{
	return PAPI_get_opt(PAPI_INHERIT, &(PAPI_option_t){ .inherit = { .eventset = set } });
}

static int set_inherit(int set)
{
	return PAPI_set_opt(PAPI_INHERIT, &(PAPI_option_t){ .inherit = { .eventset = set, .inherit = 1 } });
}

static int get_attach(int set)
{
	return PAPI_get_opt(PAPI_ATTACH, &(PAPI_option_t){ .attach = { .eventset = set } });
}

static int set_cpu(int set)
{
	return PAPI_set_opt(PAPI_CPU_ATTACH, &(PAPI_option_t){ .cpu = { .eventset = set } });
}

static int get_multiplex_option(int set)
{
	return PAPI_get_opt(PAPI_MULTIPLEX, &(PAPI_option_t){ .multiplex = { .eventset = set } });
}

static int (*const calls[])(int set) = { PAPI_cleanup_eventset, destroy, assign, PAPI_get_eventset_component, add,
	add_several, add_named, remove_one, remove_several, remove_named, list, PAPI_num_events, state, PAPI_start,
	stop, read_values, read_with_time, accum, PAPI_reset, write_values, times, attach, PAPI_detach, get_domain,
	set_domain, get_granularity, set_granularity, get_inherit, set_inherit, get_attach, set_cpu,
	get_multiplex_option, PAPI_set_multiplex, PAPI_get_multiplex };

static void expect_no_set(int handle, const char *words)
{
	for (size_t i = 0; i < COUNT_OF(calls); i++) {
		if (!EXPECT_ERROR(PAPI_ENOEVST, words, calls[i](handle)))
			fprintf(stderr, "\tthat was call %zu with handle %d\n", i, handle);
	}
}

static void the_null_handle(void)
{
	expect_no_set(PAPI_NULL, "PAPI_NULL");
}

static void handles_that_were_never_given(void)
{
	static const int handles[] = { -2, -1000, 0x7fffffff, (int)0x80000000, 65535, 65536, 1 << 20, 0x40000000,
		PAPI_TOT_CYC, 12345678 };

	for (size_t i = 0; i < COUNT_OF(handles); i++)
		expect_no_set(handles[i], "handle");
	/* Places that no test has ever come to, of any generation. */
	srand(2);
	for (int i = 0; i < 200; i++)
		expect_no_set(rand() | 0x8000, "handle");
}

static void handles_of_destroyed_sets(void)
{
	int set = work_set(work_event(WORK_B), NULL, NULL), stale = set;

	work_discard(set);
	expect_no_set(stale, "destroyed");
}

/* The place of a destroyed set is used again, and its old handle does not name the new set. */
static void handles_of_places_used_again(void)
{
	enum { SETS = 3000 };
	static int stale[SETS];
	int set, used_again = 0;

	/* Places that have been used are taken again once there are many of them. */
	for (int i = 0; i < SETS; i++) {
		set = work_set(NULL, NULL, NULL);
		stale[i] = set;
		REQUIRE_OK(PAPI_destroy_eventset(&set));
	}
	set = work_set(work_event(WORK_B), NULL, NULL);
	EXPECT_OK(PAPI_start(set));
	work_events(5);
	for (int i = 0; i < SETS; i++) {
		/* The low bits of a handle are its place. */
		used_again += (stale[i] & 0xffff) == (set & 0xffff);
		EXPECT(stale[i] != set);
		EXPECT_ERROR(PAPI_ENOEVST, "destroyed", PAPI_read(stale[i], values));
		EXPECT_ERROR(PAPI_ENOEVST, "destroyed", PAPI_stop(stale[i], values));
	}
	EXPECT(used_again > 0);
	EXPECT_EQUAL(5, work_stop(set));
	work_discard(set);
}

/* Handles of before PAPI_shutdown stay stale after it. */
static void handles_from_before_shutdown(void)
{
	int set = work_set(work_event(WORK_B), NULL, NULL), stale = set;

	EXPECT_OK(PAPI_start(set));
	PAPI_shutdown();
	REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
	expect_no_set(stale, "handle");
	set = work_set(work_event(WORK_B), NULL, NULL);
	EXPECT(set != stale);
	expect_no_set(stale, "handle");
	work_discard(set);
}

#define NULL_POINTER "null pointer"

static void null_pointers_of_sets(void)
{
	int set = work_set(work_event(WORK_B), NULL, NULL), empty = 0;

	EXPECT_ERROR(PAPI_EINVAL, NULL_POINTER, PAPI_create_eventset(NULL));
	EXPECT_ERROR(PAPI_EINVAL, NULL_POINTER, PAPI_destroy_eventset(NULL));
	EXPECT_ERROR(PAPI_EINVAL, "array", PAPI_add_events(set, NULL, 1));
	EXPECT_ERROR(PAPI_EINVAL, NULL_POINTER, PAPI_add_named_event(set, NULL));
	EXPECT_ERROR(PAPI_EINVAL, "array", PAPI_remove_events(set, NULL, 1));
	EXPECT_ERROR(PAPI_EINVAL, NULL_POINTER, PAPI_remove_named_event(set, NULL));
	number = 1;
	EXPECT_ERROR(PAPI_EINVAL, "array", PAPI_list_events(set, NULL, &number));
	EXPECT_ERROR(PAPI_EINVAL, "array", PAPI_list_events(set, codes, NULL));
	EXPECT_ERROR(PAPI_EINVAL, "array", PAPI_list_events(set, NULL, NULL));
	number = -1;
	EXPECT_ERROR(PAPI_EINVAL, "array", PAPI_list_events(set, codes, &number));
	EXPECT_OK(PAPI_list_events(set, NULL, &empty));
	EXPECT_ERROR(PAPI_EINVAL, NULL_POINTER, PAPI_state(set, NULL));
	EXPECT_ERROR(PAPI_EINVAL, NULL_POINTER, PAPI_read(set, NULL));
	EXPECT_ERROR(PAPI_EINVAL, NULL_POINTER, PAPI_read_ts(set, NULL, values));
	EXPECT_ERROR(PAPI_EINVAL, NULL_POINTER, PAPI_read_ts(set, values, NULL));
	EXPECT_ERROR(PAPI_EINVAL, NULL_POINTER, PAPI_accum(set, NULL));
	EXPECT_ERROR(PAPI_EINVAL, NULL_POINTER, PAPI_write(set, NULL));
	EXPECT_ERROR(PAPI_EINVAL, NULL_POINTER, PAPI_get_opt(PAPI_DOMAIN, NULL));
	EXPECT_ERROR(PAPI_EINVAL, NULL_POINTER, PAPI_set_opt(PAPI_DOMAIN, NULL));
	/* Nobody has to want the values, or the times. */
	EXPECT_OK(PAPI_start(set));
	EXPECT_OK(PAPI_get_event_times(set, NULL, NULL));
	EXPECT_OK(PAPI_stop(set, NULL));
	work_discard(set);
}

static void null_pointers_of_events(void)
{
	EXPECT_ERROR(PAPI_EINVAL, NULL_POINTER, PAPI_event_name_to_code(NULL, &number));
	EXPECT_ERROR(PAPI_EINVAL, NULL_POINTER, PAPI_event_name_to_code("perf::FAULTS", NULL));
	EXPECT_ERROR(PAPI_EINVAL, NULL_POINTER, PAPI_event_name_to_code(NULL, NULL));
	EXPECT_ERROR(PAPI_EINVAL, NULL_POINTER, PAPI_event_code_to_name(PAPI_TOT_CYC, NULL));
	EXPECT_ERROR(PAPI_EINVAL, NULL_POINTER, PAPI_query_named_event(NULL));
	EXPECT_ERROR(PAPI_EINVAL, NULL_POINTER, PAPI_get_event_info(PAPI_TOT_CYC, NULL));
	EXPECT_ERROR(PAPI_EINVAL, NULL_POINTER, PAPI_enum_event(NULL, PAPI_ENUM_FIRST));
	EXPECT_ERROR(PAPI_EINVAL, NULL_POINTER, PAPI_enum_cmp_event(NULL, PAPI_ENUM_FIRST, 0));
	EXPECT_ERROR(PAPI_EINVAL, NULL_POINTER, PAPI_get_component_index(NULL));
	EXPECT_ERROR(PAPI_EINVAL, NULL_POINTER, PAPI_disable_component_by_name(NULL));
}

static void null_pointers_of_the_rest(void)
{
	void *handle = NULL;
	char byte;

	EXPECT_ERROR(PAPI_EINVAL, "function", PAPI_thread_init(NULL));
	EXPECT_ERROR(PAPI_EINVAL, "pointer", PAPI_list_threads(NULL, NULL));
	EXPECT_ERROR(PAPI_EINVAL, "place", PAPI_get_thr_specific(PAPI_USR1_TLS, NULL));
	EXPECT_ERROR(
		PAPI_EINVAL, "PAPI_all_thr_spec_t", PAPI_get_thr_specific(PAPI_USR1_TLS | PAPI_TLS_ALL_THREADS, NULL));
	EXPECT_ERROR(PAPI_EINVAL, NULL_POINTER, PAPI_get_dmem_info(NULL));
	EXPECT_ERROR(PAPI_EINVAL, NULL_POINTER, PAPI_enum_dev_type(PAPI_DEV_TYPE_ENUM__ALL, NULL));
	EXPECT_ERROR(PAPI_EINVAL, "handle", PAPI_get_dev_type_attr(NULL, PAPI_DEV_TYPE_ATTR__INT_COUNT, &number));
	EXPECT_ERROR(PAPI_EINVAL, "handle", PAPI_get_dev_attr(NULL, 0, PAPI_DEV_ATTR__CPU_UINT_FAMILY, &number));
	EXPECT_OK(PAPI_enum_dev_type(PAPI_DEV_TYPE_ENUM__CPU, &handle));
	EXPECT_ERROR(PAPI_EINVAL, NULL_POINTER, PAPI_get_dev_type_attr(handle, PAPI_DEV_TYPE_ATTR__INT_COUNT, NULL));
	EXPECT_ERROR(PAPI_EINVAL, NULL_POINTER, PAPI_get_dev_attr(handle, 0, PAPI_DEV_ATTR__CPU_UINT_FAMILY, NULL));
	EXPECT_ERROR(PAPI_EINVAL, "buffer", PAPI_perror_code(PAPI_EINVAL, NULL, 10));
	EXPECT_ERROR(PAPI_EINVAL, "buffer", PAPI_perror_code(PAPI_EINVAL, &byte, -1));
}

/* Tags, locks and versions that mean nothing. */
static void numbers_without_meaning(void)
{
	static const int bad[] = { -1, 3, 17, 1000, (int)0x80000000, 0x7fffffff };
	void *pointer;

	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		int tag = bad[i] & ~PAPI_TLS_ALL_THREADS;

		if (tag < 0 || tag >= PAPI_NUM_TLS) {
			EXPECT_ERROR(PAPI_EINVAL, "tag", PAPI_set_thr_specific(tag, NULL));
			EXPECT_ERROR(PAPI_EINVAL, "tag", PAPI_get_thr_specific(tag, &pointer));
		}
		EXPECT_ERROR(PAPI_EINVAL, "PAPI_USR1_LOCK", PAPI_lock(bad[i]));
		EXPECT_ERROR(PAPI_EINVAL, "PAPI_USR1_LOCK", PAPI_unlock(bad[i]));
		EXPECT_ERROR(PAPI_EINVAL, "this library is PAPI 7", PAPI_library_init(bad[i]));
	}
	EXPECT_ERROR(PAPI_EINVAL, "compile it again", PAPI_library_init(PAPI_VERSION_NUMBER(6, 0, 0, 0)));
	EXPECT_ERROR(PAPI_EINVAL, "compile it again", PAPI_library_init(PAPI_VERSION_NUMBER(7, 1, 0, 0)));
	/* Revision and increment do not matter; the answer is what was asked for. */
	EXPECT_EQUAL(PAPI_VERSION_NUMBER(7, 0, 1, 0), PAPI_library_init(PAPI_VERSION_NUMBER(7, 0, 1, 0)));
	EXPECT_EQUAL(PAPI_VERSION_NUMBER(7, 0, 9, 9), PAPI_library_init(PAPI_VERSION_NUMBER(7, 0, 9, 9)));
	EXPECT(PAPI_strerror(1) == NULL && PAPI_strerror(-PAPI_NUM_ERRORS) == NULL);
	for (int code = 0; code > -PAPI_NUM_ERRORS; code--)
		EXPECT(PAPI_strerror(code) && strlen(PAPI_strerror(code)) > 0);
}

/* What cannot be done to a set that counts; it goes on counting. */
static void a_running_set(void)
{
	int set = work_set(work_event(WORK_A), work_event(WORK_B), NULL), listed[2], handle = set;

	number = 2;
	EXPECT_OK(PAPI_list_events(set, listed, &number));
	EXPECT_OK(PAPI_start(set));
	work_events(10);
	EXPECT_ERROR(PAPI_EISRUN, "counting already", PAPI_start(set));
	EXPECT_ERROR(PAPI_EISRUN, "stop it", PAPI_add_named_event(set, "perf::TASK-CLOCK"));
	EXPECT_ERROR(PAPI_EISRUN, "stop it", PAPI_add_event(set, listed[0]));
	EXPECT_ERROR(PAPI_EISRUN, "stop it", PAPI_add_events(set, listed, 2));
	EXPECT_ERROR(PAPI_EISRUN, "stop it", PAPI_remove_event(set, listed[0]));
	EXPECT_ERROR(PAPI_EISRUN, "stop it", PAPI_remove_events(set, listed, 2));
	EXPECT_ERROR(PAPI_EISRUN, "stop it", PAPI_remove_named_event(set, work_event(WORK_B)));
	EXPECT_ERROR(PAPI_EISRUN, "stop it", PAPI_cleanup_eventset(set));
	/* Also where there would be another thing to say, as that it is not attached. */
	EXPECT_ERROR(PAPI_EISRUN, "stop it", PAPI_detach(set));
	EXPECT_ERROR(PAPI_EISRUN, "stop it", PAPI_attach(set, 0));
	EXPECT_ERROR(PAPI_EISRUN, "stop it", PAPI_destroy_eventset(&handle));
	EXPECT_EQUAL(set, handle);
	EXPECT_EQUAL(2, PAPI_num_events(set));
	work_events(10);
	EXPECT_OK(PAPI_stop(set, values));
	EXPECT_EQUAL(20, values[1]);
	work_discard(set);
}

/* And to one that does not. */
static void a_stopped_set(void)
{
	int set = work_set(work_event(WORK_B), NULL, NULL), empty = work_set(NULL, NULL, NULL);

	EXPECT_ERROR(PAPI_ENOTRUN, "not counting", PAPI_stop(set, values));
	EXPECT_ERROR(PAPI_ENOTRUN, "not counting", PAPI_stop(set, NULL));
	EXPECT_ERROR(PAPI_ENOTRUN, "not counting", PAPI_stop(empty, values));
	EXPECT_ERROR(PAPI_EINVAL, "empty", PAPI_start(empty));
	EXPECT_ERROR(PAPI_EINVAL, "empty", PAPI_write(empty, values));
	EXPECT_OK(PAPI_read(empty, values));
	EXPECT_OK(PAPI_reset(empty));
	EXPECT_OK(PAPI_accum(empty, values));
	work_discard(set);
	work_discard(empty);
}

int main(void)
{
	static const struct test tests[] = {
		{ "the null handle", the_null_handle },
		{ "handles that were never given", handles_that_were_never_given },
		{ "handles of destroyed sets", handles_of_destroyed_sets },
		{ "handles of places used again", handles_of_places_used_again },
		{ "handles from before shutdown", handles_from_before_shutdown },
		{ "null pointers of sets", null_pointers_of_sets },
		{ "null pointers of events", null_pointers_of_events },
		{ "null pointers of the rest", null_pointers_of_the_rest },
		{ "numbers without meaning", numbers_without_meaning },
		{ "a running set", a_running_set },
		{ "a stopped set", a_stopped_set },
	};

	work_begin();
	work_need_breakpoints();
	return work_end(check_run(tests, COUNT_OF(tests)));
}
