/* SPDX-License-Identifier: BSD-3-Clause */
#include "events/formula.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"

long long papi_formula_clamp(double value)
{
	/* 2^63 is exact in double, LLONG_MAX is not: comparing with it would let 2^63 through. */
	if (value >= 0x1p63)
		return LLONG_MAX;
	if (value < -0x1p63)
		return LLONG_MIN;
	return value == value ? (long long)value : 0;
}

/* NOLINTBEGIN(clang-analyzer-core.*): each step takes what those before it have left, which the compiler has
 * checked. */

/* False when an integer step overflows: the caller then takes the double way. */
static bool evaluate_exactly(
	const struct papi_formula *formula, const long long counts[], const unsigned places[], long long *value)
{
	long long stack[PAPI_FORMULA_DEPTH];
	unsigned depth = 0;

	for (unsigned i = 0; i < formula->n_steps; i++) {
		const struct papi_formula_step *step = &formula->steps[i];
		bool overflow = false;

		switch (step->operation) {
		case PAPI_TERM:
			stack[depth++] = counts[places[step->term]];
			continue;
		case PAPI_PLUS:
			overflow = __builtin_add_overflow(stack[depth - 2], stack[depth - 1], &stack[depth - 2]);
			break;
		case PAPI_MINUS:
			overflow = __builtin_sub_overflow(stack[depth - 2], stack[depth - 1], &stack[depth - 2]);
			break;
		case PAPI_TIMES:
			overflow = __builtin_mul_overflow(stack[depth - 2], stack[depth - 1], &stack[depth - 2]);
			break;
		case PAPI_INTEGER:
			stack[depth++] = step->integer;
			continue;
		case PAPI_REAL:
		case PAPI_OVER:
			return false;
		}
		if (overflow)
			return false;
		depth--;
	}
	*value = stack[0];
	return true;
}

/* Term k is counts[places[k]], or, without counts, values[places[k]]. NaN when it divides by zero. */
static double evaluate_double(
	const struct papi_formula *formula, const long long counts[], const double values[], const unsigned places[])
{
	double stack[PAPI_FORMULA_DEPTH];
	unsigned depth = 0;

	for (unsigned i = 0; i < formula->n_steps; i++) {
		const struct papi_formula_step *step = &formula->steps[i];

		switch (step->operation) {
		case PAPI_TERM:
			stack[depth++] = counts ? (double)counts[places[step->term]] : values[places[step->term]];
			continue;
		case PAPI_INTEGER:
			stack[depth++] = (double)step->integer;
			continue;
		case PAPI_REAL:
			stack[depth++] = step->real;
			continue;
		case PAPI_PLUS:
			stack[depth - 2] += stack[depth - 1];
			break;
		case PAPI_MINUS:
			stack[depth - 2] -= stack[depth - 1];
			break;
		case PAPI_TIMES:
			stack[depth - 2] *= stack[depth - 1];
			break;
		case PAPI_OVER:
			if (stack[depth - 1] == 0)
				return (double)NAN;
			stack[depth - 2] /= stack[depth - 1];
			break;
		}
		depth--;
	}
	return stack[0];
}

/* NOLINTEND(clang-analyzer-core.*) */

long long papi_formula_evaluate(const struct papi_formula *formula, const long long counts[], const unsigned places[])
{
	long long value;
	double real;

	if (formula->exact && evaluate_exactly(formula, counts, places, &value))
		return value;
	real = evaluate_double(formula, counts, NULL, places);
	if (isnan(real))
		papi_error(PAPI_OK, "a derived event divides by a count of zero; its value is given as 0");
	return papi_formula_clamp(real);
}

double papi_formula_evaluate_real(const struct papi_formula *formula, const double values[], const unsigned places[])
{
	double value = evaluate_double(formula, NULL, values, places);

	return isfinite(value) ? value : (double)NAN;
}

static bool is_operator(const struct papi_formula_step *step)
{
	return step->operation >= PAPI_PLUS;
}

int papi_formula_inline(const struct papi_formula *outer, const struct papi_formula *const inner[],
	const unsigned *const map[], struct papi_formula **formula)
{
	unsigned n_steps = 0, n = 0, depth = 0;
	struct papi_formula *flat;

	for (unsigned i = 0; i < outer->n_steps; i++) {
		const struct papi_formula_step *step = &outer->steps[i];

		n_steps += step->operation == PAPI_TERM && inner[step->term] ? inner[step->term]->n_steps : 1;
		if (n_steps > PAPI_FORMULA_STEPS)
			return papi_error(PAPI_EINVAL, "a formula has more than %d steps once its terms are put in",
				PAPI_FORMULA_STEPS);
	}
	flat = calloc(1, sizeof(*flat) + n_steps * sizeof(flat->steps[0]));
	if (!flat)
		return papi_error(PAPI_ENOMEM, "no memory for a formula of %u steps", n_steps);
	flat->exact = outer->exact;
	for (unsigned i = 0; i < outer->n_steps; i++) {
		const struct papi_formula_step *step = &outer->steps[i];
		const struct papi_formula *body = step->operation == PAPI_TERM ? inner[step->term] : NULL;

		if (!body) {
			flat->steps[n] = *step;
			if (step->operation == PAPI_TERM)
				flat->steps[n].term = map[step->term][0];
			n++;
			continue;
		}
		flat->exact = flat->exact && body->exact;
		for (unsigned j = 0; j < body->n_steps; j++, n++) {
			flat->steps[n] = body->steps[j];
			if (body->steps[j].operation == PAPI_TERM)
				flat->steps[n].term = map[step->term][body->steps[j].term];
		}
	}
	flat->n_steps = n;
	for (unsigned i = 0; i < n; i++) {
		depth = is_operator(&flat->steps[i]) ? depth - 1 : depth + 1;
		if (depth > PAPI_FORMULA_DEPTH) {
			free(flat);
			return papi_error(
				PAPI_EINVAL, "a formula needs more than %d values at once", PAPI_FORMULA_DEPTH);
		}
	}
	*formula = flat;
	return PAPI_OK;
}
