/* SPDX-License-Identifier: BSD-3-Clause */
/* papi_hl_output_writer_print.c - the run as a table of 80 columns and as CSV (RFC 4180). */
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "kinds.h"
#include "papi_hl_output_writer.h"
#include "terminal.h"
#include "text.h"

enum { DEEPEST = 8 };

/* Widths of the columns, each with the blank before it: of a total that stands beside three others, and of one
 * alone. */
enum { TOTAL = 15, SHARE = 8, OTHER = 11, TOTAL_ALONE = 22 };

/* A table on its way to a stream. */
struct page {
	FILE *stream;
	const struct writer_run *run;
	enum writer_type type;
	bool coloured;
	int columns; /* width of all but the first */
};

/* What stands behind the name of a quantity whose values are worth less than they look; the legend explains it. */
static const char *mark_of(const char *name)
{
	for (const struct papi_kind *kind = papi_kinds; kind->name; kind++)
		if (strcmp(kind->name, name) == 0)
			return kind->mark;
	return strcmp(name, "exact") == 0 ? "" : "[?]";
}

/* ---- Numbers ---- */

static bool fits(char *text, int width, long double value, int decimals, const char *suffix)
{
	char plain[80], grouped[96];

	snprintf(plain, sizeof(plain), "%.*Lf%s", decimals, value, suffix);
	papi_text_group(grouped, sizeof(grouped), plain);
	if ((int)strlen(grouped) >= width)
		return false;
	memcpy(text, grouped, strlen(grouped) + 1);
	return true;
}

/*
 * In fewer characters than width, so that two numbers never touch: what is too long loses decimals, then becomes one of
 * thousands, millions and so on. "-" where there is none.
 */
static const char *number(long double value, const struct writer_quantity *quantity, int width, char text[48])
{
	static const char *const suffixes[] = { "", " k", " M", " G", " T", " P", " E", " Z", " Y" };
	bool time = quantity->what == WRITER_EVENT && strcmp(quantity->unit, "ns") == 0;
	bool integral = quantity->what != WRITER_SECONDS && quantity->what != WRITER_RATE &&
		quantity->what != WRITER_METRIC;
	int decimals = time ? 3 : !integral ? 6 : value == floorl(value) ? 0 : 1;
	size_t scale = 0;

	if (isnan(value))
		return "-";
	value /= time ? 1e6L : 1;
	if (!integral && value != 0 && fabsl(value) < 1e-4L) {
		snprintf(text, 48, "%.3Le", value);
		return text;
	}
	for (; decimals >= 0; decimals--)
		if (fits(text, width, value, decimals, ""))
			return text;
	while (fabsl(value) >= 999.9995L && scale + 1 < sizeof(suffixes) / sizeof(suffixes[0])) {
		value /= 1000;
		scale++;
	}
	if (!fits(text, width, value, 3, suffixes[scale]))
		snprintf(text, 48, "%.3Le", value);
	return text;
}

/* Nanoseconds are shown as milliseconds. */
static const char *shown_unit(const struct writer_quantity *quantity)
{
	return quantity->what == WRITER_EVENT && strcmp(quantity->unit, "ns") == 0 ? "ms" : quantity->unit;
}

/* "name (unit)" */
static const char *title(const struct writer_quantity *quantity, const char *unit, char *text, size_t size)
{
	if (*unit)
		snprintf(text, size, "%s (%s)", quantity->name, unit);
	else
		snprintf(text, size, "%s", quantity->name);
	return text;
}

/* ---- The table ---- */

static void put_name(const struct page *page, int indent, const char *name)
{
	char *text = writer_copy(name);

	papi_escape_terminal(text);
	fprintf(page->stream, "%*s", indent, "");
	papi_terminal_print(page->stream, page->coloured, PAPI_COLOUR_TITLE, text);
	fputc('\n', page->stream);
	free(text);
}

