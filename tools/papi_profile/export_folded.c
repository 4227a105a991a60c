/* SPDX-License-Identifier: BSD-3-Clause */
/* export_folded.c - a line for each path of calls: "program;main;solve 1234". */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "export.h"
#include "profile/sums.h"
#include "symbols/memory.h"

struct line {
	char *path;
	int64_t value;
};

/* The text that ends at length becomes longer by a name, in which nothing may look like an end. */
static size_t add_name(char **text, size_t length, size_t *room, const char *name)
{
	char *clean = view_clean(name);
	size_t added = strlen(clean);

	for (char *at = clean; (at = strchr(at, ';')) != NULL;)
		*at = ':';
	while (length + added + 2 > *room) {
		*room = *room ? 2 * *room : 256;
		*text = papi_memory_grow(*text, *room, 1);
	}
	if (length)
		(*text)[length++] = ';';
	memcpy(*text + length, clean, added + 1);
	free(clean);
	return length + added;
}

static char *fold(const struct papi_profile *profile, const struct papi_profile_count *count,
	const struct papi_profile_path *path)
{
	uint32_t process = profile->threads.items[count->thread].process;
	char *text = NULL;
	size_t room = 0, length;

	length = add_name(&text, 0, &room, profile->processes.items[process].name);
	for (size_t i = path->n; i > 0; i--)
		length = add_name(&text, length, &room, profile->functions.items[path->places[i - 1]->function].name);
	return text;
}

static int compare(const void *left, const void *right)
{
	return strcmp(((const struct line *)left)->path, ((const struct line *)right)->path);
}

/* Paths that are the same by their names are one line. */
void export_folded(const struct view *view, FILE *out)
{
	const struct papi_profile *profile = view->profile;
	struct papi_profile_path path = { 0 };
	size_t n = 0, n_counts;
	const struct papi_profile_count *counts = papi_profile_stacks(profile, &n_counts);
	struct line *lines = papi_memory_grow(NULL, n_counts, sizeof(lines[0]));

	for (size_t i = 0; i < n_counts; i++) {
		const struct papi_profile_count *count = &counts[i];

		if (count->event != view_event(view) || count->value == 0)
			continue;
		papi_profile_path_find(profile, count, !view->outermost, &path);
		lines[n++] = (struct line){ fold(profile, count, &path), count->value };
	}
	qsort(lines, n, sizeof(lines[0]), compare);
	for (size_t i = 0; i < n; i++) {
		if (i + 1 < n && strcmp(lines[i].path, lines[i + 1].path) == 0)
			lines[i + 1].value += lines[i].value;
		else
			fprintf(out, "%s %" PRId64 "\n", lines[i].path, lines[i].value);
		free(lines[i].path);
	}
	free(lines);
	free(path.places);
}
