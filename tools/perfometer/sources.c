/* SPDX-License-Identifier: BSD-3-Clause */
#include "sources.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "escape.h"
#include "openmetrics.h"
#include "perfometer.h"
#include "source.h"

#define MOST_SOURCES 256
/* How long, and of how many, the totals of those that have ended are known. */
#define PAST_SECONDS 300.0
#define MOST_PAST    256

struct papi_sources {
	struct papi_session *session;
	struct papi_source *list[MOST_SOURCES];
	size_t number;
	struct papi_source *past[MOST_PAST]; /* that have ended, the oldest first */
	size_t n_past;
	int epoll, next_lane;
	bool adopts;
	bool pending; /* a tick whose sample is not written yet ... */
	double tick;  /* ... and its time */
};

struct papi_sources *papi_sources_begin(struct papi_session *session, bool adopts)
{
	struct papi_sources *sources = papi_perfometer_allocate(NULL, 1, sizeof(*sources));

	*sources = (struct papi_sources){ .session = session, .adopts = adopts, .next_lane = 1 };
	sources->epoll = epoll_create1(EPOLL_CLOEXEC);
	return sources;
}

int papi_sources_file(const struct papi_sources *sources)
{
	return sources->epoll;
}

/* ---- samples ---- */

static bool is_asked(const struct papi_sources *sources)
{
	for (size_t i = 0; i < sources->number; i++)
		if (sources->list[i]->asked && !sources->list[i]->wire.broken)
			return true;
	return false;
}

static void write_lane(FILE *out, const struct papi_session *session, const struct papi_source_lane *lane, bool first)
{
	fprintf(out, "%s[%d,[", first ? "" : ",", lane->ours);
	for (size_t i = 0; i < session->n_asked; i++)
		fprintf(out, "%s%s", i ? "," : "",
			session->asked[i] < lane->n_values ? lane->values[session->asked[i]].text : "null");
	fputs("]]", out);
}

static bool has_fresh(const struct papi_sources *sources)
{
	for (size_t i = 0; i < sources->number; i++)
		for (size_t k = 0; k < sources->list[i]->n_lanes; k++)
			if (sources->list[i]->lanes[k].fresh)
				return true;
	return false;
}

static void write_sample(struct papi_sources *sources, double time)
{
	struct papi_session *session = sources->session;
	bool first = true;
	FILE *out;

	if (!has_fresh(sources))
		return;
	out = papi_journal_write(session->journal, PAPI_JOURNAL_PASSING, 0, time);
	fprintf(out, "{\"type\":\"sample\",\"t\":%.6f,\"serial\":%u,\"threads\":[", time, session->serial);
	for (size_t i = 0; i < sources->number; i++)
		for (size_t k = 0; k < sources->list[i]->n_lanes; k++) {
			struct papi_source_lane *lane = &sources->list[i]->lanes[k];

			if (!lane->fresh)
				continue;
			write_lane(out, session, lane, first);
			lane->fresh = first = false;
		}
	fputs("]}", out);
	papi_journal_done(session->journal);
	session->last = time;
}

/* Lanes whose last values are told by now. */
static void end_lanes(struct papi_source *source, double time, const char *reason)
{
	for (size_t i = 0; i < source->n_lanes; i++) {
		struct papi_source_lane *lane = &source->lanes[i];

		if (lane->reason || reason)
			papi_source_lane_end(source, lane, time, lane->reason ? lane->reason : reason);
	}
}

static void forget_oldest(struct papi_sources *sources)
{
	papi_source_free(sources->past[0]);
	memmove(sources->past, sources->past + 1, --sources->n_past * sizeof(*sources->past));
}

static void drop(struct papi_sources *sources, size_t number, double time, const char *reason)
{
	struct papi_source *source = sources->list[number];

	end_lanes(source, time, reason);
	if (source->wire.file >= 0)
		epoll_ctl(sources->epoll, EPOLL_CTL_DEL, source->wire.file, NULL);
	sources->list[number] = sources->list[--sources->number];
	if (!papi_source_retire(source, time)) {
		papi_source_free(source);
		return;
	}
	if (sources->n_past == MOST_PAST)
		forget_oldest(sources);
	sources->past[sources->n_past++] = source;
}

