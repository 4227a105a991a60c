/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads from user space on the model kernel: who gets pages, when they are used, and what happens when they are not. An
 * event whose page says "a counter of 0 bits" is read without the instruction that a test may not execute: its count is
 * the offset in the page.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

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
	return status;
}

static int end(void **state)
{
	int status = tear_down(state);

	fake_machine_end();
	return status;
}

/* The event is in a hardware counter now, and its page shows the count. */
static void show(unsigned event, uint64_t count)
{
	struct perf_event_mmap_page *page = fake_event(event)->page;

	assert_non_null(page);
	page->cap_user_rdpmc = 1;
	page->index = 1;
	page->pmc_width = 0;
	page->offset = (int64_t)count;
	page->lock += 2;
}

/* It is in none. */
static void hide(unsigned event)
{
	fake_event(event)->page->index = 0;
	fake_event(event)->page->lock += 2;
}

/* The page tells times too; a clock that is multiplied by 0 adds nothing to them. */
static void show_times(unsigned event, uint64_t enabled, uint64_t running)
{
	struct perf_event_mmap_page *page = fake_event(event)->page;

	page->cap_user_time = 1;
	page->time_mult = 0;
	page->time_enabled = enabled;
	page->time_running = running;
	page->lock += 2;
}

static void pages_are_asked_for_at_start_and_once(void **state)
{
	int set = SET_OF("r01", "r02");
	long long values[3];

	(void)state;
	assert_int_equal(fake.calls[FAKE_MAP], 0);
	assert_ok(PAPI_start(set));
	assert_int_equal(fake.calls[FAKE_MAP], 2);
	assert_ok(PAPI_stop(set, values));
	assert_ok(PAPI_start(set));
	assert_ok(PAPI_stop(set, values));
	assert_int_equal(fake.calls[FAKE_MAP], 2);
	assert_int_equal(fake.n_mapped, 2);
	/* What is added later gets its own. */
	ADD(set, "r03");
	assert_ok(PAPI_start(set));
	assert_ok(PAPI_stop(set, values));
	assert_int_equal(fake.calls[FAKE_MAP], 3);
	assert_ok(PAPI_remove_named_event(set, "r02"));
	assert_int_equal(fake.n_mapped, 2);
	assert_ok(PAPI_cleanup_eventset(set));
	assert_int_equal(fake.n_mapped, 0);
	destroy_set(set);
}

static void a_read_from_pages_makes_no_call(void **state)
{
	int set = SET_OF("r01", "r02");
	long long values[2];

	(void)state;
	fake_event(0)->count = 1000;
	fake_event(1)->count = 2000;
	assert_ok(PAPI_start(set));
	assert_ok(PAPI_reset(set));
	fake_calls_clear();
	show(0, 1007);
	show(1, 2008);
	show_times(0, 50, 50);
	assert_ok(PAPI_read(set, values));
	assert_int_equal(values[0], 7);
	assert_int_equal(values[1], 8);
	/* A new baseline is one of the same counts. */
	assert_ok(PAPI_accum(set, values));
	assert_int_equal(values[0], 14);
	assert_int_equal(values[1], 16);
	show(0, 1107);
	show(1, 2208);
	assert_ok(PAPI_read(set, values));
	assert_int_equal(values[0], 100);
	assert_int_equal(values[1], 200);
	assert_ok(PAPI_reset(set));
	assert_ok(PAPI_read(set, values));
	assert_int_equal(values[0], 0);
	assert_int_equal(values[1], 0);
	assert_int_equal(fake_calls_all(), 0);
	/* Stop asks the kernel, whose count is the same. */
	fake_event(0)->count = 1110;
	fake_event(1)->count = 2210;
	hide(0);
	hide(1);
	assert_ok(PAPI_stop(set, values));
	assert_int_equal(values[0], 3);
	assert_int_equal(values[1], 2);
	assert_int_equal(fake.calls[FAKE_READ], 1);
	destroy_set(set);
}

