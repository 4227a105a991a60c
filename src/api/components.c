/* SPDX-License-Identifier: BSD-3-Clause */
/* Reference: PAPI_get_substrate_info, PAPI_num_hwctrs; components are of the 7.0 interface. */
#include "api/api.h"
#include "events/events.h"

int PAPI_num_components(void)
{
	return papi_component_count;
}

int PAPI_get_component_index(const char *name)
{
	return papi_result(name ? papi_component_find(name) : papi_null_argument("PAPI_get_component_index", "name"));
}

/*
 * The expensive facts are gathered when the description is first asked for. Before PAPI_library_init() there are names
 * and indexes, for programs that choose then which components they disable.
 */
static const PAPI_component_info_t *surveyed(int cidx)
{
	const struct papi_component *component = papi_component_get(cidx);

	if (component && !papi_library_ready() && papi_library_describe(cidx))
		return component->info;
	if (!component || papi_library_enter() != PAPI_OK)
		return NULL;
	papi_events_survey(cidx);
	papi_library_leave();
	return component->info;
}

const PAPI_component_info_t *PAPI_get_component_info(int cidx)
{
	return surveyed(cidx);
}

const PAPI_substrate_info_t *PAPI_get_substrate_info(void)
{
	return surveyed(0);
}

int PAPI_num_cmp_hwctrs(int cidx)
{
	return PAPI_get_cmp_opt(PAPI_MAX_HWCTRS, NULL, cidx);
}

int PAPI_num_hwctrs(void)
{
	return PAPI_num_cmp_hwctrs(0);
}

int PAPI_disable_component(int cidx)
{
	return papi_result(papi_library_disable(cidx));
}

int PAPI_disable_component_by_name(const char *name)
{
	int cidx = name ? papi_component_find(name) : papi_null_argument("PAPI_disable_component_by_name", "name");

	return papi_result(cidx < 0 ? cidx : papi_library_disable(cidx));
}
