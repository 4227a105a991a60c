/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frequencies of the CPUs, as the machine of papi_linux_root() tells them. Nothing is kept, and finding them reads
 * some ten files: ask once. Any thread may call this.
 */
#ifndef PAPI_LINUX_TIME_FREQUENCY_H
#define PAPI_LINUX_TIME_FREQUENCY_H

/* In MHz, over all CPUs; the same number twice where one alone is known, and 0 where none is. */
struct papi_frequencies {
	double min, max;
};

void papi_frequency_find(struct papi_frequencies *range);

#endif
