/* SPDX-License-Identifier: BSD-3-Clause */
#include "marks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "papi.h"
#include "perfometer.h"

/* Beginnings in a second that are told; of more than these nobody could see anything. */
#define MOST_IN_A_SECOND 500

/* Such that text in black or white can be read on them; the page draws them thin. */
static const struct {
	const char *name, *css;
} colours[PAPI_MARK_COLOURS] = { { "", "" }, { "blue", "#3b7dd8" }, { "red", "#d8403b" }, { "green", "#35a04a" },
	{ "orange", "#e08a1e" }, { "purple", "#9350c8" }, { "cyan", "#1fa3b5" }, { "yellow", "#d4b11f" },
	{ "grey", "#8a8a8a" } };

/* more: what else the message has, "" if nothing. */
static void write_mark(struct papi_journal *journal, double time, int lane, const char *name, const char *color,
	int begin, const char *more)
{
	int of = lane < 0 ? 0 : lane;
	FILE *out = begin > 0 ? papi_journal_write_band(journal, of, name, time)
			      : papi_journal_write(journal, PAPI_JOURNAL_PASSING, of, time);

	fprintf(out, "{\"type\":\"mark\",\"t\":%.6f,\"id\":", time);
	if (lane < 0)
		fputs("null", out);
	else
		fprintf(out, "%d", lane);
	fputs(",\"name\":", out);
	papi_escape_json(out, name);
	fputs(",\"color\":", out);
	if (color)
		papi_escape_json(out, color);
	else
		fputs("null", out);
	fprintf(out, ",\"begin\":%s%s}", begin < 0 ? "null" : begin ? "true" : "false", more);
	papi_journal_done(journal);
	if (!begin)
		papi_journal_end_band(journal, of, name, time);
}

void papi_marks_write(
	struct papi_journal *journal, double time, int lane, const char *name, const char *color, int begin)
{
	write_mark(journal, time, lane, name, color, begin, "");
}

void papi_marks_stopped(struct papi_journal *journal, double time, bool stopped)
{
	write_mark(journal, time, -1, "stopped", colours[PAPI_MARK_GREY].css, stopped, ",\"stopped\":true");
}

static bool has_room(struct papi_marks *marks, struct papi_journal *journal, double time)
{
	if (time >= marks->second + 1) {
		marks->second = time;
		marks->came = 0;
	}
	if (++marks->came <= MOST_IN_A_SECOND)
		return true;
	if (!marks->left_out++)
		papi_journal_notice(
			journal, time, "warning", "the program marks more than can be shown: some of it is left out");
	return false;
}

/* ---- colours ---- */

static void write_colour(struct papi_journal *journal, double time, int lane, int colour, int begin)
{
	char css[16], name[16];

	if (colour < PAPI_MARK_COLOURS) {
		papi_marks_write(journal, time, lane, colours[colour].name, colours[colour].css, begin);
		return;
	}
	snprintf(css, sizeof(css), "#%06x", (unsigned)colour & 0xffffff);
	snprintf(name, sizeof(name), "%s", css);
	papi_marks_write(journal, time, lane, name, css, begin);
}

static bool is_colour(int colour)
{
	return colour >= 0 && (colour < PAPI_MARK_COLOURS || colour >> 24 == 1);
}

void papi_marks_colour(struct papi_marks *marks, struct papi_journal *journal, double time, int lane, int colour)
{
	if (!is_colour(colour) || colour == marks->colour)
		return;
	if (marks->colour)
		write_colour(journal, time, marks->colour_lane, marks->colour, 0);
	marks->colour = 0;
	if (!colour || !has_room(marks, journal, time))
		return;
	marks->colour = colour;
	marks->colour_lane = lane;
	write_colour(journal, time, lane, colour, 1);
}

/* ---- regions ---- */

void papi_marks_begin_region(
	struct papi_marks *marks, struct papi_journal *journal, double time, int lane, int thread, const char *name)
{
	if (!*name || marks->n_open == PAPI_MARKS_OPEN || !has_room(marks, journal, time))
		return;
	marks->open[marks->n_open++] = (struct papi_marks_region){ papi_perfometer_format("%s", name), lane, thread };
	papi_marks_write(journal, time, lane, name, NULL, 1);
}

static void end_region(struct papi_marks *marks, struct papi_journal *journal, double time, size_t number)
{
	papi_marks_write(journal, time, marks->open[number].lane, marks->open[number].name, NULL, 0);
	free(marks->open[number].name);
	marks->n_open--;
	memmove(&marks->open[number], &marks->open[number + 1], (marks->n_open - number) * sizeof(marks->open[0]));
}

void papi_marks_end_region(
	struct papi_marks *marks, struct papi_journal *journal, double time, int thread, const char *name)
{
	for (size_t i = marks->n_open; i-- > 0;)
		if (marks->open[i].thread == thread && !strcmp(marks->open[i].name, name)) {
			end_region(marks, journal, time, i);
			return;
		}
}

void papi_marks_end(struct papi_marks *marks, struct papi_journal *journal, double time)
{
	while (marks->n_open)
		end_region(marks, journal, time, marks->n_open - 1);
	papi_marks_colour(marks, journal, time, 0, 0);
}
