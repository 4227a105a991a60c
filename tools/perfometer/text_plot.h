/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A line over time as characters: each is two dots wide and four high, as those of braille are. The caller has the
 * memory. Pure functions.
 */
#ifndef PAPI_PERFOMETER_TEXT_PLOT_H
#define PAPI_PERFOMETER_TEXT_PLOT_H

#include <stdbool.h>
#include <stddef.h>

#include "text_data.h"

/* The view of all lanes: an event per second, a metric, or one event per other event. */
struct papi_text_shown {
	size_t event, second;
	bool ratio;
};

/* The value of a lane in an interval; NaN where it is not known. */
double papi_text_value(
	const struct papi_text_data *data, const struct papi_text_shown *shown, size_t lane, size_t sample);

/* The least and the most in a part of the time; NaN where nothing is known. */
struct papi_text_span {
	double low, high;
};

/* Spans of `number` parts of the time from begin to end, which are as long as each other. */
void papi_text_spans(const struct papi_text_data *data, const struct papi_text_shown *shown, size_t lane, double begin,
	double end, struct papi_text_span *spans, size_t number);

/*
 * The dots of spans between 0 and most, 4 * rows high: two spans for each of columns characters. cells[row * columns +
 * column], row 0 above, gets what U+2800 is added to.
 */
void papi_text_plot(const struct papi_text_span *spans, size_t columns, size_t rows, double most, unsigned char *cells);

#endif
