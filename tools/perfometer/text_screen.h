/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The view of perfometer in a terminal: lanes over time, drawn with ncurses. It reads the journal as pages do, and has
 * the terminal that perfometer was started from, whatever standard input and output are.
 *
 * One at a time; one thread. The screen owns the terminal from begin to end. text_none.c stands in for it in a build
 * without ncurses.
 */
#ifndef PAPI_PERFOMETER_TEXT_SCREEN_H
#define PAPI_PERFOMETER_TEXT_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

#include "journal.h"
#include "server.h"

struct papi_screen;

/* answers: who says what can be counted, and counts it; NULL: it is a recording. NULL, and why. */
struct papi_screen *papi_screen_begin(const struct papi_server_answers *answers, char *reason, size_t size);
/* What to wait for with poll(): keys. */
int papi_screen_file(const struct papi_screen *screen);
/* Takes what is new in the journal and the keys that were pressed, and draws. False: the user has had enough. */
bool papi_screen_step(struct papi_screen *screen, const struct papi_journal *journal);
/* Gives the terminal back as it was. */
void papi_screen_end(struct papi_screen *screen);

#endif
