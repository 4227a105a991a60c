/* SPDX-License-Identifier: BSD-3-Clause */
/* read.c - a file of papi_run --save: what is in it is what it should be, or the file is refused with the place. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "papi_compare.h"
#include "statistics.h"

#define FORMAT   1
#define MAX_RUNS 1000000

static const char *text_of(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

static const char *version_of(const json_t *root)
{
	const char *version = text_of(root, "papi_version");

	return version ? version : "an unknown version";
}

/* What else of this project it may be. */
static void complain_of_foreign(const char *path, const json_t *root)
{
	if (json_object_get(root, "papi_compare"))
		papi_compare_complain("%s: this is the result of papi_compare --json; what it compares are files that "
				      "papi_run --save has written",
			path);
	else if (json_object_get(root, "events") && text_of(root, "version"))
		papi_compare_complain("%s: this is the report of papi_run --format json, PAPI %s, which lacks what a "
				      "comparison needs: write a file with papi_run --save",
			path, text_of(root, "version"));
	else if (json_object_get(root, "papi_version"))
		papi_compare_complain("%s: PAPI %s has written this, but not papi_run --save", path, version_of(root));
	else
		papi_compare_complain("%s: this is JSON, but not of papi_run --save", path);
}

static bool is_readable(struct compare_side *side)
{
	const json_t *format = json_object_get(side->root, "papi_run_save");

	if (!json_is_object(side->root) || !json_is_integer(format)) {
		complain_of_foreign(side->path, side->root);
		return false;
	}
	side->is_save = true;
	if (json_integer_value(format) == FORMAT)
		return true;
	papi_compare_complain("%s: PAPI %s has written this, in format %lld, and this papi_compare reads format %d: "
			      "use the papi_compare of that version, or save anew",
		side->path, version_of(side->root), (long long)json_integer_value(format), FORMAT);
	return false;
}

static bool wrong(const struct compare_side *side, const char *place, const char *expected)
{
	papi_compare_complain("%s: \"%s\" should be %s (PAPI %s has written the file)", side->path, place, expected,
		version_of(side->root));
	return false;
}

static bool wrong_in_event(const struct compare_side *side, size_t number, const char *key, const char *expected)
{
	char *place = papi_compare_format("events[%zu].%s", number, key);
	bool result = wrong(side, place, expected);

	free(place);
	return result;
}

static bool read_counts(struct compare_side *side, size_t number, const json_t *counts, struct compare_event *event)
{
	event->runs = json_array_size(counts);
	if (!json_is_array(counts) || event->runs > MAX_RUNS)
		return wrong_in_event(side, number, "counts", "an array of integers");
	event->counts = papi_compare_grow(NULL, event->runs, sizeof(*event->counts));
	for (size_t i = 0; i < event->runs; i++) {
		const json_t *count = json_array_get(counts, i);

		if (!json_is_integer(count))
			return wrong_in_event(side, number, "counts", "an array of integers");
		event->counts[i] = json_integer_value(count);
	}
	papi_statistics_sort(event->counts, event->runs);
	return true;
}

static bool read_event(struct compare_side *side, size_t number, const json_t *object)
{
	struct compare_event *event = &side->events[number];
	const json_t *interval = json_object_get(object, "interval");

	*event = (struct compare_event){
		.name = text_of(object, "name"),
		.unit = text_of(object, "unit"),
		.kind = text_of(object, "kind"),
		.domain = text_of(object, "domain"),
		.error = text_of(object, "error"),
		.interval = json_integer_value(interval),
		.is_virtual = json_is_true(json_object_get(object, "virtual")),
		.partial = json_is_true(json_object_get(object, "partial")),
	};
	if (!event->name)
		return wrong_in_event(side, number, "name", "a string");
	if (!event->unit)
		return wrong_in_event(side, number, "unit", "a string");
	if (!json_is_integer(interval) || event->interval < 0)
		return wrong_in_event(side, number, "interval", "an integer that is not negative");
	for (size_t i = 0; i < number; i++)
		if (strcmp(side->events[i].name, event->name) == 0)
			return wrong_in_event(side, number, "name", "another one than those before it");
	if (!read_counts(side, number, json_object_get(object, "counts"), event))
		return false;
	if (event->error || event->runs == 0) {
		event->runs = 0;
		event->error = event->error ? event->error : "it has no counts";
		return true;
	}
	return (event->kind && event->domain) ||
		wrong_in_event(side, number, event->kind ? "domain" : "kind", "a string");
}

static bool read_side(struct compare_side *side)
{
	const json_t *events = json_object_get(side->root, "events"),
		     *status = json_object_get(side->root, "exit_status");

	if (!json_is_array(events))
		return wrong(side, "events", "an array");
	if (!json_is_integer(status))
		return wrong(side, "exit_status", "an integer");
	side->exit_status = json_integer_value(status);
	side->reproducible = json_is_true(json_object_get(side->root, "reproducible"));
	side->n_events = json_array_size(events);
	side->events = papi_compare_grow(NULL, side->n_events, sizeof(*side->events));
	for (size_t i = 0; i < side->n_events; i++)
		if (!read_event(side, i, json_array_get(events, i)))
			return false;
	return true;
}

bool papi_compare_read(struct compare_side *side, const char *path)
{
	json_error_t error;

	*side = (struct compare_side){ .path = path };
	side->text = papi_compare_load(path, &side->length);
	if (!side->text)
		return false;
	side->root = json_loadb(side->text, side->length, JSON_REJECT_DUPLICATES, &error);
	if (!side->root) {
		papi_compare_complain("%s:%d:%d: this is no JSON: %s", path, error.line, error.column, error.text);
		return false;
	}
	return is_readable(side) && read_side(side);
}
