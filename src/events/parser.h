/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parser of event definition files.
 *
 *	CPU,<name>				the PMU or CPU that what follows is for; several lines: any of them
 *	PRESET,<name>,<type>[,<formula>],<term>,...[,NOTE|SDESC|LDESC,<text>]...
 *	EVENT,...				the same
 *
 * A line that is wrong loses its own event and nothing else: the problem is told to the caller with file, line and
 * column, and parsing goes on. Events before the first CPU line are for every CPU.
 * Source: PAPI_derived_event_files; Maintenance Guide. The other format, of PAPI_encode_events, is
 * papi_parse_decoded().
 */
#ifndef PAPI_EVENTS_PARSER_H
#define PAPI_EVENTS_PARSER_H

#include <stdbool.h>
#include <stddef.h>

#include "events/definitions.h"
#include "events/lines.h"

/* More than any table has; a formula could not use many more. */
#define PAPI_PARSER_TERMS 64

struct papi_parser {
	/* Whether a name of a CPU line is one of this machine. */
	bool (*matches)(void *data, const char *cpu);
	/* One good line. Its strings do not outlive the call. A failure is a problem of that line. */
	int (*define)(void *data, const struct papi_definition_source *source);
	/* A bad line, explained in the error detail. symbol: the event that is lost, NULL if the line has no name. */
	void (*problem)(void *data, const char *symbol);
	/* An event of this name is for other machines than this, as the error detail says; NULL: nobody wants to
	 * know. */
	void (*skipped)(void *data, const char *symbol);
	void *data;
	bool sections_only; /* leaves out the events before the first CPU line */
};

void papi_parse_events(const struct papi_parser *parser, const char *file, const char *text, size_t length);

/*
 * The format that papi_decode prints: a title line, a blank line, then
 *	name,derived,postfix,"short description","long description","note",native,...
 */
void papi_parse_decoded(const struct papi_parser *parser, const char *file, const char *text, size_t length);

/*
 * The end of a line that defines something: its terms, at least one, into terms[] and, unless NULL, their columns; and
 * the texts behind SDESC, LDESC and NOTE. For lines of other files with the same form (metrics/). PAPI_EINVAL.
 */
int papi_parser_terms(
	struct papi_lines *lines, struct papi_definition_source *source, const char *terms[], int columns[]);

#endif
