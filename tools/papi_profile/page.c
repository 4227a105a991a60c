/* SPDX-License-Identifier: BSD-3-Clause */
/* page.c - papi_profile page: the profile as one HTML file, which shows itself. */
#include "page.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "escape.h"
#include "profile/regions.h"
#include "symbols/memory.h"
#include "terminal.h"

/* Events times regions are a list for people to choose from. */
enum { MOST_REGIONS = 20 };

enum { COMPARE = PAPI_TOOL_LONG_ONLY, NO_CODE };

static const struct papi_tool_option options[] = {
	{ COMPARE, "compare", "OTHER", "put another profile beside it, the one from before" },
	{ NO_CODE, "no-code", NULL, "leave source lines and instructions out, as of a program that is a secret" },
	VIEW_OPTIONS,
	{ 0 },
};

static const struct papi_tool tool = {
	.name = "papi_profile page",
	.operands = "[FILE] > PAGE.html",
	.purpose = "Writes a profile as one page for a browser, which needs nothing else: a histogram of events over "
		   "the program's code, functions, source, instructions and calls. profometer shows it at once.",
	.options = options,
};

/* ---- JSON inside of HTML ---- */

void page_text(const char *text)
{
	char *json = NULL;
	size_t size;
	FILE *stream;

	if (!text) {
		fputs("null", stdout);
		return;
	}
	stream = open_memstream(&json, &size);
	if (stream) {
		papi_escape_json(stream, text);
		fclose(stream);
	}
	for (const char *at = json; at && *at; at++) {
		if (*at == '<')
			fputs("\\u003c", stdout);
		else
			putchar(*at);
	}
	free(json);
}

void page_member(const char *name, const char *text)
{
	printf("\"%s\":", name);
	page_text(text);
}

/* ---- The command ---- */

static void print_profile(const struct view *view, bool with_code)
{
	struct page_data data;

	page_data_make(&data, view);
	page_print(&data, with_code);
	page_data_free(&data);
}

/* Events as far as they happened in each region, beside them: on the page, one is chosen as another. */
static void split_regions(struct view *view)
{
	struct papi_profile *profile = view->profile;
	size_t n = view->n_events, regions = papi_profile_has_regions(profile) ? profile->regions.n : 0;

	if (regions > MOST_REGIONS)
		regions = MOST_REGIONS;
	view->events = papi_memory_grow(view->events, n + n * regions + 1, sizeof(view->events[0]));
	for (size_t i = 0; i < n && !view->region; i++)
		for (size_t j = 0; j < regions; j++) {
			uint32_t made = papi_profile_region_split(profile, view->events[i], (uint32_t)j);

			if (made != PAPI_PROFILE_NONE)
				view->events[view->n_events++] = made;
		}
}

int papi_profile_page(int argc, char **argv)
{
	struct view view = { .tool = &tool }, other = { .tool = &tool };
	const char *compared = NULL;
	bool with_code = true;
	int letter;

	while ((letter = view_next_option(&tool, argc, argv)) != -1) {
		if (letter == COMPARE)
			compared = optarg;
		else if (letter == NO_CODE)
			with_code = false;
		else
			view_take_option(&view, letter);
	}
	if (argc - optind > 1)
		papi_tool_usage_error(&tool, "one profile at a time: '%s' is too much; --compare takes another one",
			argv[optind + 1]);
	if (papi_terminal_is_output())
		papi_tool_usage_error(&tool,
			"the page is no text for a terminal: write it to a file (papi_profile page > page.html), or "
			"let profometer show it");
	other.outermost = view.outermost;
	other.debug_path = view.debug_path;
	other.again = view.again;
	other.region = view.region;
	view_open(&view, optind < argc ? argv[optind] : NULL);
	split_regions(&view);
	if (compared) {
		view_open(&other, compared);
		split_regions(&other);
	}
	fputs(papi_page_begin, stdout);
	fputs("{\"profiles\":[\n", stdout);
	print_profile(&view, with_code);
	if (compared) {
		fputs(",\n", stdout);
		print_profile(&other, false);
		view_close(&other);
	}
	fputs("\n]}", stdout);
	fputs(papi_page_end, stdout);
	view_close(&view);
	return papi_tool_finish(EXIT_SUCCESS);
}
