/* SPDX-License-Identifier: BSD-3-Clause */
#include "session.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "escape.h"
#include "event_names.h"
#include "events.h"
#include "metrics.h"
#include "perfometer.h"

#define NONE SIZE_MAX

void papi_session_begin(struct papi_session *session, struct papi_journal *journal)
{
	*session = (struct papi_session){ .journal = journal, .next_lane = 1, .rank = -1 };
	session->lanes = papi_perfometer_allocate(NULL, PAPI_AGENT_PAGES, sizeof(*session->lanes));
	memset(session->lanes, 0, PAPI_AGENT_PAGES * sizeof(*session->lanes));
	papi_virtual_begin(&session->virtually);
}

double papi_session_time(const struct papi_session *session)
{
	return session->started ? (double)(papi_perfometer_clock() - session->started) / 1e9 : 0;
}

/* ---- events by name ---- */

size_t papi_session_find(const struct papi_session *session, const char *name)
{
	for (size_t i = 0; i < session->n_events; i++)
		if (!strcmp(session->events[i].name, name))
			return i;
	return NONE;
}

static size_t append(struct papi_session *session, const struct papi_session_event *event, const char *name)
{
	session->events = papi_perfometer_allocate(session->events, session->n_events + 1, sizeof(*session->events));
	session->events[session->n_events] = *event;
	session->events[session->n_events].name = papi_perfometer_format("%s", name);
	return session->n_events++;
}

static bool is_countable(const char *name, char *reason, size_t size)
{
	char why[2 * PAPI_HUGE_STR_LEN];

	if (!papi_event_is_unknown(name, why, sizeof(why)))
		return true;
	snprintf(reason, size, "'%s' cannot be counted: %s", name, why);
	return false;
}

static bool add_virtual(
	struct papi_session *session, struct papi_session_event *event, const char *name, char *reason, size_t size)
{
	char why[2 * PAPI_HUGE_STR_LEN];

	event->source = PAPI_SESSION_VIRTUAL;
	if ((!session->program.pid || papi_virtual_can(&session->virtually, name, why, sizeof(why))) &&
		papi_virtual_add(&session->virtually, name, &event->position, why, sizeof(why)))
		return true;
	snprintf(reason, size, "'%s' cannot be counted: %s", name, why);
	return false;
}

static size_t add_event(struct papi_session *session, const char *name, char *reason, size_t size)
{
	struct papi_session_event event = { .source = PAPI_SESSION_KERNEL };
	PAPI_event_info_t info;
	int code;

	if (!is_countable(name, reason, size))
		return NONE;
	if (PAPI_event_name_to_code(name, &code) != PAPI_OK || PAPI_get_event_info(code, &info) != PAPI_OK) {
		snprintf(reason, size, "'%s' cannot be counted: %s", name, PAPI_error_detail());
		return NONE;
	}
	snprintf(event.unit, sizeof(event.unit), "%s", info.units);
	snprintf(event.kind, sizeof(event.kind), "%s", papi_event_kind(code));
	if (papi_event_is_virtual(code) && !add_virtual(session, &event, name, reason, size))
		return NONE;
	event.description = papi_perfometer_format("%s", info.long_descr);
	return append(session, &event, name);
}

static size_t find_or_add(struct papi_session *session, const char *name, char *reason, size_t size)
{
	size_t found = papi_session_find(session, name);

	return found == NONE ? add_event(session, name, reason, size) : found;
}

static size_t add_metric(
	struct papi_session *session, const char *name, int group, int metric, char *reason, size_t size)
{
	struct papi_session_event event = { .source = PAPI_SESSION_METRIC, .group = group, .metric = metric };
	PAPI_metric_info_t info;

	if (PAPI_metric_info(group, metric, &info) != PAPI_OK || *info.why) {
		snprintf(reason, size, "'%s' cannot be counted: %s", name, info.why);
		return NONE;
	}
	for (int i = 0; i < info.n_events; i++) {
		char need[PAPI_MAX_STR_LEN];

		if (PAPI_metric_event(group, info.events[i], need, sizeof(need)) != PAPI_OK)
			return NONE;
		event.needs[event.n_needs] = find_or_add(session, need, reason, size);
		event.places[event.n_needs] = info.events[i];
		if (event.needs[event.n_needs++] == NONE)
			return NONE;
	}
	snprintf(event.unit, sizeof(event.unit), "%s", strcmp(info.unit, "1") ? info.unit : "");
	snprintf(event.kind, sizeof(event.kind), "%s", info.worth);
	event.description = papi_perfometer_format("%s", info.long_descr);
	return append(session, &event, name);
}

