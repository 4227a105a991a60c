/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts in a terminal that ncurses draws on, as long as papi_screen_begin() has one. One thread. */
#ifndef PAPI_PERFOMETER_TEXT_PRINT_H
#define PAPI_PERFOMETER_TEXT_PRINT_H

/* So much of a text as there is room for. */
void papi_text_print(int y, int x, int columns, const char *text);
void papi_text_print_line(int y, int x, int columns, const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
