/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * events/formula.h against a second evaluator: random expressions, written as infix and as postfix, must give what a
 * walk over the expression's tree gives in 128-bit integers, or in double where 64 bits do not hold a step.
 */
#include <inttypes.h>
#include <stdio.h>

#include "formula_value.h"

#define EXPRESSIONS 20000
#define DEPTH       6
#define N_COUNTS    6

enum kind { TERM, INTEGER, REAL, CLOCK, NEGATIVE, PLUS, MINUS, TIMES, OVER };

struct node {
	enum kind kind;
	unsigned term;
	long long integer;
	double real;
	struct node *left, *right;
};

/* A tree has fewer nodes than this. */
static struct node nodes[1 << (DEPTH + 1)];
static unsigned n_nodes;

/* xorshift64: the same expressions in every run. */
static uint64_t random_state = 88172645463325252u;

static uint64_t random_bits(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static unsigned random_below(unsigned limit)
{
	return (unsigned)(random_bits() >> 33) % limit;
}

/* All magnitudes are as likely; the extremes and 0 come often. */
static long long random_count(void)
{
	static const long long special[] = { 0, 0, 1, -1, INT64_MAX, INT64_MIN, INT64_MAX - 1, INT64_MIN + 1 };

	if (!random_below(4))
		return special[random_below(LENGTH(special))];
	return (long long)random_bits() >> random_below(64);
}

static struct node *random_tree(unsigned depth)
{
	/* By far the most expressions are exact ones: division and reals are rarer than the rest. */
	static const enum kind inner[] = { PLUS, PLUS, PLUS, MINUS, MINUS, MINUS, TIMES, TIMES, TIMES, NEGATIVE,
		NEGATIVE, OVER };
	static const enum kind leaf[] = { TERM, TERM, TERM, TERM, TERM, TERM, INTEGER, INTEGER, CLOCK, REAL };
	struct node *node = &nodes[n_nodes++];

	*node = (struct node){ .kind = depth && random_below(5) ? inner[random_below(LENGTH(inner))]
								: leaf[random_below(LENGTH(leaf))] };
	switch (node->kind) {
	case TERM:
		node->term = random_below(N_COUNTS);
		break;
	case INTEGER:
		node->integer = random_count() & INT64_MAX;
		break;
	case REAL:
		node->real = random_below(1000) / 8.0;
		break;
	case CLOCK:
		break;
	case NEGATIVE:
		node->left = random_tree(depth - 1);
		break;
	default:
		node->left = random_tree(depth - 1);
		node->right = random_tree(depth - 1);
	}
	return node;
}

static const char symbols[] = { [PLUS] = '+', [MINUS] = '-', [TIMES] = '*', [OVER] = '/' };

static int strength(enum kind kind)
{
	return kind == PLUS || kind == MINUS ? 1 : kind == TIMES || kind == OVER ? 2 : 3;
}

static void print_leaf(FILE *text, const struct node *node)
{
	if (node->kind == TERM)
		fprintf(text, "%c%u", random_below(8) ? 'N' : 'n', node->term);
	else if (node->kind == INTEGER)
		fprintf(text, "%lld", node->integer);
	else if (node->kind == REAL)
		fprintf(text, "%.3f", node->real);
	else
		fputc('#', text);
}

static void print_spaces(FILE *text)
{
	for (unsigned n = random_below(6) / 4; n; n--)
		fputc(" \t"[random_below(2)], text);
}

/* Parentheses where they are needed, and now and then where they are not. */
static void print_infix(FILE *text, const struct node *node, int needed)
{
	bool parentheses = strength(node->kind) < needed || !random_below(8);

	print_spaces(text);
	if (parentheses)
		fputc('(', text);
	if (node->kind == NEGATIVE) {
		fputc('-', text);
		print_infix(text, node->left, 3);
	} else if (!node->left) {
		print_leaf(text, node);
	} else {
		print_infix(text, node->left, strength(node->kind));
		print_spaces(text);
		fputc(symbols[node->kind], text);
		/* The right side of an operator of the same strength would otherwise be taken from the left. */
		print_infix(text, node->right, strength(node->kind) + 1);
	}
	if (parentheses)
		fputc(')', text);
	print_spaces(text);
}

static void print_postfix(FILE *text, const struct node *node)
{
	if (node->kind == NEGATIVE)
		fputs("0|", text);
	if (node->left)
		print_postfix(text, node->left);
	if (node->right)
		print_postfix(text, node->right);
	print_spaces(text);
	if (node->kind == NEGATIVE)
		fputc('-', text);
	else if (node->left)
		fputc(symbols[node->kind], text);
	else
		print_leaf(text, node);
	print_spaces(text);
	fputc('|', text);
}

/* The second evaluator: all steps in both ways. */
struct result {
	bool exact; /* only whole numbers, and each step fits in 64 bits */
	bool by_zero;
	__int128 integer;
	double real;
};

static struct result combine(enum kind kind, struct result left, struct result right)
{
	struct result result = { .exact = left.exact && right.exact && kind != OVER,
		.by_zero = left.by_zero || right.by_zero || (kind == OVER && right.real == 0) };

	switch (kind) {
	case PLUS:
		result.real = left.real + right.real;
		break;
	case TIMES:
		result.real = left.real * right.real;
		break;
	case OVER:
		result.real = left.real / right.real;
		break;
	default:
		result.real = left.real - right.real;
	}
	if (result.exact)
		result.integer = kind == PLUS ? left.integer + right.integer
			: kind == TIMES       ? left.integer * right.integer
					      : left.integer - right.integer;
	result.exact = result.exact && result.integer <= INT64_MAX && result.integer >= INT64_MIN;
	return result;
}

static struct result whole(long long integer)
{
	return (struct result){ .exact = true, .integer = integer, .real = (double)integer };
}

static struct result walk(const struct node *node, const long long counts[])
{
	switch (node->kind) {
	case TERM:
		return whole(counts[node->term]);
	case INTEGER:
		return whole(node->integer);
	case CLOCK:
		return whole((long long)CLOCK_HZ);
	case REAL:
		return (struct result){ .real = node->real };
	case NEGATIVE:
		return combine(MINUS, whole(0), walk(node->left, counts));
	default:
		return combine(node->kind, walk(node->left, counts), walk(node->right, counts));
	}
}

static long long as_count(struct result result)
{
	if (result.exact)
		return (long long)result.integer;
	if (result.by_zero || result.real != result.real)
		return 0;
	if (result.real >= 9223372036854775808.0)
		return INT64_MAX;
	return result.real < -9223372036854775808.0 ? INT64_MIN : (long long)result.real;
}

static void check(enum papi_derived derived, const char *text, const long long counts[], long long expected)
{
	struct papi_formula *formula = NULL;
	long long value;

	if (papi_formula_compile(derived, text, N_COUNTS, CLOCK_HZ, &formula) != PAPI_OK)
		fail_msg("\"%s\" is refused: %s", text, PAPI_error_detail());
	value = value_of(formula, N_COUNTS, counts);
	free(formula);
	if (value != expected)
		fail_msg("\"%s\" gives %lld and not %lld, with N0.. = %lld %lld %lld %lld %lld %lld", text, value,
			expected, counts[0], counts[1], counts[2], counts[3], counts[4], counts[5]);
}

static void both_ways_of_writing_give_the_value_of_the_tree(void **state)
{
	unsigned n_exact = 0, n_by_zero = 0, n_clamped = 0;

	(void)state;
	for (unsigned i = 0; i < EXPRESSIONS; i++) {
		long long counts[N_COUNTS];
		struct result result;
		struct node *tree;
		char *text = NULL;
		size_t size = 0;
		FILE *stream;

		n_nodes = 0;
		tree = random_tree(1 + random_below(DEPTH - 1));
		for (unsigned j = 0; j < N_COUNTS; j++)
			counts[j] = random_count();
		result = walk(tree, counts);
		n_exact += result.exact;
		n_by_zero += result.by_zero;
		n_clamped += !result.exact && (as_count(result) == INT64_MAX || as_count(result) == INT64_MIN);
		for (int postfix = 0; postfix < 2; postfix++) {
			stream = open_memstream(&text, &size);
			postfix ? print_postfix(stream, tree) : print_infix(stream, tree, 0);
			fclose(stream);
			check(postfix ? PAPI_DERIVED_POSTFIX : PAPI_DERIVED_INFIX, text, counts, as_count(result));
			free(text);
		}
	}
	/* The generator makes all kinds: a test of exact values that meets none would prove nothing. */
	assert_in_range(n_exact, EXPRESSIONS / 4, EXPRESSIONS);
	assert_in_range(n_by_zero, EXPRESSIONS / 100, EXPRESSIONS);
	assert_in_range(n_clamped, EXPRESSIONS / 100, EXPRESSIONS);
}

/* Bytes that mean nothing: an error or a formula, but no crash and no endless loop. */
static void noise_is_survived(void **state)
{
	static const char letters[] = "N0123459.eE|+-*/()# \tnx";
	unsigned n_compiled = 0;

	(void)state;
	for (unsigned i = 0; i < 4 * EXPRESSIONS; i++) {
		struct papi_formula *formula = NULL;
		char text[24] = "";
		int status;

		for (unsigned j = random_below(LENGTH(text)); j--;)
			text[j] = letters[random_below(sizeof(letters) - 1)];
		status = papi_formula_compile(
			i % 2 ? PAPI_DERIVED_POSTFIX : PAPI_DERIVED_INFIX, text, 2, CLOCK_HZ, &formula);
		if (status == PAPI_OK) {
			n_compiled++;
			assert_int_equal(value_of(formula, 2, TERMS(0, 0)), value_of(formula, 2, TERMS(0, 0)));
		} else {
			assert_int_equal(status, PAPI_EINVAL);
			assert_null(formula);
		}
		free(formula);
	}
	assert_in_range(n_compiled, EXPRESSIONS / 100, EXPRESSIONS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_ways_of_writing_give_the_value_of_the_tree),
		cmocka_unit_test(noise_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
