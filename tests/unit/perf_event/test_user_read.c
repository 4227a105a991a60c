/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * components/perf_event/user_read.h: the protocol of reads from user space, with a page and a counter made up here. The
 * counter is a function, so that the kernel's part in the race can be played in the middle of a read.
 */
#include <linux/perf_event.h>

#include "components/perf_event/user_read.h"
#include "unit.h"

static struct perf_event_mmap_page page;
static uint64_t hardware; /* what the counter shows */
static uint32_t asked_index;
static unsigned n_asked;
static void (*meanwhile)(void); /* what the kernel does just before the counter is read */

static uint64_t counter(uint32_t index)
{
	n_asked++;
	asked_index = index;
	if (meanwhile)
		meanwhile();
	return hardware;
}

static int begin(void **state)
{
	(void)state;
	memset(&page, 0, sizeof(page));
	page.cap_user_rdpmc = 1;
	page.index = 1;
	page.pmc_width = 48;
	page.lock = 100;
	hardware = n_asked = 0;
	meanwhile = NULL;
	return 0;
}

static uint64_t count(void)
{
	uint64_t value = 0xdead;

	assert_true(papi_user_read(&page, counter, &value));
	return value;
}

static void the_offset_is_added(void **state)
{
	(void)state;
	hardware = 1000;
	assert_int_equal(count(), 1000);
	page.offset = 234;
	assert_int_equal(count(), 1234);
	page.offset = -234;
	assert_int_equal(count(), 766);
	page.offset = INT64_MAX;
	hardware = 1;
	assert_int_equal(count(), (uint64_t)INT64_MAX + 1);
}

/* The kernel starts counters at negative numbers, so that they overflow when it wants to know. */
static void the_counter_is_extended_from_its_width(void **state)
{
	static const uint16_t widths[] = { 32, 40, 48, 63, 64 };

	(void)state;
	for (size_t i = 0; i < LENGTH(widths); i++) {
		uint64_t sign = UINT64_C(1) << (widths[i] - 1), mask = sign | (sign - 1);

		page.pmc_width = widths[i];
		page.offset = (int64_t)sign;
		/* -2^(width-1) + offset is 0: where counting began. */
		hardware = sign;
		assert_int_equal(count(), 0);
		hardware = sign + 5;
		assert_int_equal(count(), 5);
		hardware = mask;
		assert_int_equal(count(), sign - 1);
		hardware = 0;
		assert_int_equal(count(), sign);
		hardware = sign - 1;
		assert_int_equal(count(), mask);
		/* What stands above the width is not part of the counter. */
		if (widths[i] < 64) {
			hardware = ~mask | 17;
			assert_int_equal(count(), sign + 17);
		}
	}
}

static void the_index_names_the_counter(void **state)
{
	(void)state;
	page.index = 1;
	count();
	assert_int_equal(asked_index, 0);
	page.index = 4;
	count();
	assert_int_equal(asked_index, 3);
	/* Fixed counters of Intel. */
	page.index = (1u << 30) + 2;
	count();
	assert_int_equal(asked_index, (1u << 30) + 1);
}

static void an_event_that_is_in_no_counter_is_refused(void **state)
{
	uint64_t value = 77;

	(void)state;
	page.index = 0;
	assert_false(papi_user_read(&page, counter, &value));
	page.index = 1;
	page.cap_user_rdpmc = 0;
	assert_false(papi_user_read(&page, counter, &value));
	page.index = 0;
	assert_false(papi_user_read(&page, counter, &value));
	/* The instruction would be a fault then: it must not even be tried. */
	assert_int_equal(n_asked, 0);
	assert_int_equal(value, 77);
	page.cap_user_rdpmc = 1;
	page.index = 2;
	assert_true(papi_user_read(&page, counter, &value));
}

static void a_width_of_0_is_no_counter(void **state)
{
	(void)state;
	page.pmc_width = 0;
	page.offset = 4711;
	assert_int_equal(count(), 4711);
	assert_int_equal(n_asked, 0);
}

static unsigned n_moves;

/* The kernel takes the event off its counter and puts it on another: all of the page changes. */
static void move(void)
{
	if (!n_moves)
		return;
	n_moves--;
	page.lock += 2;
	page.index++;
	page.offset += 1000;
	hardware = UINT64_C(10) * page.index;
}

static void a_read_that_was_overtaken_starts_over(void **state)
{
	(void)state;
	for (unsigned moves = 0; moves < 20; moves++) {
		begin(NULL);
		hardware = 10;
		meanwhile = move;
		n_moves = moves;
		/* Old offset with new counter, or the reverse, is never seen. */
		assert_int_equal(count(), moves * 1000 + (1 + moves) * 10);
		assert_int_equal(n_asked, moves + 1);
		assert_int_equal(asked_index, moves);
	}
}

