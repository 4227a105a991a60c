/* SPDX-License-Identifier: BSD-3-Clause */
/* axes.c - operations for each byte to the right, operations in a second upwards, both by decades. */
#include <math.h>

#include "papi_roofline/picture.h"

#define LEFT   92
#define RIGHT  936
#define TOP    84
#define BOTTOM 500
#define MOST   12 /* numbers along an axis */

static void widen(struct papi_roofline_axis *axis, double value)
{
	if (!(value > 0) || !isfinite(value))
		return;
	axis->lowest = fmin(axis->lowest, value);
	axis->highest = fmax(axis->highest, value);
}

static void round_out(struct papi_roofline_axis *axis)
{
	axis->lowest = pow(10, floor(log10(axis->lowest)));
	axis->highest = pow(10, ceil(log10(axis->highest) + 0.05));
}

struct papi_roofline_axes papi_roofline_axes(const struct papi_roofline_picture *picture)
{
	const struct papi_roofline_peak *top = papi_roofline_fastest(picture, "double"),
					*single = papi_roofline_fastest(picture, "single");
	double peak = top ? papi_roofline_rate_of(picture, top) : 1e9;
	struct papi_roofline_axes axes = { { 0.02, 50, LEFT, RIGHT }, { peak / 500, peak, BOTTOM, TOP } };

	if (single)
		widen(&axes.y, papi_roofline_rate_of(picture, single));
	/* Where the lowest roof becomes flat. */
	for (unsigned i = 0; i < picture->peaks->n; i++)
		if (picture->peaks->peaks[i].is_memory)
			widen(&axes.x, 2 * peak / papi_roofline_rate_of(picture, &picture->peaks->peaks[i]));
	for (size_t i = 0; i < picture->n; i++) {
		struct papi_roofline_verdict verdict = papi_roofline_judge(picture, &picture->points[i]);

		widen(&axes.y, verdict.speed / 1.5);
		widen(&axes.y, verdict.speed * 1.5);
		for (unsigned k = 0; k < PAPI_ROOFLINE_LEVELS; k++) {
			widen(&axes.x, verdict.x[k] / 1.5);
			widen(&axes.x, verdict.x[k] * 1.5);
		}
	}
	round_out(&axes.x);
	round_out(&axes.y);
	return axes;
}

double papi_roofline_place(const struct papi_roofline_axis *axis, double value)
{
	double share = log10(value / axis->lowest) / log10(axis->highest / axis->lowest);

	return axis->from + share * (axis->to - axis->from);
}

/* "0.01", "100", "10 k". */
static void number_at(char *text, size_t size, double value)
{
	if (value < 0.9)
		snprintf(text, size, "%.3g", value);
	else
		papi_roofline_number(text, size, value * 1.0000001);
}

static void draw_decades(FILE *out, const struct papi_roofline_axis *axis, bool upwards)
{
	int first = (int)lround(log10(axis->lowest)), last = (int)lround(log10(axis->highest));
	int step = (last - first + MOST - 1) / MOST;

	for (int i = first; i <= last; i += step > 0 ? step : 1) {
		double value = pow(10, i), at = papi_roofline_place(axis, value);
		char text[32];

		number_at(text, sizeof(text), value);
		if (upwards)
			fprintf(out,
				"<path class='rf-grid' d='M%d %.1fH%d'/><text x='%d' y='%.1f' "
				"text-anchor='end'>%s</text>\n",
				LEFT, at, RIGHT, LEFT - 8, at + 4, text);
		else
			fprintf(out,
				"<path class='rf-grid' d='M%.1f %dV%d'/><text x='%.1f' y='%d' "
				"text-anchor='middle'>%s</text>\n",
				at, TOP, BOTTOM, at, BOTTOM + 18, text);
	}
}

void papi_roofline_draw_axes(FILE *out, const struct papi_roofline_axes *axes)
{
	draw_decades(out, &axes->x, false);
	draw_decades(out, &axes->y, true);
	fprintf(out, "<path class='rf-frame' d='M%d %dV%dH%d'/>\n", LEFT, TOP, BOTTOM, RIGHT);
	fprintf(out, "<text x='%d' y='%d' text-anchor='end'>operations for each byte (flop/B)</text>\n", RIGHT,
		BOTTOM + 38);
	fprintf(out, "<text x='%d' y='%d'>operations in a second (flop/s)</text>\n", LEFT - 76, TOP - 14);
}
