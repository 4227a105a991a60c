/* SPDX-License-Identifier: BSD-3-Clause */
/* Created counters overflow by themselves, in the call that passes the threshold. */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "sde.h"

static papi_handle_t library;
static void *counter, *instant;
static long long variable;

static atomic_int calls;
static _Atomic(void *) where;
static _Atomic pthread_t who;
static int stop_from_handler = PAPI_NULL;

static void handler(int set, void *address, long long vector, void *context)
{
	(void)set;
	atomic_fetch_add(&calls, vector == 1 && context);
	atomic_store(&where, address);
	atomic_store(&who, pthread_self());
	if (stop_from_handler != PAPI_NULL)
		EXPECT_OK(PAPI_stop(stop_from_handler, NULL));
}

static __attribute__((noinline)) void count(void *handle, int n)
{
	for (int i = 0; i < n; i++)
		papi_sde_inc_counter(handle, 1);
}

static int armed(const char *name, int threshold, int flags, int expected)
{
	int set = sde_set(name), code;

	EXPECT_OK(PAPI_event_name_to_code(name, &code));
	EXPECT_STATUS(expected, PAPI_overflow(set, code, threshold, flags, handler));
	atomic_store(&calls, 0);
	return set;
}

/* As often as the threshold fits into the count, at the call, in its thread. */
static void at_the_call(void)
{
	int set = armed("sde:::o::counter", 10, PAPI_OVERFLOW_HARDWARE, PAPI_OK);

	count(counter, 25);
	EXPECT_EQUAL(0, atomic_load(&calls));
	EXPECT_OK(PAPI_start(set));
	count(counter, 9);
	EXPECT_EQUAL(0, atomic_load(&calls));
	count(counter, 1);
	EXPECT_EQUAL(1, atomic_load(&calls));
	EXPECT(pthread_equal(atomic_load(&who), pthread_self()));
	EXPECT((char *)atomic_load(&where) > (char *)count && (char *)atomic_load(&where) < (char *)count + 500);
	count(counter, 990);
	EXPECT_EQUAL(100, atomic_load(&calls));
	/* A step over several thresholds is one call. */
	EXPECT_OK(papi_sde_inc_counter(counter, 35));
	EXPECT_EQUAL(101, atomic_load(&calls));
	EXPECT_OK(papi_sde_inc_counter(counter, 5));
	EXPECT_EQUAL(102, atomic_load(&calls));
	EXPECT_EQUAL(1040, sde_stop(set));
	count(counter, 100);
	EXPECT_EQUAL(102, atomic_load(&calls));
	/* A fresh period. */
	EXPECT_OK(PAPI_start(set));
	count(counter, 10);
	EXPECT_EQUAL(103, atomic_load(&calls));
	EXPECT_EQUAL(10, sde_stop(set));
	sde_discard(set);
	count(counter, 100);
	EXPECT_EQUAL(103, atomic_load(&calls));
}

/* Without a flag too; a counter that is read as it stands; what is taken off by a reset does not count again. */
static void without_a_flag(void)
{
	int set = armed("sde:::o::instant", 10, 0, PAPI_OK);

	EXPECT_OK(PAPI_start(set));
	count(instant, 10);
	EXPECT_OK(papi_sde_reset_counter(instant));
	count(instant, 10);
	EXPECT_EQUAL(2, atomic_load(&calls));
	EXPECT_EQUAL(10, sde_stop(set));
	sde_discard(set);
}

/* Two sets with thresholds of their own, and one that a handler stops. */
static void several_sets(void)
{
	int tens = armed("sde:::o::counter", 10, 0, PAPI_OK), hundreds = armed("sde:::o::counter", 100, 0, PAPI_OK);

	EXPECT_OK(PAPI_start(tens));
	EXPECT_OK(PAPI_start(hundreds));
	count(counter, 300);
	EXPECT_EQUAL(33, atomic_load(&calls));
	stop_from_handler = tens;
	count(counter, 10);
	stop_from_handler = PAPI_NULL;
	count(counter, 190);
	EXPECT_EQUAL(33 + 1 + 2, atomic_load(&calls));
	EXPECT_EQUAL(310, sde_read(tens));
	EXPECT_EQUAL(500, sde_stop(hundreds));
	sde_discard(tens);
	sde_discard(hundreds);
}

