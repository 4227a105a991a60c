/* SPDX-License-Identifier: BSD-3-Clause */
/* The body of a POST to /events: {"events": [NAME, ...]}, from anybody who has the token. */
#ifndef PAPI_PERFOMETER_REQUEST_H
#define PAPI_PERFOMETER_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#define PAPI_REQUEST_MOST 64 /* names */

struct papi_request {
	const char *names[PAPI_REQUEST_MOST];
	size_t number;
	void *parsed;
};

/* False, and why it makes no sense: then there is nothing to free. */
bool papi_request_read(struct papi_request *request, const char *text, size_t length, char *reason, size_t size);
void papi_request_free(struct papi_request *request);

#endif
