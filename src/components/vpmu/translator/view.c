/* SPDX-License-Identifier: BSD-3-Clause */
/* The process as translation sees it. */
#include "components/vpmu/translator/view.h"

#include "components/vpmu/translator/functions.h"
#include "components/vpmu/translator/library.h"
#include "components/vpmu/translator/maps.h"
#include "components/vpmu/translator/tracer.h"

static uint64_t executable_until(const struct papi_vpmu_view *view, uint64_t address)
{
	(void)view;
	return papi_vpmu_maps_executable_until(address);
}

static bool may_change(const struct papi_vpmu_view *view, uint64_t address)
{
	(void)view;
	return papi_vpmu_maps_may_change(address);
}

static bool is_library(const struct papi_vpmu_view *view, uint64_t address)
{
	(void)view;
	return papi_vpmu_library_holds(address);
}

static bool is_engine(const struct papi_vpmu_view *view, uint64_t address)
{
	(void)view;
	return papi_vpmu_library_is_engine(address);
}

/* The dispatcher guards translation: where that is no memory, the instruction is run natively, alone. */
static bool load(const struct papi_vpmu_view *view, uint64_t address, uint64_t *value)
{
	(void)view;
	*value = *(const uint64_t *)(uintptr_t)address;
	return true;
}

static bool owns_breakpoints(const struct papi_vpmu_view *view)
{
	(void)view;
	return papi_vpmu_tracer_owns_breakpoints();
}

static bool begins_another(const struct papi_vpmu_view *view, uint64_t site, uint64_t target)
{
	(void)view;
	return papi_vpmu_functions_begins_another(site, target);
}

static bool is_no_stub(const struct papi_vpmu_view *view, uint64_t pc)
{
	(void)view;
	return papi_vpmu_functions_is_no_stub(pc);
}

const struct papi_vpmu_view papi_vpmu_process = {
	.executable_until = executable_until,
	.may_change = may_change,
	.is_library = is_library,
	.is_engine = is_engine,
	.load = load,
	.owns_breakpoints = owns_breakpoints,
	.begins_another = begins_another,
	.is_no_stub = is_no_stub,
};
