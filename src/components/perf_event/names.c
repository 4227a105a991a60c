/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of the perf_event component: which form a name has, listings, descriptions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "components/perf_event/encoding.h"
#include "components/perf_event/reasons.h"

struct papi_perf_encoding *papi_perf_encoding_make(enum papi_perf_form form, unsigned n_cpus)
{
	struct papi_perf_encoding *encoding = calloc(1, sizeof(*encoding) + n_cpus * sizeof(encoding->cpus[0]));

	if (!encoding) {
		papi_error(PAPI_ENOMEM, "no memory for an event");
		return NULL;
	}
	encoding->form = form;
	encoding->n_cpus = n_cpus;
	encoding->attr.size = sizeof(encoding->attr);
	return encoding;
}

int papi_perf_resolve(const char *name, void **encoding)
{
	static int (*const forms[])(const char *name, struct papi_perf_encoding **encoding) = {
		papi_perf_breakpoint_resolve,
		papi_perf_sysfs_resolve,
		papi_perf_raw_resolve,
		papi_perf_generic_resolve,
		papi_perf_pfm_resolve,
		papi_perf_bare_resolve,
		papi_perf_tracepoint_resolve,
	};
	const char *absence;

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct papi_perf_encoding *made;
		int status = forms[i](name, &made);

		if (status == PAPI_OK)
			*encoding = made;
		if (status != PAPI_ECMP)
			return status;
	}
	absence = papi_perf_pfm_absence();
	return papi_error(PAPI_ENOEVNT,
		"no event is named \"%.128s\"; papi_native_avail and papi_avail list those there are%s%s", name,
		absence ? ": " : "", absence ? absence : "");
}

void papi_perf_release(void *encoding)
{
	free(encoding);
}

/* libpfm4's events, then the kernel's. */
int papi_perf_event_name(unsigned position, char *name, size_t size)
{
	static unsigned n_pfm;

	if (papi_perf_pfm_event(position, name, size) == PAPI_OK) {
		if (position >= n_pfm)
			n_pfm = position + 1;
		return PAPI_OK;
	}
	while (papi_perf_pfm_event(n_pfm, name, size) == PAPI_OK)
		n_pfm++;
	while (n_pfm && papi_perf_pfm_event(n_pfm - 1, name, size) != PAPI_OK)
		n_pfm--;
	return papi_perf_sysfs_event(position - n_pfm, name, size);
}

int papi_perf_mask_name(const char *event, unsigned position, char *name, size_t size)
{
	return papi_perf_pfm_mask(event, position, name, size);
}

static const char *worth(const struct papi_perf_encoding *encoding)
{
	if (encoding->n_cpus)
		return "counted on the whole package, whatever runs there";
	if (atomic_load(&encoding->any_mode))
		return encoding->form == PAPI_PERF_SYSFS
			? "exact; user and kernel mode together, the PMU cannot tell them apart"
			: "exact; happens in the kernel and is counted in any domain";
	if (encoding->core)
		return "exact, as the hardware counts it";
	return "exact";
}

/* Puts the words for a software event before what libpfm4 said of its masks, if anything. */
static void describe_software(const char *description, PAPI_event_info_t *info)
{
	char masks[PAPI_HUGE_STR_LEN], *found = strstr(info->long_descr, ", masks:");

	snprintf(masks, sizeof(masks), "%s", found ? found : "");
	snprintf(info->long_descr, sizeof(info->long_descr), "%s%.512s", description, masks);
}

int papi_perf_describe(const char *name, const void *pointer, PAPI_event_info_t *info)
{
	const struct papi_perf_encoding *encoding = pointer;
	bool known = papi_perf_pfm_describe(name, info) == PAPI_OK;

	if (!known && encoding)
		snprintf(info->long_descr, sizeof(info->long_descr), "%s", encoding->summary);
	else if (!known)
		snprintf(info->long_descr, sizeof(info->long_descr), "%s", name);
	if (encoding && papi_perf_software_description(encoding))
		describe_software(papi_perf_software_description(encoding), info);
	snprintf(info->short_descr, sizeof(info->short_descr), "%.63s", info->long_descr);
	info->location = PAPI_LOCATION_CPU;
	if (encoding) {
		snprintf(info->units, sizeof(info->units), "%s", encoding->unit);
		snprintf(info->note, sizeof(info->note), "%s", worth(encoding));
		info->code[0] = (unsigned)encoding->attr.config;
	}
	return PAPI_OK;
}

void papi_perf_names_survey(PAPI_component_info_t *info)
{
	char name[PAPI_HUGE_STR_LEN];
	unsigned n = 0;

	while (papi_perf_event_name(n, name, sizeof(name)) == PAPI_OK)
		n++;
	info->num_native_events = (int)n;
	papi_perf_pfm_survey(info);
}

void papi_perf_names_shutdown(void)
{
	papi_perf_pfm_shutdown();
	papi_perf_sysfs_shutdown();
	papi_perf_core_pmu_forget();
}
