/* SPDX-License-Identifier: BSD-3-Clause */
/* events/formula.h: which texts are formulas, what they mean, and what is said of those that are none. */
#include <stdio.h>

#include "formula_value.h"

static void postfix_comes_in_many_spellings(void **state)
{
	(void)state;
	assert_int_equal(POSTFIX("N0|N1|+|", 40, 2), 42);
	assert_int_equal(POSTFIX("N0|N1|+", 40, 2), 42);
	assert_int_equal(POSTFIX("|N0|N1|+|", 40, 2), 42);
	assert_int_equal(POSTFIX("||N0||N1|+||", 40, 2), 42);
	assert_int_equal(POSTFIX(" N0 | N1\t|\n+ | ", 40, 2), 42);
	assert_int_equal(POSTFIX("n0|n1|+|", 40, 2), 42);
	assert_int_equal(POSTFIX("N0", 7), 7);
	assert_int_equal(POSTFIX("|N0", 7), 7);
	assert_int_equal(POSTFIX("N1", 7, 8), 8);
	assert_int_equal(POSTFIX("5", 7), 5);
	assert_int_equal(POSTFIX("N0|N0|*", -9), 81);
	assert_int_equal(POSTFIX("N00|N01|-", 1, 5), -4);
}

static void operands_of_postfix_keep_their_order(void **state)
{
	(void)state;
	assert_int_equal(POSTFIX("N0|N1|-", 10, 3), 7);
	assert_int_equal(POSTFIX("N0|N1|/", 12, 3), 4);
	assert_int_equal(POSTFIX("N0|N1|N2|-|-", 10, 3, 1), 8);
	assert_int_equal(POSTFIX("N0|N1|-|N2|-", 10, 3, 1), 6);
	assert_int_equal(POSTFIX("N0|N1|+|N2|N3|+|*", 1, 2, 3, 4), 21);
	assert_int_equal(POSTFIX("N0|N1|N2|*|+|3|/", 1, 4, 5), 7);
}

static void a_term_may_have_two_digits(void **state)
{
	(void)state;
	assert_int_equal(POSTFIX("N17|N1|-", 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 100), 95);
	assert_int_equal(INFIX("N10-N1", 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 70), 65);
}

static void infix_has_the_usual_precedence(void **state)
{
	(void)state;
	assert_int_equal(INFIX("N0+N1*N2", 2, 3, 4), 14);
	assert_int_equal(INFIX("N0*N1+N2", 2, 3, 4), 10);
	assert_int_equal(INFIX("(N0+N1)*N2", 2, 3, 4), 20);
	assert_int_equal(INFIX("N0-N1-N2", 10, 3, 2), 5);
	assert_int_equal(INFIX("N0-(N1-N2)", 10, 3, 2), 9);
	assert_int_equal(INFIX("N0/N1/N2", 100, 5, 2), 10);
	assert_int_equal(INFIX("N0/(N1/N2)", 100, 10, 2), 20);
	assert_int_equal(INFIX("N0/N1*N2", 100, 10, 2), 20);
	assert_int_equal(INFIX("N0-N1+N2", 10, 3, 2), 9);
	assert_int_equal(INFIX("((N0))", 6), 6);
	assert_int_equal(INFIX("\tN0 + ( N1*3 )\n", 6, 2), 12);
}

static void infix_has_a_minus_sign(void **state)
{
	(void)state;
	assert_int_equal(INFIX("-N0", 6), -6);
	assert_int_equal(INFIX("--N0", 6), 6);
	assert_int_equal(INFIX("N0--N1", 6, 2), 8);
	assert_int_equal(INFIX("N0 - - - N1", 6, 2), 4);
	assert_int_equal(INFIX("-N0+N1", 6, 2), -4);
	assert_int_equal(INFIX("-N0*N1", 6, 2), -12);
	assert_int_equal(INFIX("N0*-N1", 6, 2), -12);
	assert_int_equal(INFIX("N0/-N1", 6, 2), -3);
	assert_int_equal(INFIX("-(N0-N1)", 6, 2), -4);
	assert_int_equal(INFIX("-5", 6), -5);
}

