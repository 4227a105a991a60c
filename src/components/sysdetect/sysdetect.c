/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/sysdetect/sysdetect.h"

#include "base/error.h"

static PAPI_component_info_t info = {
	.name = "sysdetect",
	.short_name = "sysdetect",
	.description = "The devices of the machine, for PAPI_enum_dev_type; it has no events",
	.version = "7.0",
	.default_domain = PAPI_DOM_USER,
	.available_domains = PAPI_DOM_ALL,
	.default_granularity = PAPI_GRN_THR,
	.available_granularities = PAPI_GRN_THR,
};

static int event_name(unsigned position, char *name, size_t size)
{
	(void)position;
	(void)name;
	(void)size;
	return PAPI_ENOEVNT;
}

/* The one way to a control of this component, and it is closed: the operations on controls are never called. */
static int resolve(const char *name, void **encoding)
{
	*encoding = NULL;
	return papi_error(
		PAPI_ENOEVNT, "component sysdetect has no event \"%.64s\", nor any other: it describes devices", name);
}

static int describe(const char *name, const void *encoding, PAPI_event_info_t *event)
{
	(void)encoding;
	(void)event;
	return papi_error(PAPI_ENOEVNT, "component sysdetect has no event \"%.64s\"", name);
}

const struct papi_component papi_sysdetect_component = {
	.info = &info,
	.event_name = event_name,
	.resolve = resolve,
	.describe = describe,
};
