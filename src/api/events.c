/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reference: PAPI_query_event, PAPI_event_name_to_code, PAPI_event_code_to_name, PAPI_enum_event, PAPI_get_event_info.
 */
#include <stdio.h>
#include <string.h>

#include "api/api.h"
#include "events/events.h"

static int query_code(int code)
{
	struct papi_event event;

	return papi_event_get(code, &event);
}

int PAPI_query_event(int EventCode)
{
	int status = papi_library_enter();

	if (status == PAPI_OK) {
		status = query_code(EventCode);
		papi_library_leave();
	}
	return papi_result(status);
}

int PAPI_query_named_event(const char *EventName)
{
	int code, status;

	if (!EventName)
		return papi_result(papi_null_argument("PAPI_query_named_event", "EventName"));
	status = papi_library_enter();
	if (status == PAPI_OK) {
		status = papi_event_code(EventName, &code);
		if (status == PAPI_OK)
			status = query_code(code);
		papi_library_leave();
	}
	return papi_result(status);
}

int PAPI_event_name_to_code(const char *in, int *out)
{
	int status;

	if (!in || !out)
		return papi_result(papi_null_argument("PAPI_event_name_to_code", in ? "out" : "in"));
	status = papi_library_enter();
	if (status == PAPI_OK) {
		status = papi_event_code(in, out);
		papi_library_leave();
	}
	return papi_result(status);
}

int PAPI_event_code_to_name(int EventCode, char *out)
{
	const char *name;
	int status;

	if (!out)
		return papi_result(papi_null_argument("PAPI_event_code_to_name", "out"));
	status = papi_library_enter();
	if (status != PAPI_OK)
		return papi_result(status);
	name = papi_event_name(EventCode);
	if (!name)
		status = papi_error_code();
	else if (snprintf(out, PAPI_MAX_STR_LEN, "%s", name) >= PAPI_MAX_STR_LEN)
		status = papi_error(PAPI_EBUF,
			"the name has %zu characters and PAPI_event_code_to_name gives at most %d; "
			"PAPI_get_event_info has all of it",
			strlen(name), PAPI_MAX_STR_LEN - 1);
	papi_library_leave();
	return papi_result(status);
}

static int enumerate(int *code, int modifier, int component)
{
	int status;

	if (!code)
		return papi_null_argument("PAPI_enum_event", "EventCode");
	status = papi_library_enter();
	if (status == PAPI_OK) {
		status = component == -1 || papi_component_get(component)
			? papi_event_enumerate(code, modifier, component)
			: PAPI_ENOCMP;
		papi_library_leave();
	}
	return status;
}

/* The end of a listing is not an error worth a message, though its code is one: no papi_result(). */
int PAPI_enum_event(int *EventCode, int modifier)
{
	return enumerate(EventCode, modifier, -1);
}

int PAPI_enum_cmp_event(int *EventCode, int modifier, int cidx)
{
	if (cidx < 0)
		return papi_component_get(cidx) ? PAPI_EBUG : papi_result(PAPI_ENOCMP);
	return enumerate(EventCode, modifier, cidx);
}

int PAPI_get_event_info(int EventCode, PAPI_event_info_t *info)
{
	int status;

	if (!info)
		return papi_result(papi_null_argument("PAPI_get_event_info", "info"));
	status = papi_library_enter();
	if (status == PAPI_OK) {
		status = papi_event_describe(EventCode, info);
		papi_library_leave();
	}
	return papi_result(status);
}

int PAPI_get_event_component(int EventCode)
{
	int status = papi_library_enter();

	if (status == PAPI_OK) {
		status = papi_event_component(EventCode);
		papi_library_leave();
	}
	return papi_result(status);
}
