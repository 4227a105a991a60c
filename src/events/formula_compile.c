/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The compiler of formulas: postfix and infix text, and the derived types without text, to steps.
 *
 * Both readers feed emit(), which keeps the depth of the evaluation stack and so proves that the evaluator can neither
 * underflow nor overflow it. Infix is read by recursive descent with the usual precedence:
 *
 *	sum     = product { ("+" | "-") product }
 *	product = factor { ("*" | "/") factor }
 *	factor  = "-" factor | "(" sum ")" | operand
 */
#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "events/formula.h"

#define MAX_NESTING 64

struct compiler {
	const char *text, *position;
	unsigned n_terms, depth, nesting;
	double clock_hz;
	struct papi_formula *formula;
	unsigned capacity;
};

static const char *const names[] = {
	[PAPI_NOT_DERIVED] = "NOT_DERIVED",
	[PAPI_DERIVED_ADD] = "DERIVED_ADD",
	[PAPI_DERIVED_SUB] = "DERIVED_SUB",
	[PAPI_DERIVED_CMPD] = "DERIVED_CMPD",
	[PAPI_DERIVED_PS] = "DERIVED_PS",
	[PAPI_DERIVED_ADD_PS] = "DERIVED_ADD_PS",
	[PAPI_DERIVED_POSTFIX] = "DERIVED_POSTFIX",
	[PAPI_DERIVED_INFIX] = "DERIVED_INFIX",
};

int papi_derived_from_name(const char *name)
{
	for (int i = 0; i <= PAPI_DERIVED_INFIX; i++)
		if (!strcasecmp(name, names[i]))
			return i;
	return -1;
}

const char *papi_derived_name(enum papi_derived derived)
{
	return names[derived];
}

static int expected(const struct compiler *compiler, const char *what)
{
	return papi_error(PAPI_EINVAL, "formula \"%.100s\", position %d: expected %s", compiler->text,
		(int)(compiler->position - compiler->text) + 1, what);
}

static int emit(struct compiler *compiler, struct papi_formula_step step)
{
	struct papi_formula *formula = compiler->formula;

	if (!formula || formula->n_steps == compiler->capacity) {
		unsigned capacity = compiler->capacity ? compiler->capacity * 2 : 16;

		if (capacity > PAPI_FORMULA_STEPS)
			return papi_error(PAPI_EINVAL, "a formula has more than %d steps", PAPI_FORMULA_STEPS);
		formula = realloc(formula, sizeof(*formula) + capacity * sizeof(formula->steps[0]));
		if (!formula)
			return papi_error(PAPI_ENOMEM, "no memory for a formula");
		if (!compiler->formula)
			*formula = (struct papi_formula){ .exact = true };
		compiler->formula = formula;
		compiler->capacity = capacity;
	}
	if (step.operation >= PAPI_PLUS) {
		if (compiler->depth < 2)
			return expected(compiler, "two operands before an operator");
		compiler->depth--;
	} else if (++compiler->depth > PAPI_FORMULA_DEPTH) {
		return papi_error(PAPI_EINVAL, "formula \"%.100s\" needs more than %d values at once", compiler->text,
			PAPI_FORMULA_DEPTH);
	}
	if (step.operation == PAPI_OVER || step.operation == PAPI_REAL)
		formula->exact = false;
	formula->steps[formula->n_steps++] = step;
	return PAPI_OK;
}

static int emit_operator(struct compiler *compiler, char character)
{
	static const char characters[] = "+-*/";

	return emit(compiler,
		(struct papi_formula_step){ .operation = (enum papi_formula_operation)(PAPI_PLUS +
						    (unsigned)(strchr(characters, character) - characters)) });
}

static int emit_term(struct compiler *compiler, unsigned term)
{
	return emit(compiler, (struct papi_formula_step){ .operation = PAPI_TERM, .term = term });
}

static int emit_integer(struct compiler *compiler, long long integer)
{
	return emit(compiler, (struct papi_formula_step){ .operation = PAPI_INTEGER, .integer = integer });
}

