/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * core/direct.h on the model kernel: counters that are read without it, and sets that are kept counting while they are
 * stopped. As in test_pages.c, counters have 0 bits: what they show is the offset in their page.
 */
#include <pthread.h>
#include <stdio.h>

#include "components/perf_event/hardware_counter.h"
#include "pmus.h"
#include "sets.h"

static int begin(void **state)
{
	int status;

	make_machine();
	status = set_up(state);
	add_pmus();
	fake.mappable = true;
	/* What pages hold from the beginning: in a counter, and the times told, of a clock that stands still. */
	fake.page.cap_user_rdpmc = fake.page.cap_user_time = 1;
	fake.page.index = 1;
	return status;
}

static int end(void **state)
{
	int status = tear_down(state);

	fake_machine_end();
	return status;
}

/* All counters advance, which a counter of no bits shows when the kernel looks after it, and changes the page's
 * lock. */
static void advance(uint64_t amount)
{
	for (unsigned i = 0; i < fake.n_events; i++) {
		if (!fake_is_counting(&fake.events[i]))
			continue;
		fake.events[i].count += amount;
		if (!fake.events[i].page)
			continue;
		fake.events[i].page->offset = (int64_t)fake.events[i].count;
		fake.events[i].page->lock += 2;
	}
}

static void run(int set, uint64_t amount)
{
	long long values[8] = { -1, -1 };

	assert_ok(PAPI_start(set));
	advance(amount);
	assert_ok(PAPI_stop(set, values));
	assert_int_equal(values[0], amount);
}

static bool is_enabled(unsigned event)
{
	return fake_event(event)->enabled;
}

static void from_the_second_run_on_it_is_kept(void **state)
{
	int set = SET_OF("r01", "r02");
	long long values[2];

	(void)state;
	run(set, 5);
	assert_false(is_enabled(0));
	run(set, 6);
	assert_true(is_enabled(0));
	fake_calls_clear();
	for (uint64_t i = 1; i < 10; i++) {
		/* What it counts meanwhile is nobody's. */
		advance(1000);
		run(set, i);
		assert_ok(PAPI_read(set, values));
		assert_int_equal(values[1], i);
	}
	/* Nor where the pages have not changed at all. */
	for (uint64_t i = 1; i < 10; i++) {
		assert_ok(PAPI_start(set));
		assert_ok(PAPI_read(set, values));
		assert_ok(PAPI_stop(set, values));
		assert_int_equal(values[0], 0);
	}
	assert_int_equal(fake_calls_all(), 0);
	destroy_set(set);
}

static void a_page_that_tells_no_times_is_not_kept(void **state)
{
	int set = SET_OF("r01");

	(void)state;
	fake.page.cap_user_time = 0;
	for (uint64_t i = 1; i < 5; i++) {
		run(set, i);
		assert_false(is_enabled(0));
	}
	destroy_set(set);
}

static void another_set_lets_go_of_it(void **state)
{
	int first = SET_OF("r01", "r02"), second = SET_OF("r03");

	(void)state;
	for (uint64_t i = 1; i < 5; i++) {
		run(first, i);
		run(first, i);
		assert_true(is_enabled(0));
		assert_ok(PAPI_start(second));
		assert_false(is_enabled(0));
		advance(7);
		assert_ok(PAPI_stop(second, NULL));
		run(first, 3);
		assert_false(is_enabled(2));
	}
	destroy_set(first);
	destroy_set(second);
}

/* Both run at once; what is stopped last is kept, and only that. */
static void one_is_kept_at_most(void **state)
{
	int outer = SET_OF("r01"), inner = SET_OF("r02");
	long long value;

	(void)state;
	for (uint64_t i = 1; i < 6; i++) {
		assert_ok(PAPI_start(outer));
		advance(1);
		assert_ok(PAPI_start(inner));
		advance(i);
		assert_ok(PAPI_stop(inner, &value));
		assert_int_equal(value, i);
		assert_ok(PAPI_stop(outer, &value));
		assert_int_equal(value, 1 + i);
		assert_false(is_enabled(0) && is_enabled(1));
	}
	destroy_set(outer);
	destroy_set(inner);
}

