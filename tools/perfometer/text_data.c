/* SPDX-License-Identifier: BSD-3-Clause */
/* text_data.c - messages put away for the view in a terminal. */
#include "text_data.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "perfometer.h"

#define MOST_VALUES 4000000

static const double unknown = NAN;

/* A text from outside as a terminal may have it. */
static void set_text(char **where, const json_t *text)
{
	free(*where);
	*where = papi_perfometer_format("%s", json_is_string(text) ? json_string_value(text) : "");
	papi_escape_terminal(*where);
}

static void forget_lanes(struct papi_text_data *data)
{
	for (size_t i = 0; i < data->n_lanes; i++) {
		for (size_t k = 0; k < data->lanes[i].n_columns; k++)
			free(data->lanes[i].columns[k].counts);
		free(data->lanes[i].columns);
		free(data->lanes[i].name);
		papi_text_bands_free(&data->lanes[i].bands);
	}
	free(data->lanes);
}

void papi_text_data_begin(struct papi_text_data *data)
{
	*data = (struct papi_text_data){ .n_samples = 0 };
}

void papi_text_data_end(struct papi_text_data *data)
{
	forget_lanes(data);
	papi_text_bands_free(&data->everywhere);
	for (size_t i = 0; i < data->n_events; i++) {
		free(data->events[i].name);
		free(data->events[i].kind);
		free(data->events[i].unit);
	}
	free(data->events);
	free(data->counted);
	free(data->times);
	free(data->program);
	free(data->state);
	free(data->notice);
	papi_text_data_begin(data);
}

/* ---- lanes and events ---- */

static bool read_time(const json_t *message, double *time)
{
	const json_t *given = json_object_get(message, "t");

	*time = json_number_value(given);
	return json_is_number(given);
}

static struct papi_text_lane *find_lane(struct papi_text_data *data, const json_t *id)
{
	if (!json_is_integer(id))
		return NULL;
	for (size_t i = 0; i < data->n_lanes; i++)
		if (data->lanes[i].id == json_integer_value(id))
			return &data->lanes[i];
	return NULL;
}

static struct papi_text_lane *add_lane(struct papi_text_data *data, long long id, bool whole)
{
	struct papi_text_lane *lane;

	data->lanes = papi_perfometer_allocate(data->lanes, data->n_lanes + 1, sizeof(*data->lanes));
	lane = &data->lanes[data->n_lanes];
	if (whole) {
		lane = data->lanes;
		while (lane < &data->lanes[data->n_lanes] && lane->whole)
			lane++;
		memmove(lane + 1, lane, (size_t)(&data->lanes[data->n_lanes] - lane) * sizeof(*lane));
	}
	data->n_lanes++;
	*lane = (struct papi_text_lane){ .id = id, .whole = whole };
	return lane;
}

/* The thread number of a lane that is the whole program. */
static bool is_zero(const json_t *given)
{
	return json_is_integer(given) && !json_integer_value(given);
}

static bool take_thread(struct papi_text_data *data, const json_t *message)
{
	const json_t *id = json_object_get(message, "id");
	struct papi_text_lane *lane = find_lane(data, id);
	double begin;

	if (!json_is_integer(id) || !read_time(message, &begin))
		return false;
	if (!lane)
		lane = add_lane(data, json_integer_value(id), is_zero(json_object_get(message, "tid")));
	lane->begin = begin;
	set_text(&lane->name, json_object_get(message, "name"));
	return true;
}

static bool take_end(struct papi_text_data *data, const json_t *message)
{
	struct papi_text_lane *lane = find_lane(data, json_object_get(message, "id"));

	if (!lane || !read_time(message, &lane->end))
		return false;
	lane->ended = true;
	return true;
}

static size_t find_event(struct papi_text_data *data, const json_t *given)
{
	char *name = NULL;
	size_t i = 0;

	set_text(&name, json_object_get(given, "name"));
	while (i < data->n_events && strcmp(data->events[i].name, name) != 0)
		i++;
	if (i < data->n_events) {
		free(name);
		return i;
	}
	data->events = papi_perfometer_allocate(data->events, data->n_events + 1, sizeof(*data->events));
	data->events[data->n_events++] = (struct papi_text_event){ .name = name };
	return i;
}

