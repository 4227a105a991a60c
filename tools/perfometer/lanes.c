/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lanes.c - the lanes of a session: which threads there are, when one comes or goes, and the values of each in a
 * sample.
 */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "escape.h"
#include "perfometer.h"
#include "session.h"

/* How often threads are asked whether they are still there. */
#define LOOK_SECONDS 0.25
/* The largest integer that every reader of JSON has room for. */
#define SAFE (1LL << 53)

/* ---- coming and going ---- */

/* What /proc calls a process or a thread; "" for one that is gone. */
static void read_name(pid_t pid, pid_t tid, char *name, size_t size)
{
	char *path = papi_perfometer_format("/proc/%d/task/%d/comm", (int)pid, (int)tid);
	FILE *file = fopen(path, "re");

	free(path);
	name[0] = '\0';
	if (!file)
		return;
	if (fgets(name, (int)size, file))
		name[strcspn(name, "\n")] = '\0';
	fclose(file);
}

void papi_session_write_thread(struct papi_session *session, struct papi_session_lane *lane, double now)
{
	FILE *out = papi_journal_write(session->journal, PAPI_JOURNAL_THREAD, lane->id, now);
	char process[64];

	read_name(lane->pid, lane->pid, process, sizeof(process));
	read_name(lane->pid, lane->here, lane->name, sizeof(lane->name));
	fprintf(out, "{\"type\":\"thread\",\"t\":%.6f,\"id\":%d,\"whole\":%s,\"pid\":%d,\"tid\":%d,\"process\":", now,
		lane->id, lane->id ? "false" : "true", (int)lane->pid, (int)lane->tid);
	papi_escape_json(out, lane->id ? process : session->name);
	fputs(",\"name\":", out);
	papi_escape_json(out, lane->id ? lane->name : session->name);
	if (session->rank < 0)
		fputs(",\"rank\":null}", out);
	else
		fprintf(out, ",\"rank\":%d}", session->rank);
	papi_journal_done(session->journal);
}

static void end_lane(struct papi_session *session, struct papi_session_lane *lane, double now, const char *reason)
{
	FILE *out = papi_journal_write(session->journal, PAPI_JOURNAL_END, lane->id, now);

	fprintf(out, "{\"type\":\"end\",\"t\":%.6f,\"id\":%d,\"reason\":", now, lane->id);
	papi_escape_json(out, reason);
	fputc('}', out);
	papi_journal_done(session->journal);
	free(lane->previous);
	lane->previous = NULL;
	lane->n_previous = 0;
}

static bool is_same(const struct papi_session_lane *lane, const struct papi_agent_view_thread *thread)
{
	return lane->used && lane->pid == thread->pid && lane->tid == thread->tid && lane->serial == thread->serial;
}

static bool is_gone(const struct papi_session_lane *lane)
{
	return syscall(SYS_tgkill, lane->pid, lane->here, 0) != 0 && errno == ESRCH;
}

/* ---- of threads that have ended ---- */

/* Its last total is told with the next sample, and then its end. */
static void let_go(struct papi_session *session, struct papi_session_lane *lane)
{
	session->leaving = papi_perfometer_allocate(
		session->leaving, session->n_leaving + 1, sizeof(*session->leaving));
	session->leaving[session->n_leaving++] = *lane;
	lane->previous = NULL;
	lane->n_previous = 0;
}

static const struct papi_agent_record *record_of(
	const struct papi_session *session, const struct papi_session_lane *lane)
{
	return papi_agent_view_record(
		session->virtually.collector.table, session->recorded_before, lane->pid, lane->tid);
}

/* A thread hands its counters in first, and they are recorded then: the next sample will have them. */
static bool is_early(const struct papi_session *session, const struct papi_session_lane *lane)
{
	return !session->ending && !lane->gone && !lane->missed && !record_of(session, lane);
}

