/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the agent and a tool say to each other while the agent visits a process that runs already.
 *
 * The tool loads the agent by src/process/, and leaves a struct papi_agent_visit in its memory. The agent's thread
 * makes two connected sockets and writes the number of one of them there; the tool takes it over (pidfd_getfd, which
 * asks for the same permission as what it has done so far), so nobody else can ever talk to the agent, and neither
 * names nor files are needed. Then the tool asks and the agent answers, a packet each. When the tool is gone the agent
 * sees the end of the connection: threads go native by themselves.
 */
#ifndef PAPI_AGENT_VISIT_H
#define PAPI_AGENT_VISIT_H

#include <stdatomic.h>
#include <stdint.h>

#include "components/vpmu/agent.h"

#define PAPI_AGENT_VISIT_FUNCTION "papi_agent_visit"
#define PAPI_AGENT_VISIT_THREAD   "papi_agent"      /* its name ... */
#define PAPI_AGENT_VISIT_ENDS     "papi_agent_ends" /* ... when its tool is gone, until it is, too */

enum { PAPI_AGENT_VISIT_BEGINS, PAPI_AGENT_VISIT_READY, PAPI_AGENT_VISIT_FAILED };

struct papi_agent_visit {
	uint64_t memory, memory_size; /* to be unmapped when it ends */
	_Atomic uint32_t state;
	int32_t descriptor; /* the tool's end */
};

enum papi_agent_request_kind {
	PAPI_AGENT_BEGIN, /* with the descriptor of a table; the answer is the number of the agent's thread, in there */
	PAPI_AGENT_ENTER, /* a thread that is stopped */
	PAPI_AGENT_LEAVE, /* likewise */
	PAPI_AGENT_INSIDE,  /* number: how many threads are */
	PAPI_AGENT_END,     /* all counts go into the table's sums; the agent's thread ends */
	PAPI_AGENT_RETREAT, /* threads that run leave by themselves, as soon as they can */
};

struct papi_agent_request {
	uint32_t kind;
	int32_t process; /* PAPI_AGENT_BEGIN: its number where the tool is, which may be another in a container */
	struct papi_agent_moved moved;
};

struct papi_agent_reply {
	int32_t status; /* PAPI_OK or an error, with its reason */
	uint32_t number;
	struct papi_agent_moved moved;
	char reason[256];
};

#endif
