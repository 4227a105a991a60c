/* SPDX-License-Identifier: BSD-3-Clause */
#include "source.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "escape.h"
#include "marks.h"
#include "perfometer.h"

#define MOST_LANES  65536
#define MOST_EVENTS 512
#define MOST_TEXT   4096
#define MOST_NAME   255 /* that is kept */

/* ---- lanes ---- */

struct papi_source_lane *papi_source_lane_add(struct papi_source *source, json_int_t theirs, pid_t tid)
{
	struct papi_source_lane *lane;

	source->lanes = papi_perfometer_allocate(source->lanes, source->n_lanes + 1, sizeof(*source->lanes));
	lane = &source->lanes[source->n_lanes++];
	*lane = (struct papi_source_lane){ .theirs = theirs, .ours = (*source->next_lane)++, .tid = tid };
	return lane;
}

static struct papi_source_lane *find_lane(const struct papi_source *source, const json_t *id)
{
	for (size_t i = source->n_lanes; json_is_integer(id) && i-- > 0;)
		if (source->lanes[i].theirs == json_integer_value(id))
			return &source->lanes[i];
	return NULL;
}

static void write_key(FILE *out, const char *key, const char *text)
{
	fprintf(out, ",\"%s\":", key);
	papi_escape_json(out, text);
}

void papi_source_lane_tell(struct papi_source *source, struct papi_source_lane *lane, pid_t pid, pid_t tid,
	const char *process, const char *name, int rank)
{
	FILE *out = papi_journal_write(source->session->journal, PAPI_JOURNAL_THREAD, lane->ours, source->now);

	fprintf(out, "{\"type\":\"thread\",\"t\":%.6f,\"id\":%d,\"whole\":%s,\"pid\":%d,\"tid\":%d", source->now,
		lane->ours, tid ? "false" : "true", (int)pid, (int)tid);
	write_key(out, "process", process);
	write_key(out, "name", name);
	if (rank < 0)
		fputs(",\"rank\":null}", out);
	else
		fprintf(out, ",\"rank\":%d}", rank);
	papi_journal_done(source->session->journal);
	free(lane->process);
	free(lane->name);
	lane->process = papi_perfometer_format("%.*s", MOST_NAME, process);
	lane->name = papi_perfometer_format("%.*s", MOST_NAME, name);
	lane->pid = pid;
	lane->told = true;
}

void papi_source_lane_end(struct papi_source *source, struct papi_source_lane *lane, double time, const char *reason)
{
	FILE *out;

	if (lane->ended)
		return;
	lane->ended = true;
	out = papi_journal_write(source->session->journal, PAPI_JOURNAL_END, lane->ours, time);
	fprintf(out, "{\"type\":\"end\",\"t\":%.6f,\"id\":%d", time, lane->ours);
	write_key(out, "reason", reason);
	fputc('}', out);
	papi_journal_done(source->session->journal);
}

/* ---- lines ---- */

/* A text from outside; what is none is empty. */
static const char *text_of(const json_t *message, const char *key)
{
	const json_t *given = json_object_get(message, key);

	return json_is_string(given) && json_string_length(given) <= MOST_TEXT ? json_string_value(given) : "";
}

static int number_of(const json_t *message, const char *key, int otherwise)
{
	const json_t *given = json_object_get(message, key);
	json_int_t number = json_integer_value(given);

	return json_is_integer(given) && number >= 0 && number <= INT_MAX ? (int)number : otherwise;
}

static const char *take_hello(struct papi_source *source, const json_t *message)
{
	if (number_of(message, "version", 0) != 1)
		return "it is a perfometer of another version";
	if (!source->pid) {
		free(source->program);
		source->program = papi_perfometer_format("%s", text_of(message, "program"));
	}
	source->greeted = true;
	return NULL;
}

static void narrow(struct papi_source *source, struct papi_session_event *event)
{
	source->narrows = source->narrows || (event->source == PAPI_SESSION_KERNEL && !event->counter.user_only);
	event->counter.user_only = true;
}

