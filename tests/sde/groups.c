/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups, recorders and counting sets: values that are made of others. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sde.h"

static papi_handle_t library;
static long long a, b;
static int c;
static double x = 1, y = 2;

static void join(const char *event, const char *group, uint32_t flags)
{
	EXPECT_OK(papi_sde_add_counter_to_group(library, event, group, flags));
}

static void registered(void)
{
	EXPECT_OK(papi_sde_register_counter(library, "a", PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_long_long, &a));
	EXPECT_OK(papi_sde_register_counter(library, "b", PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_long_long, &b));
	EXPECT_OK(papi_sde_register_counter(library, "c", PAPI_SDE_RO | PAPI_SDE_INSTANT, PAPI_SDE_int, &c));
	EXPECT_OK(papi_sde_register_counter(library, "x", PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_double, &x));
	EXPECT_OK(papi_sde_register_counter(library, "y", PAPI_SDE_RO | PAPI_SDE_INSTANT, PAPI_SDE_double, &y));
	for (const char *const *member = (const char *const[]){ "a", "b", "c", NULL }; *member; member++) {
		join(*member, "sum", PAPI_SDE_SUM);
		join(*member, "most", PAPI_SDE_MAX);
		join(*member, "least", PAPI_SDE_MIN);
	}
	join("x", "real", PAPI_SDE_SUM);
	join("y", "real", PAPI_SDE_SUM);
	join("sum", "all", PAPI_SDE_MAX);
	join("least", "all", PAPI_SDE_MAX);
}

/* Members count from the start of the set, each by its own mode; the group is made of what they have counted. */
static void groups(void)
{
	static const char *const names[] = { "sde:::g::sum", "sde:::g::most", "sde:::g::least", "sde:::g::real",
		"sde:::g::all", "sde:::g::a" };
	long long values[COUNT_OF(names)];
	int set = PAPI_NULL;

	a = b = 1000;
	REQUIRE_OK(PAPI_create_eventset(&set));
	for (size_t i = 0; i < COUNT_OF(names); i++)
		EXPECT_OK(PAPI_add_named_event(set, names[i]));
	EXPECT_OK(PAPI_start(set));
	a += 5;
	b += 20;
	c = -2;
	x += 0.5;
	EXPECT_OK(PAPI_read(set, values));
	EXPECT_EQUAL(5 + 20 - 2, values[0]);
	EXPECT_EQUAL(20, values[1]);
	EXPECT_EQUAL(-2, values[2]);
	EXPECT(GET_DOUBLE_SDE(values[3]) == 0.5 + 2);
	EXPECT_EQUAL(23, values[4]);
	EXPECT_EQUAL(5, values[5]);
	EXPECT_OK(PAPI_reset(set));
	a += 1;
	EXPECT_OK(PAPI_stop(set, values));
	EXPECT_EQUAL(1 + 0 - 2, values[0]);
	EXPECT_EQUAL(1, values[1]);
	EXPECT_EQUAL(1, values[5]);
	sde_discard(set);
}

/* The next start sees who is in the group then. */
static void members_come_and_go(void)
{
	static long long late = 7;
	long long value;
	int set = sde_set("sde:::g::sum");

	EXPECT_OK(
		papi_sde_register_counter(library, "late", PAPI_SDE_RO | PAPI_SDE_INSTANT, PAPI_SDE_long_long, &late));
	EXPECT_OK(PAPI_start(set));
	join("late", "sum", PAPI_SDE_SUM);
	c = 0;
	EXPECT_EQUAL(0, sde_stop(set));
	EXPECT_OK(PAPI_start(set));
	EXPECT_EQUAL(7, sde_read(set));
	EXPECT_OK(papi_sde_unregister_counter(library, "late"));
	EXPECT_ERROR(PAPI_ENOEVNT, "unregistered", PAPI_stop(set, &value));
	EXPECT_OK(PAPI_start(set));
	b += 3;
	EXPECT_EQUAL(3, sde_stop(set));
	sde_discard(set);
}

