/* SPDX-License-Identifier: BSD-3-Clause */
/* core/handles.h: which handles mean a set, which do not, and who may be inside one. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sanitizers.h"
#include "base/error.h"
#include "base/lock.h"
#include "core/handles.h"
#include "sets.h"

#define SLOTS       (1 << PAPI_HANDLE_INDEX_BITS)
#define GENERATIONS (1 << (31 - PAPI_HANDLE_INDEX_BITS))

static struct papi_slot *slot_of(int handle)
{
	return &papi_handle_slots[handle % SLOTS];
}

static void a_handle_is_good_until_the_set_is_destroyed(void **state)
{
	int set = PAPI_NULL, handle;

	(void)state;
	assert_ok(PAPI_create_eventset(&set));
	assert_true(set >= 0);
	assert_int_equal(PAPI_num_events(set), 0);
	handle = set;
	assert_ok(PAPI_destroy_eventset(&set));
	assert_int_equal(set, PAPI_NULL);
	assert_refused(PAPI_num_events(handle), PAPI_ENOEVST, "destroyed");
	assert_refused(PAPI_destroy_eventset(&handle), PAPI_ENOEVST, "destroyed");
	assert_refused(PAPI_num_events(PAPI_NULL), PAPI_ENOEVST, "PAPI_NULL");
	assert_refused(PAPI_start(handle), PAPI_ENOEVST, "destroyed");
}

static void a_stale_handle_does_not_reach_the_next_set_of_its_slot(void **state)
{
	int first = PAPI_NULL, handle, set = PAPI_NULL, rounds = 0;

	(void)state;
	assert_ok(PAPI_create_eventset(&first));
	handle = first;
	assert_ok(PAPI_destroy_eventset(&first));
	/* Until the slot is used again. */
	do {
		if (set != PAPI_NULL)
			assert_ok(PAPI_destroy_eventset(&set));
		assert_ok(PAPI_create_eventset(&set));
		assert_true(++rounds < SLOTS);
	} while (set % SLOTS != handle % SLOTS);
	assert_int_not_equal(set, handle);
	assert_int_equal(PAPI_num_events(set), 0);
	assert_refused(PAPI_num_events(handle), PAPI_ENOEVST, "no EventSet has the handle");
	/* It takes many sets until then: generations last longer. */
	assert_in_range(rounds, 1000, SLOTS);
	assert_ok(PAPI_destroy_eventset(&set));
}

