/* SPDX-License-Identifier: BSD-3-Clause */
/* events/events.h: walking over presets and user events, and what is told about them. On the model kernel. */
#include <stdio.h>

#include "definitions.h"
#include "events/presets.h"
#include "sets.h"

#define UE(index)     ((int)((unsigned)PAPI_UE_MASK | (unsigned)(index)))
#define PRESET(index) ((int)((unsigned)PAPI_PRESET_MASK | (unsigned)(index)))

static void user_events_are_listed_in_their_order(void **state)
{
	int code = PAPI_UE_MASK, found;
	char name[PAPI_MAX_STR_LEN];

	(void)state;
	assert_refused(PAPI_enum_event(&code, PAPI_ENUM_FIRST), PAPI_ENOEVNT, "no more events");
	assert_int_equal(code, PAPI_UE_MASK);
	for (int i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "USER_EVENT_%d", i);
		assert_ok(define(name, PAPI_NOT_DERIVED, NULL, "r01"));
	}
	assert_ok(PAPI_enum_event(&code, PAPI_ENUM_FIRST));
	for (int i = 0;; i++) {
		char expected[PAPI_MAX_STR_LEN];

		assert_int_equal(code, UE(i));
		snprintf(expected, sizeof(expected), "USER_EVENT_%d", i);
		assert_ok(PAPI_event_code_to_name(code, name));
		assert_string_equal(name, expected);
		assert_ok(PAPI_event_name_to_code(name, &found));
		assert_int_equal(found, code);
		if (i == 99)
			break;
		assert_ok(PAPI_enum_event(&code, PAPI_ENUM_EVENTS));
	}
	assert_refused(PAPI_enum_event(&code, PAPI_ENUM_EVENTS), PAPI_ENOEVNT, "no more events");
	assert_int_equal(code, UE(99));
	assert_refused(PAPI_enum_event(&code, PAPI_NTV_ENUM_UMASKS), PAPI_EINVAL, "does not enumerate user events");
	assert_refused(
		PAPI_event_code_to_name(UE(100), name), PAPI_ENOEVNT, "not the code of a user event; there are 100");
	assert_refused(PAPI_query_event(UE(100)), PAPI_ENOEVNT, "not the code of a user event");
}

static void a_user_event_tells_what_it_is(void **state)
{
	const struct papi_definition_source source = { .symbol = "EVENT",
		.derived = PAPI_DERIVED_POSTFIX,
		.formula = "N0|N1|+|2|*|",
		.n_terms = 2,
		.terms = TERM_LIST("r02", "r01"),
		.short_description = "short",
		.description = "somewhat longer",
		.note = "a note" };
	PAPI_event_info_t info;
	int code, native;

	(void)state;
	assert_ok(define_source(&source, &code));
	memset(&info, 0x55, sizeof(info));
	assert_ok(PAPI_get_event_info(code, &info));
	assert_int_equal(info.event_code, (unsigned)code);
	assert_string_equal(info.symbol, "EVENT");
	assert_string_equal(info.short_descr, "short");
	assert_string_equal(info.long_descr, "somewhat longer");
	assert_string_equal(info.note, "a note");
	assert_string_equal(info.derived, "DERIVED_POSTFIX");
	assert_string_equal(info.postfix, "N0|N1|+|2|*|");
	assert_int_equal(info.component_index, 0);
	assert_int_equal(info.count, 2);
	assert_string_equal(info.name[0], "r02");
	assert_string_equal(info.name[1], "r01");
	assert_string_equal(info.name[2], "");
	assert_ok(PAPI_event_name_to_code("r02", &native));
	assert_int_equal(info.code[0], (unsigned)native);
	assert_ok(PAPI_event_name_to_code("r01", &native));
	assert_int_equal(info.code[1], (unsigned)native);
	assert_int_equal(PAPI_get_event_component(code), 0);
}

/* Its terms are told by name, whatever kind of event they are. */
static void terms_that_are_no_natives_are_told_too(void **state)
{
	PAPI_event_info_t info;
	int inner, outer, preset;

	(void)state;
	assert_ok(define("INNER", PAPI_DERIVED_ADD, NULL, "r01", "r02"));
	assert_ok(define("PAPI_FP_OPS", PAPI_NOT_DERIVED, NULL, "r03"));
	assert_ok(define("OUTER", PAPI_DERIVED_SUB, NULL, "INNER", "PAPI_FP_OPS"));
	assert_ok(PAPI_event_name_to_code("PAPI_FP_OPS", &preset));
	assert_ok(PAPI_event_name_to_code("INNER", &inner));
	assert_ok(PAPI_event_name_to_code("OUTER", &outer));
	assert_ok(PAPI_get_event_info(outer, &info));
	assert_int_equal(info.count, 2);
	assert_string_equal(info.name[0], "INNER");
	assert_string_equal(info.name[1], "PAPI_FP_OPS");
	assert_ok(PAPI_query_event(outer));
}