static void groups_refused(void)
{
	void *recorder;

	EXPECT_STATUS(PAPI_ECNFLCT, papi_sde_add_counter_to_group(library, "a", "sum", PAPI_SDE_SUM));
	EXPECT_STATUS(PAPI_ECNFLCT, papi_sde_add_counter_to_group(library, "x", "sum", PAPI_SDE_MAX));
	EXPECT_STATUS(PAPI_ECNFLCT, papi_sde_add_counter_to_group(library, "a", "b", PAPI_SDE_SUM));
	EXPECT_STATUS(PAPI_EINVAL, papi_sde_add_counter_to_group(library, "x", "sum", PAPI_SDE_SUM));
	EXPECT_STATUS(PAPI_EINVAL, papi_sde_add_counter_to_group(library, "a", "real", PAPI_SDE_SUM));
	EXPECT_STATUS(PAPI_EINVAL, papi_sde_add_counter_to_group(library, "a", "new", 3));
	EXPECT_STATUS(PAPI_EINVAL, papi_sde_add_counter_to_group(library, "a", "", PAPI_SDE_SUM));
	EXPECT_STATUS(PAPI_ENOEVNT, papi_sde_add_counter_to_group(library, "none", "new", PAPI_SDE_SUM));
	/* A group in itself, and a circle of two. */
	EXPECT_STATUS(PAPI_ECNFLCT, papi_sde_add_counter_to_group(library, "sum", "sum", PAPI_SDE_SUM));
	EXPECT_STATUS(PAPI_ECNFLCT, papi_sde_add_counter_to_group(library, "all", "sum", PAPI_SDE_SUM));
	EXPECT_OK(papi_sde_create_recorder(library, "no member", sizeof(int), NULL, &recorder));
	EXPECT_STATUS(PAPI_EINVAL, papi_sde_add_counter_to_group(library, "no member", "new", PAPI_SDE_SUM));
	EXPECT(papi_sde_get_counter_handle(library, "sum") == NULL);
}

static const int *address(long long value)
{
	return GET_SDE_RECORDER_ADDRESS(value, int);
}

/* The arrays that a read has made are the reader's. */
static void free_all(const long long values[], size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(GET_SDE_RECORDER_ADDRESS(values[i], void));
}

static void free_list(cset_list_object_t *list)
{
	while (list) {
		cset_list_object_t *next = list->next;

		free(list->ptr);
		free(list);
		list = next;
	}
}

static void recorders(void)
{
	static const char *const names[] = { "sde:::g::rec", "sde:::g::rec:CNT", "sde:::g::rec:MIN", "sde:::g::rec:Q1",
		"sde:::g::rec:MED", "sde:::g::rec:Q3", "sde:::g::rec:MAX" };
	long long values[COUNT_OF(names)];
	int set = PAPI_NULL, value;
	void *recorder;

	EXPECT_OK(papi_sde_create_recorder(library, "rec", sizeof(int), papi_sde_compare_int, &recorder));
	EXPECT(papi_sde_get_counter_handle(library, "rec") == recorder);
	REQUIRE_OK(PAPI_create_eventset(&set));
	for (size_t i = 0; i < COUNT_OF(names); i++)
		EXPECT_OK(PAPI_add_named_event(set, names[i]));
	EXPECT_OK(PAPI_start(set));
	EXPECT_OK(PAPI_read(set, values));
	for (size_t i = 0; i < COUNT_OF(names); i++)
		EXPECT_EQUAL(0, values[i]);
	/* 999, 998, ..., 0 in an order that is not sorted either way. */
	for (int i = 0; i < 1000; i++) {
		value = (i * 7 + 3) % 1000;
		EXPECT_OK(papi_sde_record(recorder, sizeof(value), &value));
	}
	EXPECT_OK(PAPI_read(set, values));
	EXPECT_EQUAL(3, address(values[0])[0]);
	EXPECT_EQUAL(10, address(values[0])[1]);
	EXPECT_EQUAL((999 * 7 + 3) % 1000, address(values[0])[999]);
	EXPECT_EQUAL(1000, values[1]);
	EXPECT_EQUAL(0, *address(values[2]));
	EXPECT_EQUAL(250, *address(values[3]));
	EXPECT_EQUAL(500, *address(values[4]));
	EXPECT_EQUAL(750, *address(values[5]));
	EXPECT_EQUAL(999, *address(values[6]));
	EXPECT_OK(papi_sde_reset_recorder(recorder));
	value = 8;
	EXPECT_OK(papi_sde_record(recorder, sizeof(value), &value));
	/* The copies are the caller's, whatever the set does, which makes none that the caller never sees. */
	EXPECT_OK(PAPI_reset(set));
	EXPECT_EQUAL(3, address(values[0])[0]);
	values[1] = 0;
	free_all(values, COUNT_OF(values));
	EXPECT_OK(PAPI_stop(set, values));
	EXPECT_EQUAL(1, values[1]);
	for (size_t i = 2; i < COUNT_OF(names); i++)
		EXPECT_EQUAL(8, *address(values[i]));
	values[1] = 0;
	free_all(values, COUNT_OF(values));
	EXPECT_STATUS(PAPI_EINVAL, papi_sde_record(recorder, sizeof(long), &value));
	EXPECT_STATUS(PAPI_EINVAL, papi_sde_record(recorder, sizeof(value), NULL));
	EXPECT_STATUS(PAPI_EINVAL, papi_sde_inc_counter(recorder, 1));
	sde_discard(set);
}

