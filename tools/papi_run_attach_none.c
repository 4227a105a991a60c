/* SPDX-License-Identifier: BSD-3-Clause */
/* In place of papi_run_attach.c where papi_run was built without libdw. */
#include "papi_run.h"

bool papi_run_attach_begin(struct run_list *list, struct run_result *result, pid_t pid)
{
	(void)result;
	(void)pid;
	papi_run_virtual_refuse(list,
		"papi_run was built without libdw (Debian: libdw-dev), by which it finds where a process that "
		"runs already can be entered: let papi_run start the program");
	return false;
}

void papi_run_attach_look(void)
{
}

void papi_run_attach_end(struct run_list *list, struct run_result *result, long long elapsed_ns)
{
	(void)list;
	(void)result;
	(void)elapsed_ns;
}
