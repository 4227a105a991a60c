/* SPDX-License-Identifier: BSD-3-Clause */
/* views.c - opening a store for a view; the run, events and numbers as they are shown. */
#include "views.h"

#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "escape.h"
#include "papi_profile/papi_profile.h"
#include "profile/names.h"
#include "profile/regions.h"
#include "symbols/memory.h"
#include "terminal.h"
#include "text.h"

int view_next_option(const struct papi_tool *tool, int argc, char **argv)
{
	/* getopt's own messages begin with this. */
	argv[0] = (char *)tool->name;
	return papi_tool_next_option(tool, argc, argv);
}

bool view_take_option(struct view *view, int letter)
{
	switch (letter) {
	case 'e':
		view->wanted_events = optarg;
		return true;
	case VIEW_NO_INLINES:
		view->outermost = true;
		return true;
	case VIEW_REGION:
		view->region = optarg;
		return true;
	case VIEW_DEBUG:
		view->debug_path = optarg;
		return true;
	case VIEW_AGAIN:
		view->again = true;
		return true;
	default:
		return false;
	}
}

/* ---- Opening ---- */

/* A line that people see who wait for more than a second; it is gone when the work is done. */
static void show_progress(size_t done, size_t all)
{
	static struct timespec start, last;
	static bool shown;
	struct timespec now;

	if (!isatty(STDERR_FILENO))
		return;
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (!start.tv_sec)
		start = last = now;
	if (done == all) {
		if (shown)
			fprintf(stderr, "\r%60s\r", "");
		return;
	}
	if (now.tv_sec - start.tv_sec < 1 || (now.tv_sec == last.tv_sec && shown))
		return;
	shown = true;
	last = now;
	fprintf(stderr, "\rlooking up names: %zu of %zu addresses", done, all);
	fflush(stderr);
}

static void say_troubles(const struct view *view)
{
	for (size_t i = 0; i < view->profile->modules.n; i++) {
		const struct papi_profile_module *module = &view->profile->modules.items[i];
		char *path = view_clean(module->path);

		if (module->trouble)
			fprintf(stderr, "%s: %s: %s; its functions are not named\n", view->tool->name, path,
				module->trouble);
		free(path);
	}
}

static _Noreturn void give_up(const struct view *view, const char *path, const char *why)
{
	char *clean = view_clean(path);

	fprintf(stderr, "%s: %s: %s\n", view->tool->name, clean, why);
	exit(EXIT_FAILURE);
}

uint32_t view_find_event(const struct view *view, const char *name)
{
	const struct papi_profile *profile = view->profile;

	for (size_t i = 0; i < profile->events.n; i++)
		if (strcasecmp(profile->events.items[i].name, name) == 0)
			return (uint32_t)i;
	return PAPI_PROFILE_NONE;
}

static uint32_t need_event(const struct view *view, const char *name)
{
	const struct papi_profile *profile = view->profile;
	uint32_t found = view_find_event(view, name);
	char *clean;

	if (found != PAPI_PROFILE_NONE)
		return found;
	clean = view_clean(name);
	fprintf(stderr, "%s: the profile has no event '%s'; it has", view->tool->name, clean);
	for (size_t i = 0; i < profile->events.n; i++) {
		clean = view_clean(profile->events.items[i].name);
		fprintf(stderr, "%s %s", i ? "," : "", clean);
	}
	fputc('\n', stderr);
	exit(EXIT_FAILURE);
}

/* Names of events may have commas in them, so the whole list is tried as one name first. */
static void choose_events(struct view *view)
{
	const struct papi_profile *profile = view->profile;
	const char *next = view->wanted_events;

	view->events = papi_memory_grow(
		NULL, profile->events.n + (next ? strlen(next) : 0) + 1, sizeof(view->events[0]));
	for (size_t i = 0; i < profile->events.n; i++)
		if (!next || strcasecmp(next, profile->events.items[i].name) == 0)
			view->events[view->n_events++] = (uint32_t)i;
	if (view->n_events || !next)
		return;
	for (;; next++) {
		char *name = strndup(next, strcspn(next, ","));

		view->events[view->n_events++] = need_event(view, name ? name : "");
		free(name);
		next += strcspn(next, ",");
		if (!*next)
			return;
	}
}

static void choose_region(const struct view *view)
{
	struct papi_profile *profile = view->profile;
	uint32_t region = papi_profile_region_find(profile, view->region);
	char *clean;

	if (region != PAPI_PROFILE_NONE) {
		papi_profile_region_keep(profile, region);
		if (profile->n_counts)
			return;
	}
	clean = view_clean(view->region);
	fprintf(stderr, "%s: nothing happened in a region '%s'", view->tool->name, clean);
	for (size_t i = 1; i < profile->regions.n; i++) {
		clean = view_clean(profile->regions.items[i].name);
		fprintf(stderr, "%s %s", i > 1 ? "," : "; the profile has", clean);
	}
	if (papi_profile_has_regions(profile))
		fputc('\n', stderr);
	else if (strcmp(profile->run.source, "exact") == 0)
		fputs(": the program has had no regions, as PAPI_hl_region_begin() makes them\n", stderr);
	else
		fputs(": the program has had no regions, as PAPI_hl_region_begin() makes them, or it ran before it was "
		      "sampled, and tells nobody of them then: papi_profile -x -p has them\n",
			stderr);
	exit(EXIT_FAILURE);
}

