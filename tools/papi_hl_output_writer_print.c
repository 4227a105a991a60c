/* SPDX-License-Identifier: BSD-3-Clause */
/* papi_hl_output_writer_print.c - the run as a table of 80 columns and as CSV (RFC 4180). */
#include <string.h>

#include "papi_hl_output_writer.h"

enum { WIDTH = 80, COLUMN = 13, DEEPEST = 8 };

/* ---- Numbers ---- */

/*
 * In at most 12 characters, so that two numbers never touch: what is too long loses decimals, then becomes a power of
 * ten. "-" where there is none.
 */
static const char *number(long double value, bool integral, char text[48])
{
	int decimals = !integral ? 6 : value == floorl(value) ? 0 : 1;

	if (isnan(value))
		return "-";
	if (!integral && value != 0 && fabsl(value) < 1e-4L)
		decimals = -1;
	for (; decimals >= 0; decimals--)
		if (snprintf(text, 48, "%.*Lf", decimals, value) < COLUMN)
			return text;
	snprintf(text, 48, "%.4Le", value);
	return text;
}

static bool is_integral(const struct writer_quantity *quantity)
{
	return quantity->kind != WRITER_SECONDS && quantity->kind != WRITER_RATE;
}

/* "name (unit)" */
static const char *title(const struct writer_quantity *quantity, char *text, size_t size)
{
	if (*quantity->unit)
		snprintf(text, size, "%s (%s)", quantity->name, quantity->unit);
	else
		snprintf(text, size, "%s", quantity->name);
	return text;
}

/* ---- The table ---- */

/* What does not fit beside the numbers has a line of its own. */
static void put_title(FILE *stream, int indent, const char *text, int columns)
{
	int room = WIDTH - columns * COLUMN - indent;

	if ((int)strlen(text) < room)
		fprintf(stream, "%*s%-*s", indent, "", room, text);
	else
		fprintf(stream, "%*s%s\n%*s", indent, "", text, WIDTH - columns * COLUMN, "");
}

static void put_statistics(FILE *stream, const struct writer_run *run, const struct writer_region *region,
	enum writer_type type, int indent)
{
	for (unsigned i = 0; i < run->n_quantities; i++) {
		const struct writer_quantity *quantity = &run->quantities[i];
		struct writer_statistic all = writer_statistic(region, quantity);
		bool integral = is_integral(quantity);
		char text[48], name[160];

		/* A thread that is alone has a last value. */
		if (quantity->kind == WRITER_EVENT && quantity->no_total && all.n == 1)
			all.total = all.maximum;
		put_title(stream, indent, title(quantity, name, sizeof(name)), type == WRITER_SUMMARY ? 4 : 1);
		fprintf(stream, "%*s", COLUMN, number(all.total, integral, text));
		if (type == WRITER_SUMMARY) {
			fprintf(stream, "%*s", COLUMN, number(all.minimum, integral, text));
			fprintf(stream, "%*s", COLUMN, number(all.median, integral, text));
			fprintf(stream, "%*s", COLUMN, number(all.maximum, integral, text));
		}
		fputc('\n', stream);
	}
}

static void put_samples(FILE *stream, const struct writer_run *run, const struct writer_region *region, int indent)
{
	for (unsigned i = 0; i < region->n; i++) {
		const struct writer_sample *sample = &region->samples[i];
		const struct writer_file *file = &run->files[sample->file];

		fprintf(stream, "%*srank %s, thread %s\n", indent, "", file->label, file->threads[sample->thread]);
		for (unsigned j = 0; j < run->n_quantities; j++) {
			char text[48], name[160];

			put_title(stream, indent + 2, title(&run->quantities[j], name, sizeof(name)), 1);
			fprintf(stream, "%*s\n", COLUMN,
				number(writer_value(sample, &run->quantities[j]), is_integral(&run->quantities[j]),
					text));
		}
	}
}

static void put_tree(FILE *stream, const struct writer_run *run, enum writer_type type, int parent)
{
	for (unsigned i = 0; i < run->n_regions; i++) {
		const struct writer_region *region = &run->regions[i];
		int indent = 2 * (int)(region->depth < DEEPEST ? region->depth : DEEPEST);

		if (region->parent != parent)
			continue;
		fprintf(stream, "%*s%s\n", indent, "", region->name);
		if (type == WRITER_DETAIL)
			put_samples(stream, run, region, indent + 2);
		else
			put_statistics(stream, run, region, type, indent + 2);
		put_tree(stream, run, type, (int)i);
	}
}

