/* SPDX-License-Identifier: BSD-3-Clause */
/* What threads share: one set used by all of them, names that are new to everybody, locks, ids and settings. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"
#include "work.h"

#define THREADS 16
#define ROUNDS  200

static pthread_barrier_t barrier;
static atomic_bool over;

/* Runs function in many threads; each is given its number. */
static void in_threads(void *(*function)(void *))
{
	static int numbers[THREADS];
	pthread_t threads[THREADS];

	pthread_barrier_init(&barrier, NULL, THREADS);
	for (int i = 0; i < THREADS; i++) {
		numbers[i] = i;
		REQUIRE(pthread_create(&threads[i], NULL, function, &numbers[i]) == 0);
	}
	for (int i = 0; i < THREADS; i++)
		REQUIRE(pthread_join(threads[i], NULL) == 0);
	pthread_barrier_destroy(&barrier);
}

static int shared_set;
static atomic_llong taken;

/* Everybody takes counts out of the set while it runs. What one takes no other gets, and nothing is lost. */
static void *take(void *unused)
{
	(void)unused;
	while (!atomic_load(&over)) {
		long long values[2] = { 0, 0 };

		EXPECT_OK(PAPI_accum(shared_set, values));
		EXPECT(values[0] >= 0);
		EXPECT(values[1] >= 0);
		atomic_fetch_add(&taken, values[0]);
	}
	return NULL;
}

static void a_set_that_all_take_from(void)
{
	static struct work_cell cell;
	pthread_t threads[THREADS];
	char name[WORK_NAME];
	long long values[2];

	work_name(name, &cell, "/8:w");
	shared_set = work_set(name, "perf::TASK-CLOCK", NULL);
	atomic_store(&over, false);
	atomic_store(&taken, 0);
	EXPECT_OK(PAPI_start(shared_set));
	for (size_t i = 0; i < THREADS; i++)
		REQUIRE(pthread_create(&threads[i], NULL, take, NULL) == 0);
	for (int i = 0; i < ROUNDS; i++)
		work_store(&cell, 50);
	atomic_store(&over, true);
	for (size_t i = 0; i < THREADS; i++)
		REQUIRE(pthread_join(threads[i], NULL) == 0);
	work_stop_values(shared_set, values, COUNT_OF(values));
	EXPECT_EQUAL(50 * ROUNDS, atomic_load(&taken) + values[0]);
	work_discard(shared_set);
}

static bool one_of(int status, int first, int second)
{
	return status == first || status == second;
}

/* Start, stop, read, add and remove by all at once: each call finds the set in one state or the other. */
static void *use(void *argument)
{
	int number = *(int *)argument;

	for (int round = 0; round < ROUNDS; round++) {
		long long values[4];
		int status;

		switch ((number + round) % 6) {
		case 0:
			EXPECT(one_of(PAPI_start(shared_set), PAPI_OK, PAPI_EISRUN));
			break;
		case 1:
			EXPECT(one_of(PAPI_stop(shared_set, values), PAPI_OK, PAPI_ENOTRUN));
			break;
		case 2:
			work_read_values(shared_set, values, COUNT_OF(values));
			break;
		case 3:
			status = PAPI_add_named_event(shared_set, "perf::CPU-CLOCK");
			EXPECT(status == PAPI_OK || status == PAPI_ECNFLCT || status == PAPI_EISRUN);
			break;
		case 4:
			status = PAPI_remove_named_event(shared_set, "perf::CPU-CLOCK");
			EXPECT(status == PAPI_OK || status == PAPI_ENOEVNT || status == PAPI_EISRUN);
			break;
		case 5:
			EXPECT_OK(PAPI_state(shared_set, &status));
			EXPECT(one_of(status, PAPI_RUNNING, PAPI_STOPPED));
			EXPECT(one_of(PAPI_num_events(shared_set), 1, 2));
			break;
		}
	}
	return NULL;
}

static void a_set_that_all_change(void)
{
	int status;

	shared_set = work_set("perf::TASK-CLOCK", NULL, NULL);
	in_threads(use);
	status = PAPI_stop(shared_set, NULL);
	EXPECT(one_of(status, PAPI_OK, PAPI_ENOTRUN));
	work_discard(shared_set);
}

