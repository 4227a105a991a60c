/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What one program marks, as messages: a colour from one mark to the next, and regions in each other.
 *
 * Zeros are a program that has marked nothing; papi_marks_end() ends and frees what is open. One thread.
 */
#ifndef PAPI_PERFOMETER_MARKS_H
#define PAPI_PERFOMETER_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "journal.h"

#define PAPI_MARKS_OPEN 64

struct papi_marks {
	int colour, colour_lane;
	struct papi_marks_region {
		char *name;
		int lane, thread;
	} open[PAPI_MARKS_OPEN];
	size_t n_open;
	unsigned left_out;
	double second; /* when the one began in which so many came */
	unsigned came;
};

/* A mark_perfometer() in that lane. A number that is no colour is nothing. */
void papi_marks_colour(struct papi_marks *marks, struct papi_journal *journal, double time, int lane, int colour);
void papi_marks_begin_region(
	struct papi_marks *marks, struct papi_journal *journal, double time, int lane, int thread, const char *name);
/* The last of that name that this thread has begun, and not ended. */
void papi_marks_end_region(
	struct papi_marks *marks, struct papi_journal *journal, double time, int thread, const char *name);
void papi_marks_end(struct papi_marks *marks, struct papi_journal *journal, double time);

/* One message; lane -1: all. color NULL: none. begin: 1, 0, or -1 for a moment. */
void papi_marks_write(
	struct papi_journal *journal, double time, int lane, const char *name, const char *color, int begin);

/* The band of a program that a signal has stopped, in all lanes: its beginning, or its end. */
void papi_marks_stopped(struct papi_journal *journal, double time, bool stopped);

#endif