static void handles_of_before_shutdown_stay_stale(void **state)
{
	int old[10], set;

	(void)state;
	for (size_t i = 0; i < LENGTH(old); i++) {
		old[i] = PAPI_NULL;
		assert_ok(PAPI_create_eventset(&old[i]));
	}
	PAPI_shutdown();
	assert_refused(PAPI_num_events(old[0]), PAPI_ENOINIT, "PAPI_library_init");
	assert_int_equal(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
	for (int round = 0; round < 3000; round++) {
		set = PAPI_NULL;
		assert_ok(PAPI_create_eventset(&set));
		for (size_t i = 0; i < LENGTH(old); i++)
			assert_int_not_equal(set, old[i]);
		assert_ok(PAPI_destroy_eventset(&set));
	}
	for (size_t i = 0; i < LENGTH(old); i++)
		assert_refused(PAPI_num_events(old[i]), PAPI_ENOEVST, "no EventSet has the handle");
}

/* The last generation is followed by the first; a handle is never negative and never PAPI_NULL. */
static void generations_wrap(void **state)
{
	int set = PAPI_NULL, last, rounds = 0;
	unsigned index;

	(void)state;
	assert_ok(PAPI_create_eventset(&set));
	index = (unsigned)set % SLOTS;
	slot_of(set)->generation = GENERATIONS - 1;
	last = (int)((unsigned)(GENERATIONS - 1) * SLOTS + index);
	assert_true(last > 0);
	assert_refused(PAPI_num_events(set), PAPI_ENOEVST, "no EventSet has the handle");
	assert_int_equal(PAPI_num_events(last), 0);
	set = last;
	assert_ok(PAPI_destroy_eventset(&set));
	do {
		if (set != PAPI_NULL)
			assert_ok(PAPI_destroy_eventset(&set));
		assert_ok(PAPI_create_eventset(&set));
		assert_true(set >= 0);
		assert_true(++rounds < SLOTS);
	} while ((unsigned)set % SLOTS != index);
	assert_int_equal(set, index);
	assert_refused(PAPI_num_events(last), PAPI_ENOEVST, "no EventSet has the handle");
	assert_ok(PAPI_destroy_eventset(&set));
}

static void there_are_65536_sets(void **state)
{
	int *sets = malloc(SLOTS * sizeof(*sets)), one_more = PAPI_NULL, freed;

	(void)state;
	for (int i = 0; i < SLOTS; i++) {
		sets[i] = PAPI_NULL;
		if (PAPI_create_eventset(&sets[i]) != PAPI_OK)
			fail_msg("set number %d: %s", i, PAPI_error_detail());
	}
	assert_refused(PAPI_create_eventset(&one_more), PAPI_ECOUNT, "65536 EventSets already");
	assert_int_equal(one_more, PAPI_NULL);
	for (int i = 0; i < SLOTS; i++)
		assert_int_equal(PAPI_num_events(sets[i]), 0);
	freed = sets[4711];
	assert_ok(PAPI_destroy_eventset(&sets[4711]));
	assert_ok(PAPI_create_eventset(&one_more));
	assert_int_equal(one_more % SLOTS, freed % SLOTS);
	assert_int_not_equal(one_more, freed);
	assert_refused(PAPI_num_events(freed), PAPI_ENOEVST, "no EventSet has the handle");
	assert_ok(PAPI_destroy_eventset(&one_more));
	for (int i = 0; i < SLOTS; i++)
		if (i != 4711)
			assert_ok(PAPI_destroy_eventset(&sets[i]));
	free(sets);
}

static void numbers_that_are_no_handles_are_refused(void **state)
{
	int set = SET_OF("r01");
	unsigned random = 12345;

	(void)state;
	for (int i = 0; i < 100000; i++) {
		int handle;

		random = random * 1664525 + 1013904223;
		handle = (int)(i % 2 ? random : random >> 16);
		if (handle == set)
			continue;
		if (PAPI_num_events(handle) != PAPI_ENOEVST)
			fail_msg("%d is taken for a handle", handle);
	}
	assert_int_equal(PAPI_num_events(set), 1);
	destroy_set(set);
}

/* A signal handler that comes while the library works on a set: the read of the model kernel is such a moment. */
static int interrupted_set, other_set, status_inside, status_of_other;

static void use_sets(int signal)
{
	long long values[4];

	(void)signal;
	status_inside = PAPI_read(interrupted_set, values);
	status_of_other = other_set == PAPI_NULL ? PAPI_OK : PAPI_stop(other_set, values);
}

static void raise_signal(void)
{
	fake.before_read = NULL;
	raise(SIGUSR1);
}

static void a_signal_handler_may_not_use_the_set_it_interrupts(void **state)
{
	struct sigaction action = { .sa_handler = use_sets }, old;
	long long value;

	(void)state;
	interrupted_set = SET_OF("r01");
	other_set = SET_OF("r02");
	assert_int_equal(sigaction(SIGUSR1, &action, &old), 0);
	assert_ok(PAPI_start(interrupted_set));
	assert_ok(PAPI_start(other_set));
	fake_count(5);
	fake.before_read = raise_signal;
	status_inside = status_of_other = PAPI_OK;
	assert_ok(PAPI_read(interrupted_set, &value));
	assert_int_equal(value, 5);
	assert_int_equal(status_inside, PAPI_ECNFLCT);
	assert_says("a signal handler used the EventSet that the call it interrupted is working on");
	/* Other sets are free to use. */
	assert_int_equal(status_of_other, PAPI_OK);
	/* And this one is so afterwards. */
	other_set = PAPI_NULL;
	use_sets(0);
	assert_int_equal(status_inside, PAPI_OK);
	assert_ok(PAPI_stop(interrupted_set, NULL));
	assert_int_equal(sigaction(SIGUSR1, &old, NULL), 0);
}

/* ---- Who might wait for whom ---- */

static pthread_barrier_t both;
static int crossed[2];
static _Thread_local int set_of_the_other = PAPI_NULL;
static _Thread_local volatile int status_of_the_other;

static void use_that_of_the_other(int number)
{
	(void)number;
	status_of_the_other = PAPI_num_events(set_of_the_other);
}

/* Both are inside before a signal comes to either, and until both handlers are done. */
static void *be_inside_and_interrupted(void *argument)
{
	intptr_t i = (intptr_t)argument;
	struct papi_slot *slot;

	set_of_the_other = crossed[1 - i];
	if (papi_handle_enter(crossed[i], &slot) != PAPI_OK)
		return "enter";
	pthread_barrier_wait(&both);
	raise(SIGUSR1);
	pthread_barrier_wait(&both);
	papi_handle_leave(slot);
	return status_of_the_other == PAPI_ECNFLCT ? NULL : "the handler";
}

static void handlers_do_not_wait_for_each_other(void **state)
{
	struct sigaction action = { .sa_handler = use_that_of_the_other }, old;
	pthread_t threads[2];

	(void)state;
	crossed[0] = SET_OF("r01");
	crossed[1] = SET_OF("r02");
	assert_int_equal(sigaction(SIGUSR1, &action, &old), 0);
	assert_int_equal(pthread_barrier_init(&both, NULL, 2), 0);
	for (intptr_t i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, be_inside_and_interrupted, (void *)i), 0);
	for (int i = 0; i < 2; i++) {
		void *wrong;

		assert_int_equal(pthread_join(threads[i], &wrong), 0);
		assert_ptr_equal(wrong, NULL);
	}
	pthread_barrier_destroy(&both);
	assert_int_equal(sigaction(SIGUSR1, &old, NULL), 0);
	for (int i = 0; i < 2; i++)
		destroy_set(crossed[i]);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Atomic bool is_inside, go_on;

static void *be_inside_and_lock(void *argument)
{
	struct papi_slot *slot;

	if (papi_handle_enter(*(int *)argument, &slot) != PAPI_OK)
		return "enter";
	is_inside = true;
	papi_lock(&mutex);
	papi_unlock(&mutex);
	papi_handle_leave(slot);
	return NULL;
}

/* As that of names: one who is inside a set waits for it, and a handler in the one who has it uses the set. */
static void handlers_do_not_wait_for_who_waits_for_a_mutex(void **state)
{
	struct sigaction action = { .sa_handler = use_that_of_the_other }, old;
	int set = SET_OF("r01");
	pthread_t thread;
	void *wrong;

	(void)state;
	assert_int_equal(sigaction(SIGUSR1, &action, &old), 0);
	is_inside = false;
	papi_lock(&mutex);
	assert_int_equal(pthread_create(&thread, NULL, be_inside_and_lock, &set), 0);
	while (!is_inside)
		sched_yield();
	set_of_the_other = set;
	raise(SIGUSR1);
	papi_unlock(&mutex);
	assert_int_equal(status_of_the_other, PAPI_ECNFLCT);
	assert_says("waiting for the call that the handler has interrupted");
	assert_int_equal(pthread_join(thread, &wrong), 0);
	assert_ptr_equal(wrong, NULL);
	assert_int_equal(papi_locks_held, 0);
	assert_int_equal(PAPI_num_events(set), 1);
	assert_int_equal(sigaction(SIGUSR1, &old, NULL), 0);
	destroy_set(set);
}

static void *be_inside(void *argument)
{
	struct papi_slot *slot;

	if (papi_handle_enter(*(int *)argument, &slot) != PAPI_OK)
		return "enter";
	is_inside = true;
	while (!go_on)
		sched_yield();
	papi_handle_leave(slot);
	return NULL;
}

/* Whatever it waits for, nobody waits for it for ever. */
static void a_call_that_does_not_end_is_given_up(void **state)
{
	int set = SET_OF("r01");
	pthread_t thread;
	void *wrong;

	(void)state;
	is_inside = go_on = false;
	assert_int_equal(pthread_create(&thread, NULL, be_inside, &set), 0);
	while (!is_inside)
		sched_yield();
	assert_refused(PAPI_num_events(set), PAPI_ECNFLCT, "does not come to an end");
	go_on = true;
	assert_int_equal(pthread_join(thread, &wrong), 0);
	assert_ptr_equal(wrong, NULL);
	assert_int_equal(PAPI_num_events(set), 1);
	destroy_set(set);
}

#define THREADS 4
#define READS   2000

static _Atomic int failures;

static void count_one(void)
{
	fake_count(1);
}

/* Each read moves the counter by one: a read that another one got into would break the order. */
static void *read_often(void *argument)
{
	int set = *(int *)argument;
	long long last = 0, value;

	for (int i = 0; i < READS; i++) {
		if (PAPI_read(set, &value) != PAPI_OK || value <= last)
			failures++;
		last = value;
	}
	return NULL;
}

static void threads_take_turns_in_a_set(void **state)
{
	pthread_t threads[THREADS];
	long long value;
	int set = SET_OF("r01");

	(void)state;
	failures = 0;
	assert_ok(PAPI_start(set));
	fake.before_read = count_one;
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, read_often, &set), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(failures, 0);
	fake.before_read = NULL;
	assert_ok(PAPI_stop(set, &value));
	assert_int_equal(value, THREADS * READS);
	destroy_set(set);
}

