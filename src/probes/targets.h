/* SPDX-License-Identifier: BSD-3-Clause */
/* Where direct branches of a module go (window.h): what the code of a processor notes down, and asks. */
#ifndef PAPI_PROBES_TARGETS_H
#define PAPI_PROBES_TARGETS_H

#include "probes/window.h"

/* An address outside of the module is nobody's. */
void papi_probe_targets_mark(struct papi_probe_targets *targets, uint64_t address);
bool papi_probe_targets_have(const struct papi_probe_targets *targets, uint64_t address);

#endif