/* An event or a metric of that name, which may be new. */
static size_t look_up(struct papi_session *session, const char *name, char *reason, size_t size)
{
	size_t found = papi_session_find(session, name);
	int group, metric;

	if (found != NONE)
		return found;
	if (papi_perfometer_metric(name, &group, &metric))
		return add_metric(session, name, group, metric, reason, size);
	return add_event(session, name, reason, size);
}

/* ---- what is asked for ---- */

static bool look_up_all(struct papi_session *session, const char *const names[], size_t number, size_t *found,
	char *reason, size_t size)
{
	for (size_t i = 0; i < number; i++) {
		found[i] = look_up(session, names[i], reason, size);
		if (found[i] == NONE)
			return false;
		for (size_t k = 0; k < i; k++)
			if (found[k] == found[i]) {
				snprintf(reason, size, "'%s' is named twice", names[i]);
				return false;
			}
	}
	return true;
}

static void want(struct papi_session *session, const size_t *asked, size_t number)
{
	for (size_t i = 0; i < session->n_events; i++)
		session->events[i].wanted = false;
	for (size_t i = 0; i < number; i++) {
		const struct papi_session_event *event = &session->events[asked[i]];

		session->events[asked[i]].wanted = true;
		for (size_t k = 0; k < event->n_needs; k++)
			session->events[event->needs[k]].wanted = true;
	}
}

/* Counters of the processor are for those that want them; the kernel's own events are counted on. */
static void stop_unwanted(struct papi_session *session)
{
	for (size_t i = 0; i < session->n_events; i++) {
		struct papi_session_event *event = &session->events[i];

		if (event->source == PAPI_SESSION_KERNEL && !event->wanted && papi_event_takes_counter(event->name))
			papi_kernel_counter_stop(&event->counter);
	}
}

static bool start_wanted(struct papi_session *session, char *reason, size_t size)
{
	char why[2 * PAPI_HUGE_STR_LEN];

	for (size_t i = 0; session->program.pid && i < session->n_events; i++) {
		struct papi_session_event *event = &session->events[i];

		if (event->source != PAPI_SESSION_KERNEL || !event->wanted ||
			papi_kernel_counter_start(&event->counter, event->name, &session->program, why, sizeof(why)))
			continue;
		snprintf(reason, size, "'%s' cannot be counted: %s", event->name, why);
		return false;
	}
	return true;
}

void papi_session_write_schema(struct papi_session *session)
{
	double now = papi_session_time(session);
	FILE *out = papi_journal_write(session->journal, PAPI_JOURNAL_SCHEMA, 0, now);

	fprintf(out, "{\"type\":\"schema\",\"t\":%.6f,\"serial\":%u,\"events\":[", now, ++session->serial);
	for (size_t i = 0; i < session->n_asked; i++) {
		const struct papi_session_event *event = &session->events[session->asked[i]];

		fputs(i ? ",{\"name\":" : "{\"name\":", out);
		papi_escape_json(out, event->name);
		fputs(",\"description\":", out);
		papi_escape_json(out, event->description);
		fprintf(out, ",\"kind\":\"%s\",\"unit\":", event->kind);
		papi_escape_json(out, event->unit);
		fprintf(out, ",\"metric\":%s", event->source == PAPI_SESSION_METRIC ? "true" : "false");
		if (i >= session->n_asked - session->n_parts)
			fputs(",\"part\":true", out);
		fprintf(out, ",\"user_only\":%s}",
			event->source == PAPI_SESSION_VIRTUAL || event->counter.user_only ? "true" : "false");
	}
	fputs("]}", out);
	papi_journal_done(session->journal);
}

/* Behind those that are asked for, where they are told: events that metrics among them need. Their number. */
static size_t find_parts(const struct papi_session *session, size_t **asked, size_t number)
{
	size_t all = number;

	for (size_t i = 0; i < session->n_events && session->tells_parts; i++) {
		bool is_asked = false;

		for (size_t k = 0; k < number; k++)
			is_asked = is_asked || (*asked)[k] == i;
		if (is_asked || !session->events[i].wanted)
			continue;
		*asked = papi_perfometer_allocate(*asked, all + 1, sizeof(**asked));
		(*asked)[all++] = i;
	}
	return all - number;
}

