/* SPDX-License-Identifier: BSD-3-Clause */
#include "events/parser.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "events/lines.h"

struct reading {
	const struct papi_parser *parser;
	struct papi_lines lines;
	bool in_cpu_lines; /* the last line was a CPU line: the next one adds a synonym */
	bool wanted;       /* events here are for this machine */
	char cpu[64];      /* else they are for this one, and perhaps others */
	bool reported;     /* an unknown command has been told of */
	int column;        /* of the event's formula, or of its name: what a definition is refused for */
};

static void problem(struct reading *reading, const char *symbol)
{
	reading->parser->problem(reading->parser->data, symbol);
}

static void read_cpu(struct reading *reading)
{
	struct papi_lines *lines = &reading->lines;

	if (!reading->in_cpu_lines)
		reading->wanted = false;
	reading->in_cpu_lines = true;
	if (!papi_lines_field(lines, PAPI_FIELD_ANY) || !*lines->field) {
		papi_lines_fail(lines, "expected the name of a PMU after CPU");
		problem(reading, NULL);
		return;
	}
	if (!reading->wanted)
		snprintf(reading->cpu, sizeof(reading->cpu), "%s", lines->field);
	reading->wanted = reading->wanted || reading->parser->matches(reading->parser->data, lines->field);
}

/* NOTE, SDESC or LDESC and the text behind it. False: the field is none of these words. */
static bool read_text(struct papi_lines *lines, struct papi_definition_source *source, int *status)
{
	const char **text = !strcmp(lines->field, "NOTE") ? &source->note
		: !strcmp(lines->field, "SDESC")          ? &source->short_description
		: !strcmp(lines->field, "LDESC")          ? &source->description
							  : NULL;
	const char *word = lines->field;

	if (!text || lines->quoted)
		return false;
	if (papi_lines_field(lines, PAPI_FIELD_FORMULA))
		*text = lines->field;
	else
		*status = papi_lines_fail(lines, "expected a text after %s", word);
	return true;
}

static bool at_end(const struct papi_lines *lines)
{
	return !lines->rest || !lines->rest[strspn(lines->rest, ", \t")];
}

int papi_parser_terms(
	struct papi_lines *lines, struct papi_definition_source *source, const char *terms[], int columns[])
{
	int status = PAPI_OK;

	while (status == PAPI_OK && !at_end(lines) && papi_lines_field(lines, PAPI_FIELD_ANY)) {
		if (read_text(lines, source, &status))
			continue;
		if (!*lines->field)
			return papi_lines_fail(lines, "expected the name of an event between two commas");
		if (source->n_terms == PAPI_PARSER_TERMS)
			return papi_lines_fail(lines, "an event has at most %d terms", PAPI_PARSER_TERMS);
		if (columns)
			columns[source->n_terms] = papi_lines_column(lines);
		terms[source->n_terms++] = lines->field;
	}
	if (status == PAPI_OK && !source->n_terms)
		return papi_lines_fail(lines, "expected at least one event that %s is made of", source->symbol);
	return status;
}

static int read_type(struct reading *reading, struct papi_definition_source *source)
{
	struct papi_lines *lines = &reading->lines;
	int derived;

	if (!papi_lines_field(lines, PAPI_FIELD_ANY))
		return papi_lines_fail(
			lines, "expected a type such as NOT_DERIVED or DERIVED_ADD after %s", source->symbol);
	derived = papi_derived_from_name(lines->field);
	if (derived < 0)
		return papi_lines_fail(lines,
			"expected a type such as NOT_DERIVED, DERIVED_ADD or DERIVED_POSTFIX, not \"%.64s\"",
			lines->field);
	source->derived = (enum papi_derived)derived;
	if (source->derived != PAPI_DERIVED_POSTFIX && source->derived != PAPI_DERIVED_INFIX)
		return PAPI_OK;
	if (!papi_lines_field(lines, PAPI_FIELD_FORMULA) || !*lines->field)
		return papi_lines_fail(lines, "expected a formula after %s", papi_derived_name(source->derived));
	source->formula = lines->field;
	reading->column = papi_lines_column(lines);
	return PAPI_OK;
}

