/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of substrates. Its order is that of the component indexes; 0 is the CPU's. */
#include "base/component.h"
#include "components/perf_event/perf_event.h"
#include "components/rusage/rusage.h"
#include "components/sde/sde.h"
#include "components/sysdetect/sysdetect.h"
#include "components/vpmu/vpmu.h"

const struct papi_component *const papi_components[] = {
	&papi_perf_event_component,
	&papi_rusage_component,
	&papi_sde_component,
	&papi_sysdetect_component,
	&papi_vpmu_component,
};

const int papi_component_count = (int)(sizeof(papi_components) / sizeof(papi_components[0]));