static void take_away(void)
{
	page.lock += 2;
	page.index = 0;
	page.offset = 99999;
}

/* It lost its counter in the middle: then the kernel must be asked, not the old counter. */
static void an_event_that_loses_its_counter_is_refused(void **state)
{
	uint64_t value;

	(void)state;
	meanwhile = take_away;
	hardware = 5;
	assert_false(papi_user_read(&page, counter, &value));
	assert_int_equal(n_asked, 1);
}

static void forbid(void)
{
	page.lock++;
	page.cap_user_rdpmc = 0;
}

static void permission_may_go_in_the_middle(void **state)
{
	uint64_t value;

	(void)state;
	meanwhile = forbid;
	assert_false(papi_user_read(&page, counter, &value));
	assert_int_equal(n_asked, 1);
}

/* The sequence number may be anything, and wraps. */
static void wrap_around(void)
{
	if (page.lock == UINT32_MAX) {
		page.lock = 0;
		page.offset = 500;
	}
}

static void the_sequence_number_wraps(void **state)
{
	(void)state;
	page.lock = UINT32_MAX;
	hardware = 1;
	meanwhile = wrap_around;
	assert_int_equal(count(), 501);
	assert_int_equal(n_asked, 2);
}

static uint64_t clock_now;

static uint64_t clock_of_test(void)
{
	if (meanwhile)
		meanwhile();
	return clock_now;
}

static void assert_times(uint64_t expected_enabled, uint64_t expected_running)
{
	uint64_t enabled = 0, running = 0;

	assert_true(papi_user_times(&page, clock_of_test, &enabled, &running));
	assert_int_equal(enabled, expected_enabled);
	assert_int_equal(running, expected_running);
}

/* Nanoseconds are cycles x mult / 2^shift, plus an offset; the page has the times of when the kernel last looked. */
static void times_are_made_of_the_clock(void **state)
{
	uint64_t enabled, running;

	(void)state;
	page.time_enabled = 5000;
	page.time_running = 4000;
	assert_false(papi_user_times(&page, clock_of_test, &enabled, &running));
	page.cap_user_time = 1;
	page.time_mult = 3;
	page.time_shift = 1;
	clock_now = 1001;
	assert_times(5000 + 1501, 4000 + 1501);
	page.time_offset = (uint64_t)-501;
	assert_times(6000, 5000);
	/* In no counter, it is not running. */
	page.index = 0;
	assert_times(6000, 4000);
	/* A clock of years, with the factors of a real machine. */
	page.time_offset = 0;
	page.time_mult = 0x6aaaaaab;
	page.time_shift = 31;
	clock_now = UINT64_C(0x0123456789abcdef);
	assert_times(5000 + (uint64_t)(((unsigned __int128)clock_now * page.time_mult) >> 31), 4000);
}

/* Some clocks have fewer than 64 bits: the page tells when the kernel looked, and where the clock wraps. */
static void short_clocks_are_extended(void **state)
{
	(void)state;
	page.cap_user_time = page.cap_user_time_short = 1;
	page.time_mult = 1;
	page.time_cycles = 0xfffff0;
	page.time_mask = 0xffffff;
	page.time_offset = (uint64_t)-0xfffff0;
	clock_now = 0xfffff8;
	assert_times(8, 8);
	clock_now = 0x10;
	assert_times(0x20, 0x20);
}

static void move_times(void)
{
	if (!n_moves)
		return;
	n_moves--;
	page.lock++;
	page.time_enabled += 100;
	page.index = 0;
}

static void times_that_were_overtaken_are_taken_again(void **state)
{
	(void)state;
	page.cap_user_time = 1;
	page.time_mult = 1;
	page.time_enabled = page.time_running = 10;
	clock_now = 7;
	meanwhile = move_times;
	n_moves = 3;
	assert_times(317, 10);
}

#define test_read(test) cmocka_unit_test_setup(test, begin)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_read(the_offset_is_added),
		test_read(the_counter_is_extended_from_its_width),
		test_read(the_index_names_the_counter),
		test_read(an_event_that_is_in_no_counter_is_refused),
		test_read(a_width_of_0_is_no_counter),
		test_read(a_read_that_was_overtaken_starts_over),
		test_read(an_event_that_loses_its_counter_is_refused),
		test_read(permission_may_go_in_the_middle),
		test_read(the_sequence_number_wraps),
		test_read(times_are_made_of_the_clock),
		test_read(short_clocks_are_extended),
		test_read(times_that_were_overtaken_are_taken_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
