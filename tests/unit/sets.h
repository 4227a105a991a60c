/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The library on the model kernel (tests/fake/kernel.h), and EventSets in one line.
 *
 * Events are raw codes of the model's core PMU, "r01", and breakpoints, "mem:0x1000": their names need no tables.
 * set_up() and tear_down() belong around each test; the second one also sees to it that nothing was left behind.
 */
#ifndef PAPI_TESTS_UNIT_SETS_H
#define PAPI_TESTS_UNIT_SETS_H

#include "kernel.h"
#include "unit.h"

static inline int set_up(void **state)
{
	(void)state;
	fake_reset();
	return PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT ? 0 : -1;
}

static inline int tear_down(void **state)
{
	(void)state;
	PAPI_shutdown();
	if (!fake.n_open && !fake.n_mapped && !fake.misuses && !fake.without_cloexec)
		return 0;
	print_error("left behind: %u events open, %u pages mapped; %u calls on closed events, %u events without "
		    "close-on-exec\n",
		fake.n_open, fake.n_mapped, fake.misuses, fake.without_cloexec);
	return -1;
}

#define test_on_model(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

static inline void add_all(int set, const char *const names[], size_t n)
{
	for (size_t i = 0; i < n; i++)
		assert_ok(PAPI_add_named_event(set, names[i]));
}

static inline int new_set(const char *const names[], size_t n)
{
	int set = PAPI_NULL;

	assert_ok(PAPI_create_eventset(&set));
	add_all(set, names, n);
	return set;
}

#define NAMES(...) ((const char *const[]){ __VA_ARGS__ })
/* A new EventSet of the named events. */
#define SET_OF(...)   new_set(NAMES(__VA_ARGS__), LENGTH(NAMES(__VA_ARGS__)))
#define ADD(set, ...) add_all(set, NAMES(__VA_ARGS__), LENGTH(NAMES(__VA_ARGS__)))

static inline void destroy_set(int set)
{
	assert_ok(PAPI_cleanup_eventset(set));
	assert_ok(PAPI_destroy_eventset(&set));
	assert_int_equal(set, PAPI_NULL);
}

#endif