/* One of them is in no counter at this moment: the kernel is asked, for that read. */
static void an_index_of_0_goes_to_the_kernel(void **state)
{
	int set = SET_OF("r01", "r02");
	long long values[2];

	(void)state;
	assert_ok(PAPI_start(set));
	fake_count(50);
	fake_calls_clear();
	assert_ok(PAPI_read(set, values));
	assert_int_equal(fake.calls[FAKE_READ], 1);
	assert_int_equal(values[1], 50);
	show(0, 51);
	assert_ok(PAPI_read(set, values));
	assert_int_equal(fake.calls[FAKE_READ], 2);
	assert_int_equal(values[0], 50);
	show(1, 52);
	assert_ok(PAPI_read(set, values));
	assert_int_equal(fake.calls[FAKE_READ], 2);
	assert_int_equal(values[0], 51);
	assert_int_equal(values[1], 52);
	fake_event(1)->page->cap_user_rdpmc = 0;
	fake_event(1)->page->lock += 2;
	assert_ok(PAPI_read(set, values));
	assert_int_equal(fake.calls[FAKE_READ], 3);
	assert_int_equal(values[0], 50);
	assert_ok(PAPI_stop(set, values));
	destroy_set(set);
}

static void a_page_that_goes_backwards_is_an_error(void **state)
{
	int set = SET_OF("r01");
	long long value;

	(void)state;
	fake_event(0)->count = 100;
	assert_ok(PAPI_start(set));
	assert_ok(PAPI_reset(set));
	show(0, 60);
	assert_refused(PAPI_read(set, &value), PAPI_ECLOST, "went backwards, by 40 from 100");
	hide(0);
	assert_ok(PAPI_stop(set, &value));
	assert_int_equal(value, 0);
	destroy_set(set);
}

/* A new baseline is one for the times, too: from the page where it has them, else from the kernel. */
static void times_are_those_since_the_baseline(void **state)
{
	int set = SET_OF("r01");
	long long enabled, running, value;

	(void)state;
	for (int in_page = 0; in_page < 2; in_page++) {
		assert_ok(PAPI_start(set));
		fake_run(100, 90);
		fake_count(5);
		show(0, fake_event(0)->count);
		assert_ok(PAPI_get_event_times(set, &enabled, &running));
		assert_int_equal(enabled, 100);
		assert_int_equal(running, 90);
		if (in_page)
			show_times(0, fake_event(0)->enabled_time, fake_event(0)->running_time);
		fake_calls_clear();
		assert_ok(PAPI_reset(set));
		assert_int_equal(fake.calls[FAKE_READ], !in_page);
		fake_run(7, 6);
		assert_ok(PAPI_get_event_times(set, &enabled, &running));
		assert_int_equal(enabled, 7);
		assert_int_equal(running, 6);
		fake_count(4);
		hide(0);
		assert_ok(PAPI_stop(set, &value));
		assert_int_equal(value, 4);
		assert_ok(PAPI_get_event_times(set, &enabled, &running));
		assert_int_equal(enabled, 7);
	}
	destroy_set(set);
}

/* Starts and stops; how many pages there are meanwhile. */
static unsigned pages_of(int set)
{
	unsigned n;

	assert_ok(PAPI_start(set));
	n = fake.n_mapped;
	assert_ok(PAPI_stop(set, NULL));
	return n;
}

static void only_a_threads_own_core_events_get_pages(void **state)
{
	static const struct {
		const char *names[2];
		unsigned pages;
	} cases[] = {
		{ { "r01", "r02" }, 2 },
		{ { "cpu_core/instructions/", "r02" }, 2 },
		{ { "cpu_core/instructions/", "cpu_atom/instructions/" }, 2 },
		/* A set whose one event needs the kernel goes there for all of the group. */
		{ { "r01", "mem:0x1000" }, 0 },
		{ { "mem:0x1000", "r01" }, 0 },
		{ { "msr/tsc/", "mem:0x1000" }, 0 },
		{ { "uncore_imc_0/cas_reads/", "r01" }, 1 },
		/* Code 0 is that of Intel's topdown events, whose register is no counter. */
		{ { "r8000", "r01" }, 0 },
		{ { "cpu_core/event=0,umask=0x80/", "r01" }, 0 },
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		int set = SET_OF(cases[i].names[0], cases[i].names[1]);

		if (pages_of(set) != cases[i].pages)
			fail_msg(
				"%s and %s do not have %u pages", cases[i].names[0], cases[i].names[1], cases[i].pages);
		destroy_set(set);
	}
}