/* Also the sources that will say no more. */
static void emit(struct papi_sources *sources)
{
	double time = sources->tick;

	sources->pending = false;
	write_sample(sources, time);
	for (size_t i = sources->number; i-- > 0;) {
		struct papi_source *source = sources->list[i];

		if (source->wire.broken)
			drop(sources, i, time, source->said_bye ? "ended" : "its perfometer has gone");
		else
			end_lanes(source, time, NULL);
	}
}

void papi_sources_tick(struct papi_sources *sources)
{
	if (sources->pending)
		emit(sources);
	sources->pending = true;
	sources->tick = papi_session_time(sources->session);
	while (sources->n_past && sources->past[0]->ended + PAST_SECONDS < sources->tick)
		forget_oldest(sources);
	for (size_t i = 0; i < sources->number; i++) {
		struct papi_source *source = sources->list[i];

		if (source->asked || !source->greeted || !source->events || source->said_bye)
			continue;
		source->asked = true;
		papi_wire_send(&source->wire, PAPI_FRAME_TICK, "", 0);
	}
	if (!is_asked(sources))
		emit(sources);
}

/* ---- events ---- */

static void send_choice(const struct papi_sources *sources, struct papi_source *source)
{
	const struct papi_session *session = sources->session;
	char *text = NULL;
	size_t length;
	FILE *out;

	if (!session->n_asked)
		return;
	out = open_memstream(&text, &length);
	if (!out)
		papi_perfometer_no_memory();
	fputs("{\"events\":[", out);
	for (size_t i = 0; i < session->n_asked; i++) {
		fputs(i ? "," : "", out);
		papi_escape_json(out, session->events[session->asked[i]].name);
	}
	fputs("]}", out);
	if (fclose(out) != 0)
		papi_perfometer_no_memory();
	papi_wire_send(&source->wire, PAPI_FRAME_CHOOSE, text, length);
	free(text);
}

void papi_sources_choose(struct papi_sources *sources)
{
	sources->adopts = false;
	papi_session_write_schema(sources->session);
	for (size_t i = 0; i < sources->number; i++) {
		if (sources->list[i]->events)
			papi_source_map(sources->list[i]);
		if (sources->list[i]->greeted)
			send_choice(sources, sources->list[i]);
	}
}

static void adopt(struct papi_sources *sources, const struct papi_source *source)
{
	size_t number = json_array_size(source->events);
	const char **names = papi_perfometer_allocate(NULL, number + 1, sizeof(*names));
	char reason[1024];
	size_t known = 0;

	for (size_t i = 0; i < number; i++) {
		const json_t *event = json_array_get(source->events, i);
		const char *name = json_string_value(json_object_get(event, "name"));

		if (name && !json_is_true(json_object_get(event, "part")) &&
			papi_session_choose(sources->session, &name, 1, reason, sizeof(reason)))
			names[known++] = name;
	}
	if (known && papi_session_choose(sources->session, names, known, reason, sizeof(reason)))
		papi_sources_choose(sources);
	free(names);
}

/* A schema that was new says what is counted, and whether the kernel's part is. */
static void take_events(struct papi_sources *sources, struct papi_source *source)
{
	if (sources->adopts && source->is_new)
		adopt(sources, source);
	else if (source->narrows)
		papi_session_write_schema(sources->session);
	source->is_new = source->narrows = false;
}

/* ---- what comes ---- */

static void complain(struct papi_source *source)
{
	char *text = papi_perfometer_format("%s%s: %s: its lanes end here",
		*source->program ? source->program : "somebody who joined", source->rank < 0 ? "" : " of a rank",
		source->wire.broken);

	papi_journal_notice(source->session->journal, source->now, "warning", text);
	free(text);
}

/* False: it is malformed. */
static bool take_line(struct papi_sources *sources, struct papi_source *source, const struct papi_frame *frame)
{
	bool was_greeted = source->greeted;
	const char *why;

	source->now = sources->pending ? sources->tick : papi_session_time(sources->session);
	if (!papi_source_take(source, frame->payload, frame->length, &why)) {
		source->wire.broken = why;
		return false;
	}
	if (source->greeted && !was_greeted && !sources->adopts)
		send_choice(sources, source);
	if (source->is_new || source->narrows)
		take_events(sources, source);
	return true;
}

