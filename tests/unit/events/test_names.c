/* SPDX-License-Identifier: BSD-3-Clause */
/* events/names.h and events/natives.h: the tables of names, and finding while others add. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "core/library.h"
#include "events/events.h"
#include "events/names.h"
#include "events/natives.h"
#include "sets.h"

#define NAMES_ADDED 20000
#define THREADS     4

static void print_name(char name[32], int i)
{
	snprintf(name, 32, "name::%x:OF=%d", (unsigned)i * 2654435761u, i);
}

static void names_are_found_with_their_codes(void **state)
{
	const char *copy;
	char name[32];
	int code;

	(void)state;
	for (int i = 0; i < NAMES_ADDED; i++) {
		print_name(name, i);
		assert_false(papi_names_find(name, &code));
		assert_true(papi_names_add(name, i * 3, i % 2 ? &copy : NULL));
		if (i % 2)
			assert_string_equal(copy, name);
	}
	for (int i = 0; i < NAMES_ADDED; i++) {
		print_name(name, i);
		code = -1;
		assert_true(papi_names_find(name, &code));
		assert_int_equal(code, i * 3);
		name[0] = 'N';
		assert_false(papi_names_find(name, &code));
		name[strlen(name) - 1] = '\0';
		assert_false(papi_names_find(name, &code));
	}
	assert_false(papi_names_find("", &code));
	papi_names_clear();
	for (int i = 0; i < NAMES_ADDED; i += 100) {
		print_name(name, i);
		assert_false(papi_names_find(name, &code));
	}
}

/* Pairs of words with the same 32-bit FNV-1a hash. */
static void names_of_the_same_hash_are_told_apart(void **state)
{
	static const char *const pairs[][2] = { { "costarring", "liquid" }, { "declinate", "macallums" },
		{ "altarage", "zinke" } };
	int code;

	(void)state;
	for (int i = 0; i < (int)LENGTH(pairs); i++) {
		assert_true(papi_names_add(pairs[i][0], 2 * i, NULL));
		assert_false(papi_names_find(pairs[i][1], &code));
		assert_true(papi_names_add(pairs[i][1], 2 * i + 1, NULL));
		for (int j = 0; j < 2; j++) {
			assert_true(papi_names_find(pairs[i][j], &code));
			assert_int_equal(code, 2 * i + j);
		}
	}
	papi_names_clear();
}

static _Atomic int published, failures;

/* Whatever has been published is found, with its code; what has not may be. */
static void *find_published(void *argument)
{
	unsigned random = (unsigned)(uintptr_t)argument;

	while (published < NAMES_ADDED) {
		int n = published, code, i;
		char name[32];
		bool found;

		random = random * 1664525 + 1013904223;
		i = (int)(random >> 8) % NAMES_ADDED;
		print_name(name, i);
		found = papi_names_find(name, &code);
		if ((i < n && !found) || (found && code != i))
			failures++;
	}
	return NULL;
}

static void names_are_found_while_others_are_added(void **state)
{
	pthread_t threads[THREADS];
	char name[32];

	(void)state;
	published = failures = 0;
	for (uintptr_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, find_published, (void *)i), 0);
	for (int i = 0; i < NAMES_ADDED; i++) {
		print_name(name, i);
		if (!papi_names_add(name, i, NULL))
			failures++;
		published = i + 1;
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(failures, 0);
	papi_names_clear();
}

#define NATIVES 3000

/* All threads ask for all names, each in an order of its own, and tell which codes they got. */
static void *ask_for_all(void *argument)
{
	int *codes = argument;
	int step = codes[0];

	for (int i = 0; i < NATIVES; i++) {
		int which = (int)((unsigned)i * (unsigned)step % NATIVES);
		char name[32], back[PAPI_MAX_STR_LEN];

		snprintf(name, sizeof(name), "r%x", which);
		if (PAPI_event_name_to_code(name, &codes[which]) != PAPI_OK ||
			PAPI_event_code_to_name(codes[which], back) != PAPI_OK || strcmp(name, back))
			failures++;
	}
	return NULL;
}