/* Sets come and go while others hold stale handles of them. */
static void *create_and_destroy(void *argument)
{
	_Atomic int *published = argument;

	for (int i = 0; i < READS; i++) {
		int set = PAPI_NULL, handle, other = *published;

		if (PAPI_create_eventset(&set) != PAPI_OK)
			failures++;
		*published = handle = set;
		/* It may be there or gone by now. */
		if (PAPI_num_events(other) != 0 && papi_error_code() != PAPI_ENOEVST)
			failures++;
		if (PAPI_num_events(set) != 0 || PAPI_destroy_eventset(&set) != PAPI_OK)
			failures++;
		if (PAPI_num_events(handle) != PAPI_ENOEVST)
			failures++;
	}
	return NULL;
}

static void threads_create_and_destroy_at_once(void **state)
{
	_Atomic int published = PAPI_NULL;
	pthread_t threads[THREADS];

	(void)state;
	failures = 0;
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, create_and_destroy, &published), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(failures, 0);
}

static int n_visited;

static void visit(struct papi_slot *slot)
{
	n_visited++;
	papi_handle_leave(slot);
}

static void all_sets_are_visited_but_those_one_is_in(void **state)
{
	int a = SET_OF("r01"), b = SET_OF("r01"), c = SET_OF("r01");
	struct papi_slot *slot;

	(void)state;
	n_visited = 0;
	papi_handle_each(visit, true);
	assert_int_equal(n_visited, 3);
	assert_ok(papi_handle_enter(b, &slot));
	papi_handle_each(visit, true);
	papi_handle_leave(slot);
	assert_int_equal(n_visited, 5);
	destroy_set(b);
	papi_handle_each(visit, true);
	assert_int_equal(n_visited, 7);
	destroy_set(a);
	destroy_set(c);
	papi_handle_each(visit, true);
	assert_int_equal(n_visited, 7);
}

