/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lines and fields of the text files that define events.
 *
 * Lines end with CR, LF or CRLF. Fields are separated by commas, and the first field, a command, also by white space.
 * White space around a field does not belong to it. A field in single or double quotes may hold commas; within it the
 * quote is doubled. A comma between the slashes of an event in the kernel's form (`cpu/event=0xc0,umask=1/`) does not
 * separate. Each line is copied into a buffer and cut to pieces there; the text itself is not touched.
 */
#ifndef PAPI_EVENTS_LINES_H
#define PAPI_EVENTS_LINES_H

#include <stdbool.h>
#include <stddef.h>

struct papi_lines {
	const char *file;       /* for messages */
	const char *next, *end; /* of the text still to be read */
	const char *feed;       /* the line feed at or behind next, end if there is none; NULL: not looked for */
	char *line;             /* the buffer */
	size_t size;
	char *rest;      /* what of the line is still to be read; NULL: nothing, not even an empty field */
	unsigned number; /* of the line, from 1 */
	char *field;     /* the current field; where a message points to */
	bool quoted;     /* it was in quotes */
};

void papi_lines_begin(struct papi_lines *lines, const char *file, const char *text, size_t length);
void papi_lines_end(struct papi_lines *lines);

/* Passes over lines up to one that begins with a word; quicker than reading them. */
void papi_lines_skip_to(struct papi_lines *lines, const char *word);

/* Goes to the next line that is neither blank nor a comment; false at the end, or when memory is short. */
bool papi_lines_next(struct papi_lines *lines);

/* Goes to the next field, lines->field; false at the end of the line. A formula is divided by commas only. */
enum papi_field_kind { PAPI_FIELD_COMMAND, PAPI_FIELD_FORMULA, PAPI_FIELD_ANY };
bool papi_lines_field(struct papi_lines *lines, enum papi_field_kind kind);

/* Where the current field begins, from 1. */
int papi_lines_column(const struct papi_lines *lines);

/* "FILE:LINE:COLUMN: " and the sentence, into the error detail, as PAPI_EINVAL. The column is that of the field. */
int papi_lines_fail(const struct papi_lines *lines, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
