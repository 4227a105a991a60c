/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What papi_run and its agent share: the names of variables, and the file that the agents of all processes of one run map
 * and add to. It is a file with a name, as a program may close descriptors that it does not know.
 */
#ifndef PAPI_RUN_AGENT_H
#define PAPI_RUN_AGENT_H

#include <stdatomic.h>
#include <stdint.h>

#define RUN_AGENT_EVENTS     "PAPI_RUN_EVENTS"  /* names, separated by commas */
#define RUN_AGENT_RESULTS    "PAPI_RUN_RESULTS" /* path of the file */
#define RUN_AGENT_LIBRARY    "libpapi_run_agent.so"
#define RUN_AGENT_MAGIC      0x70617669u
#define RUN_AGENT_EVENTS_MAX 256

struct run_agent_results {
	uint32_t magic;
	uint32_t number;            /* of events */
	_Atomic uint32_t started;   /* processes in which an agent counts */
	_Atomic uint32_t ended;     /* of these, those whose counts are in the sums */
	_Atomic uint32_t failed;    /* processes that could not be counted, or not to their end */
	_Atomic uint32_t explained; /* reason is that of the first */
	char reason[512];
	_Atomic int64_t sums[RUN_AGENT_EVENTS_MAX];
};

#endif
