/* SPDX-License-Identifier: BSD-3-Clause */
#include "fortran/strings.h"

#include <string.h>

#include "base/error.h"

int papi_fortran_get(char *to, size_t size, const char *from, papif_length length)
{
	size_t used = strnlen(from, length), room = size - 1;

	while (used && from[used - 1] == ' ')
		used--;
	size_t fits = used < room ? used : room;
	memcpy(to, from, fits);
	to[fits] = '\0';
	if (fits < used)
		return papi_error(
			PAPI_EINVAL, "a name of %zu characters was given, and none is longer than %zu", used, room);
	return PAPI_OK;
}

void papi_fortran_put(char *to, papif_length length, const char *from)
{
	size_t used = strnlen(from, length);

	memcpy(to, from, used);
	memset(to + used, ' ', length - used);
}
