/* SPDX-License-Identifier: BSD-3-Clause */
/* PAPI_DATA_ADDRESS and PAPI_INSTR_ADDRESS on the breakpoints of the model kernel. */
#include "sets.h"

static int set_range(int option, int set, uintptr_t start, uintptr_t end, PAPI_addr_range_option_t *result)
{
	PAPI_option_t value = {
		.addr = { .eventset = set, .start = (vptr_t)start, .end = (vptr_t)end, .start_off = -1, .end_off = -1 }
	};
	int status = PAPI_set_opt(option, &value);

	if (result)
		*result = value.addr;
	return status;
}

/* A watch of eight bytes at 0x1000, and what is left of it. */
static void a_watch_is_narrowed(void **state)
{
	static const struct {
		uintptr_t start, end;
		uint64_t address, length;
		int start_off, end_off;
	} cases[] = {
		{ 0x1000, 0x1008, 0x1000, 8, 0, 0 },
		{ 0x0, 0x2000, 0x1000, 8, 0, 0 },
		{ 0x1004, 0x2000, 0x1004, 4, 0, 0 },
		{ 0x0ff0, 0x1004, 0x1000, 4, 0, 0 },
		{ 0x1002, 0x1004, 0x1002, 2, 0, 0 },
		{ 0x1007, 0x1008, 0x1007, 1, 0, 0 },
		{ 0x1001, 0x1004, 0x1000, 4, 1, 0 },
		{ 0x1001, 0x1003, 0x1000, 4, 1, 1 },
		{ 0x1003, 0x1005, 0x1000, 8, 3, 3 },
		{ 0x1001, 0x1007, 0x1000, 8, 1, 1 },
		{ 0x1005, 0x9000, 0x1004, 4, 1, 0 },
		{ 0x0001, 0x1003, 0x1000, 4, 0, 1 },
	};
	int set = SET_OF("mem:0x1000/8:w");

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		PAPI_addr_range_option_t range;
		PAPI_option_t asked = { .addr = { .eventset = set } };

		assert_ok(set_range(PAPI_DATA_ADDRESS, set, cases[i].start, cases[i].end, &range));
		assert_int_equal(fake.n_open, 1);
		assert_int_equal(fake_event(0)->attr.bp_addr, cases[i].address);
		assert_int_equal(fake_event(0)->attr.bp_len, cases[i].length);
		assert_int_equal(range.start_off, cases[i].start_off);
		assert_int_equal(range.end_off, cases[i].end_off);
		assert_ok(PAPI_get_opt(PAPI_DATA_ADDRESS, &asked));
		assert_ptr_equal(asked.addr.start, cases[i].start);
		assert_ptr_equal(asked.addr.end, cases[i].end);
		assert_int_equal(asked.addr.start_off, cases[i].start_off);
		assert_int_equal(asked.addr.end_off, cases[i].end_off);
	}
	/* Null pointers end it. */
	assert_ok(set_range(PAPI_DATA_ADDRESS, set, 0, 0, NULL));
	assert_int_equal(fake_event(0)->attr.bp_len, 8);
	destroy_set(set);
}

/* The range is that of the set: it holds for what is added later, and the offsets are those of the worst. */
static void of_several_events(void **state)
{
	PAPI_addr_range_option_t range;
	PAPI_option_t asked;
	int set = SET_OF("mem:0x1000/4");

	(void)state;
	assert_ok(set_range(PAPI_DATA_ADDRESS, set, 0x1002, 0x100d, &range));
	assert_int_equal(range.start_off, 0);
	ADD(set, "mem:0x1008/8:w");
	asked.addr.eventset = set;
	assert_ok(PAPI_get_opt(PAPI_DATA_ADDRESS, &asked));
	assert_int_equal(asked.addr.start_off, 0);
	assert_int_equal(asked.addr.end_off, 3);
	assert_int_equal(fake_event(1)->attr.bp_len, 8);
	assert_refused(PAPI_add_named_event(set, "mem:0x2000"), PAPI_ECNFLCT, "outside the range");
	/* The byte at the end is not in it, nor the one before the start. */
	assert_refused(PAPI_add_named_event(set, "mem:0x100d/1"), PAPI_ECNFLCT, "outside the range");
	assert_refused(PAPI_add_named_event(set, "mem:0x1001/1"), PAPI_ECNFLCT, "outside the range");
	assert_refused(PAPI_add_named_event(set, "r01"), PAPI_ECMP, "only breakpoints on data");
	assert_refused(PAPI_add_named_event(set, "mem:0x1008:x"), PAPI_ECMP, "only breakpoints on data");
	assert_refused(PAPI_add_named_event(set, "rusage:::minflt"), PAPI_ECMP, "component rusage cannot restrict");
	/* An empty set keeps it. */
	assert_ok(PAPI_cleanup_eventset(set));
	assert_ok(PAPI_get_opt(PAPI_DATA_ADDRESS, &asked));
	assert_ptr_equal(asked.addr.start, 0x1002);
	assert_int_equal(asked.addr.end_off, 0);
	destroy_set(set);
}

