/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * moved FROM TO STEP: words on standard input, the first of which is at FROM, as papi_probe moves each to a place of
 * its own, STEP bytes behind the last's; a line for each, empty where it cannot run there.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/window.h"

int main(int argc, char **argv)
{
	unsigned char word[4], moved[PAPI_PROBE_MOVED];
	uint64_t from, to;

	if (argc != 4)
		return 2;
	from = strtoull(argv[1], NULL, 0);
	to = strtoull(argv[2], NULL, 0);
	for (; fread(word, sizeof(word), 1, stdin) == 1; from += sizeof(word), to += strtoull(argv[3], NULL, 0)) {
		size_t size = papi_probe_window_move(word, sizeof(word), from, to, moved);

		for (size_t i = 0; i < size; i += sizeof(uint32_t)) {
			uint32_t part;

			memcpy(&part, moved + i, sizeof(part));
			printf("%s%08" PRIx32, i ? " " : "", part);
		}
		putchar('\n');
	}
	return 0;
}