/* What is wrong in the child of a fork, as its exit status. */
static int look_around(int running, int stopped)
{
	long long values[2] = { 0 };
	int state, set = PAPI_NULL;

	if (PAPI_state(running, &state) != PAPI_OK || state != PAPI_STOPPED)
		return 1;
	/* The values of the moment of the fork, and none of the parent's later ones. */
	if (PAPI_read(running, values) != PAPI_OK || values[0] != 5)
		return 2;
	if (PAPI_read(stopped, values) != PAPI_OK || values[0] != 3)
		return 3;
	if (PAPI_start(running) != PAPI_OK || PAPI_start(stopped) != PAPI_OK)
		return 4;
	fake_count(20);
	if (PAPI_stop(running, values) != PAPI_OK || values[0] != 20)
		return 5;
	if (PAPI_stop(stopped, values) != PAPI_OK || values[0] != 20)
		return 6;
	if (PAPI_create_eventset(&set) != PAPI_OK || PAPI_add_named_event(set, "r03") != PAPI_OK)
		return 7;
	PAPI_shutdown();
	return fake.n_open || fake.misuses ? 8 : 0;
}

static void the_child_of_a_fork_has_stopped_sets(void **state)
{
	int running = SET_OF("r01", "r02"), stopped = SET_OF("r01"), status;
	long long values[2];
	pid_t child;

	(void)state;
	if (THREAD_SANITIZER)
		skip();
	assert_ok(PAPI_start(stopped));
	fake_count(3);
	assert_ok(PAPI_stop(stopped, values));
	assert_ok(PAPI_start(running));
	fake_count(5);
	child = fork();
	if (!child)
		_exit(look_around(running, stopped));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	fake_count(1);
	assert_ok(PAPI_stop(running, values));
	assert_int_equal(values[0], 6);
	destroy_set(running);
	destroy_set(stopped);
}

