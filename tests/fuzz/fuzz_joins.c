/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What those who join say to a perfometer that listens, by real connections: whatever comes, what it writes in its own
 * journal are messages of doc/perfometer.md, and what it answers Prometheus is OpenMetrics. An input is a script, a
 * line for a step:
 *
 *	{...  }...     a line of a journal, in a frame, from the first or the second that has joined
 *	=BYTES         bytes as they are, from the first
 *	.              a tick, and what has come is read	?  /metrics
 *	+NAME          that event is chosen              	-  the first goes, and comes again
 */
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fuzz.h"
#include "perfometer/openmetrics.h"
#include "perfometer/perfometer.h"
#include "perfometer/sources.h"

#define MOST_BYTES 60000 /* that a connection has room for, without a reader */

/* ---- what is around sources: memory, a clock, and a session that knows four events ---- */

static const char *const known[] = { "ONE", "TWO", "perf::THREE", "share" };
static double seconds;

void *papi_perfometer_allocate(void *old, size_t number, size_t size)
{
	void *memory = realloc(old, number * size);

	CHECK(memory);
	return memory;
}

char *papi_perfometer_format(const char *format, ...)
{
	va_list arguments;
	char *text;

	va_start(arguments, format);
	CHECK(vasprintf(&text, format, arguments) >= 0);
	va_end(arguments);
	return text;
}

void papi_perfometer_no_memory(void)
{
	abort();
}

void papi_perfometer_say(const char *format, ...)
{
	(void)format;
}

double papi_session_time(const struct papi_session *session)
{
	(void)session;
	return seconds;
}

size_t papi_session_find(const struct papi_session *session, const char *name)
{
	for (size_t i = 0; i < session->n_events; i++)
		if (!strcmp(session->events[i].name, name))
			return i;
	return SIZE_MAX;
}

static bool add(struct papi_session *session, const char *name)
{
	struct papi_session_event event = { .kind = "exact" };
	bool is_there = false;

	if (papi_session_find(session, name) != SIZE_MAX)
		return true;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		is_there = is_there || !strcmp(known[i], name);
	if (!is_there)
		return false;
	event.name = papi_perfometer_format("%s", name);
	event.source = !strcmp(name, "share") ? PAPI_SESSION_METRIC : PAPI_SESSION_KERNEL;
	session->events = papi_perfometer_allocate(session->events, session->n_events + 1, sizeof(*session->events));
	session->events[session->n_events++] = event;
	return true;
}

bool papi_session_choose(
	struct papi_session *session, const char *const names[], size_t number, char *reason, size_t size)
{
	size_t *asked = papi_perfometer_allocate(NULL, number + 1, sizeof(*asked));

	snprintf(reason, size, "refused");
	for (size_t i = 0; i < number; i++) {
		bool again = false;

		for (size_t k = 0; k < i; k++)
			again = again || !strcmp(names[k], names[i]);
		if (again || !add(session, names[i])) {
			free(asked);
			return false;
		}
		asked[i] = papi_session_find(session, names[i]);
	}
	free(session->asked);
	session->asked = asked;
	session->n_asked = number;
	return true;
}

void papi_session_write_schema(struct papi_session *session)
{
	FILE *out = papi_journal_write(session->journal, PAPI_JOURNAL_SCHEMA, 0, seconds);

	fprintf(out, "{\"type\":\"schema\",\"t\":%.6f,\"serial\":%u,\"n\":%zu}", seconds, ++session->serial,
		session->n_asked);
	papi_journal_done(session->journal);
}

const long long *papi_virtual_values(struct papi_virtual *virtually, const uint64_t counters[PAPI_AGENT_COUNTERS])
{
	(void)virtually;
	(void)counters;
	return NULL;
}

/* ---- what it writes ---- */

#define MOST_LANES 4096

struct reader {
	unsigned char lanes[MOST_LANES]; /* 1: told; 2: ended */
	json_int_t serial, columns;
};

static void check_lane(struct reader *reader, const json_t *id, unsigned char state, unsigned char next)
{
	json_int_t lane = json_integer_value(id);

	CHECK(json_is_integer(id) && lane > 0);
	if (lane >= MOST_LANES)
		return;
	CHECK(reader->lanes[lane] == state || (state == 0 && reader->lanes[lane] == 1));
	reader->lanes[lane] = next;
}