static void of_instructions(void **state)
{
	PAPI_addr_range_option_t range;
	int set = SET_OF("mem:0x1000:x", "mem:0x1008:x");

	(void)state;
	assert_ok(set_range(PAPI_INSTR_ADDRESS, set, 0x1000, 0x1009, &range));
	assert_int_equal(range.start_off, 0);
	assert_int_equal(range.end_off, 0);
	assert_int_equal(fake_event(1)->attr.bp_addr, 0x1008);
	assert_refused(set_range(PAPI_INSTR_ADDRESS, set, 0x1000, 0x1008, NULL), PAPI_ECNFLCT, "0x1008 is outside");
	assert_refused(PAPI_add_named_event(set, "mem:0x1000"), PAPI_ECMP, "only breakpoints on instructions");
	destroy_set(set);
}

/* A refused range leaves the set as it was, and counting. */
static void refusals(void **state)
{
	int set = SET_OF("mem:0x1000/8:w", "r01");
	PAPI_option_t asked = { .addr = { .eventset = set } };
	long long values[2];

	(void)state;
	assert_refused(set_range(PAPI_DATA_ADDRESS, set, 0x1000, 0x1008, NULL), PAPI_ECMP, "only breakpoints on data");
	assert_refused(
		set_range(PAPI_INSTR_ADDRESS, set, 0x1000, 0x1008, NULL), PAPI_ECMP, "only breakpoints on instr");
	assert_refused(set_range(PAPI_DATA_ADDRESS, set, 0x1008, 0x1000, NULL), PAPI_EINVAL, "ends behind its start");
	assert_refused(set_range(PAPI_DATA_ADDRESS, set, 0x1000, 0x1000, NULL), PAPI_EINVAL, "ends behind its start");
	assert_refused(set_range(PAPI_DATA_ADDRESS, set, 0x1000, 0, NULL), PAPI_EINVAL, "ends behind its start");
	assert_refused(set_range(PAPI_DATA_ADDRESS, PAPI_NULL, 0x1000, 0x2000, NULL), PAPI_ENOEVST, "PAPI_NULL");
	asked.addr.eventset = PAPI_NULL;
	assert_refused(PAPI_get_opt(PAPI_INSTR_ADDRESS, &asked), PAPI_ENOEVST, "PAPI_NULL");
	asked.addr = (PAPI_addr_range_option_t){ .eventset = set, .start = (vptr_t)1, .end_off = 7 };
	assert_ok(PAPI_get_opt(PAPI_DATA_ADDRESS, &asked));
	assert_null(asked.addr.start);
	assert_null(asked.addr.end);
	assert_int_equal(asked.addr.end_off, 0);
	assert_ok(PAPI_start(set));
	assert_refused(set_range(PAPI_DATA_ADDRESS, set, 0x1000, 0x2000, NULL), PAPI_EISRUN, "stop it");
	fake_count(4);
	assert_ok(PAPI_stop(set, values));
	assert_int_equal(values[0], 4);
	assert_int_equal(values[1], 4);
	destroy_set(set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_on_model(a_watch_is_narrowed),
		test_on_model(of_several_events),
		test_on_model(of_instructions),
		test_on_model(refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
