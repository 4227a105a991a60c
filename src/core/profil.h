/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Histograms of addresses: PAPI_profil() and PAPI_sprofil().
 *
 * A histogram has regions, each with an array of buckets that belongs to the program. An address belongs to the first
 * region that has a bucket for it; the region from address 0 with scale 2 takes all addresses that no other one has.
 * Several threads may count in one array at once. A bucket that is full stays full.
 *
 * papi_profil_count() is async-signal-safe.
 */
#ifndef PAPI_CORE_PROFIL_H
#define PAPI_CORE_PROFIL_H

#include <stdint.h>

#include "papi.h"

/* A scale is buckets per address in 1/131072; 2 is the odd one: one bucket for all. */
#define PAPI_PROFIL_SCALE_ONE   131072u
#define PAPI_PROFIL_SCALE_WHOLE 2u

struct papi_eventset;

struct papi_profil {
	int flags;
	unsigned bucket; /* bytes of one */
	unsigned n;
	uint64_t random; /* state of the generator, never 0 */
	PAPI_sprofil_t regions[];
};

/* Copies the description of the regions. PAPI_EINVAL with the reason; PAPI_ENOSUPP for flags that need hardware. */
int papi_profil_make(const PAPI_sprofil_t regions[], int n, int flags, struct papi_profil **profil);

/* Counts a sample that stands for so many thresholds: more than one where some could not be delivered. */
void papi_profil_count(struct papi_profil *profil, const void *address, uint64_t thresholds);

/* Writes all histograms of the set to a file; the caller is inside the set and has the library. PAPI_EINVAL: it has
 * none. */
int papi_profil_write(const struct papi_eventset *set, const char *path);

#endif
