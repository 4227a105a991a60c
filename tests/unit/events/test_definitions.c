/* SPDX-License-Identifier: BSD-3-Clause */
/* events/definitions.h: presets and user events, made, used, replaced and refused. On the model kernel. */
#include <stdio.h>

#include "definitions.h"
#include "events/presets.h"
#include "sets.h"

/* r01 counts 100, r02 counts 7, r03 counts 2 whenever the values of a set are asked for. */
static const uint64_t amounts[] = { 0, 100, 7, 2 };

static long long counted(int set, int position)
{
	long long values[8];
	struct fake_event *event;

	assert_ok(PAPI_start(set));
	for (unsigned i = 0; (event = fake_event(i)); i++)
		if (fake_is_counting(event))
			event->count += amounts[event->attr.config];
	assert_ok(PAPI_stop(set, values));
	return values[position];
}

static long long value_of(const char *name)
{
	int set = SET_OF(name);
	long long value = counted(set, 0);

	destroy_set(set);
	return value;
}

static void each_type_makes_its_value(void **state)
{
	(void)state;
	assert_ok(define("ALIAS", PAPI_NOT_DERIVED, NULL, "r01"));
	assert_ok(define("SUM", PAPI_DERIVED_ADD, NULL, "r01", "r02", "r03"));
	assert_ok(define("DIFFERENCE", PAPI_DERIVED_SUB, NULL, "r02", "r01"));
	assert_ok(define("FIRST", PAPI_DERIVED_CMPD, NULL, "r02", "r01"));
	assert_ok(define("TRIPLE", PAPI_DERIVED_POSTFIX, "N0|3|*|", "r02"));
	assert_ok(define("RATIO", PAPI_DERIVED_INFIX, "100*N1/(N0+N1)", "r02", "r03"));
	assert_int_equal(value_of("ALIAS"), 100);
	assert_int_equal(value_of("SUM"), 109);
	assert_int_equal(value_of("DIFFERENCE"), -93);
	assert_int_equal(value_of("FIRST"), 7);
	assert_int_equal(value_of("TRIPLE"), 21);
	assert_int_equal(value_of("RATIO"), 22);
}

static void an_alias_costs_nothing(void **state)
{
	struct papi_event event;
	int code;

	(void)state;
	assert_ok(define("ALIAS", PAPI_NOT_DERIVED, NULL, "r01"));
	assert_ok(define("ALIAS_OF_ALIAS", PAPI_DERIVED_CMPD, NULL, "ALIAS"));
	assert_ok(PAPI_event_name_to_code("ALIAS_OF_ALIAS", &code));
	assert_ok(papi_event_get(code, &event));
	assert_null(event.formula);
	assert_int_equal(event.n_natives, 1);
	assert_string_equal(event.natives[0]->name, "r01");
	assert_int_equal(value_of("ALIAS_OF_ALIAS"), 100);
}

static void definitions_may_use_definitions(void **state)
{
	struct papi_event event;
	int code;

	(void)state;
	assert_ok(define("SUM", PAPI_DERIVED_ADD, NULL, "r01", "r02"));
	assert_ok(define("SQUARE", PAPI_DERIVED_POSTFIX, "N0|N0|*|", "SUM"));
	assert_ok(define("TOWER", PAPI_DERIVED_INFIX, "N0 - N1*N2", "SQUARE", "SUM", "r02"));
	assert_int_equal(value_of("SQUARE"), 107 * 107);
	assert_int_equal(value_of("TOWER"), 107 * 107 - 107 * 7);
	/* Flat: the two natives, each once. */
	assert_ok(PAPI_event_name_to_code("TOWER", &code));
	assert_ok(papi_event_get(code, &event));
	assert_int_equal(event.n_natives, 2);
	assert_true(event.formula->exact);
}

static void a_term_may_come_twice(void **state)
{
	int set;

	(void)state;
	assert_ok(define("TWICE", PAPI_DERIVED_ADD, NULL, "r01", "r02", "r01"));
	set = SET_OF("TWICE");
	assert_int_equal(fake.n_open, 2);
	assert_int_equal(counted(set, 0), 207);
	assert_ok(PAPI_remove_named_event(set, "TWICE"));
	assert_int_equal(fake.n_open, 0);
	assert_int_equal(PAPI_num_events(set), 0);
	destroy_set(set);
}

