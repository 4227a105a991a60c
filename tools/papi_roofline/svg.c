/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * svg.c - the picture: roofs of memory that rise, roofs of arithmetic that are flat, and below them the points, with a
 * ring for each level of caches that bytes were counted from. It looks as whoever sees it has chosen, light or dark.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "papi_roofline/picture.h"

#define WIDTH     960
#define HEIGHT    552 /* without the list of points */
#define ROW       40  /* of it: two lines */
#define TITLE     100 /* bytes of it that are shown */
#define SENTENCE  160
#define NAMED     24 /* points that have a number and a row; others have the place only */
#define LINE      24 /* so far from each other are texts */
#define LEVELS    5
#define INDENT    12
#define MOST_FLAT 3

static const char style[] =
	"<style>\n"
	".rf{--paper:#ffffff;--ink:#1d2733;--soft:#566474;--grid:#e6eaef;--l0:#7b8794;--l1:#0f8a73;--l2:#2f62c9;"
	"--l3:#c2410c;--flat:#6b3fa0;\n"
	" background:var(--paper);font:12px system-ui,sans-serif}\n"
	"@media (prefers-color-scheme:dark){.rf{--paper:#14181d;--ink:#e4e9ef;--soft:#9aa7b5;--grid:#272e37;"
	"--l0:#98a4b1;--l1:#3cc9ab;--l2:#7aa5ff;--l3:#ff9a5c;--flat:#c39bf5}}\n"
	".rf text{fill:var(--soft)}.rf .rf-title{fill:var(--ink);font-size:16px;font-weight:600}\n"
	".rf .rf-name{fill:var(--ink);paint-order:stroke;stroke:var(--paper);stroke-width:4px}\n"
	".rf-grid{stroke:var(--grid);fill:none}.rf-frame{stroke:var(--soft);fill:none}\n"
	".rf-roof{stroke:var(--c);fill:none;stroke-width:2}"
	".rf .rf-label{fill:var(--c);paint-order:stroke;stroke:var(--paper);stroke-width:4px}\n"
	".rf-link{stroke:var(--soft);stroke-dasharray:3 3;fill:none}\n"
	".rf-point{stroke:var(--c);fill:var(--paper);stroke-width:2.5}.rf-last{fill:var(--c)}\n"
	".rf-0{--c:var(--l0)}.rf-1{--c:var(--l1)}.rf-2{--c:var(--l2)}.rf-3{--c:var(--l3)}.rf-4{--c:var(--flat)}\n"
	"</style>\n";

/* The colour of a level: memory has one wherever it comes. */
static unsigned colour_of(const struct papi_roofline_peak *peak, unsigned level)
{
	return peak->bytes == 0 ? 3 : level < 3 ? level : 2;
}

static void draw_label(FILE *out, const char *label, unsigned colour, double x, double y, double degrees)
{
	fprintf(out, "<text class='rf-label rf-%u' text-anchor='%s' transform='translate(%.1f %.1f) rotate(%.2f)'>",
		colour, degrees != 0 ? "start" : "end", x, y, degrees);
	papi_escape_xml(out, label);
	fputs("</text>\n", out);
}

/* "memory, 30.5 GB/s" */
static void name_roof(
	char *text, size_t size, const struct papi_roofline_picture *picture, const struct papi_roofline_peak *peak)
{
	char label[64], number[32];

	papi_roofline_label(peak, label, sizeof(label));
	papi_roofline_number(number, sizeof(number), papi_roofline_rate_of(picture, peak));
	snprintf(text, size, "%s: %s%s", label, number, peak->is_memory ? "B/s" : "flop/s");
}

/* How high the roof drawn before stands at the left, and whether its label is below it. */
struct last {
	double y;
	bool moved;
};

/* A roof of memory, up to the highest of arithmetic. last: the one above.
 */
