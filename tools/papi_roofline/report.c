/* SPDX-License-Identifier: BSD-3-Clause */
/* report.c - the peaks of a machine, for people, as JSON and as CSV. */
#include <stdlib.h>
#include <time.h>

#include "escape.h"
#include "papi_roofline/picture.h"
#include "terminal.h"
#include "text.h"

#define BUSY 0.1 /* a spread beyond this is told */

static void print_peaks(FILE *out, bool coloured, const struct papi_roofline *roofline, bool memory)
{
	char line[128], all[32], label[64];

	snprintf(all, sizeof(all), "%u CPU%s", roofline->cpus, roofline->cpus == 1 ? "" : "s");
	snprintf(line, sizeof(line), "%-22s %10s  %6s %12s  %6s  %s", memory ? "GB/s" : "Gflop/s", "one CPU", "spread",
		all, "spread", "kernel");
	papi_terminal_print(out, coloured, PAPI_COLOUR_TITLE, line);
	fputc('\n', out);
	for (unsigned i = 0; i < roofline->n; i++) {
		const struct papi_roofline_peak *peak = &roofline->peaks[i];

		if (peak->is_memory != memory)
			continue;
		papi_roofline_label(peak, label, sizeof(label));
		papi_escape_terminal(label);
		fprintf(out, "%-22s %10.1f  %5.1f%% %12.1f  %5.1f%%  %s\n", label, peak->one.best / 1e9,
			100 * peak->one.spread, peak->all.best / 1e9, 100 * peak->all.spread, peak->kernel);
	}
}

static bool is_busy(const struct papi_roofline *roofline)
{
	for (unsigned i = 0; i < roofline->n; i++)
		if (roofline->peaks[i].one.spread > BUSY || roofline->peaks[i].all.spread > BUSY)
			return true;
	return false;
}

void papi_roofline_text(FILE *out, const struct papi_roofline *roofline)
{
	const struct papi_roofline_peak *memory = papi_roofline_highest(roofline, true),
					*flops = papi_roofline_highest(roofline, false);
	bool coloured = papi_terminal_has_colours(fileno(out));
	time_t when = (time_t)roofline->when;
	char cpu[128], date[32] = "", text[512];
	struct tm local;

	snprintf(cpu, sizeof(cpu), "%s", roofline->cpu);
	papi_escape_terminal(cpu);
	if (localtime_r(&when, &local))
		strftime(date, sizeof(date), "%Y-%m-%d %H:%M", &local);
	fprintf(out, "%s, %u CPU%s, measured %s\n\n", cpu, roofline->cpus, roofline->cpus == 1 ? "" : "s", date);
	print_peaks(out, coloured, roofline, true);
	fputc('\n', out);
	print_peaks(out, coloured, roofline, false);
	fputc('\n', out);
	snprintf(text, sizeof(text),
		"In double precision and on all CPUs, less than %.3g operations for each byte from memory leave "
		"arithmetic waiting: a program with fewer is bound by memory, one with more by arithmetic.",
		flops->all.best / memory->all.best);
	papi_text_wrap(out, "", 0, text);
	if (is_busy(roofline))
		papi_text_wrap(out, "note:", 6,
			"the machine had other work: where the spread is more than 10%, the peak may be higher; "
			"papi_roofline --measure measures again");
}

void papi_roofline_json(FILE *out, const struct papi_roofline *roofline)
{
	fputs("{\n  \"papi_roofline\": 1,\n  \"cpu\": ", out);
	papi_escape_json(out, roofline->cpu);
	fprintf(out, ",\n  \"cpus\": %u,\n  \"when\": %lld,\n  \"peaks\": [", roofline->cpus, roofline->when);
	for (unsigned i = 0; i < roofline->n; i++) {
		const struct papi_roofline_peak *peak = &roofline->peaks[i];

		fputs(i ? ",\n    {\"name\": " : "\n    {\"name\": ", out);
		papi_escape_json(out, peak->name);
		fprintf(out, ", \"unit\": \"%s\", \"bytes\": ", peak->is_memory ? "B/s" : "flop/s");
		fprintf(out, peak->bytes > 0 ? "%.0f" : "null", peak->bytes);
		fputs(", \"kernel\": ", out);
		papi_escape_json(out, peak->kernel);
		fprintf(out, ",\n     \"one\": %.9g, \"one_spread\": %.6f, \"all\": %.9g, \"all_spread\": %.6f}",
			peak->one.best, peak->one.spread, peak->all.best, peak->all.spread);
	}
	fputs("\n  ]\n}\n", out);
}

void papi_roofline_csv(FILE *out, const struct papi_roofline *roofline)
{
	fputs("name,unit,bytes,kernel,one,one_spread,all,all_spread\n", out);
	for (unsigned i = 0; i < roofline->n; i++) {
		const struct papi_roofline_peak *peak = &roofline->peaks[i];

		fprintf(out, "%s,%s,", peak->name, peak->is_memory ? "B/s" : "flop/s");
		if (peak->bytes > 0)
			fprintf(out, "%.0f", peak->bytes);
		fprintf(out, ",\"%s\",%.9g,%.6f,%.9g,%.6f\n", peak->kernel, peak->one.best, peak->one.spread,
			peak->all.best, peak->all.spread);
	}
}
