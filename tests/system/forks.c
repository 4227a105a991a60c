/* SPDX-License-Identifier: BSD-3-Clause */
/* fork(2) and exec(2): the child can use the library at once, and the parent does not notice. */
#include <dirent.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "work.h"

static struct work_cell cell;
static char cell_writes[WORK_NAME];

static int set, other; /* of the parent */
static long long last; /* what the parent read last */

static int counting_set(void)
{
	return work_set(cell_writes, NULL, NULL);
}

static void count_here(int where, unsigned long n)
{
	EXPECT_OK(PAPI_start(where));
	work_store(&cell, n);
	EXPECT_EQUAL((long long)n, work_stop(where));
}

/* Sets of the child's own, names it has not seen, and everything that asks for the state of the library. */
static void use_the_library(void)
{
	int own = counting_set(), code, number = 4;
	unsigned long threads[4];

	EXPECT_EQUAL(PAPI_LOW_LEVEL_INITED, PAPI_is_initialized() & PAPI_LOW_LEVEL_INITED);
	EXPECT_EQUAL(PAPI_VER_CURRENT, PAPI_library_init(PAPI_VER_CURRENT));
	count_here(own, 12);
	EXPECT_OK(PAPI_event_name_to_code("perf::MAJOR-FAULTS", &code));
	EXPECT_OK(PAPI_add_event(own, code));
	EXPECT_OK(PAPI_start(own));
	EXPECT_OK(PAPI_stop(own, NULL));
	work_discard(own);
	/* This thread came along; the others of the parent did not. */
	EXPECT_OK(PAPI_list_threads(threads, &number));
	EXPECT_EQUAL(1, number);
}

static void child_of_a_running_set(void)
{
	long long value = -1;
	int state;

	EXPECT_OK(PAPI_state(set, &state));
	EXPECT_EQUAL(PAPI_STOPPED, state);
	EXPECT_OK(PAPI_read(set, &value));
	EXPECT_EQUAL(last, value);
	EXPECT_ERROR(PAPI_ENOTRUN, "not counting", PAPI_stop(set, &value));
	/* It counts the child once it is started here. */
	count_here(set, 7);
	EXPECT_OK(PAPI_read(set, &value));
	EXPECT_EQUAL(7, value);
	use_the_library();
	work_discard(set);
}

/* The parent's set counts on, and nothing of what the child does. */
static void a_running_set(void)
{
	set = counting_set();
	for (unsigned long round = 1; round <= 5; round++) {
		EXPECT_OK(PAPI_start(set));
		work_store(&cell, 10 * round);
		EXPECT_OK(PAPI_read(set, &last));
		EXPECT_EQUAL(0, work_in_process(child_of_a_running_set));
		work_store(&cell, 5);
		EXPECT_EQUAL(10 * (long long)round + 5, work_stop(set));
	}
	work_discard(set);
}

/* The same where the parent has not read, and where it has written values. */
static void a_running_set_nobody_has_read(void)
{
	long long value = 1000;

	set = counting_set();
	EXPECT_OK(PAPI_start(set));
	work_store(&cell, 30);
	EXPECT_OK(PAPI_stop(set, NULL));
	EXPECT_OK(PAPI_start(set));
	work_store(&cell, 20);
	last = 20;
	EXPECT_EQUAL(0, work_in_process(child_of_a_running_set));
	EXPECT_OK(PAPI_write(set, &value));
	work_store(&cell, 3);
	last = 1003;
	EXPECT_EQUAL(0, work_in_process(child_of_a_running_set));
	EXPECT_EQUAL(1003, work_stop(set));
	work_discard(set);
}

static void child_of_a_stopped_set(void)
{
	long long value = -1;

	EXPECT_OK(PAPI_read(set, &value));
	EXPECT_EQUAL(last, value);
	count_here(set, 7);
	/* Events come and go as in any process. */
	EXPECT_OK(PAPI_add_named_event(set, "perf::TASK-CLOCK"));
	EXPECT_OK(PAPI_remove_named_event(set, cell_writes));
	EXPECT_OK(PAPI_start(set));
	EXPECT_OK(PAPI_stop(set, NULL));
	use_the_library();
	PAPI_shutdown();
}

