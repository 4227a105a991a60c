/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a program writes to the terminal while the view of perfometer has it: kept in a file without a name, and written
 * to the terminal once the view is gone. What the program reads from the terminal is nothing: the keys are the view's.
 *
 * One program at a time. take() is for the child between fork and execve, and safe there.
 */
#ifndef PAPI_PERFOMETER_TEXT_OUTPUT_H
#define PAPI_PERFOMETER_TEXT_OUTPUT_H

#include <stdbool.h>

/* False, with errno: there is no room for such a file. */
bool papi_text_output_begin(void);
/* In the child: standard streams that are a terminal become others. */
void papi_text_output_take(void);
/* Writes what was kept to the standard stream that is the terminal. */
void papi_text_output_end(void);

#endif
