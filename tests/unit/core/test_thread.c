/* SPDX-License-Identifier: BSD-3-Clause */
/* core/thread.h: numbers, ids, lists and the pointers that threads store. */
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/thread.h"
#include "unit.h"

/* A thread that does what it is told, one step at a time. */
struct helper {
	pthread_t thread;
	pthread_barrier_t barrier;
	void (*step)(struct helper *helper);
	uint32_t number;
	unsigned long tid;
	void *pointer, *stored;
	int status;
};

static void *follow(void *argument)
{
	struct helper *helper = argument;

	for (;;) {
		pthread_barrier_wait(&helper->barrier);
		if (!helper->step)
			return NULL;
		helper->step(helper);
		pthread_barrier_wait(&helper->barrier);
	}
}

static void begin(struct helper *helper)
{
	*helper = (struct helper){ .step = NULL };
	assert_int_equal(pthread_barrier_init(&helper->barrier, NULL, 2), 0);
	assert_int_equal(pthread_create(&helper->thread, NULL, follow, helper), 0);
}

static void let(struct helper *helper, void (*step)(struct helper *helper))
{
	helper->step = step;
	pthread_barrier_wait(&helper->barrier);
	pthread_barrier_wait(&helper->barrier);
}

static void end(struct helper *helper)
{
	helper->step = NULL;
	pthread_barrier_wait(&helper->barrier);
	pthread_join(helper->thread, NULL);
	pthread_barrier_destroy(&helper->barrier);
}

static void number(struct helper *helper)
{
	helper->number = papi_thread_number();
	helper->tid = (unsigned long)syscall(SYS_gettid);
}

static void enter(struct helper *helper)
{
	helper->status = papi_thread_register();
}

static void leave(struct helper *helper)
{
	(void)helper;
	papi_thread_unregister();
}

static void store(struct helper *helper)
{
	helper->status = papi_thread_set_specific(PAPI_USR1_TLS, helper->stored);
}

static void load(struct helper *helper)
{
	helper->pointer = (void *)1;
	helper->status = papi_thread_get_specific(PAPI_USR1_TLS, &helper->pointer);
}

static int n_threads(void)
{
	int n = 0;

	assert_ok(papi_thread_list(NULL, &n));
	return n;
}

static void numbers_are_never_used_twice(void **state)
{
	uint32_t mine = papi_thread_number(), last = mine;
	struct helper helper;

	(void)state;
	assert_int_not_equal(mine, 0);
	for (int i = 0; i < 100; i++) {
		begin(&helper);
		let(&helper, number);
		end(&helper);
		assert_true(helper.number > last);
		last = helper.number;
	}
	assert_int_equal(papi_thread_number(), mine);
}

static void threads_are_listed_from_registering_to_their_end(void **state)
{
	PAPI_thread_id_t ids[4] = { 0 };
	struct helper a, b;
	int n = 4;

	(void)state;
	papi_thread_unregister();
	assert_int_equal(n_threads(), 0);
	begin(&a);
	begin(&b);
	let(&a, number);
	assert_int_equal(n_threads(), 0);
	let(&a, enter);
	let(&a, enter);
	assert_int_equal(a.status, PAPI_OK);
	assert_ok(papi_thread_list(ids, &n));
	assert_int_equal(n, 1);
	assert_int_equal(ids[0], a.tid);
	let(&b, number);
	let(&b, enter);
	assert_ok(papi_thread_register());
	/* Too small an array gets what fits, and the number of all. */
	n = 2;
	ids[2] = 77;
	assert_ok(papi_thread_list(ids, &n));
	assert_int_equal(n, 3);
	assert_int_equal(ids[2], 77);
	/* From the middle, by hand; the rest by ending. */
	let(&b, leave);
	n = 4;
	assert_ok(papi_thread_list(ids, &n));
	assert_int_equal(n, 2);
	assert_true(ids[0] == a.tid || ids[1] == a.tid);
	end(&a);
	assert_int_equal(n_threads(), 1);
	end(&b);
	assert_int_equal(n_threads(), 1);
	papi_thread_unregister();
	papi_thread_unregister();
	assert_int_equal(n_threads(), 0);
}

static void lists_want_a_number(void **state)
{
	PAPI_thread_id_t id;
	int n = -1;

	(void)state;
	assert_refused(papi_thread_list(&id, NULL), PAPI_EINVAL, "number of elements");
	assert_refused(papi_thread_list(&id, &n), PAPI_EINVAL, "number of elements");
}

static unsigned long forty_two(void)
{
	return 42;
}

static unsigned long self(void)
{
	return (unsigned long)pthread_self();
}

static void ids_come_from_the_function_of_the_program(void **state)
{
	PAPI_thread_id_t id = 0;
	int n = 1;

	(void)state;
	assert_int_equal((int)papi_thread_id(), PAPI_EMISC);
	assert_says("PAPI_thread_init");
	assert_refused(papi_thread_set_id_function(NULL), PAPI_EINVAL, "pthread_self");
	assert_ok(papi_thread_register());
	assert_ok(papi_thread_set_id_function(forty_two));
	assert_int_equal(papi_thread_id(), 42);
	/* The thread that was registered before has the new id. */
	assert_ok(papi_thread_list(&id, &n));
	assert_int_equal(n, 1);
	assert_int_equal(id, 42);
	assert_ok(papi_thread_set_id_function(self));
	assert_int_equal(papi_thread_id(), (unsigned long)pthread_self());
	papi_thread_unregister();
}

