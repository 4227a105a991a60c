/* SPDX-License-Identifier: BSD-3-Clause */
/* Preloaded into a program: its heap begins SHIFT_HEAP bytes further on, and nothing else is changed. */
#include <stdlib.h>

static void *volatile shift;

__attribute__((constructor)) static void shift_heap(void)
{
	const char *size = getenv("SHIFT_HEAP");

	if (size)
		shift = malloc(strtoul(size, NULL, 10));
}
