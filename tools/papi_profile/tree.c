/* SPDX-License-Identifier: BSD-3-Clause */
/* tree.c - papi_profile tree: who calls what, from where programs begin. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "symbols/memory.h"
#include "terminal.h"
#include "text.h"
#include "views.h"

enum { MINIMUM = PAPI_TOOL_LONG_ONLY };

/* Of the columns of a terminal: what indentation may take, what numbers take, and that of calls besides. */
enum { DEEPEST = 36, NUMBERS = 26, CALLS = 10 };

static const struct papi_tool_option options[] = {
	{ MINIMUM, "min", "PERCENT", "leave out calls with less than this share (1)" },
	VIEW_OPTIONS,
	{ 0 },
};

static const struct papi_tool tool = {
	.name = "papi_profile tree",
	.operands = "[FILE]",
	.purpose =
		"Shows the calls of a profile as a tree, from where the program begins. The first share is that of a "
		"call with all that it calls, the second that of the function itself.",
	.options = options,
};

/* Exact profiles know how often functions were called by others. */
static bool has_calls(const struct view *view, bool with_self)
{
	return !with_self && view->profile->n_calls;
}

static int calls_width(void)
{
	return papi_terminal_is_output() ? CALLS - 2 : 20;
}

static void print_node(
	const struct view *view, const struct papi_profile_tree *tree, uint32_t at, int depth, bool with_self)
{
	const struct papi_profile_node *node = &tree->nodes[at];
	const char *name = view->profile->functions.items[node->function].name;
	uint32_t event = view_event(view);
	double whole = (double)tree->nodes[0].value;
	bool terminal = papi_terminal_is_output(), calls = has_calls(view, with_self);
	int indent = terminal && 2 * depth > DEEPEST ? DEEPEST : 2 * depth;
	char *value = view_number(view, event, (double)node->value);
	char *share = view_share((double)node->value, whole), *own = view_share((double)node->own, whole);
	char *shown = terminal
		? view_shorten(name, (size_t)(PAPI_TEXT_WIDTH - NUMBERS - (calls ? CALLS : 0) - 2 - indent))
		: view_clean(name);

	if (calls) {
		/* Events of exact profiles have no unit, as calls have none. */
		char *times = view_number(view, event, (double)node->samples);

		printf("%*s  ", calls_width(), times);
		free(times);
	}
	printf("%*s %7s%s%*s  %*s%s\n", terminal ? NUMBERS - 16 : 20, value, share, with_self ? " " : "",
		with_self ? 7 : 0, with_self ? own : "", indent, "", shown);
	free(value);
	free(share);
	free(own);
	free(shown);
}

/* Without recursion: a path of calls may be as deep as it likes. */
void view_tree_print(const struct view *view, const struct papi_profile_tree *tree, double minimum, bool with_self)
{
	double limit = minimum / 100 * (double)tree->nodes[0].value;
	double fewest = minimum / 100 * (double)tree->nodes[0].samples;
	bool calls = has_calls(view, with_self);
	uint32_t at = tree->nodes[0].child;
	int depth = 0;

	while (at != PAPI_PROFILE_NONE) {
		const struct papi_profile_node *node = &tree->nodes[at];
		bool shown = (double)node->value >= limit || (calls && (double)node->samples >= fewest);

		if (shown)
			print_node(view, tree, at, depth, with_self);
		if (shown && node->child != PAPI_PROFILE_NONE) {
			at = node->child;
			depth++;
			continue;
		}
		/* Its further siblings have less, but for calls. */
		while (at != 0 && (tree->nodes[at].next == PAPI_PROFILE_NONE || !(shown || calls))) {
			at = tree->nodes[at].parent;
			shown = true;
			depth--;
		}
		at = at == 0 ? PAPI_PROFILE_NONE : tree->nodes[at].next;
	}
}

void view_need_contexts(const struct view *view)
{
	if (papi_profile_has_contexts(view->profile))
		return;
	if (view->region && !view->profile->calls_by_region && strcmp(view->profile->run.source, "exact") == 0)
		fprintf(stderr,
			"%s: an older PAPI has recorded this profile, without the regions of calls: leave out "
			"--region, or record it again\n",
			view->tool->name);
	else if (view->profile->n_calls)
		fprintf(stderr,
			"%s: an exact profile has who calls a function, which papi_profile callers shows, but not by "
			"which ways it was reached: record it with --contexts for these\n",
			view->tool->name);
	else
		fprintf(stderr, "%s: the profile does not have who called what: record it with %s\n", view->tool->name,
			strcmp(view->profile->run.source, "exact") == 0
				? "events that take five exact counters at most (and on arm64 none of "
				  "which is modelled), without -g none"
				: "-g fp or -g dwarf");
	exit(EXIT_FAILURE);
}

void view_print_tree_titles(const struct view *view, bool with_self)
{
	int width = papi_terminal_is_output() ? NUMBERS - 16 : 20;
	char *title = papi_memory_print("%*s %7s%s  Function", width, "Value", "Share", with_self ? "    Self" : "");
	char *calls = has_calls(view, with_self) ? papi_memory_print("%*s  ", calls_width(), "Calls")
						 : papi_memory_copy("");
	char *line = papi_memory_print("%s%s", calls, title);

	view_print_heading(view);
	putchar('\n');
	papi_terminal_print(stdout, papi_terminal_has_colours(fileno(stdout)), PAPI_COLOUR_TITLE, line);
	putchar('\n');
	free(title);
	free(calls);
	free(line);
}

int papi_profile_tree(int argc, char **argv)
{
	struct view view = { .tool = &tool };
	struct papi_profile_tree tree;
	double minimum = 1;
	int letter;

	while ((letter = view_next_option(&tool, argc, argv)) != -1) {
		if (letter == MINIMUM)
			minimum = view_percent(&tool, "--min", optarg);
		else
			view_take_option(&view, letter);
	}
	if (argc - optind > 1)
		papi_tool_usage_error(&tool, "one profile at a time: '%s' is too much", argv[optind + 1]);
	view_open(&view, optind < argc ? argv[optind] : NULL);
	view_need_contexts(&view);
	view.n_events = 1;
	papi_profile_tree_make(view.profile, view_event(&view), !view.outermost, NULL, &tree);
	view_print_tree_titles(&view, true);
	view_tree_print(&view, &tree, minimum, true);
	papi_profile_tree_free(&tree);
	view_close(&view);
	return papi_tool_finish(EXIT_SUCCESS);
}
