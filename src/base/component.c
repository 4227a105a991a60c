/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/component.h"

#include <string.h>

#include "base/error.h"

const struct papi_component *papi_component_get(int index)
{
	if (index >= 0 && index < papi_component_count)
		return papi_components[index];
	papi_error(PAPI_ENOCMP, "component index %d: there are %d components, 0 to %d", index, papi_component_count,
		papi_component_count - 1);
	return NULL;
}

int papi_component_find(const char *name)
{
	for (int i = 0; i < papi_component_count; i++)
		if (!strcmp(papi_components[i]->info->name, name) ||
			!strcmp(papi_components[i]->info->short_name, name))
			return i;
	return papi_error(PAPI_ENOCMP, "no component is named \"%.64s\"; papi_component_avail lists them", name);
}

/* A component that has a name for the tables of presets counts presets, which are the CPU's. */
int papi_component_stand_in(void)
{
	char name[PAPI_MAX_STR_LEN];

	for (int i = 1; i < papi_component_count; i++)
		if (papi_components[i]->pmu_name && papi_components[i]->pmu_name(0, name, sizeof(name)) == PAPI_OK)
			return i;
	return -1;
}

enum papi_cpu_counters papi_component_cpu_counters(void)
{
	for (int i = 0; i < papi_component_count; i++) {
		enum papi_cpu_counters counters;

		if (!papi_components[i]->cpu_counters)
			continue;
		counters = papi_components[i]->cpu_counters();
		/* Nobody reaches them where the program has disabled their component. */
		return counters == PAPI_CPU_COUNTERS_USABLE && papi_component_check(papi_components[i]) != PAPI_OK
			? PAPI_CPU_COUNTERS_NONE
			: counters;
	}
	return PAPI_CPU_COUNTERS_NONE;
}

const char *papi_component_no_stand_in(void)
{
	for (int i = 1; i < papi_component_count; i++)
		if (papi_components[i]->pmu_name && papi_components[i]->info->disabled &&
			papi_component_cpu_counters() == PAPI_CPU_COUNTERS_NONE)
			return papi_components[i]->info->disabled_reason;
	return NULL;
}

void papi_component_tell_region(const char *name)
{
	for (int i = 0; i < papi_component_count; i++)
		if (papi_components[i]->translator)
			papi_components[i]->translator->region(name);
}

int papi_component_check(const struct papi_component *component)
{
	if (component->info->disabled)
		return papi_error(PAPI_ECMP_DISABLED, "component %s is disabled: %s", component->info->name,
			component->info->disabled_reason);
	return PAPI_OK;
}