static void numbers_may_be_real(void **state)
{
	(void)state;
	assert_int_equal(POSTFIX("N0|0.5|*", 9), 4);
	assert_int_equal(POSTFIX("N0|.5|*", 10), 5);
	assert_int_equal(POSTFIX("N0|2.|*", 10), 20);
	assert_int_equal(POSTFIX("N0|1e3|*", 10), 10000);
	assert_int_equal(POSTFIX("N0|1.5E+2|*", 10), 1500);
	assert_int_equal(INFIX("N0*1e-1", 25), 2);
	assert_int_equal(INFIX("N0*-2.5", 3), -7);
	assert_int_equal(INFIX("007", 3), 7);
	/* Beyond 64 bits a whole number is real. */
	assert_int_equal(POSTFIX("9223372036854775807", 0), INT64_MAX);
	assert_int_equal(POSTFIX("9223372036854775808|N0|-", 0), INT64_MAX);
	assert_int_equal(POSTFIX("18446744073709551616|65536|/", 0), 281474976710656);
}

static void a_number_sign_is_the_clock_rate(void **state)
{
	struct papi_formula *formula = NULL;

	(void)state;
	assert_int_equal(POSTFIX("#", 0), 2500000000);
	assert_int_equal(POSTFIX("N0|#|*|N1|/", 3, 2), 3750000000);
	assert_int_equal(INFIX("N0 * # / N1", 3, 2), 3750000000);
	assert_int_equal(INFIX("-#", 0), -2500000000);
	/* A whole rate keeps a formula exact, a fraction of a hertz does not. */
	assert_ok(papi_formula_compile(PAPI_DERIVED_POSTFIX, "N0|#|*", 1, 1e9, &formula));
	assert_true(formula->exact);
	free(formula);
	assert_ok(papi_formula_compile(PAPI_DERIVED_POSTFIX, "N0|#|*", 1, 1.5, &formula));
	assert_false(formula->exact);
	assert_int_equal(value_of(formula, 1, TERMS(5)), 7);
	free(formula);
	assert_refused(papi_formula_compile(PAPI_DERIVED_POSTFIX, "N0|#|*", 1, 0, &formula), PAPI_EINVAL, "clock rate");
	assert_refused(papi_formula_compile(PAPI_DERIVED_PS, NULL, 2, 0, &formula), PAPI_EINVAL, "clock rate");
}