static void circles_are_refused(void **state)
{
	int set = PAPI_NULL;

	(void)state;
	assert_ok(PAPI_create_eventset(&set));
	assert_ok(define("HEN", PAPI_DERIVED_ADD, NULL, "r01", "EGG"));
	assert_ok(define("EGG", PAPI_DERIVED_ADD, NULL, "r02", "HEN"));
	assert_ok(define("SNAKE", PAPI_NOT_DERIVED, NULL, "SNAKE"));
	assert_refused(PAPI_add_named_event(set, "HEN"), PAPI_EINVAL, "HEN needs EGG: EGG needs HEN: HEN");
	assert_refused(PAPI_add_named_event(set, "EGG"), PAPI_EINVAL, "EGG needs HEN: HEN needs EGG: EGG");
	assert_refused(PAPI_add_named_event(set, "SNAKE"), PAPI_EINVAL, "SNAKE needs SNAKE");
	assert_int_equal(PAPI_num_events(set), 0);
	assert_int_equal(fake.n_open, 0);
	destroy_set(set);
	/* A failure is not for good. */
	assert_ok(define("EGG", PAPI_NOT_DERIVED, NULL, "r02"));
	assert_int_equal(value_of("HEN"), 107);
}

static void what_is_missing_is_named(void **state)
{
	int set = PAPI_NULL;

	(void)state;
	assert_ok(PAPI_create_eventset(&set));
	assert_ok(define("OUTER", PAPI_DERIVED_ADD, NULL, "r01", "MIDDLE"));
	assert_ok(define("MIDDLE", PAPI_DERIVED_SUB, NULL, "r02", "NO_SUCH_EVENT"));
	assert_refused(PAPI_add_named_event(set, "OUTER"), PAPI_ENOEVNT,
		"OUTER needs MIDDLE: MIDDLE needs NO_SUCH_EVENT: no event is named \"NO_SUCH_EVENT\"");
	assert_refused(PAPI_query_named_event("OUTER"), PAPI_ENOEVNT, "NO_SUCH_EVENT");
	assert_int_equal(PAPI_num_events(set), 0);
	/* Later there is one. */
	assert_ok(define("NO_SUCH_EVENT", PAPI_NOT_DERIVED, NULL, "r03"));
	assert_ok(PAPI_query_named_event("OUTER"));
	ADD(set, "OUTER");
	assert_int_equal(counted(set, 0), 105);
	destroy_set(set);
}

static void bad_definitions_are_refused_at_once(void **state)
{
	char name[PAPI_HUGE_STR_LEN + 1];
	int code;

	(void)state;
	assert_refused(define("BAD", PAPI_DERIVED_POSTFIX, "N0|N2|+|", "r01", "r02"), PAPI_EINVAL, "BAD: formula");
	assert_refused(define("BAD", PAPI_DERIVED_ADD, NULL, "r01"), PAPI_EINVAL, "BAD: DERIVED_ADD takes at least 2");
	assert_refused(PAPI_event_name_to_code("BAD", &code), PAPI_ENOEVNT, "BAD");
	assert_refused(define("", PAPI_NOT_DERIVED, NULL, "r01"), PAPI_EINVAL, "name");
	assert_refused(define(NULL, PAPI_NOT_DERIVED, NULL, "r01"), PAPI_EINVAL, "name");
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_refused(define(name, PAPI_NOT_DERIVED, NULL, "r01"), PAPI_EINVAL, "at most 1023 characters");
	/* A native keeps its name. */
	assert_ok(PAPI_event_name_to_code("r01", &code));
	assert_refused(define("r01", PAPI_NOT_DERIVED, NULL, "r02"), PAPI_EINVAL, "native");
	assert_int_equal(value_of("r01"), 100);
}

