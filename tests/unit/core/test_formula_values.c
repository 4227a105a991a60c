/* SPDX-License-Identifier: BSD-3-Clause */
/* events/formula.h: what comes out, to the last count, and where exactness ends. */
#include "base/error.h"
#include "formula_value.h"

static void derived_types_are_formulas(void **state)
{
	(void)state;
	assert_int_equal(VALUE(PAPI_NOT_DERIVED, NULL, 17), 17);
	assert_int_equal(VALUE(PAPI_DERIVED_ADD, NULL, 1, 2), 3);
	assert_int_equal(VALUE(PAPI_DERIVED_ADD, NULL, 1, 2, 3, 4, 5), 15);
	assert_int_equal(VALUE(PAPI_DERIVED_SUB, NULL, 10, 3), 7);
	assert_int_equal(VALUE(PAPI_DERIVED_SUB, NULL, 10, 3, 2, 20), -15);
	assert_int_equal(VALUE(PAPI_DERIVED_CMPD, NULL, 5), 5);
	assert_int_equal(VALUE(PAPI_DERIVED_CMPD, NULL, 5, 6, 7), 5);
}

/* Counts per second: of the second term, where the first is the cycles. */
static void rates_use_cycles_and_clock(void **state)
{
	(void)state;
	assert_int_equal(VALUE(PAPI_DERIVED_PS, NULL, 1000, 30), 75000000);
	assert_int_equal(VALUE(PAPI_DERIVED_ADD_PS, NULL, 1000, 10, 20), 75000000);
	assert_int_equal(VALUE(PAPI_DERIVED_ADD_PS, NULL, 1000, 10, 15, 5), 75000000);
	assert_int_equal(VALUE(PAPI_DERIVED_PS, NULL, 7, 3), 1071428571);
	/* Nothing has run yet. */
	assert_int_equal(VALUE(PAPI_DERIVED_PS, NULL, 0, 0), 0);
	assert_says("divides by a count of zero");
}

static void derived_types_know_how_many_terms_they_take(void **state)
{
	static const struct {
		enum papi_derived derived;
		unsigned n_terms;
		const char *words;
	} cases[] = {
		{ PAPI_NOT_DERIVED, 0, "NOT_DERIVED takes 1 event, not 0" },
		{ PAPI_NOT_DERIVED, 2, "NOT_DERIVED takes 1 event, not 2" },
		{ PAPI_DERIVED_ADD, 1, "DERIVED_ADD takes at least 2 events, not 1" },
		{ PAPI_DERIVED_SUB, 1, "DERIVED_SUB takes at least 2 events, not 1" },
		{ PAPI_DERIVED_CMPD, 0, "DERIVED_CMPD takes at least 1 event, not 0" },
		{ PAPI_DERIVED_PS, 1, "DERIVED_PS takes 2 events, not 1" },
		{ PAPI_DERIVED_PS, 3, "DERIVED_PS takes 2 events, not 3" },
		{ PAPI_DERIVED_ADD_PS, 2, "DERIVED_ADD_PS takes at least 3 events, not 2" },
		{ PAPI_DERIVED_POSTFIX, 0, "DERIVED_POSTFIX takes at least 1 event, not 0" },
		{ PAPI_DERIVED_INFIX, 0, "DERIVED_INFIX takes at least 1 event, not 0" },
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct papi_formula *formula = NULL;

		assert_refused(papi_formula_compile(cases[i].derived, "N0", cases[i].n_terms, CLOCK_HZ, &formula),
			PAPI_EINVAL, cases[i].words);
		assert_null(formula);
	}
}

static void whole_numbers_are_exact(void **state)
{
	(void)state;
	/* Each of these would lose its last digits in a double. */
	assert_int_equal(POSTFIX("N0", INT64_MAX), INT64_MAX);
	assert_int_equal(POSTFIX("N0", INT64_MIN), INT64_MIN);
	assert_int_equal(VALUE(PAPI_DERIVED_ADD, NULL, INT64_MAX - 5, 4), INT64_MAX - 1);
	assert_int_equal(VALUE(PAPI_DERIVED_SUB, NULL, INT64_MIN + 5, 4), INT64_MIN + 1);
	assert_int_equal(VALUE(PAPI_DERIVED_ADD, NULL, INT64_MAX, INT64_MIN), -1);
	assert_int_equal(POSTFIX("N0|N1|*", 9007199254740993, 1023), 9214364837600035839);
	assert_int_equal(INFIX("N0-N1", 9007199254740993, 1), 9007199254740992);
	assert_int_equal(INFIX("N0+N1*3", 9223372036854775801, 2), INT64_MAX);
	assert_int_equal(INFIX("-N0", INT64_MAX), INT64_MIN + 1);
	assert_int_equal(INFIX("N0*-1", INT64_MAX), INT64_MIN + 1);
	assert_int_equal(INFIX("N0 - 9007199254740993", 9007199254740994), 1);
}

