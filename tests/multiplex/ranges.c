/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PAPI_DATA_ADDRESS and PAPI_INSTR_ADDRESS on real breakpoints: every byte is written as often as its number tells, so
 * a count says which bytes were watched.
 */
#include <string.h>

#include "check.h"
#include "work.h"

static _Alignas(64) volatile unsigned char bytes[8];

/* Byte i is written 10^i times: a decimal digit of the count for each. */
static WORK_PLAIN void write_bytes(void)
{
	unsigned long times = 1;

	for (unsigned i = 0; i < 5; i++, times *= 10)
		for (unsigned long n = 0; n < times; n++)
			bytes[i] = 1;
}

static int watch(const char *rest)
{
	char name[WORK_NAME];

	work_name(name, bytes, rest);
	return work_set(name, NULL, NULL);
}

static PAPI_addr_range_option_t restrict_to(int option, int set, const volatile void *start, const volatile void *end)
{
	PAPI_option_t value;

	memset(&value, 0, sizeof(value));
	value.addr.eventset = set;
	value.addr.start = (vptr_t)(size_t)start;
	value.addr.end = (vptr_t)(size_t)end;
	EXPECT_OK(PAPI_set_opt(option, &value));
	return value.addr;
}

static void what_is_in_the_range_counts(void)
{
	static const struct {
		unsigned start, end;
		long long count;
		int start_off, end_off;
	} cases[] = {
		{ 0, 8, 11111, 0, 0 },
		{ 0, 1, 1, 0, 0 },
		{ 1, 2, 10, 0, 0 },
		{ 2, 4, 1100, 0, 0 },
		{ 0, 4, 1111, 0, 0 },
		{ 4, 8, 10000, 0, 0 },
		{ 1, 4, 1111, 1, 0 },
		{ 1, 3, 1111, 1, 1 },
		{ 3, 5, 11111, 3, 3 },
		{ 4, 5, 10000, 0, 0 },
		{ 3, 4, 1000, 0, 0 },
		{ 5, 8, 10000, 1, 0 },
	};
	int set = watch("/8:w");

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		PAPI_addr_range_option_t range = restrict_to(
			PAPI_DATA_ADDRESS, set, &bytes[cases[i].start], bytes + cases[i].end);

		EXPECT_EQUAL(cases[i].start_off, range.start_off);
		EXPECT_EQUAL(cases[i].end_off, range.end_off);
		EXPECT_OK(PAPI_start(set));
		write_bytes();
		EXPECT_EQUAL(cases[i].count, work_stop(set));
	}
	restrict_to(PAPI_DATA_ADDRESS, set, NULL, NULL);
	EXPECT_OK(PAPI_start(set));
	write_bytes();
	EXPECT_EQUAL(11111, work_stop(set));
	work_discard(set);
}

/* With the range in force before there are events, and with everything else that an EventSet can be. */
static void with_other_options(void)
{
	PAPI_option_t inherit = { .inherit = { .inherit = PAPI_INHERIT_ALL } };
	char name[WORK_NAME];

	work_name(name, bytes, "/8:rw");
	for (unsigned options = 0; options < 8; options++) {
		int set = work_set(NULL, NULL, NULL);

		restrict_to(PAPI_DATA_ADDRESS, set, bytes, bytes + 2);
		if (options & 1)
			EXPECT_OK(PAPI_set_multiplex(set));
		EXPECT_OK(PAPI_add_named_event(set, name));
		inherit.inherit.eventset = set;
		if (options & 2)
			EXPECT_OK(PAPI_set_opt(PAPI_INHERIT, &inherit));
		restrict_to(PAPI_DATA_ADDRESS, set, bytes + 2, bytes + 4);
		if (options & 4) {
			EXPECT_OK(PAPI_remove_named_event(set, name));
			EXPECT_OK(PAPI_add_named_event(set, name));
		}
		EXPECT_OK(PAPI_start(set));
		write_bytes();
		EXPECT_EQUAL(1100, work_stop(set));
		work_discard(set);
	}
}

static WORK_PLAIN unsigned long first_function(unsigned long n)
{
	return n * 3 + 1;
}

static WORK_PLAIN unsigned long second_function(unsigned long n)
{
	return n ^ n << 7;
}

static void of_instructions(void)
{
	const char *first = (const char *)(size_t)&first_function, *second = (const char *)(size_t)&second_function;
	unsigned long (*volatile call_first)(unsigned long) = first_function;
	unsigned long (*volatile call_second)(unsigned long) = second_function;
	const char *low = first < second ? first : second, *high = first < second ? second : first;
	unsigned long sum = 0;
	char names[2][WORK_NAME];
	long long values[2];
	int set;

	work_name(names[0], first, ":x");
	work_name(names[1], second, ":x");
	set = work_set(names[0], names[1], NULL);
	restrict_to(PAPI_INSTR_ADDRESS, set, low, high + 1);
	EXPECT_OK(PAPI_start(set));
	for (unsigned long i = 0; i < 33; i++)
		sum += call_first(i) + call_second(i) + call_second(sum);
	work_stop_values(set, values, 2);
	EXPECT_EQUAL(33, values[0]);
	EXPECT_EQUAL(66, values[1]);
	EXPECT(sum > 0);
	work_discard(set);
}

int main(void)
{
	static const struct test tests[] = {
		{ "what is in the range counts", what_is_in_the_range_counts },
		{ "with other options", with_other_options },
		{ "of instructions", of_instructions },
	};

	work_begin();
	work_need_breakpoints();
	return work_end(check_run(tests, COUNT_OF(tests)));
}
