/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The compiler and the evaluator of formulas against a second pair, which is written differently: it has no program, it
 * computes while it reads, in 128-bit integers and in double at once, and infix by two stacks instead of recursion.
 *
 * Both must accept the same texts, but for the limits of the compiler, and give the same values. An input is a byte of
 * choices, six counts, and the text. Formulas within formulas must give what evaluating them one after the other gives.
 */
#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "events/formula.h"
#include "fuzz.h"

#define N_COUNTS 6
#define DEEPEST  8192 /* longer texts are not looked at */

struct value {
	__int128 integer;
	double real;
};

struct reference {
	const char *at;
	unsigned n_terms;
	double clock;
	const long long *counts;
	struct value stack[DEEPEST];
	unsigned depth;
	bool inexact; /* the value is that of the doubles */
	bool by_zero;
};

static struct reference reference;

static void push(__int128 integer, double real)
{
	reference.stack[reference.depth++] = (struct value){ integer, real };
}

static bool apply(char operation)
{
	struct value *a, *b;

	if (reference.depth < 2)
		return false;
	reference.depth--;
	a = &reference.stack[reference.depth - 1];
	b = a + 1;
	switch (operation) {
	case '+':
		a->integer += b->integer;
		a->real += b->real;
		break;
	case '-':
		a->integer -= b->integer;
		a->real -= b->real;
		break;
	case '*':
		/* Both fit into 64 bits while it matters. */
		a->integer = reference.inexact ? 0 : a->integer * b->integer;
		a->real *= b->real;
		break;
	default:
		reference.inexact = true;
		reference.by_zero = reference.by_zero || b->real == 0;
		a->real /= b->real;
	}
	if (a->integer > LLONG_MAX || a->integer < LLONG_MIN) {
		reference.inexact = true;
		a->integer = 0;
	}
	return true;
}

/* Whole numbers up to 2^63 - 1 are exact; digits with a point, an exponent or more than that are not. */
static bool read_number(void)
{
	const char *start = reference.at;
	__int128 integer = 0;
	bool real = false;
	char copy[DEEPEST], *end;
	size_t n = 0;

	while (isdigit((unsigned char)start[n])) {
		if (integer <= LLONG_MAX)
			integer = integer * 10 + (start[n] - '0');
		n++;
	}
	real = integer > LLONG_MAX || start[n] == '.' || start[n] == 'e' || start[n] == 'E';
	if (!real) {
		reference.at += n;
		push(integer, (double)integer);
		return true;
	}
	if (start[n] == '.')
		for (n++; isdigit((unsigned char)start[n]);)
			n++;
	if (start[n] == 'e' || start[n] == 'E') {
		size_t digits = n + 1 + (start[n + 1] == '+' || start[n + 1] == '-');

		if (isdigit((unsigned char)start[digits]))
			for (n = digits; isdigit((unsigned char)start[n]);)
				n++;
	}
	memcpy(copy, start, n);
	copy[n] = '\0';
	push(0, strtod(copy, &end));
	reference.inexact = true;
	reference.at += n;
	return end != copy && *end == '\0' && isfinite(reference.stack[reference.depth - 1].real);
}

static bool read_operand(void)
{
	const char *at = reference.at;

	if (*at == '#') {
		reference.at++;
		push((__int128)reference.clock, reference.clock);
		reference.inexact = reference.inexact || reference.clock != floor(reference.clock);
		return true;
	}
	if ((*at == 'N' || *at == 'n') && isdigit((unsigned char)at[1])) {
		unsigned term = 0;

		for (at++; isdigit((unsigned char)*at); at++)
			term = term < 1000 ? term * 10 + (unsigned)(*at - '0') : term;
		reference.at = at;
		if (term >= reference.n_terms)
			return false;
		push(reference.counts[term], (double)reference.counts[term]);
		return true;
	}
	return (isdigit((unsigned char)*at) || *at == '.') && read_number();
}

static void skip(const char *characters)
{
	reference.at += strspn(reference.at, characters);
}

#define SPACES " \t\n\v\f\r"

static bool read_postfix(void)
{
	for (;;) {
		skip("|" SPACES);
		if (!*reference.at)
			return reference.depth == 1;
		if (strchr("+-*/", *reference.at) ? !apply(*reference.at++) : !read_operand())
			return false;
		skip(SPACES);
		if (*reference.at && *reference.at != '|')
			return false;
	}
}

/* How strongly an operator on the stack binds; 'm' is the minus of one operand, which is 0 minus that. */
static int strength(char operation)
{
	return operation == 'm' ? 3 : operation == '*' || operation == '/' ? 2 : operation == '(' ? 0 : 1;
}