static void overflow_is_clamped(void **state)
{
	(void)state;
	assert_int_equal(VALUE(PAPI_DERIVED_ADD, NULL, INT64_MAX, 1), INT64_MAX);
	assert_int_equal(VALUE(PAPI_DERIVED_ADD, NULL, INT64_MAX, INT64_MAX), INT64_MAX);
	assert_int_equal(VALUE(PAPI_DERIVED_ADD, NULL, INT64_MIN, -1), INT64_MIN);
	assert_int_equal(VALUE(PAPI_DERIVED_ADD, NULL, INT64_MIN, INT64_MIN), INT64_MIN);
	assert_int_equal(VALUE(PAPI_DERIVED_SUB, NULL, INT64_MIN, 1), INT64_MIN);
	assert_int_equal(VALUE(PAPI_DERIVED_SUB, NULL, 0, INT64_MIN), INT64_MAX);
	assert_int_equal(INFIX("N0*N1", INT64_MAX, 2), INT64_MAX);
	assert_int_equal(INFIX("N0*N1", INT64_MIN, -1), INT64_MAX);
	assert_int_equal(INFIX("N0*N1", INT64_MAX, -2), INT64_MIN);
	assert_int_equal(INFIX("-N0", INT64_MIN), INT64_MAX);
	assert_int_equal(INFIX("-9223372036854775808", 0), INT64_MIN);
	assert_int_equal(POSTFIX("N0|1e300|*|1e300|*", 5), INT64_MAX);
	assert_int_equal(POSTFIX("N0|1e300|*|1e300|*", -5), INT64_MIN);
}

/* An overflow on the way is no overflow of the result: then the double is the answer, as near as doubles come. */
static void overflow_on_the_way_falls_to_double(void **state)
{
	(void)state;
	assert_int_equal(INFIX("N0*N1-N2*N3", 4611686018427387904, 4, 4611686018427387904, 3), 4611686018427387904);
	assert_int_equal(INFIX("(N0+N1)-N1", 4611686018427387904, 9223372036854773760), 4611686018427387904);
	assert_int_equal(POSTFIX("N0|N0|+|4|/", 9223372036854774784), 4611686018427387392);
}

static void division_is_real_and_truncates(void **state)
{
	(void)state;
	assert_int_equal(INFIX("N0/N1", 7, 2), 3);
	assert_int_equal(INFIX("N0/N1", -7, 2), -3);
	assert_int_equal(INFIX("N0/N1", 7, -2), -3);
	assert_int_equal(INFIX("N0/N1*N1", 7, 2), 7);
	assert_int_equal(INFIX("100*N0/(N0+N1)", 1, 2), 33);
	assert_int_equal(INFIX("N0/3+N1/3", 1, 2), 1);
	assert_int_equal(INFIX("N0/N1", INT64_MIN, -1), INT64_MAX);
}

static void division_by_zero_is_zero_and_says_so(void **state)
{
	static const char *const formulas[] = { "N0/N1", "N0/(N1-N1)", "N0+N0/N1", "1000000/N1+N0", "N1/N1", "N0/0",
		"N0/0.0", "N0/(N1/N0)", "-N0/-N1" };
	static const long long terms[] = { 5, 0 };

	(void)state;
	for (size_t i = 0; i < LENGTH(formulas); i++) {
		struct papi_formula *formula = NULL;

		assert_ok(papi_formula_compile(PAPI_DERIVED_INFIX, formulas[i], 2, CLOCK_HZ, &formula));
		papi_error(PAPI_OK, "nothing yet");
		assert_int_equal(value_of(formula, 2, terms), 0);
		assert_says("divides by a count of zero");
		assert_int_equal(papi_error_code(), PAPI_OK);
		free(formula);
	}
	/* Not zero, however near it. */
	assert_int_equal(INFIX("N0/(N1*1e-300)", 1, 1), INT64_MAX);
}

static void doubles_become_counts(void **state)
{
	(void)state;
	assert_int_equal(papi_formula_clamp(0.0), 0);
	assert_int_equal(papi_formula_clamp(-0.9), 0);
	assert_int_equal(papi_formula_clamp(1.9), 1);
	assert_int_equal(papi_formula_clamp(-1.9), -1);
	assert_int_equal(papi_formula_clamp(9223372036854774784.0), 9223372036854774784);
	assert_int_equal(papi_formula_clamp(0x1p63), INT64_MAX);
	assert_int_equal(papi_formula_clamp(1e300), INT64_MAX);
	assert_int_equal(papi_formula_clamp(-0x1p63), INT64_MIN);
	assert_int_equal(papi_formula_clamp(-9223372036854774784.0), -9223372036854774784);
	assert_int_equal(papi_formula_clamp(-1e300), INT64_MIN);
	assert_int_equal(papi_formula_clamp(__builtin_inf()), INT64_MAX);
	assert_int_equal(papi_formula_clamp(-__builtin_inf()), INT64_MIN);
	assert_int_equal(papi_formula_clamp(__builtin_nan("")), 0);
}

