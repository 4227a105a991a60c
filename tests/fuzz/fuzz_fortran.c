/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Strings from and to Fortran: no byte outside of what the caller gave is read or written, whatever the lengths, and
 * what comes out is what strings.h promises.
 *
 * An input is two bytes of lengths and the text. The buffers are allocated with just the size, so that the sanitizer
 * notices the first byte too many.
 */
#include <stdbool.h>
#include <string.h>

#include "fortran/strings.h"
#include "fuzz.h"

static void check_get(const char *text, size_t length, size_t size)
{
	char *from = malloc(length), *to = malloc(size);
	size_t end = strnlen(text, length);

	memcpy(from, text, length);
	while (end && text[end - 1] == ' ')
		end--;
	bool fits = end < size;
	CHECK(papi_fortran_get(to, size, from, length) == (fits ? PAPI_OK : PAPI_EINVAL));
	CHECK(strnlen(to, size) == (fits ? end : size - 1));
	CHECK(!memcmp(to, text, strlen(to)));
	CHECK(!memcmp(from, text, length));
	free(to);
	free(from);
}

static void check_put(const char *text, size_t length, size_t size)
{
	char *from = malloc(length + 1), *to = malloc(size);
	size_t end = strnlen(text, length);

	memcpy(from, text, length);
	from[length] = '\0';
	memset(to, '#', size);
	papi_fortran_put(to, size, from);
	for (size_t i = 0; i < size; i++)
		CHECK(to[i] == (i < end ? text[i] : ' '));
	free(to);
	free(from);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 2)
		return 0;
	check_get((const char *)data + 2, size - 2, (size_t)data[0] + 1);
	check_put((const char *)data + 2, size - 2, data[1]);
	return 0;
}
