/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * marker LETTERS - a program that shows itself to a perfometer, and does a letter for each line that it reads:
 *
 *	p  perfometer(), and prints what it returns      r g b 0  mark_perfometer() with that colour, or the end of it
 *	[ ]  begins and ends the region "solve"          f  100 page faults
 *	x  a mark that is no colour
 *
 * It says "ready" first, and "done" after each letter. Without a line it ends.
 */
#include <papi.h>
#include <stdio.h>
#include <sys/mman.h>

static void touch(size_t pages)
{
	char *memory = mmap(NULL, pages * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return;
	madvise(memory, pages * 4096, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < pages; i++)
		((volatile char *)memory)[i * 4096] = 1;
	munmap(memory, pages * 4096);
}

static void do_letter(char letter)
{
	if (letter == 'p')
		printf("perfometer %d\n", perfometer());
	else if (letter == 'r')
		mark_perfometer(PAPI_MARK_RED);
	else if (letter == 'g')
		mark_perfometer(PAPI_MARK_GREEN);
	else if (letter == 'b')
		mark_perfometer(PAPI_MARK_RGB(0, 0, 255));
	else if (letter == '0')
		mark_perfometer(PAPI_MARK_END);
	else if (letter == 'x')
		printf("mark %d\n", mark_perfometer(-1));
	else if (letter == '[')
		PAPI_hl_region_begin("solve");
	else if (letter == ']')
		PAPI_hl_region_end("solve");
	else if (letter == 'f')
		touch(100);
}

int main(void)
{
	char line[16];

	printf("ready\n");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		do_letter(*line);
		printf("done\n");
		fflush(stdout);
	}
	return 0;
}
