/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Formulas of derived events.
 *
 * A formula makes one value from the counts of several terms: `N0 + N1 * 3`. It is compiled once, from postfix text
 * (`N0|N1|3|*|+|`), infix text (`N0+(N1*3)`) or a derived type (DERIVED_ADD of n terms), to a short postfix program
 * that is evaluated without allocation. Operands are terms Nk, non-negative numbers, and `#` for the clock rate of the
 * CPU in Hz; operators are + - * / and, in infix, unary minus and parentheses.
 *
 * Arithmetic is exact in 64-bit integers while only + - * of whole numbers occur, and in double otherwise or where an
 * integer step overflows; a result in double is truncated to an integer and clamped to the range of long long. Division
 * by zero gives 0 for the whole value, and the error detail says so: a ratio over nothing is reported as nothing.
 *
 * A compiled formula is immutable and may be evaluated by any number of threads; its owner frees it.
 * Source: PAPI_derived_event_files, Derived Types; Maintenance Guide, Specifying PRESET event definitions.
 */
#ifndef PAPI_EVENTS_FORMULA_H
#define PAPI_EVENTS_FORMULA_H

#include <stdbool.h>
#include <stddef.h>

enum papi_derived {
	PAPI_NOT_DERIVED,
	PAPI_DERIVED_ADD,
	PAPI_DERIVED_SUB,
	PAPI_DERIVED_CMPD,
	PAPI_DERIVED_PS,
	PAPI_DERIVED_ADD_PS,
	PAPI_DERIVED_POSTFIX,
	PAPI_DERIVED_INFIX,
};

enum papi_formula_operation { PAPI_TERM, PAPI_INTEGER, PAPI_REAL, PAPI_PLUS, PAPI_MINUS, PAPI_TIMES, PAPI_OVER };

struct papi_formula_step {
	enum papi_formula_operation operation;
	union {
		unsigned term;
		long long integer;
		double real;
	};
};

/* Deepest stack a formula may need; the compiler refuses deeper ones, so that evaluation needs no check. */
#define PAPI_FORMULA_DEPTH 32

/* And the most steps it may have, also after inlining: definitions that double each other grow without bounds. */
#define PAPI_FORMULA_STEPS 4096

struct papi_formula {
	unsigned n_steps;
	bool exact; /* only + - * of integers: integer arithmetic applies */
	struct papi_formula_step steps[];
};

/* "DERIVED_ADD" and so on, compared without case; -1 if it is none of them. And back. */
int papi_derived_from_name(const char *name);
const char *papi_derived_name(enum papi_derived derived);

/*
 * Compiles. text is used by POSTFIX and INFIX only. n_terms terms exist; clock_hz is what `#` and the PS types use.
 * PAPI_OK; PAPI_EINVAL with the position and what was expected in the detail; PAPI_ENOMEM.
 */
int papi_formula_compile(
	enum papi_derived derived, const char *text, unsigned n_terms, double clock_hz, struct papi_formula **formula);

/*
 * A formula in which term k of outer is replaced by inner[k] (NULL: it stays a plain term), whose own terms are the
 * numbers in map[k]; a plain term k becomes map[k][0]. This is how a preset that uses presets becomes flat.
 */
int papi_formula_inline(const struct papi_formula *outer, const struct papi_formula *const inner[],
	const unsigned *const map[], struct papi_formula **formula);

/* The value; term k has the count counts[places[k]]. Signal-safe but for the detail of a division by zero. */
long long papi_formula_evaluate(const struct papi_formula *formula, const long long counts[], const unsigned places[]);

/*
 * The same of values with fractions, for metrics: term k is values[places[k]]. NaN where it divides by zero, where a
 * value is NaN, and where the result is beyond double; never infinite. Signal-safe.
 */
double papi_formula_evaluate_real(const struct papi_formula *formula, const double values[], const unsigned places[]);

/* A double as a count: truncated, clamped, not-a-number as 0. */
long long papi_formula_clamp(double value);

#endif
