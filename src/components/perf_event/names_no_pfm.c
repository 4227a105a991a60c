/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * In place of names_pfm.c when the library is built without libpfm4: the listing is that of the kernel's generic events
 * (names_generic.c), and everything else has its kernel name, its raw code or its tracepoint.
 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "components/perf_event/encoding.h"

void papi_perf_pfm_prepare(void)
{
}

const char *papi_perf_pfm_absence(void)
{
	return "this library was built without libpfm4, which knows the names of the processor's events";
}

int papi_perf_pfm_resolve(const char *name, struct papi_perf_encoding **encoding)
{
	(void)name;
	(void)encoding;
	return PAPI_ECMP;
}

int papi_perf_pfm_event(unsigned position, char *name, size_t size)
{
	return papi_perf_generic_event(position, name, size);
}

int papi_perf_pfm_mask(const char *event, unsigned position, char *name, size_t size)
{
	(void)event;
	(void)position;
	(void)name;
	(void)size;
	return PAPI_ENOEVNT;
}

int papi_perf_pfm_pmu(unsigned position, char *name, size_t size)
{
	(void)position;
	(void)name;
	(void)size;
	return PAPI_ENOEVNT;
}

int papi_perf_pfm_describe(const char *name, PAPI_event_info_t *info)
{
	(void)info;
	return papi_error(PAPI_ENOEVNT, "%s: this library was built without libpfm4", name);
}

void papi_perf_pfm_survey(PAPI_component_info_t *info)
{
	(void)info;
}

void papi_perf_pfm_shutdown(void)
{
}