static void draw_rising(FILE *out, const struct papi_roofline_picture *picture, const struct papi_roofline_axes *axes,
	unsigned level, double top, struct last *last)
{
	const struct papi_roofline_peak *peak = papi_roofline_level(picture->peaks, level);
	double rate = papi_roofline_rate_of(picture, peak), x = fmax(axes->x.lowest, axes->y.lowest / rate);
	double left = papi_roofline_place(&axes->x, x), low = papi_roofline_place(&axes->y, x * rate);
	double right = papi_roofline_place(&axes->x, top / rate), high = papi_roofline_place(&axes->y, top);
	double slope = (high - low) / (right - left);
	char text[128];

	if (right <= left)
		return;
	/* Of two near roofs, the lower one has its label below. */
	last->moved = !last->moved && low - last->y < LINE;
	last->y = low;
	fprintf(out, "<path class='rf-roof rf-%u' d='M%.1f %.1fL%.1f %.1f'/>\n", colour_of(peak, level), left, low,
		right, high);
	name_roof(text, sizeof(text), picture, peak);
	draw_label(out, text, colour_of(peak, level), left + INDENT, low + INDENT * slope + (last->moved ? 17 : -6),
		atan(slope) * 180 / M_PI);
}

static void draw_flat(FILE *out, const struct papi_roofline_picture *picture, const struct papi_roofline_axes *axes,
	const struct papi_roofline_peak *peak, double fastest, double *before)
{
	double rate = papi_roofline_rate_of(picture, peak), y = papi_roofline_place(&axes->y, rate);
	char text[128];

	fprintf(out, "<path class='rf-roof rf-4' d='M%.1f %.1fH%.1f'/>\n",
		papi_roofline_place(&axes->x, fmax(axes->x.lowest, rate / fastest)), y, axes->x.to);
	name_roof(text, sizeof(text), picture, peak);
	/* Where two are near, the lower one has its label below. */
	draw_label(out, text, 4, axes->x.to - 6, y - *before < LINE ? y + 15 : y - 5, 0);
	*before = y;
}

static const struct papi_roofline_peak *named(const struct papi_roofline *peaks, const char *name)
{
	for (unsigned i = 0; i < peaks->n; i++)
		if (strcmp(peaks->peaks[i].name, name) == 0)
			return &peaks->peaks[i];
	return NULL;
}

static void draw_roofs(FILE *out, const struct papi_roofline_picture *picture, const struct papi_roofline_axes *axes)
{
	const struct papi_roofline_peak *flat[MOST_FLAT] = { papi_roofline_fastest(picture, "single"),
		papi_roofline_fastest(picture, "double"), named(picture->peaks, "double 64") };
	double top = 0, fastest = 0, before = -1000;
	struct last last = { -1000, false };

	for (unsigned i = 0; i < picture->peaks->n; i++)
		if (picture->peaks->peaks[i].is_memory)
			fastest = fmax(fastest, papi_roofline_rate_of(picture, &picture->peaks->peaks[i]));
	for (unsigned i = 0; i < MOST_FLAT; i++)
		if (flat[i] && (i == 0 || flat[i] != flat[i - 1])) {
			top = fmax(top, papi_roofline_rate_of(picture, flat[i]));
			draw_flat(out, picture, axes, flat[i], fastest, &before);
		}
	for (unsigned i = 0; i < LEVELS && papi_roofline_level(picture->peaks, i); i++)
		draw_rising(out, picture, axes, i, top, &last);
}

