/* SPDX-License-Identifier: BSD-3-Clause */
/* papi_run_attach.c - virtual events of a process that runs already (-p), by an agent that visits it. */
#include <stdlib.h>

#include "papi_run.h"
#include "visit.h"

static bool active;

bool papi_run_attach_begin(struct run_list *list, struct run_result *result, pid_t pid)
{
	const char *agent = NULL, *reason;
	int table;

	if (!papi_run_virtual_wanted(list))
		return false;
	if (!papi_visit_open(pid, papi_run_message, &reason)) {
		papi_run_virtual_refuse(list, reason);
		return false;
	}
	table = papi_run_virtual_open(list, result, &agent);
	active = table >= 0 && papi_visit_begin(table, agent, &reason);
	if (active) {
		result->slowed = true;
		return true;
	}
	if (table >= 0) {
		papi_run_virtual_refuse(list, reason);
		papi_run_virtual_close(list, NULL, 0);
	}
	papi_visit_close();
	return false;
}

void papi_run_attach_look(void)
{
	if (active)
		papi_visit_look();
}

pid_t papi_run_attach_thread(pid_t there)
{
	return active ? papi_visit_thread(there) : there;
}

void papi_run_attach_end(struct run_list *list, struct run_result *result, long long elapsed_ns)
{
	char *note;

	if (!active)
		return;
	note = papi_visit_end(result->watch_note);
	free(result->watch_note);
	result->watch_note = note;
	papi_run_virtual_close(list, result, elapsed_ns);
	papi_visit_close();
	active = false;
}
