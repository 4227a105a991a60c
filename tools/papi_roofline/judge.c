/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * judge.c - which roof is over a point. Each level that bytes were counted from allows its bandwidth times the
 * operations for each of these bytes, arithmetic its peak; the least of them is what the machine allows.
 */
#include <math.h>
#include <string.h>

#include "papi_roofline/picture.h"

double papi_roofline_rate_of(const struct papi_roofline_picture *picture, const struct papi_roofline_peak *peak)
{
	return picture->all ? peak->all.best : peak->one.best;
}

const struct papi_roofline_peak *papi_roofline_fastest(const struct papi_roofline_picture *picture, const char *kind)
{
	const struct papi_roofline_peak *found = NULL;

	for (unsigned i = 0; i < picture->peaks->n; i++) {
		const struct papi_roofline_peak *peak = &picture->peaks->peaks[i];

		if (peak->is_memory || strncmp(peak->name, kind, strlen(kind)) != 0)
			continue;
		if (!found || papi_roofline_rate_of(picture, peak) > papi_roofline_rate_of(picture, found))
			found = peak;
	}
	return found;
}

const struct papi_roofline_peak *papi_roofline_level(const struct papi_roofline *peaks, unsigned below)
{
	for (unsigned i = 0; i < peaks->n; i++)
		if (peaks->peaks[i].is_memory && below-- == 0)
			return &peaks->peaks[i];
	return NULL;
}

static void bound_by(struct papi_roofline_verdict *verdict, const struct papi_roofline_peak *peak, double allowed)
{
	if (verdict->bound && verdict->allowed <= allowed)
		return;
	verdict->bound = peak;
	verdict->allowed = allowed;
}

struct papi_roofline_verdict papi_roofline_judge(
	const struct papi_roofline_picture *picture, const struct papi_roofline_point *point)
{
	bool single = point->single > point->operations / 2;
	const struct papi_roofline_peak *top = papi_roofline_fastest(picture, single ? "single" : "double");
	struct papi_roofline_verdict verdict = { .speed = (double)NAN };

	if (point->operations > 0 && point->seconds > 0)
		verdict.speed = point->operations / point->seconds;
	if (top)
		bound_by(&verdict, top, papi_roofline_rate_of(picture, top));
	for (unsigned i = 0; i < PAPI_ROOFLINE_LEVELS; i++) {
		const struct papi_roofline_peak *from = papi_roofline_level(picture->peaks, i + 1);

		verdict.x[i] = (double)NAN;
		if (!from || !(point->below[i] > 0) || isnan(verdict.speed))
			continue;
		verdict.from[i] = from;
		verdict.x[i] = point->operations / point->below[i];
		bound_by(&verdict, from, verdict.x[i] * papi_roofline_rate_of(picture, from));
	}
	return verdict;
}

void papi_roofline_number(char *text, size_t size, double value)
{
	static const char prefixes[] = { 0, 'k', 'M', 'G', 'T', 'P', 'E' };
	size_t i = 0;

	while (value >= 999.5 && i + 1 < sizeof(prefixes)) {
		value /= 1000;
		i++;
	}
	snprintf(text, size, "%.3g %.1s", value, i ? &prefixes[i] : "");
}

void papi_roofline_label(const struct papi_roofline_peak *peak, char *text, size_t size)
{
	double kib = peak->bytes / 1024;

	if (!peak->is_memory)
		snprintf(text, size, "%.6s, %s bits", peak->name, peak->name + 7);
	else if (peak->bytes == 0)
		snprintf(text, size, "%s", peak->name);
	else if (kib < 1024)
		snprintf(text, size, "%s (%.0f KiB)", peak->name, kib);
	else
		snprintf(text, size, "%s (%.4g MiB)", peak->name, kib / 1024);
}

/* "0.083 flop/B from memory (modelled), ": of the lowest level that was counted. */
static void say_intensity(char *text, size_t size, const struct papi_roofline_verdict *verdict, const char *worth)
{
	*text = '\0';
	for (unsigned i = PAPI_ROOFLINE_LEVELS; i-- > 0 && !*text;)
		if (verdict->from[i])
			snprintf(text, size, ", %.3g flop for each byte from %s (%s)", verdict->x[i],
				verdict->from[i]->name, worth);
}

void papi_roofline_say(
	char *text, size_t size, const struct papi_roofline_picture *picture, const struct papi_roofline_point *point)
{
	struct papi_roofline_verdict verdict = papi_roofline_judge(picture, point);
	char speed[32], allowed[32], intensity[128], label[64];

	if (isnan(verdict.speed) || !verdict.bound) {
		snprintf(text, size, "%s",
			point->operations == 0             ? "it does no floating-point operation, and has no point"
				: !(point->operations > 0) ? "its floating-point operations were not counted"
							   : "its time is not known");
		return;
	}
	papi_roofline_number(speed, sizeof(speed), verdict.speed);
	papi_roofline_number(allowed, sizeof(allowed), verdict.allowed);
	papi_roofline_label(verdict.bound, label, sizeof(label));
	say_intensity(intensity, sizeof(intensity), &verdict, point->worth[1]);
	snprintf(text, size, "%sflop/s (%s)%s: %.3g %% of the %sflop/s that %s %s here", speed, point->worth[0],
		intensity, 100 * verdict.speed / verdict.allowed, allowed,
		verdict.bound->is_memory ? verdict.bound->name : "arithmetic", "allows");
	if (!verdict.bound->is_memory)
		snprintf(text + strlen(text), size - strlen(text), " (%s)", label);
}