/* Rings at one height, the lowest level full; the number at the right of the last. */
static void draw_point(
	FILE *out, const struct papi_roofline_picture *picture, const struct papi_roofline_axes *axes, size_t number)
{
	const struct papi_roofline_point *point = &picture->points[number];
	struct papi_roofline_verdict verdict = papi_roofline_judge(picture, point);
	double y = papi_roofline_place(&axes->y, verdict.speed), first = HUGE_VAL, last = -HUGE_VAL;
	int lowest = -1;
	char said[PAPI_ROOFLINE_SAID];

	for (int i = 0; i < PAPI_ROOFLINE_LEVELS; i++)
		if (verdict.from[i]) {
			first = fmin(first, papi_roofline_place(&axes->x, verdict.x[i]));
			last = fmax(last, papi_roofline_place(&axes->x, verdict.x[i]));
			lowest = i;
		}
	if (lowest < 0)
		return;
	papi_roofline_say(said, sizeof(said), picture, point);
	fputs("<g><title>", out);
	papi_escape_xml(out, point->name);
	fputs(": ", out);
	papi_escape_xml(out, said);
	fprintf(out, "</title><path class='rf-link' d='M%.1f %.1fH%.1f'/>\n", first, y, last);
	for (int i = 0; i <= lowest; i++)
		if (verdict.from[i])
			fprintf(out, "<circle class='rf-point rf-%u%s' cx='%.1f' cy='%.1f' r='%s'/>\n",
				colour_of(verdict.from[i], (unsigned)i + 1), i == lowest ? " rf-last" : "",
				papi_roofline_place(&axes->x, verdict.x[i]), y, i == lowest ? "6.5" : "4.5");
	if (picture->n > 1 && number < NAMED)
		fprintf(out, "<text class='rf-name' x='%.1f' y='%.1f'>%zu</text>\n", last + 10, y + 4, number + 1);
	fputs("</g>\n", out);
}

/* Whole characters of it. */
static void draw_cut(FILE *out, const char *text, size_t most)
{
	size_t length = strlen(text);
	char *part;

	if (length > most)
		for (length = most; length && ((unsigned char)text[length] & 0xc0) == 0x80;)
			length--;
	part = strndup(text, length);
	if (part)
		papi_escape_xml(out, part);
	if (text[length])
		fputs("&#8230;", out);
	free(part);
}

/* Of one point, the title has the name. */
static void draw_list(FILE *out, const struct papi_roofline_picture *picture, size_t rows)
{
	char said[PAPI_ROOFLINE_SAID];

	for (size_t i = 0; i < rows; i++) {
		size_t y = HEIGHT + 12 + i * ROW;

		if (picture->n > 1) {
			fprintf(out, "<text class='rf-name' x='20' y='%zu'>%zu&#160; ", y, i + 1);
			draw_cut(out, picture->points[i].name, TITLE);
			fputs("</text>", out);
		}
		papi_roofline_say(said, sizeof(said), picture, &picture->points[i]);
		fprintf(out, "<text x='20' y='%zu'>", picture->n > 1 ? y + 16 : y);
		draw_cut(out, said, SENTENCE);
		fputs("</text>\n", out);
	}
}

void papi_roofline_svg(FILE *out, const struct papi_roofline_picture *picture)
{
	struct papi_roofline_axes axes = papi_roofline_axes(picture);
	size_t rows = picture->n < NAMED ? picture->n : NAMED;

	fprintf(out,
		"<svg xmlns='http://www.w3.org/2000/svg' class='rf' viewBox='0 0 %d %zu' role='img'>\n%s"
		"<rect width='100%%' height='100%%' fill='var(--paper)'/>\n<text class='rf-title' x='16' y='28'>",
		WIDTH, HEIGHT + rows * ROW + 4, style);
	draw_cut(out, picture->title, TITLE);
	fputs("</text>\n<text x='16' y='48'>", out);
	papi_escape_xml(out, picture->peaks->cpu);
	if (picture->all)
		fprintf(out, ": the roofs of all %u CPUs", picture->peaks->cpus);
	else
		fputs(": the roofs of one CPU", out);
	if (picture->note) {
		fputs("; ", out);
		papi_escape_xml(out, picture->note);
	}
	fputs("</text>\n", out);
	papi_roofline_draw_axes(out, &axes);
	draw_roofs(out, picture, &axes);
	for (size_t i = 0; i < picture->n; i++)
		draw_point(out, picture, &axes, i);
	draw_list(out, picture, rows);
	fputs("</svg>\n", out);
}
