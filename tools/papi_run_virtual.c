/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_run_virtual.c - virtual events: the agent that counts them inside the program, and what it has counted.
 *
 * papi_run works out what is to be instrumented and makes a table for each run (src/agent/table.h); the agents of all
 * processes count into it, and in the end all counters are added, and the values of the events made of the sums.
 *
 * The agent is preloaded by the dynamic linker, so a program without one is out of reach (src/agent/image.h).
 */
#include <stdlib.h>
#include <string.h>

#include "agent/collector.h"
#include "papi_run.h"

static struct papi_agent_collector collector = { .descriptor = -1 };
static int eventset = PAPI_NULL;

bool papi_run_virtual_wanted(const struct run_list *list)
{
	for (size_t i = 0; i < list->number; i++)
		if (list->events[i].is_virtual && !list->events[i].error)
			return list->pass == 0;
	return false;
}

void papi_run_virtual_refuse(struct run_list *list, const char *reason)
{
	for (size_t i = 0; i < list->number; i++)
		if (list->events[i].is_virtual)
			papi_run_events_refuse(&list->events[i], "%s", reason);
}

/* ---- what is counted ---- */

static void give_back(void)
{
	papi_agent_collector_end(&collector);
	if (eventset == PAPI_NULL)
		return;
	PAPI_cleanup_eventset(eventset);
	PAPI_destroy_eventset(&eventset);
}

/* The EventSet that knows what the events are made of. An event that cannot be added is given up. */
static const char *plan_events(struct run_list *list, const struct run_result *result)
{
	int error = PAPI_create_eventset(&eventset);

	if (error != PAPI_OK)
		return papi_run_events_reason(NULL, error);
	for (size_t i = 0; i < list->number; i++) {
		struct run_event *event = &list->events[i];

		if (!event->is_virtual || event->error)
			continue;
		error = PAPI_add_named_event(eventset, event->name);
		if (error != PAPI_OK)
			papi_run_events_refuse(event, "%s", papi_run_events_reason(event->name, error));
	}
	if (!papi_run_virtual_wanted(list))
		return NULL;
	error = papi_agent_plan(eventset, &collector.table->plan);
	collector.table->plan.clock_unseen = papi_run_is_reproducible();
	if (result->tasks.kind != RUN_TASKS_NONE)
		papi_agent_collector_keep_apart(&collector);
	return error == PAPI_OK ? NULL : papi_run_events_reason(NULL, error);
}

bool papi_run_virtual_begin(struct run_list *list, const struct run_result *result, const char *path)
{
	const char *reason;
	bool ready = true;

	if (!papi_run_virtual_wanted(list))
		return true;
	reason = papi_agent_collector_begin(&collector, PAPI_AGENT_DIRECTORY, path);
	if (!reason)
		reason = plan_events(list, result);
	if (!reason && papi_run_virtual_wanted(list) && result->profiled_exactly)
		ready = papi_run_profile_begin_exact(list, result->command, collector.descriptor);
	if (!reason && papi_run_virtual_wanted(list) && ready)
		reason = papi_agent_collector_expect(&collector, path);
	if (reason)
		papi_run_virtual_refuse(list, reason);
	if (!papi_run_virtual_wanted(list) || !ready)
		give_back();
	return ready;
}

void papi_run_virtual_hand_over(void)
{
	papi_agent_collector_hand_over(&collector);
}

/* ---- results ---- */

static void add_values(
	struct run_list *list, size_t run, const long long *values, const long long *intervals, long long elapsed_ns)
{
	size_t position = 0;

	for (size_t i = 0; i < list->number; i++) {
		struct run_event *event = &list->events[i];

		if (!event->is_virtual || event->error)
			continue;
		event->interval += intervals[position];
		event->counts[run] += values[position++];
		event->enabled_ns += elapsed_ns;
		event->running_ns += elapsed_ns;
		event->user_only = true;
	}
}

static const char *take_values(struct run_list *list, size_t run, long long elapsed_ns)
{
	long long *values = papi_run_allocate(NULL, list->number, sizeof(*values));
	long long *intervals = papi_run_allocate(NULL, list->number, sizeof(*intervals));
	uint64_t sums[PAPI_AGENT_LANES][PAPI_AGENT_COUNTERS];
	int error;

	papi_agent_collector_sums(&collector, sums);
	error = papi_agent_values(eventset, sums, values, intervals);
	if (error == PAPI_OK)
		add_values(list, run, values, intervals, elapsed_ns);
	free(values);
	free(intervals);
	return error == PAPI_OK ? NULL : papi_run_events_reason(NULL, error);
}

