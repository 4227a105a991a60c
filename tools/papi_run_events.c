/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_run_events.c - which events are asked for, by name, and what is known about each before anything is counted.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "event_names.h"
#include "events.h"
#include "papi_run.h"

/*
 * The default set. Presets first: of hardware few enough for the counters of any CPU at once, of translation those that
 * are exact. The rest the kernel counts itself, on every machine. No two that say nearly the same; a name that means
 * nothing on this machine is left out.
 */
static const char *const default_presets[] = { "PAPI_TOT_INS", "PAPI_TOT_CYC", "PAPI_BR_INS", "PAPI_BR_MSP",
	"PAPI_L1_DCM" };
static const char *const default_virtual[] = { "PAPI_TOT_INS", "PAPI_LD_INS", "PAPI_SR_INS", "PAPI_BR_INS" };
static const char *const default_software[] = { "perf::TASK-CLOCK", "perf::PAGE-FAULTS", "perf::CONTEXT-SWITCHES",
	"perf::CPU-MIGRATIONS" };

#define NUMBER_OF(array) (sizeof(array) / sizeof((array)[0]))

static void append(struct run_list *list, const char *name, size_t length)
{
	struct run_event *event;

	list->events = papi_run_allocate(list->events, list->number + 1, sizeof(*list->events));
	event = &list->events[list->number++];
	memset(event, 0, sizeof(*event));
	event->name = papi_run_format("%.*s", (int)length, name);
}

void papi_run_events_append(struct run_list *list, const char *name)
{
	append(list, name, strlen(name));
}

/* Appends the names of one -e option, or ends the program when the text is no list of names. */
void papi_run_events_parse(struct run_list *list, const char *text)
{
	while (text) {
		const char *mistake;
		size_t length;
		const char *name = papi_event_list_next(&text, &length, &mistake);

		if (!name)
			papi_tool_usage_error(&papi_run_tool, "-e: %s", mistake);
		append(list, name, length);
	}
}

/*
 * What the library says about its last error, or the name of the code when it says nothing. Where the library begins
 * with the name of the event, that is left out: the report has it already. name may be NULL.
 */
const char *papi_run_events_reason(const char *name, int code)
{
	const char *detail = PAPI_error_detail();
	const char *text = PAPI_strerror(code);
	size_t length = name ? strlen(name) : 0;

	if (detail && length && strncmp(detail, name, length) == 0 && strncmp(detail + length, ": ", 2) == 0)
		detail += length + 2;
	if (detail && *detail)
		return detail;
	return text ? text : "unknown error";
}

/* Why there are no hardware events; NULL where there are some. */
static char *explain_missing_hardware(void)
{
	static const char cycles[] = "perf::CYCLES";
	int code = PAPI_query_event(PAPI_TOT_CYC);
	char *reason;

	if (code == PAPI_OK && !papi_event_is_virtual(PAPI_TOT_CYC))
		return NULL;
	if (code == PAPI_OK) {
		code = PAPI_query_named_event(cycles);
		return papi_run_format("no hardware events: %s; presets are counted by translation of the program "
				       "instead, in user mode, which makes it slower (papi_run(1), Virtual events)",
			code == PAPI_OK ? "PAPI_VPMU has switched them off" : papi_run_events_reason(cycles, code));
	}
	reason = papi_run_format("no hardware events: %s", papi_run_events_reason("PAPI_TOT_CYC", code));
	/* When not even this can be counted, what keeps it from that is the reason behind the first. */
	code = PAPI_query_named_event(cycles);
	if (code != PAPI_OK) {
		free(reason);
		reason = papi_run_format("no hardware events: %s", papi_run_events_reason(cycles, code));
	}
	return reason;
}

static void append_countable(struct run_list *list, const char *const names[], size_t number)
{
	for (size_t i = 0; i < number; i++)
		if (PAPI_query_named_event(names[i]) == PAPI_OK)
			append(list, names[i], strlen(names[i]));
}

/* Fills the list with what a user who names nothing will want to know on this machine. */
void papi_run_events_default(struct run_list *list, bool virtually)
{
	list->hardware_note = explain_missing_hardware();
	if (!list->hardware_note)
		append_countable(list, default_presets, NUMBER_OF(default_presets));
	else if (virtually && papi_event_is_virtual(PAPI_TOT_INS))
		append_countable(list, default_virtual, NUMBER_OF(default_virtual));
	append_countable(list, default_software, NUMBER_OF(default_software));
}

void papi_run_events_check(const struct run_list *list)
{
	char reason[2 * PAPI_HUGE_STR_LEN];
	bool unknown = false;

	for (size_t i = 0; i < list->number; i++) {
		if (!papi_event_is_unknown(list->events[i].name, reason, sizeof(reason)))
			continue;
		papi_run_message("'%s' cannot be counted: %s", list->events[i].name, reason);
		unknown = true;
	}
	if (!unknown)
		return;
	papi_run_message("nothing was run or watched; with --best-effort the other events are counted");
	exit(RUN_EXIT_USAGE);
}

/* Looks up what is known about each event; one that has no meaning here gets its reason now. */
void papi_run_events_describe(struct run_list *list)
{
	PAPI_event_info_t info;
	size_t i;

	for (i = 0; i < list->number; i++) {
		struct run_event *event = &list->events[i];
		char reason[2 * PAPI_HUGE_STR_LEN];
		int code = 0;
		int error = PAPI_event_name_to_code(event->name, &code);

		event->kind = "exact";
		if (error == PAPI_OK)
			error = PAPI_get_event_info(code, &info);
		if (error != PAPI_OK) {
			snprintf(reason, sizeof(reason), "%s", papi_run_events_reason(event->name, error));
			papi_event_is_unknown(event->name, reason, sizeof(reason));
			papi_run_events_refuse(event, "%s", reason);
			continue;
		}
		memcpy(event->unit, info.units, sizeof(event->unit));
		event->kind = papi_event_kind(code);
		event->is_virtual = papi_event_is_virtual(code);
		event->is_rate = papi_event_is_rate(&info);
	}
}

/* Gives an event up. The first reason stays: those after it are its consequences. */
void papi_run_events_refuse(struct run_event *event, const char *format, ...)
{
	char text[2 * PAPI_HUGE_STR_LEN];
	va_list arguments;

	if (event->error)
		return;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	papi_escape_terminal(text);
	event->error = papi_run_format("%s", text);
}

size_t papi_run_events_counted(const struct run_list *list)
{
	size_t counted = 0;

	for (size_t i = 0; i < list->number; i++)
		counted += !list->events[i].error;
	return counted;
}

/* When all is counted: a note on events of which none is left is none. */
void papi_run_events_conclude(struct run_list *list)
{
	for (size_t i = 0; i < list->number; i++)
		if (list->events[i].user_only && !list->events[i].error)
			return;
	free(list->kernel_note);
	list->kernel_note = NULL;
}

/* Before another attempt on the same process: what failed then may work now, but a name stays unknown. */
void papi_run_events_forgive(struct run_list *list)
{
	for (size_t i = 0; i < list->number; i++) {
		free(list->events[i].error);
		list->events[i].error = NULL;
		list->events[i].user_only = false;
	}
	papi_run_events_describe(list);
}

void papi_run_events_free(struct run_list *list)
{
	for (size_t i = 0; i < list->number; i++) {
		free(list->events[i].name);
		free(list->events[i].counts);
		free(list->events[i].error);
	}
	papi_run_metrics_free(list);
	free(list->events);
	free(list->hardware_note);
	free(list->kernel_note);
	memset(list, 0, sizeof(*list));
}
