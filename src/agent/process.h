/* SPDX-License-Identifier: BSD-3-Clause */
/* This process, as the agent counts it: what agent.c offers to the other ways in. For the agent's own threads; not from
 * signal handlers. */
#ifndef PAPI_AGENT_PROCESS_H
#define PAPI_AGENT_PROCESS_H

#include <stdbool.h>

#include "agent/table.h"

#pragma GCC visibility push(hidden)

/* The entry is this process's from now on. False where there is none. */
bool papi_agent_process_begin(struct papi_agent_process *entry);
/* Lends the engine the pages of the table, for threads that run already. PAPI_OK, or an error with its detail. */
int papi_agent_process_lend(const struct papi_agent_plan *plan);

/* A tool visits the process, and did not start it. */
extern bool papi_agent_visits;

#pragma GCC visibility pop

/* For src/process/, by its name. */
struct papi_agent_visit;
__attribute__((visibility("default"))) void papi_agent_visit(struct papi_agent_visit *visit);

#endif
