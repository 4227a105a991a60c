/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What people in front of a terminal get: lines of 80 columns, groups of digits, and colours. In a pipe or a file a
 * line is a line, for scripts.
 *
 * Colours: never in a pipe or a file, nor where NO_COLOR is set to anything
 * (no-color.org), nor on a terminal that is called dumb. Text that is made for no terminal has no escape sequences at
 * all, and widths of columns are those of the text without them.
 */
#ifndef PAPI_TOOLS_TERMINAL_H
#define PAPI_TOOLS_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum papi_colour {
	PAPI_COLOUR_TITLE, /* heads of tables */
	PAPI_COLOUR_DOUBT, /* what is worth less than it looks */
	PAPI_COLOUR_ERROR, /* what is missing */
	PAPI_COLOUR_ASIDE, /* explanations */
};

/* Whether what is written to the descriptor may be coloured. */
bool papi_terminal_has_colours(int descriptor);

/* The text in a colour; as it is, where coloured is false. */
void papi_terminal_print(FILE *stream, bool coloured, enum papi_colour colour, const char *text);

/* Whether standard output is a terminal. */
bool papi_terminal_is_output(void);

/*
 * On standard output, `first` and from column on the text: on a terminal wrapped as papi_text_wrap() does it, elsewhere
 * one line, however long.
 */
void papi_terminal_line(const char *first, int column, const char *text);

/* A number with this many decimals for standard output: with groups of digits on a terminal, without any elsewhere. */
void papi_terminal_number(char *text, size_t size, double number, int decimals);

#endif