static void check_value(const json_t *value)
{
	const char *text = json_string_value(value);

	CHECK(json_is_null(value) || json_is_number(value) || text);
	if (text)
		CHECK(*text && strspn(text + (*text == '-'), "0123456789") == strlen(text) - (*text == '-'));
	if (json_is_real(value))
		CHECK(isfinite(json_real_value(value)));
}

static void check_sample(struct reader *reader, const json_t *message)
{
	const json_t *threads = json_object_get(message, "threads");

	CHECK(json_integer_value(json_object_get(message, "serial")) == reader->serial);
	CHECK(json_array_size(threads) > 0);
	for (size_t i = 0; i < json_array_size(threads); i++) {
		const json_t *row = json_array_get(threads, i), *values = json_array_get(row, 1);

		CHECK(json_array_size(row) == 2 && (json_int_t)json_array_size(values) == reader->columns);
		check_lane(reader, json_array_get(row, 0), 1, 1);
		for (size_t k = 0; k < json_array_size(values); k++)
			check_value(json_array_get(values, k));
	}
}

static void check_message(struct reader *reader, const json_t *message)
{
	const char *type = json_string_value(json_object_get(message, "type"));
	const json_t *id = json_object_get(message, "id");

	CHECK(type);
	CHECK(json_is_real(json_object_get(message, "t")));
	if (!strcmp(type, "schema")) {
		reader->serial = json_integer_value(json_object_get(message, "serial"));
		reader->columns = json_integer_value(json_object_get(message, "n"));
	} else if (!strcmp(type, "thread")) {
		check_lane(reader, id, 0, 1);
	} else if (!strcmp(type, "end")) {
		check_lane(reader, id, 1, 2);
	} else if (!strcmp(type, "sample")) {
		check_sample(reader, message);
	} else {
		CHECK(!strcmp(type, "mark") || !strcmp(type, "notice"));
	}
}

static void check_journal(const struct papi_journal *journal)
{
	static struct reader reader;
	const struct papi_journal_entry *entry;

	memset(&reader, 0, sizeof(reader));
	for (uint64_t next = 0; (entry = papi_journal_from(journal, next)); next = entry->number + 1) {
		json_t *message = json_loadb(entry->text, entry->length, JSON_REJECT_DUPLICATES, NULL);

		CHECK(message && !memchr(entry->text, '\n', entry->length));
		check_message(&reader, message);
		json_decref(message);
	}
}

/* NAME{LABEL="...",...} DIGITS, where a quote in a label has a backslash before it. */
static void check_series(const char *line, size_t length)
{
	size_t at = strcspn(line, "{") + 1;

	CHECK(!strncmp(line, "papi_", 5) && at < length);
	while (line[at - 1] != '}') {
		CHECK(strspn(line + at, "abcdefghijklmnopqrstuvwxyz") > 0);
		at += strspn(line + at, "abcdefghijklmnopqrstuvwxyz");
		CHECK(line[at] == '=' && line[at + 1] == '"');
		for (at += 2; line[at] != '"'; at++) {
			at += line[at] == '\\';
			CHECK((unsigned char)line[at] >= ' ' && at < length);
		}
		CHECK(line[at + 1] == ',' || line[at + 1] == '}');
		at += 2;
	}
	CHECK(line[at] == ' ' && at + 1 < length && strspn(line + at + 1, "0123456789") == length - at - 1);
}

static void check_metrics(const struct papi_sources *sources, bool threads)
{
	char *text = papi_sources_metrics(sources, threads);
	const char *line = text;

	for (size_t length; *line; line += length + 1) {
		length = strcspn(line, "\n");
		CHECK(line[length] == '\n');
		if (*line != '#')
			check_series(line, length);
	}
	CHECK(line - text >= 6 && !strcmp(line - 6, "# EOF\n"));
	free(text);
}

/* ---- a script ---- */

struct stage {
	struct papi_journal journal;
	struct papi_session session;
	struct papi_sources *sources;
	int ends[2]; /* of those that have joined */
	size_t sent[2];
};