/* The quantity and its mark; what does not fit beside the numbers has a line of its own. */
static void put_title(const struct page *page, int indent, const struct writer_quantity *quantity)
{
	const char *mark = mark_of(quantity->kind);
	int room = PAPI_TEXT_WIDTH - page->columns - indent, length;
	char text[160];

	title(quantity, shown_unit(quantity), text, sizeof(text));
	papi_escape_terminal(text);
	length = (int)(strlen(text) + strlen(mark)) + (*mark != '\0');
	fprintf(page->stream, "%*s%s%s", indent, "", text, *mark ? " " : "");
	papi_terminal_print(page->stream, page->coloured, PAPI_COLOUR_DOUBT, mark);
	if (length < room)
		fprintf(page->stream, "%*s", room - length, "");
	else
		fprintf(page->stream, "\n%*s", PAPI_TEXT_WIDTH - page->columns, "");
}

/* Of what the regions at the top have together; nothing where that says nothing. */
static void put_share(const struct page *page, const struct writer_quantity *quantity, long double value, bool last)
{
	long double whole = writer_whole(page->run, quantity);
	char text[32] = "";

	if (!isnan(whole) && !isnan(value))
		snprintf(text, sizeof(text), "%.1Lf%%", 100 * value / whole);
	if (*text || !last)
		fprintf(page->stream, "%*s", SHARE, text);
}

static bool alone(const struct page *page)
{
	return page->type != WRITER_SUMMARY || writer_threads(page->run) == 1;
}

static void put_line(
	const struct page *page, const struct writer_quantity *quantity, const long double values[], size_t n)
{
	int width = alone(page) ? TOTAL_ALONE : TOTAL;
	char text[48];

	fprintf(page->stream, "%*s", width, number(values[0], quantity, width, text));
	put_share(page, quantity, values[0], n == 1);
	for (size_t i = 1; i < n; i++)
		fprintf(page->stream, "%*s", OTHER, number(values[i], quantity, OTHER, text));
	fputc('\n', page->stream);
}

static void put_statistics(const struct page *page, const struct writer_region *region, int indent)
{
	for (unsigned i = 0; i < page->run->n_quantities; i++) {
		const struct writer_quantity *quantity = &page->run->quantities[i];
		struct writer_statistic all = writer_statistic(page->run, region, quantity);
		/* A thread that is alone has a last value, and no others to compare it with. */
		bool last = quantity->no_total && all.n == 1 && (quantity->what == WRITER_EVENT || alone(page));
		const long double values[] = { last ? all.maximum : all.total, all.minimum, all.median, all.maximum };

		put_title(page, indent, quantity);
		put_line(page, quantity, values, alone(page) ? 1 : 4);
	}
}

static void put_samples(const struct page *page, const struct writer_region *region, int indent)
{
	for (unsigned i = 0; i < region->n; i++) {
		const struct writer_sample *sample = &region->samples[i];
		const struct writer_file *file = &page->run->files[sample->file];

		fprintf(page->stream, "%*srank %s, thread %s\n", indent, "", file->label,
			file->threads[sample->thread]);
		for (unsigned j = 0; j < page->run->n_quantities; j++) {
			const struct writer_quantity *quantity = &page->run->quantities[j];
			long double value = writer_value(page->run, sample, quantity);

			put_title(page, indent + 2, quantity);
			put_line(page, quantity, &value, 1);
		}
	}
}

static void put_tree(const struct page *page, int parent)
{
	for (unsigned i = 0; i < page->run->n_regions; i++) {
		const struct writer_region *region = &page->run->regions[i];
		int indent = 2 * (int)(region->depth < DEEPEST ? region->depth : DEEPEST);

		if (region->parent != parent)
			continue;
		put_name(page, indent, region->name);
		if (page->type == WRITER_DETAIL)
			put_samples(page, region, indent + 2);
		else
			put_statistics(page, region, indent + 2);
		put_tree(page, (int)i);
	}
}

