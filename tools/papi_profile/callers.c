/* SPDX-License-Identifier: BSD-3-Clause */
/* callers.c - papi_profile callers: by whom a function is called, and for how much of its counts. */
#include <getopt.h>
#include <stdlib.h>

#include "common.h"
#include "views.h"

enum { MINIMUM = PAPI_TOOL_LONG_ONLY };

static const struct papi_tool_option options[] = {
	{ MINIMUM, "min", "PERCENT", "leave out callers with less than this share (1)" },
	VIEW_OPTIONS,
	{ 0 },
};

static const struct papi_tool tool = {
	.name = "papi_profile callers",
	.operands = "FUNCTION [FILE]",
	.purpose = "Shows by whom a function is called: below it its callers, below each of those its own, with their "
		   "shares of what the function and all that it calls have counted. Of an exact profile its callers "
		   "alone, and how often they call it.",
	.options = options,
};

/* A function has more than its calls where it is jumped to. */
static void tell_jumps(const struct view *view, const bool *functions, const struct papi_profile_tree *tree)
{
	struct papi_profile_sums sums;
	int64_t inclusive = 0;
	char *more, *all;

	papi_profile_sums_make(view->profile, PAPI_PROFILE_BY_FUNCTION, !view->outermost, &sums);
	for (size_t i = 0; i < sums.n; i++)
		if (functions[sums.rows[i].function])
			inclusive += sums.rows[i].sums[view_event(view)].inclusive_value;
	papi_profile_sums_free(&sums);
	if (inclusive <= tree->nodes[0].value)
		return;
	more = view_number(view, view_event(view), (double)(inclusive - tree->nodes[0].value));
	all = view_number(view, view_event(view), (double)inclusive);
	printf("\n%s more, of %s inclusively, in no call: it was jumped to, inlined, or begun with\n", more, all);
	free(more);
	free(all);
}

int papi_profile_callers(int argc, char **argv)
{
	struct view view = { .tool = &tool };
	struct papi_profile_tree tree;
	double minimum = 1;
	bool *functions;
	int letter;

	while ((letter = view_next_option(&tool, argc, argv)) != -1) {
		if (letter == MINIMUM)
			minimum = view_percent(&tool, "--min", optarg);
		else
			view_take_option(&view, letter);
	}
	if (argc - optind < 1)
		papi_tool_usage_error(&tool, "of which function?");
	if (argc - optind > 2)
		papi_tool_usage_error(&tool, "one profile at a time: '%s' is too much", argv[optind + 2]);
	view_open(&view, optind + 1 < argc ? argv[optind + 1] : NULL);
	if (!view.profile->n_calls)
		view_need_contexts(&view);
	functions = view_match(&view, argv[optind]);
	if (!functions)
		view_refuse_function(&view, argv[optind]);
	view.n_events = 1;
	if (view.profile->n_calls)
		papi_profile_tree_of_calls(view.profile, view_event(&view), functions, &tree);
	else
		papi_profile_tree_make(view.profile, view_event(&view), !view.outermost, functions, &tree);
	view_print_tree_titles(&view, false);
	view_tree_print(&view, &tree, minimum, false);
	if (view.profile->n_calls)
		tell_jumps(&view, functions, &tree);
	free(functions);
	papi_profile_tree_free(&tree);
	view_close(&view);
	return papi_tool_finish(EXIT_SUCCESS);
}
