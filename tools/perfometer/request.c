/* SPDX-License-Identifier: BSD-3-Clause */
#include "request.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#define LONGEST_NAME 256

static bool read_names(struct papi_request *request, const json_t *names, char *reason, size_t size)
{
	request->number = json_array_size(names);
	if (!json_is_array(names))
		snprintf(reason, size, "the request has no list \"events\"");
	else if (!request->number)
		snprintf(reason, size, "the list of events is empty: name one at least");
	else if (request->number > PAPI_REQUEST_MOST)
		snprintf(reason, size, "so many events are too much: name %d at most", PAPI_REQUEST_MOST);
	else
		*reason = '\0';
	for (size_t i = 0; !*reason && i < request->number; i++) {
		const json_t *name = json_array_get(names, i);

		request->names[i] = json_string_value(name);
		if (!request->names[i] || !json_string_length(name) || json_string_length(name) > LONGEST_NAME)
			snprintf(reason, size, "what stands in the list of events is no name");
	}
	return !*reason;
}

bool papi_request_read(struct papi_request *request, const char *text, size_t length, char *reason, size_t size)
{
	json_error_t error;
	json_t *parsed = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);

	*request = (struct papi_request){ .number = 0 };
	if (!parsed) {
		snprintf(reason, size, "the request is not JSON: %s", error.text);
		return false;
	}
	request->parsed = parsed;
	if (read_names(request, json_object_get(parsed, "events"), reason, size))
		return true;
	papi_request_free(request);
	return false;
}

void papi_request_free(struct papi_request *request)
{
	json_decref(request->parsed);
	*request = (struct papi_request){ .number = 0 };
}