/* A set may be destroyed while others look at it: they find it, or they are told that it is gone. */
static atomic_int handle;

static void *make_or_look(void *argument)
{
	int number = *(int *)argument;

	for (int round = 0; round < ROUNDS; round++) {
		int set = PAPI_NULL, state;

		if (number == 0) {
			EXPECT_OK(PAPI_create_eventset(&set));
			EXPECT_OK(PAPI_add_named_event(set, "rusage:::utime"));
			atomic_store(&handle, set);
			/* Others may start it in between. */
			while (PAPI_cleanup_eventset(set) == PAPI_EISRUN)
				PAPI_stop(set, NULL);
			EXPECT_OK(PAPI_destroy_eventset(&set));
		} else {
			int status = PAPI_state(atomic_load(&handle), &state);

			EXPECT(one_of(status, PAPI_OK, PAPI_ENOEVST));
			status = PAPI_start(atomic_load(&handle));
			EXPECT(status == PAPI_OK || status == PAPI_ENOEVST || status == PAPI_EISRUN ||
				status == PAPI_EINVAL);
			status = PAPI_stop(atomic_load(&handle), NULL);
			/* getrusage(2) is for the thread that started it. */
			EXPECT(status == PAPI_OK || status == PAPI_ENOEVST || status == PAPI_ENOTRUN ||
				status == PAPI_ECMP);
		}
	}
	return NULL;
}

static void a_set_that_goes_away(void)
{
	atomic_store(&handle, PAPI_NULL);
	in_threads(make_or_look);
}

/* All ask for the same name at the same moment, one that nobody has asked for: one code, and it is known to all. */
static atomic_int codes[ROUNDS][THREADS];

static void *ask_for_names(void *argument)
{
	int number = *(int *)argument;

	for (int round = 0; round < ROUNDS; round++) {
		char name[WORK_NAME], again[PAPI_MAX_STR_LEN];
		PAPI_event_info_t info;
		int code = 0;

		snprintf(name, sizeof(name), "mem:0x%x/8:w", 0x100000 + 8 * round);
		pthread_barrier_wait(&barrier);
		EXPECT_OK(PAPI_event_name_to_code(name, &code));
		EXPECT_OK(PAPI_event_code_to_name(code, again));
		EXPECT_TEXT(name, again);
		EXPECT_EQUAL(0, PAPI_get_event_component(code));
		EXPECT_OK(PAPI_query_event(code));
		EXPECT_OK(PAPI_get_event_info(code, &info));
		EXPECT_TEXT(name, info.symbol);
		atomic_store(&codes[round][number], code);
	}
	return NULL;
}

static void names_that_are_new(void)
{
	in_threads(ask_for_names);
	for (int round = 0; round < ROUNDS; round++)
		for (int i = 1; i < THREADS; i++)
			EXPECT_EQUAL(codes[round][0], codes[round][i]);
}

/* The library's locks are locks. */
static int guarded[PAPI_NUM_LOCK];

static void *count_under_lock(void *unused)
{
	(void)unused;
	for (int round = 0; round < ROUNDS; round++) {
		for (int lock = 0; lock < PAPI_NUM_LOCK; lock++) {
			EXPECT_OK(PAPI_lock(lock));
			guarded[lock]++;
			EXPECT_OK(PAPI_unlock(lock));
		}
	}
	return NULL;
}

static void locks(void)
{
	in_threads(count_under_lock);
	EXPECT_EQUAL(THREADS * ROUNDS, guarded[PAPI_USR1_LOCK]);
	EXPECT_EQUAL(THREADS * ROUNDS, guarded[PAPI_USR2_LOCK]);
}

static unsigned long kernel_id(void)
{
	return (unsigned long)syscall(SYS_gettid) + 1000000;
}

static bool listed(unsigned long id)
{
	unsigned long ids[4 * THREADS];
	int number = 4 * THREADS;

	EXPECT_OK(PAPI_list_threads(ids, &number));
	for (int i = 0; i < number && i < 4 * THREADS; i++)
		if (ids[i] == id)
			return true;
	return false;
}

