/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/mode.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "base/component.h"
#include "papi.h"

static const char *const names[] = {
	[PAPI_VPMU_OFF] = "off",
	[PAPI_VPMU_AUTO] = "auto",
	[PAPI_VPMU_ALWAYS] = "always",
};

static const char *text(void)
{
	return secure_getenv("PAPI_VPMU");
}

enum papi_vpmu_mode papi_vpmu_mode(void)
{
	const char *value = text();

	if (!value || !*value)
		return PAPI_VPMU_AUTO;
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcasecmp(names[i], value))
			return (enum papi_vpmu_mode)i;
	return PAPI_VPMU_NONSENSE;
}

bool papi_vpmu_mode_forbids(char *reason, size_t size)
{
	switch (papi_vpmu_mode()) {
	case PAPI_VPMU_OFF:
		snprintf(reason, size, "PAPI_VPMU=off has switched it off");
		return true;
	case PAPI_VPMU_NONSENSE:
		snprintf(reason, size, "PAPI_VPMU is \"%.32s\", and should be off, auto or always", text());
		return true;
	default:
		return false;
	}
}

/* A PMU that libpfm4 is forced to take for this machine's is there to look at its events, with presets and all. */
int papi_vpmu_pmu_name(unsigned position, char *name, size_t size)
{
	enum papi_vpmu_mode mode = papi_vpmu_mode();
	bool usable = papi_component_cpu_counters() == PAPI_CPU_COUNTERS_USABLE;
	bool wanted = mode == PAPI_VPMU_ALWAYS ||
		(mode == PAPI_VPMU_AUTO && !usable && !secure_getenv("LIBPFM_FORCE_PMU"));

	if (position > 0 || !wanted)
		return PAPI_ENOEVNT;
	snprintf(name, size, "vpmu");
	return PAPI_OK;
}
