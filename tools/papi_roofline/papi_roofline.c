/* SPDX-License-Identifier: BSD-3-Clause */
/* papi_roofline: the peaks of this machine, measured once and kept. */
#include "papi_roofline/papi_roofline.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common.h"

static const struct papi_tool_option options[] = {
	{ 'f', "format", "FORMAT", "text (for people), json or csv" },
	{ 'm', "measure", NULL, "measure, also where that has been done before: it takes some seconds" },
	{ 0 },
};

const struct papi_tool papi_roofline_tool = {
	.name = "papi_roofline",
	.purpose = "Measures what this machine can do at most: bytes in a second from each cache and from memory, and\n"
		   "floating-point operations in a second, on one CPU and on all.",
	.options = options,
};

typedef void (*printer)(FILE *out, const struct papi_roofline *roofline);

static printer parse_format(const char *text)
{
	if (strcmp(text, "text") == 0)
		return papi_roofline_text;
	if (strcmp(text, "json") == 0)
		return papi_roofline_json;
	if (strcmp(text, "csv") == 0)
		return papi_roofline_csv;
	papi_tool_usage_error(&papi_roofline_tool, "--format takes text, json or csv, not '%s'", text);
}

int main(int argc, char **argv)
{
	static struct papi_roofline roofline;
	printer print = papi_roofline_text;
	bool measure = false;
	int letter;

	papi_tool_begin();
	while ((letter = papi_tool_next_option(&papi_roofline_tool, argc, argv)) != -1) {
		if (letter == 'f')
			print = parse_format(optarg);
		else if (letter == 'm')
			measure = true;
	}
	papi_tool_init();
	papi_roofline_describe(&roofline);
	if (measure || !papi_roofline_load(&roofline)) {
		roofline.when = (long long)time(NULL);
		if (!papi_roofline_find(&roofline))
			return papi_tool_finish(EXIT_FAILURE);
		papi_roofline_keep(&roofline);
	}
	print(stdout, &roofline);
	return papi_tool_finish(EXIT_SUCCESS);
}
