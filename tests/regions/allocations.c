/* SPDX-License-Identifier: BSD-3-Clause */
/* Regions that have been there before allocate nothing. */
#include <papi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "sanitizers.h"

#if ADDRESS_SANITIZER || THREAD_SANITIZER || !defined(__GLIBC__)
int main(void)
{
	puts("the allocator of a sanitizer, or of another C library, cannot be counted");
	return 77;
}
#else

/* Stands in for the C library's in the library, too. */
#pragma GCC visibility push(default)

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *block, size_t size);

static unsigned long allocations;

void *malloc(size_t size)
{
	allocations++;
	return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	allocations++;
	return __libc_calloc(n, size);
}

void *realloc(void *block, size_t size)
{
	allocations++;
	return __libc_realloc(block, size);
}

#pragma GCC visibility pop

static int nest(int depth)
{
	static const char *const names[] = { "outer", "middle", "inner", "innermost" };
	int status = 0;

	for (int i = 0; i < 3; i++) {
		status |= PAPI_hl_region_begin(names[depth]);
		status |= PAPI_hl_read(names[depth]);
		if (depth < 3)
			status |= nest(depth + 1);
		status |= PAPI_hl_region_end(names[depth]);
	}
	return status;
}

int main(void)
{
	unsigned long first, later;
	int status = nest(0);

	first = allocations;
	for (int i = 0; i < 20; i++)
		status |= nest(0);
	later = allocations - first;
	if (status)
		printf("a call failed: %s\n", PAPI_error_detail());
	/* Or it is not the allocator that the library uses. */
	if (!first)
		puts("nothing was allocated at all");
	if (later)
		printf("%lu allocations after the first round\n", later);
	return status || !first || later;
}
#endif