static void an_event_that_cannot_be_counted_has_a_count_of_0(void **state)
{
	PAPI_event_info_t info;
	int code;

	(void)state;
	assert_ok(define("EVENT", PAPI_DERIVED_ADD, NULL, "r01", "NO_SUCH_EVENT"));
	assert_ok(PAPI_event_name_to_code("EVENT", &code));
	assert_ok(PAPI_get_event_info(code, &info));
	assert_string_equal(info.symbol, "EVENT");
	assert_int_equal(info.count, 0);
	assert_refused(PAPI_query_event(code), PAPI_ENOEVNT, "NO_SUCH_EVENT");
	assert_non_null(strstr(info.note, "NO_SUCH_EVENT"));
	assert_refused(PAPI_get_event_component(code), PAPI_ENOEVNT, "NO_SUCH_EVENT");
	/* A preset that is not defined would be the CPU's. */
	assert_int_equal(PAPI_get_event_component(PAPI_TLB_SD), 0);
}

static void presets_have_the_words_of_the_standard(void **state)
{
	PAPI_event_info_t info;
	int code;

	(void)state;
	assert_ok(define("PAPI_FP_OPS", PAPI_DERIVED_ADD, NULL, "r01", "r02"));
	assert_ok(PAPI_get_event_info(PAPI_FP_OPS, &info));
	assert_int_equal(info.event_code, (unsigned)PAPI_FP_OPS);
	assert_string_equal(info.symbol, "PAPI_FP_OPS");
	assert_string_equal(info.short_descr, "FP operations");
	assert_string_equal(info.long_descr, "Floating-point operations");
	assert_string_equal(info.derived, "DERIVED_ADD");
	assert_int_equal(info.count, 2);
	assert_int_equal(info.event_type & PAPI_PRESET_BIT_FP, PAPI_PRESET_BIT_FP);
	/* The definition may have better words for this machine. */
	assert_ok(define_source(&(struct papi_definition_source){ .symbol = "PAPI_FP_OPS",
					.n_terms = 1,
					.terms = TERM_LIST("r01"),
					.description = "scalar ones" },
		&code));
	assert_int_equal(code, PAPI_FP_OPS);
	assert_ok(PAPI_get_event_info(PAPI_FP_OPS, &info));
	assert_string_equal(info.short_descr, "FP operations");
	assert_string_equal(info.long_descr, "scalar ones");
	assert_string_equal(info.derived, "NOT_DERIVED");
	/* A preset that nobody has defined has a meaning nevertheless. */
	assert_ok(PAPI_get_event_info(PAPI_TLB_SD, &info));
	assert_string_equal(info.symbol, "PAPI_TLB_SD");
	assert_int_equal(info.count, 0);
	assert_refused(PAPI_query_event(PAPI_TLB_SD), PAPI_ENOEVNT, "PAPI_TLB_SD");
}

/* How many events a walk meets, and whether one of them is the code. */
static unsigned walk(int start, int modifier, int searched, bool *met)
{
	int code = start;
	unsigned n = 0;

	assert_ok(PAPI_enum_event(&code, PAPI_ENUM_FIRST));
	assert_int_equal(code, PRESET(0));
	*met = false;
	for (int status = PAPI_enum_event(&code, PAPI_ENUM_FIRST); status == PAPI_OK;
		status = PAPI_enum_event(&code, modifier)) {
		/* The first event is met whatever it is; it counts if the modifier would have chosen it. */
		n++;
		*met = *met || code == searched;
		assert_true(n < 1000);
	}
	return n;
}

static void presets_are_listed_by_kind(void **state)
{
	int start = PAPI_PRESET_MASK, code = PAPI_L1_DCM;
	bool met;

	(void)state;
	assert_ok(define("PAPI_FP_OPS", PAPI_NOT_DERIVED, NULL, "r01"));
	assert_true(walk(start, PAPI_ENUM_EVENTS, PAPI_TLB_SD, &met) >= PAPI_PRESETS);
	assert_true(met);
	walk(start, PAPI_PRESET_ENUM_AVAIL, PAPI_FP_OPS, &met);
	assert_true(met);
	walk(start, PAPI_PRESET_ENUM_AVAIL, PAPI_TLB_SD, &met);
	assert_false(met);
	walk(start, PAPI_PRESET_ENUM_FP, PAPI_FP_OPS, &met);
	assert_true(met);
	walk(start, PAPI_PRESET_ENUM_FP, PAPI_TLB_DM, &met);
	assert_false(met);
	walk(start, PAPI_PRESET_ENUM_TLB, PAPI_TLB_DM, &met);
	assert_true(met);
	assert_refused(PAPI_enum_event(&code, PAPI_NTV_ENUM_UMASKS), PAPI_EINVAL, "does not enumerate presets");
	assert_int_equal(code, PAPI_L1_DCM);
	code = 0x1234;
	assert_refused(PAPI_enum_event(&code, PAPI_ENUM_EVENTS), PAPI_EINVAL, "no event code");
}

