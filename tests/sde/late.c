/* SPDX-License-Identifier: BSD-3-Clause */
/* Events that are added before they are registered, and names that are registered again. */
#include <stdlib.h>

#include "sde.h"

/* Nothing else has the name yet: neither the library nor the event. */
static void registered_while_counting(void)
{
	static long long n = 100, now = 7;
	int set = sde_set("sde:::late::n"), instant = sde_set("sde:::late::now");
	papi_handle_t library;
	PAPI_event_info_t info;
	int code;

	EXPECT_OK(PAPI_event_name_to_code("sde:::late::n", &code));
	EXPECT_OK(PAPI_get_event_info(code, &info));
	EXPECT_TEXT("not registered: its value is -1 until it is", info.note);
	EXPECT_OK(PAPI_start(set));
	EXPECT_OK(PAPI_start(instant));
	EXPECT_EQUAL(-1, sde_read(set));
	library = papi_sde_init("late");
	EXPECT_EQUAL(-1, sde_read(set));
	EXPECT_OK(papi_sde_register_counter(library, "n", PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_long_long, &n));
	EXPECT_OK(papi_sde_register_counter(library, "now", PAPI_SDE_INSTANT, PAPI_SDE_long_long, &now));
	n += 5;
	EXPECT_EQUAL(105, sde_read(set));
	EXPECT_EQUAL(7, sde_read(instant));
	EXPECT_OK(PAPI_reset(set));
	n += 2;
	EXPECT_EQUAL(2, sde_stop(set));
	EXPECT_EQUAL(7, sde_stop(instant));
	/* As any other from then on. */
	EXPECT_OK(PAPI_start(set));
	n += 1;
	EXPECT_EQUAL(1, sde_stop(set));
	sde_discard(set);
	sde_discard(instant);
	EXPECT_OK(papi_sde_shutdown(library));
}

/* What it turns out to be is known when it is there: recorders, their parts, groups of old and new members. */
static void of_all_kinds(void)
{
	static const char *const names[] = { "sde:::kinds::there", "sde:::kinds::recorder", "sde:::kinds::recorder:CNT",
		"sde:::kinds::recorder:MAX", "sde:::kinds::group", "sde:::kinds::never" };
	papi_handle_t library = papi_sde_init("kinds");
	static long long there = 1000, later;
	long long values[COUNT_OF(names)];
	int set = PAPI_NULL;
	void *recorder;

	EXPECT_OK(papi_sde_register_counter(library, "there", PAPI_SDE_DELTA, PAPI_SDE_long_long, &there));
	REQUIRE_OK(PAPI_create_eventset(&set));
	for (size_t i = 0; i < COUNT_OF(names); i++)
		EXPECT_OK(PAPI_add_named_event(set, names[i]));
	EXPECT_OK(PAPI_start(set));
	there += 1;
	EXPECT_OK(PAPI_read(set, values));
	EXPECT_EQUAL(1, values[0]);
	for (size_t i = 1; i < COUNT_OF(names); i++)
		EXPECT_EQUAL(-1, values[i]);
	EXPECT_OK(papi_sde_create_recorder(library, "recorder", sizeof(later), papi_sde_compare_long_long, &recorder));
	for (long long value = 1; value <= 9; value++)
		EXPECT_OK(papi_sde_record(recorder, sizeof(value), &value));
	EXPECT_OK(papi_sde_register_counter(library, "later", PAPI_SDE_DELTA, PAPI_SDE_long_long, &later));
	EXPECT_OK(papi_sde_add_counter_to_group(library, "there", "group", PAPI_SDE_SUM));
	EXPECT_OK(papi_sde_add_counter_to_group(library, "later", "group", PAPI_SDE_SUM));
	later = 30;
	EXPECT_OK(PAPI_read(set, values));
	EXPECT_EQUAL(1, values[0]);
	EXPECT_EQUAL(9, GET_SDE_RECORDER_ADDRESS(values[1], long long)[8]);
	EXPECT_EQUAL(9, values[2]);
	EXPECT_EQUAL(9, *GET_SDE_RECORDER_ADDRESS(values[3], long long));
	EXPECT_EQUAL(30, values[4]);
	EXPECT_EQUAL(-1, values[5]);
	free(GET_SDE_RECORDER_ADDRESS(values[1], void));
	free(GET_SDE_RECORDER_ADDRESS(values[3], void));
	EXPECT_OK(papi_sde_reset_recorder(recorder));
	there += 4;
	EXPECT_OK(PAPI_stop(set, values));
	EXPECT_EQUAL(5, values[0]);
	EXPECT_EQUAL(34, values[4]);
	sde_discard(set);
	EXPECT_OK(papi_sde_shutdown(library));
}