/* "solver: 2 ranks, 4 threads"; the directory of the program, as long as it likes, is in the files. */
static void put_heading(FILE *stream, const struct writer_run *run)
{
	unsigned threads = writer_threads(run);

	if (run->program) {
		const char *slash = strrchr(run->program, '/');

		fprintf(stream, "%s: ", slash ? slash + 1 : run->program);
	}
	fprintf(stream, "%u rank%s, %u thread%s\n", run->n_files, run->n_files == 1 ? "" : "s", threads,
		threads == 1 ? "" : "s");
}

void writer_print_table(FILE *stream, const struct writer_run *run, enum writer_type type)
{
	unsigned multiplexed = 0;

	for (unsigned i = 0; i < run->n_events; i++)
		multiplexed += run->events[i].multiplexed;
	put_heading(stream, run);
	if (multiplexed)
		fputs("Counts are estimates: the events were multiplexed.\n", stream);
	fputc('\n', stream);
	if (type == WRITER_SUMMARY)
		fprintf(stream, "%-*s%*s%*s%*s%*s\n", WIDTH - 4 * COLUMN, "Region", COLUMN, "Total", COLUMN, "Minimum",
			COLUMN, "Median", COLUMN, "Maximum");
	else
		fprintf(stream, "%-*s%*s\n", WIDTH - COLUMN, "Region", COLUMN,
			type == WRITER_DETAIL ? "Value" : "Total");
	put_tree(stream, run, type, -1);
}

/* ---- CSV ---- */

static void put_text(FILE *stream, const char *text)
{
	if (!text[strcspn(text, "\",\r\n")]) {
		fputs(text, stream);
		return;
	}
	fputc('"', stream);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', stream);
		fputc(*text, stream);
	}
	fputc('"', stream);
}

/* main/solve/norm */
static char *path_of(const struct writer_run *run, const struct writer_region *region)
{
	char *path = writer_copy(region->name);

	while (region->parent >= 0) {
		const char *inner = path;
		size_t size;

		region = &run->regions[region->parent];
		size = strlen(region->name) + strlen(inner) + 2;
		path = writer_grow(NULL, size, 1);
		snprintf(path, size, "%s/%s", region->name, inner);
	}
	return path;
}

/* All digits, nothing where there is no number. */
static void put_number(FILE *stream, long double value)
{
	if (isnan(value))
		return;
	if (value == floorl(value) && fabsl(value) < 1e19L)
		fprintf(stream, "%.0Lf", value);
	else
		fprintf(stream, "%.9Lg", value);
}

static void put_summary_lines(FILE *stream, const struct writer_run *run, enum writer_type type)
{
	fputs(type == WRITER_SUMMARY ? "region,quantity,unit,threads,total,minimum,median,maximum\r\n"
				     : "region,quantity,unit,threads,total\r\n",
		stream);
	for (unsigned i = 0; i < run->n_regions; i++) {
		const char *path = path_of(run, &run->regions[i]);

		for (unsigned j = 0; j < run->n_quantities; j++) {
			struct writer_statistic all = writer_statistic(&run->regions[i], &run->quantities[j]);
			const long double numbers[] = { all.total, all.minimum, all.median, all.maximum };

			put_text(stream, path);
			fputc(',', stream);
			put_text(stream, run->quantities[j].name);
			fputc(',', stream);
			put_text(stream, run->quantities[j].unit);
			fprintf(stream, ",%u", all.n);
			for (unsigned k = 0; k < (type == WRITER_SUMMARY ? 4 : 1); k++) {
				fputc(',', stream);
				put_number(stream, numbers[k]);
			}
			fputs("\r\n", stream);
		}
	}
}

static void put_sample_lines(FILE *stream, const struct writer_run *run)
{
	char name[160];

	fputs("region,rank,thread", stream);
	for (unsigned j = 0; j < run->n_quantities; j++) {
		fputc(',', stream);
		put_text(stream, title(&run->quantities[j], name, sizeof(name)));
	}
	fputs("\r\n", stream);
	for (unsigned i = 0; i < run->n_regions; i++) {
		const char *path = path_of(run, &run->regions[i]);

		for (unsigned k = 0; k < run->regions[i].n; k++) {
			const struct writer_sample *sample = &run->regions[i].samples[k];

			put_text(stream, path);
			fputc(',', stream);
			put_text(stream, run->files[sample->file].label);
			fputc(',', stream);
			put_text(stream, run->files[sample->file].threads[sample->thread]);
			for (unsigned j = 0; j < run->n_quantities; j++) {
				fputc(',', stream);
				put_number(stream, writer_value(sample, &run->quantities[j]));
			}
			fputs("\r\n", stream);
		}
	}
}

void writer_print_csv(FILE *stream, const struct writer_run *run, enum writer_type type)
{
	if (type == WRITER_DETAIL)
		put_sample_lines(stream, run);
	else
		put_summary_lines(stream, run, type);
}