/* The sentence is that of the last failure, whatever has been tried on the way to successes. */
static void successes_leave_the_detail_alone(void **state)
{
	int code = PAPI_PRESET_MASK, set = PAPI_NULL, user;
	PAPI_event_info_t info;

	(void)state;
	assert_ok(define("EVENT", PAPI_DERIVED_ADD, NULL, "r01", "NO_SUCH_EVENT"));
	assert_ok(define("PAPI_DP_OPS", PAPI_NOT_DERIVED, NULL, "r01"));
	assert_ok(PAPI_event_name_to_code("EVENT", &user));
	assert_refused(PAPI_num_events(set), PAPI_ENOEVST, "PAPI_NULL");
	assert_ok(PAPI_get_event_info(PAPI_TLB_SD, &info));
	assert_says("PAPI_NULL");
	assert_ok(PAPI_get_event_info(user, &info));
	assert_says("PAPI_NULL");
	assert_int_equal(PAPI_get_event_component(PAPI_TLB_SD), 0);
	assert_says("PAPI_NULL");
	assert_ok(PAPI_enum_event(&code, PAPI_PRESET_ENUM_AVAIL));
	assert_says("PAPI_NULL");
	assert_non_null(PAPI_get_component_info(0));
	assert_says("PAPI_NULL");
	/* And a failure has its own. */
	assert_refused(PAPI_get_event_info(0, &info), PAPI_EINVAL, "no event code");
}

static void codes_of_no_event_are_refused(void **state)
{
	static const struct {
		int code, status;
	} cases[] = {
		{ 0, PAPI_EINVAL },
		{ 0x3fffffff, PAPI_EINVAL },
		{ PRESET(PAPI_MAX_PRESET_EVENTS), PAPI_ENOTPRESET },
		{ PRESET(0x3fffffff), PAPI_ENOTPRESET },
		{ PAPI_NATIVE_MASK | 0x3fffffff, PAPI_ENOEVNT },
		{ UE(0), PAPI_ENOEVNT },
		{ -1, PAPI_ENOEVNT },
	};
	char name[PAPI_MAX_STR_LEN];
	PAPI_event_info_t info;
	int set = PAPI_NULL;

	(void)state;
	assert_ok(PAPI_create_eventset(&set));
	for (size_t i = 0; i < LENGTH(cases); i++) {
		assert_refused(PAPI_query_event(cases[i].code), cases[i].status, "code");
		assert_refused(PAPI_event_code_to_name(cases[i].code, name), cases[i].status, "code");
		assert_refused(PAPI_get_event_info(cases[i].code, &info), cases[i].status, "code");
		assert_refused(PAPI_get_event_component(cases[i].code), cases[i].status, "code");
		assert_refused(PAPI_add_event(set, cases[i].code), cases[i].status, "code");
	}
	destroy_set(set);
}

/* A program may define presets of its own, behind those of the standard, until their table is full. */
static void a_program_can_define_presets(void **state)
{
	PAPI_event_info_t info = { .event_code = (unsigned)PAPI_PRESET_MASK,
		.derived = "DERIVED_SUB",
		.name = { "r01", "r02" },
		.long_descr = "mine" };
	int code, last = 0, status;
	long long value;

	(void)state;
	strcpy(info.symbol, "PAPI_MINE");
	assert_ok(PAPI_set_event_info(&info, &code, 0));
	assert_int_equal(code & PAPI_UE_MASK, PAPI_PRESET_MASK);
	assert_refused(PAPI_set_event_info(&info, &code, 0), PAPI_EPERM, "defined already");
	strcpy(info.name[1], "r03");
	assert_ok(PAPI_set_event_info(&info, &last, 1));
	assert_int_equal(last, code);
	last = SET_OF("PAPI_MINE");
	assert_ok(PAPI_start(last));
	fake_event(0)->count += 50;
	fake_event(1)->count += 8;
	assert_ok(PAPI_stop(last, &value));
	assert_int_equal(value, 42);
	destroy_set(last);
	for (int i = 0; (status = PAPI_set_event_info(&info, &last, 0)) == PAPI_OK || !i; i++) {
		snprintf(info.symbol, sizeof(info.symbol), "PAPI_MINE_%d", i);
		assert_true(i < PAPI_MAX_PRESET_EVENTS);
	}
	assert_int_equal(status, PAPI_ENOTPRESET);
	assert_says("table of presets is full with 128 events");
	assert_ok(PAPI_get_event_info(PRESET(PAPI_MAX_PRESET_EVENTS - 1), &info));
	assert_string_equal(info.long_descr, "mine");
	assert_int_equal(info.count, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_on_model(user_events_are_listed_in_their_order),
		test_on_model(a_user_event_tells_what_it_is),
		test_on_model(terms_that_are_no_natives_are_told_too),
		test_on_model(an_event_that_cannot_be_counted_has_a_count_of_0),
		test_on_model(presets_have_the_words_of_the_standard),
		test_on_model(presets_are_listed_by_kind),
		test_on_model(successes_leave_the_detail_alone),
		test_on_model(codes_of_no_event_are_refused),
		test_on_model(a_program_can_define_presets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
