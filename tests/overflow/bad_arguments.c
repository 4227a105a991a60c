/* SPDX-License-Identifier: BSD-3-Clause */
/* Everything that can be asked wrongly gets its code and its reason, and changes nothing. */
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "record.h"

#define FAULTS "perf::PAGE-FAULTS"
#define CLOCK  "perf::TASK-CLOCK"

static int set, faults, the_clock;

static void wrong_thresholds_and_flags(void)
{
	EXPECT_ERROR(PAPI_EINVAL, "-1", PAPI_overflow(set, faults, -1, 0, record_handler));
	EXPECT_ERROR(PAPI_EINVAL, "negative", PAPI_overflow(set, faults, -2147483647 - 1, 0, record_handler));
	EXPECT_ERROR(PAPI_EINVAL, "handler", PAPI_overflow(set, faults, 10, 0, NULL));
	EXPECT_ERROR(PAPI_EINVAL, "0x1 ", PAPI_overflow(set, faults, 10, 1, record_handler));
	EXPECT_ERROR(PAPI_EINVAL, "flags", PAPI_overflow(set, faults, 10, ~0, record_handler));
	EXPECT_ERROR(PAPI_EINVAL, "flags",
		PAPI_overflow(set, faults, 10, PAPI_OVERFLOW_FORCE_SW | PAPI_OVERFLOW_HARDWARE, record_handler));
	/* The program would begin one and the same fault for ever. */
	EXPECT_ERROR(PAPI_EINVAL, "use 2", PAPI_overflow(set, faults, 1, 0, record_handler));
	EXPECT_OK(PAPI_overflow(set, faults, 1, PAPI_OVERFLOW_FORCE_SW, record_handler));
	EXPECT_OK(PAPI_overflow(set, faults, 0, 0, NULL));
	/* The kernel would do it less often, and not say so. */
	EXPECT_ERROR(PAPI_EINVAL, "10000 ns", PAPI_overflow(set, the_clock, 9999, 0, record_handler));
	EXPECT_OK(PAPI_overflow(set, the_clock, 10000, 0, record_handler));
	EXPECT_OK(PAPI_overflow(set, the_clock, 0, 0, NULL));
}

static void wrong_events_and_sets(void)
{
	int other;

	REQUIRE_OK(PAPI_event_name_to_code("perf::CPU-CLOCK", &other));
	EXPECT_ERROR(PAPI_ENOEVNT, "not in the EventSet", PAPI_overflow(set, other, 100000, 0, record_handler));
	EXPECT_ERROR(PAPI_ENOEVNT, "not in the EventSet", PAPI_overflow(set, other, 0, 0, NULL));
	EXPECT_ERROR(PAPI_ENOEVNT, "not in the EventSet", PAPI_overflow(set, 0, 10, 0, record_handler));
	EXPECT_ERROR(PAPI_ENOEVNT, "not in the EventSet", PAPI_overflow(set, PAPI_TOT_INS, 10, 0, record_handler));
	EXPECT_ERROR(PAPI_ENOEVST, "PAPI_NULL", PAPI_overflow(PAPI_NULL, faults, 10, 0, record_handler));
	EXPECT_ERROR(PAPI_ENOEVST, "12345", PAPI_overflow(12345, faults, 10, 0, record_handler));
	EXPECT_ERROR(PAPI_EINVAL, "does not overflow", PAPI_get_overflow_counts(set, faults, NULL, NULL));
	EXPECT_ERROR(PAPI_ENOEVST, "PAPI_NULL", PAPI_get_overflow_counts(PAPI_NULL, faults, NULL, NULL));
}

static void running_sets(void)
{
	EXPECT_OK(PAPI_start(set));
	EXPECT_ERROR(PAPI_EISRUN, "stop it", PAPI_overflow(set, faults, 10, 0, record_handler));
	EXPECT_ERROR(PAPI_EISRUN, "stop it", PAPI_overflow(set, faults, 0, 0, NULL));
	EXPECT_OK(PAPI_stop(set, NULL));
	EXPECT_OK(PAPI_overflow(set, faults, 10, 0, record_handler));
	EXPECT_OK(PAPI_start(set));
	EXPECT_ERROR(PAPI_EISRUN, "stop it", PAPI_overflow(set, faults, 20, 0, record_handler));
	EXPECT_ERROR(PAPI_EISRUN, "stop it", PAPI_overflow(set, faults, 0, 0, NULL));
	EXPECT_OK(PAPI_stop(set, NULL));
	EXPECT_OK(PAPI_overflow(set, faults, 0, 0, NULL));
}