static pid_t forked_child;

static void fork_inside(int signal)
{
	(void)signal;
	forked_child = fork();
}

/* A signal handler forks in the middle of a read: on both sides the read goes on, and the set is free afterwards. */
static void a_fork_in_the_middle_of_a_call_is_survived(void **state)
{
	struct sigaction action = { .sa_handler = fork_inside }, old;
	int set = SET_OF("r01"), status;
	long long value = 0;

	(void)state;
	if (THREAD_SANITIZER)
		skip();
	assert_int_equal(sigaction(SIGUSR1, &action, &old), 0);
	assert_ok(PAPI_start(set));
	fake_count(5);
	fake.before_read = raise_signal;
	status = PAPI_read(set, &value);
	if (!forked_child) {
		bool counts = PAPI_start(set) == PAPI_OK;

		fake_count(8);
		counts = counts && PAPI_stop(set, &value) == PAPI_OK && value == 8;
		PAPI_shutdown();
		_exit(counts && !fake.n_open ? 0 : 1);
	}
	assert_int_equal(status, PAPI_OK);
	assert_int_equal(value, 5);
	assert_int_equal(waitpid(forked_child, &status, 0), forked_child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_ok(PAPI_stop(set, &value));
	assert_int_equal(sigaction(SIGUSR1, &old, NULL), 0);
	destroy_set(set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_on_model(a_handle_is_good_until_the_set_is_destroyed),
		test_on_model(a_stale_handle_does_not_reach_the_next_set_of_its_slot),
		test_on_model(handles_of_before_shutdown_stay_stale),
		test_on_model(generations_wrap),
		test_on_model(numbers_that_are_no_handles_are_refused),
		test_on_model(a_signal_handler_may_not_use_the_set_it_interrupts),
		test_on_model(handlers_do_not_wait_for_each_other),
		test_on_model(handlers_do_not_wait_for_who_waits_for_a_mutex),
		test_on_model(a_call_that_does_not_end_is_given_up),
		test_on_model(threads_take_turns_in_a_set),
		test_on_model(threads_create_and_destroy_at_once),
		test_on_model(all_sets_are_visited_but_those_one_is_in),
		test_on_model(the_child_of_a_fork_has_stopped_sets),
		test_on_model(a_fork_in_the_middle_of_a_call_is_survived),
		/* Last: it uses every slot there is. */
		test_on_model(there_are_65536_sets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