static void join(struct stage *stage, int who)
{
	int pair[2];

	if (!papi_sources_has_room(stage->sources))
		return;
	CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0);
	if (who)
		papi_sources_add_program(stage->sources, pair[0], 4711, -1, "own");
	else
		papi_sources_add(stage->sources, pair[0], NULL, NULL);
	stage->ends[who] = pair[1];
	stage->sent[who] = 0;
}

static void leave(struct stage *stage, int who)
{
	if (stage->ends[who] >= 0)
		close(stage->ends[who]);
	stage->ends[who] = -1;
}

static void give(struct stage *stage, int who, const void *bytes, size_t length)
{
	stage->sent[who] += length;
	if (stage->ends[who] >= 0 && stage->sent[who] < MOST_BYTES)
		(void)!send(stage->ends[who], bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static void say(struct stage *stage, int who, const char *line, size_t length)
{
	char head[PAPI_FRAME_HEAD];

	papi_frame_head(head, PAPI_FRAME_LINE_OF_JOURNAL, length);
	give(stage, who, head, sizeof(head));
	give(stage, who, line, length);
}

/* What is read comes in pieces; what they are answered is read as well, for there is no room for all. */
static void listen_to(struct stage *stage)
{
	char answers[4096];

	for (unsigned i = 0; i < 3; i++)
		papi_sources_serve(stage->sources);
	for (int who = 0; who < 2; who++)
		while (stage->ends[who] >= 0 && recv(stage->ends[who], answers, sizeof(answers), MSG_DONTWAIT) > 0)
			continue;
	stage->sent[0] = stage->sent[1] = 0;
}

static void choose(struct stage *stage, const char *line, size_t length)
{
	char *name = papi_perfometer_format("%.*s", (int)length, line), reason[64];

	if (papi_session_choose(&stage->session, (const char *const[]){ name }, 1, reason, sizeof(reason)))
		papi_sources_choose(stage->sources);
	free(name);
}

static void step(struct stage *stage, const char *line, size_t length)
{
	char first = length ? *line : '\0';

	if (first == '{') {
		say(stage, 0, line, length);
	} else if (first == '}') {
		/* The bracket is that of the line, too. */
		char *copy = papi_perfometer_format("{%.*s", (int)length - 1, line + 1);

		say(stage, 1, copy, strlen(copy));
		free(copy);
	} else if (first == '=') {
		give(stage, 0, line + 1, length - 1);
	} else if (first == '.') {
		seconds += 0.1;
		papi_sources_tick(stage->sources);
		listen_to(stage);
	} else if (first == '?') {
		check_metrics(stage->sources, length > 1);
	} else if (first == '+') {
		choose(stage, line + 1, length - 1);
	} else if (first == '-') {
		leave(stage, 0);
		listen_to(stage);
		join(stage, 0);
	}
}

static void begin(struct stage *stage, bool adopts)
{
	*stage = (struct stage){ .ends = { -1, -1 } };
	seconds = 0;
	papi_journal_begin(&stage->journal);
	stage->session.journal = &stage->journal;
	stage->sources = papi_sources_begin(&stage->session, adopts);
	if (!adopts)
		choose(stage, "ONE", 3);
	join(stage, 0);
	join(stage, 1);
}

static void end(struct stage *stage)
{
	listen_to(stage);
	seconds += 0.1;
	papi_sources_tick(stage->sources);
	check_metrics(stage->sources, true);
	papi_sources_end(stage->sources, "over");
	check_journal(&stage->journal);
	leave(stage, 0);
	leave(stage, 1);
	CHECK(papi_journal_end(&stage->journal));
	for (size_t i = 0; i < stage->session.n_events; i++)
		free(stage->session.events[i].name);
	free(stage->session.events);
	free(stage->session.asked);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *line = (const char *)data, *after = line + size;
	struct stage stage;

	/* Without an event to begin with, the first that joins says which. */
	begin(&stage, size && *line == '\n');
	while (line < after) {
		const char *stop = memchr(line, '\n', (size_t)(after - line));
		size_t length = (size_t)((stop ? stop : after) - line);

		step(&stage, line, length);
		line += length + 1;
	}
	end(&stage);
	return 0;
}