/* Each has its own error, pointers and id. */
static void *be_yourself(void *argument)
{
	int number = *(int *)argument;
	void *pointer = &number;
	char expected[32];

	EXPECT_TEXT("", PAPI_error_detail());
	EXPECT_OK(PAPI_get_thr_specific(PAPI_USR1_TLS, &pointer));
	EXPECT(pointer == NULL);
	EXPECT(!listed(kernel_id()));
	EXPECT_OK(PAPI_register_thread());
	EXPECT_OK(PAPI_register_thread());
	EXPECT(listed(kernel_id()));
	EXPECT_EQUAL((long long)kernel_id(), (long long)PAPI_thread_id());
	EXPECT_OK(PAPI_set_thr_specific(PAPI_USR1_TLS, &number));
	EXPECT_OK(PAPI_set_thr_specific(PAPI_USR2_TLS, expected));
	EXPECT_STATUS(PAPI_ENOEVST, PAPI_num_events(100000 + number));
	pthread_barrier_wait(&barrier);
	snprintf(expected, sizeof(expected), "%d", 100000 + number);
	EXPECT(strstr(PAPI_error_detail(), expected) != NULL);
	EXPECT_OK(PAPI_get_thr_specific(PAPI_USR1_TLS, &pointer));
	EXPECT(pointer == &number);
	EXPECT_OK(PAPI_get_thr_specific(PAPI_USR2_TLS, &pointer));
	EXPECT(pointer == expected);
	EXPECT_OK(PAPI_unregister_thread());
	EXPECT_OK(PAPI_unregister_thread());
	EXPECT(!listed(kernel_id()));
	EXPECT_OK(PAPI_get_thr_specific(PAPI_USR1_TLS, &pointer));
	EXPECT(pointer == NULL);
	return NULL;
}

static void what_is_of_one_thread(void)
{
	EXPECT_OK(PAPI_thread_init(kernel_id));
	EXPECT_EQUAL(PAPI_LOW_LEVEL_INITED | PAPI_THREAD_LEVEL_INITED, PAPI_is_initialized());
	in_threads(be_yourself);
}

static const int options[] = { PAPI_DEFDOM, PAPI_DEFGRN, PAPI_MAX_HWCTRS, PAPI_MAX_MPX_CTRS, PAPI_MAX_CPUS };
static int settings[COUNT_OF(options)];

/* Everybody asks for settings and makes one, until the thread of number 0 has shut the library down often enough. */
static void *ask_for_settings(void *argument)
{
	int number = *(int *)argument, which = number % (int)COUNT_OF(options);

	pthread_barrier_wait(&barrier);
	for (int i = 0; i < ROUNDS && number == 0; i++) {
		PAPI_shutdown();
		EXPECT_EQUAL(PAPI_VER_CURRENT, PAPI_library_init(PAPI_VER_CURRENT));
	}
	if (number == 0)
		atomic_store(&over, true);
	while (!atomic_load(&over)) {
		int made = PAPI_set_cmp_domain(PAPI_DOM_USER, 0), asked = PAPI_get_opt(options[which], NULL);

		EXPECT(made == PAPI_OK || made == PAPI_ENOINIT);
		EXPECT(asked == settings[which] || asked == PAPI_ENOINIT);
	}
	return NULL;
}

static void settings_that_are_forgotten(void)
{
	for (size_t i = 0; i < COUNT_OF(options); i++) {
		settings[i] = PAPI_get_opt(options[i], NULL);
		EXPECT(settings[i] >= 0);
	}
	atomic_store(&over, false);
	in_threads(ask_for_settings);
	EXPECT_EQUAL(PAPI_DOM_USER, PAPI_get_opt(PAPI_DEFDOM, NULL));
}

int main(void)
{
	static const struct test tests[] = {
		{ "a set that all take from", a_set_that_all_take_from },
		{ "a set that all change", a_set_that_all_change },
		{ "a set that goes away", a_set_that_goes_away },
		{ "names that are new", names_that_are_new },
		{ "locks", locks },
		{ "what is of one thread", what_is_of_one_thread },
		{ "settings that are forgotten", settings_that_are_forgotten },
	};

	work_begin();
	work_need_breakpoints();
	return work_end(check_run(tests, COUNT_OF(tests)));
}
