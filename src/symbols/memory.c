/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory, or the end of the program. See memory.h. */
#include "symbols/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *check(void *memory)
{
	if (memory)
		return memory;
	fputs("there is no memory left for this\n", stderr);
	exit(EXIT_FAILURE);
}

void *papi_memory_grow(void *memory, size_t n, size_t size)
{
	return check(reallocarray(memory, n ? n : 1, size));
}

void *papi_memory_extend(void *memory, size_t n, size_t *room, size_t size)
{
	if (n < *room)
		return memory;
	*room = *room ? 2 * *room : 16;
	return papi_memory_grow(memory, *room, size);
}

void *papi_memory_zero(size_t n, size_t size)
{
	return check(calloc(n ? n : 1, size));
}

char *papi_memory_copy(const char *text)
{
	return check(strdup(text ? text : ""));
}

char *papi_memory_print(const char *format, ...)
{
	va_list arguments;
	char *text = NULL;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		text = NULL;
	va_end(arguments);
	return check(text);
}