static void hardware_and_software(void)
{
	EXPECT_OK(PAPI_overflow(set, faults, 10, 0, record_handler));
	EXPECT_ERROR(PAPI_ECNFLCT, "PAPI_OVERFLOW_FORCE_SW",
		PAPI_overflow(set, the_clock, 100000, PAPI_OVERFLOW_FORCE_SW, record_handler));
	/* The only one may change its way. */
	EXPECT_OK(PAPI_overflow(set, faults, 10, PAPI_OVERFLOW_FORCE_SW, record_handler));
	EXPECT_ERROR(PAPI_ECNFLCT, "PAPI_OVERFLOW_FORCE_SW", PAPI_overflow(set, the_clock, 100000, 0, record_handler));
	EXPECT_OK(PAPI_overflow(set, the_clock, 100000, PAPI_OVERFLOW_FORCE_SW, record_handler));
	EXPECT_ERROR(PAPI_ECNFLCT, "PAPI_OVERFLOW_FORCE_SW", PAPI_overflow(set, faults, 10, 0, record_handler));
	EXPECT_OK(PAPI_overflow(set, faults, 0, 0, NULL));
	EXPECT_OK(PAPI_overflow(set, the_clock, 100000, 0, record_handler));
	EXPECT_OK(PAPI_overflow(set, the_clock, 0, 0, NULL));
	/* Where no interrupt is to be had, the way is software: not beside hardware. */
	EXPECT_OK(PAPI_add_named_event(set, "rusage:::utime"));
	EXPECT_OK(PAPI_overflow(set, faults, 10, 0, record_handler));
	EXPECT_ERROR(PAPI_ECNFLCT, "in hardware", PAPI_overflow(set, record_code(set, 2), 10, 0, record_handler));
	EXPECT_OK(PAPI_overflow(set, faults, 0, 0, NULL));
	EXPECT_OK(PAPI_remove_named_event(set, "rusage:::utime"));
}

static void handlers_and_histograms(void)
{
	static unsigned short buckets[16];

	EXPECT_OK(PAPI_profil(buckets, sizeof(buckets), NULL, 2, set, faults, 10, 0));
	EXPECT_ERROR(PAPI_ECNFLCT, "profiled", PAPI_overflow(set, faults, 10, 0, record_handler));
	/* Another event of the set may have a handler. */
	EXPECT_OK(PAPI_overflow(set, the_clock, 1000000, 0, record_handler));
	EXPECT_ERROR(
		PAPI_ECNFLCT, "handler", PAPI_profil(buckets, sizeof(buckets), NULL, 2, set, the_clock, 100000, 0));
	/* Each is turned off by its own function. */
	EXPECT_OK(PAPI_overflow(set, faults, 0, 0, NULL));
	EXPECT_OK(PAPI_get_overflow_counts(set, faults, NULL, NULL));
	EXPECT_OK(PAPI_profil(NULL, 0, NULL, 0, set, faults, 0, 0));
	EXPECT_ERROR(PAPI_EINVAL, "does not overflow", PAPI_get_overflow_counts(set, faults, NULL, NULL));
	EXPECT_OK(PAPI_overflow(set, the_clock, 0, 0, NULL));
}

static void multiplexed_sets(void)
{
	int other = PAPI_NULL;

	REQUIRE_OK(PAPI_create_eventset(&other));
	REQUIRE_OK(PAPI_assign_eventset_component(other, 0));
	REQUIRE_OK(PAPI_set_multiplex(other));
	REQUIRE_OK(PAPI_add_named_event(other, FAULTS));
	EXPECT_ERROR(PAPI_ECNFLCT, "multiplexed", PAPI_overflow(other, faults, 10, 0, record_handler));
	EXPECT_ERROR(
		PAPI_ECNFLCT, "multiplexed", PAPI_overflow(other, faults, 10, PAPI_OVERFLOW_FORCE_SW, record_handler));
	work_discard(other);

	EXPECT_OK(PAPI_overflow(set, faults, 10, 0, record_handler));
	EXPECT_ERROR(PAPI_ECNFLCT, "multiplexed", PAPI_set_multiplex(set));
	EXPECT_OK(PAPI_overflow(set, faults, 0, 0, NULL));
}