static void what_is_no_formula_is_refused_with_the_place(void **state)
{
	static const struct {
		enum papi_derived derived;
		const char *text;
		const char *words;
	} cases[] = {
		{ PAPI_DERIVED_POSTFIX, "", "leaves 0 values, not one" },
		{ PAPI_DERIVED_POSTFIX, NULL, "leaves 0 values, not one" },
		{ PAPI_DERIVED_POSTFIX, "| |", "leaves 0 values, not one" },
		{ PAPI_DERIVED_POSTFIX, "N0|N1", "leaves 2 values, not one" },
		{ PAPI_DERIVED_POSTFIX, "+", "position 1: expected two operands" },
		{ PAPI_DERIVED_POSTFIX, "N0|+|N1", "position 4: expected two operands" },
		{ PAPI_DERIVED_POSTFIX, "N0 N1|+", "position 4: expected \"|\"" },
		{ PAPI_DERIVED_POSTFIX, "N0|N1|+N0", "position 8: expected \"|\"" },
		{ PAPI_DERIVED_POSTFIX, "N0|0x10|+", "position 5: expected \"|\"" },
		{ PAPI_DERIVED_POSTFIX, "N0|1.5.2|+", "position 7: expected \"|\"" },
		{ PAPI_DERIVED_POSTFIX, "N0|-5|+", "position 4: expected two operands" },
		{ PAPI_DERIVED_POSTFIX, "N0|x|+", "position 4: expected a term" },
		{ PAPI_DERIVED_POSTFIX, "N|", "position 1: expected a term" },
		{ PAPI_DERIVED_POSTFIX, "N-1", "position 1: expected a term" },
		{ PAPI_DERIVED_POSTFIX, "(N0)", "position 1: expected a term" },
		{ PAPI_DERIVED_POSTFIX, "N0|.|+", "position 4: expected a number" },
		{ PAPI_DERIVED_POSTFIX, "N0|1e999|+", "position 4: expected a number" },
		{ PAPI_DERIVED_POSTFIX, "N0|N2|+", "position 4: term N2, but there are 2 terms" },
		{ PAPI_DERIVED_POSTFIX, "N99999999999999999999", "position 1: term N99999999999999999999, but" },
		{ PAPI_DERIVED_POSTFIX, "N4294967296", "position 1: term N4294967296, but" },
		{ PAPI_DERIVED_INFIX, "", "position 1: expected a term" },
		{ PAPI_DERIVED_INFIX, "N0+", "position 4: expected a term" },
		{ PAPI_DERIVED_INFIX, "+N0", "position 1: expected a term" },
		{ PAPI_DERIVED_INFIX, "N0 N1", "position 4: expected an operator or the end" },
		{ PAPI_DERIVED_INFIX, "(N0", "position 4: expected \")\"" },
		{ PAPI_DERIVED_INFIX, "(N0+N1", "position 7: expected \")\"" },
		{ PAPI_DERIVED_INFIX, "N0)", "position 3: expected an operator or the end" },
		{ PAPI_DERIVED_INFIX, "()", "position 2: expected a term" },
		{ PAPI_DERIVED_INFIX, "N0|N1|+", "position 3: expected an operator or the end" },
		{ PAPI_DERIVED_INFIX, "N0*/N1", "position 4: expected a term" },
		{ PAPI_DERIVED_INFIX, "N0+N7", "position 4: term N7, but there are 2 terms" },
		{ PAPI_DERIVED_INFIX, "N0%2", "position 3: expected an operator or the end" },
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct papi_formula *formula = NULL;

		assert_refused(papi_formula_compile(cases[i].derived, cases[i].text, 2, CLOCK_HZ, &formula),
			PAPI_EINVAL, cases[i].words);
		assert_null(formula);
	}
}

/* n times one text, the middle, n times another. */
static char *nested(const char *before, const char *middle, const char *after, unsigned n)
{
	char *text = malloc(n * (strlen(before) + strlen(after)) + strlen(middle) + 1), *end = text;

	for (unsigned i = 0; i < n; i++)
		end = stpcpy(end, before);
	end = stpcpy(end, middle);
	for (unsigned i = 0; i < n; i++)
		end = stpcpy(end, after);
	return text;
}

static int compile(enum papi_derived derived, char *text, struct papi_formula **formula)
{
	int status = papi_formula_compile(derived, text, 1, CLOCK_HZ, formula);

	free(text);
	return status;
}

static void a_formula_may_hold_32_values_at_once(void **state)
{
	struct papi_formula *formula = NULL;

	(void)state;
	assert_ok(compile(PAPI_DERIVED_POSTFIX, nested("N0|", "N0|", "+|", PAPI_FORMULA_DEPTH - 1), &formula));
	assert_int_equal(value_of(formula, 1, TERMS(3)), 3 * PAPI_FORMULA_DEPTH);
	free(formula);
	assert_refused(compile(PAPI_DERIVED_POSTFIX, nested("N0|", "N0|", "+|", PAPI_FORMULA_DEPTH), &formula),
		PAPI_EINVAL, "needs more than 32 values at once");
	assert_ok(compile(PAPI_DERIVED_INFIX, nested("N0-(", "N0", ")", PAPI_FORMULA_DEPTH - 1), &formula));
	assert_int_equal(value_of(formula, 1, TERMS(3)), 0);
	free(formula);
	assert_refused(compile(PAPI_DERIVED_INFIX, nested("N0-(", "N0", ")", PAPI_FORMULA_DEPTH), &formula),
		PAPI_EINVAL, "needs more than 32 values at once");
	assert_refused(compile(PAPI_DERIVED_INFIX, nested("-", "N0", "", PAPI_FORMULA_DEPTH), &formula), PAPI_EINVAL,
		"needs more than 32 values at once");
}