static void end_leaving(struct papi_session *session, double now)
{
	size_t kept = 0;

	for (size_t i = 0; i < session->n_leaving; i++) {
		struct papi_session_lane *lane = &session->leaving[i];

		if (is_early(session, lane)) {
			lane->missed++;
			session->leaving[kept++] = *lane;
		} else {
			end_lane(session, lane, now, session->ending ? session->ending : "ended");
		}
	}
	session->n_leaving = kept;
	session->recorded_before = session->recorded;
	session->recorded = atomic_load(&session->virtually.collector.table->recorded);
}

/* A thread that was killed has left its page behind, with what it had counted, which is told by now. */
static void find_gone(struct papi_session *session, double now)
{
	if (now < session->looked + LOOK_SECONDS)
		return;
	session->looked = now;
	for (size_t i = 0; i < PAPI_AGENT_PAGES; i++) {
		struct papi_session_lane *lane = &session->lanes[i];

		if (lane->used && !lane->gone && is_gone(lane)) {
			lane->gone = true;
			end_lane(session, lane, now, "ended");
		}
	}
}

/* What the last look has not shown any more. */
static void drop_unseen(struct papi_session *session)
{
	for (size_t i = 0; i < PAPI_AGENT_PAGES; i++) {
		struct papi_session_lane *lane = &session->lanes[i];

		if (!lane->used || lane->seen == session->looks)
			continue;
		if (!lane->gone)
			let_go(session, lane);
		lane->used = false;
		session->n_lanes--;
	}
}

static void greet(struct papi_session *session, double now)
{
	const struct papi_agent_view *view = &session->virtually.view;

	session->looks++;
	for (size_t i = 0; i < view->number; i++) {
		const struct papi_agent_view_thread *thread = &view->threads[i];
		struct papi_session_lane *lane = &session->lanes[thread->page];

		if (!is_same(lane, thread)) {
			if (lane->used && !lane->gone)
				let_go(session, lane);
			session->n_lanes += !lane->used;
			*lane = (struct papi_session_lane){ .id = session->next_lane++,
				.pid = thread->pid,
				.tid = thread->tid,
				.here = papi_virtual_thread(&session->virtually, thread->tid),
				.serial = thread->serial,
				.used = true };
			papi_session_write_thread(session, lane, now);
		}
		lane->seen = session->looks;
	}
	if (session->n_lanes > view->number)
		drop_unseen(session);
}

void papi_session_end_lanes(struct papi_session *session, double now, const char *reason)
{
	for (size_t i = 0; i < session->n_leaving; i++)
		end_lane(session, &session->leaving[i], now, reason);
	session->n_leaving = 0;
	for (size_t i = 0; i < PAPI_AGENT_PAGES; i++)
		if (session->lanes[i].used && !session->lanes[i].gone)
			end_lane(session, &session->lanes[i], now, reason);
	end_lane(session, &session->whole, now, reason);
}

int papi_session_lane(const struct papi_session *session, pid_t pid, pid_t tid)
{
	for (size_t i = 0; session->n_lanes && i < PAPI_AGENT_PAGES; i++)
		if (session->lanes[i].used && session->lanes[i].pid == pid && session->lanes[i].tid == tid)
			return session->lanes[i].id;
	return session->whole.id;
}

/* ---- values ---- */

/* The total of an event in a lane; NaN where it is not known, for the arithmetic of metrics alone. */
static double total_of(const struct papi_session *session, size_t event, bool whole, const long long *values)
{
	const struct papi_session_event *known = &session->events[event];

	if (known->source == PAPI_SESSION_VIRTUAL)
		return values ? (double)values[known->position] : (double)NAN;
	return whole && known->known ? (double)known->value : (double)NAN;
}

static void remember(struct papi_session *session, struct papi_session_lane *lane, const long long *values)
{
	bool whole = lane == &session->whole;

	if (lane->n_previous < session->n_events) {
		lane->previous = papi_perfometer_allocate(lane->previous, session->n_events, sizeof(*lane->previous));
		lane->n_previous = session->n_events;
	}
	for (size_t i = 0; i < session->n_events; i++)
		lane->previous[i] = session->events[i].wanted && session->events[i].source != PAPI_SESSION_METRIC
			? total_of(session, i, whole, values)
			: (double)NAN;
}