static int emit_clock(struct compiler *compiler)
{
	double hz = compiler->clock_hz;

	if (!(hz > 0))
		return papi_error(
			PAPI_EINVAL, "a formula uses the clock rate of the CPU, and this machine does not tell it");
	return hz == floor(hz) && hz < 0x1p63
		? emit_integer(compiler, (long long)hz)
		: emit(compiler, (struct papi_formula_step){ .operation = PAPI_REAL, .real = hz });
}

/* As strtod() reads it in the C locale, whatever the program's locale takes for a decimal point. */
static double read_real(const char *start, char **end)
{
	locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
	double real;

	*end = (char *)(uintptr_t)start;
	if (!plain)
		return 0;
	real = strtod_l(start, end, plain);
	freelocale(plain);
	return real;
}

/* Nk, a number, or #. */
static int operand(struct compiler *compiler)
{
	const char *start = compiler->position;
	char *end;

	if (*start == '#') {
		compiler->position++;
		return emit_clock(compiler);
	}
	if ((*start == 'N' || *start == 'n') && isdigit((unsigned char)start[1])) {
		unsigned long term = strtoul(start + 1, &end, 10);

		if (term >= compiler->n_terms)
			return papi_error(PAPI_EINVAL,
				"formula \"%.100s\", position %d: term %.*s, but there are %u terms (N0 is the first)",
				compiler->text, (int)(start - compiler->text) + 1, (int)(end - start), start,
				compiler->n_terms);
		compiler->position = end;
		return emit_term(compiler, (unsigned)term);
	}
	if (isdigit((unsigned char)*start) || *start == '.') {
		long long integer;
		double real;

		errno = 0;
		integer = strtoll(start, &end, 10);
		if (!errno && *end != '.' && *end != 'e' && *end != 'E') {
			compiler->position = end;
			return emit_integer(compiler, integer);
		}
		real = read_real(start, &end);
		if (end == start || !isfinite(real))
			return expected(compiler, "a number");
		compiler->position = end;
		return emit(compiler, (struct papi_formula_step){ .operation = PAPI_REAL, .real = real });
	}
	return expected(compiler, "a term (N0, N1, ...), a number or #");
}

static void skip_spaces(struct compiler *compiler)
{
	while (isspace((unsigned char)*compiler->position))
		compiler->position++;
}

/* Bars separate; files in the wild have one too many at the start and none at the end. */
static int compile_postfix(struct compiler *compiler)
{
	for (;;) {
		int status;

		while (*compiler->position == '|' || isspace((unsigned char)*compiler->position))
			compiler->position++;
		if (!*compiler->position)
			return PAPI_OK;
		if (strchr("+-*/", *compiler->position)) {
			status = emit_operator(compiler, *compiler->position);
			compiler->position++;
		} else {
			status = operand(compiler);
		}
		if (status != PAPI_OK)
			return status;
		skip_spaces(compiler);
		if (*compiler->position && *compiler->position != '|')
			return expected(compiler, "\"|\" or the end");
	}
}

static int sum(struct compiler *compiler);

static int factor(struct compiler *compiler)
{
	int status;

	skip_spaces(compiler);
	if (++compiler->nesting > MAX_NESTING)
		return papi_error(
			PAPI_EINVAL, "formula \"%.100s\" is nested more than %d deep", compiler->text, MAX_NESTING);
	if (*compiler->position == '-') {
		compiler->position++;
		status = emit_integer(compiler, 0);
		if (status == PAPI_OK)
			status = factor(compiler);
		if (status == PAPI_OK)
			status = emit_operator(compiler, '-');
	} else if (*compiler->position == '(') {
		compiler->position++;
		status = sum(compiler);
		if (status == PAPI_OK && *compiler->position++ != ')') {
			compiler->position--;
			status = expected(compiler, "\")\"");
		}
	} else {
		status = operand(compiler);
	}
	compiler->nesting--;
	if (status == PAPI_OK)
		skip_spaces(compiler);
	return status;
}

static int chain(struct compiler *compiler, const char *operators, int (*part)(struct compiler *))
{
	int status = part(compiler);

	while (status == PAPI_OK && *compiler->position && strchr(operators, *compiler->position)) {
		char character = *compiler->position++;

		status = part(compiler);
		if (status == PAPI_OK)
			status = emit_operator(compiler, character);
	}
	return status;
}