/* Of seven values the places are 0, 1, 3, 5 and 6: rounded down. */
static void quantiles_of_few(void)
{
	static const double numbers[] = { 5.5, -1, 2.25, 1e300, 0, 1.5, -7 };
	static const char *const names[] = { "sde:::g::few:MIN", "sde:::g::few:Q1", "sde:::g::few:MED",
		"sde:::g::few:Q3", "sde:::g::few:MAX" };
	static const double expected[] = { -7, -1, 1.5, 5.5, 1e300 };
	double *value;
	void *recorder;

	EXPECT_OK(papi_sde_create_recorder(library, "few", sizeof(double), papi_sde_compare_double, &recorder));
	for (size_t i = 0; i < COUNT_OF(numbers); i++)
		EXPECT_OK(papi_sde_record(recorder, sizeof(double), &numbers[i]));
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		int set = sde_set(names[i]);

		EXPECT_OK(PAPI_start(set));
		value = GET_SDE_RECORDER_ADDRESS(sde_stop(set), double);
		EXPECT(*value == expected[i]);
		free(value);
		sde_discard(set);
	}
}

/* As unit masks: all seven values with a comparison, the number alone without. */
static void recorders_listed(void)
{
	static const char *const masks[] = { ":CNT", ":MIN", ":Q1", ":MED", ":Q3", ":MAX" };
	char name[PAPI_HUGE_STR_LEN], expected[64];
	int code, cidx = PAPI_get_component_index("sde"), n = 0;
	void *recorder;

	EXPECT_OK(PAPI_event_name_to_code("sde:::g::rec", &code));
	while (PAPI_enum_cmp_event(&code, PAPI_NTV_ENUM_UMASKS, cidx) == PAPI_OK && n < (int)COUNT_OF(masks)) {
		snprintf(expected, sizeof(expected), "sde:::g::rec%s", masks[n++]);
		EXPECT_OK(PAPI_event_code_to_name(code, name));
		EXPECT_TEXT(expected, name);
	}
	EXPECT_EQUAL(COUNT_OF(masks), n);
	EXPECT_OK(papi_sde_create_recorder(library, "unsorted", 3, NULL, &recorder));
	EXPECT_OK(PAPI_event_name_to_code("sde:::g::unsorted:CNT", &code));
	EXPECT_STATUS(PAPI_EINVAL, papi_sde_create_recorder(library, "empty", 0, NULL, &recorder));
	/* Names that end like a recorder's values can be anybody's. */
	EXPECT_OK(papi_sde_register_counter(library, "plain:CNT", PAPI_SDE_RO, PAPI_SDE_long_long, &a));
	EXPECT_OK(PAPI_event_name_to_code("sde:::g::plain:CNT", &code));
}

static void comparisons(void)
{
	double not_a_number = __builtin_nan(""), one = 1;
	long long low = INT64_MIN, high = INT64_MAX;

	EXPECT(papi_sde_compare_long_long(&low, &high) < 0);
	EXPECT(papi_sde_compare_long_long(&high, &low) > 0);
	EXPECT_EQUAL(0, papi_sde_compare_double(&one, &one));
	EXPECT(papi_sde_compare_double(&not_a_number, &one) > 0);
	EXPECT(papi_sde_compare_double(&one, &not_a_number) < 0);
	EXPECT_EQUAL(0, papi_sde_compare_double(&not_a_number, &not_a_number));
	EXPECT(papi_sde_compare_float(&(float){ 1 }, &(float){ 2 }) < 0);
}

