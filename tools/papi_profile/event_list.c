/* SPDX-License-Identifier: BSD-3-Clause */
#include "papi_profile/event_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/files.h"
#include "common.h"
#include "components/perf_event/reasons.h"
#include "event_names.h"
#include "events.h"
#include "options.h"
#include "papi.h"
#include "papi_profile/papi_profile.h"

/* The kernel's timer for clock events goes no faster. */
#define SHORTEST_CLOCK_PERIOD 10000

#define TRY_INSTEAD                                                                                    \
	"; perf::TASK-CLOCK, perf::PAGE-FAULTS and mem: breakpoints can be sampled on every machine, " \
	"and papi_native_avail lists what there is"

static _Noreturn void refuse(const char *name, const char *reason)
{
	papi_profile_message("cannot sample %s: %s", name, reason);
	exit(PAPI_TOOL_USAGE);
}

static char *copy(const char *text, size_t length)
{
	char *made = papi_profile_allocate(NULL, length + 1, 1);

	memcpy(made, text, length);
	made[length] = '\0';
	return made;
}

static void append(struct papi_profile_events *list, const char *name, size_t length)
{
	list->events = papi_profile_allocate(list->events, list->number + 1, sizeof(*list->events));
	list->events[list->number++] = (struct papi_profile_sampled){ .name = copy(name, length) };
}

void papi_profile_events_parse(struct papi_profile_events *list, const char *text)
{
	const char *mistake = NULL;

	while (text) {
		size_t length;
		const char *name = papi_event_list_next(&text, &length, &mistake);

		if (!name) {
			papi_profile_message("-e: %s", mistake);
			exit(PAPI_TOOL_USAGE);
		}
		append(list, name, length);
	}
}

/* ---- Names --------------------------------------------------------------------------------------------- */

/* The component that counts a native event. */
static const char *component_of(int code)
{
	const PAPI_component_info_t *info = PAPI_get_component_info(PAPI_get_event_component(code));

	return info ? info->name : "";
}

/* A preset or an event of the user: what it is made of. */
static void native_of(struct papi_profile_sampled *event, int code)
{
	static const char *const plain[] = { "NOT_DERIVED", "", NULL };
	char reason[PAPI_HUGE_STR_LEN];
	PAPI_event_info_t info;
	int status = PAPI_get_event_info(code, &info);

	if (status != PAPI_OK) {
		papi_tool_reason(status, reason, sizeof(reason));
		refuse(event->name, reason);
	}
	if (info.count != 1 || !papi_event_has_type(&info, plain)) {
		size_t used = (size_t)snprintf(reason, sizeof(reason),
			"it is computed from several events, and a sample is of one: sample one of");

		for (unsigned i = 0; i < info.count && used < sizeof(reason); i++)
			used += (size_t)snprintf(reason + used, sizeof(reason) - used, " %s", info.name[i]);
		refuse(event->name, reason);
	}
	event->native = copy(info.name[0], strlen(info.name[0]));
}

/* The name that the perf_event component has for it. */
static void find_native(struct papi_profile_sampled *event)
{
	char reason[PAPI_HUGE_STR_LEN];
	int code, status;

	if (papi_event_is_unknown(event->name, reason, sizeof(reason))) {
		papi_profile_message("%s", reason);
		exit(PAPI_TOOL_USAGE);
	}
	status = PAPI_event_name_to_code(event->name, &code);
	if (status != PAPI_OK) {
		papi_tool_reason(status, reason, sizeof(reason));
		refuse(event->name, reason);
	}
	if (papi_event_is_native(code))
		event->native = copy(event->name, strlen(event->name));
	else
		native_of(event, code);
	if (!papi_event_is_native(code) && (status = PAPI_event_name_to_code(event->native, &code)) != PAPI_OK) {
		papi_tool_reason(status, reason, sizeof(reason));
		refuse(event->name, reason);
	}
	if (strcmp(component_of(code), "perf_event") != 0) {
		snprintf(reason, sizeof(reason), "%s" TRY_INSTEAD,
			papi_event_is_virtual(code)
				? "this machine counts it by translation of the program, without samples"
				: "only what the kernel's perf events count can be sampled");
		refuse(event->name, reason);
	}
}

