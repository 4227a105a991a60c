/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * openmetrics_sources.c - /metrics of a perfometer that listens. Whatever a source says, what is written is
 * OpenMetrics: texts are escaped, values are digits, and each series has the number of its lane.
 */
#include <stdlib.h>
#include <string.h>

#include "openmetrics.h"
#include "perfometer.h"

struct text {
	FILE *out;
	const struct papi_session *session;
	enum papi_openmetrics_family family;
	const struct papi_source *source;
	const struct papi_source_lane *whole; /* of the source */
	const struct papi_source_lane *lane;
};

static void write_program(const struct text *text)
{
	papi_openmetrics_label(text->out, "program", text->whole->process);
	fprintf(text->out, ",pid=\"%d\"", (int)text->whole->pid);
	if (text->source->rank >= 0)
		fprintf(text->out, ",rank=\"%d\"", text->source->rank);
	fprintf(text->out, ",lane=\"%d\"", text->lane->ours);
}

static void write_running(const struct text *text)
{
	fputs("papi_program_running{", text->out);
	write_program(text);
	fprintf(text->out, "} %d\n", text->lane->ended ? 0 : 1);
}

/* The digits of a total, which is quoted where it is large; 0: it is not known. */
static size_t find_digits(const struct papi_source_lane *lane, size_t event, const char **digits)
{
	size_t length;

	*digits = event < lane->n_values ? lane->values[event].text : "";
	*digits += **digits == '"';
	length = strspn(*digits, "0123456789");
	return !(*digits)[length] || (*digits)[length] == '"' ? length : 0;
}

static void write_event(const struct text *text, const struct papi_session_event *event, size_t number)
{
	const char *digits;
	size_t length = find_digits(text->lane, number, &digits);

	if (!length)
		return;
	fputs(text->lane->tid ? "papi_thread_event_total{" : "papi_event_total{", text->out);
	papi_openmetrics_event(text->out, event);
	write_program(text);
	if (text->lane->tid) {
		fprintf(text->out, ",process=\"%d\",tid=\"%d\",", (int)text->lane->pid, (int)text->lane->tid);
		papi_openmetrics_label(text->out, "thread", text->lane->name);
	}
	fprintf(text->out, "} %.*s\n", (int)length, digits);
}

static void write_lane(const struct text *text)
{
	const struct papi_session *session = text->session;

	if (text->family == PAPI_OPENMETRICS_RUNNING) {
		write_running(text);
		return;
	}
	for (size_t i = 0; i < session->n_events; i++) {
		const struct papi_session_event *event = &session->events[i];

		if (event->wanted && event->source != PAPI_SESSION_METRIC)
			write_event(text, event, i);
	}
}

/* Of its lanes the first is the whole; of threads those that are there. */
static void write_source(struct text *text, const struct papi_source *source)
{
	bool threads = text->family == PAPI_OPENMETRICS_THREADS;

	text->source = source;
	for (size_t i = 0; i < source->n_lanes; i++) {
		text->whole = source->lanes;
		text->lane = &source->lanes[i];
		if (text->lane->told && threads == (text->lane->tid != 0) && !(threads && text->lane->ended))
			write_lane(text);
	}
}

static void write_family(struct text *text, const struct papi_openmetrics_sources *sources)
{
	papi_openmetrics_head(text->out, text->family);
	for (size_t list = 0; list < 2; list++)
		for (size_t i = 0; i < sources->numbers[list]; i++)
			write_source(text, sources->lists[list][i]);
}

char *papi_openmetrics_sources(const struct papi_openmetrics_sources *sources, bool threads)
{
	struct text text = { .session = sources->session };
	char *made = NULL;
	size_t length;

	text.out = open_memstream(&made, &length);
	if (!text.out)
		papi_perfometer_no_memory();
	for (text.family = PAPI_OPENMETRICS_RUNNING;
		text.family <= (threads ? PAPI_OPENMETRICS_THREADS : PAPI_OPENMETRICS_TOTALS); text.family++)
		write_family(&text, sources);
	fputs("# EOF\n", text.out);
	if (fclose(text.out) != 0)
		papi_perfometer_no_memory();
	return made;
}
