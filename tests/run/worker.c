/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * worker [EVENT...] - for each line with a number that comes in, works so much and says "done". With events it counts
 * each time from within, and says the counts instead.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "papi.h"

#define WORDS 64

static unsigned words[WORDS], copy[WORDS];

/* Branches, loads, stores, calls of libc: all of it depends on number alone. */
static unsigned long work(unsigned long number)
{
	unsigned long sum = 0;

	for (unsigned long round = 0; round < number; round++) {
		for (unsigned i = 0; i < WORDS; i++)
			words[i] = (unsigned)(round * 2654435761u + i * 40503u) >> 7;
		for (unsigned i = 1; i < WORDS; i++)
			for (unsigned k = i; k && words[k - 1] > words[k]; k--) {
				unsigned swapped = words[k];

				words[k] = words[k - 1];
				words[k - 1] = swapped;
			}
		memcpy(copy, words, sizeof(copy));
		sum += copy[round % WORDS];
	}
	return sum;
}

static void fail(const char *what, int status)
{
	fprintf(stderr, "%s: %s\n", what, PAPI_strerror(status));
	exit(EXIT_FAILURE);
}

static int prepare(char *const events[])
{
	int set = PAPI_NULL, status = PAPI_library_init(PAPI_VER_CURRENT);

	if (status != PAPI_VER_CURRENT || (status = PAPI_create_eventset(&set)) != PAPI_OK)
		fail("beginning", status);
	for (; *events; events++)
		if ((status = PAPI_add_named_event(set, *events)) != PAPI_OK)
			fail(*events, status);
	return set;
}

/* One byte at a time: nothing is read ahead. */
static int read_number(unsigned long *number)
{
	char byte;

	for (*number = 0; read(STDIN_FILENO, &byte, 1) == 1; *number = *number * 10 + (unsigned long)(byte - '0'))
		if (byte == '\n')
			return 1;
	return 0;
}

static void say(const char *text)
{
	if (write(STDOUT_FILENO, text, strlen(text)) < 0)
		exit(EXIT_FAILURE);
}

int main(int argc, char **argv)
{
	int set = argc > 1 ? prepare(argv + 1) : PAPI_NULL;
	unsigned long sum = work(3);
	long long values[16];
	unsigned long number;

	say("ready\n");
	while (read_number(&number)) {
		char text[512] = "done\n";
		size_t used = 0;

		if (set != PAPI_NULL)
			PAPI_start(set);
		sum += work(number);
		if (set != PAPI_NULL && PAPI_stop(set, values) != PAPI_OK)
			return EXIT_FAILURE;
		for (int i = 1; i < argc; i++)
			used += (size_t)snprintf(
				text + used, sizeof(text) - used, "%lld%s", values[i - 1], i + 1 < argc ? " " : "\n");
		say(text);
	}
	return sum ? EXIT_SUCCESS : EXIT_FAILURE;
}
