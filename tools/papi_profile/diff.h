/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_profile diff inside: diff.c has the command line and the tables, diff_rows.c puts the rows of two profiles
 * together, diff_data.c writes them for programs.
 *
 * Rows are the same where what they stand for has the same name: a function has it in a module of the same name, in
 * whatever directory that lies and whatever its build-id is; the program that was run may have another name, too. One
 * thread.
 */
#ifndef PAPI_PROFILE_DIFF_H
#define PAPI_PROFILE_DIFF_H

#include "profile/sums.h"
#include "views.h"

enum { DIFF_OLD, DIFF_NEW, DIFF_SIDES };

struct diff_count {
	int64_t samples, value;
};

struct diff_row {
	char *key;                           /* what is equal in rows that are the same */
	char *name;                          /* as the store has it */
	const char *module, *file, *linkage; /* of one of the two; NULL where it has none */
	int line;
	bool is_in[DIFF_SIDES];
	struct diff_count (*counts)[DIFF_SIDES]; /* of each event */
};

struct diff {
	struct view views[DIFF_SIDES];
	char *programs[DIFF_SIDES]; /* names of the programs themselves */
	enum papi_profile_by by;
	const char *by_name;
	bool inclusive;
	uint32_t (*events)[DIFF_SIDES]; /* those that both have and that were asked for, as each numbers them */
	size_t n_events;
	struct diff_row *rows;
	size_t n, room;
};

/* How an event's counts of a row, or of all, have changed. */
struct diff_change {
	int64_t by;
	double error;     /* one standard deviation; 0: nothing was sampled */
	bool significant; /* more than two of them */
};

/* Fills the rows, which have no order. */
void diff_rows_make(struct diff *diff);
void diff_rows_free(struct diff *diff);

/* counts: those of an old and a new row. */
struct diff_change diff_change(const struct diff *diff, size_t event, const struct diff_count counts[DIFF_SIDES]);

/* All that an event has. */
void diff_totals(const struct diff *diff, size_t event, struct diff_count totals[DIFF_SIDES]);

void diff_print_json(const struct diff *diff, size_t n_shown);
void diff_print_csv(const struct diff *diff, size_t n_shown);

#endif