/* ---- What the kernel is asked for ---------------------------------------------------------------------- */

static bool is_clock(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE &&
		(attr->config == PERF_COUNT_SW_TASK_CLOCK || attr->config == PERF_COUNT_SW_CPU_CLOCK);
}

static void check_frequency(const struct papi_profile_rate *rate)
{
	long long most;

	if (rate->period || papi_linux_read_int("/proc/sys/kernel/perf_event_max_sample_rate", &most) ||
		rate->frequency <= (uint64_t)most)
		return;
	papi_profile_message(
		"-F %llu: the kernel allows %lld samples in a second; sysctl kernel.perf_event_max_sample_rate",
		(unsigned long long)rate->frequency, most);
	exit(PAPI_TOOL_USAGE);
}

/* first: the event that also records what the processes do. */
static void complete(struct papi_profile_sampled *event, const struct papi_profile_rate *rate, bool first)
{
	struct perf_event_attr *attr = &event->attr;

	*attr = event->encoding->attr;
	attr->size = sizeof(*attr);
	attr->sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	/* Fixed, it need not be told; if it were, the kernel would sample each of its software events. */
	if (!rate->period)
		attr->sample_type |= PERF_SAMPLE_PERIOD;
	if (rate->graph == PAPI_PROFILE_GRAPH_FRAMES)
		attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
	if (rate->graph == PAPI_PROFILE_GRAPH_STACKS) {
		attr->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
		attr->sample_regs_user = rate->machine->sampled;
		attr->sample_stack_user = rate->stack;
	}
	attr->exclude_callchain_kernel = 1;
	attr->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	attr->freq = !rate->period;
	attr->sample_freq = rate->period ? rate->period : rate->frequency;
	attr->disabled = 1;
	attr->inherit = 1;
	attr->sample_id_all = 1;
	attr->use_clockid = 1;
	attr->clockid = CLOCK_MONOTONIC;
	attr->mmap = attr->mmap2 = attr->comm = attr->comm_exec = attr->task = first;
	attr->build_id = first;
	attr->precise_ip = event->encoding->core ? 2 : 0;
	if (!event->encoding->own_modes && !atomic_load(&event->encoding->any_mode))
		attr->exclude_hv = 1;
}

static void resolve(struct papi_profile_sampled *event, const struct papi_profile_rate *rate, bool first)
{
	void *encoding;

	find_native(event);
	if (papi_perf_resolve(event->native, &encoding) != PAPI_OK)
		refuse(event->name, papi_error_sentence());
	event->encoding = encoding;
	if (event->encoding->n_cpus)
		refuse(event->name, "it is counted on the whole package, whatever runs there" TRY_INSTEAD);
	complete(event, rate, first);
	if (rate->period && rate->period < SHORTEST_CLOCK_PERIOD && is_clock(&event->attr))
		refuse(event->name, "the kernel samples clocks every 10000 ns at most: -c 10000 or more");
}

/* Cycles where the machine counts them, else time. */
static void take_default(struct papi_profile_events *list)
{
	static const char cycles[] = "PAPI_TOT_CYC", clock[] = "perf::TASK-CLOCK";
	const char *name = papi_perf_core_pmu() && !papi_perf_core_pmu_refused() ? cycles : clock;

	append(list, name, strlen(name));
}

void papi_profile_events_resolve(struct papi_profile_events *list, const struct papi_profile_rate *rate)
{
	check_frequency(rate);
	if (!list->number)
		take_default(list);
	for (size_t i = 0; i < list->number; i++)
		resolve(&list->events[i], rate, i == 0);
}

void papi_profile_events_free(struct papi_profile_events *list)
{
	for (size_t i = 0; i < list->number; i++) {
		free(list->events[i].name);
		free(list->events[i].native);
		papi_perf_release(list->events[i].encoding);
	}
	free(list->events);
	papi_perf_names_shutdown();
}
