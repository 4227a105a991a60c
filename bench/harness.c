/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How time is measured on a machine that has other things to do.
 *
 * The two sides of a comparison take turns. One turn is SLICE long, well below the time slice of the scheduler, so
 * that most turns are not interrupted at all; who goes first changes from round to round. Each round gives one ratio,
 * and the median of the ratios is what counts: it is not moved by the rounds that something fell into, as long as these
 * are fewer than half. The quartiles tell how far rounds differ.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

#define SLICE 100000.0 /* nanoseconds */

bool bench_wants(const struct bench *bench, const char *name)
{
	return !bench->filter || strstr(name, bench->filter);
}

bool bench_wants_group(const struct bench *bench, const char *prefix)
{
	return bench_wants(bench, prefix) || !strncmp(bench->filter, prefix, strlen(prefix));
}

struct bench_row *bench_add_row(struct bench *bench, const char *name, const char *text, const char *baseline_text)
{
	static const struct bench_row unknown = {
		.ours = NAN,
		.baseline = NAN,
		.ratio = NAN,
		.ratio_low = NAN,
		.ratio_high = NAN,
		.limit = NAN,
		.calls = NAN,
		.baseline_calls = NAN,
	};
	struct bench_row *rows = realloc(bench->rows, (bench->n_rows + 1) * sizeof(*rows)), *row;

	if (!rows)
		bench_die("no memory for a result");
	bench->rows = rows;
	row = &rows[bench->n_rows++];
	*row = unknown;
	snprintf(row->name, sizeof(row->name), "%s%s", bench->prefix, name);
	snprintf(row->text, sizeof(row->text), "%s", text);
	snprintf(row->baseline_text, sizeof(row->baseline_text), "%s", baseline_text);
	return row;
}

static int compare(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

static double quantile(const double sorted[], size_t n, double share)
{
	double position = share * (double)(n - 1);
	size_t below = (size_t)position;

	if (below + 1 >= n)
		return sorted[n - 1];
	return sorted[below] + (position - (double)below) * (sorted[below + 1] - sorted[below]);
}

double bench_median(double values[], size_t n)
{
	qsort(values, n, sizeof(*values), compare);
	return quantile(values, n, 0.5);
}

void bench_summarize(struct bench_row *row, double ours[], double baseline[], double ratios[], size_t n)
{
	row->ours = bench_median(ours, n);
	row->baseline = bench_median(baseline, n);
	row->ratio = bench_median(ratios, n);
	row->ratio_low = quantile(ratios, n, 0.25);
	row->ratio_high = quantile(ratios, n, 0.75);
}

/* How often one side runs in a turn: the same for both, and so that the slower one fills its slice. */
static size_t calibrate(const struct bench_pair *pair)
{
	size_t times = 1;

	for (;;) {
		double ours = pair->operation(pair->subject, times);
		double baseline = pair->baseline(pair->baseline_subject, times);
		double longer = ours > baseline ? ours : baseline;

		if (longer > SLICE / 4) {
			double fitting = (double)times * SLICE / longer;

			return fitting < 1 ? 1 : (size_t)fitting;
		}
		times *= 2;
	}
}

void bench_measure(const struct bench *bench, const struct bench_pair *pair, struct bench_row *row)
{
	double *samples = calloc(3 * (size_t)bench->rounds, sizeof(*samples));
	double *ours = samples, *baseline = ours + bench->rounds, *ratios = baseline + bench->rounds;
	size_t times;

	if (!samples)
		bench_die("no memory for %u rounds", bench->rounds);
	times = calibrate(pair);
	for (unsigned i = 0; i < bench->rounds; i++) {
		double first = 0, second;

		if (i & 1)
			first = pair->operation(pair->subject, times);
		second = pair->baseline(pair->baseline_subject, times);
		if (!(i & 1))
			first = pair->operation(pair->subject, times);
		ours[i] = first / (double)times;
		baseline[i] = second / (double)times;
		ratios[i] = first / second;
	}
	bench_summarize(row, ours, baseline, ratios, bench->rounds);
	free(samples);
}

void bench_each_case(bool (*visit)(const struct bench_case *one, void *data), void *data)
{
	const struct bench_case *const tables[] = { bench_counting_cases, bench_setup_cases, bench_timer_cases };

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		for (const struct bench_case *one = tables[i]; one->name; one++)
			if (!visit(one, data))
				return;
}

struct search {
	const char *name;
	const struct bench_case *found;
};

static bool look_at(const struct bench_case *one, void *data)
{
	struct search *search = data;

	if (strcmp(one->name, search->name) != 0)
		return true;
	search->found = one;
	return false;
}

const struct bench_case *bench_find_case(const char *name)
{
	struct search search = { .name = name };

	bench_each_case(look_at, &search);
	return search.found;
}

/* The calls are counted in a process of their own, where nothing else happens. */
static void count_calls(const struct bench_case *one, struct bench_row *row)
{
	const char *const arguments[] = { "trace", one->name, NULL };
	struct bench_trace trace;
	char why[sizeof(row->missing)];

	if (!bench_trace(arguments, &trace, why, sizeof(why)))
		return;
	row->calls = trace.calls[0];
	row->baseline_calls = trace.calls[1];
}

static bool against_kernel(const struct bench_case *one, void *data)
{
	static struct bench_subject subject;
	struct bench *bench = data;
	struct bench_row *row;

	if (!bench_wants(bench, one->name))
		return true;
	row = bench_add_row(bench, one->name, one->text, one->baseline_text);
	row->limit = one->limit > 0 ? one->limit : NAN;
	row->absolute = one->absolute;
	if (!bench_subject_open(&subject, &bench_ours, one->needs, row->missing, sizeof(row->missing)))
		return true;
	bench_measure(bench, &(struct bench_pair){ one->operation, one->baseline, &subject, &subject }, row);
	bench_subject_close(&subject);
	count_calls(one, row);
	return true;
}

struct contest {
	struct bench *bench;
	const struct bench_api *peer;
};

static bool against_peer(const struct bench_case *one, void *data)
{
	static struct bench_subject ours, theirs;
	struct contest *contest = data;
	struct bench *bench = contest->bench;
	struct bench_row *row;

	if (one->no_peer || !bench_wants(bench, one->name))
		return true;
	row = bench_add_row(bench, one->name, one->text, "the peer's");
	if (!bench_subject_open(&ours, &bench_ours, one->needs, row->missing, sizeof(row->missing)))
		return true;
	if (bench_subject_open(&theirs, contest->peer, one->needs, row->missing, sizeof(row->missing))) {
		bench_measure(bench, &(struct bench_pair){ one->operation, one->operation, &ours, &theirs }, row);
		bench_subject_close(&theirs);
	}
	bench_subject_close(&ours);
	return true;
}

void bench_run_cases(struct bench *bench, const struct bench_api *peer)
{
	if (peer)
		bench_each_case(against_peer, &(struct contest){ bench, peer });
	else
		bench_each_case(against_kernel, bench);
}
