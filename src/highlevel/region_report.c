/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PAPI_REPORT: the regions on standard output, a block for each, the threads of the process added up. What there is to
 * say about many processes, papi_hl_output_writer says.
 */
#include "highlevel/regions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "linux/clock.h"

/* A region as all threads that had it saw it: the same names on the way to it. */
struct row {
	const char *name;
	int parent; /* row, -1 */
	unsigned depth, threads;
	struct papi_region_sums sums;
};

static int find_row(const struct row rows[], int n, int parent, const char *name)
{
	for (int i = 0; i < n; i++)
		if (rows[i].parent == parent && strcmp(rows[i].name, name) == 0)
			return i;
	return n;
}

static void add(struct row *row, const struct papi_region *region, const struct papi_region_tree *tree)
{
	row->threads++;
	row->sums.instances += region->sums.instances;
	row->sums.uncounted += region->sums.uncounted;
	row->sums.real_ns += region->sums.real_ns;
	for (unsigned i = 0; i < tree->n_events; i++)
		row->sums.values[i] += region->sums.values[i];
}

/*
 * The rows of a thread's regions: a region comes after the one it is in, so that one's row is known. False: no
 * memory.
 */
static bool add_thread(struct row rows[], int *n, const struct papi_region_tree *tree)
{
	int *row_of = malloc((tree->n + 1) * sizeof(*row_of));

	for (unsigned i = 0; row_of && i < tree->n; i++) {
		const struct papi_region *region = &tree->regions[i];
		int parent = region->parent < 0 ? -1 : row_of[region->parent];
		int at = row_of[i] = find_row(rows, *n, parent, region->name);

		if (at == *n) {
			rows[at] = (struct row){
				.name = region->name, .parent = parent, .depth = parent < 0 ? 0 : rows[parent].depth + 1
			};
			rows[at].sums.values = calloc(tree->n_events + 1, sizeof(rows[at].sums.values[0]));
			if (!rows[at].sums.values)
				break;
			++*n;
		}
		add(&rows[at], region, tree);
	}
	free(row_of);
	return row_of;
}

/* 1234567 as 1,234,567. */
static const char *grouped(long long value, char text[32])
{
	char digits[24];
	int length = snprintf(digits, sizeof(digits), "%lld", value), used = 0;

	for (int i = 0; i < length; i++) {
		if (i > (value < 0) && (length - i) % 3 == 0)
			text[used++] = ',';
		text[used++] = digits[i];
	}
	text[used] = '\0';
	return text;
}

static void put_line(FILE *stream, int indent, const char *name, const char *value, const char *unit)
{
	int room = 52 - indent;

	if ((int)strlen(name) > room)
		fprintf(stream, "%*s%s\n%*s%25s%s%s\n", indent, "", name, 53, "", value, *unit ? " " : "", unit);
	else
		fprintf(stream, "%*s%-*s %22s%s%s\n", indent, "", room, name, value, *unit ? " " : "", unit);
}

static void put_row(FILE *stream, const struct row *row)
{
	int indent = row->depth < 16 ? (int)row->depth * 2 : 32;
	char text[32];

	fprintf(stream, "%*s%s\n", indent, "", row->name);
	put_line(stream, indent + 2, "instances", grouped((long long)row->sums.instances, text), "");
	if (row->threads > 1)
		put_line(stream, indent + 2, "threads", grouped(row->threads, text), "");
	snprintf(text, sizeof(text), "%.6f", (double)row->sums.real_ns * 1e-9);
	put_line(stream, indent + 2, "real time", text, "s");
	put_line(stream, indent + 2, "cycles of the clock", grouped(papi_clock_to_cycles(row->sums.real_ns), text), "");
	for (unsigned i = 0; i < papi_region_events.n; i++) {
		const struct papi_region_event *event = &papi_region_events.events[i];

		/* Last values of several threads add up to nothing. */
		if (row->sums.instances == row->sums.uncounted || (event->instant && row->threads > 1))
			put_line(stream, indent + 2, event->name, "-", "");
		else
			put_line(stream, indent + 2, event->name, grouped(row->sums.values[i], text), event->units);
	}
}

static void put_tree(FILE *stream, const struct row rows[], int n, int parent)
{
	for (int i = 0; i < n; i++) {
		if (rows[i].parent != parent)
			continue;
		put_row(stream, &rows[i]);
		put_tree(stream, rows, n, i);
	}
}

void papi_region_report(FILE *stream, const struct papi_region_result *result)
{
	struct row *rows;
	size_t most = 0;
	int n = 0;

	for (unsigned i = 0; i < result->n; i++)
		most += result->threads[i].tree.n;
	rows = calloc(most + 1, sizeof(*rows));
	for (unsigned i = 0; rows && i < result->n; i++)
		if (!add_thread(rows, &n, &result->threads[i].tree))
			break;
	fprintf(stream, "\nPAPI regions of %s", program_invocation_short_name);
	if (papi_region_run.rank >= 0)
		fprintf(stream, ", rank %ld", papi_region_run.rank);
	fprintf(stream, ", %u thread%s%s\n", result->n, result->n == 1 ? "" : "s",
		papi_region_events.multiplex ? "; counts are estimates (multiplexed)" : "");
	if (rows)
		put_tree(stream, rows, n, -1);
	fflush(stream);
	for (int i = 0; i < n; i++)
		free(rows[i].sums.values);
	free(rows);
}