struct thing {
	int key, payload;
};

static void counting_sets(void)
{
	struct thing thing = { .key = 0 };
	cset_list_object_t *list;
	long long seen = 0;
	void *things;
	int set, n = 0;

	EXPECT_OK(papi_sde_create_counting_set(library, "things", &things));
	set = sde_set("sde:::g::things");
	EXPECT_OK(PAPI_start(set));
	EXPECT_EQUAL(0, sde_read(set));
	/* Key k of 500 is inserted k % 3 + 1 times. */
	for (int round = 0; round < 3; round++) {
		for (thing.key = 0; thing.key < 500; thing.key++) {
			thing.payload = 10 * thing.key + round;
			if (thing.key % 3 >= round)
				EXPECT_OK(papi_sde_counting_set_insert(
					things, sizeof(thing), sizeof(thing.key), &thing, 4));
		}
	}
	list = GET_SDE_RECORDER_ADDRESS(sde_read(set), cset_list_object_t);
	for (const cset_list_object_t *node = list; node; node = node->next) {
		const struct thing *element = node->ptr;

		n++;
		seen += element->key;
		EXPECT_EQUAL(element->key % 3 + 1, node->count);
		EXPECT_EQUAL(10 * element->key, element->payload);
		EXPECT_EQUAL(4, node->type_id);
		EXPECT(node->type_size == sizeof(thing));
	}
	EXPECT_EQUAL(500, n);
	EXPECT_EQUAL(500 * 499 / 2, seen);
	free_list(list);
	for (thing.key = 1; thing.key < 500; thing.key++)
		for (int i = 0; i <= thing.key % 3; i++)
			EXPECT_OK(papi_sde_counting_set_remove(things, sizeof(thing.key), &thing, 4));
	thing.key = 0;
	EXPECT_STATUS(PAPI_ENOEVNT, papi_sde_counting_set_remove(things, sizeof(thing.key), &thing, 5));
	thing.key = 77;
	EXPECT_STATUS(PAPI_ENOEVNT, papi_sde_counting_set_remove(things, sizeof(thing.key), &thing, 4));
	EXPECT_STATUS(PAPI_EINVAL, papi_sde_counting_set_insert(things, 2, 4, &thing, 4));
	EXPECT_STATUS(PAPI_EINVAL, papi_sde_counting_set_insert(things, 4, 4, NULL, 4));
	EXPECT_STATUS(PAPI_EINVAL, papi_sde_record(things, 4, &thing));
	list = GET_SDE_RECORDER_ADDRESS(sde_stop(set), cset_list_object_t);
	EXPECT(list && list->count == 1 && ((const struct thing *)list->ptr)->key == 0 && !list->next);
	free_list(list);
	sde_discard(set);
}

/* What was a recorder and comes back as a counter has no median. */
static void another_kind(void)
{
	int set = sde_set("sde:::g::few:MED");

	EXPECT_OK(papi_sde_unregister_counter(library, "few"));
	EXPECT_OK(papi_sde_register_counter(library, "few", PAPI_SDE_RO, PAPI_SDE_long_long, &a));
	EXPECT_OK(PAPI_start(set));
	EXPECT_EQUAL(-1, sde_stop(set));
	sde_discard(set);
}

int main(void)
{
	static const struct test tests[] = {
		{ "registered", registered },
		{ "groups", groups },
		{ "members come and go", members_come_and_go },
		{ "groups refused", groups_refused },
		{ "recorders", recorders },
		{ "quantiles of few", quantiles_of_few },
		{ "recorders listed", recorders_listed },
		{ "comparisons", comparisons },
		{ "counting sets", counting_sets },
		{ "another kind", another_kind },
	};
	int status;

	sde_begin();
	library = papi_sde_init("g");
	REQUIRE(library != NULL);
	status = check_run(tests, COUNT_OF(tests));
	EXPECT_OK(papi_sde_shutdown(library));
	PAPI_shutdown();
	return status;
}