static void a_stopped_set(void)
{
	set = counting_set();
	other = work_set(cell_writes, "rusage:::utime", NULL);
	count_here(set, 25);
	last = 25;
	EXPECT_EQUAL(0, work_in_process(child_of_a_stopped_set));
	count_here(set, 26);
	work_discard(set);
	work_discard(other);
}

static void child_of_a_mixed_set(void)
{
	long long values[2] = { -1, -1 };
	int state;

	EXPECT_OK(PAPI_state(set, &state));
	EXPECT_EQUAL(PAPI_STOPPED, state);
	work_read_values(set, values, COUNT_OF(values));
	EXPECT_EQUAL(last, values[0]);
	EXPECT_OK(PAPI_start(set));
	work_store(&cell, 8);
	work_stop_values(set, values, COUNT_OF(values));
	EXPECT_EQUAL(8, values[0]);
	EXPECT(values[1] >= 0);
}

static void sets_of_two_components(void)
{
	long long values[2];

	set = work_set(cell_writes, "rusage:::minflt", NULL);
	EXPECT_OK(PAPI_start(set));
	work_store(&cell, 15);
	work_read_values(set, values, COUNT_OF(values));
	last = 15;
	EXPECT_EQUAL(0, work_in_process(child_of_a_mixed_set));
	work_store(&cell, 1);
	work_stop_values(set, values, COUNT_OF(values));
	EXPECT_EQUAL(16, values[0]);
	work_discard(set);
}

/* Stopping, emptying and shutting down in the child closes copies; the parent's counters are not touched. */
static void child_that_cleans_up(void)
{
	int handle = set;

	EXPECT_OK(PAPI_cleanup_eventset(set));
	EXPECT_OK(PAPI_destroy_eventset(&handle));
	PAPI_shutdown();
	EXPECT_ERROR(PAPI_ENOINIT, "PAPI_library_init", PAPI_read(set, &last));
	REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
	use_the_library();
	PAPI_shutdown();
}

static void a_child_that_cleans_up(void)
{
	set = counting_set();
	EXPECT_OK(PAPI_start(set));
	work_store(&cell, 5);
	EXPECT_EQUAL(0, work_in_process(child_that_cleans_up));
	work_store(&cell, 5);
	EXPECT_EQUAL(10, work_stop(set));
	count_here(set, 4);
	work_discard(set);
}

static void grandchild(void)
{
	count_here(set, 3);
	use_the_library();
}

static void child_with_a_child(void)
{
	EXPECT_OK(PAPI_start(set));
	work_store(&cell, 9);
	EXPECT_EQUAL(0, work_in_process(grandchild));
	work_store(&cell, 1);
	EXPECT_EQUAL(10, work_stop(set));
}

static void a_child_with_a_child(void)
{
	set = counting_set();
	EXPECT_OK(PAPI_start(set));
	work_store(&cell, 2);
	EXPECT_EQUAL(0, work_in_process(child_with_a_child));
	EXPECT_EQUAL(2, work_stop(set));
	work_discard(set);
}

/* The set belongs to another thread of the parent, which does not exist in the child. */
static void *run_set(void *barrier)
{
	EXPECT_OK(PAPI_start(other));
	work_store(&cell, 40);
	pthread_barrier_wait(barrier);
	pthread_barrier_wait(barrier);
	work_store(&cell, 2);
	EXPECT_EQUAL(42, work_stop(other));
	return NULL;
}

static void child_of_another_threads_set(void)
{
	long long value;
	int state;

	EXPECT_OK(PAPI_state(other, &state));
	EXPECT_EQUAL(PAPI_STOPPED, state);
	EXPECT_OK(PAPI_read(other, &value));
	EXPECT_EQUAL(40, value);
	count_here(other, 6);
	use_the_library();
}