static void threads_agree_on_codes(void **state)
{
	static int codes[THREADS][NATIVES];
	/* None has a divisor in common with 3000, so each step meets all numbers. */
	static const int steps[THREADS] = { 1, 7, 1511, 2999 };
	pthread_t threads[THREADS];

	(void)state;
	failures = 0;
	for (int i = 0; i < THREADS; i++) {
		codes[i][0] = steps[i];
		assert_int_equal(pthread_create(&threads[i], NULL, ask_for_all, codes[i]), 0);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(failures, 0);
	for (int i = 1; i < THREADS; i++)
		assert_memory_equal(codes[i], codes[0], sizeof(codes[0]));
	for (int i = 0; i < NATIVES; i++)
		for (int j = 0; j < i; j += 97)
			assert_int_not_equal(codes[0][i], codes[0][j]);
}

static void a_prefix_makes_no_other_event(void **state)
{
	int plain, prefixed, again;

	(void)state;
	assert_ok(PAPI_event_name_to_code("perf_event:::r7", &prefixed));
	assert_ok(PAPI_event_name_to_code("r7", &plain));
	assert_ok(PAPI_event_name_to_code("perf_event:::r7", &again));
	assert_int_equal(prefixed, plain);
	assert_int_equal(again, plain);
	assert_ok(PAPI_event_name_to_code("rusage:::minflt", &plain));
	assert_int_not_equal(plain, prefixed);
	assert_int_equal(PAPI_get_event_component(prefixed), 0);
	assert_int_equal(PAPI_get_event_component(plain), PAPI_get_component_index("rusage"));
}

static void names_of_nothing_are_refused(void **state)
{
	char name[PAPI_HUGE_STR_LEN + 1];
	int code;

	(void)state;
	assert_refused(PAPI_event_name_to_code("", &code), PAPI_ENOEVNT, "empty");
	assert_refused(
		PAPI_event_name_to_code("no_such:::r7", &code), PAPI_ENOEVNT, "no component is named \"no_such\"");
	assert_refused(PAPI_event_name_to_code("rusage:::r7", &code), PAPI_ENOEVNT, "rusage has no event \"r7\"");
	assert_refused(PAPI_event_name_to_code("perf_event:::", &code), PAPI_ENOEVNT, "");
	assert_refused(PAPI_event_name_to_code(":::", &code), PAPI_ENOEVNT, "no component is named \"\"");
	assert_refused(PAPI_event_name_to_code("nobody_knows_it", &code), PAPI_ENOEVNT, "nobody_knows_it");
	memset(name, 'r', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_refused(PAPI_event_name_to_code(name, &code), PAPI_ENOEVNT, "at most 1023");
}

/* A preset is in the same table as the natives; behind a prefix its name means nothing. */
static void presets_are_no_natives(void **state)
{
	int code = 0;

	(void)state;
	assert_ok(PAPI_event_name_to_code("PAPI_TOT_INS", &code));
	assert_int_equal(code, PAPI_TOT_INS);
	assert_refused(PAPI_event_name_to_code("perf_event:::PAPI_TOT_INS", &code), PAPI_ENOEVNT, "PAPI_TOT_INS");
	assert_refused(PAPI_event_name_to_code("rusage:::PAPI_TOT_INS", &code), PAPI_ENOEVNT, "PAPI_TOT_INS");
	assert_ok(PAPI_event_name_to_code("papi_tot_ins", &code));
	assert_int_equal(code, PAPI_TOT_INS);
}

static void long_names_need_a_long_buffer(void **state)
{
	char name[200], back[PAPI_MAX_STR_LEN];
	PAPI_event_info_t info;
	int code;

	(void)state;
	/* Zeros before a number do not change the event, but are part of its name. */
	memset(name, '0', sizeof(name));
	memcpy(name, "mem:0x", 6);
	name[199] = '\0';
	assert_ok(PAPI_event_name_to_code(name, &code));
	assert_refused(PAPI_event_code_to_name(code, back), PAPI_EBUF, "199 characters");
	assert_ok(PAPI_get_event_info(code, &info));
	assert_string_equal(info.symbol, name);
	name[PAPI_MAX_STR_LEN - 1] = '\0';
	assert_ok(PAPI_event_name_to_code(name, &code));
	assert_ok(PAPI_event_code_to_name(code, back));
	assert_string_equal(back, name);
}

static void natives_have_room_for_many(void **state)
{
	struct papi_native *native;
	char name[32], back[PAPI_MAX_STR_LEN];
	int status, n = 0, code;

	(void)state;
	assert_ok(papi_library_enter());
	do {
		snprintf(name, sizeof(name), "r%x", n++);
		status = papi_native_list(0, name, &native);
	} while (status == PAPI_OK && n < 1000000);
	papi_library_leave();
	assert_int_equal(status, PAPI_ECOUNT);
	assert_says("native events already");
	assert_in_range(n, 250000, 270000);
	/* Those there are can be used. */
	snprintf(name, sizeof(name), "r%x", n - 2);
	assert_ok(PAPI_event_name_to_code(name, &code));
	assert_ok(PAPI_event_code_to_name(code, back));
	assert_string_equal(back, name);
	assert_ok(PAPI_query_event(code));
	assert_refused(PAPI_event_name_to_code("mem:0x1000", &code), PAPI_ECOUNT, "native events already");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_found_with_their_codes),
		cmocka_unit_test(names_of_the_same_hash_are_told_apart),
		cmocka_unit_test(names_are_found_while_others_are_added),
		test_on_model(threads_agree_on_codes),
		test_on_model(a_prefix_makes_no_other_event),
		test_on_model(names_of_nothing_are_refused),
		test_on_model(presets_are_no_natives),
		test_on_model(long_names_need_a_long_buffer),
		test_on_model(natives_have_room_for_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