static int product(struct compiler *compiler)
{
	return chain(compiler, "*/", factor);
}

static int sum(struct compiler *compiler)
{
	return chain(compiler, "+-", product);
}

static int compile_infix(struct compiler *compiler)
{
	int status = sum(compiler);

	if (status == PAPI_OK && *compiler->position)
		return expected(compiler, "an operator or the end");
	return status;
}

/* b1 x clock / PAPI_TOT_CYC, where PAPI_TOT_CYC is term 0; with ADD_PS all of b1, b2, ... are summed. */
static int compile_per_second(struct compiler *compiler)
{
	int status = emit_term(compiler, 1);

	for (unsigned term = 2; status == PAPI_OK && term < compiler->n_terms; term++) {
		status = emit_term(compiler, term);
		if (status == PAPI_OK)
			status = emit_operator(compiler, '+');
	}
	if (status == PAPI_OK)
		status = emit_clock(compiler);
	if (status == PAPI_OK)
		status = emit_operator(compiler, '*');
	if (status == PAPI_OK)
		status = emit_term(compiler, 0);
	return status == PAPI_OK ? emit_operator(compiler, '/') : status;
}

static int compile_fold(struct compiler *compiler, char character)
{
	int status = emit_term(compiler, 0);

	for (unsigned term = 1; status == PAPI_OK && term < compiler->n_terms; term++) {
		status = emit_term(compiler, term);
		if (status == PAPI_OK)
			status = emit_operator(compiler, character);
	}
	return status;
}

static int check_terms(enum papi_derived derived, unsigned n_terms)
{
	static const struct {
		unsigned least, most;
	} limits[] = {
		[PAPI_NOT_DERIVED] = { 1, 1 },
		[PAPI_DERIVED_ADD] = { 2, 0 },
		[PAPI_DERIVED_SUB] = { 2, 0 },
		[PAPI_DERIVED_CMPD] = { 1, 0 },
		[PAPI_DERIVED_PS] = { 2, 2 },
		[PAPI_DERIVED_ADD_PS] = { 3, 0 },
		[PAPI_DERIVED_POSTFIX] = { 1, 0 },
		[PAPI_DERIVED_INFIX] = { 1, 0 },
	};

	if (n_terms < limits[derived].least || (limits[derived].most && n_terms > limits[derived].most))
		return papi_error(PAPI_EINVAL, "%s takes %s%u event%s, not %u", names[derived],
			limits[derived].most ? "" : "at least ", limits[derived].least,
			limits[derived].least == 1 ? "" : "s", n_terms);
	return PAPI_OK;
}

int papi_formula_compile(
	enum papi_derived derived, const char *text, unsigned n_terms, double clock_hz, struct papi_formula **formula)
{
	struct compiler compiler = { .text = text ? text : "", .n_terms = n_terms, .clock_hz = clock_hz };
	int status = check_terms(derived, n_terms);

	if (status != PAPI_OK)
		return status;
	compiler.position = compiler.text;
	switch (derived) {
	case PAPI_NOT_DERIVED:
	case PAPI_DERIVED_CMPD:
		status = emit_term(&compiler, 0);
		break;
	case PAPI_DERIVED_ADD:
		status = compile_fold(&compiler, '+');
		break;
	case PAPI_DERIVED_SUB:
		status = compile_fold(&compiler, '-');
		break;
	case PAPI_DERIVED_PS:
	case PAPI_DERIVED_ADD_PS:
		status = compile_per_second(&compiler);
		break;
	case PAPI_DERIVED_POSTFIX:
		status = compile_postfix(&compiler);
		break;
	case PAPI_DERIVED_INFIX:
		status = compile_infix(&compiler);
		break;
	}
	if (status == PAPI_OK && compiler.depth != 1)
		status = papi_error(
			PAPI_EINVAL, "formula \"%.100s\" leaves %u values, not one", compiler.text, compiler.depth);
	if (status != PAPI_OK) {
		free(compiler.formula);
		return status;
	}
	*formula = compiler.formula;
	return PAPI_OK;
}
