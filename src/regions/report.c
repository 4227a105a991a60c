/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PAPI_REPORT: the regions on standard output, a block for each, the threads of the process added up. What there is to
 * say about many processes, papi_hl_output_writer says.
 */
#include "regions/regions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "linux/time/clock.h"

/* Where the numbers of a line begin, within 80 columns. */
enum { NAME_COLUMNS = 42 };

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

/* Names of regions may be anything, and terminals obey control characters. */
static void put_name(FILE *stream, int indent, int width, const char *name)
{
	const unsigned char *text = (const unsigned char *)name;
	int length = 0;

	fprintf(stream, "%*s", indent, "");
	for (; *text; text++, length++) {
		bool control = *text < 0x20 || *text == 0x7f || (text[0] == 0xc2 && text[1] >= 0x80 && text[1] < 0xa0);

		text += control && *text == 0xc2;
		putc(control ? '?' : *text, stream);
	}
	fprintf(stream, "%*s", width > length ? width - length : 0, "");
}

/* What stands before a kind of which counts are worth less than they look; the legend explains it. */
static const struct {
	const char *kind, *mark, *meaning;
} legend[] = {
	{ "modelled", "[m]", "modelled: compares versions of a program well, no measure of this processor" },
	{ "estimated", "[e]",
		"estimated: counted for a part of the time, or simulated for a part of the caches, and scaled up" },
	{ "sampled", "[s]", "sampled: estimated from samples" },
	{ "affected", "[a]", "affected: includes what the counting itself does" },
};

static const char *mark_of(const char *kind)
{
	for (size_t i = 0; i < sizeof(legend) / sizeof(legend[0]); i++)
		if (strcmp(legend[i].kind, kind) == 0)
			return legend[i].mark;
	return "";
}

/* A line of the report. whole: what all regions at the top have together, 0 where the share of that says nothing. */
struct line {
	const char *name, *value, *unit, *mark;
	long long part, whole;
};

static void put_line(FILE *stream, int indent, const struct line *line)
{
	int room = NAME_COLUMNS - indent;
	char share[16] = "", tail[96];
	size_t length;

	if (line->whole > 0)
		snprintf(share, sizeof(share), "%.1f%%", 100 * (double)line->part / (double)line->whole);
	put_name(stream, indent, room, line->name);
	if ((int)strlen(line->name) >= room)
		fprintf(stream, "\n%*s", NAME_COLUMNS, "");
	length = (size_t)snprintf(
		tail, sizeof(tail), "%19s %-6.31s %7s %s", line->value, line->unit, share, line->mark);
	while (tail[length - 1] == ' ')
		length--;
	fprintf(stream, "%.*s\n", (int)length, tail);
}

static void put_count(FILE *stream, int indent, const struct row *row, const struct papi_region_sums *whole, unsigned i)
{
	const struct papi_region_event *event = &papi_region_events.events[i];
	bool time = strcmp(event->units, "ns") == 0;
	char text[32] = "-";
	struct line line = {
		.name = event->name, .value = text, .unit = time ? "ms" : event->units, .mark = mark_of(event->kind)
	};

	/* Last values of several threads add up to nothing. */
	if (row->sums.instances != row->sums.uncounted && (!event->instant || row->threads == 1)) {
		grouped(time ? row->sums.values[i] / 1000000 : row->sums.values[i], text);
		if (time)
			snprintf(text + strlen(text), sizeof(text) - strlen(text), ".%03lld",
				llabs(row->sums.values[i] / 1000 % 1000));
		line.part = row->sums.values[i];
		line.whole = event->instant ? 0 : whole->values[i];
	}
	put_line(stream, indent, &line);
}

static void put_row(FILE *stream, const struct row *row, const struct papi_region_sums *whole)
{
	int indent = row->depth < 16 ? (int)row->depth * 2 : 32;
	char text[32];
	struct line line = { .name = "instances", .value = text, .unit = "", .mark = "" };

	put_name(stream, indent, 0, row->name);
	putc('\n', stream);
	grouped((long long)row->sums.instances, text);
	put_line(stream, indent + 2, &line);
	if (row->threads > 1) {
		line.name = "threads";
		grouped(row->threads, text);
		put_line(stream, indent + 2, &line);
	}
	line.name = "cycles of the clock";
	grouped(papi_clock_to_cycles(row->sums.real_ns), text);
	put_line(stream, indent + 2, &line);
	snprintf(text, sizeof(text), "%.6f", (double)row->sums.real_ns * 1e-9);
	line = (struct line){ .name = papi_region_events.slowed ? "real time, slowed by counting" : "real time",
		.value = text,
		.unit = "s",
		.mark = "",
		.part = row->sums.real_ns,
		.whole = whole->real_ns };
	put_line(stream, indent + 2, &line);
	for (unsigned i = 0; i < papi_region_events.n; i++)
		put_count(stream, indent + 2, row, whole, i);
}

static void put_tree(FILE *stream, const struct row rows[], int n, int parent, const struct papi_region_sums *whole)
{
	for (int i = 0; i < n; i++) {
		if (rows[i].parent != parent)
			continue;
		put_row(stream, &rows[i], whole);
		put_tree(stream, rows, n, i, whole);
	}
}

/* What the regions at the top have together, of which shares are taken. */
static void put_rows(FILE *stream, const struct row rows[], int n)
{
	struct papi_region_sums whole = { .values = calloc(papi_region_events.n + 1, sizeof(whole.values[0])) };

	for (int i = 0; i < n && whole.values; i++) {
		if (rows[i].parent >= 0)
			continue;
		whole.real_ns += rows[i].sums.real_ns;
		for (unsigned j = 0; j < papi_region_events.n; j++)
			whole.values[j] += rows[i].sums.values[j];
	}
	if (whole.values)
		put_tree(stream, rows, n, -1, &whole);
	free(whole.values);
}

static void put_legend(FILE *stream)
{
	fputs("%: of all regions that are in no other\n", stream);
	for (size_t i = 0; i < sizeof(legend) / sizeof(legend[0]); i++) {
		for (unsigned j = 0; j < papi_region_events.n; j++) {
			if (strcmp(papi_region_events.events[j].kind, legend[i].kind) != 0)
				continue;
			fprintf(stream, "%s %s\n", legend[i].mark, legend[i].meaning);
			break;
		}
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
	fprintf(stream, ", %u thread%s\n", result->n, result->n == 1 ? "" : "s");
	put_rows(stream, rows, n);
	put_legend(stream);
	fflush(stream);
	for (int i = 0; i < n; i++)
		free(rows[i].sums.values);
	free(rows);
}
