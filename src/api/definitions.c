/* SPDX-License-Identifier: BSD-3-Clause */
/* Reference: PAPI_encode_events, PAPI_set_event_info. */
#include <string.h>

#include "api/api.h"
#include "events/definitions.h"
#include "events/events.h"

int PAPI_encode_events(char *event_file, int replace)
{
	int status = event_file ? papi_library_enter_alone() : papi_null_argument("PAPI_encode_events", "event_file");

	if (status == PAPI_OK) {
		status = papi_event_read_presets(event_file, replace);
		papi_library_leave();
	}
	return papi_result(status);
}

/* The fields are arrays of a struct that the caller filled: none is trusted to end with a '\0'. */
static bool ends(const char *field, size_t size)
{
	return memchr(field, '\0', size);
}

static int read_info(const PAPI_event_info_t *info, struct papi_definition_source *source, const char *terms[])
{
	int derived;

	if (!(info->event_code & (unsigned)PAPI_PRESET_MASK) || info->event_code & PAPI_NATIVE_MASK)
		return papi_error(PAPI_ENOEVNT,
			"only presets can be defined: event_code 0x%08x has no PAPI_PRESET_MASK", info->event_code);
	if (!ends(info->symbol, sizeof(info->symbol)) || !ends(info->derived, sizeof(info->derived)) ||
		!ends(info->postfix, sizeof(info->postfix)) || !ends(info->short_descr, sizeof(info->short_descr)) ||
		!ends(info->long_descr, sizeof(info->long_descr)) || !ends(info->note, sizeof(info->note)))
		return papi_error(PAPI_EINVAL, "a text of the event info does not end");
	derived = papi_derived_from_name(info->derived);
	if (derived < 0)
		return papi_error(
			PAPI_EINVAL, "derived is \"%.64s\", which is no type of derived event", info->derived);
	for (; source->n_terms < PAPI_MAX_INFO_TERMS && *info->name[source->n_terms]; source->n_terms++) {
		terms[source->n_terms] = info->name[source->n_terms];
		if (!ends(terms[source->n_terms], sizeof(info->name[0])))
			return papi_error(PAPI_EINVAL, "the name of a native event does not end");
	}
	source->symbol = info->symbol;
	source->derived = (enum papi_derived)derived;
	source->formula = info->postfix;
	source->terms = terms;
	source->short_description = info->short_descr;
	source->description = info->long_descr;
	source->note = info->note;
	return PAPI_OK;
}

int PAPI_set_event_info(PAPI_event_info_t *info, int *EventCode, int replace)
{
	struct papi_definition_source source = { 0 };
	const char *terms[PAPI_MAX_INFO_TERMS];
	int status;

	if (!papi_library_ready())
		return papi_result(papi_library_missing());
	if (!info || !EventCode)
		return papi_result(papi_null_argument("PAPI_set_event_info", info ? "EventCode" : "info"));
	status = read_info(info, &source, terms);
	if (status == PAPI_OK)
		status = papi_library_enter_alone();
	if (status == PAPI_OK) {
		status = papi_event_define(&source, replace, EventCode);
		papi_library_leave();
	}
	return papi_result(status);
}
