/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a program marks (doc/perfometer.md, mark), for a line of a terminal. Zeros are no bands. Bands own their names,
 * which a terminal may have. One thread.
 */
#ifndef PAPI_PERFOMETER_TEXT_BANDS_H
#define PAPI_PERFOMETER_TEXT_BANDS_H

#include <stdbool.h>
#include <stddef.h>

struct papi_text_band {
	double begin, end; /* the same: a moment; INFINITY: it goes on */
	char *name;
	int colour; /* of a terminal: 1 (red) to 7 (white) */
};

struct papi_text_bands {
	struct papi_text_band *list; /* in the order in which they began */
	size_t number;
};

/* color: "#rrggbb"; anything else: one that belongs to the name. */
void papi_text_bands_begin(struct papi_text_bands *bands, double time, const char *name, const char *color, bool lasts);
/* The last of that name that goes on; name "": the last. */
void papi_text_bands_end(struct papi_text_bands *bands, double time, const char *name);
void papi_text_bands_free(struct papi_text_bands *bands);

#endif