static bool take_schema(struct papi_text_data *data, const json_t *message)
{
	const json_t *events = json_object_get(message, "events"), *serial = json_object_get(message, "serial");

	if (!json_is_array(events) || !json_is_integer(serial))
		return false;
	data->serial = json_integer_value(serial);
	for (size_t i = 0; i < data->n_events; i++)
		data->events[i].counted = false;
	data->n_counted = json_array_size(events);
	data->counted = papi_perfometer_allocate(data->counted, data->n_counted + 1, sizeof(*data->counted));
	for (size_t i = 0; i < data->n_counted; i++) {
		const json_t *given = json_array_get(events, i);
		struct papi_text_event *event;

		data->counted[i] = find_event(data, given);
		event = &data->events[data->counted[i]];
		set_text(&event->kind, json_object_get(given, "kind"));
		set_text(&event->unit, json_object_get(given, "unit"));
		event->metric = json_is_true(json_object_get(given, "metric"));
		event->counted = true;
	}
	return true;
}

/* ---- samples ---- */

static bool read_total(const json_t *given, long long *total)
{
	const char *text = json_string_value(given);
	char *end;

	*total = json_integer_value(given);
	if (!text)
		return json_is_integer(given);
	errno = 0;
	*total = strtoll(text, &end, 10);
	return *text && !*end && errno == 0;
}

static struct papi_text_column *column_of(struct papi_text_data *data, struct papi_text_lane *lane, size_t event)
{
	if (event >= lane->n_columns) {
		lane->columns = papi_perfometer_allocate(lane->columns, data->n_events, sizeof(*lane->columns));
		memset(&lane->columns[lane->n_columns], 0, (data->n_events - lane->n_columns) * sizeof(*lane->columns));
		lane->n_columns = data->n_events;
	}
	return &lane->columns[event];
}

static void put(struct papi_text_data *data, struct papi_text_column *column, double count)
{
	size_t sample = data->n_samples - 1;

	if (!column->number)
		column->start = sample;
	if (sample - column->start >= column->room) {
		column->room = 2 * (sample - column->start) + 64;
		column->counts = papi_perfometer_allocate(column->counts, column->room, sizeof(*column->counts));
	}
	data->values += sample - column->start + 1 - column->number;
	while (column->number < sample - column->start)
		column->counts[column->number++] = unknown;
	column->counts[column->number++] = count;
}

/* A lane that began since the last sample began with 0. */
static double count_of(const struct papi_text_data *data, const struct papi_text_lane *lane,
	const struct papi_text_column *column, long long total)
{
	size_t sample = data->n_samples - 1;

	if (column->known && sample && column->sample == sample - 1 && total >= column->total)
		return (double)(total - column->total);
	if (!column->known && sample && lane->begin > data->times[sample - 1])
		return (double)total;
	return unknown;
}

static void take_value(struct papi_text_data *data, struct papi_text_lane *lane, size_t event, const json_t *given)
{
	struct papi_text_column *column = column_of(data, lane, event);
	long long total;

	if (data->events[event].metric) {
		put(data, column, json_is_number(given) ? json_number_value(given) : unknown);
		return;
	}
	if (!read_total(given, &total)) {
		put(data, column, unknown);
		return;
	}
	put(data, column, count_of(data, lane, column, total));
	column->total = total;
	column->sample = data->n_samples - 1;
	column->known = true;
}

static void drop_oldest(struct papi_text_data *data, size_t number)
{
	memmove(data->times, data->times + number, (data->n_samples - number) * sizeof(*data->times));
	data->n_samples -= number;
	data->values = 0;
	for (size_t i = 0; i < data->n_lanes; i++) {
		for (size_t k = 0; k < data->lanes[i].n_columns; k++) {
			struct papi_text_column *column = &data->lanes[i].columns[k];
			size_t gone = column->start < number ? number - column->start : 0;

			gone = gone < column->number ? gone : column->number;
			if (gone)
				memmove(column->counts, column->counts + gone,
					(column->number - gone) * sizeof(*column->counts));
			column->number -= gone;
			column->start = column->start < number ? 0 : column->start - number;
			column->sample = column->sample < number ? SIZE_MAX : column->sample - number;
			data->values += column->number;
		}
	}
}

static bool take_sample(struct papi_text_data *data, const json_t *message)
{
	const json_t *threads = json_object_get(message, "threads"), *serial = json_object_get(message, "serial");
	double time;

	if (!read_time(message, &time) || !json_is_array(threads) || !json_is_integer(serial))
		return false;
	if (data->n_samples && time <= data->times[data->n_samples - 1])
		return true;
	if (data->n_samples == data->room) {
		data->room = 2 * data->room + 256;
		data->times = papi_perfometer_allocate(data->times, data->room, sizeof(*data->times));
	}
	data->times[data->n_samples++] = time;
	for (size_t i = 0; json_integer_value(serial) == data->serial && i < json_array_size(threads); i++) {
		const json_t *row = json_array_get(threads, i), *values = json_array_get(row, 1);
		struct papi_text_lane *lane = find_lane(data, json_array_get(row, 0));

		for (size_t k = 0; lane && k < data->n_counted; k++)
			take_value(data, lane, data->counted[k], json_array_get(values, k));
	}
	if (data->values > MOST_VALUES && data->n_samples > 16)
		drop_oldest(data, data->n_samples / 4);
	return true;
}

