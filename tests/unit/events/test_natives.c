/* SPDX-License-Identifier: BSD-3-Clause */
/* Walking over the native events of all components and of one, on the model kernel with the PMUs of a made-up
 * machine. */
#include <stdio.h>

#include "../perf_event/pmus.h"
#include "sets.h"

#define MOST 5000

static int begin(void **state)
{
	int status;

	make_machine();
	status = set_up(state);
	add_pmus();
	return status;
}

static int end(void **state)
{
	int status = tear_down(state);

	fake_machine_end();
	return status;
}

static int next(int *code, int modifier, int component)
{
	return component < 0 ? PAPI_enum_event(code, modifier) : PAPI_enum_cmp_event(code, modifier, component);
}

/* The codes of a walk, from the first to the end of the listing. */
static int walk(int component, int codes[])
{
	int code = PAPI_NATIVE_MASK, n = 0, status;

	for (status = next(&code, PAPI_ENUM_FIRST, component); status == PAPI_OK;
		status = next(&code, PAPI_ENUM_EVENTS, component)) {
		assert_true(n < MOST);
		codes[n++] = code;
	}
	assert_int_equal(status, PAPI_ENOEVNT);
	assert_says("no more events");
	/* The end does not move the code. */
	assert_int_equal(code, codes[n - 1]);
	return n;
}

static void assert_listed(const int codes[], int n, const char *name)
{
	char found[PAPI_MAX_STR_LEN];

	for (int i = 0; i < n; i++) {
		assert_ok(PAPI_event_code_to_name(codes[i], found));
		if (!strcmp(found, name))
			return;
	}
	fail_msg("%s is not listed", name);
}

static void each_component_lists_its_events(void **state)
{
	static const char *const fields[] = { "utime", "stime", "minflt", "majflt", "inblock", "oublock", "nvcsw",
		"nivcsw", "realtime" };
	int rusage = PAPI_get_component_index("rusage"), n, codes[MOST];

	(void)state;
	n = walk(rusage, codes);
	assert_int_equal(n, LENGTH(fields));
	for (int i = 0; i < n; i++) {
		char name[PAPI_MAX_STR_LEN], expected[PAPI_MAX_STR_LEN];

		snprintf(expected, sizeof(expected), "rusage:::%s", fields[i]);
		assert_ok(PAPI_event_code_to_name(codes[i], name));
		assert_string_equal(name, expected);
		assert_int_equal(PAPI_get_event_component(codes[i]), rusage);
		assert_int_equal(codes[i] & PAPI_UE_MASK, PAPI_NATIVE_MASK);
	}
	n = walk(0, codes);
	assert_listed(codes, n, "cpu_core/instructions/");
	assert_listed(codes, n, "cpu_atom/instructions/");
	assert_listed(codes, n, "power/energy-pkg/");
	assert_listed(codes, n, "perf::PAGE-FAULTS");
	for (int i = 0; i < n; i++)
		assert_int_equal(PAPI_get_event_component(codes[i]), 0);
}

static void the_whole_listing_is_that_of_all_components(void **state)
{
	int all[MOST], cpu[MOST], rusage[MOST];
	int n_cpu = walk(0, cpu), n_rusage = walk(PAPI_get_component_index("rusage"), rusage);

	(void)state;
	assert_int_equal(walk(-1, all), n_cpu + n_rusage);
	assert_memory_equal(all, cpu, (size_t)n_cpu * sizeof(int));
	assert_memory_equal(all + n_cpu, rusage, (size_t)n_rusage * sizeof(int));
	/* A second walk meets the same codes, and no event has two. */
	assert_int_equal(walk(0, all), n_cpu);
	assert_memory_equal(all, cpu, (size_t)n_cpu * sizeof(int));
	for (int i = 0; i < n_cpu; i++)
		for (int j = 0; j < i; j++)
			assert_int_not_equal(cpu[i], cpu[j]);
}

