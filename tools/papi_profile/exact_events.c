/* SPDX-License-Identifier: BSD-3-Clause */
#include "papi_profile/exact_events.h"

#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "components/vpmu/call_frame.h"
#include "components/vpmu/counters.h"
#include "event_names.h"
#include "events.h"
#include "options.h"
#include "papi.h"
#include "papi_profile/exact.h"
#include "papi_profile/exact_log.h"
#include "papi_profile/papi_profile.h"
#include "program.h"

static bool is_virtual(const char *name)
{
	int code;

	return PAPI_event_name_to_code(name, &code) == PAPI_OK && papi_event_is_virtual(code);
}

const char *papi_profile_exact_kind(const char *name)
{
	int code;

	return PAPI_event_name_to_code(name, &code) == PAPI_OK ? papi_event_kind(code) : "exact";
}

bool papi_profile_exact_is_meant(const struct papi_profile_events *events)
{
	for (size_t i = 0; i < events->number; i++)
		if (!is_virtual(events->events[i].name))
			return false;
	return events->number;
}

/* Instructions: the preset may be the processor's. If neither is virtual, it has the reason. */
const char *papi_profile_exact_usual(void)
{
	return is_virtual("PAPI_TOT_INS") || !is_virtual("vpmu:::INSTRUCTIONS") ? "PAPI_TOT_INS"
										: "vpmu:::INSTRUCTIONS";
}

static _Noreturn void refuse(const char *name, const char *reason)
{
	papi_profile_message("cannot profile %s exactly: %s", name, reason);
	exit(PAPI_TOOL_USAGE);
}

static _Noreturn void refuse_status(const char *name, int status)
{
	char reason[PAPI_HUGE_STR_LEN];

	papi_tool_reason(status, reason, sizeof(reason));
	refuse(name, reason);
}

static int make_eventset(void)
{
	int eventset = PAPI_NULL, status = PAPI_create_eventset(&eventset);

	if (status == PAPI_OK)
		return eventset;
	papi_profile_message("%s", PAPI_error_detail());
	exit(PAPI_PROGRAM_FAILURE);
}

void papi_profile_exact_forget(int eventset)
{
	PAPI_cleanup_eventset(eventset);
	PAPI_destroy_eventset(&eventset);
}

void papi_profile_exact_check(const char *name)
{
	static struct papi_agent_plan plan;
	char reason[PAPI_HUGE_STR_LEN];
	int eventset, status;

	if (papi_event_is_unknown(name, reason, sizeof(reason))) {
		papi_profile_message("%s", reason);
		exit(PAPI_TOOL_USAGE);
	}
	eventset = make_eventset();
	status = PAPI_add_named_event(eventset, name);
	/* Caches that make no sense keep presets from the virtual PMU, too. */
	if (status != PAPI_OK && strncmp(name, "PAPI_", 5) == 0)
		refuse_status(name, status);
	if (!is_virtual(name))
		refuse(name,
			"only what the virtual PMU counts can be profiled exactly, such as vpmu:::INSTRUCTIONS, and, "
			"with PAPI_VPMU=always, PAPI_TOT_INS or PAPI_L1_DCM; papi_native_avail lists its events. "
			"Without --exact it is sampled");
	if (status == PAPI_OK)
		status = papi_agent_plan(eventset, &plan);
	if (status != PAPI_OK)
		refuse_status(name, status);
	if (strcmp(papi_profile_exact_kind(name), "estimated") == 0)
		refuse(name,
			"the sampled models (PAPI_VPMU_MODEL=sampled) look at a part of all accesses only, and cannot "
			"tell where it misses: PAPI_VPMU_MODEL=full can");
	papi_profile_exact_forget(eventset);
}

int papi_profile_exact_plan(
	struct papi_profile_events *list, bool calls, uint32_t contexts, struct papi_agent_plan *plan)
{
	bool unseen = plan->clock_unseen;
	unsigned counters;
	int eventset = make_eventset(), status;

	for (size_t i = 0; i < list->number; i++) {
		status = PAPI_add_named_event(eventset, list->events[i].name);
		if (status != PAPI_OK)
			refuse_status(list->events[i].name, status);
	}
	status = papi_agent_plan(eventset, plan);
	if (status != PAPI_OK)
		refuse_status(list->events[0].name, status);
	plan->clock_unseen = unseen;
	/* With instructions, which every profile has. */
	plan->profile = plan->counters | 1ull << PAPI_VPMU_INSTRUCTIONS;
	plan->counters = 0;
	counters = (unsigned)__builtin_popcountll(plan->profile);
	plan->calls = calls && counters <= PAPI_VPMU_CALL_CLOCKS;
	if (calls && !plan->calls)
		papi_profile_message("calls are not recorded: there are too many events at once");
	if (contexts && !plan->calls) {
		papi_profile_message(
			"--contexts: ways of calls go with calls, which are recorded with events that take five "
			"exact counters at most, without -g none");
		exit(PAPI_TOOL_USAGE);
	}
	plan->contexts = contexts;
	return eventset;
}

void papi_profile_exact_values(void *argument, const uint64_t *counters, long long *values)
{
	static uint64_t all[PAPI_AGENT_LANES][PAPI_AGENT_COUNTERS];

	memcpy(all[0], counters, PAPI_PROFILE_EXACT_COUNTERS * sizeof(*counters));
	if (papi_agent_values(*(const int *)argument, all, values, NULL) != PAPI_OK) {
		papi_profile_message("%s", PAPI_error_detail());
		exit(PAPI_PROGRAM_FAILURE);
	}
}