static void define(struct reading *reading, const struct papi_definition_source *source, int status)
{
	if (status == PAPI_OK) {
		status = reading->parser->define(reading->parser->data, source);
		if (status != PAPI_OK)
			papi_error_prefix(
				status, "%s:%u:%d", reading->lines.file, reading->lines.number, reading->column);
	}
	if (status != PAPI_OK)
		problem(reading, source->symbol);
}

static void skip_event(struct reading *reading)
{
	struct papi_lines *lines = &reading->lines;

	if (!reading->parser->skipped) {
		papi_lines_skip_to(lines, "CPU");
		return;
	}
	if (!papi_lines_field(lines, PAPI_FIELD_ANY) || !*lines->field)
		return;
	papi_lines_fail(lines, "%.128s is defined for the CPU \"%s\"", lines->field, reading->cpu);
	reading->parser->skipped(reading->parser->data, lines->field);
}

static void read_event(struct reading *reading)
{
	struct papi_lines *lines = &reading->lines;
	struct papi_definition_source source = { 0 };
	const char *terms[PAPI_PARSER_TERMS];
	int status;

	reading->in_cpu_lines = false;
	if (!reading->wanted) {
		skip_event(reading);
		return;
	}
	if (!papi_lines_field(lines, PAPI_FIELD_ANY) || !*lines->field) {
		papi_lines_fail(lines, "expected the name of an event");
		problem(reading, NULL);
		return;
	}
	source.symbol = lines->field;
	source.terms = terms;
	reading->column = papi_lines_column(lines);
	status = read_type(reading, &source);
	if (status == PAPI_OK)
		status = papi_parser_terms(lines, &source, terms, NULL);
	define(reading, &source, status);
}

static void unknown_command(struct reading *reading)
{
	if (reading->reported)
		return;
	reading->reported = true;
	papi_lines_fail(&reading->lines,
		"expected CPU, PRESET or EVENT, not \"%.64s\"; this and other such lines are skipped",
		reading->lines.field);
	problem(reading, NULL);
}

void papi_parse_events(const struct papi_parser *parser, const char *file, const char *text, size_t length)
{
	struct reading reading = { .parser = parser, .wanted = !parser->sections_only };
	struct papi_lines *lines = &reading.lines;

	papi_lines_begin(lines, file, text, length);
	while (papi_lines_next(lines)) {
		papi_lines_field(lines, PAPI_FIELD_COMMAND);
		if (!strcmp(lines->field, "CPU"))
			read_cpu(&reading);
		else if (!strcmp(lines->field, "PRESET") || !strcmp(lines->field, "EVENT"))
			read_event(&reading);
		else
			unknown_command(&reading);
	}
	papi_lines_end(lines);
}

/* An empty column means "nothing said". */
static const char *column(struct papi_lines *lines)
{
	return papi_lines_field(lines, PAPI_FIELD_FORMULA) && *lines->field ? lines->field : NULL;
}

void papi_parse_decoded(const struct papi_parser *parser, const char *file, const char *text, size_t length)
{
	struct reading reading = { .parser = parser, .wanted = true };
	struct papi_lines *lines = &reading.lines;

	papi_lines_begin(lines, file, text, length);
	while (papi_lines_next(lines)) {
		struct papi_definition_source source = { 0 };
		const char *terms[PAPI_PARSER_TERMS], *type;
		int status = PAPI_OK, derived;

		source.terms = terms;
		source.symbol = column(lines);
		/* The line with the titles of the columns. */
		if (source.symbol && !strcmp(source.symbol, "name"))
			continue;
		reading.column = papi_lines_column(lines);
		type = source.symbol ? column(lines) : NULL;
		derived = type ? papi_derived_from_name(type) : -1;
		if (!source.symbol)
			status = papi_lines_fail(lines, "expected the name of an event");
		else if (derived < 0)
			status = papi_lines_fail(
				lines, "expected a type such as NOT_DERIVED or DERIVED_ADD after %s", source.symbol);
		source.derived = derived < 0 ? PAPI_NOT_DERIVED : (enum papi_derived)derived;
		source.formula = column(lines);
		if (source.formula)
			reading.column = papi_lines_column(lines);
		source.short_description = column(lines);
		source.description = column(lines);
		source.note = column(lines);
		if (status == PAPI_OK)
			status = papi_parser_terms(lines, &source, terms, NULL);
		define(&reading, &source, status);
	}
	papi_lines_end(lines);
}
