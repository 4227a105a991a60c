/* SPDX-License-Identifier: BSD-3-Clause */
/* Wrapped text for the utilities. See text.h. */
#include "text.h"

#include <stdbool.h>
#include <string.h>

/*
 * The length of the piece of text that fits in width columns: up to a line break, or the last space that leaves it
 * short enough, or the whole of a word that is too long for any line. Always more than 0 unless the text is empty
 * or starts with a line break.
 */
static size_t piece_length(const char *text, size_t width)
{
	size_t line = strcspn(text, "\n");
	if (line <= width)
		return line;

	size_t length = width;
	while (length > 0 && text[length] != ' ')
		length--;
	while (length > 0 && text[length - 1] == ' ')
		length--;
	if (length > 0)
		return length;
	return strcspn(text, " \n");
}

/* Calls print for each line of the text; an empty text is one empty line. */
static void for_each_line(
	const char *text, size_t width, void (*print)(FILE *, int, const char *, int), FILE *stream, int column)
{
	do {
		while (*text == ' ')
			text++;
		size_t length = piece_length(text, width);
		print(stream, column, text, (int)length);
		text += length;
		while (*text == ' ')
			text++;
		if (*text == '\n')
			text++;
	} while (*text != '\0');
}

static void print_plain(FILE *stream, int column, const char *text, int length)
{
	fprintf(stream, "%*s%.*s\n", column, "", length, text);
}

static void print_boxed(FILE *stream, int column, const char *text, int length)
{
	/* The column counts from the left edge of the box, whose first character is the bar. */
	fprintf(stream, "|%*s%-*.*s|\n", column - 1, "", PAPI_TEXT_WIDTH - 1 - column, length, text);
}

void papi_text_wrap(FILE *stream, const char *first, int column, const char *text)
{
	size_t width = (size_t)(PAPI_TEXT_WIDTH - column);

	if (*first != '\0') {
		if (strlen(first) + 1 > (size_t)column) {
			fprintf(stream, "%s\n", first);
		} else {
			size_t length = piece_length(text, width);
			fprintf(stream, "%-*s%.*s\n", column, first, (int)length, text);
			text += length;
			text += strspn(text, " \n");
			if (*text == '\0')
				return;
		}
	}
	for_each_line(text, width, print_plain, stream, column);
}

void papi_text_box(FILE *stream, int column, const char *text)
{
	for_each_line(text, (size_t)(PAPI_TEXT_WIDTH - 1 - column), print_boxed, stream, column);
}

void papi_text_rule(FILE *stream, char character)
{
	char line[PAPI_TEXT_WIDTH + 1];

	memset(line, character, PAPI_TEXT_WIDTH);
	line[PAPI_TEXT_WIDTH] = '\0';
	fprintf(stream, "%s\n", line);
}

void papi_text_group(char *text, size_t size, const char *number)
{
	size_t sign = strspn(number, "-"), whole = sign + strspn(number + sign, "0123456789"), used = 0;

	for (size_t i = 0; number[i] != '\0' && used + 2 < size; i++) {
		if (i > sign && i < whole && (whole - i) % 3 == 0)
			text[used++] = ',';
		text[used++] = number[i];
	}
	text[used] = '\0';
}
