/* SPDX-License-Identifier: BSD-3-Clause */
/* visit_none.c - in place of visit.c, in builds without libdw. */
#include <stddef.h>

#include "visit.h"

bool papi_visit_open(pid_t pid, void (*say)(const char *format, ...), const char **reason)
{
	(void)pid;
	(void)say;
	*reason = "this build cannot enter a process that runs already: it was made without libdw (libdw-dev)";
	return false;
}

bool papi_visit_begin(int table, const char *agent, const char **reason)
{
	(void)table;
	(void)agent;
	*reason = "";
	return false;
}

void papi_visit_look(void)
{
}

pid_t papi_visit_thread(pid_t there)
{
	return there;
}

char *papi_visit_end(const char *more)
{
	(void)more;
	return NULL;
}

void papi_visit_close(void)
{
}
