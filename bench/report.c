/* SPDX-License-Identifier: BSD-3-Clause */
/* The result: a table for people, JSON for programs. */
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "bench.h"
#include "papi.h"

enum verdict { INFORMATION, KEPT, OVER, MISSING };

static enum verdict judge(const struct bench_row *row)
{
	if (row->missing[0])
		return MISSING;
	if (isnan(row->limit))
		return INFORMATION;
	if (row->absolute)
		return row->ours < row->limit ? KEPT : OVER;
	return row->ratio <= row->limit ? KEPT : OVER;
}

static const char *const verdicts[] = { [INFORMATION] = "", [KEPT] = "ok", [OVER] = "OVER", [MISSING] = "missing" };
static const char *const units[] = {
	[BENCH_NANOSECONDS] = "ns", [BENCH_BYTES] = "B", [BENCH_CALLS] = "calls", [BENCH_DIFFERENCES] = "events"
};

unsigned bench_count_over(const struct bench *bench)
{
	unsigned over = 0;

	for (size_t i = 0; i < bench->n_rows; i++)
		over += judge(&bench->rows[i]) == OVER;
	return over;
}

/* Three digits or so are what such numbers are worth; what does not apply is a dash. */
static const char *number(double value, char text[24])
{
	if (isnan(value))
		return "-";
	snprintf(text, 24, "%.*f", value < 100 && value != floor(value) ? 1 : 0, value);
	return text;
}

/* One reason is often that of many rows. */
static void print_missing(const struct bench *bench, const struct bench_row *row)
{
	bool same = row > bench->rows && !strcmp(row->missing, row[-1].missing);

	printf("%-22s not measured%s%s\n", row->name, same ? ", as above" : ": ", same ? "" : row->missing);
}

static void print_row(const struct bench_row *row)
{
	char ours[24], baseline[24], ratio[24] = "-", spread[32] = "", limit[32] = "", calls[32] = "";

	if (!isnan(row->ratio))
		snprintf(ratio, sizeof(ratio), "%.3f", row->ratio);
	if (!isnan(row->ratio_low))
		snprintf(spread, sizeof(spread), "%.3f-%.3f", row->ratio_low, row->ratio_high);
	if (!isnan(row->limit))
		snprintf(limit, sizeof(limit), row->absolute ? "< %.0f %s" : "%.2f", row->limit, units[row->unit]);
	if (!isnan(row->calls))
		snprintf(calls, sizeof(calls), "%.0f/%.0f", row->calls, row->baseline_calls);
	printf("%-22s %9s %9s %-6s %7s  %-13s %-12s %-6s %s\n", row->name, number(row->ours, ours),
		number(row->baseline, baseline), units[row->unit], ratio, spread, limit, calls, verdicts[judge(row)]);
}

void bench_print_table(const struct bench *bench)
{
	printf("%-22s %9s %9s %-6s %7s  %-13s %-12s %-6s %s\n", "name", "ours", "baseline", "unit", "ratio",
		"quartiles", "limit", "calls", "verdict");
	for (const struct bench_row *row = bench->rows; row < bench->rows + bench->n_rows; row++) {
		if (row->missing[0])
			print_missing(bench, row);
		else
			print_row(row);
	}
}

static void print_string(const char *text)
{
	putchar('"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			printf("\\%c", *text);
		else if ((unsigned char)*text < ' ')
			printf("\\u%04x", (unsigned)*text);
		else
			putchar(*text);
	}
	putchar('"');
}

static void print_member(const char *name, const char *text)
{
	printf(", \"%s\": ", name);
	print_string(text);
}

static void print_number(const char *name, double value)
{
	if (isnan(value))
		printf(", \"%s\": null", name);
	else
		printf(", \"%s\": %.4f", name, value);
}

static void print_json_row(const struct bench_row *row)
{
	printf("\t\t{ \"name\": ");
	print_string(row->name);
	print_member("text", row->text);
	print_member("baseline_text", row->baseline_text);
	print_member("unit", units[row->unit]);
	print_number("ours", row->ours);
	print_number("baseline", row->baseline);
	print_number("ratio", row->ratio);
	print_number("ratio_low", row->ratio_low);
	print_number("ratio_high", row->ratio_high);
	print_number("limit", row->limit);
	print_member("limit_of", isnan(row->limit) ? "" : row->absolute ? "ours" : "ratio");
	print_number("calls", row->calls);
	print_number("baseline_calls", row->baseline_calls);
	print_member("verdict", verdicts[judge(row)]);
	print_member("missing", row->missing);
	printf(" }");
}

void bench_print_json(const struct bench *bench)
{
	const PAPI_hw_info_t *hardware = PAPI_get_hardware_info();
	struct utsname system = { 0 };

	uname(&system);
	printf("{\n\t\"library\": \"%d.%d.%d.%d\", \"rounds\": %u", PAPI_VERSION_MAJOR(PAPI_VERSION),
		PAPI_VERSION_MINOR(PAPI_VERSION), PAPI_VERSION_REVISION(PAPI_VERSION),
		PAPI_VERSION_INCREMENT(PAPI_VERSION), bench->rounds);
	print_member("kernel", system.release);
	print_member("machine", system.machine);
	print_member("processor", hardware ? hardware->model_string : "");
	printf(", \"processors\": %d,\n\t\"rows\": [", hardware ? hardware->totalcpus : 0);
	for (size_t i = 0; i < bench->n_rows; i++) {
		printf(i ? ",\n" : "\n");
		print_json_row(&bench->rows[i]);
	}
	printf("\n\t]\n}\n");
}
