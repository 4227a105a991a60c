/* SPDX-License-Identifier: BSD-3-Clause */
/* For the tests of events/formula.h: from a formula to its value in one call. */
#ifndef PAPI_TESTS_UNIT_FORMULA_VALUE_H
#define PAPI_TESTS_UNIT_FORMULA_VALUE_H

#include <stdlib.h>

#include "events/formula.h"
#include "unit.h"

#define CLOCK_HZ   2.5e9
#define MOST_TERMS 64

/* Each term in a place of its own, the last term in the first place: an evaluation that ignores places goes wrong. */
static inline long long value_of(const struct papi_formula *formula, unsigned n_terms, const long long terms[])
{
	long long counts[MOST_TERMS] = { 0 };
	unsigned places[MOST_TERMS];

	for (unsigned i = 0; i < n_terms; i++) {
		places[i] = n_terms - 1 - i;
		counts[places[i]] = terms[i];
	}
	return papi_formula_evaluate(formula, counts, places);
}

static inline long long derived_value(
	enum papi_derived derived, const char *text, unsigned n_terms, const long long terms[])
{
	struct papi_formula *formula = NULL;
	long long value;

	assert_ok(papi_formula_compile(derived, text, n_terms, CLOCK_HZ, &formula));
	value = value_of(formula, n_terms, terms);
	free(formula);
	return value;
}

#define TERMS(...)                ((const long long[]){ __VA_ARGS__ })
#define N_TERMS(...)              (sizeof(TERMS(__VA_ARGS__)) / sizeof(long long))
#define VALUE(derived, text, ...) derived_value(derived, text, N_TERMS(__VA_ARGS__), TERMS(__VA_ARGS__))
#define POSTFIX(text, ...)        VALUE(PAPI_DERIVED_POSTFIX, text, __VA_ARGS__)
#define INFIX(text, ...)          VALUE(PAPI_DERIVED_INFIX, text, __VA_ARGS__)

#endif