static void a_set_of_another_thread(void)
{
	pthread_barrier_t barrier;
	pthread_t thread;

	other = counting_set();
	pthread_barrier_init(&barrier, NULL, 2);
	REQUIRE(pthread_create(&thread, NULL, run_set, &barrier) == 0);
	pthread_barrier_wait(&barrier);
	EXPECT_EQUAL(0, work_in_process(child_of_another_threads_set));
	pthread_barrier_wait(&barrier);
	REQUIRE(pthread_join(thread, NULL) == 0);
	pthread_barrier_destroy(&barrier);
	work_discard(other);
}

/* How many descriptors are perf events. */
static int perf_descriptors(void)
{
	DIR *directory = opendir("/proc/self/fd");
	int n = 0;

	REQUIRE(directory != NULL);
	for (const struct dirent *entry; (entry = readdir(directory));) {
		char path[300], target[64];
		ssize_t length;

		snprintf(path, sizeof(path), "/proc/self/fd/%s", entry->d_name);
		length = readlink(path, target, sizeof(target) - 1);
		target[length > 0 ? length : 0] = '\0';
		n += strstr(target, "perf_event") != NULL;
	}
	closedir(directory);
	return n;
}

/* The child gives what it uses back, as if it had never been the parent's. */
static void child_that_counts_descriptors(void)
{
	int before;

	/* Nothing of the parent's is open here, although its sets are there. */
	EXPECT_EQUAL(0, perf_descriptors());
	EXPECT_EQUAL(3, PAPI_num_events(set));
	work_discard(set);
	before = work_descriptors();
	use_the_library();
	EXPECT_EQUAL(before, work_descriptors());
	PAPI_shutdown();
	EXPECT_EQUAL(before, work_descriptors());
}

static void descriptors(void)
{
	int before = work_descriptors();

	set = work_set(cell_writes, "perf::TASK-CLOCK", "perf::MAJOR-FAULTS");
	EXPECT_EQUAL(before + 3, work_descriptors());
	EXPECT_EQUAL(0, work_in_process(child_that_counts_descriptors));
	EXPECT_EQUAL(before + 3, work_descriptors());
	work_discard(set);
	EXPECT_EQUAL(before, work_descriptors());
}

/* posix_spawn(3) has no child of fork(2) in between, where the library could have closed them. */
static void nothing_survives_exec(void)
{
	char *const arguments[] = { "forks", "descriptors", NULL };
	pid_t child;

	set = work_set(cell_writes, "perf::TASK-CLOCK", "perf::MAJOR-FAULTS");
	EXPECT_OK(PAPI_start(set));
	EXPECT_EQUAL(3, perf_descriptors());
	REQUIRE(posix_spawn(&child, "/proc/self/exe", NULL, NULL, arguments, environ) == 0);
	EXPECT_EQUAL(0, work_wait(child));
	EXPECT_OK(PAPI_stop(set, NULL));
	work_discard(set);
}

int main(int argc, char **argv)
{
	static const struct test tests[] = {
		{ "a running set", a_running_set },
		{ "a running set nobody has read", a_running_set_nobody_has_read },
		{ "a stopped set", a_stopped_set },
		{ "sets of two components", sets_of_two_components },
		{ "a child that cleans up", a_child_that_cleans_up },
		{ "a child with a child", a_child_with_a_child },
		{ "a set of another thread", a_set_of_another_thread },
		{ "descriptors", descriptors },
		{ "nothing survives exec", nothing_survives_exec },
	};

	/* The child of the last test. */
	if (argc == 2 && strcmp(argv[1], "descriptors") == 0)
		return perf_descriptors();
	work_begin();
	work_need_breakpoints();
	work_name(cell_writes, &cell, "/8:w");
	return work_end(check_run(tests, COUNT_OF(tests)));
}