/* Of an exact profile: what is missing has been noted, or nobody came to do so. */
static const char *why_nothing(const struct view *view)
{
	const char *note = view->profile->events.items[0].note;

	return note
		? view_clean(note)
		: "nothing was counted: the event did not happen, or papi_profile did not come to its end; where it "
		  "has left raw data beside the profile, in papi_profile.raw.*, 'papi_profile import' makes a "
		  "profile of that";
}

void view_open(struct view *view, const char *path)
{
	struct papi_profile_naming naming = {
		.debug_path = view->debug_path,
		.again = view->again,
		.progress = show_progress,
	};
	char reason[512];

	if (!path)
		path = PAPI_PROFILE_FILE;
	view->profile = papi_profile_load(path, reason, sizeof(reason));
	if (!view->profile) {
		char *clean = view_clean(reason);

		give_up(view, path, clean);
	}
	if (!view->profile->events.n)
		give_up(view, path, "it has no events, so nothing was measured");
	if (!view->profile->n_counts && strcmp(view->profile->run.source, "exact") == 0)
		give_up(view, path, why_nothing(view));
	if (!view->profile->n_counts)
		give_up(view, path,
			"the run had no samples: it was too short, or the event did not happen; a higher frequency "
			"(-F) or a smaller period (-c) has more");
	if (view->region)
		choose_region(view);
	choose_events(view);
	papi_profile_name(view->profile, &naming);
	say_troubles(view);
}

void view_close(struct view *view)
{
	papi_profile_free(view->profile);
	free(view->events);
}

double view_percent(const struct papi_tool *tool, const char *option, const char *text)
{
	char *end;
	double percent = strtod(text, &end);

	if (end == text || *end || !(percent >= 0 && percent <= 100))
		papi_tool_usage_error(tool, "%s takes a number from 0 to 100, not '%s'", option, text);
	return percent;
}

uint32_t view_event(const struct view *view)
{
	return view->events[0];
}

/* ---- What is shown ---- */

char *view_clean(const char *name)
{
	char *clean = papi_memory_copy(name);

	papi_escape_terminal(clean);
	return clean;
}

const char *view_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* The first words of a command, so many, as they are. */
static char *words_of(const char *json, size_t n)
{
	char *line = papi_memory_copy(json), *to = line;
	bool quoted = false;

	for (const char *from = json; *from && n; from++) {
		if (*from == '"') {
			quoted = !quoted;
			n -= !quoted;
		} else if (quoted && *from == '\\' && from[1]) {
			/* Characters by number are ends of lines and the like. */
			bool number = *++from == 'u' && strlen(from) > 4;

			*to++ = number ? '?' : *from;
			from += number ? 4 : 0;
		} else if (quoted || *from == ',') {
			*to++ = quoted ? *from : ' ';
		}
	}
	*to = '\0';
	return line;
}

char *view_command(const struct view *view)
{
	char *line = words_of(view->profile->run.command, SIZE_MAX);

	papi_escape_terminal(line);
	return line;
}

char *view_program(const struct view *view)
{
	char *path = words_of(view->profile->run.command, 1), *name = papi_memory_copy(view_base(path));

	free(path);
	return name;
}

static void print_event(const struct view *view, uint32_t event)
{
	const struct papi_profile_event *found = &view->profile->events.items[event];
	char *name = view_clean(found->name), *kind = view_clean(found->kind), *value;
	/* Numbers for people have theirs already. */
	char *unit = view_clean(papi_terminal_is_output() ? "" : found->unit);
	char samples[32];

	value = view_number(view, event, (double)found->value);
	papi_terminal_number(samples, sizeof(samples), (double)found->samples, 0);
	if (view_is_sampled(view, event))
		printf("%s: %s%s%s in %s sample%s\n", name, value, *unit ? " " : "", unit, samples,
			found->samples == 1 ? "" : "s");
	else
		printf("%s: %s%s%s, %s\n", name, value, *unit ? " " : "", unit, kind);
	free(unit);
	free(name);
	free(kind);
	free(value);
}

/* What else is to be known; once, where it is the same of several events. */
static void print_note(const struct view *view, size_t index)
{
	const struct papi_profile_event *events = view->profile->events.items;
	const char *note = events[view->events[index]].note;
	char *shown;

	for (size_t i = 0; note && i < index; i++) {
		const char *before = events[view->events[i]].note;

		if (before && !strcmp(before, note))
			return;
	}
	if (!note)
		return;
	shown = view_clean(note);
	papi_terminal_line("note: ", 6, shown);
	free(shown);
}

