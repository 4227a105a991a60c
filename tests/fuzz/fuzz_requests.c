/* SPDX-License-Identifier: BSD-3-Clause */
/* What is POSTed to perfometer: any bytes are a list of names, or refused with a sentence. */
#include <string.h>

#include "fuzz.h"
#include "perfometer/request.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct papi_request request;
	char reason[64], *text = malloc(size + 1);

	CHECK(text);
	memcpy(text, data, size);
	text[size] = '\0';
	memset(reason, 'x', sizeof(reason));
	if (papi_request_read(&request, text, size, reason, sizeof(reason))) {
		CHECK(request.number > 0 && request.number <= PAPI_REQUEST_MOST);
		for (size_t i = 0; i < request.number; i++)
			CHECK(*request.names[i] && strlen(request.names[i]) <= size);
		papi_request_free(&request);
	} else {
		CHECK(memchr(reason, '\0', sizeof(reason)) && *reason);
	}
	free(text);
	return 0;
}
