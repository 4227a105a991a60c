/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every allocation of the library fails in its turn: the call gives PAPI_ENOMEM, nothing is lost or leaked, and the
 * same EventSet counts as soon as there is memory again. The linker puts these functions before malloc and its like.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "definitions.h"
#include "sets.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
char *__real_strdup(const char *string);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__wrap_strdup(const char *string);

static unsigned until_failure; /* 1: the next allocation fails; 0: none does */
static bool failed;

static bool fails(void)
{
	if (!until_failure || --until_failure)
		return false;
	return failed = true;
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *old, size_t size)
{
	return fails() ? NULL : __real_realloc(old, size);
}

char *__wrap_strdup(const char *string)
{
	return fails() ? NULL : __real_strdup(string);
}

/* Lets the nth allocation of what follows fail. */
static void fail_at(unsigned nth)
{
	until_failure = nth;
	failed = false;
}

static void no_failures(void)
{
	until_failure = 0;
}

/*
 * True if the call failed, which it may only do because of the allocation; the next try is to succeed. A success is
 * fine in any case: some things the library can do without, and what it then counts is looked at.
 */
static bool refused(int status)
{
	if (status == PAPI_OK)
		return false;
	if (!failed || status != PAPI_ENOMEM)
		fail_msg("%d, %s", status, PAPI_error_detail());
	assert_says("no memory");
	no_failures();
	return true;
}

static void assert_counts(int set)
{
	long long values[16] = { 0 };
	int n = PAPI_num_events(set);

	assert_ok(PAPI_start(set));
	fake_count(5);
	assert_ok(PAPI_stop(set, values));
	for (int i = 0; i < n; i++)
		assert_int_equal(values[i], 5);
}

static void creating_a_set(void **state)
{
	unsigned nth = 0;

	(void)state;
	do {
		int set = PAPI_NULL;

		/* So that the context of this thread is made anew, too. */
		assert_ok(PAPI_unregister_thread());
		fail_at(++nth);
		if (refused(PAPI_create_eventset(&set))) {
			assert_int_equal(set, PAPI_NULL);
			assert_ok(PAPI_create_eventset(&set));
		}
		no_failures();
		assert_ok(PAPI_destroy_eventset(&set));
	} while (failed);
	assert_in_range(nth, 3, 100);
}

static const char *const events[] = { "r01", "rusage:::oublock", "r02", "mem:0x1000", "r03", "rusage:::majflt",
	"mem:0x2000" };

/* The names are new in each round, and so are the set and its parts. */
static void adding_events(void **state)
{
	unsigned nth = 0;

	(void)state;
	do {
		int set = PAPI_NULL;

		PAPI_shutdown();
		assert_int_equal(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
		assert_ok(PAPI_create_eventset(&set));
		fail_at(++nth);
		for (int i = 0; i < (int)LENGTH(events); i++) {
			if (!refused(PAPI_add_named_event(set, events[i])))
				continue;
			assert_int_equal(PAPI_num_events(set), i);
			assert_ok(PAPI_add_named_event(set, events[i]));
		}
		no_failures();
		assert_int_equal(PAPI_num_events(set), LENGTH(events));
		assert_int_equal(fake.n_open, 5);
		assert_ok(PAPI_remove_named_event(set, "rusage:::oublock"));
		assert_ok(PAPI_remove_named_event(set, "rusage:::majflt"));
		assert_counts(set);
		destroy_set(set);
	} while (failed);
	assert_in_range(nth, 20, 1000);
}

static void opening_again_with_other_options(void **state)
{
	unsigned nth = 0;

	(void)state;
	do {
		int set = SET_OF("r01", "r02", "mem:0x1000", "mem:0x2000", "mem:0x3000");
		PAPI_option_t option = { .domain = { .eventset = set, .domain = PAPI_DOM_ALL } };
		bool out;

		fail_at(++nth);
		out = refused(PAPI_set_opt(PAPI_DOMAIN, &option));
		no_failures();
		assert_int_equal(PAPI_get_opt(PAPI_DOMAIN, &option), PAPI_OK);
		assert_int_equal(option.domain.domain, out ? PAPI_DOM_USER : PAPI_DOM_ALL);
		assert_counts(set);
		destroy_set(set);
	} while (failed);
	assert_in_range(nth, 2, 100);
}

/* A removal succeeds; what could not be opened again without the leader is opened by the next start. */
static void opening_again_without_the_leader(void **state)
{
	unsigned nth = 0;

	(void)state;
	do {
		int set = SET_OF("r01", "r02", "mem:0x1000", "mem:0x2000", "mem:0x3000");

		fail_at(++nth);
		assert_ok(PAPI_remove_named_event(set, "r01"));
		no_failures();
		assert_int_equal(PAPI_num_events(set), 4);
		assert_counts(set);
		assert_int_equal(fake.n_open, 4);
		destroy_set(set);
	} while (failed);
	assert_in_range(nth, 2, 100);
}

static void writing_values(void **state)
{
	int set = SET_OF("r01", "r02");
	long long values[2] = { 100, 200 };

	(void)state;
	assert_ok(PAPI_start(set));
	fake_count(7);
	fail_at(1);
	assert_true(refused(PAPI_write(set, values)));
	assert_ok(PAPI_read(set, values));
	assert_int_equal(values[0], 7);
	assert_int_equal(values[1], 7);
	values[1] = 1000;
	assert_ok(PAPI_write(set, values));
	fake_count(1);
	assert_ok(PAPI_stop(set, values));
	assert_int_equal(values[0], 8);
	assert_int_equal(values[1], 1001);
	destroy_set(set);
}

static int use_definitions(int set, int step)
{
	switch (step) {
	case 0:
		return define("INNER", PAPI_DERIVED_SUB, NULL, "r01", "r02");
	case 1:
		return define("OUTER", PAPI_DERIVED_INFIX, "N0*7+N1", "INNER", "r03");
	case 2:
		return PAPI_add_named_event(set, "OUTER");
	default:
		return PAPI_add_named_event(set, "INNER");
	}
}

static void defining_and_using_events(void **state)
{
	unsigned nth = 0;

	(void)state;
	do {
		int set = PAPI_NULL;

		PAPI_shutdown();
		assert_int_equal(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
		assert_ok(PAPI_create_eventset(&set));
		fail_at(++nth);
		for (int step = 0; step < 4; step++)
			if (refused(use_definitions(set, step)))
				assert_ok(use_definitions(set, step));
		no_failures();
		assert_int_equal(PAPI_num_events(set), 2);
		assert_ok(PAPI_remove_named_event(set, "INNER"));
		/* 7 x (5 - 5) + 5 */
		assert_counts(set);
		destroy_set(set);
	} while (failed);
	assert_in_range(nth, 20, 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_on_model(creating_a_set),
		test_on_model(adding_events),
		test_on_model(opening_again_with_other_options),
		test_on_model(opening_again_without_the_leader),
		test_on_model(writing_values),
		test_on_model(defining_and_using_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