/* The profile of the same run has them. */
static const char *take_profile(struct run_list *list, size_t run, long long elapsed_ns, int status)
{
	long long *values = papi_run_allocate(NULL, list->number, sizeof(*values));
	long long *intervals = papi_run_allocate(NULL, list->number, sizeof(*intervals));
	size_t number = 0;
	bool done;

	memset(intervals, 0, list->number * sizeof(*intervals));
	for (size_t i = 0; i < list->number; i++)
		number += list->events[i].is_virtual && !list->events[i].error;
	done = papi_run_profile_end_exact(status, elapsed_ns, values, number);
	if (done)
		add_values(list, run, values, intervals, elapsed_ns);
	free(values);
	free(intervals);
	return done ? NULL : "its profile, of which the count is made, could not be written";
}

/* What each thread has, where it is wanted. */
static void take_tasks(const struct run_list *list, struct run_result *result)
{
	uint64_t counters[PAPI_AGENT_LANES][PAPI_AGENT_COUNTERS] = { { 0 } };
	long long *values = papi_run_allocate(NULL, list->number + 1, sizeof(*values));
	struct papi_agent_record *records;
	size_t number = 0;

	if (result->tasks.kind == RUN_TASKS_NONE) {
		free(values);
		return;
	}
	records = papi_agent_collector_threads(&collector, &number);
	for (size_t i = 0; records && i < number; i++) {
		memcpy(counters[0], records[i].counters, sizeof(counters[0]));
		if (papi_agent_values(eventset, counters, values, NULL) == PAPI_OK)
			papi_run_tasks_add(&result->tasks, list, &records[i], values);
	}
	free(records);
	free(values);
}

size_t papi_run_virtual_running(int32_t *tids)
{
	return collector.table ? papi_agent_collector_running(&collector, tids) : 0;
}

/* By one counter after the other, while programs go on counting: a thread that ends at this moment has its counts
 * moved, and is seen at the next one. Nothing seen before is taken back for that. */
static void read_sums(uint64_t sums[PAPI_AGENT_LANES][PAPI_AGENT_COUNTERS])
{
	static uint64_t highest[PAPI_AGENT_LANES][PAPI_AGENT_COUNTERS];

	papi_agent_collector_sums(&collector, sums);
	for (size_t lane = 0; lane < PAPI_AGENT_LANES; lane++)
		for (size_t i = 0; i < PAPI_AGENT_COUNTERS; i++) {
			if ((int64_t)(sums[lane][i] - highest[lane][i]) > 0)
				highest[lane][i] = sums[lane][i];
			sums[lane][i] = highest[lane][i];
		}
}

void papi_run_virtual_read(const struct run_list *list, long long elapsed_ns, struct run_reading *readings)
{
	uint64_t sums[PAPI_AGENT_LANES][PAPI_AGENT_COUNTERS];
	size_t position = 0;
	long long *values;

	if (!collector.table)
		return;
	values = papi_run_allocate(NULL, list->number, sizeof(*values));
	memset(values, 0, list->number * sizeof(*values));
	read_sums(sums);
	papi_agent_values(eventset, sums, values, NULL);
	for (size_t i = 0; i < list->number; i++)
		if (list->events[i].is_virtual && !list->events[i].error)
			readings[i] = (struct run_reading){ values[position++], elapsed_ns, elapsed_ns };
	free(values);
}

void papi_run_virtual_end(
	struct run_list *list, struct run_result *result, size_t run, long long elapsed_ns, int status)
{
	const char *reason = NULL;

	if (!collector.table)
		return;
	if (atomic_load(&collector.table->arrived) == 0)
		reason = "the agent did not start in the program: the dynamic linker did not load it";
	else if (result->profiled_exactly)
		reason = take_profile(list, run, elapsed_ns, status);
	else
		reason = take_values(list, run, elapsed_ns);
	if (reason)
		papi_run_virtual_refuse(list, reason);
	else
		take_tasks(list, result);
	if (!reason)
		papi_run_processes_take(&result->processes, collector.table);
	papi_run_profile_cancel();
	give_back();
}

/* ---- a process that runs already ---- */

int papi_run_virtual_open(struct run_list *list, const struct run_result *result, const char **agent)
{
	const char *reason = papi_agent_collector_begin(&collector, PAPI_AGENT_DIRECTORY, NULL);

	if (!reason)
		reason = plan_events(list, result);
	if (reason)
		papi_run_virtual_refuse(list, reason);
	if (!papi_run_virtual_wanted(list))
		give_back();
	*agent = collector.agent;
	return collector.descriptor;
}

void papi_run_virtual_close(struct run_list *list, struct run_result *result, long long elapsed_ns)
{
	const char *reason = result ? take_values(list, 0, elapsed_ns) : NULL;

	if (reason)
		papi_run_virtual_refuse(list, reason);
	else if (result)
		take_tasks(list, result);
	if (result && !reason)
		papi_run_processes_take(&result->processes, collector.table);
	give_back();
}
