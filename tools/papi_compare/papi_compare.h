/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_compare: what its files share.
 *
 *	papi_compare.c   command line, and the order of things
 *	read.c           a file of papi_run --save into a side
 *	limits.c         limits, from the command line and from files
 *	differences.c    what may explain a difference: machine, libraries, inputs, environment
 *	judge.c          events of both sides in pairs; what a difference is worth, and whether it is over a limit
 *	functions.c      which functions have changed, by papi_profile diff
 *	table.c          for people    data.c    as JSON    github.c    annotations and a summary in Markdown
 *
 * A *side* is one of the two files: the one before, and the one after. A *pair* is an event of both, or of one. The
 * *noise* of a pair is how far its counts may differ without a reason; papi_compare(1) has the rule.
 *
 * Memory is kept until the program ends. One thread. Texts come from files: they are escaped where they are printed.
 */
#ifndef PAPI_COMPARE_H
#define PAPI_COMPARE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "options.h"

/* Exit statuses. */
enum { COMPARE_FINE, COMPARE_OVER, COMPARE_TROUBLE };

struct compare_event {
	const char *name, *unit;
	const char *kind, *domain; /* NULL where it is not counted */
	const char *error;         /* why it is not */
	long long *counts;         /* in ascending order */
	size_t runs;
	long long interval;
	bool is_virtual, partial;
};

struct compare_side {
	const char *path;
	char *text; /* the file, as it is */
	size_t length;
	json_t *root;
	bool is_save; /* some version of papi_run has saved it, though it may not be readable here */
	struct compare_event *events;
	size_t n_events;
	bool reproducible;
	long long exit_status;
};

struct compare_limit {
	const char *event;
	const char *text; /* as it was given: 1%, +1000 */
	bool is_percent;
	long double number;
};

struct compare_limits {
	struct compare_limit *limits;
	size_t number;
};

enum compare_verdict {
	COMPARE_PAIR_OVER,
	COMPARE_PAIR_REFUSED, /* there is a limit, and whether it is kept cannot be said */
	COMPARE_PAIR_MORE,
	COMPARE_PAIR_LESS,
	COMPARE_PAIR_UNKNOWN, /* another count, and the noise is not known */
	COMPARE_PAIR_NOISE,
	COMPARE_PAIR_SAME,
	COMPARE_PAIR_INCOMPARABLE
};

/* A function that has changed, and by how much. */
struct compare_function {
	const char *name, *file; /* file NULL: it is not known */
	long long line, before, after, difference;
};

struct compare_pair {
	const char *name, *unit;
	const struct compare_event *before, *after; /* NULL where a side has not got it */
	bool counted;                               /* in both: the numbers below mean something */
	long long count_before, count_after, difference;
	bool noise_known;
	long long noise;
	const struct compare_limit *limit; /* the one that decided; NULL where there is none */
	enum compare_verdict verdict;
	char *reason;                       /* why it is refused or cannot be compared, NULL */
	struct compare_function *functions; /* where it is more or less; those first that have changed most */
	size_t n_functions;
};

struct compare_result {
	const struct compare_side *before, *after;
	struct compare_pair *pairs; /* those that matter first */
	size_t number;
	char **notes; /* sentences on what differs besides the counts */
	size_t n_notes;
	char **troubles; /* why limits could not be applied at all */
	size_t n_troubles;
	size_t n_limits;
	size_t over, refused; /* pairs */
	int status;
};

extern const struct papi_tool papi_compare_tool;

/* ---- papi_compare.c ---- */

/* realloc() to n elements, never less than one; ends the program when there is no memory. */
void *papi_compare_grow(void *block, size_t n, size_t size);
char *papi_compare_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* One line on standard error, escaped. */
void papi_compare_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The whole file, with a 0 behind it; NULL after a message. */
char *papi_compare_load(const char *path, size_t *length);

/* ---- read.c ---- */

/* False after a message. */
bool papi_compare_read(struct compare_side *side, const char *path);

/* ---- limits.c: mistakes end the program after a message. ---- */

void papi_compare_limits_add(struct compare_limits *limits, const char *text);
void papi_compare_limits_read(struct compare_limits *limits, const char *path);

/* ---- differences.c ---- */

void papi_compare_differences(struct compare_result *result);
void papi_compare_note(struct compare_result *result, char *note);

/* ---- judge.c ---- */

void papi_compare_judge(struct compare_result *result, const struct compare_limits *limits);
/* A reason why something cannot be compared. Takes the text over. */
void papi_compare_trouble(struct compare_result *result, char *text);
/* In percent of the count before; NAN where that is 0. */
double papi_compare_percent(const struct compare_pair *pair);
/* "over", "more": for programs. */
const char *papi_compare_verdict(const struct compare_pair *pair);
/* "over 1%", "within noise": for people; for the caller to free. */
char *papi_compare_verdict_text(const struct compare_pair *pair);
/* "2 limits are exceeded": for the caller to free. */
char *papi_compare_conclusion(const struct compare_result *result);
/* As people read it: nanoseconds as milliseconds, digits in groups, a sign where asked for. */
void papi_compare_count_text(char *text, size_t size, long long count, const char *unit, bool sign);
/* "+0.114%"; "" where there is none. */
void papi_compare_change_text(char *text, size_t size, const struct compare_pair *pair);

/* ---- functions.c ---- */

/* Adds the functions to pairs that have changed, from two profiles. */
void papi_compare_functions(struct compare_result *result, const char *before, const char *after);
/* "+600,000 in step (solver.c:10)": for the caller to free. */
char *papi_compare_function_text(const struct compare_pair *pair, const struct compare_function *function);

/* ---- table.c, data.c, github.c ---- */

void papi_compare_table(const struct compare_result *result);
void papi_compare_data(const struct compare_result *result);
/* Lines of the table are in between, so that nothing in them is taken for a command to GitHub. */
void papi_compare_github_mute(void);
void papi_compare_github_unmute(void);
/* False where the summary cannot be written, after a message. */
bool papi_compare_github(const struct compare_result *result);

#endif
