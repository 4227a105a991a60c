/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of presets: what the names mean, on any machine. What they are made of here is definitions.h. */
#ifndef PAPI_EVENTS_PRESETS_H
#define PAPI_EVENTS_PRESETS_H

#include "papi.h"

#define PAPI_PRESETS (PAPI_END & PAPI_PRESET_AND_MASK)

struct papi_preset {
	const char *symbol;
	const char *short_description;
	const char *description;
	unsigned type; /* PAPI_PRESET_BIT_* */
};

extern const struct papi_preset papi_presets[];

#endif
