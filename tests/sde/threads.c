/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads that count, record, register and end at once, and processes that fork meanwhile. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sde.h"

#define THREADS 4
#define ROUNDS  20000

static papi_handle_t library;
static void *counter, *recorder;

static void *count(void *unused)
{
	(void)unused;
	for (int i = 0; i < ROUNDS; i++) {
		papi_sde_inc_counter(counter, 3);
		if (i % 16 == 0)
			papi_sde_record(recorder, sizeof(i), &i);
	}
	return NULL;
}

static void in_threads(void *(*function)(void *), size_t n)
{
	pthread_t threads[THREADS];

	for (size_t i = 0; i < n; i++)
		REQUIRE(pthread_create(&threads[i], NULL, function, NULL) == 0);
	for (size_t i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
}

static void nothing_is_lost(void)
{
	int set = sde_set("sde:::t::counter"), recorded = sde_set("sde:::t::recorder:CNT");

	EXPECT_OK(PAPI_start(set));
	EXPECT_OK(PAPI_start(recorded));
	in_threads(count, THREADS);
	EXPECT_EQUAL(3LL * THREADS * ROUNDS, sde_stop(set));
	EXPECT_EQUAL(THREADS * ((ROUNDS + 15) / 16), sde_stop(recorded));
	sde_discard(set);
	sde_discard(recorded);
}

static atomic_bool done;
static atomic_int good_reads;

/* The variable is gone for certain once it is unregistered: AddressSanitizer sees a read that comes later. */
static void *come_and_go(void *unused)
{
	(void)unused;
	for (int i = 0; i < 300 || (atomic_load(&good_reads) < 10 && i < 100000); i++) {
		long long *variable = malloc(sizeof(*variable));

		*variable = i;
		EXPECT_OK(papi_sde_register_counter(
			library, "coming", PAPI_SDE_RO | PAPI_SDE_INSTANT, PAPI_SDE_long_long, variable));
		EXPECT_OK(papi_sde_add_counter_to_group(library, "coming", "group", PAPI_SDE_SUM));
		usleep(20);
		EXPECT_OK(papi_sde_unregister_counter(library, "coming"));
		free(variable);
	}
	atomic_store(&done, true);
	return NULL;
}

static void reads_while_it_ends(void)
{
	int set, group, cidx = PAPI_get_component_index("sde");
	long long value, old = 1;
	pthread_t thread;

	EXPECT_OK(
		papi_sde_register_counter(library, "coming", PAPI_SDE_RO | PAPI_SDE_INSTANT, PAPI_SDE_long_long, &old));
	set = sde_set("sde:::t::coming");
	EXPECT_OK(papi_sde_add_counter_to_group(library, "coming", "group", PAPI_SDE_SUM));
	group = sde_set("sde:::t::group");
	EXPECT_OK(papi_sde_unregister_counter(library, "coming"));
	REQUIRE(pthread_create(&thread, NULL, come_and_go, NULL) == 0);
	while (!atomic_load(&done)) {
		int code = PAPI_NATIVE_MASK, status = PAPI_start(set);

		EXPECT(status == PAPI_OK || status == PAPI_ENOEVNT);
		if (status == PAPI_OK) {
			status = PAPI_stop(set, &value);
			EXPECT(status == PAPI_OK || status == PAPI_ENOEVNT);
			atomic_fetch_add(&good_reads, status == PAPI_OK);
		}
		status = PAPI_start(group);
		EXPECT(status == PAPI_OK || status == PAPI_ENOEVNT);
		if (status == PAPI_OK)
			PAPI_stop(group, &value);
		for (status = PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, cidx); status == PAPI_OK;)
			status = PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, cidx);
	}
	pthread_join(thread, NULL);
	EXPECT(atomic_load(&good_reads) > 0);
	sde_discard(set);
	sde_discard(group);
}

static atomic_int overflows;

static void overflowed(int set, void *address, long long vector, void *context)
{
	(void)set;
	(void)address;
	(void)context;
	atomic_fetch_add(&overflows, vector == 1);
}

/* Asked to, the timer of the set compares; the count stays exact. */
static void overflow(void)
{
	int set = PAPI_NULL, code;
	long long done_so_far = 0;

	REQUIRE_OK(PAPI_create_eventset(&set));
	REQUIRE_OK(PAPI_add_named_event(set, "sde:::t::counter"));
	REQUIRE_OK(PAPI_event_name_to_code("sde:::t::counter", &code));
	EXPECT_OK(PAPI_overflow(set, code, 1000, PAPI_OVERFLOW_FORCE_SW, overflowed));
	EXPECT_OK(PAPI_start(set));
	/* Until two ticks of the timer have seen new counts, however slow the machine is; a minute is for ever. */
	for (long long limit = PAPI_get_virt_usec() + 60000000;
		atomic_load(&overflows) < 2 && PAPI_get_virt_usec() < limit; done_so_far += 3)
		papi_sde_inc_counter(counter, 3);
	EXPECT(atomic_load(&overflows) >= 2);
	EXPECT_EQUAL(done_so_far, sde_stop(set));
	EXPECT_OK(PAPI_overflow(set, code, 0, 0, NULL));
	sde_discard(set);
}

static atomic_int counting;

/* For ever, so that forks find it in the middle of something. */
static void *count_on(void *unused)
{
	(void)unused;
	while (atomic_load(&counting) > 0)
		count(NULL);
	atomic_fetch_sub(&counting, 1);
	return NULL;
}

static void use_it_all(void)
{
	int set = sde_set("sde:::t::counter"), value = 7;

	alarm(60);
	EXPECT_OK(PAPI_start(set));
	EXPECT_OK(papi_sde_inc_counter(counter, 5));
	EXPECT_OK(papi_sde_record(recorder, sizeof(value), &value));
	EXPECT_EQUAL(5, sde_stop(set));
	EXPECT_OK(papi_sde_shutdown(library));
}

/* The child has its own copy of the counters, and can use and end everything, whatever other threads were doing. */
static void forks(void)
{
	atomic_store(&counting, 2);
	/* Detached: in a child ThreadSanitizer would miss that they are joined. */
	for (int i = 0; i < 2; i++) {
		pthread_t thread;

		REQUIRE(pthread_create(&thread, NULL, count_on, NULL) == 0 && pthread_detach(thread) == 0);
	}
	for (int i = 0; i < 20; i++) {
		pid_t child = fork();
		int status = -1;

		if (child == 0) {
			use_it_all();
			_exit(check_failures() > 0);
		}
		REQUIRE(child > 0 && waitpid(child, &status, 0) == child);
		EXPECT_EQUAL(0, status);
		EXPECT_OK(papi_sde_reset_recorder(recorder));
	}
	atomic_store(&counting, 0);
	while (atomic_load(&counting) > -2)
		usleep(1000);
}

int main(void)
{
	static const struct test tests[] = {
		{ "nothing is lost", nothing_is_lost },
		{ "reads while it ends", reads_while_it_ends },
		{ "overflow", overflow },
		{ "forks", forks },
	};
	int status;

	sde_begin();
	library = papi_sde_init("t");
	REQUIRE(library != NULL);
	REQUIRE_OK(papi_sde_create_counter(library, "counter", PAPI_SDE_RO | PAPI_SDE_DELTA, &counter));
	REQUIRE_OK(papi_sde_create_recorder(library, "recorder", sizeof(int), papi_sde_compare_int, &recorder));
	status = check_run(tests, COUNT_OF(tests));
	EXPECT_OK(papi_sde_shutdown(library));
	PAPI_shutdown();
	return status;
}
