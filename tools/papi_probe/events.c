/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * events.c - from the names of events to what the threads of the program ask the kernel for; or to the way that counts
 * them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "common.h"
#include "components/perf_event/encoding.h"
#include "components/perf_event/reasons.h"
#include "components/vpmu/agent.h"
#include "components/vpmu/call_frame.h"
#include "components/vpmu/counters.h"
#include "event_names.h"
#include "events.h"
#include "options.h"
#include "papi.h"
#include "papi_probe.h"
#include "symbols/memory.h"

static _Noreturn void refuse(const char *name, const char *reason)
{
	probe_message("%s cannot be counted by probes: %s", name, reason);
	exit(PAPI_TOOL_USAGE);
}

static _Noreturn void refuse_status(const char *name, int status)
{
	char reason[PAPI_HUGE_STR_LEN];

	papi_tool_reason(status, reason, sizeof(reason));
	refuse(name, reason);
}

/* ---- names ---- */

/* Of a preset: the one native event that it is. */
static int native_of(const char *name, int code)
{
	static const char *const plain[] = { "NOT_DERIVED", "", NULL };
	PAPI_event_info_t info;
	int status = PAPI_get_event_info(code, &info);

	if (status != PAPI_OK)
		refuse_status(name, status);
	if (info.count != 1 || !papi_event_has_type(&info, plain))
		refuse(name, "it is computed from several events: name these");
	status = PAPI_event_name_to_code(info.name[0], &code);
	if (status != PAPI_OK)
		refuse_status(name, status);
	return code;
}

static int find_code(const char *name)
{
	char reason[PAPI_HUGE_STR_LEN];
	int code, status;

	if (papi_event_is_unknown(name, reason, sizeof(reason)))
		refuse(name, reason);
	status = PAPI_event_name_to_code(name, &code);
	if (status != PAPI_OK)
		refuse_status(name, status);
	return code;
}

static void find_native(const char *name, char native[PAPI_HUGE_STR_LEN])
{
	const PAPI_component_info_t *component;
	int code = find_code(name), status;

	if (!papi_event_is_native(code))
		code = native_of(name, code);
	component = PAPI_get_component_info(PAPI_get_event_component(code));
	if (!component || strcmp(component->name, "perf_event") != 0)
		refuse(name,
			papi_event_is_virtual(code)
				? "this machine counts it by translation of the program: leave --way patch out"
				: "only events of the kernel (perf_event) can be read from within the program");
	status = PAPI_event_code_to_name(code, native);
	if (status != PAPI_OK)
		refuse_status(name, status);
}

/* ---- what the kernel is asked for ---- */

static int try_open(const struct perf_event_attr *attr)
{
	int file = (int)syscall(SYS_perf_event_open, attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (file < 0)
		return errno;
	close(file);
	return 0;
}

static void resolve(struct probe_event *event)
{
	char native[PAPI_HUGE_STR_LEN];
	struct papi_perf_encoding *encoding;
	struct papi_perf_attempt attempt;
	void *found;
	int error;

	find_native(event->name, native);
	if (papi_perf_resolve(native, &found) != PAPI_OK)
		refuse(event->name, papi_error_sentence());
	encoding = found;
	if (encoding->n_cpus)
		refuse(event->name, "it is counted on the whole package, whatever runs there");
	event->attr = encoding->attr;
	event->attr.size = sizeof(event->attr);
	event->attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	if (!encoding->own_modes && !atomic_load(&encoding->any_mode)) {
		event->attr.exclude_hv = 1;
		/* The reading of counters is no work of the function. */
		event->attr.exclude_kernel = encoding->core;
	}
	error = try_open(&event->attr);
	if ((error == EACCES || error == EPERM) && !encoding->own_modes && !atomic_load(&encoding->any_mode)) {
		event->attr.exclude_kernel = 1;
		error = try_open(&event->attr);
	}
	attempt = (struct papi_perf_attempt){
		.attr = &event->attr, .cpu = -1, .core = encoding->core, .any_mode = atomic_load(&encoding->any_mode)
	};
	if (error) {
		papi_perf_open_failed(&attempt, error);
		refuse(event->name, papi_error_sentence());
	}
	papi_perf_release(found);
}

const char *probe_events_add(struct probe_options *options, const char *text)
{
	const char *mistake = NULL;

	while (text) {
		size_t length;
		const char *name = papi_event_list_next(&text, &length, &mistake);
		struct probe_event *event = &options->events[options->n_events];

		if (!name)
			return mistake;
		if (options->n_events == PAPI_PROBE_EVENTS)
			return "there are more than four: each is read at every call";
		event->name = papi_memory_copy(name);
		event->name[length] = '\0';
		options->n_events++;
	}
	return NULL;
}

/* ---- what is counted by translation ---- */

/* Each, and all at once, can be counted by call. */
static void plan_translation(const struct probe_options *options)
{
	static struct papi_agent_plan plan;
	int eventset = PAPI_NULL, status = PAPI_create_eventset(&eventset);

	for (size_t i = 0; i < options->n_events && status == PAPI_OK; i++) {
		const char *name = options->events[i].name;

		status = PAPI_add_named_event(eventset, name);
		if (status == PAPI_OK)
			status = papi_agent_plan(eventset, &plan);
		if (status != PAPI_OK)
			refuse_status(name, status);
		/* With instructions, by which calls are told. */
		if (__builtin_popcountll(plan.counters | 1ull << PAPI_VPMU_INSTRUCTIONS) > PAPI_VPMU_CALL_CLOCKS)
			refuse(name,
				"with it more counters are needed than calls can have: ask for it in another run, "
				"or for its parts");
	}
	if (status != PAPI_OK)
		refuse_status("vpmu", status);
	PAPI_cleanup_eventset(eventset);
	PAPI_destroy_eventset(&eventset);
}

/* All are counted in the same run, so by the same way. */
static void choose_way(struct probe_options *options)
{
	const char *virtual = NULL, *other = NULL;

	for (size_t i = 0; i < options->n_events; i++) {
		const char *name = options->events[i].name;

		if (papi_event_is_virtual(find_code(name)))
			virtual = name;
		else
			other = name;
	}
	if (options->way == PROBE_AUTO)
		options->way = virtual ? PROBE_TRANSLATE : PROBE_PATCH;
	if (options->way != PROBE_TRANSLATE || !other)
		return;
	if (virtual)
		refuse(virtual, "it is counted by translation, and the other events are not: ask for them in two runs");
	refuse(other,
		"by translation only what the virtual PMU counts is known, such as vpmu:::LOADS; without --way "
		"translate probes read events of the kernel");
}

void probe_events_resolve(struct probe_options *options)
{
	if (options->n_events) {
		papi_tool_init();
		choose_way(options);
		if (options->way == PROBE_TRANSLATE)
			plan_translation(options);
		else
			for (size_t i = 0; i < options->n_events; i++)
				resolve(&options->events[i]);
		PAPI_shutdown();
	}
	if (options->way == PROBE_AUTO)
		options->way = PROBE_PATCH;
	if (options->way == PROBE_TRANSLATE && !options->n_events && !options->calls)
		options->events[options->n_events++].name = papi_memory_copy(PROBE_INSTRUCTIONS);
}

void probe_events_free(struct probe_options *options)
{
	for (size_t i = 0; i < options->n_events; i++)
		free(options->events[i].name);
}