/* Of the time since the last sample. */
static double metric_of(const struct papi_session *session, const struct papi_session_event *event,
	const struct papi_session_lane *lane, const long long *values, double seconds)
{
	double counts[PAPI_METRIC_MOST], metrics[PAPI_METRIC_MOST];

	for (size_t i = 0; i < PAPI_METRIC_MOST; i++)
		counts[i] = (double)NAN;
	for (size_t i = 0; i < event->n_needs; i++) {
		size_t need = event->needs[i];

		if (need < lane->n_previous)
			counts[event->places[i]] = total_of(session, need, lane == &session->whole, values) -
				lane->previous[need];
	}
	/* Where counting makes the program slower, its time is not its own. */
	if (session->virtually.collector.table)
		seconds = 0;
	return PAPI_metric_evaluate(event->group, counts, seconds, metrics) == PAPI_OK ? metrics[event->metric]
										       : (double)NAN;
}

static void write_total(FILE *out, long long value)
{
	fprintf(out, value > SAFE || value < -SAFE ? "\"%lld\"" : "%lld", value);
}

static void write_value(FILE *out, const struct papi_session *session, const struct papi_session_event *event,
	const struct papi_session_lane *lane, const long long *values, double seconds)
{
	double metric;

	if (event->source == PAPI_SESSION_METRIC) {
		metric = metric_of(session, event, lane, values, seconds);
		if (isfinite(metric))
			fprintf(out, "%.9g", metric);
		else
			fputs("null", out);
	} else if (event->source == PAPI_SESSION_VIRTUAL && values) {
		write_total(out, values[event->position]);
	} else if (event->source == PAPI_SESSION_KERNEL && lane == &session->whole && event->known) {
		write_total(out, event->value);
	} else {
		fputs("null", out);
	}
}

static void write_lane(FILE *out, struct papi_session *session, struct papi_session_lane *lane, const long long *values,
	double seconds)
{
	fprintf(out, "%s[%d,[", lane == &session->whole ? "" : ",", lane->id);
	for (size_t i = 0; i < session->n_asked; i++) {
		if (i)
			fputc(',', out);
		write_value(out, session, &session->events[session->asked[i]], lane, values, seconds);
	}
	fputs("]]", out);
	remember(session, lane, values);
}

/* The last totals of threads that have ended. */
static void write_leaving(FILE *out, struct papi_session *session, bool looked, double seconds)
{
	for (size_t i = 0; looked && i < session->n_leaving; i++) {
		struct papi_session_lane *lane = &session->leaving[i];
		const struct papi_agent_record *record = record_of(session, lane);

		if (record)
			write_lane(out, session, lane, papi_virtual_values(&session->virtually, record->counters),
				seconds);
	}
}

void papi_session_write_sample(struct papi_session *session, double now, bool looked)
{
	struct papi_virtual *virtually = &session->virtually;
	double seconds = now - session->last;
	FILE *out;

	if (looked)
		greet(session, now);
	out = papi_journal_write(session->journal, PAPI_JOURNAL_PASSING, 0, now);
	fprintf(out, "{\"type\":\"sample\",\"t\":%.6f,\"serial\":%u,\"threads\":[", now, session->serial);
	write_lane(out, session, &session->whole, looked ? virtually->whole : NULL, seconds);
	for (size_t i = 0; looked && i < virtually->view.number; i++) {
		const struct papi_agent_view_thread *thread = &virtually->view.threads[i];

		if (!session->lanes[thread->page].gone)
			write_lane(out, session, &session->lanes[thread->page],
				papi_virtual_values(virtually, thread->counters), seconds);
	}
	write_leaving(out, session, looked, seconds);
	fputs("]}", out);
	papi_journal_done(session->journal);
	session->last = now;
	if (looked) {
		end_leaving(session, now);
		find_gone(session, now);
	}
}
