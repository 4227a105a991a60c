/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parser of definition files, both formats, with formulas compiled as the library does.
 *
 * The first byte of an input chooses the format, the rest is the file. Beside crashes it finds: a line that is neither
 * an event nor a problem with a place in the file; strings out of the file; and a file that means something else when
 * its lines end in another way.
 */
#include <string.h>

#include "events/formula.h"
#include "events/parser.h"
#include "fuzz.h"

/* All that the parser has said, as one number, so that two runs can be compared. */
struct run {
	uint64_t hash;
	size_t length; /* of the text */
	unsigned n;    /* events and problems */
};

static void add(struct run *run, const char *string)
{
	/* FNV-1a, with an end: "ab" and "c" is not "a" and "bc". */
	for (const char *byte = string ? string : "\1"; *byte; byte++)
		run->hash = (run->hash ^ (unsigned char)*byte) * 1099511628211u;
	run->hash = (run->hash ^ 0xff) * 1099511628211u;
}

static bool matches(void *data, const char *cpu)
{
	add(data, cpu);
	return *cpu == 'a' || *cpu == 'G';
}

static void take(struct run *run, const char *string)
{
	CHECK(!string || strlen(string) <= run->length);
	add(run, string);
}

static int define(void *data, const struct papi_definition_source *source)
{
	struct run *run = data;
	struct papi_formula *formula = NULL;
	int status;

	CHECK(source->symbol && *source->symbol);
	CHECK(source->n_terms > 0 && source->n_terms <= 64);
	take(run, source->symbol);
	take(run, papi_derived_name(source->derived) ? source->formula : NULL);
	for (unsigned i = 0; i < source->n_terms; i++) {
		CHECK(source->terms[i] && *source->terms[i]);
		take(run, source->terms[i]);
	}
	take(run, source->short_description);
	take(run, source->description);
	take(run, source->note);
	run->n++;
	status = papi_formula_compile(source->derived, source->formula, source->n_terms, 1e9, &formula);
	CHECK((status == PAPI_OK) == (formula != NULL));
	CHECK(status == PAPI_OK || status == PAPI_EINVAL);
	free(formula);
	return status;
}

/* "file:LINE:COLUMN: " and something to read. */
static void problem(void *data, const char *symbol)
{
	struct run *run = data;
	const char *sentence = papi_error_sentence();
	unsigned line, column;
	int end = 0;

	CHECK(papi_error_code() == PAPI_EINVAL);
	CHECK(sscanf(sentence, "file:%u:%u: %n", &line, &column, &end) == 2 && end && sentence[end]);
	CHECK(line && column && column <= run->length + 1);
	CHECK(!symbol || *symbol);
	take(run, symbol);
	add(run, sentence);
	run->n++;
}

static struct run parse(const char *text, size_t length, unsigned format)
{
	struct run run = { .hash = 14695981039346656037u, .length = length };
	const struct papi_parser parser = {
		.matches = matches, .define = define, .problem = problem, .data = &run, .sections_only = format & 2
	};

	/* A copy without a byte to spare: reading beyond it is found. */
	char *copy = malloc(length ? length : 1);

	CHECK(copy);
	memcpy(copy, text, length);
	(format & 1 ? papi_parse_decoded : papi_parse_events)(&parser, "file", copy, length);
	free(copy);
	return run;
}

/* The text with another end for each line. */
static struct run parse_with_ends(const char *text, size_t length, unsigned format, const char *end)
{
	char *other = malloc(2 * length + 1), *to = other;
	struct run run;

	CHECK(other);
	for (size_t i = 0; i < length; i++) {
		if (text[i] == '\n')
			to = stpcpy(to, end);
		else
			*to++ = text[i];
	}
	run = parse(other, (size_t)(to - other), format);
	free(other);
	return run;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data + 1;
	struct run plain, other;

	if (!size)
		return 0;
	plain = parse(text, size - 1, *data);
	if (!memchr(text, '\r', size - 1)) {
		other = parse_with_ends(text, size - 1, *data, "\r");
		CHECK(plain.hash == other.hash && plain.n == other.n);
		other = parse_with_ends(text, size - 1, *data, "\r\n");
		CHECK(plain.hash == other.hash && plain.n == other.n);
	}
	return 0;
}
