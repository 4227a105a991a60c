/* SPDX-License-Identifier: BSD-3-Clause */
/* Reference: PAPI_library_init, PAPI_is_initialized, PAPI_shutdown, PAPI_set_debug, PAPI_perror, PAPI_strerror. */
#include <stdio.h>
#include <string.h>

#include "api/api.h"
#include "api/options.h"

int PAPI_library_init(int version)
{
	return papi_result(papi_library_initialise(version));
}

int PAPI_is_initialized(void)
{
	return atomic_load_explicit(&papi_library_state, memory_order_acquire);
}

void PAPI_shutdown(void)
{
	papi_library_shutdown();
	papi_options_reset();
}

int PAPI_set_debug(int level)
{
	return papi_result(papi_debug_set(level, papi_debug_handler()));
}

char *PAPI_strerror(int code)
{
	/* The signature is older than const; nobody may write there. */
	return (char *)(uintptr_t)papi_error_text(code);
}

const char *PAPI_error_detail(void)
{
	return papi_error_sentence();
}

void(PAPI_perror)(const char *message)
{
	const char *text = papi_error_text(papi_error_code()), *sentence = papi_error_sentence();

	fprintf(stderr, "%s%s%s%s%s\n", message ? message : "", message && *message ? ": " : "",
		text ? text : "unknown error", *sentence ? ": " : "", sentence);
}

int PAPI_perror_code(int code, char *destination, int length)
{
	const char *text = papi_error_text(code);

	if (!text)
		return papi_result(papi_error(PAPI_EINVAL, "%d is no error code of this library", code));
	if (length < 0 || (length && !destination))
		return papi_result(
			papi_error(PAPI_EINVAL, "PAPI_perror needs a buffer of a positive length, or length 0"));
	if (length)
		snprintf(destination, (size_t)length, "%s", text);
	else
		fprintf(stderr, "%s\n", text);
	return PAPI_OK;
}
