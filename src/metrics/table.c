/* SPDX-License-Identifier: BSD-3-Clause */
/* The groups of metrics that there are. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "events/definition_file.h"
#include "metrics/builtin.h"
#include "metrics/metrics.h"

/* Pointers, so that a group stays where it is when others come. */
static struct papi_metric_group **groups;
static unsigned n_groups;
static bool loaded;
/* Why PAPI_METRICS_FILE could not be read; NULL: it could. */
static char *unread;

/* The first bad line of a file. */
struct problems {
	int status;
	char *sentence;
};

struct papi_metric_group *papi_metrics_append(const char *name, const char *description, const char *file)
{
	struct papi_metric_group **larger = realloc(groups, (n_groups + 1) * sizeof(struct papi_metric_group *));
	struct papi_metric_group *group = calloc(1, sizeof(*group));

	if (larger)
		groups = larger;
	if (larger && group) {
		*group = (struct papi_metric_group){
			.name = strdup(name), .description = strdup(description), .file = strdup(file)
		};
		groups[n_groups] = group;
		if (group->name && group->description && group->file)
			return groups[n_groups++];
		free(group->name);
		free(group->description);
		free(group->file);
	}
	free(group);
	return NULL;
}

static void problem(void *data)
{
	struct problems *problems = data;

	if (problems->status == PAPI_OK) {
		problems->status = papi_error_code();
		problems->sentence = strdup(papi_error_sentence());
	}
	if (papi_debug_level() != PAPI_QUIET)
		papi_error_report(papi_error_code());
}

static int read_file(const char *path)
{
	struct problems problems = { .status = PAPI_OK };
	size_t length;
	char *text = papi_definition_file_read(path, &length);

	if (!text)
		return PAPI_ESYS;
	papi_metric_file_parse(path, text, length, problem, &problems);
	free(text);
	if (problems.status != PAPI_OK)
		papi_error(problems.status, "%s", problems.sentence ? problems.sentence : "a line is not valid");
	free(problems.sentence);
	return problems.status;
}

void papi_metrics_load(void)
{
	const char *path = secure_getenv("PAPI_METRICS_FILE");
	struct problems problems = { .status = PAPI_OK };

	if (loaded)
		return;
	loaded = true;
	papi_error_keep();
	papi_metric_file_parse(
		PAPI_METRIC_BUILT_IN, papi_builtin_metrics, papi_builtin_metrics_length(), problem, &problems);
	free(problems.sentence);
	if (path && read_file(path) == PAPI_ESYS) {
		papi_error_prefix(PAPI_ESYS, "PAPI_METRICS_FILE");
		unread = strdup(papi_error_sentence());
		if (papi_debug_level() != PAPI_QUIET)
			papi_error_report(PAPI_ESYS);
	}
	papi_error_restore();
}

int papi_metrics_read(const char *path)
{
	papi_metrics_load();
	return read_file(path);
}

unsigned papi_metrics_number(void)
{
	return n_groups;
}

struct papi_metric_group *papi_metrics_group(int number)
{
	if (number >= 0 && (unsigned)number < n_groups)
		return groups[number];
	papi_error(PAPI_EINVAL, "there is no group of metrics with the number %d: there are %u", number, n_groups);
	return NULL;
}

/* "cache, flops", each name once; to be freed. */
static char *names_of_groups(void)
{
	char *names = NULL;
	size_t size;
	FILE *stream = open_memstream(&names, &size);

	if (!stream)
		return NULL;
	for (unsigned i = 0; i < n_groups; i++) {
		unsigned before = 0;

		while (strcmp(groups[before]->name, groups[i]->name) != 0)
			before++;
		if (before == i)
			fprintf(stream, "%s%s", i ? ", " : "", groups[i]->name);
	}
	return fclose(stream) ? NULL : names;
}

struct papi_metric_group *papi_metrics_find(const char *name, int *number)
{
	char *names;

	for (unsigned i = n_groups; i-- > 0;)
		if (strcmp(groups[i]->name, name) == 0) {
			*number = (int)i;
			return groups[i];
		}
	names = names_of_groups();
	papi_error(PAPI_ENOEVNT, "no group of metrics is named \"%.64s\"; there are %s%s%s", name,
		names ? names : "none", unread ? "; and " : "", unread ? unread : "");
	free(names);
	return NULL;
}

static struct papi_metric *metric_in(struct papi_metric_group *group, const char *name)
{
	for (unsigned i = 0; i < group->n_metrics; i++)
		if (strcmp(group->metrics[i].name, name) == 0)
			return &group->metrics[i];
	return NULL;
}

struct papi_metric *papi_metrics_lookup(
	struct papi_metric_group *group, const char *name, struct papi_metric_group **owner)
{
	struct papi_metric *metric = metric_in(group, name);

	*owner = group;
	for (unsigned i = n_groups; !metric && i-- > 0;) {
		*owner = groups[i];
		metric = metric_in(groups[i], name);
	}
	return metric;
}

static void free_way(struct papi_metric_way *way)
{
	for (unsigned i = 0; i < way->n_terms; i++)
		free(way->terms[i].name);
	for (unsigned i = 0; i < way->n_events; i++)
		free(way->events[i]);
	free(way->text);
	free(way->formula);
	free(way->terms);
	free(way->flat);
	free(way->events);
}

static void free_metric(struct papi_metric *metric)
{
	for (unsigned i = 0; i < metric->n_ways; i++)
		free_way(&metric->ways[i]);
	free(metric->name);
	free(metric->unit);
	free(metric->title);
	free(metric->description);
	free(metric->ways);
	free(metric->why);
	free(metric->places);
}

static void free_group(struct papi_metric_group *group)
{
	for (unsigned i = 0; i < group->n_metrics; i++)
		free_metric(&group->metrics[i]);
	for (unsigned i = 0; i < group->n_rules; i++) {
		for (unsigned j = 0; j < group->rules[i].n_conditions; j++)
			free(group->rules[i].conditions[j].name);
		free(group->rules[i].sentence);
	}
	for (unsigned i = 0; i < group->n_events; i++)
		free(group->events[i].name);
	free(group->name);
	free(group->description);
	free(group->file);
	free(group->metrics);
	free(group->rules);
	free(group->events);
	free(group);
}

void papi_metrics_clear(void)
{
	for (unsigned i = 0; i < n_groups; i++)
		free_group(groups[i]);
	free(groups);
	free(unread);
	groups = NULL;
	n_groups = 0;
	unread = NULL;
	loaded = false;
}