static void changes_let_go_of_it(void **state)
{
	int set = SET_OF("r01", "r02");

	(void)state;
	run(set, 1);
	run(set, 1);
	assert_true(is_enabled(0));
	ADD(set, "r03");
	assert_false(is_enabled(0));
	run(set, 2);
	run(set, 3);
	run(set, 4);
	assert_ok(PAPI_remove_named_event(set, "r02"));
	assert_false(is_enabled(0));
	run(set, 5);
	run(set, 6);
	assert_ok(PAPI_set_domain(PAPI_DOM_USER));
	assert_ok(PAPI_set_multiplex(set));
	assert_false(is_enabled(0));
	destroy_set(set);
	/* What a thread remembers of a set that is gone does no harm. */
	set = SET_OF("r01");
	run(set, 1);
	destroy_set(set);
}

/* It lost its counter while it was kept: the kernel is asked to put it there again, and the baseline is right. */
static void it_may_have_lost_its_counter(void **state)
{
	int set = SET_OF("r01");
	long long value;

	(void)state;
	run(set, 1);
	run(set, 1);
	advance(100);
	fake_event(0)->page->index = 0;
	fake_event(0)->page->lock += 2;
	fake_calls_clear();
	assert_ok(PAPI_start(set));
	assert_int_equal(fake.calls[FAKE_IOCTL], 2);
	assert_int_equal(fake.calls[FAKE_READ], 1);
	advance(4);
	assert_ok(PAPI_stop(set, &value));
	assert_int_equal(value, 4);
	destroy_set(set);
}

static void a_counter_that_goes_backwards_is_an_error(void **state)
{
	int set = SET_OF("r01");
	long long value;

	(void)state;
	run(set, 50);
	run(set, 50);
	assert_ok(PAPI_start(set));
	advance(10);
	assert_ok(PAPI_read(set, &value));
	assert_int_equal(value, 10);
	fake_event(0)->page->offset -= 30;
	fake_event(0)->page->lock += 2;
	assert_refused(PAPI_read(set, &value), PAPI_ECLOST, "went backwards");
	fake_event(0)->page->offset += 30;
	fake_event(0)->page->lock += 2;
	assert_ok(PAPI_read(set, &value));
	assert_ok(PAPI_stop(set, &value));
	assert_int_equal(value, 10);
	destroy_set(set);
}

static int shared_set;

static void *run_elsewhere(void *argument)
{
	run(shared_set, 9);
	run(shared_set, 9);
	return argument;
}

/* Kept by one thread and started by another: opened anew there, and nothing is left behind in the first. */
static void another_thread_takes_it_over(void **state)
{
	pthread_t thread;
	int other;

	(void)state;
	shared_set = SET_OF("r01");
	run(shared_set, 1);
	run(shared_set, 1);
	assert_int_equal(pthread_create(&thread, NULL, run_elsewhere, NULL), 0);
	pthread_join(thread, NULL);
	run(shared_set, 2);
	other = SET_OF("r02");
	run(other, 3);
	run(shared_set, 2);
	destroy_set(other);
	destroy_set(shared_set);
}

/* Written values are on top of the counts, and take the long way until the next start. */
static void written_values_stay(void **state)
{
	int set = SET_OF("r01", "r02");
	long long values[2] = { 1000, 2000 };

	(void)state;
	run(set, 1);
	run(set, 1);
	assert_ok(PAPI_start(set));
	assert_ok(PAPI_write(set, values));
	advance(5);
	assert_ok(PAPI_read(set, values));
	assert_int_equal(values[0], 1005);
	assert_ok(PAPI_stop(set, values));
	assert_int_equal(values[1], 2005);
	run(set, 3);
	destroy_set(set);
}

#define test_on_machine(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_on_machine(from_the_second_run_on_it_is_kept),
		test_on_machine(a_page_that_tells_no_times_is_not_kept),
		test_on_machine(another_set_lets_go_of_it),
		test_on_machine(one_is_kept_at_most),
		test_on_machine(changes_let_go_of_it),
		test_on_machine(it_may_have_lost_its_counter),
		test_on_machine(a_counter_that_goes_backwards_is_an_error),
		test_on_machine(another_thread_takes_it_over),
		test_on_machine(written_values_stay),
	};

	if (!PAPI_USER_READ) {
		fprintf(stderr, "skipped: this processor has no way to read counters from user space\n");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