static bool read_infix(void)
{
	char operators[DEEPEST];
	unsigned n = 0;

	for (;;) {
		/* An operand, with what may stand before it. */
		skip(SPACES);
		while (*reference.at == '-' || *reference.at == '(') {
			if (*reference.at == '-')
				push(0, 0);
			operators[n++] = *reference.at++ == '-' ? 'm' : '(';
			skip(SPACES);
		}
		if (!read_operand())
			return false;
		skip(SPACES);
		/* What may stand behind it, up to the next operator. */
		for (;;) {
			char next = *reference.at;
			int least = !next || next == ')' ? 1 : strchr("+-*/", next) ? strength(next) : 4;

			if (least == 4)
				return false;
			while (n && strength(operators[n - 1]) >= least)
				if (!apply(operators[--n] == 'm' ? '-' : operators[n]))
					return false;
			if (!next)
				return !n && reference.depth == 1;
			reference.at++;
			if (next != ')') {
				operators[n++] = next;
				break;
			}
			if (!n || operators[--n] != '(')
				return false;
			skip(SPACES);
		}
	}
}

static bool refer(enum papi_derived derived, const char *text, unsigned n_terms, double clock, const long long counts[],
	long long *value)
{
	bool accepted;

	reference = (struct reference){ .at = text, .n_terms = n_terms, .clock = clock, .counts = counts };
	accepted = derived == PAPI_DERIVED_POSTFIX ? read_postfix() : read_infix();
	if (!accepted)
		return false;
	if (!reference.inexact)
		*value = (long long)reference.stack[0].integer;
	else
		*value = reference.by_zero ? 0 : papi_formula_clamp(reference.stack[0].real);
	return true;
}

static bool is_limit(const char *sentence)
{
	return strstr(sentence, "more than") != NULL;
}

/* A formula whose terms are the same formula, each over the counts of another order. */
static void check_inline(const struct papi_formula *formula, const long long counts[], long long expected)
{
	const struct papi_formula *inner[N_COUNTS];
	unsigned identity[N_COUNTS], turned[N_COUNTS][N_COUNTS];
	const unsigned *map[N_COUNTS];
	struct papi_formula *flat;
	long long terms[N_COUNTS];

	for (unsigned i = 0; i < N_COUNTS; i++) {
		identity[i] = i;
		inner[i] = i % 2 ? formula : NULL;
		map[i] = turned[i];
		for (unsigned j = 0; j < N_COUNTS; j++)
			turned[i][j] = (i + j) % N_COUNTS;
		terms[i] = i % 2 ? papi_formula_evaluate(formula, counts, turned[i]) : counts[i];
	}
	if (papi_formula_inline(formula, inner, map, &flat) != PAPI_OK) {
		CHECK(is_limit(papi_error_sentence()));
		return;
	}
	/* What is rounded or beyond 64 bits in between is not the same; small whole numbers are. */
	if (formula->exact && expected < INT_MAX && expected > INT_MIN) {
		bool small = true;

		for (unsigned i = 0; i < N_COUNTS; i++)
			small = small && terms[i] < INT_MAX && terms[i] > INT_MIN && counts[i] < INT_MAX &&
				counts[i] > INT_MIN;
		if (small && formula->n_steps < 4)
			CHECK(papi_formula_evaluate(flat, counts, identity) ==
				papi_formula_evaluate(formula, terms, identity));
	}
	papi_formula_evaluate(flat, counts, identity);
	free(flat);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const double clocks[] = { 2.5e9, 2.3e9 / 3, 1, 0 };
	const size_t head = 1 + N_COUNTS * sizeof(int64_t);
	unsigned identity[N_COUNTS];
	enum papi_derived derived;
	struct papi_formula *formula = NULL;
	int64_t counts[N_COUNTS];
	long long values[N_COUNTS], expected = 0;
	double clock;
	bool accepted;
	char *text;
	int status;

	if (size < head || size - head >= DEEPEST / 2)
		return 0;
	derived = *data & 1 ? PAPI_DERIVED_INFIX : PAPI_DERIVED_POSTFIX;
	clock = clocks[*data >> 1 & 3];
	memcpy(counts, data + 1, sizeof(counts));
	for (unsigned i = 0; i < N_COUNTS; i++) {
		values[i] = *data & 8 ? counts[i] % 1000 : counts[i];
		identity[i] = i;
	}
	text = strndup((const char *)data + head, size - head);
	CHECK(text);
	status = papi_formula_compile(derived, text, N_COUNTS, clock, &formula);
	CHECK(status == PAPI_OK || (status == PAPI_EINVAL && !formula && *papi_error_sentence()));
	/* The clock that nobody knows is an error of its own. */
	if (clock > 0 && (status == PAPI_OK || !is_limit(papi_error_sentence()))) {
		accepted = refer(derived, text, N_COUNTS, clock, values, &expected);
		CHECK(accepted == (status == PAPI_OK));
		if (accepted) {
			CHECK(papi_formula_evaluate(formula, values, identity) == expected);
			check_inline(formula, values, expected);
		}
	}
	free(formula);
	free(text);
	return 0;
}
