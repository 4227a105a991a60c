/* SPDX-License-Identifier: BSD-3-Clause */
/* For heap.py, at a fixed address: whether its heap can grow by as many megabytes as are asked for, from wherever the
 * kernel lets it begin. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	size_t size = argc > 1 ? strtoul(argv[1], NULL, 0) << 20 : 0;
	char *heap = sbrk((intptr_t)size);

	if (!size || heap == (void *)-1) { /* NOLINT(performance-no-int-to-ptr): what sbrk(2) says */
		printf("no %zu bytes behind %p\n", size, sbrk(0));
		return 1;
	}
	memset(heap, 1, 4096);
	memset(heap + size - 4096, 1, 4096);
	return 0;
}
