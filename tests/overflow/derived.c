/* SPDX-License-Identifier: BSD-3-Clause */
/* Events derived from several natives overflow by timer; those that are one native do so in hardware. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "record.h"

static const char definitions[] = "EVENT,OVERFLOW_SUM,DERIVED_ADD,perf::PAGE-FAULTS,perf::MINOR-FAULTS\n"
				  "EVENT,OVERFLOW_ONE,NOT_DERIVED,perf::PAGE-FAULTS\n";

static void define(void)
{
	char path[] = "/tmp/papi-overflow-XXXXXX";
	PAPI_option_t option = { .events_file = path };
	int fd = mkstemp(path);

	REQUIRE(fd >= 0 && write(fd, definitions, sizeof(definitions) - 1) == sizeof(definitions) - 1);
	close(fd);
	REQUIRE_OK(PAPI_set_opt(PAPI_USER_EVENTS_FILE, &option));
	unlink(path);
}

static void sum_of_two(void)
{
	int set = work_set("OVERFLOW_SUM", NULL, NULL), code = record_code(set, 0);
	long long count;

	EXPECT_ERROR(PAPI_ENOSUPP, "derived", PAPI_overflow(set, code, 20, PAPI_OVERFLOW_HARDWARE, record_handler));
	EXPECT_OK(PAPI_overflow(set, code, 20, 0, record_handler));
	record_clear();
	EXPECT_OK(PAPI_start(set));
	for (int i = 0; i < 500 && record.calls < 5; i++) {
		record_faults(20);
		record_spin(5);
	}
	EXPECT(record.calls >= 5);
	count = work_stop(set);
	EXPECT_BETWEEN(record.calls, record_delivered(set) + record_lost(set), count / 20);
	work_discard(set);
}

static void one_native(void)
{
	int set = record_set("OVERFLOW_ONE", 10, PAPI_OVERFLOW_HARDWARE);
	long long count;

	EXPECT_OK(PAPI_start(set));
	record_faults(100);
	count = work_stop(set);
	EXPECT_EQUAL(count / 10, record.calls);
	work_discard(set);
}

/* A native is counted once for all events that use it: it has one threshold, too. */
static void one_native_of_two_events(void)
{
	int set = work_set("OVERFLOW_ONE", "perf::PAGE-FAULTS", NULL);
	long long values[2];

	EXPECT_OK(PAPI_overflow(set, record_code(set, 1), 10, 0, record_handler));
	EXPECT_ERROR(PAPI_ECNFLCT, "overflows already", PAPI_overflow(set, record_code(set, 0), 20, 0, record_handler));
	record_clear();
	EXPECT_OK(PAPI_start(set));
	record_faults(100);
	EXPECT_OK(PAPI_stop(set, values));
	EXPECT_EQUAL(values[0], values[1]);
	EXPECT_EQUAL(values[0] / 10, record.calls);
	EXPECT_EQUAL(2, record.vectors);
	work_discard(set);
}

int main(void)
{
	static const struct test tests[] = {
		{ "a sum of two natives", sum_of_two },
		{ "one native", one_native },
		{ "one native of two events", one_native_of_two_events },
	};

	work_begin();
	define();
	return work_end(check_run(tests, COUNT_OF(tests)));
}
