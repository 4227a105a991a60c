/* SPDX-License-Identifier: BSD-3-Clause */
/* PAPI_VPMU=off|auto|always: whether presets are counted virtually. Its events by name can be used unless it is off. */
#ifndef PAPI_VPMU_MODE_H
#define PAPI_VPMU_MODE_H

#include <stdbool.h>
#include <stddef.h>

enum papi_vpmu_mode {
	PAPI_VPMU_OFF,
	PAPI_VPMU_AUTO, /* presets are, where no PMU of the processor can be used */
	PAPI_VPMU_ALWAYS,
	PAPI_VPMU_NONSENSE, /* treated as off, with another reason */
};

enum papi_vpmu_mode papi_vpmu_mode(void);

/* Why the mode disables the component; false: it does not. */
bool papi_vpmu_mode_forbids(char *reason, size_t size);

/* The name by which the tables of presets know the virtual PMU; PAPI_ENOEVNT when presets are not for it, or past
 * it. */
int papi_vpmu_pmu_name(unsigned position, char *name, size_t size);

#endif
