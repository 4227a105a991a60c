/* SPDX-License-Identifier: BSD-3-Clause */
#include "openmetrics.h"

#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "perfometer.h"

struct text {
	FILE *out;
	struct papi_session *session;
};

/* Names are from outside: what is no text, or no part of a line, becomes a question mark. */
void papi_openmetrics_label(FILE *out, const char *name, const char *value)
{
	char *clean = papi_perfometer_format("%s", value);

	papi_escape_terminal(clean);
	fprintf(out, "%s=\"", name);
	for (const char *at = clean; *at; at++) {
		if (*at == '"' || *at == '\\')
			fputc('\\', out);
		fputc(*at, out);
	}
	fputc('"', out);
	free(clean);
}

void papi_openmetrics_head(FILE *out, enum papi_openmetrics_family family)
{
	static const struct {
		const char *name, *type, *help;
	} heads[] = {
		[PAPI_OPENMETRICS_RUNNING] = { "papi_program_running", "gauge",
			"Whether the program is there and counted: 1, or 0." },
		[PAPI_OPENMETRICS_TOTALS] = { "papi_event", "counter",
			"Events of a program and of all that it has started." },
		[PAPI_OPENMETRICS_THREADS] = { "papi_thread_event", "counter",
			"Events of each thread that is there: parts of papi_event." },
	};

	fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", heads[family].name, heads[family].help, heads[family].name,
		heads[family].type);
}

static void write_program(const struct text *text)
{
	papi_openmetrics_label(text->out, "program", text->session->name);
	fprintf(text->out, ",pid=\"%d\"", (int)text->session->program.pid);
}

void papi_openmetrics_event(FILE *out, const struct papi_session_event *event)
{
	papi_openmetrics_label(out, "event", event->name);
	fputc(',', out);
	papi_openmetrics_label(out, "worth", event->kind);
	fputc(',', out);
	papi_openmetrics_label(out, "unit", event->unit);
	fputc(',', out);
}

/* ---- the whole program ---- */

static void write_running(const struct text *text)
{
	papi_openmetrics_head(text->out, PAPI_OPENMETRICS_RUNNING);
	fputs("papi_program_running{", text->out);
	write_program(text);
	fprintf(text->out, "} %d\n", text->session->ending ? 0 : 1);
}

static bool is_known(const struct papi_session *session, const struct papi_session_event *event)
{
	if (!event->wanted || event->source == PAPI_SESSION_METRIC)
		return false;
	return event->source == PAPI_SESSION_VIRTUAL ? session->virtually.whole_is_known : event->known;
}

static void write_totals(const struct text *text)
{
	const struct papi_session *session = text->session;

	papi_openmetrics_head(text->out, PAPI_OPENMETRICS_TOTALS);
	for (size_t i = 0; i < session->n_events; i++) {
		const struct papi_session_event *event = &session->events[i];

		if (!is_known(session, event))
			continue;
		fputs("papi_event_total{", text->out);
		papi_openmetrics_event(text->out, event);
		write_program(text);
		fprintf(text->out, "} %lld\n",
			event->source == PAPI_SESSION_VIRTUAL ? session->virtually.whole[event->position]
							      : event->value);
	}
}

/* ---- its threads ---- */

static void write_thread(
	const struct text *text, const struct papi_session_event *event, const struct papi_agent_view_thread *thread)
{
	const struct papi_session_lane *lane = &text->session->lanes[thread->page];
	const long long *values = papi_virtual_values(&text->session->virtually, thread->counters);

	if (!values)
		return;
	fputs("papi_thread_event_total{", text->out);
	papi_openmetrics_event(text->out, event);
	write_program(text);
	fprintf(text->out, ",process=\"%d\",tid=\"%d\",", (int)thread->pid, (int)thread->tid);
	papi_openmetrics_label(text->out, "thread", lane->name);
	fprintf(text->out, "} %lld\n", values[event->position]);
}

/* Of the last look: after the end there are none. */
static void write_threads(const struct text *text)
{
	const struct papi_session *session = text->session;
	const struct papi_agent_view *view = &session->virtually.view;

	papi_openmetrics_head(text->out, PAPI_OPENMETRICS_THREADS);
	for (size_t i = 0; i < session->n_events; i++) {
		const struct papi_session_event *event = &session->events[i];

		if (event->source != PAPI_SESSION_VIRTUAL || !is_known(session, event))
			continue;
		for (size_t k = 0; k < view->number && !session->ending; k++)
			if (!session->lanes[view->threads[k].page].gone)
				write_thread(text, event, &view->threads[k]);
	}
}

char *papi_openmetrics(struct papi_session *session, bool threads)
{
	struct text text = { .session = session };
	char *made = NULL;
	size_t length;

	text.out = open_memstream(&made, &length);
	if (!text.out)
		papi_perfometer_no_memory();
	write_running(&text);
	write_totals(&text);
	if (threads)
		write_threads(&text);
	fputs("# EOF\n", text.out);
	if (fclose(text.out) != 0)
		papi_perfometer_no_memory();
	return made;
}
