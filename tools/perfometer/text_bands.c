/* SPDX-License-Identifier: BSD-3-Clause */
#include "text_bands.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "perfometer.h"

#define MOST_BANDS 8192

/* Red, green and blue are bits of the colours of terminals. */
static int nearest(unsigned long rgb)
{
	int parts[3] = { (int)(rgb >> 16 & 255), (int)(rgb >> 8 & 255), (int)(rgb & 255) };
	int most = 0, least = 255, found = 0;

	for (unsigned i = 0; i < 3; i++) {
		most = parts[i] > most ? parts[i] : most;
		least = parts[i] < least ? parts[i] : least;
	}
	if (most - least < 48)
		return 7;
	for (unsigned i = 0; i < 3; i++)
		found |= (2 * parts[i] > most + least) << i;
	return found;
}

static int colour_of(const char *name, const char *color)
{
	unsigned sum = 0;
	char *end;
	unsigned long rgb = *color == '#' ? strtoul(color + 1, &end, 16) : 0;

	if (*color == '#' && strlen(color) == 7 && !*end)
		return nearest(rgb);
	while (*name)
		sum = 31 * sum + (unsigned char)*name++;
	return 1 + (int)(sum % 6);
}

static void drop_oldest(struct papi_text_bands *bands)
{
	size_t gone = bands->number / 4;

	for (size_t i = 0; i < gone; i++)
		free(bands->list[i].name);
	bands->number -= gone;
	memmove(bands->list, bands->list + gone, bands->number * sizeof(*bands->list));
}

void papi_text_bands_begin(struct papi_text_bands *bands, double time, const char *name, const char *color, bool lasts)
{
	struct papi_text_band band = { time, lasts ? (double)INFINITY : time, papi_perfometer_format("%s", name),
		colour_of(name, color) };

	papi_escape_terminal(band.name);
	if (bands->number == MOST_BANDS)
		drop_oldest(bands);
	bands->list = papi_perfometer_allocate(bands->list, bands->number + 1, sizeof(*bands->list));
	bands->list[bands->number++] = band;
}

void papi_text_bands_end(struct papi_text_bands *bands, double time, const char *name)
{
	char *clean = papi_perfometer_format("%s", name);

	papi_escape_terminal(clean);
	for (size_t i = bands->number; i-- > 0;) {
		struct papi_text_band *band = &bands->list[i];

		if (!isinf(band->end) || (*clean && strcmp(band->name, clean) != 0))
			continue;
		band->end = time;
		break;
	}
	free(clean);
}

void papi_text_bands_free(struct papi_text_bands *bands)
{
	for (size_t i = 0; i < bands->number; i++)
		free(bands->list[i].name);
	free(bands->list);
	*bands = (struct papi_text_bands){ .number = 0 };
}