/* (N0 - N1) of the counts 2 and 0, times a plain term that is count 1. */
static void formulas_are_put_into_formulas(void **state)
{
	struct papi_formula *outer = NULL, *body = NULL, *flat = NULL;
	const struct papi_formula *inner[2];
	const unsigned first[] = { 2, 0 }, second[] = { 1 };
	const unsigned *maps[] = { first, second };

	(void)state;
	assert_ok(papi_formula_compile(PAPI_DERIVED_INFIX, "N0*N1+N0", 2, CLOCK_HZ, &outer));
	assert_ok(papi_formula_compile(PAPI_DERIVED_SUB, NULL, 2, CLOCK_HZ, &body));
	inner[0] = body;
	inner[1] = NULL;
	assert_ok(papi_formula_inline(outer, inner, maps, &flat));
	free(outer);
	free(body);
	assert_true(flat->exact);
	assert_int_equal(flat->n_steps, 9);
	assert_int_equal(value_of(flat, 3, TERMS(3, 10, 8)), 5 * 10 + 5);
	assert_int_equal(value_of(flat, 3, TERMS(8, 10, 3)), -5 * 10 - 5);
	free(flat);
}

static void a_real_part_makes_the_whole_real(void **state)
{
	struct papi_formula *outer = NULL, *body = NULL, *flat = NULL;
	const unsigned map[] = { 0, 1 };
	const unsigned *maps[] = { map };

	(void)state;
	assert_ok(papi_formula_compile(PAPI_DERIVED_INFIX, "N0*2", 1, CLOCK_HZ, &outer));
	assert_ok(papi_formula_compile(PAPI_DERIVED_INFIX, "N0/N1", 2, CLOCK_HZ, &body));
	assert_ok(papi_formula_inline(outer, (const struct papi_formula *[]){ body }, maps, &flat));
	assert_false(flat->exact);
	/* 3.5 x 2: an inner value that was truncated first would give 6. */
	assert_int_equal(value_of(flat, 2, TERMS(7, 2)), 7);
	free(flat);
	assert_ok(papi_formula_inline(
		body, (const struct papi_formula *[]){ NULL, NULL }, (const unsigned *[]){ map + 1, map }, &flat));
	assert_false(flat->exact);
	assert_int_equal(value_of(flat, 2, TERMS(2, 9)), 4);
	free(flat);
	free(outer);
	free(body);
}

/* A sum of n terms that holds all of them at once. */
static struct papi_formula *deep_sum(unsigned n)
{
	struct papi_formula *formula = NULL;
	char text[MOST_TERMS * 5], *end = text;

	for (unsigned i = 0; i < n; i++)
		end = stpcpy(end, "N0|");
	for (unsigned i = 1; i < n; i++)
		end = stpcpy(end, "+|");
	assert_ok(papi_formula_compile(PAPI_DERIVED_POSTFIX, text, 1, CLOCK_HZ, &formula));
	return formula;
}

/* Two formulas that are both shallow enough need not be so one within the other. */
static void depth_is_checked_again_when_formulas_are_joined(void **state)
{
	const unsigned map[] = { 0 };
	const unsigned *maps[] = { map };
	struct papi_formula *outer = deep_sum(PAPI_FORMULA_DEPTH / 2 + 1), *inner = deep_sum(PAPI_FORMULA_DEPTH / 2);
	struct papi_formula *flat = NULL;

	(void)state;
	/* The last of 17 terms becomes 16: 32 in all. */
	assert_ok(papi_formula_inline(outer, (const struct papi_formula *[]){ inner }, maps, &flat));
	assert_int_equal(value_of(flat, 1, TERMS(3)), 3 * 17 * 16);
	free(flat);
	flat = NULL;
	assert_refused(papi_formula_inline(outer, (const struct papi_formula *[]){ outer }, maps, &flat), PAPI_EINVAL,
		"more than 32 values at once");
	assert_null(flat);
	free(outer);
	free(inner);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(derived_types_are_formulas),
		cmocka_unit_test(rates_use_cycles_and_clock),
		cmocka_unit_test(derived_types_know_how_many_terms_they_take),
		cmocka_unit_test(whole_numbers_are_exact),
		cmocka_unit_test(overflow_is_clamped),
		cmocka_unit_test(overflow_on_the_way_falls_to_double),
		cmocka_unit_test(division_is_real_and_truncates),
		cmocka_unit_test(division_by_zero_is_zero_and_says_so),
		cmocka_unit_test(doubles_become_counts),
		cmocka_unit_test(formulas_are_put_into_formulas),
		cmocka_unit_test(a_real_part_makes_the_whole_real),
		cmocka_unit_test(depth_is_checked_again_when_formulas_are_joined),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
