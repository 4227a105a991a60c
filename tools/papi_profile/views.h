/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the commands of papi_profile that look at a store share. Each command is a function in a file of its own, which
 * main calls with the words after the command, the command's name first, and whose result is the exit status.
 *
 *	views.c     opening a store for a view; the run, events and numbers as they are shown
 *	layout.c    tables of any columns
 *	shorten.c   names of functions in little room
 *	report*.c, annotate*.c, callers.c, tree.c, diff*.c, export*.c, page*.c    the commands
 *	source.c    lines of source files
 *
 * One thread. Names come from files that anybody may have written: they are shown by way of view_clean() alone.
 */
#ifndef PAPI_PROFILE_VIEWS_H
#define PAPI_PROFILE_VIEWS_H

#include <stdbool.h>
#include <stdio.h>

#include "options.h"
#include "profile/profile.h"
#include "profile/sums.h"

int papi_profile_report(int argc, char **argv);
int papi_profile_annotate(int argc, char **argv);
int papi_profile_callers(int argc, char **argv);
int papi_profile_tree(int argc, char **argv);
int papi_profile_export(int argc, char **argv);
int papi_profile_diff(int argc, char **argv);
int papi_profile_page(int argc, char **argv);

/* ---- The store ---- */

struct view {
	const struct papi_tool *tool;
	const char *wanted_events; /* as on the command line; NULL: all */
	bool outermost;            /* inlined code counts for the function that it is in */
	const char *debug_path;
	bool again;
	const char *region; /* what was in that one alone, "": outside of all; NULL: everything */

	struct papi_profile *profile;
	uint32_t *events; /* those chosen, in their order */
	size_t n_events;
};

/* Options that all views have, for their tables. */
enum { VIEW_NO_INLINES = PAPI_TOOL_LONG_ONLY + 64, VIEW_REGION, VIEW_DEBUG, VIEW_AGAIN };

#define VIEW_OPTIONS                                                                                         \
	{ 'e', "event", "EVENT,...", "these events only, in this order (all)" },                             \
		{ VIEW_NO_INLINES, "no-inlines", NULL,                                                       \
			"count inlined code for the function that it was inlined into" },                    \
		{ VIEW_REGION, "region", "NAME",                                                             \
			"what happened in that region of the program; '' for what was outside of all" },     \
		{ VIEW_DEBUG, "debug", "DIR:...",                                                            \
			"look for debug information in these directories (/usr/lib/debug)" },                \
	{                                                                                                    \
		VIEW_AGAIN, "again", NULL, "look for all names again, as after installing debug information" \
	}

/* As papi_tool_next_option(), for a command: messages have its whole name. */
int view_next_option(const struct papi_tool *tool, int argc, char **argv);

/* Takes an option, if it is one of these. */
bool view_take_option(struct view *view, int letter);

/*
 * Opens the store of an operand, NULL: the usual one, and has names looked up. Ends the program with status 1 after a
 * message where there is nothing to be seen.
 */
void view_open(struct view *view, const char *path);
void view_close(struct view *view);

/* The first event alone, for views that show one. */
uint32_t view_event(const struct view *view);

/* "solver -n 100: 2.341 s, 2,331 samples of PAPI_TOT_CYC", and what was lost. */
void view_print_heading(const struct view *view);

/* The words of the program's command as a line to be shown, not run: quotes are left out. To be freed. */
char *view_command(const struct view *view);
/* The last part of the program's name, as it was called. To be freed. */
char *view_program(const struct view *view);

/* Whether the event's values are estimates from samples, which have an error. */
bool view_is_sampled(const struct view *view, uint32_t event);

/* One standard deviation of a value that was estimated from so many samples; 0 if it was not. */
double view_error(const struct view *view, uint32_t event, int64_t samples, int64_t value);

/* The event of that name, or NONE. */
uint32_t view_find_event(const struct view *view, const char *name);

/* The argument of an option that is a share from 0 to 100; anything else is a mistake on the command line. */
double view_percent(const struct papi_tool *tool, const char *option, const char *text);

/* ---- Numbers and names; each text is to be freed ---- */

/* Few digits and a suffix on a terminal, all digits elsewhere. */
char *view_number(const struct view *view, uint32_t event, double value);

/* "12.34%" */
char *view_share(double part, double whole);

/* As it may be shown anywhere: control characters and broken ones are question marks. */
char *view_clean(const char *name);

/* A name as a field of comma-separated values. */
void view_print_field(const char *text);

/* The last part of a path. */
const char *view_base(const char *path);

/*
 * Which functions the name means: the whole name, for people or for the linker; or else without type, template
 * arguments and parameters; or else also without the classes and namespaces that it is in. NULL: none.
 */
bool *view_match(const struct view *view, const char *name);

/* Ends the program after a message about a function that the profile does not have. */
_Noreturn void view_refuse_function(const struct view *view, const char *name);

/* A clean name in that many columns: without template arguments, parameters and type if it must be, or cut. */
char *view_shorten(const char *name, size_t columns);

/* A name without type, template arguments and parameters. */
char *view_plain(const char *name);

/* Cuts a clean text that is wider than so many columns. */
void view_cut(char *text, size_t columns);

/* ---- Trees ---- */

/* Ends the program after a message if the profile has no calls. */
void view_need_contexts(const struct view *view);

/* with_self: also what a function counted itself. */
void view_print_tree_titles(const struct view *view, bool with_self);

/* What has at least that share of the root. */
void view_tree_print(const struct view *view, const struct papi_profile_tree *tree, double minimum, bool with_self);

/* ---- Tables ---- */

struct view_table {
	char ***rows; /* of cells; the first row has the titles */
	size_t n, room;
	size_t n_columns;
	char **groups; /* above the titles: the name of each column's group, NULL for that of the column before */
};

struct view_table *view_table_new(size_t n_columns);

/* Names the group that begins with a column. */
void view_table_group(struct view_table *table, size_t column, const char *name);

/* The cells of the row that was begun last, from left to right; takes the text over. */
void view_table_begin_row(struct view_table *table);
void view_table_add(struct view_table *table, char *text);

/* Three cells: a value, its error and its share of all that the event has. */
void view_table_add_numbers(
	struct view_table *table, const struct view *view, uint32_t event, int64_t samples, int64_t value);

/* How many columns of a terminal all but the last one take. */
size_t view_table_width(const struct view_table *table);

/* The last column is on the left of its room, the others on the right of theirs. */
void view_table_print(const struct view_table *table);
void view_table_free(struct view_table *table);

#endif
