/* SPDX-License-Identifier: BSD-3-Clause */
#include "events/lines.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

void papi_lines_begin(struct papi_lines *lines, const char *file, const char *text, size_t length)
{
	/* Spreadsheets write a byte order mark before the text. */
	if (length >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) {
		text += 3;
		length -= 3;
	}
	*lines = (struct papi_lines){ .file = file, .next = text, .end = text + length };
}

void papi_lines_end(struct papi_lines *lines)
{
	free(lines->line);
	lines->line = NULL;
}

static bool is_blank(char character)
{
	return character == ' ' || character == '\t';
}

/* The end of the line that begins at start, and in *next the beginning of the one after: behind CR, LF or CRLF. */
static const char *line_end(struct papi_lines *lines, const char *start, const char **next)
{
	const char *carriage, *end;

	/* The next line feed is remembered: in a file with none of them, every line would search all of it. */
	if (!lines->feed || lines->feed < start) {
		lines->feed = memchr(start, '\n', (size_t)(lines->end - start));
		if (!lines->feed)
			lines->feed = lines->end;
	}
	end = lines->feed;
	carriage = memchr(start, '\r', (size_t)(end - start));
	if (carriage)
		end = carriage;
	*next = end == lines->end ? end : end + (end[0] == '\r' && end + 1 < lines->end && end[1] == '\n' ? 2 : 1);
	return end;
}

void papi_lines_skip_to(struct papi_lines *lines, const char *word)
{
	size_t length = strlen(word);

	while (lines->next < lines->end) {
		const char *start = lines->next, *next;

		line_end(lines, start, &next);
		while (start < next && is_blank(*start))
			start++;
		if ((size_t)(next - start) > length && !memcmp(start, word, length))
			return;
		lines->next = next;
		lines->number++;
	}
}

/* A '\0' in the middle of a line ends what is seen of it. */
static bool copy_line(struct papi_lines *lines, const char *start, const char *end)
{
	size_t length = (size_t)(end - start);

	if (length >= lines->size) {
		char *larger = realloc(lines->line, length + 256);

		if (!larger) {
			papi_error(PAPI_ENOMEM, "no memory to read %s", lines->file);
			return false;
		}
		lines->line = larger;
		lines->size = length + 256;
	}
	memcpy(lines->line, start, length);
	lines->line[length] = '\0';
	return true;
}

bool papi_lines_next(struct papi_lines *lines)
{
	while (lines->next < lines->end) {
		const char *line = lines->next, *end = line_end(lines, line, &lines->next), *start = line;

		lines->number++;
		while (start < end && is_blank(*start))
			start++;
		if (start == end || *line == '#')
			continue;
		if (!copy_line(lines, line, end))
			return false;
		lines->field = lines->rest = lines->line + (start - line);
		return true;
	}
	return false;
}

/* Copies a quoted field over itself without its quotes. Returns where it ended, NULL when the quote is never closed. */
static char *unquote(char *field)
{
	char quote = *field, *to = field;

	for (char *from = field + 1; *from; from++) {
		if (*from == quote && *++from != quote) {
			*to = '\0';
			return from;
		}
		*to++ = *from;
	}
	*to = '\0';
	return NULL;
}

/* An event in the kernel's form: what stands before its first slash is the name of a PMU. */
static char *skip_slashes(char *field)
{
	size_t pmu = strcspn(field, "/,: \t|()");

	if (pmu && field[pmu] == '/') {
		char *closing = strchr(field + pmu + 1, '/');

		if (closing)
			return closing;
	}
	return field;
}

bool papi_lines_field(struct papi_lines *lines, enum papi_field_kind kind)
{
	char *field = lines->rest, *end, *last;

	if (!field)
		return false;
	while (is_blank(*field))
		field++;
	lines->field = field;
	lines->quoted = *field == '"' || *field == '\'';
	if (lines->quoted) {
		end = unquote(field);
		if (!end) {
			/* An unclosed quote takes the rest of the line. */
			lines->rest = NULL;
			return true;
		}
		while (is_blank(*end))
			end++;
		lines->rest = *end == ',' ? end + 1 : *end ? end : NULL;
		return true;
	}
	end = kind == PAPI_FIELD_ANY ? skip_slashes(field) : field;
	end += strcspn(end, kind == PAPI_FIELD_COMMAND ? ", \t" : ",");
	lines->rest = *end ? end + 1 : NULL;
	if (kind == PAPI_FIELD_COMMAND && is_blank(*end)) {
		/* "CPU nhm", "CPU , nhm": white space and one comma separate once. */
		char *after = end;

		while (is_blank(*after))
			after++;
		lines->rest = *after == ',' ? after + 1 : *after ? after : NULL;
	}
	*end = '\0';
	for (last = end; last > field && is_blank(last[-1]);)
		*--last = '\0';
	return true;
}

int papi_lines_column(const struct papi_lines *lines)
{
	return (int)(lines->field - lines->line) + 1;
}

int papi_lines_fail(const struct papi_lines *lines, const char *format, ...)
{
	char sentence[400];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(sentence, sizeof(sentence), format, arguments);
	va_end(arguments);
	return papi_error(PAPI_EINVAL, "%s:%u:%d: %s", lines->file, lines->number, papi_lines_column(lines), sentence);
}
