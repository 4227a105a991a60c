/* SPDX-License-Identifier: BSD-3-Clause */
/* page.c - the picture in a file of its own: as it is, or in a page that needs nothing else. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "escape.h"
#include "papi_roofline/picture.h"
#include "whole_file.h"

static const char head[] =
	"<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'>"
	"<meta name='viewport' content='width=device-width'>"
	"<meta http-equiv='Content-Security-Policy' content=\"default-src 'none'; style-src 'unsafe-inline'\">\n";

static const char style[] =
	"<style>\n"
	":root{color-scheme:light dark;--paper:#ffffff;--ink:#1d2733;--soft:#566474;--line:#d8dee6}\n"
	"@media (prefers-color-scheme:dark){:root{--paper:#14181d;--ink:#e4e9ef;--soft:#9aa7b5;--line:#303843}}\n"
	"body{margin:24px auto;max-width:1100px;padding:0 16px;background:var(--paper);color:var(--ink);"
	"font:14px/1.5 system-ui,sans-serif}\n"
	"svg{width:100%;height:auto}\n"
	"table{border-collapse:collapse;margin:8px 0 24px;width:100%}"
	"th,td{text-align:right;padding:4px 10px;border-bottom:1px solid var(--line);overflow-wrap:anywhere}"
	"th{font-weight:600;color:var(--soft)}th:first-child,td:first-child{text-align:left}"
	"h2{font-size:15px;margin:24px 0 0}p{color:var(--soft)}\n"
	"</style></head><body>\n";

static bool ends_with(const char *path, const char *ending)
{
	size_t length = strlen(path), tail = strlen(ending);

	return length > tail && strcmp(path + length - tail, ending) == 0;
}

bool papi_roofline_check_file(const char *path, char *reason, size_t size)
{
	if (ends_with(path, ".svg") || ends_with(path, ".html"))
		return papi_whole_file_check(path, reason, size);
	snprintf(reason, size, "the name has to end in .svg for a picture, or in .html for a page with tables");
	return false;
}

static void cell(FILE *out, const char *format, double value)
{
	fputs("<td>", out);
	if (isfinite(value))
		fprintf(out, format, value);
	else
		fputs("n/a", out);
	fputs("</td>", out);
}

static void write_points(FILE *out, const struct papi_roofline_picture *picture)
{
	fputs("<h2>Points</h2><table><tr><th>Name</th><th>Gflop</th><th>worth</th><th>s</th><th>Gflop/s</th>", out);
	for (unsigned i = 0; i < PAPI_ROOFLINE_LEVELS; i++)
		if (papi_roofline_level(picture->peaks, i + 1))
			fprintf(out, "<th>flop/B, %s</th>", papi_roofline_level(picture->peaks, i + 1)->name);
	fputs("<th>worth</th><th>of the roof</th><th>which is</th></tr>\n", out);
	for (size_t i = 0; i < picture->n; i++) {
		const struct papi_roofline_point *point = &picture->points[i];
		struct papi_roofline_verdict verdict = papi_roofline_judge(picture, point);
		bool there = isfinite(verdict.speed) && verdict.bound;

		fputs("<tr><td>", out);
		papi_escape_xml(out, point->name);
		fputs("</td>", out);
		cell(out, "%.4g", point->operations / 1e9);
		fprintf(out, "<td>%s</td>", point->worth[0]);
		cell(out, "%.4g", point->seconds);
		cell(out, "%.4g", verdict.speed / 1e9);
		for (unsigned k = 0; k < PAPI_ROOFLINE_LEVELS; k++)
			if (papi_roofline_level(picture->peaks, k + 1))
				cell(out, "%.4g", verdict.x[k]);
		fprintf(out, "<td>%s</td>", point->worth[1]);
		cell(out, "%.3g %%", there ? 100 * verdict.speed / verdict.allowed : (double)NAN);
		fprintf(out, "<td>%s</td></tr>\n", there ? verdict.bound->name : "n/a");
	}
	fputs("</table>\n", out);
}

static void write_peaks(FILE *out, const struct papi_roofline *peaks)
{
	char label[64];

	fprintf(out,
		"<h2>Roofs</h2><table><tr><th></th><th>one CPU</th><th>spread</th><th>%u CPUs</th>"
		"<th>spread</th><th></th></tr>\n",
		peaks->cpus);
	for (unsigned i = 0; i < peaks->n; i++) {
		const struct papi_roofline_peak *peak = &peaks->peaks[i];

		papi_roofline_label(peak, label, sizeof(label));
		fputs("<tr><td>", out);
		papi_escape_xml(out, label);
		fputs("</td>", out);
		cell(out, "%.1f", peak->one.best / 1e9);
		cell(out, "%.1f %%", 100 * peak->one.spread);
		cell(out, "%.1f", peak->all.best / 1e9);
		cell(out, "%.1f %%", 100 * peak->all.spread);
		fprintf(out, "<td>%s</td></tr>\n", peak->is_memory ? "GB/s" : "Gflop/s");
	}
	fputs("</table>\n<p>Spread: how far the median of the trials is below the best. Where it is much, the machine "
	      "had other work, and the roof may be higher: papi_roofline --measure measures again.</p>\n",
		out);
}

static void write_page(FILE *out, const struct papi_roofline_picture *picture)
{
	fputs(head, out);
	fputs("<title>", out);
	papi_escape_xml(out, picture->title);
	fprintf(out, "</title>%s", style);
	papi_roofline_svg(out, picture);
	write_points(out, picture);
	write_peaks(out, picture->peaks);
	fputs("</body></html>\n", out);
}

bool papi_roofline_draw(const char *path, const struct papi_roofline_picture *picture, char *reason, size_t size)
{
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);
	bool good = out != NULL;

	snprintf(reason, size, "out of memory");
	if (out) {
		if (ends_with(path, ".svg"))
			papi_roofline_svg(out, picture);
		else
			write_page(out, picture);
		good = fclose(out) == 0 && papi_whole_file_write(path, text, length, reason, size);
	}
	free(text);
	return good;
}

const struct papi_roofline *papi_roofline_peaks(const char *tool)
{
	static struct papi_roofline peaks;

	papi_roofline_describe(&peaks);
	if (papi_roofline_load(&peaks))
		return &peaks;
	if (!papi_roofline_kernels[0].name) {
		fprintf(stderr, "%s: no roofs: papi_roofline has no kernels for this processor to measure with\n",
			tool);
		return NULL;
	}
	fprintf(stderr, "%s: measures the roofs of this machine, once, in some seconds (papi_roofline shows them)\n",
		tool);
	peaks.when = (long long)time(NULL);
	if (!papi_roofline_find(&peaks))
		return NULL;
	papi_roofline_keep(&peaks);
	return &peaks;
}
