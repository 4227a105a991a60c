/* SPDX-License-Identifier: BSD-3-Clause */
/* diff_rows.c - the rows of two profiles, put together by what they stand for. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diff.h"
#include "symbols/memory.h"

/* ---- Rows of one profile ---- */

/* What a module has in common with the same one of the other profile: its name; of the program itself, that it is. */
static const char *module_key(const struct diff *diff, int side, uint32_t module)
{
	const char *name = view_base(diff->views[side].profile->modules.items[module].path);

	return strcmp(name, diff->programs[side]) == 0 ? "" : name;
}

static void describe(struct diff_row *row, const struct diff *diff, int side, const struct papi_profile_row *from)
{
	const struct papi_profile *profile = diff->views[side].profile;
	const struct papi_profile_function *function;

	if (from->module != PAPI_PROFILE_NONE)
		row->module = profile->modules.items[from->module].path;
	if (from->function != PAPI_PROFILE_NONE) {
		function = &profile->functions.items[from->function];
		row->key = papi_memory_print("%s\n%s", module_key(diff, side, from->module), function->linkage);
		row->name = papi_memory_copy(function->name);
		row->linkage = function->linkage;
		row->file = function->file;
		row->line = function->line;
	} else if (from->file) {
		row->name = from->line ? papi_memory_print("%s:%d", from->file, from->line)
				       : papi_memory_copy(from->file);
		row->key = papi_memory_copy(row->name);
		row->file = from->file;
		row->line = from->line;
	} else {
		row->key = papi_memory_print("\n%s", module_key(diff, side, from->module));
		row->name = papi_memory_copy(row->module);
	}
}

static void add_side(struct diff *diff, int side)
{
	const struct view *view = &diff->views[side];
	struct papi_profile_sums sums;

	papi_profile_sums_make(view->profile, diff->by, !view->outermost, &sums);
	for (size_t i = 0; i < sums.n; i++) {
		struct diff_row *row;

		diff->rows = papi_memory_extend(diff->rows, diff->n, &diff->room, sizeof(diff->rows[0]));
		row = &diff->rows[diff->n++];
		*row = (struct diff_row){ .counts = papi_memory_zero(diff->n_events, sizeof(row->counts[0])) };
		row->is_in[side] = true;
		describe(row, diff, side, &sums.rows[i]);
		for (size_t j = 0; j < diff->n_events; j++) {
			const struct papi_profile_sum *sum = &sums.rows[i].sums[diff->events[j][side]];

			row->counts[j][side] = diff->inclusive
				? (struct diff_count){ sum->inclusive_samples, sum->inclusive_value }
				: (struct diff_count){ sum->samples, sum->value };
		}
	}
	papi_profile_sums_free(&sums);
}

/* ---- Two of them ---- */

static int compare(const void *left, const void *right)
{
	const struct diff_row *a = left, *b = right;
	int order = strcmp(a->key, b->key);

	/* So that what is said of a row is what the new profile says. */
	return order ? order : (int)b->is_in[DIFF_NEW] - (int)a->is_in[DIFF_NEW];
}

static void free_row(const struct diff_row *row)
{
	free(row->key);
	free(row->name);
	free(row->counts);
}

static void merge(const struct diff *diff, struct diff_row *row, const struct diff_row *other)
{
	for (int side = 0; side < DIFF_SIDES; side++) {
		row->is_in[side] |= other->is_in[side];
		for (size_t i = 0; i < diff->n_events; i++) {
			row->counts[i][side].samples += other->counts[i][side].samples;
			row->counts[i][side].value += other->counts[i][side].value;
		}
	}
	free_row(other);
}

/* Puts rows of one key together; pairs_only: not where one of the profiles has several of them. */
static void fold(struct diff *diff, bool pairs_only)
{
	size_t n = 0, end;

	qsort(diff->rows, diff->n, sizeof(diff->rows[0]), compare);
	for (size_t i = 0; i < diff->n; i = end) {
		for (end = i + 1; end < diff->n && strcmp(diff->rows[i].key, diff->rows[end].key) == 0;)
			end++;
		diff->rows[n++] = diff->rows[i];
		if (pairs_only &&
			(end != i + 2 || diff->rows[i].is_in[DIFF_OLD] || diff->rows[i + 1].is_in[DIFF_NEW])) {
			while (++i < end)
				diff->rows[n++] = diff->rows[i];
			continue;
		}
		while (++i < end)
			merge(diff, &diff->rows[n - 1], &diff->rows[i]);
	}
	diff->n = n;
}

/* Where sources lay in another directory, the last part of the name tells, if only one file has it. */
static void match_moved_files(struct diff *diff)
{
	for (size_t i = 0; i < diff->n; i++) {
		struct diff_row *row = &diff->rows[i];
		bool alone = row->file && row->is_in[DIFF_OLD] != row->is_in[DIFF_NEW];
		char *key = papi_memory_print("%c%s", alone ? '~' : '=', alone ? view_base(row->key) : row->key);

		free(row->key);
		row->key = key;
	}
	fold(diff, true);
}

void diff_rows_make(struct diff *diff)
{
	for (int side = 0; side < DIFF_SIDES; side++)
		diff->programs[side] = view_program(&diff->views[side]);
	add_side(diff, DIFF_OLD);
	add_side(diff, DIFF_NEW);
	fold(diff, false);
	if (diff->by >= PAPI_PROFILE_BY_LINE)
		match_moved_files(diff);
}

void diff_rows_free(struct diff *diff)
{
	for (size_t i = 0; i < diff->n; i++)
		free_row(&diff->rows[i]);
	free(diff->rows);
	for (int side = 0; side < DIFF_SIDES; side++)
		free(diff->programs[side]);
}

/* ---- Changes ---- */

void diff_totals(const struct diff *diff, size_t event, struct diff_count totals[DIFF_SIDES])
{
	for (int side = 0; side < DIFF_SIDES; side++) {
		const struct papi_profile_event *found =
			&diff->views[side].profile->events.items[diff->events[event][side]];

		totals[side] = (struct diff_count){ found->samples, found->value };
	}
}

struct diff_change diff_change(const struct diff *diff, size_t event, const struct diff_count counts[DIFF_SIDES])
{
	struct diff_change change = { .by = counts[DIFF_NEW].value - counts[DIFF_OLD].value };
	struct diff_count totals[DIFF_SIDES];
	double squares = 0;

	diff_totals(diff, event, totals);
	for (int side = 0; side < DIFF_SIDES; side++) {
		const struct view *view = &diff->views[side];
		uint32_t number = diff->events[event][side];
		/* What has no sample might have had one. */
		struct diff_count one = { 1, totals[side].samples ? totals[side].value / totals[side].samples : 0 };
		const struct diff_count *count = counts[side].samples ? &counts[side] : &one;
		double error = view_error(view, number, count->samples, count->value);

		squares += error * error;
	}
	change.error = sqrt(squares);
	change.significant = fabs((double)change.by) > 2 * change.error;
	return change;
}