/* Software looks at the calling thread; an attached set is about another. */
static void attached_sets(void)
{
	int other = work_set(FAULTS, NULL, NULL);

	EXPECT_OK(PAPI_overflow(other, faults, 10, PAPI_OVERFLOW_FORCE_SW, record_handler));
	EXPECT_ERROR(PAPI_ECNFLCT, "calling thread", PAPI_attach(other, (unsigned long)getppid()));
	EXPECT_OK(PAPI_overflow(other, faults, 0, 0, NULL));
	EXPECT_OK(PAPI_attach(other, (unsigned long)getpid()));
	EXPECT_ERROR(PAPI_ECNFLCT, "calling thread",
		PAPI_overflow(other, faults, 10, PAPI_OVERFLOW_FORCE_SW, record_handler));
	work_discard(other);
}

static void inherited_sets(void)
{
	PAPI_option_t option;
	int other = work_set(FAULTS, NULL, NULL);

	memset(&option, 0, sizeof(option));
	option.inherit.eventset = other;
	option.inherit.inherit = PAPI_INHERIT_ALL;
	EXPECT_OK(PAPI_set_opt(PAPI_INHERIT, &option));
	EXPECT_ERROR(
		PAPI_ECNFLCT, "inherited", PAPI_overflow(other, faults, 10, PAPI_OVERFLOW_HARDWARE, record_handler));
	/* The set counts as it did. */
	EXPECT_OK(PAPI_start(other));
	record_faults(10);
	EXPECT_BETWEEN(10, work_stop(other), 1000);
	work_discard(other);
}

static void wrong_vectors(void)
{
	int array[4] = { -1, -1, -1, -1 }, number = 4, empty = PAPI_NULL;

	EXPECT_ERROR(PAPI_EINVAL, "vector is 0", PAPI_get_overflow_event_index(set, 0, array, &number));
	EXPECT_ERROR(PAPI_EINVAL, "array", PAPI_get_overflow_event_index(set, 1, NULL, &number));
	EXPECT_ERROR(PAPI_EINVAL, "length", PAPI_get_overflow_event_index(set, 1, array, NULL));
	number = 0;
	EXPECT_ERROR(PAPI_EINVAL, "at least 1", PAPI_get_overflow_event_index(set, 1, array, &number));
	number = -3;
	EXPECT_ERROR(PAPI_EINVAL, "at least 1", PAPI_get_overflow_event_index(set, 1, array, &number));
	number = 4;
	EXPECT_ERROR(PAPI_EINVAL, "no event", PAPI_get_overflow_event_index(set, 1LL << 40, array, &number));
	EXPECT_ERROR(PAPI_ENOEVST, "PAPI_NULL", PAPI_get_overflow_event_index(PAPI_NULL, 1, array, &number));
	REQUIRE_OK(PAPI_create_eventset(&empty));
	EXPECT_ERROR(PAPI_EINVAL, "empty", PAPI_get_overflow_event_index(empty, 1, array, &number));
	EXPECT_OK(PAPI_destroy_eventset(&empty));
	EXPECT_EQUAL(4, number);
	EXPECT_EQUAL(-1, array[0]);

	EXPECT_OK(PAPI_get_overflow_event_index(set, 3, array, &number));
	EXPECT_EQUAL(2, number);
	EXPECT_EQUAL(0, array[0]);
	EXPECT_EQUAL(1, array[1]);
	/* An array that is too short holds the first of them. */
	number = 1;
	EXPECT_OK(PAPI_get_overflow_event_index(set, 3, array, &number));
	EXPECT_EQUAL(1, number);
	EXPECT_EQUAL(0, array[0]);
}

int main(void)
{
	static const struct test tests[] = {
		{ "thresholds and flags", wrong_thresholds_and_flags },
		{ "events and sets", wrong_events_and_sets },
		{ "running sets", running_sets },
		{ "hardware and software in one set", hardware_and_software },
		{ "handlers and histograms", handlers_and_histograms },
		{ "multiplexed sets", multiplexed_sets },
		{ "attached sets, by timer", attached_sets },
		{ "inherited events", inherited_sets },
		{ "overflow vectors", wrong_vectors },
	};

	work_begin();
	set = work_set(FAULTS, CLOCK, NULL);
	faults = record_code(set, 0);
	the_clock = record_code(set, 1);
	return work_end(check_run(tests, COUNT_OF(tests)));
}
