/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Metrics: numbers with a meaning, by formulas over counts; in groups, which files of text define.
 *
 *	metric_file.c  reads such a file, with the lines and terms of the files that define events
 *	table.c        the groups there are: built in, of PAPI_METRICS_FILE, and loaded by a program
 *	resolve.c      chooses of each metric the first of its ways that can be counted here, and flattens its formula
 *	value.c        from counts to values, to text, and to what the rules of a group say about them
 *
 * A metric has one or several ways of being counted, a line of a file each. A way is a formula over terms: events,
 * other metrics, and the word "seconds", the elapsed time. Metrics among the terms are replaced by their formulas, so
 * that a chosen way is one formula over events.
 *
 * Groups are never changed once they are read, and live until PAPI_shutdown(); those of one name that are read later
 * hide the earlier ones. The choice of ways is kept, too.
 *
 * All functions expect the library lock, held for writing. None is for signal handlers.
 */
#ifndef PAPI_METRICS_METRICS_H
#define PAPI_METRICS_METRICS_H

#include <stdbool.h>
#include <stddef.h>

#include "events/formula.h"
#include "papi.h"

/* A file that has more is no file of metrics. */
#define PAPI_METRIC_GROUPS    256
#define PAPI_METRICS_OF_GROUP 256

/* The file of the groups that the library has: an obstacle there is the machine's, and no line is to blame. */
#define PAPI_METRIC_BUILT_IN "built-in metrics"

/* The elapsed time, as a term. */
#define PAPI_METRIC_SECONDS "seconds"

/* Where in a file something is said, for what is found to be wrong with it later. */
struct papi_metric_place {
	const char *file; /* the group's */
	unsigned line;
	int column;
};

struct papi_metric_term {
	char *name;
	int column;
};

/* One way to count a metric. */
struct papi_metric_way {
	struct papi_metric_place place; /* of the formula */
	char *text;
	struct papi_formula *formula; /* term k is terms[k] */
	struct papi_metric_term *terms;
	unsigned n_terms;
	/* When it has been chosen: the same with metrics put in, over names of events. */
	struct papi_formula *flat;
	char **events;
	unsigned n_events;
};

enum papi_metric_state { PAPI_METRIC_NEW, PAPI_METRIC_ON_THE_WAY, PAPI_METRIC_CHOSEN, PAPI_METRIC_IMPOSSIBLE };

struct papi_metric {
	char *name, *unit, *title, *description;
	struct papi_metric_way *ways;
	unsigned n_ways;
	enum papi_metric_state state;
	unsigned chosen;  /* of its ways */
	char *why;        /* it cannot be counted */
	unsigned *places; /* of the events of its flat formula: 0 is the time, n the event n - 1 of the group */
	const struct papi_metric *seen; /* by the search for a circle through that one */
	const char *worth;              /* that of its events which is worth least */
};

/* That a metric is above or below a threshold. */
struct papi_metric_condition {
	int column;
	char *name;
	unsigned metric;
	bool above;
	double threshold;
};

/* What stands out when all conditions hold. The first is the one that the sentence is about. */
#define PAPI_METRIC_CONDITIONS 2
struct papi_metric_rule {
	unsigned line;
	struct papi_metric_condition conditions[PAPI_METRIC_CONDITIONS];
	unsigned n_conditions;
	char *sentence;
};

struct papi_metric_event {
	char *name;
	int code;
	double scale; /* from its counts to the unit that it is told in: 1e-9 for nanoseconds */
	const char *kind;
	bool is_virtual;
};

struct papi_metric_group {
	char *name, *description, *file;
	struct papi_metric *metrics;
	unsigned n_metrics;
	struct papi_metric_rule *rules;
	unsigned n_rules;
	bool resolved;
	struct papi_metric_event *events; /* of all metrics that were chosen, each once */
	unsigned n_events;
};

/* ---- table.c ---- */

/* Reads the built-in groups and those of PAPI_METRICS_FILE, once; cheap afterwards. */
void papi_metrics_load(void);
/* Adds the groups of a file. Good lines count, whatever others are like; the result is that of the first bad one. */
int papi_metrics_read(const char *path);
/* A group by its number, from 0, and by name; NULL with the reason in the detail. */
struct papi_metric_group *papi_metrics_group(int number);
struct papi_metric_group *papi_metrics_find(const char *name, int *number);
unsigned papi_metrics_number(void);
/* The metric of that name: of the group, or else of the others, the last first; NULL when there is none. */
struct papi_metric *papi_metrics_lookup(
	struct papi_metric_group *group, const char *name, struct papi_metric_group **owner);
void papi_metrics_clear(void);

/* For metric_file.c: takes an empty group in, NULL when there is no memory. */
struct papi_metric_group *papi_metrics_append(const char *name, const char *description, const char *file);

/* ---- metric_file.c ---- */

/*
 * Reads a text of groups into the table. problem is called for each line that is wrong, with the reason in the detail;
 * the line loses what it defines, and nothing else.
 */
void papi_metric_file_parse(const char *file, const char *text, size_t length, void (*problem)(void *data), void *data);

/* ---- resolve.c ---- */

/* Chooses the ways of all metrics of the group, once. PAPI_ENOMEM, or PAPI_OK, whatever can be counted of it. */
int papi_metrics_resolve(struct papi_metric_group *group);
/* Whether a metric is made of itself, which its place in the detail says. */
bool papi_metrics_is_circular(struct papi_metric_group *group, struct papi_metric *metric);

/* The worse of two kinds of counts: no more is worth what both are needed for. */
const char *papi_metric_worse(const char *one, const char *other);

/* ---- value.c ---- */

/*
 * The values of all metrics: counts[] are those of the group's events, NaN where there is none; seconds NaN: not known.
 * A value is NaN where the metric cannot be counted, or divides by zero.
 */
int papi_metrics_evaluate(
	const struct papi_metric_group *group, const double counts[], double seconds, double values[]);
/* "12.5 %", "3.21 GB/s", "n/a". */
void papi_metric_text(const struct papi_metric *metric, double value, char *text, size_t size);
/* How many times the value is beyond the first threshold of a rule, and the sentence; 0: the rule does not hold. */
double papi_metric_finding(const struct papi_metric_group *group, const struct papi_metric_rule *rule,
	const double values[], char *sentence, size_t size);

#endif