void view_print_heading(const struct view *view)
{
	const struct papi_profile_run *run = &view->profile->run;
	char *line = view_command(view), *shown;

	shown = papi_memory_print("%s, %.3f s", line, run->seconds);
	papi_terminal_line("", 0, shown);
	free(shown);
	free(line);
	if (view->region) {
		shown = view_clean(view->region);
		printf(*shown ? "in the region %s\n" : "outside of regions%s\n", shown);
		free(shown);
	}
	for (size_t i = 0; i < view->n_events; i++)
		print_event(view, view->events[i]);
	for (size_t i = 0; i < view->n_events; i++)
		print_note(view, i);
	if (run->lost > 0)
		printf("%lld samples were lost: what is shown is too low by about as many\n", (long long)run->lost);
}

bool view_is_sampled(const struct view *view, uint32_t event)
{
	return strcmp(view->profile->events.items[event].kind, "sampled") == 0;
}

double view_error(const struct view *view, uint32_t event, int64_t samples, int64_t value)
{
	return view_is_sampled(view, event) && samples > 0 ? (double)value / sqrt((double)samples) : 0;
}

/* Four digits, and what they are multiples of. */
static char *scaled(double value, bool time)
{
	static const char *const counts[] = { "", " k", " M", " G", " T", " P", " E" };
	static const char *const times[] = { " ns", " us", " ms", " s" };
	size_t n = time ? sizeof(times) / sizeof(times[0]) : sizeof(counts) / sizeof(counts[0]), i = 0;
	int decimals;

	while (fabs(value) >= 999.95 && i + 1 < n) {
		value /= 1000;
		i++;
	}
	decimals = value == floor(value) && i == 0 ? 0 : value >= 99.995 ? 1 : value >= 9.9995 ? 2 : 3;
	return papi_memory_print("%.*f%s", decimals, value, time ? times[i] : counts[i]);
}

char *view_number(const struct view *view, uint32_t event, double value)
{
	bool time = strcmp(view->profile->events.items[event].unit, "ns") == 0;

	return papi_terminal_is_output() ? scaled(value, time) : papi_memory_print("%.0f", value);
}

char *view_share(double part, double whole)
{
	return whole > 0 ? papi_memory_print("%.2f%%", 100 * part / whole) : papi_memory_copy("-");
}

enum { WHOLE, PLAIN, LAST };

static bool is_meant(const struct papi_profile_function *function, const char *wanted, int how)
{
	char *plain;
	size_t length, end = strlen(wanted);
	bool same;

	if (how == WHOLE)
		return strcmp(function->name, wanted) == 0 || strcmp(function->linkage, wanted) == 0;
	plain = view_plain(function->name);
	length = strlen(plain);
	same = length >= end && strcmp(plain + length - end, wanted) == 0 &&
		(how == PLAIN ? length == end : length > end + 2 && strncmp(plain + length - end - 2, "::", 2) == 0);
	free(plain);
	return same;
}

bool *view_match(const struct view *view, const char *name)
{
	const struct papi_profile *profile = view->profile;
	bool *matches = papi_memory_zero(profile->functions.n, sizeof(bool)), any = false;

	for (int how = WHOLE; how <= LAST && !any && *name; how++) {
		for (size_t i = 0; i < profile->functions.n; i++) {
			matches[i] = is_meant(&profile->functions.items[i], name, how);
			any |= matches[i];
		}
	}
	if (any)
		return matches;
	free(matches);
	return NULL;
}

void view_refuse_function(const struct view *view, const char *name)
{
	char *clean = view_clean(name);

	fprintf(stderr, "%s: the profile has no function '%s'; papi_profile report lists those that it has\n",
		view->tool->name, clean);
	exit(EXIT_FAILURE);
}

static char *error_text(const struct view *view, uint32_t event, int64_t samples, int64_t value)
{
	double error = view_error(view, event, samples, value);

	if (!view_is_sampled(view, event) || samples == 0)
		return papi_memory_copy("");
	if (papi_terminal_is_output())
		return papi_memory_print("±%.1f%%", 100 * error / (double)(value ? value : 1));
	return papi_memory_print("±%.0f", error);
}

void view_table_add_numbers(
	struct view_table *table, const struct view *view, uint32_t event, int64_t samples, int64_t value)
{
	view_table_add(table, view_number(view, event, (double)value));
	view_table_add(table, error_text(view, event, samples, value));
	view_table_add(table, view_share((double)value, (double)view->profile->events.items[event].value));
}

void view_print_field(const char *text)
{
	char *clean = view_clean(text);

	putchar('"');
	for (const char *at = clean; *at; at++) {
		if (*at == '"')
			putchar('"');
		putchar(*at);
	}
	putchar('"');
	free(clean);
}