/* The first registration of a name counts, and whoever comes later gets its handle. */
static void registered_again(void)
{
	papi_handle_t library = papi_sde_init("again");
	void *first = NULL, *second = NULL, *recorder = NULL, *set_handle = NULL;
	static long long n, other;
	int set;

	EXPECT_OK(papi_sde_register_counter(library, "n", PAPI_SDE_DELTA, PAPI_SDE_long_long, &n));
	EXPECT_OK(papi_sde_register_counter(library, "n", PAPI_SDE_DELTA, PAPI_SDE_long_long, &n));
	EXPECT_OK(papi_sde_register_counter(library, "n", PAPI_SDE_DELTA, PAPI_SDE_long_long, &other));
	set = sde_set("sde:::again::n");
	EXPECT_OK(PAPI_start(set));
	n = 3;
	other = 500;
	EXPECT_EQUAL(3, sde_stop(set));
	sde_discard(set);
	EXPECT_OK(papi_sde_create_counter(library, "c", PAPI_SDE_DELTA, &first));
	EXPECT_OK(papi_sde_create_counter(library, "c", PAPI_SDE_DELTA, &second));
	EXPECT(first && first == second);
	EXPECT_OK(papi_sde_inc_counter(second, 1));
	EXPECT_OK(papi_sde_create_recorder(library, "r", sizeof(n), NULL, &recorder));
	EXPECT_OK(papi_sde_record(recorder, sizeof(n), &n));
	EXPECT_OK(papi_sde_create_recorder(library, "r", sizeof(n), NULL, &second));
	EXPECT(recorder == second);
	EXPECT_OK(papi_sde_create_counting_set(library, "s", &set_handle));
	EXPECT_OK(papi_sde_create_counting_set(library, "s", &second));
	EXPECT(set_handle == second);
	/* A handle of something else is none of that kind. */
	EXPECT_OK(papi_sde_create_counter(library, "r", PAPI_SDE_DELTA, &second));
	EXPECT_STATUS(SDE_EINVAL, papi_sde_inc_counter(second, 1));
	EXPECT_OK(papi_sde_create_recorder(library, "n", sizeof(n), NULL, &second));
	EXPECT_STATUS(SDE_EINVAL, papi_sde_record(second, sizeof(n), &n));
	EXPECT_OK(papi_sde_shutdown(library));
}

/* 7.0's other names for the same. */
static long long give(void *param)
{
	return *(long long *)param;
}

static void by_other_names(void)
{
	static long long n = 4;
	papi_sde_fptr_struct_t functions;
	papi_handle_t library;
	void *cset;
	int set;

	POPULATE_SDE_FPTR_STRUCT(functions);
	library = functions.init("names");
	EXPECT_OK(papi_sde_register_fp_counter(library, "f", PAPI_SDE_INSTANT, PAPI_SDE_long_long, give, &n));
	EXPECT_OK(functions.register_fp_counter(library, "g", PAPI_SDE_INSTANT, PAPI_SDE_long_long, give, &n));
	EXPECT_OK(functions.create_counting_set(library, "s", &cset));
	set = sde_set("sde:::names::f");
	EXPECT_OK(PAPI_start(set));
	EXPECT_EQUAL(4, sde_stop(set));
	sde_discard(set);
	EXPECT_OK(papi_sde_destroy_counter(library, "f"));
	EXPECT_STATUS(SDE_ENOEVNT, papi_sde_destroy_counter(library, "f"));
	EXPECT_OK(functions.destroy_counter(library, "g"));
	EXPECT_OK(papi_sde_destroy_counting_set(library, "s"));
	EXPECT_OK(functions.shutdown(library));
	EXPECT_EQUAL(0x10000, PAPI_SDE_VERSION);
}

int main(void)
{
	static const struct test tests[] = {
		{ "registered while counting", registered_while_counting },
		{ "of all kinds", of_all_kinds },
		{ "registered again", registered_again },
		{ "by other names", by_other_names },
	};
	int status;

	sde_begin();
	status = check_run(tests, COUNT_OF(tests));
	PAPI_shutdown();
	return status;
}