static void each_thread_has_its_pointers(void **state)
{
	int mine, theirs;
	void *pointer = &mine;
	struct helper helper;

	(void)state;
	assert_ok(papi_thread_get_specific(PAPI_USR1_TLS, &pointer));
	assert_null(pointer);
	assert_ok(papi_thread_set_specific(PAPI_USR1_TLS, &mine));
	begin(&helper);
	let(&helper, load);
	assert_int_equal(helper.status, PAPI_OK);
	assert_null(helper.pointer);
	helper.stored = &theirs;
	let(&helper, store);
	assert_int_equal(helper.status, PAPI_OK);
	let(&helper, load);
	assert_ptr_equal(helper.pointer, &theirs);
	assert_ok(papi_thread_get_specific(PAPI_USR1_TLS, &pointer));
	assert_ptr_equal(pointer, &mine);
	assert_ok(papi_thread_get_specific(PAPI_USR2_TLS, &pointer));
	assert_null(pointer);
	let(&helper, leave);
	let(&helper, load);
	assert_null(helper.pointer);
	end(&helper);
	papi_thread_unregister();
	assert_ok(papi_thread_get_specific(PAPI_USR1_TLS, &pointer));
	assert_null(pointer);
}

static void the_pointers_of_all_threads_can_be_had(void **state)
{
	PAPI_thread_id_t ids[3] = { 0 };
	void *data[3] = { NULL };
	PAPI_all_thr_spec_t all = { .num = 3, .id = ids, .data = data };
	int mine, theirs, i;
	struct helper helper;

	(void)state;
	assert_ok(papi_thread_set_specific(PAPI_USR1_TLS, &mine));
	begin(&helper);
	helper.stored = &theirs;
	let(&helper, store);
	assert_ok(papi_thread_all_specific(PAPI_USR1_TLS, &all));
	assert_int_equal(all.num, 2);
	i = data[0] == &mine ? 0 : 1;
	assert_ptr_equal(data[i], &mine);
	assert_ptr_equal(data[1 - i], &theirs);
	assert_int_equal(ids[i], (unsigned long)pthread_self());
	assert_int_equal(ids[1 - i], (unsigned long)helper.thread);
	/* Less room, and neither array. */
	all.num = 1;
	data[1] = &all;
	assert_ok(papi_thread_all_specific(PAPI_USR1_TLS, &all));
	assert_int_equal(all.num, 2);
	assert_ptr_equal(data[1], &all);
	all = (PAPI_all_thr_spec_t){ .num = 0 };
	assert_ok(papi_thread_all_specific(PAPI_USR1_TLS, &all));
	assert_int_equal(all.num, 2);
	end(&helper);
	papi_thread_unregister();
}

static void tags_are_checked(void **state)
{
	PAPI_all_thr_spec_t all = { .num = -1 };
	void *pointer;

	(void)state;
	assert_refused(papi_thread_set_specific(-1, NULL), PAPI_EINVAL, "tag -1");
	assert_refused(papi_thread_set_specific(PAPI_NUM_TLS, NULL), PAPI_EINVAL, "PAPI_USR1_TLS");
	assert_refused(papi_thread_get_specific(PAPI_NUM_TLS, &pointer), PAPI_EINVAL, "PAPI_USR1_TLS");
	assert_refused(papi_thread_get_specific(PAPI_USR1_TLS, NULL), PAPI_EINVAL, "place");
	assert_refused(papi_thread_all_specific(PAPI_USR1_TLS, &all), PAPI_EINVAL, "PAPI_all_thr_spec_t");
	assert_refused(papi_thread_all_specific(PAPI_USR1_TLS, NULL), PAPI_EINVAL, "PAPI_all_thr_spec_t");
	assert_refused(papi_thread_all_specific(99, &all), PAPI_EINVAL, "tag 99");
}

/* The child of a fork has one thread, with a new number and its pointers; exit codes tell what is wrong. */
static int child_of_fork(uint32_t parent_number, void *expected)
{
	void *pointer = NULL;
	int n = 0;

	papi_thread_fork_child();
	if (papi_thread_number() == parent_number)
		return 1;
	if (papi_thread_list(NULL, &n) || n != 1)
		return 2;
	if (papi_thread_get_specific(PAPI_USR1_TLS, &pointer) || pointer != expected)
		return 3;
	papi_thread_unregister();
	return papi_thread_list(NULL, &n) || n != 0 ? 4 : 0;
}

static void a_fork_keeps_the_calling_thread(void **state)
{
	struct helper helper;
	int mine, status;
	pid_t child;

	(void)state;
	assert_ok(papi_thread_set_specific(PAPI_USR1_TLS, &mine));
	begin(&helper);
	let(&helper, enter);
	papi_thread_fork_prepare();
	child = fork();
	if (!child)
		_exit(child_of_fork(papi_thread_number(), &mine));
	papi_thread_fork_parent();
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_int_equal(n_threads(), 2);
	end(&helper);
	papi_thread_unregister();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_never_used_twice),
		cmocka_unit_test(threads_are_listed_from_registering_to_their_end),
		cmocka_unit_test(lists_want_a_number),
		cmocka_unit_test(ids_come_from_the_function_of_the_program),
		cmocka_unit_test(each_thread_has_its_pointers),
		cmocka_unit_test(the_pointers_of_all_threads_can_be_had),
		cmocka_unit_test(tags_are_checked),
		cmocka_unit_test(a_fork_keeps_the_calling_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
