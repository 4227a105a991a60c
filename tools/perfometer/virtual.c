/* SPDX-License-Identifier: BSD-3-Clause */
#include "virtual.h"

#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "components/vpmu/counters.h"
#include "escape.h"
#include "papi.h"
#include "perfometer.h"
#include "visit.h"

#define ALL_EXACT ((1ull << PAPI_AGENT_EXACT) - 1)

void papi_virtual_begin(struct papi_virtual *virtually)
{
	*virtually = (struct papi_virtual){ .collector = { .descriptor = -1 }, .eventset = PAPI_NULL };
}

/* ---- events ---- */

/* Also of a program that another tool has started. */
static bool is_same_model(const struct papi_agent_plan *plan, const struct papi_agent_plan *other)
{
	return !strncmp(plan->caches, other->caches, sizeof(plan->caches)) &&
		!strncmp(plan->model, other->model, sizeof(plan->model));
}

/* What the simulators of the program do not know cannot be asked for later. */
static bool is_within_plan(const struct papi_virtual *virtually, int eventset, char *reason, size_t size)
{
	const struct papi_agent_plan *there = &virtually->collector.table->plan;
	struct papi_agent_plan plan = { .counters = 0 };
	int status = papi_agent_plan(eventset, &plan);

	if (status != PAPI_OK) {
		papi_tool_reason(status, reason, size);
		return false;
	}
	if (plan.counters & ~there->counters)
		snprintf(reason, size, "the tool that has started the program counts other events in it");
	else if (plan.parts & ~there->parts)
		snprintf(reason, size,
			"it is modelled, and no simulator for it runs in this program: ask for it at the start, with "
			"-e, or for all with --models");
	else if (plan.parts && !is_same_model(&plan, there))
		snprintf(reason, size,
			"the tool that has started the program models other caches or another processor there "
			"(PAPI_VPMU_CACHE, PAPI_VPMU_MODEL)");
	else
		return true;
	return false;
}

bool papi_virtual_can(const struct papi_virtual *virtually, const char *name, char *reason, size_t size)
{
	int eventset = PAPI_NULL, status;
	bool can = false;

	if (!virtually->collector.table) {
		snprintf(reason, size,
			"it is counted by translation of the program, and that was not asked for at the start");
		return false;
	}
	status = PAPI_create_eventset(&eventset);
	if (status == PAPI_OK)
		status = PAPI_add_named_event(eventset, name);
	if (status == PAPI_OK)
		can = is_within_plan(virtually, eventset, reason, size);
	else
		papi_tool_reason(status, reason, size);
	if (eventset != PAPI_NULL) {
		PAPI_cleanup_eventset(eventset);
		PAPI_destroy_eventset(&eventset);
	}
	return can;
}

bool papi_virtual_add(struct papi_virtual *virtually, const char *name, size_t *position, char *reason, size_t size)
{
	int status = virtually->eventset == PAPI_NULL ? PAPI_create_eventset(&virtually->eventset) : PAPI_OK;

	if (status == PAPI_OK)
		status = PAPI_add_named_event(virtually->eventset, name);
	if (status != PAPI_OK) {
		papi_tool_reason(status, reason, size);
		return false;
	}
	*position = virtually->n_events++;
	virtually->values = papi_perfometer_allocate(
		virtually->values, virtually->n_events, sizeof(*virtually->values));
	virtually->whole = papi_perfometer_allocate(virtually->whole, virtually->n_events, sizeof(*virtually->whole));
	virtually->whole_is_known = false;
	return true;
}

/* ---- the agent ---- */

static int make_plan(struct papi_virtual *virtually, bool models)
{
	struct papi_agent_plan *plan = &virtually->collector.table->plan;
	int status = papi_agent_plan(virtually->eventset, plan);

	papi_agent_collector_keep_apart(&virtually->collector);
	plan->counters |= ALL_EXACT;
	if (models)
		plan->parts = PAPI_VPMU_PARTS;
	return status;
}

bool papi_virtual_expect(struct papi_virtual *virtually, const char *path, bool models, char *reason, size_t size)
{
	const char *why;
	int status;

	if (!virtually->n_events)
		return true;
	why = papi_agent_collector_begin(&virtually->collector, PAPI_AGENT_DIRECTORY, path);
	if (!why && (status = make_plan(virtually, models)) != PAPI_OK) {
		papi_tool_reason(status, reason, size);
		papi_agent_collector_end(&virtually->collector);
		return false;
	}
	if (!why)
		why = papi_agent_collector_expect(&virtually->collector, path);
	if (!why)
		return true;
	snprintf(reason, size, "%s", why);
	papi_agent_collector_end(&virtually->collector);
	return false;
}