static void put_legend(const struct page *page)
{
	fputs("\nShare: of all regions that are in no other\n", page->stream);
	for (const struct papi_kind *kind = papi_kinds; kind->name; kind++) {
		char text[160];

		snprintf(text, sizeof(text), "%s: %s", kind->name, kind->meaning);
		for (unsigned i = 0; i < page->run->n_quantities; i++) {
			if (strcmp(page->run->quantities[i].kind, kind->name) != 0)
				continue;
			papi_text_wrap(page->stream, kind->mark, 4, text);
			break;
		}
	}
}

/* "solver: 2 ranks, 4 threads"; the directory of the program, as long as it likes, is in the files. */
static void put_heading(FILE *stream, const struct writer_run *run)
{
	unsigned threads = writer_threads(run);

	if (run->program) {
		const char *slash = strrchr(run->program, '/');
		char *name = writer_copy(slash ? slash + 1 : run->program);

		papi_escape_terminal(name);
		fprintf(stream, "%s: ", name);
		free(name);
	}
	fprintf(stream, "%u rank%s, %u thread%s\n", run->n_files, run->n_files == 1 ? "" : "s", threads,
		threads == 1 ? "" : "s");
}

static void put_titles(const struct page *page)
{
	char line[2 * PAPI_TEXT_WIDTH];
	int used = snprintf(line, sizeof(line), "%-*s%*s%*s", PAPI_TEXT_WIDTH - page->columns, "Region",
		alone(page) ? TOTAL_ALONE : TOTAL, page->type == WRITER_DETAIL ? "Value" : "Total", SHARE, "Share");

	if (!alone(page))
		snprintf(line + used, sizeof(line) - (size_t)used, "%*s%*s%*s", OTHER, "Minimum", OTHER, "Median",
			OTHER, "Maximum");
	papi_terminal_print(page->stream, page->coloured, PAPI_COLOUR_TITLE, line);
	fputc('\n', page->stream);
}

void writer_print_table(FILE *stream, const struct writer_run *run, enum writer_type type)
{
	struct page page = { .stream = stream, .run = run, .type = type };

	page.coloured = papi_terminal_has_colours(fileno(stream));
	page.columns = alone(&page) ? TOTAL_ALONE + SHARE : TOTAL + SHARE + 3 * OTHER;
	put_heading(stream, run);
	fputc('\n', stream);
	put_titles(&page);
	put_tree(&page, -1);
	put_legend(&page);
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
	fputs(type == WRITER_SUMMARY ? "region,quantity,unit,threads,total,minimum,median,maximum,kind\r\n"
				     : "region,quantity,unit,threads,total,kind\r\n",
		stream);
	for (unsigned i = 0; i < run->n_regions; i++) {
		const char *path = path_of(run, &run->regions[i]);

		for (unsigned j = 0; j < run->n_quantities; j++) {
			struct writer_statistic all = writer_statistic(run, &run->regions[i], &run->quantities[j]);
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
			fputc(',', stream);
			put_text(stream, run->quantities[j].kind);
			fputs("\r\n", stream);
		}
	}
}

/* A line is a thread, so what a column is worth stands in its title, unless that is exact: "name (unit; kind)". */
static const char *column_title(const struct writer_quantity *quantity, char *text, size_t size)
{
	char unit[96];

	if (strcmp(quantity->kind, "exact") == 0)
		return title(quantity, quantity->unit, text, size);
	snprintf(unit, sizeof(unit), "%.40s%s%.40s", quantity->unit, *quantity->unit ? "; " : "", quantity->kind);
	return title(quantity, unit, text, size);
}

static void put_sample_lines(FILE *stream, const struct writer_run *run)
{
	char name[160];

	fputs("region,rank,thread", stream);
	for (unsigned j = 0; j < run->n_quantities; j++) {
		fputc(',', stream);
		put_text(stream, column_title(&run->quantities[j], name, sizeof(name)));
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
				put_number(stream, writer_value(run, sample, &run->quantities[j]));
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
