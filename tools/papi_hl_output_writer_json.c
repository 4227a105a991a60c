/* SPDX-License-Identifier: BSD-3-Clause */
/* papi_hl_output_writer_json.c - the run as JSON; papi_hl_output_writer(1) describes it. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "papi_hl_output_writer.h"

static json_t *number(long double value)
{
	if (isnan(value))
		return json_null();
	if (value == floorl(value) && fabsl(value) < 0x1p63L)
		return json_integer((json_int_t)value);
	return json_real((double)value);
}

static json_t *statistic(const struct writer_run *run, const struct writer_region *region,
	const struct writer_quantity *quantity, enum writer_type type)
{
	struct writer_statistic all = writer_statistic(run, region, quantity);
	json_t *object;

	if (type == WRITER_ACCUMULATE)
		return number(all.total);
	object = json_object();
	json_object_set_new(object, "threads", json_integer(all.n));
	json_object_set_new(object, "total", number(all.total));
	json_object_set_new(object, "minimum", number(all.minimum));
	json_object_set_new(object, "median", number(all.median));
	json_object_set_new(object, "maximum", number(all.maximum));
	return object;
}

/* Quantities that are not events or rates have the names that they have in the files of ranks. */
static const char *key_of(const struct writer_quantity *quantity)
{
	switch (quantity->what) {
	case WRITER_INSTANCES:
		return "region_count";
	case WRITER_SECONDS:
		return "real_time_s";
	default:
		return quantity->name;
	}
}

/* sample NULL: statistics of the whole region. */
static void add_quantities(json_t *object, const struct writer_run *run, const struct writer_region *region,
	const struct writer_sample *sample, enum writer_type type)
{
	json_t *events = json_object(), *rates = json_object(), *metrics = json_object();
	bool any_rate = false;

	for (unsigned i = 0; i < run->n_quantities; i++) {
		const struct writer_quantity *quantity = &run->quantities[i];
		json_t *target = quantity->what == WRITER_EVENT ? events
			: quantity->what == WRITER_RATE         ? rates
			: quantity->what == WRITER_METRIC       ? metrics
								: object;

		any_rate |= target == rates;
		json_object_set_new(target, key_of(quantity),
			sample ? number(writer_value(run, sample, quantity)) : statistic(run, region, quantity, type));
	}
	json_object_set_new(object, "events", events);
	if (any_rate)
		json_object_set(object, "rates", rates);
	if (run->has_metrics)
		json_object_set(object, "metrics", metrics);
	json_decref(rates);
	json_decref(metrics);
}

static json_t *path_of(const struct writer_run *run, const struct writer_region *region)
{
	json_t *path = json_array();

	for (;; region = &run->regions[region->parent]) {
		json_array_insert_new(path, 0, json_string(region->name));
		if (region->parent < 0)
			return path;
	}
}

static json_t *describe(const struct writer_run *run, const struct writer_region *region)
{
	json_t *object = json_object();

	json_object_set_new(object, "name", json_string(region->name));
	json_object_set_new(object, "path", path_of(run, region));
	return object;
}

static json_t *all_regions(const struct writer_run *run, enum writer_type type)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < run->n_regions; i++) {
		const struct writer_region *region = &run->regions[i];

		if (type != WRITER_DETAIL) {
			json_t *object = describe(run, region);

			json_object_set_new(object, "threads", json_integer(region->n));
			add_quantities(object, run, region, NULL, type);
			json_array_append_new(list, object);
		}
		for (unsigned j = 0; j < region->n && type == WRITER_DETAIL; j++) {
			const struct writer_sample *sample = &region->samples[j];
			json_t *object = describe(run, region);

			json_object_set_new(object, "rank", json_string(run->files[sample->file].label));
			json_object_set_new(
				object, "thread", json_string(run->files[sample->file].threads[sample->thread]));
			add_quantities(object, run, region, sample, type);
			json_array_append_new(list, object);
		}
	}
	return list;
}

static json_t *all_events(const struct writer_run *run)
{
	json_t *object = json_object();

	for (unsigned i = 0; i < run->n_events; i++) {
		const struct writer_event *event = &run->events[i];

		json_object_set_new(object, event->name,
			json_pack("{s:s,s:s,s:b,s:s,s:i}", "units", event->units, "type",
				event->instant ? "instant" : "delta", "multiplexed", event->multiplexed, "kind",
				event->kind, "ranks", (int)event->in_files));
	}
	return object;
}

static json_t *all_refusals(const struct writer_run *run)
{
	json_t *object = json_object();

	for (unsigned i = 0; i < run->n_refusals; i++)
		json_object_set_new(object, run->refusals[i].name, json_string(run->refusals[i].reason));
	return object;
}

/* What each rate, or metric, is worth. */
static json_t *all_of(const struct writer_run *run, enum writer_what what)
{
	json_t *object = json_object();

	for (unsigned i = 0; i < run->n_quantities; i++)
		if (run->quantities[i].what == what)
			json_object_set_new(object, run->quantities[i].name,
				json_pack("{s:s,s:s}", "units", run->quantities[i].unit, "kind",
					run->quantities[i].kind));
	return object;
}

static void set_text(json_t *object, const char *key, const char *text)
{
	if (text)
		json_object_set_new(object, key, json_string(text));
}

void writer_print_json(FILE *stream, const struct writer_run *run, enum writer_type type)
{
	static const char *const types[] = {
		[WRITER_SUMMARY] = "summary", [WRITER_ACCUMULATE] = "accumulate", [WRITER_DETAIL] = "detail"
	};
	json_t *root = json_object();

	set_text(root, "papi_version", run->version);
	set_text(root, "program", run->program);
	set_text(root, "cpu_info", run->cpu);
	set_text(root, "type", types[type]);
	json_object_set_new(root, "ranks", json_integer(run->n_files));
	json_object_set_new(root, "threads", json_integer(writer_threads(run)));
	json_object_set_new(root, "slowed_by_counting", json_boolean(run->slowed));
	json_object_set_new(root, "events", all_events(run));
	json_object_set_new(root, "events_refused", all_refusals(run));
	json_object_set_new(root, "rates", all_of(run, WRITER_RATE));
	if (run->has_metrics)
		json_object_set_new(root, "metrics", all_of(run, WRITER_METRIC));
	json_object_set_new(root, "regions", all_regions(run, type));
	/* A stream that cannot take it remembers that, and the end of the program says so. */
	json_dumpf(root, stream, JSON_INDENT(2));
	fputc('\n', stream);
	json_decref(root);
}