/* An agent that came with the program counts in it, whoever has started that. */
static bool take_over(struct papi_virtual *virtually, char *reason, size_t size)
{
	char why[2 * PAPI_HUGE_STR_LEN];

	if (is_within_plan(virtually, virtually->eventset, why, sizeof(why)))
		return true;
	snprintf(reason, size, "what -e asks for cannot be counted: %s", why);
	papi_agent_collector_end(&virtually->collector);
	return false;
}

bool papi_virtual_enter(struct papi_virtual *virtually, pid_t pid, bool models, char *reason, size_t size)
{
	const char *why;

	if (!virtually->n_events)
		return true;
	if (papi_agent_collector_adopt(&virtually->collector, pid, &why))
		return take_over(virtually, reason, size);
	if (why || !papi_visit_open(pid, papi_perfometer_say, &why)) {
		snprintf(reason, size, "%s", why);
		return false;
	}
	why = papi_agent_collector_begin(&virtually->collector, PAPI_AGENT_DIRECTORY, NULL);
	if (!why && make_plan(virtually, models) != PAPI_OK)
		why = PAPI_error_detail();
	if (!why && papi_visit_begin(virtually->collector.descriptor, virtually->collector.agent, &why)) {
		virtually->visits = true;
		return true;
	}
	snprintf(reason, size, "%s", why);
	papi_agent_collector_end(&virtually->collector);
	papi_visit_close();
	return false;
}

void papi_virtual_tend(const struct papi_virtual *virtually)
{
	if (virtually->visits)
		papi_visit_look();
}

pid_t papi_virtual_thread(const struct papi_virtual *virtually, pid_t there)
{
	return virtually->visits ? papi_visit_thread(there) : there;
}

char *papi_virtual_leave(struct papi_virtual *virtually)
{
	char *note;

	if (virtually->collector.adopted)
		return papi_perfometer_format(
			"virtual events are counted since the program began, by the agent that came with it");
	if (!virtually->visits)
		return NULL;
	note = papi_visit_end(NULL);
	papi_visit_close();
	virtually->visits = false;
	return note;
}

/* ---- counts ---- */

static bool evaluate(struct papi_virtual *virtually, const uint64_t counters[PAPI_AGENT_COUNTERS], long long values[])
{
	uint64_t lanes[PAPI_AGENT_LANES][PAPI_AGENT_COUNTERS] = { { 0 } };

	memcpy(lanes[0], counters, sizeof(lanes[0]));
	return papi_agent_values(virtually->eventset, lanes, values, NULL) == PAPI_OK;
}

bool papi_virtual_look(struct papi_virtual *virtually)
{
	const struct papi_agent_table *table = virtually->collector.table;

	/* Before the agent has come into the program, nothing is known: not even zeros. */
	virtually->whole_is_known = table && atomic_load(&table->arrived) &&
		papi_agent_view_take(&virtually->view, table) &&
		evaluate(virtually, virtually->view.whole, virtually->whole);
	return virtually->whole_is_known;
}

const long long *papi_virtual_values(struct papi_virtual *virtually, const uint64_t counters[PAPI_AGENT_COUNTERS])
{
	return evaluate(virtually, counters, virtually->values) ? virtually->values : NULL;
}

/* ---- what is missing ---- */

/* The program's processes wrote the texts, and may have been killed while they did. */
static char *describe(const char *name, size_t name_size, const char *reason, size_t reason_size)
{
	char *text = papi_perfometer_format(
		"%.*s is not counted, or not all of it: %.*s", (int)name_size, name, (int)reason_size, reason);

	papi_escape_terminal(text);
	return text;
}

char *papi_virtual_missing(const struct papi_virtual *virtually, size_t *next)
{
	const struct papi_agent_table *table = virtually->collector.table;

	while (table && *next < PAPI_AGENT_PROCESSES && *next < atomic_load(&table->entered)) {
		const struct papi_agent_process *entry = &table->entries[(*next)++];
		uint32_t state = atomic_load(&entry->state);

		if (state == PAPI_AGENT_FREE)
			continue;
		if (atomic_load(&entry->losses) == 2)
			return describe(entry->name, sizeof(entry->name), entry->reason, sizeof(entry->reason));
		if (state != PAPI_AGENT_EXPECTED && state != PAPI_AGENT_EXECUTING)
			continue;
		if (!*entry->next_reason)
			return describe(
				entry->next_name, sizeof(entry->next_name), "the agent did not begin in it", INT16_MAX);
		return describe(
			entry->next_name, sizeof(entry->next_name), entry->next_reason, sizeof(entry->next_reason));
	}
	return NULL;
}

void papi_virtual_end(struct papi_virtual *virtually)
{
	free(papi_virtual_leave(virtually));
	papi_agent_collector_end(&virtually->collector);
	papi_agent_view_free(&virtually->view);
	if (virtually->eventset != PAPI_NULL) {
		PAPI_cleanup_eventset(virtually->eventset);
		PAPI_destroy_eventset(&virtually->eventset);
	}
	free(virtually->whole);
	free(virtually->values);
	papi_virtual_begin(virtually);
}
