/* SPDX-License-Identifier: BSD-3-Clause */
/* papi_run_meanwhile.c - what there is to do while the program runs, and when. */
#include "papi_run.h"

static long long sooner(long long one, long long other)
{
	return one < 0 || (other >= 0 && other < one) ? other : one;
}

long long papi_run_meanwhile_wait(void)
{
	long long tasks = sooner(papi_run_tasks_wait(), papi_run_apart_wait());

	return sooner(papi_run_progress_wait(), sooner(papi_run_intervals_wait(), tasks));
}

void papi_run_meanwhile(
	const struct run_list *list, const struct run_result *result, struct run_counters *counters, size_t number)
{
	papi_run_intervals_tick(list, result, counters, number);
	papi_run_tasks_look();
	papi_run_apart_look();
	papi_run_progress_look(list);
}
