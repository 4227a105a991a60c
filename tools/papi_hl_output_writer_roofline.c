/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_hl_output_writer_roofline.c - regions under the roofs of this machine: what they have counted of group roofline,
 * and the time that they took, which comes from another run where counting has made this one slower.
 */
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "papi.h"
#include "papi_hl_output_writer.h"
#include "papi_roofline/picture.h"

#define GROUP "roofline"

/* The metrics that a point is made of, by their numbers in the group; -1: not counted. */
struct parts {
	int group, operations, single, below[PAPI_ROOFLINE_LEVELS];
	const char *worth[2];
};

static bool complain(const char *path, const char *reason)
{
	char *text = writer_copy(path), *why = writer_copy(reason);

	papi_escape_terminal(text);
	papi_escape_terminal(why);
	fprintf(stderr, "papi_hl_output_writer: --roofline %s: %s\n", text, why);
	free(text);
	free(why);
	return false;
}

/* The number of that metric if it was counted; worth: the worst of what it has been and is. */
static int find_metric(const struct writer_run *run, int group, const char *name, const char **worth)
{
	PAPI_metric_info_t metric;
	const char *kind;

	for (int i = 0; PAPI_metric_info(group, i, &metric) == PAPI_OK; i++)
		if (strcmp(metric.name, name) == 0) {
			if (*metric.why || !writer_metric_is_counted(run, group, &metric, &kind))
				return -1;
			*worth = *worth ? writer_worse(*worth, kind) : kind;
			return i;
		}
	return -1;
}

static bool find_parts(const struct writer_run *run, const char *path, struct parts *parts)
{
	static const char *const below[] = { "bytes_below_l1", "bytes_below_l2", "bytes_below_l3" };
	const char *unused = NULL;

	*parts = (struct parts){ .group = -1 };
	if (PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT)
		parts->group = PAPI_metric_group(GROUP);
	if (parts->group < 0)
		return complain(path, PAPI_error_detail());
	parts->operations = find_metric(run, parts->group, "operations", &parts->worth[0]);
	parts->single = find_metric(run, parts->group, "single_operations", &unused);
	for (size_t i = 0; i < PAPI_ROOFLINE_LEVELS; i++)
		parts->below[i] = find_metric(run, parts->group, below[i], &parts->worth[1]);
	if (parts->operations >= 0)
		return true;
	return complain(
		path, "floating-point operations were not counted; all is there after a run with PAPI_METRICS=" GROUP);
}

static double value_of(
	const struct writer_run *run, const struct writer_region *region, const struct parts *parts, int metric)
{
	const struct writer_quantity quantity = { .group = parts->group, .event = (unsigned)metric };

	return metric < 0 ? (double)NAN : (double)writer_metric(run, region->samples, region->n, &quantity);
}

/* The same region of another run, which is found by its name and those around it. */
static int twin_of(struct writer_run *times, const struct writer_run *run, int position)
{
	const struct writer_region *region = &run->regions[position];

	return writer_region(times, region->parent < 0 ? -1 : twin_of(times, run, region->parent), region->name);
}

static long double instances_of(const struct writer_region *region)
{
	long double sum = 0;

	for (unsigned i = 0; i < region->n; i++)
		sum += region->samples[i].instances;
	return sum;
}

/* The longest of its threads, which work side by side. NaN: it was not there, or not as often. */
static double seconds_of(struct writer_run *times, const struct writer_run *run, unsigned position)
{
	const struct writer_region *region = &run->regions[position], *timed = region;
	double longest = (double)NAN;

	if (times != run)
		timed = &times->regions[twin_of(times, run, (int)position)];
	if (instances_of(timed) != instances_of(region))
		return longest;
	for (unsigned i = 0; i < timed->n; i++)
		longest = fmax(longest, (double)timed->samples[i].seconds);
	return longest;
}

/* "solve/norm" */
static char *path_of(const struct writer_run *run, int position)
{
	const struct writer_region *region = &run->regions[position];
	char *outer, *text;

	if (region->parent < 0)
		return writer_copy(region->name);
	outer = path_of(run, region->parent);
	text = writer_grow(NULL, strlen(outer) + strlen(region->name) + 2, 1);
	sprintf(text, "%s/%s", outer, region->name);
	free(outer);
	return text;
}

static struct papi_roofline_point point_of(
	struct writer_run *times, const struct writer_run *run, unsigned position, const struct parts *parts)
{
	const struct writer_region *region = &run->regions[position];
	struct papi_roofline_point point = { .name = path_of(run, (int)position),
		.operations = value_of(run, region, parts, parts->operations),
		.single = value_of(run, region, parts, parts->single),
		.seconds = seconds_of(times, run, position) };

	for (size_t i = 0; i < PAPI_ROOFLINE_LEVELS; i++)
		point.below[i] = value_of(run, region, parts, parts->below[i]);
	for (size_t i = 0; i < 2; i++)
		point.worth[i] = parts->worth[i] ? parts->worth[i] : "n/a";
	return point;
}

/* Roofs of another machine say nothing about this run. */
static const struct papi_roofline *find_peaks(const struct writer_run *run, const char *path)
{
	const PAPI_hw_info_t *hardware = PAPI_get_hardware_info();
	char reason[PAPI_HUGE_STR_LEN];

	if (run->cpu && hardware && strcmp(run->cpu, hardware->model_string) != 0) {
		snprintf(reason, sizeof(reason),
			"this was counted on '%.200s', and the roofs of this machine, '%.200s', "
			"say nothing about it: draw it there",
			run->cpu, hardware->model_string);
		complain(path, reason);
		return NULL;
	}
	return papi_roofline_peaks(writer_tool.name);
}

static bool draw_points(struct writer_run *run, struct writer_run *times, const char *path,
	struct papi_roofline_picture *picture, const struct parts *parts)
{
	struct papi_roofline_point *points = writer_grow(NULL, run->n_regions, sizeof(*points));
	char reason[PAPI_HUGE_STR_LEN];
	bool drawn;

	for (unsigned i = 0; i < run->n_regions; i++) {
		points[i] = point_of(times, run, i, parts);
		picture->all |= run->regions[i].n > 1;
	}
	picture->points = points;
	picture->n = run->n_regions;
	drawn = papi_roofline_draw(path, picture, reason, sizeof(reason)) || complain(path, reason);
	for (unsigned i = 0; i < run->n_regions; i++)
		free((char *)points[i].name);
	free(points);
	return drawn;
}

bool writer_draw_roofline(struct writer_run *run, struct writer_run *times, const char *path)
{
	struct papi_roofline_picture picture = { .title = run->program ? run->program : "regions" };
	char reason[PAPI_HUGE_STR_LEN];
	struct parts parts;

	if (!papi_roofline_check_file(path, reason, sizeof(reason)))
		return complain(path, reason);
	if (!find_parts(run, path, &parts))
		return false;
	if (times->slowed)
		return complain(path,
			"the times are not those of the program, since counting has made it slower: run it once more "
			"with PAPI_EVENTS=perf::TASK-CLOCK, and name the result with --times");
	picture.peaks = find_peaks(run, path);
	if (!picture.peaks)
		return false;
	if (times != run)
		picture.note = "times are of another run";
	return draw_points(run, times, path, &picture, &parts);
}