void papi_source_map(struct papi_source *source)
{
	source->n_columns = json_array_size(source->events);
	source->columns = papi_perfometer_allocate(source->columns, source->n_columns + 1, sizeof(*source->columns));
	for (size_t i = 0; i < source->n_columns; i++) {
		const json_t *event = json_array_get(source->events, i);

		source->columns[i] = papi_session_find(source->session, text_of(event, "name"));
		if (source->columns[i] != SIZE_MAX && json_is_true(json_object_get(event, "user_only")))
			narrow(source, &source->session->events[source->columns[i]]);
	}
}

static const char *take_schema(struct papi_source *source, json_t *message)
{
	json_t *events = json_object_get(message, "events");

	if (!json_is_array(events) || json_array_size(events) > MOST_EVENTS)
		return "its list of events is none";
	json_decref(source->events);
	source->events = json_incref(events);
	source->serial = json_integer_value(json_object_get(message, "serial"));
	source->is_new = true;
	papi_source_map(source);
	return NULL;
}

static const char *take_thread(struct papi_source *source, const json_t *message)
{
	const json_t *id = json_object_get(message, "id");
	struct papi_source_lane *lane = find_lane(source, id);
	int pid = number_of(message, "pid", 0), tid = number_of(message, "tid", 0);
	int rank = source->pid ? source->rank : number_of(message, "rank", -1);
	const char *name = text_of(message, "name"), *process = text_of(message, "process");
	char *whole;

	if (!json_is_integer(id) || source->n_lanes == MOST_LANES)
		return "it has no number for a thread, or too many";
	/* A number that comes again, after its end, is another thread. */
	if (!lane || lane->ended)
		lane = papi_source_lane_add(source, json_integer_value(id), tid);
	source->rank = rank;
	whole = rank < 0 ? papi_perfometer_format("%s %d", process, pid)
			 : papi_perfometer_format("rank %d: %s", rank, process);
	papi_source_lane_tell(source, lane, pid, tid, process, tid ? name : whole, rank);
	free(whole);
	return NULL;
}

static bool is_total(const char *text)
{
	size_t digits = strspn(text + (*text == '-'), "0123456789");

	return digits > 0 && digits < 25 && !text[(*text == '-') + digits];
}

static void set_value(struct papi_source_value *value, const json_t *given)
{
	snprintf(value->text, sizeof(value->text), "null");
	if (json_is_integer(given))
		snprintf(value->text, sizeof(value->text), "%lld", (long long)json_integer_value(given));
	else if (json_is_real(given) && isfinite(json_real_value(given)))
		snprintf(value->text, sizeof(value->text), "%.9g", json_real_value(given));
	else if (json_is_string(given) && is_total(json_string_value(given)))
		snprintf(value->text, sizeof(value->text), "\"%s\"", json_string_value(given));
}

static void take_values(struct papi_source *source, struct papi_source_lane *lane, const json_t *values)
{
	size_t n_events = source->session->n_events;

	if (lane->n_values < n_events) {
		lane->values = papi_perfometer_allocate(lane->values, n_events, sizeof(*lane->values));
		lane->n_values = n_events;
	}
	for (size_t i = 0; i < lane->n_values; i++)
		set_value(&lane->values[i], NULL);
	for (size_t i = 0; i < source->n_columns; i++)
		if (source->columns[i] < lane->n_values)
			set_value(&lane->values[source->columns[i]], json_array_get(values, i));
	lane->fresh = true;
}

static const char *take_sample(struct papi_source *source, const json_t *message)
{
	const json_t *threads = json_object_get(message, "threads");

	if (!json_is_array(threads))
		return "a sample of it has no threads";
	source->asked = false;
	if (json_integer_value(json_object_get(message, "serial")) != source->serial)
		return NULL;
	for (size_t i = 0; i < json_array_size(threads); i++) {
		const json_t *row = json_array_get(threads, i);
		struct papi_source_lane *lane = find_lane(source, json_array_get(row, 0));

		if (lane && !lane->ended)
			take_values(source, lane, json_array_get(row, 1));
	}
	return NULL;
}