/* ---- what is not known ---- */

static bool has_id(const json_t *ids, long long id)
{
	for (size_t i = 0; i < json_array_size(ids); i++)
		if (json_integer_value(json_array_get(ids, i)) == id)
			return true;
	return !json_is_array(ids);
}

/* Intervals that a gap has a part of; a gap is told of before the sample that ends it. */
static bool take_gap(struct papi_text_data *data, const json_t *message)
{
	const json_t *ids = json_object_get(message, "ids"), *until = json_object_get(message, "until");
	double begin, end = json_number_value(until);

	if (!read_time(message, &begin) || !json_is_number(until))
		return false;
	for (size_t i = 0; i < data->n_lanes; i++) {
		if (!has_id(ids, data->lanes[i].id))
			continue;
		for (size_t k = 0; k < data->lanes[i].n_columns; k++) {
			struct papi_text_column *column = &data->lanes[i].columns[k];

			for (size_t n = 0; n < column->number; n++) {
				size_t sample = column->start + n;

				if (sample && data->times[sample - 1] < end && data->times[sample] > begin)
					column->counts[n] = unknown;
			}
			/* The next interval begins in it. */
			if (data->n_samples && data->times[data->n_samples - 1] < end)
				column->sample = SIZE_MAX;
		}
	}
	return true;
}

/* ---- marks ---- */

static bool take_mark(struct papi_text_data *data, const json_t *message)
{
	const json_t *id = json_object_get(message, "id"), *begin = json_object_get(message, "begin");
	const char *name = json_string_value(json_object_get(message, "name"));
	const char *color = json_string_value(json_object_get(message, "color"));
	struct papi_text_lane *lane = find_lane(data, id);
	struct papi_text_bands *bands = lane ? &lane->bands : &data->everywhere;
	double time;

	if (!read_time(message, &time) || (json_is_integer(id) && !lane))
		return false;
	if (json_is_true(json_object_get(message, "stopped")))
		data->stopped = json_is_true(begin);
	if (json_is_false(begin))
		papi_text_bands_end(bands, time, name ? name : "");
	else
		papi_text_bands_begin(bands, time, name ? name : "", color ? color : "", json_is_true(begin));
	return true;
}

/* ---- messages ---- */

static bool take_text(char **where, const json_t *message, const char *member)
{
	const json_t *text = json_object_get(message, member);

	if (!json_is_string(text))
		return false;
	set_text(where, text);
	return true;
}

static bool take_notice(struct papi_text_data *data, const json_t *message)
{
	const char *level = json_string_value(json_object_get(message, "level"));

	return !level || !strcmp(level, "info") || take_text(&data->notice, message, "text");
}

static bool take_message(struct papi_text_data *data, const json_t *message)
{
	const char *type = json_string_value(json_object_get(message, "type"));

	if (!type)
		return false;
	if (!strcmp(type, "hello"))
		return take_text(&data->program, message, "program");
	if (!strcmp(type, "schema"))
		return take_schema(data, message);
	if (!strcmp(type, "thread"))
		return take_thread(data, message);
	if (!strcmp(type, "end"))
		return take_end(data, message);
	if (!strcmp(type, "sample"))
		return take_sample(data, message);
	if (!strcmp(type, "gap"))
		return take_gap(data, message);
	if (!strcmp(type, "mark"))
		return take_mark(data, message);
	if (!strcmp(type, "notice"))
		return take_notice(data, message);
	return strcmp(type, "bye") != 0 || take_text(&data->state, message, "reason");
}

void papi_text_data_take(struct papi_text_data *data, const char *line, size_t length)
{
	json_t *message = json_loadb(line, length, 0, NULL);

	if (!message || !take_message(data, message))
		data->odd++;
	json_decref(message);
}

/* ---- asking ---- */

double papi_text_data_count(const struct papi_text_data *data, size_t lane, size_t event, size_t sample)
{
	const struct papi_text_column *column;

	if (lane >= data->n_lanes || event >= data->lanes[lane].n_columns)
		return unknown;
	column = &data->lanes[lane].columns[event];
	if (sample < column->start || sample - column->start >= column->number)
		return unknown;
	return column->counts[sample - column->start];
}

bool papi_text_data_total(const struct papi_text_data *data, size_t lane, size_t event, long long *total)
{
	if (lane >= data->n_lanes || event >= data->lanes[lane].n_columns || data->events[event].metric ||
		!data->lanes[lane].columns[event].known)
		return false;
	*total = data->lanes[lane].columns[event].total;
	return true;
}