bool papi_session_choose(
	struct papi_session *session, const char *const names[], size_t number, char *reason, size_t size)
{
	size_t *found = papi_perfometer_allocate(NULL, number + 1, sizeof(*found)), n_parts;
	bool chosen = look_up_all(session, names, number, found, reason, size);

	if (chosen) {
		want(session, found, number);
		chosen = start_wanted(session, reason, size);
	}
	if (!chosen) {
		want(session, session->asked, session->n_asked);
		stop_unwanted(session);
		free(found);
		return false;
	}
	/* The curves of before end where the new ones begin. */
	if (session->program.pid) {
		want(session, session->asked, session->n_asked);
		papi_session_sample(session);
		want(session, found, number);
	}
	stop_unwanted(session);
	n_parts = find_parts(session, &found, number);
	free(session->asked);
	session->asked = found;
	session->n_asked = number + n_parts;
	session->n_parts = n_parts;
	if (session->program.pid) {
		papi_session_write_schema(session);
		papi_session_sample(session);
	}
	return true;
}

/* ---- samples ---- */

void papi_session_sample(struct papi_session *session)
{
	double now = papi_session_time(session);

	for (size_t i = 0; i < session->n_events; i++) {
		struct papi_session_event *event = &session->events[i];

		event->known = event->source == PAPI_SESSION_KERNEL && event->wanted &&
			papi_kernel_counter_read(&event->counter, &event->value);
	}
	papi_session_write_sample(session, now, papi_virtual_look(&session->virtually));
}

bool papi_session_start(
	struct papi_session *session, pid_t pid, bool at_gate, const char *name, char *reason, size_t size)
{
	session->program = (struct papi_kernel_program){ .pid = pid, .at_gate = at_gate };
	session->name = name;
	if (!start_wanted(session, reason, size))
		return false;
	session->program.at_gate = false;
	session->started = papi_perfometer_clock();
	session->whole = (struct papi_session_lane){ .id = 0, .pid = pid, .tid = 0, .used = true };
	papi_session_write_schema(session);
	papi_session_write_thread(session, &session->whole, papi_session_time(session));
	return true;
}

/* What the agents could not count is told once, when it can be known. */
static void tell_missing(struct papi_session *session, double now)
{
	size_t next = 0;
	char *text;

	if (!session->virtually.collector.table)
		return;
	if (!atomic_load(&session->virtually.collector.table->arrived))
		papi_journal_notice(session->journal, now, "error",
			"the agent that counts did not start in the program: the dynamic linker did not load it");
	while ((text = papi_virtual_missing(&session->virtually, &next))) {
		papi_journal_notice(session->journal, now, "warning", text);
		papi_perfometer_say("%s", text);
		free(text);
	}
}

void papi_session_finish(struct papi_session *session, const char *lane, const char *all)
{
	char *note = papi_virtual_leave(&session->virtually);
	double now;
	FILE *out;

	session->ending = lane;
	papi_session_sample(session);
	now = papi_session_time(session);
	if (note)
		papi_journal_notice(session->journal, now, "info", note);
	free(note);
	tell_missing(session, now);
	papi_session_end_lanes(session, now, lane);
	out = papi_journal_write(session->journal, PAPI_JOURNAL_LASTING, 0, now);
	fprintf(out, "{\"type\":\"bye\",\"t\":%.6f,\"reason\":", now);
	papi_escape_json(out, all);
	fputc('}', out);
	papi_journal_done(session->journal);
	for (size_t i = 0; i < session->n_events; i++)
		if (session->events[i].source == PAPI_SESSION_KERNEL)
			papi_kernel_counter_stop(&session->events[i].counter);
}

void papi_session_end(struct papi_session *session)
{
	for (size_t i = 0; i < session->n_events; i++) {
		papi_kernel_counter_stop(&session->events[i].counter);
		free(session->events[i].name);
		free(session->events[i].description);
	}
	for (size_t i = 0; i < PAPI_AGENT_PAGES; i++)
		free(session->lanes[i].previous);
	free(session->leaving);
	free(session->whole.previous);
	free(session->lanes);
	free(session->events);
	free(session->asked);
	papi_virtual_end(&session->virtually);
}