static void *count_thousands(void *unused)
{
	(void)unused;
	count(counter, 5000);
	return NULL;
}

/* Several threads add; each threshold is passed by one of them. What comes while another is inside is told later. */
static void several_threads(void)
{
	int set = armed("sde:::o::counter", 1000, PAPI_OVERFLOW_HARDWARE, PAPI_OK);
	pthread_t threads[4];

	EXPECT_OK(PAPI_start(set));
	for (size_t i = 0; i < COUNT_OF(threads); i++)
		REQUIRE(pthread_create(&threads[i], NULL, count_thousands, NULL) == 0);
	for (size_t i = 0; i < COUNT_OF(threads); i++)
		pthread_join(threads[i], NULL);
	EXPECT_EQUAL(20000, sde_stop(set));
	EXPECT_BETWEEN(1, atomic_load(&calls), 20);
	sde_discard(set);
}

/* Whose count is the program's own, or is not there yet, cannot tell. */
static void refused(void)
{
	int set = sde_set("sde:::o::variable"), code;

	EXPECT_OK(PAPI_event_name_to_code("sde:::o::variable", &code));
	EXPECT_ERROR(
		PAPI_ENOSUPP, "papi_sde_create_counter", PAPI_overflow(set, code, 10, PAPI_OVERFLOW_HARDWARE, handler));
	EXPECT_OK(PAPI_overflow(set, code, 10, 0, handler));
	sde_discard(set);
	set = sde_set("sde:::o::coming");
	EXPECT_OK(PAPI_event_name_to_code("sde:::o::coming", &code));
	EXPECT_ERROR(
		PAPI_ENOSUPP, "papi_sde_create_counter", PAPI_overflow(set, code, 10, PAPI_OVERFLOW_HARDWARE, handler));
	sde_discard(set);
}

static void ended(void)
{
	int set;
	void *handle;

	EXPECT_OK(papi_sde_create_counter(library, "ending", PAPI_SDE_DELTA, &handle));
	set = armed("sde:::o::ending", 10, PAPI_OVERFLOW_HARDWARE, PAPI_OK);
	EXPECT_OK(papi_sde_unregister_counter(library, "ending"));
	EXPECT_ERROR(PAPI_ENOSUPP, "any more", PAPI_start(set));
	EXPECT_OK(papi_sde_create_counter(library, "ending", PAPI_SDE_DELTA, &handle));
	EXPECT_OK(PAPI_start(set));
	count(handle, 10);
	EXPECT_EQUAL(1, atomic_load(&calls));
	EXPECT_EQUAL(10, sde_stop(set));
	sde_discard(set);
}

int main(void)
{
	static const struct test tests[] = {
		{ "at the call", at_the_call },
		{ "without a flag", without_a_flag },
		{ "several sets", several_sets },
		{ "several threads", several_threads },
		{ "refused", refused },
		{ "ended", ended },
	};
	int status;

	sde_begin();
	library = papi_sde_init("o");
	REQUIRE(library != NULL);
	REQUIRE_OK(papi_sde_create_counter(library, "counter", PAPI_SDE_RO | PAPI_SDE_DELTA, &counter));
	REQUIRE_OK(papi_sde_create_counter(library, "instant", PAPI_SDE_RO | PAPI_SDE_INSTANT, &instant));
	REQUIRE_OK(papi_sde_register_counter(library, "variable", PAPI_SDE_RO, PAPI_SDE_long_long, &variable));
	status = check_run(tests, COUNT_OF(tests));
	EXPECT_OK(papi_sde_shutdown(library));
	PAPI_shutdown();
	return status;
}
