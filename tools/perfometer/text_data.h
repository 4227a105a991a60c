/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a view of perfometer in a terminal knows: the messages of a journal or a recording (doc/perfometer.md), line by
 * line, put away as counts of intervals. Interval i is the time from sample i - 1 to sample i; what is not known of it
 * is NaN, and is guessed nowhere. The oldest samples go when there are too many.
 *
 * The data own all that is in them, texts too; pointers to lanes are valid until the next message. One thread.
 */
#ifndef PAPI_PERFOMETER_TEXT_DATA_H
#define PAPI_PERFOMETER_TEXT_DATA_H

#include <stdbool.h>
#include <stddef.h>

#include "text_bands.h"

struct papi_text_event {
	char *name, *kind, *unit;
	bool metric, counted; /* counted: asked for by the newest schema */
};

/* Of one lane and event. */
struct papi_text_column {
	double *counts;             /* of metrics: values */
	size_t start, number, room; /* counts[k] is that of sample start + k */
	long long total;            /* the newest that is known */
	size_t sample;              /* of that total; SIZE_MAX: not known what came next */
	bool known;                 /* there is one */
};

struct papi_text_lane {
	long long id;
	char *name;
	bool whole, ended;
	double begin, end;
	struct papi_text_column *columns; /* of each event up to n_columns */
	size_t n_columns;
	struct papi_text_bands bands;
};

struct papi_text_data {
	char *program, *state; /* state: why it ended; NULL: it goes on */
	char *notice;          /* the newest that is no mere remark */
	bool stopped;          /* the program, by a signal */
	struct papi_text_event *events;
	size_t n_events;
	size_t *counted, n_counted; /* events of the newest schema, in the order of the samples' values */
	long long serial;
	struct papi_text_lane *lanes; /* whole programs first */
	size_t n_lanes;
	struct papi_text_bands everywhere; /* of all lanes */
	double *times;
	size_t n_samples, room;
	size_t values; /* in all columns */
	size_t odd;    /* messages that were malformed */
};

void papi_text_data_begin(struct papi_text_data *data);
void papi_text_data_end(struct papi_text_data *data);

/* A message. Unknown ones are skipped, malformed ones are counted. */
void papi_text_data_take(struct papi_text_data *data, const char *line, size_t length);

/* Of an interval: what was counted, the value of a metric, or NaN. */
double papi_text_data_count(const struct papi_text_data *data, size_t lane, size_t event, size_t sample);

/* The newest total. False: none is known. */
bool papi_text_data_total(const struct papi_text_data *data, size_t lane, size_t event, long long *total);

#endif
