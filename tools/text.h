/* SPDX-License-Identifier: BSD-3-Clause */
/* Text for an 80 column terminal: wrapped paragraphs, and the boxes in which papi_native_avail shows events. */
#ifndef PAPI_TOOLS_TEXT_H
#define PAPI_TOOLS_TEXT_H

#include <stddef.h>
#include <stdio.h>

#define PAPI_TEXT_WIDTH 80

/*
 * Writes `first` and then `text`, broken between words so that no line is longer than 80 columns, each line of the
 * text starting at `column`. When `first` reaches into that column the text starts on a line of its own. A word
 * that is longer than a line stands alone on one and is not cut.
 */
void papi_text_wrap(FILE *stream, const char *first, int column, const char *text);

/* The same between "| " at the left and "|" in column 80. */
void papi_text_box(FILE *stream, int column, const char *text);

/* A number with commas between the groups of three digits of its whole part: 1234567.125 becomes 1,234,567.125. */
void papi_text_group(char *text, size_t size, const char *number);

/* A line of 80 times the character. */
void papi_text_rule(FILE *stream, char character);

#endif