static void a_listing_is_a_number_of_events(void **state)
{
	int codes[MOST], n = walk(0, codes);
	const PAPI_component_info_t *info = PAPI_get_component_info(0);

	(void)state;
	assert_int_equal(info->num_native_events, n);
	assert_int_equal(PAPI_get_component_info(PAPI_get_component_index("rusage"))->num_native_events, 9);
}

/* An event that was used by its name before it was listed keeps its code, and its place in the listing. */
static void names_used_before_are_listed_too(void **state)
{
	int early, other, codes[MOST], n;

	(void)state;
	assert_ok(PAPI_event_name_to_code("power/energy-pkg/", &early));
	assert_ok(PAPI_event_name_to_code("r1234", &other));
	n = walk(0, codes);
	for (int i = 0; i < n; i++)
		assert_int_not_equal(codes[i], other);
	for (int i = 0;; i++) {
		assert_true(i < n);
		if (codes[i] == early)
			break;
	}
	/* From a name that no listing has, the walk begins at the first. */
	assert_ok(PAPI_enum_event(&other, PAPI_ENUM_EVENTS));
	assert_int_equal(other, codes[0]);
}

static void programs_of_old_begin_at_the_mask(void **state)
{
	int code = PAPI_NATIVE_MASK, codes[MOST];
	PAPI_event_info_t info;

	(void)state;
	assert_ok(PAPI_get_event_info(PAPI_NATIVE_MASK, &info));
	assert_true(*info.symbol);
	walk(-1, codes);
	assert_ok(PAPI_enum_event(&code, PAPI_ENUM_EVENTS));
	assert_true(code == codes[0] || code == codes[1]);
}

/* Masks have codes of their own, which belong to their event. */
static void masks_are_walked_event_by_event(void **state)
{
	int codes[MOST], n = walk(0, codes), with_masks = 0;

	(void)state;
	for (int i = 0; i < n; i++) {
		char event[PAPI_MAX_STR_LEN], name[PAPI_MAX_STR_LEN];
		int code = codes[i], n_masks = 0;

		assert_ok(PAPI_event_code_to_name(code, event));
		while (PAPI_enum_event(&code, PAPI_NTV_ENUM_UMASKS) == PAPI_OK) {
			assert_ok(PAPI_event_code_to_name(code, name));
			assert_int_equal(strncmp(name, event, strlen(event)), 0);
			assert_int_equal(name[strlen(event)], ':');
			assert_int_not_equal(code, codes[i]);
			assert_true(++n_masks < 500);
		}
		with_masks += n_masks > 0;
	}
	if (!with_masks)
		print_message("this library has no events with masks here\n");
}

static void walks_that_make_no_sense_are_refused(void **state)
{
	int rusage = PAPI_get_component_index("rusage"), code, other;

	(void)state;
	assert_ok(PAPI_event_name_to_code("rusage:::minflt", &code));
	other = code;
	assert_refused(PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, 0), PAPI_EINVAL, "is not an event of component 0");
	assert_refused(PAPI_enum_event(&code, PAPI_PRESET_ENUM_FP), PAPI_EINVAL, "does not enumerate native events");
	assert_refused(PAPI_enum_event(&code, PAPI_NTV_ENUM_UMASKS), PAPI_ENOEVNT, "no more events");
	assert_refused(PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, 99), PAPI_ENOCMP, "component index 99");
	assert_refused(PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, -1), PAPI_ENOCMP, "component index -1");
	assert_refused(PAPI_enum_event(NULL, PAPI_ENUM_EVENTS), PAPI_EINVAL, "null pointer");
	assert_int_equal(code, other);
	assert_ok(PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, rusage));
}

#define test_on_machine(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_on_machine(each_component_lists_its_events),
		test_on_machine(the_whole_listing_is_that_of_all_components),
		test_on_machine(a_listing_is_a_number_of_events),
		test_on_machine(names_used_before_are_listed_too),
		test_on_machine(programs_of_old_begin_at_the_mask),
		test_on_machine(masks_are_walked_event_by_event),
		test_on_machine(walks_that_make_no_sense_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
