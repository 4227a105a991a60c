/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tests of software-defined events share: sets of them, and their exact values. */
#ifndef PAPI_TEST_SDE_H
#define PAPI_TEST_SDE_H

#include <papi.h>
#include <sde_lib.h>

#include "check.h"

/* A new EventSet with one event. */
static inline int sde_set(const char *name)
{
	int set = PAPI_NULL;

	REQUIRE_OK(PAPI_create_eventset(&set));
	REQUIRE_OK(PAPI_add_named_event(set, name));
	return set;
}

static inline void sde_discard(int set)
{
	EXPECT_OK(PAPI_cleanup_eventset(set));
	EXPECT_OK(PAPI_destroy_eventset(&set));
}

/* -77 where the call fails, which the caller's expectation shows. */
static inline long long sde_read(int set)
{
	long long value = -77;

	EXPECT_OK(PAPI_read(set, &value));
	return value;
}

static inline long long sde_stop(int set)
{
	long long value = -77;

	EXPECT_OK(PAPI_stop(set, &value));
	return value;
}

static inline void sde_begin(void)
{
	REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
}

#endif