static void serve(struct papi_sources *sources, struct papi_source *source)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = source };
	struct papi_frame frame;
	bool goes_on = true;

	papi_wire_move(&source->wire);
	while (goes_on && papi_wire_next(&source->wire, &frame))
		goes_on = frame.kind != PAPI_FRAME_LINE_OF_JOURNAL || take_line(sources, source, &frame);
	if (!source->wire.broken) {
		event.events |= papi_wire_is_full(&source->wire) ? EPOLLOUT : 0;
		epoll_ctl(sources->epoll, EPOLL_CTL_MOD, source->wire.file, &event);
		return;
	}
	/* What it has said is told with the next sample, and then it goes. */
	epoll_ctl(sources->epoll, EPOLL_CTL_DEL, source->wire.file, NULL);
	source->asked = false;
	if (!source->said_bye)
		complain(source);
	papi_source_hang_up(source);
}

void papi_sources_serve(struct papi_sources *sources)
{
	struct epoll_event events[32];
	int number = epoll_wait(sources->epoll, events, 32, 0);

	for (int i = 0; i < number; i++)
		serve(sources, events[i].data.ptr);
	if (sources->pending && !is_asked(sources))
		emit(sources);
}

char *papi_sources_metrics(const struct papi_sources *sources, bool threads)
{
	const struct papi_openmetrics_sources all = { sources->session, { sources->list, sources->past },
		{ sources->number, sources->n_past } };

	return papi_openmetrics_sources(&all, threads);
}

/* ---- coming and going ---- */

bool papi_sources_has_room(const struct papi_sources *sources)
{
	return sources->number < MOST_SOURCES;
}

struct papi_source *papi_sources_add(struct papi_sources *sources, int file, void (*end)(void *handle), void *handle)
{
	struct papi_source *source = papi_perfometer_allocate(NULL, 1, sizeof(*source));
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = source };

	*source = (struct papi_source){ .session = sources->session,
		.next_lane = &sources->next_lane,
		.rank = -1,
		.program = papi_perfometer_format("%s", ""),
		.end = end,
		.handle = handle };
	papi_wire_begin(&source->wire, file);
	if (epoll_ctl(sources->epoll, EPOLL_CTL_ADD, file, &event) != 0)
		source->wire.broken = "nobody can wait for it";
	sources->list[sources->number++] = source;
	return source;
}

struct papi_source *papi_sources_add_program(
	struct papi_sources *sources, int file, pid_t pid, int rank, const char *name)
{
	struct papi_source *source = papi_sources_add(sources, file, NULL, NULL);
	char *whole = rank < 0 ? papi_perfometer_format("%s %d", name, (int)pid)
			       : papi_perfometer_format("rank %d: %s", rank, name);

	source->pid = pid;
	source->rank = rank;
	free(source->program);
	source->program = papi_perfometer_format("%s %d", name, (int)pid);
	source->now = sources->pending ? sources->tick : papi_session_time(sources->session);
	/* What watches it calls all of it 0, too. */
	papi_source_lane_tell(source, papi_source_lane_add(source, 0, 0), pid, 0, name, whole, rank);
	free(whole);
	return source;
}

struct papi_source *papi_sources_find(const struct papi_sources *sources, pid_t pid)
{
	for (size_t i = 0; i < sources->number; i++)
		if (sources->list[i]->pid == pid && !sources->list[i]->wire.broken)
			return sources->list[i];
	return NULL;
}

int papi_sources_lane(const struct papi_source *source, pid_t thread)
{
	for (size_t i = source->n_lanes; i-- > 1;)
		if (source->lanes[i].tid == thread && !source->lanes[i].ended)
			return source->lanes[i].ours;
	return source->lanes[0].ours;
}

void papi_sources_end(struct papi_sources *sources, const char *reason)
{
	double time = papi_session_time(sources->session);

	write_sample(sources, time);
	while (sources->number)
		drop(sources, sources->number - 1, time, reason);
	while (sources->n_past)
		forget_oldest(sources);
	if (sources->epoll >= 0)
		close(sources->epoll);
	free(sources);
}