static void options_that_count_others_take_the_pages_away(void **state)
{
	int set = SET_OF("r01", "r02");
	PAPI_option_t inherit = { .inherit = { .eventset = set, .inherit = PAPI_INHERIT_ALL } };
	PAPI_option_t cpu = { .cpu = { .eventset = set, .cpu_num = 0 } };
	PAPI_option_t granularity = { .granularity = { .eventset = set, .granularity = PAPI_GRN_SYS_CPU } };

	(void)state;
	assert_int_equal(pages_of(set), 2);
	assert_ok(PAPI_set_opt(PAPI_INHERIT, &inherit));
	assert_int_equal(pages_of(set), 0);
	inherit.inherit.inherit = PAPI_INHERIT_NONE;
	assert_ok(PAPI_set_opt(PAPI_INHERIT, &inherit));
	assert_int_equal(pages_of(set), 2);
	assert_ok(PAPI_attach(set, (unsigned long)getppid()));
	assert_int_equal(pages_of(set), 0);
	assert_ok(PAPI_detach(set));
	assert_ok(PAPI_set_opt(PAPI_CPU_ATTACH, &cpu));
	assert_int_equal(pages_of(set), 0);
	assert_ok(PAPI_detach(set));
	assert_ok(PAPI_set_opt(PAPI_GRANUL, &granularity));
	assert_int_equal(pages_of(set), 0);
	granularity.granularity.granularity = PAPI_GRN_THR;
	assert_ok(PAPI_set_opt(PAPI_GRANUL, &granularity));
	assert_int_equal(pages_of(set), 2);
	assert_ok(PAPI_set_multiplex(set));
	assert_int_equal(pages_of(set), 0);
	destroy_set(set);
}

static void without_pages_the_kernel_is_read(void **state)
{
	int set = SET_OF("r01", "r02", "r03");
	long long values[3];

	(void)state;
	/* The second of three cannot be had (mlock limits, say): the first one is given back. */
	fake_fail(FAKE_MAP, 2, EPERM);
	assert_ok(PAPI_start(set));
	assert_int_equal(fake.n_mapped, 0);
	fake_count(4);
	fake_calls_clear();
	assert_ok(PAPI_read(set, values));
	assert_int_equal(fake.calls[FAKE_READ], 1);
	assert_int_equal(values[2], 4);
	assert_ok(PAPI_stop(set, values));
	destroy_set(set);
}

static long long value_of_other;

static void *read_elsewhere(void *argument)
{
	return PAPI_read(*(int *)argument, &value_of_other) == PAPI_OK ? argument : NULL;
}

/* Another thread is on another CPU, where the counter with that number counts something else. */
static void other_threads_read_through_the_kernel(void **state)
{
	int set = SET_OF("r01");
	pthread_t thread;
	void *result;

	(void)state;
	assert_ok(PAPI_start(set));
	fake_count(11);
	show(0, 999);
	fake_calls_clear();
	assert_int_equal(pthread_create(&thread, NULL, read_elsewhere, &set), 0);
	pthread_join(thread, &result);
	assert_non_null(result);
	assert_int_equal(value_of_other, 11);
	assert_int_equal(fake.calls[FAKE_READ], 1);
	hide(0);
	assert_ok(PAPI_stop(set, NULL));
	destroy_set(set);
}

#define test_on_machine(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_on_machine(pages_are_asked_for_at_start_and_once),
		test_on_machine(a_read_from_pages_makes_no_call),
		test_on_machine(an_index_of_0_goes_to_the_kernel),
		test_on_machine(a_page_that_goes_backwards_is_an_error),
		test_on_machine(times_are_those_since_the_baseline),
		test_on_machine(only_a_threads_own_core_events_get_pages),
		test_on_machine(options_that_count_others_take_the_pages_away),
		test_on_machine(without_pages_the_kernel_is_read),
		test_on_machine(other_threads_read_through_the_kernel),
	};

	if (!PAPI_USER_READ) {
		fprintf(stderr, "skipped: this processor has no way to read counters from user space\n");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
