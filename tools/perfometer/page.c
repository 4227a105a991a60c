/* SPDX-License-Identifier: BSD-3-Clause */
/* page.c - perfometer page: a recording as one HTML file, which shows itself. */
#include "page.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.h"
#include "options.h"
#include "perfometer.h"
#include "terminal.h"

static const struct papi_tool_option options[] = { { 0 } };

static const struct papi_tool tool = {
	.name = "perfometer page",
	.operands = "[FILE] > PAGE.html",
	.purpose = "Writes a recording of perfometer (--record) as one page for a browser, which needs nothing else. "
		   "Without FILE, or with -, the recording is read from standard input.",
	.options = options,
};

/* The first line of every recording; what follows is for the page to judge. */
static bool is_recording(const char *line)
{
	return line[0] == '{' && strstr(line, "\"type\":\"hello\"");
}

/* A line goes between the tags of a script element, where "</script>" would end it wherever it stands. */
static void print_line(const char *line, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (line[i] == '<')
			fputs("\\u003c", stdout);
		else
			putchar(line[i]);
	}
}

static void print_lines(FILE *stream, char **line, size_t *room, ssize_t length)
{
	for (; length >= 0; length = getline(line, room, stream))
		print_line(*line, (size_t)length);
	if (ferror(stream))
		papi_perfometer_say("the recording cannot be read to its end: %s", strerror(errno));
}

static bool print_page(FILE *stream, const char *name)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t length;

	errno = 0;
	length = getline(&line, &room, stream);
	if (ferror(stream)) {
		papi_perfometer_say("cannot read '%s': %s", name, strerror(errno));
	} else if (length < 0 || !is_recording(line)) {
		papi_perfometer_say("'%s' is no recording: its first line is not what --record begins with", name);
		length = -1;
	} else {
		fputs(papi_perfometer_page_begin, stdout);
		putchar('\n');
		print_lines(stream, &line, &room, length);
		putchar('\n');
		fputs(papi_perfometer_page_end, stdout);
	}
	free(line);
	return length > 0 && !ferror(stream);
}

int papi_perfometer_page(int argc, char **argv)
{
	const char *name = "standard input";
	FILE *stream = stdin;
	bool whole;

	papi_tool_begin();
	while (papi_tool_next_option(&tool, argc, argv) != -1)
		continue;
	if (argc - optind > 1)
		papi_tool_usage_error(&tool, "one recording at a time: '%s' is too much", argv[optind + 1]);
	if (!*papi_perfometer_page_begin) {
		papi_perfometer_say("this build has no page: there was no npm to fetch what draws it; build it again "
				    "where there is");
		return EXIT_FAILURE;
	}
	if (papi_terminal_is_output())
		papi_tool_usage_error(&tool,
			"the page is no text for a terminal: write it to a file (perfometer page > page.html), or let "
			"perfometer replay show it");
	if (optind < argc && strcmp(argv[optind], "-") != 0) {
		name = argv[optind];
		stream = fopen(name, "re");
	}
	if (!stream) {
		papi_perfometer_say("cannot read '%s': %s", name, strerror(errno));
		return EXIT_FAILURE;
	}
	whole = print_page(stream, name);
	if (stream != stdin)
		fclose(stream);
	return papi_tool_finish(whole ? EXIT_SUCCESS : EXIT_FAILURE);
}