static const char *take_end(struct papi_source *source, const json_t *message)
{
	struct papi_source_lane *lane = find_lane(source, json_object_get(message, "id"));

	if (lane && !lane->reason)
		lane->reason = papi_perfometer_format("%s", text_of(message, "reason"));
	return NULL;
}

static const char *take_notice(struct papi_source *source, const json_t *message, const char *text)
{
	const char *level = text_of(message, "level");
	char *whose = source->rank < 0 ? papi_perfometer_format("%s: %s", source->program, text)
				       : papi_perfometer_format("rank %d: %s", source->rank, text);

	if (strcmp(level, "error") != 0 && strcmp(level, "warning") != 0)
		level = "info";
	papi_journal_notice(source->session->journal, source->now, level, whose);
	free(whose);
	return NULL;
}

static const char *take_mark(struct papi_source *source, const json_t *message)
{
	const struct papi_source_lane *lane = find_lane(source, json_object_get(message, "id"));
	const json_t *begin = json_object_get(message, "begin");
	const char *color = text_of(message, "color");

	/* Those of all of it are of all its lanes, of which the first is the whole. */
	if (!lane && source->n_lanes)
		lane = source->lanes;
	if (lane && !lane->ended)
		papi_marks_write(source->session->journal, source->now, lane->ours, text_of(message, "name"),
			*color ? color : NULL, json_is_boolean(begin) ? json_is_true(begin) : -1);
	return NULL;
}

static const char *take_message(struct papi_source *source, json_t *message)
{
	const char *type = text_of(message, "type");

	if (!strcmp(type, "hello"))
		return take_hello(source, message);
	if (!source->greeted)
		return "it does not say what it is";
	if (!strcmp(type, "schema"))
		return take_schema(source, message);
	if (!strcmp(type, "thread"))
		return take_thread(source, message);
	if (!strcmp(type, "sample"))
		return take_sample(source, message);
	if (!strcmp(type, "end"))
		return take_end(source, message);
	if (!strcmp(type, "mark"))
		return take_mark(source, message);
	if (!strcmp(type, "notice"))
		return take_notice(source, message, text_of(message, "text"));
	if (strcmp(type, "bye") != 0)
		return NULL;
	source->said_bye = true;
	return take_notice(source, message, text_of(message, "reason"));
}

bool papi_source_take(struct papi_source *source, const char *line, size_t length, const char **why)
{
	json_t *message = json_loadb(line, length, 0, NULL);

	*why = message ? take_message(source, message) : "what it says is no message";
	json_decref(message);
	return !*why;
}

/* The connection is the handle's, where there is one. */
void papi_source_hang_up(struct papi_source *source)
{
	if (source->end)
		source->end(source->handle);
	else if (source->wire.file >= 0)
		close(source->wire.file);
	source->end = NULL;
	source->wire.file = -1;
}

static void free_lanes(struct papi_source *source, size_t keep)
{
	for (size_t i = keep; i < source->n_lanes; i++) {
		free(source->lanes[i].process);
		free(source->lanes[i].name);
		free(source->lanes[i].reason);
		free(source->lanes[i].values);
	}
	source->n_lanes = keep;
}

bool papi_source_retire(struct papi_source *source, double time)
{
	papi_source_hang_up(source);
	papi_wire_end(&source->wire);
	json_decref(source->events);
	source->events = NULL;
	source->ended = time;
	if (!source->n_lanes)
		return false;
	free_lanes(source, 1);
	source->lanes = papi_perfometer_allocate(source->lanes, 1, sizeof(*source->lanes));
	return source->lanes->told && source->lanes->tid == 0;
}

void papi_source_free(struct papi_source *source)
{
	free_lanes(source, 0);
	free(source->lanes);
	free(source->columns);
	free(source->program);
	json_decref(source->events);
	papi_source_hang_up(source);
	papi_wire_end(&source->wire);
	free(source);
}
