/* SPDX-License-Identifier: BSD-3-Clause */
/* targets.c - where direct branches of a module go: a bit for each byte of its code. See window.h. */
#include "probes/targets.h"

#include <stdlib.h>

bool papi_probe_targets_begin(struct papi_probe_targets *targets, uint64_t low, uint64_t high)
{
	*targets = (struct papi_probe_targets){ .low = low, .high = high };
	targets->bits = calloc((high - low) / 8 + 1, 1);
	return targets->bits;
}

void papi_probe_targets_end(struct papi_probe_targets *targets)
{
	free(targets->bits);
	targets->bits = NULL;
}

void papi_probe_targets_mark(struct papi_probe_targets *targets, uint64_t address)
{
	if (address >= targets->low && address < targets->high)
		targets->bits[(address - targets->low) / 8] |= (unsigned char)(1u << (address - targets->low) % 8);
}

bool papi_probe_targets_have(const struct papi_probe_targets *targets, uint64_t address)
{
	if (address < targets->low || address >= targets->high)
		return false;
	return targets->bits[(address - targets->low) / 8] >> (address - targets->low) % 8 & 1;
}