static void parentheses_may_be_63_deep(void **state)
{
	struct papi_formula *formula = NULL;

	(void)state;
	assert_ok(compile(PAPI_DERIVED_INFIX, nested("(", "N0", ")", 63), &formula));
	assert_int_equal(value_of(formula, 1, TERMS(11)), 11);
	free(formula);
	assert_refused(compile(PAPI_DERIVED_INFIX, nested("(", "N0", ")", 64), &formula), PAPI_EINVAL,
		"nested more than 64 deep");
	/* What was closed does not count. */
	assert_ok(compile(PAPI_DERIVED_INFIX, nested("(N0)+", "N0", "", 200), &formula));
	assert_int_equal(value_of(formula, 1, TERMS(2)), 402);
	free(formula);
}

static void a_formula_has_at_most_4096_steps(void **state)
{
	struct papi_formula *formula = NULL;

	(void)state;
	/* One term, then pairs of a term and an operator. */
	assert_ok(compile(PAPI_DERIVED_POSTFIX, nested("", "N0", "|N0|+", 2047), &formula));
	assert_int_equal(formula->n_steps, 4095);
	assert_int_equal(value_of(formula, 1, TERMS(1)), 2048);
	free(formula);
	assert_refused(compile(PAPI_DERIVED_POSTFIX, nested("", "N0", "|N0|+", 2048), &formula), PAPI_EINVAL,
		"more than 4096 steps");
}

/* The sentence quotes the formula, but not so much of it that what is wrong does not fit any more. */
static void long_formulas_leave_room_for_the_reason(void **state)
{
	struct papi_formula *formula = NULL;

	(void)state;
	assert_refused(compile(PAPI_DERIVED_INFIX, nested("N0+", "N7", "", 300), &formula), PAPI_EINVAL,
		"position 901: term N7, but there are 1 terms");
	assert_refused(compile(PAPI_DERIVED_POSTFIX, nested("", "N0|N0", "|N0|+", 300), &formula), PAPI_EINVAL,
		"leaves 2 values, not one");
	assert_refused(compile(PAPI_DERIVED_INFIX, nested("(", "N0", ")", 1000), &formula), PAPI_EINVAL,
		"nested more than 64 deep");
	assert_refused(compile(PAPI_DERIVED_INFIX, nested("-", "N0", "+N0", 1000), &formula), PAPI_EINVAL,
		"more than 32 values at once");
}

static void derived_types_have_names(void **state)
{
	static const char *const names[] = { "NOT_DERIVED", "DERIVED_ADD", "DERIVED_SUB", "DERIVED_CMPD", "DERIVED_PS",
		"DERIVED_ADD_PS", "DERIVED_POSTFIX", "DERIVED_INFIX" };

	(void)state;
	for (int i = 0; i < (int)LENGTH(names); i++) {
		assert_int_equal(papi_derived_from_name(names[i]), i);
		assert_string_equal(papi_derived_name((enum papi_derived)i), names[i]);
	}
	assert_int_equal(papi_derived_from_name("derived_Add_Ps"), PAPI_DERIVED_ADD_PS);
	assert_int_equal(papi_derived_from_name("DERIVED"), -1);
	assert_int_equal(papi_derived_from_name("DERIVED_ADDS"), -1);
	assert_int_equal(papi_derived_from_name(""), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(postfix_comes_in_many_spellings),
		cmocka_unit_test(operands_of_postfix_keep_their_order),
		cmocka_unit_test(a_term_may_have_two_digits),
		cmocka_unit_test(infix_has_the_usual_precedence),
		cmocka_unit_test(infix_has_a_minus_sign),
		cmocka_unit_test(numbers_may_be_real),
		cmocka_unit_test(a_number_sign_is_the_clock_rate),
		cmocka_unit_test(what_is_no_formula_is_refused_with_the_place),
		cmocka_unit_test(a_formula_may_hold_32_values_at_once),
		cmocka_unit_test(parentheses_may_be_63_deep),
		cmocka_unit_test(a_formula_has_at_most_4096_steps),
		cmocka_unit_test(long_formulas_leave_room_for_the_reason),
		cmocka_unit_test(derived_types_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
