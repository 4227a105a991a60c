/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gives the addresses of a profile their names: functions, lines, inlined code. They are written to the store where
 * that can be, so that each is looked for once. Addresses of modules that are gone, or are not what ran, are
 * named by their offsets for now, and asked for again next time.
 */
#ifndef PAPI_PROFILE_NAMES_H
#define PAPI_PROFILE_NAMES_H

#include "profile/profile.h"

struct papi_profile_naming {
	const char *debug_path; /* directories with debug information, "dir:dir"; NULL for the usual ones */
	bool again;             /* forget what the store has */
	/* Called now and then while it works; NULL: nobody waits. */
	void (*progress)(size_t done, size_t all);
};

/* Afterwards each address has a place. */
void papi_profile_name(struct papi_profile *profile, const struct papi_profile_naming *naming);

/* Opens the module for its names and code; NULL if that cannot be, with a sentence in reason. */
struct papi_symbols *papi_profile_symbols(
	const struct papi_profile *profile, uint32_t module, const char *debug_path, char *reason, size_t size);

#endif
