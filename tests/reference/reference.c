/* SPDX-License-Identifier: BSD-3-Clause */
#include "reference.h"

void do_100events(void)
{
	presets_work(EVENTS);
}

int reference_set(void)
{
	int EventSet = PAPI_NULL;

	REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
	REQUIRE_OK(PAPI_create_eventset(&EventSet));
	REQUIRE_OK(PAPI_add_event(EventSet, PAPI_TOT_INS));
	return EventSet;
}

void reference_discard(int *EventSet)
{
	EXPECT_OK(PAPI_cleanup_eventset(*EventSet));
	EXPECT_OK(PAPI_destroy_eventset(EventSet));
	EXPECT_EQUAL(PAPI_NULL, *EventSet);
}

int main(void)
{
	static const struct test tests[] = { { "example", example } };

	presets_begin();
	return presets_end(check_run(tests, COUNT_OF(tests)));
}
