/* SPDX-License-Identifier: BSD-3-Clause */
#include "text_print.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

#define NCURSES_WIDECHAR 1
#include <curses.h>

void papi_text_print(int y, int x, int columns, const char *text)
{
	wchar_t wide[512];
	size_t length = mbstowcs(wide, text, sizeof(wide) / sizeof(wide[0]) - 1);
	int used = 0;
	size_t shown = 0;

	if (columns <= 0)
		return;
	if (length == (size_t)-1) {
		mvaddnstr(y, x, text, columns);
		return;
	}
	for (; shown < length; shown++) {
		int width = wcwidth(wide[shown]);

		if (width < 0 || used + width > columns)
			break;
		used += width;
	}
	mvaddnwstr(y, x, wide, (int)shown);
}

void papi_text_print_line(int y, int x, int columns, const char *format, ...)
{
	va_list arguments;
	char text[1024];

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	papi_text_print(y, x, columns, text);
}
