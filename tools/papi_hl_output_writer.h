/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_hl_output_writer: what its files share.
 *
 *	papi_hl_output_writer.c            command line
 *	papi_hl_output_writer_read.c       files of ranks, each a JSON text, into samples
 *	papi_hl_output_writer_data.c       regions, samples, quantities and their statistics
 *	papi_hl_output_writer_metrics.c    metrics
 *	papi_hl_output_writer_roofline.c   regions under the roofs of the machine
 *	papi_hl_output_writer_print.c      table and CSV          papi_hl_output_writer_json.c    JSON
 *
 * A *sample* is what one thread of one rank says about one region. A region is a path of names: the same name inside
 * another region is another region. What PAPI_hl_read() recorded becomes regions "read 1", "read 2" inside the one that
 * was read. A *quantity* is what can be said about a sample: instances, times, events, rates; for all samples of a
 * region there are statistics of it.
 *
 * Numbers are long double, which holds any count exactly; NAN is "not there". Memory is kept until the program ends.
 */
#ifndef PAPI_HL_OUTPUT_WRITER_H
#define PAPI_HL_OUTPUT_WRITER_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "options.h"
#include "papi.h"

struct writer_sample {
	unsigned file, thread; /* positions of the file and, in it, of the thread */
	long double instances, unfinished, uncounted, seconds, cycles;
	long double *values; /* one per event of the run; see writer_value() */
	unsigned n_values;
};

struct writer_region {
	char *name;
	int parent; /* position, -1 */
	unsigned depth;
	struct writer_sample *samples;
	unsigned n, capacity;
};

struct writer_event {
	char *name, *units;
	const char *kind; /* what its counts are worth: the worst that a file says */
	bool instant, multiplexed;
	unsigned in_files;  /* how many count it */
	unsigned last_file; /* the last one that does, + 1 */
};

/* An event that was asked for and not counted, and why: as the first file says that has it. */
struct writer_refusal {
	char *name, *reason;
};

struct writer_file {
	char *path, *label; /* "rank 3", or the number in the file's name */
	char **threads;     /* their ids */
	unsigned n_threads;
};

enum writer_what {
	WRITER_INSTANCES,
	WRITER_UNFINISHED,
	WRITER_UNCOUNTED,
	WRITER_SECONDS,
	WRITER_CYCLES,
	WRITER_EVENT,
	WRITER_RATE,
	WRITER_METRIC
};

struct writer_quantity {
	enum writer_what what;
	const char *name, *unit;
	const char *kind; /* what its values are worth */
	unsigned event;   /* WRITER_EVENT, WRITER_RATE: the numerator; WRITER_METRIC: its number in the group */
	int denominator;  /* WRITER_RATE: event; -1: seconds, also of a metric */
	int group;        /* WRITER_METRIC */
	long double scale;
	bool no_total;
};

struct writer_run {
	struct writer_file *files;
	unsigned n_files;
	struct writer_event *events;
	unsigned n_events;
	struct writer_refusal *refusals;
	unsigned n_refusals;
	struct writer_region *regions;
	unsigned n_regions;
	int *table; /* hash table of regions */
	unsigned table_size;
	struct writer_quantity *quantities;
	unsigned n_quantities;
	char *version, *program, *cpu;
	bool slowed; /* by counting, in a process at least */
	bool has_metrics;
};

/* Over the samples that have the quantity: n of them. */
struct writer_statistic {
	unsigned n;
	long double total, minimum, median, maximum; /* NAN where there is none */
};

enum writer_type { WRITER_SUMMARY, WRITER_ACCUMULATE, WRITER_DETAIL };

extern const struct papi_tool writer_tool;

/* ---- Data ---- */

/* realloc() to n elements, never less than one; ends the program when there is no memory. */
void *writer_grow(void *block, size_t n, size_t size);
char *writer_copy(const char *text);

/* The event of that name, made if it is new; its position. */
unsigned writer_event(struct writer_run *run, const char *name);
/* The region of that name inside parent (-1: at the top), made if it is new; its position. */
int writer_region(struct writer_run *run, int parent, const char *name);
/* Takes the sample and its values over; adds them to what the same thread has said about the region before. */
void writer_add_sample(struct writer_run *run, int region, const struct writer_sample *sample);
/* values that were not set are missing. */
void writer_set_value(struct writer_sample *sample, unsigned event, long double value);

/* When everything is read: what can be said about it. */
void writer_find_quantities(struct writer_run *run, bool rates);
void writer_add_quantity(struct writer_run *run, struct writer_quantity quantity);
/* The position of an event that was counted; -1. */
int writer_find_event(const struct writer_run *run, const char *name);
long double writer_value(
	const struct writer_run *run, const struct writer_sample *sample, const struct writer_quantity *quantity);
struct writer_statistic writer_statistic(
	const struct writer_run *run, const struct writer_region *region, const struct writer_quantity *quantity);
unsigned writer_threads(const struct writer_run *run);
/* The worse of two kinds. A kind that is not known here is worse than all. */
const char *writer_worse(const char *one, const char *other);
/* What all regions that are in no other have of it together; NAN if nothing. */
long double writer_whole(const struct writer_run *run, const struct writer_quantity *quantity);

/* Behind the other quantities, those metrics of the groups whose events were counted. */
void writer_add_metrics(struct writer_run *run, const char *groups);
/* Whether all events of a metric were counted; what they are worth together. */
bool writer_metric_is_counted(
	const struct writer_run *run, int group, const PAPI_metric_info_t *metric, const char **kind);
/* The metric of all these samples together. */
long double writer_metric(const struct writer_run *run, const struct writer_sample *samples, unsigned n,
	const struct writer_quantity *quantity);

/* ---- Input ---- */

/* A file, or all rank_*.json of a directory. False after a message. */
bool writer_read(struct writer_run *run, const char *source);

/* ---- Output ---- */

void writer_print_table(FILE *stream, const struct writer_run *run, enum writer_type type);
void writer_print_csv(FILE *stream, const struct writer_run *run, enum writer_type type);
void writer_print_json(FILE *stream, const struct writer_run *run, enum writer_type type);

/* A picture of all regions, with the times of a run of the same program, which may be this one; it may get regions
 * without samples. False after a message. */
bool writer_draw_roofline(struct writer_run *run, struct writer_run *times, const char *path);

#endif
