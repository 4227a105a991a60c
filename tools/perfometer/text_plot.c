/* SPDX-License-Identifier: BSD-3-Clause */
/* text_plot.c - values over time, and dots of them. */
#include "text_plot.h"

#include <math.h>
#include <string.h>

double papi_text_value(
	const struct papi_text_data *data, const struct papi_text_shown *shown, size_t lane, size_t sample)
{
	double count = papi_text_data_count(data, lane, shown->event, sample), other;

	if (!sample || shown->event >= data->n_events)
		return (double)NAN;
	if (data->events[shown->event].metric)
		return count;
	if (!shown->ratio)
		return count / (data->times[sample] - data->times[sample - 1]);
	other = papi_text_data_count(data, lane, shown->second, sample);
	return other > 0 ? count / other : (double)NAN;
}

/* The first interval that has a part later than that. */
static size_t interval_after(const struct papi_text_data *data, double time)
{
	size_t low = 0, high = data->n_samples;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (data->times[middle] > time)
			high = middle;
		else
			low = middle + 1;
	}
	return low ? low : 1;
}

void papi_text_spans(const struct papi_text_data *data, const struct papi_text_shown *shown, size_t lane, double begin,
	double end, struct papi_text_span *spans, size_t number)
{
	double step = (end - begin) / (double)number;

	for (size_t i = 0; i < number; i++) {
		double from = begin + (double)i * step, to = i + 1 < number ? from + step : end;

		spans[i] = (struct papi_text_span){ (double)NAN, (double)NAN };
		for (size_t k = interval_after(data, from); k < data->n_samples && data->times[k - 1] < to; k++) {
			double value = papi_text_value(data, shown, lane, k);

			/* fmin and fmax take what is no number for nothing. */
			spans[i].low = fmin(spans[i].low, value);
			spans[i].high = fmax(spans[i].high, value);
		}
	}
}

/* From 0, below, on. */
static size_t height_of(double value, double most, size_t dots)
{
	double part = most > 0 ? value / most : 0;
	double dot = floor(part * (double)(dots - 1) + 0.5);

	return dot <= 0 ? 0 : dot >= (double)(dots - 1) ? dots - 1 : (size_t)dot;
}

static void set_dot(unsigned char *cells, size_t columns, size_t rows, size_t x, size_t y)
{
	static const unsigned char bits[4][2] = { { 0x01, 0x08 }, { 0x02, 0x10 }, { 0x04, 0x20 }, { 0x40, 0x80 } };
	size_t from_top = 4 * rows - 1 - y;

	cells[from_top / 4 * columns + x / 2] |= bits[from_top % 4][x % 2];
}

void papi_text_plot(const struct papi_text_span *spans, size_t columns, size_t rows, double most, unsigned char *cells)
{
	bool has_last = false;
	size_t last = 0;

	memset(cells, 0, columns * rows);
	for (size_t x = 0; x < 2 * columns; x++) {
		size_t low, high;

		if (isnan(spans[x].high)) {
			has_last = false;
			continue;
		}
		low = height_of(spans[x].low, most, 4 * rows);
		high = height_of(spans[x].high, most, 4 * rows);
		/* Up or down from the one before, without a hole. */
		if (has_last && last + 1 < low)
			low = last + 1;
		if (has_last && last > high + 1)
			high = last - 1;
		for (size_t y = low; y <= high; y++)
			set_dot(cells, columns, rows, x, y);
		last = height_of(spans[x].high, most, 4 * rows);
		has_last = true;
	}
}
