/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program for two to count: witness count counts its functions itself and prints a line for each; witness run NAME
 * TIMES only runs one of them, for another to count.
 */
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "region.h"
#include "virtual.h"
#include "witness_subjects.h"

static const char *const events[] = {
	"vpmu:::INSTRUCTIONS",
	"vpmu:::LOADS",
	"vpmu:::STORES",
	"vpmu:::BRANCHES_CONDITIONAL",
	"vpmu:::BRANCHES_TAKEN",
	"vpmu:::L1D_READ_MISSES",
	"vpmu:::L1D_WRITE_MISSES",
};

#define EVENTS_HERE ((int)(sizeof(events) / sizeof(events[0])))

static void count_one(int set, const struct subject *subject)
{
	long long counts[EVENTS_HERE] = { 0 };

	subject->prepare();
	region(set, counts, subject->run, NULL);
	counts[0] -= 2;
	counts[2] -= 1;
	printf("%s", subject->name);
	for (int i = 0; i < EVENTS_HERE; i++)
		printf(" %lld", counts[i]);
	printf("\n");
}

static int count_all(void)
{
	int set = PAPI_NULL;

	if (!virtual_begin())
		return 77;
	if (PAPI_create_eventset(&set) != PAPI_OK)
		return 1;
	for (int i = 0; i < EVENTS_HERE; i++)
		if (PAPI_add_named_event(set, events[i]) != PAPI_OK) {
			printf("%s: %s\n", events[i], PAPI_error_detail());
			return 1;
		}
	for (size_t i = 0; i < n_subjects; i++)
		count_one(set, &subjects[i]);
	return 0;
}

/* Data is made anew each time, so that another time is the same work. */
static int run_times(const char *name, long times)
{
	for (size_t i = 0; i < n_subjects; i++)
		if (!strcmp(subjects[i].name, name)) {
			subjects[i].prepare();
			for (long n = 0; n < times; n++)
				subjects[i].run(NULL);
			return 0;
		}
	return 1;
}

int main(int count, char **arguments)
{
	if (count == 2 && !strcmp(arguments[1], "count"))
		return count_all();
	if (count == 4 && !strcmp(arguments[1], "run"))
		return run_times(arguments[2], strtol(arguments[3], NULL, 10));
	printf("witness count | witness run NAME TIMES\n");
	return 2;
}
