/* SPDX-License-Identifier: BSD-3-Clause */
/* export_speedscope.c - speedscope's own JSON: a frame for each function, and for each event a list of paths. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "export.h"
#include "profile/sums.h"

static void put_frames(const struct papi_profile *profile, FILE *out)
{
	fputs(" \"shared\": {\"frames\": [", out);
	for (size_t i = 0; i < profile->functions.n; i++) {
		const struct papi_profile_function *function = &profile->functions.items[i];

		fprintf(out, "%s\n  {\"name\": ", i ? "," : "");
		papi_escape_json(out, function->name);
		if (function->file) {
			fputs(", \"file\": ", out);
			papi_escape_json(out, function->file);
		}
		if (function->line > 0)
			fprintf(out, ", \"line\": %d", function->line);
		fputc('}', out);
	}
	fputs("]},\n", out);
}

static void put_path(const struct papi_profile_path *path, FILE *out)
{
	fputc('[', out);
	for (size_t i = path->n; i > 0; i--)
		fprintf(out, "%" PRIu32 "%s", path->places[i - 1]->function, i > 1 ? "," : "]");
}

static void put_event(const struct view *view, uint32_t number, FILE *out)
{
	const struct papi_profile *profile = view->profile;
	const struct papi_profile_event *event = &profile->events.items[number];
	struct papi_profile_path path = { 0 };
	const char *separator = "\n  ";
	size_t n;
	const struct papi_profile_count *counts = papi_profile_stacks(profile, &n);

	fputs("{\"type\": \"sampled\", \"name\": ", out);
	papi_escape_json(out, event->name);
	fprintf(out, ", \"unit\": \"%s\", \"startValue\": 0, \"endValue\": %" PRId64 ",\n \"samples\": [",
		strcmp(event->unit, "ns") == 0 ? "nanoseconds" : "none", event->value);
	for (size_t i = 0; i < n; i++) {
		if (counts[i].event != number || counts[i].value == 0)
			continue;
		papi_profile_path_find(profile, &counts[i], !view->outermost, &path);
		fputs(separator, out);
		put_path(&path, out);
		separator = ",\n  ";
	}
	fputs("],\n \"weights\": [", out);
	separator = "";
	for (size_t i = 0; i < n; i++) {
		if (counts[i].event != number || counts[i].value == 0)
			continue;
		fprintf(out, "%s%" PRId64, separator, counts[i].value);
		separator = ",";
	}
	fputs("]}", out);
	free(path.places);
}

void export_speedscope(const struct view *view, FILE *out)
{
	char *command = view_command(view);

	fputs("{\"$schema\": \"https://www.speedscope.app/file-format-schema.json\",\n \"name\": ", out);
	papi_escape_json(out, command);
	fputs(", \"exporter\": \"papi_profile\", \"activeProfileIndex\": 0,\n", out);
	put_frames(view->profile, out);
	fputs(" \"profiles\": [", out);
	for (size_t i = 0; i < view->n_events; i++) {
		fputs(i ? ",\n" : "\n", out);
		put_event(view, view->events[i], out);
	}
	fputs("]}\n", out);
	free(command);
}