static void a_definition_in_use_stays(void **state)
{
	int set, other;

	(void)state;
	assert_ok(define("EVENT", PAPI_DERIVED_ADD, NULL, "r01", "r02"));
	assert_ok(define("OUTER", PAPI_DERIVED_ADD, NULL, "EVENT", "r03"));
	set = SET_OF("EVENT");
	other = SET_OF("r03", "EVENT");
	assert_refused(define("EVENT", PAPI_NOT_DERIVED, NULL, "r03"), PAPI_EISRUN, "EVENT is in an EventSet");
	assert_ok(PAPI_remove_named_event(set, "EVENT"));
	assert_refused(define("EVENT", PAPI_NOT_DERIVED, NULL, "r03"), PAPI_EISRUN, "EVENT is in an EventSet");
	assert_int_equal(counted(other, 1), 107);
	destroy_set(other);
	assert_ok(define("EVENT", PAPI_NOT_DERIVED, NULL, "r03"));
	ADD(set, "EVENT");
	assert_int_equal(counted(set, 0), 2);
	assert_refused(define("EVENT", PAPI_NOT_DERIVED, NULL, "r01"), PAPI_EISRUN, "EVENT is in an EventSet");
	destroy_set(set);
	assert_ok(define("EVENT", PAPI_NOT_DERIVED, NULL, "r01"));
	assert_int_equal(value_of("EVENT"), 100);
}

static void a_new_definition_reaches_what_uses_it(void **state)
{
	int set;

	(void)state;
	assert_ok(define("INNER", PAPI_NOT_DERIVED, NULL, "r01"));
	assert_ok(define("OUTER", PAPI_DERIVED_ADD, NULL, "INNER", "r03"));
	assert_ok(define("FAR", PAPI_DERIVED_POSTFIX, "N0|10|*", "OUTER"));
	assert_int_equal(value_of("FAR"), 1020);
	/* What is in an EventSet goes on as it is; only what is added from now on is of the new kind. */
	set = SET_OF("OUTER");
	assert_ok(define("INNER", PAPI_NOT_DERIVED, NULL, "r02"));
	assert_int_equal(counted(set, 0), 102);
	destroy_set(set);
	assert_int_equal(value_of("OUTER"), 9);
	assert_int_equal(value_of("FAR"), 90);
}

static void what_is_defined_is_replaced_only_on_demand(void **state)
{
	const struct papi_definition_source source = { .symbol = "EVENT", .n_terms = 1, .terms = TERM_LIST("r02") };
	int first, second;

	(void)state;
	assert_ok(define("EVENT", PAPI_NOT_DERIVED, NULL, "r01"));
	assert_ok(PAPI_event_name_to_code("EVENT", &first));
	assert_ok(papi_library_enter_alone());
	assert_refused(
		papi_definition_make(&source, PAPI_DEFINE_USER_EVENT, false, &second), PAPI_EPERM, "defined already");
	papi_library_leave();
	assert_int_equal(value_of("EVENT"), 100);
	assert_ok(define_source(&source, &second));
	assert_int_equal(first, second);
	assert_int_equal(value_of("EVENT"), 7);
}

static void the_source_is_copied(void **state)
{
	char symbol[] = "EVENT", formula[] = "N0|1|+", term[] = "r01";
	int code;

	(void)state;
	assert_ok(define(symbol, PAPI_DERIVED_POSTFIX, formula, term));
	memset(symbol, 'x', sizeof(symbol) - 1);
	memset(formula, 'x', sizeof(formula) - 1);
	memset(term, 'x', sizeof(term) - 1);
	assert_ok(PAPI_event_name_to_code("EVENT", &code));
	assert_int_equal(value_of("EVENT"), 101);
}

static void shutdown_forgets_them(void **state)
{
	int code, set = PAPI_NULL;

	(void)state;
	assert_ok(define("EVENT", PAPI_DERIVED_ADD, NULL, "r01", "r02"));
	set = SET_OF("EVENT");
	assert_ok(PAPI_start(set));
	PAPI_shutdown();
	assert_int_equal(fake.n_open, 0);
	assert_int_equal(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
	assert_refused(PAPI_event_name_to_code("EVENT", &code), PAPI_ENOEVNT, "no event is named \"EVENT\"");
	assert_ok(define("EVENT", PAPI_NOT_DERIVED, NULL, "r02"));
	assert_int_equal(value_of("EVENT"), 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_on_model(each_type_makes_its_value),
		test_on_model(an_alias_costs_nothing),
		test_on_model(definitions_may_use_definitions),
		test_on_model(a_term_may_come_twice),
		test_on_model(circles_are_refused),
		test_on_model(what_is_missing_is_named),
		test_on_model(bad_definitions_are_refused_at_once),
		test_on_model(a_definition_in_use_stays),
		test_on_model(a_new_definition_reaches_what_uses_it),
		test_on_model(what_is_defined_is_replaced_only_on_demand),
		test_on_model(the_source_is_copied),
		test_on_model(shutdown_forgets_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
