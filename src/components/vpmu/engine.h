/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The engine of the virtual PMU as the component sees it: it moves threads into translated code and keeps their
 * counters.
 *
 * A thread counts from the moment that the function of the library in which papi_vpmu_engine_start() was called returns
 * to the program, until the program calls into the library again and papi_vpmu_engine_stop() is called there. The
 * library's own code runs natively, outside of the count. Counters run on and are never reset: the component keeps
 * baselines.
 *
 * All functions act on the calling thread; none allocates after the first start of a thread.
 */
#ifndef PAPI_VPMU_ENGINE_H
#define PAPI_VPMU_ENGINE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "components/vpmu/agent.h"
#include "components/vpmu/counters.h"

struct papi_vpmu_thread;

/* What a running EventSet needs instrumented. A thread's code has the union of all that it runs. */
struct papi_vpmu_wants {
	uint64_t counters; /* bit 1 << enum papi_vpmu_counter, exact ones */
	unsigned parts;    /* enum papi_vpmu_part: of the simulators, which get what they need to know */
	bool calls;        /* with a profile: it tells of calls, too, and counters has its counters */
	bool contexts;     /* with calls: each by its callers, too */
	uint64_t profile;  /* likewise, exact ones that a profile tells of, by instruction; 0: there is none */
	uint64_t modelled; /* with a profile: likewise, modelled ones */
	uint8_t region;    /* with a profile: in which the thread is; 0: in none */
	bool inherit;      /* threads that the thread makes count, too; into its own counters, once they have ended */
	uint64_t instructions_start, instructions_end; /* count only instructions in [start, end); 0, 0: everywhere */
	uint64_t data_start, data_end;                 /* count only loads and stores of addresses in [start, end) */
	bool overflow;                                 /* somebody wants to know when an event overflows */
	/* Set by the engine: with L1D alone code makes a trace, too, instead of looking whether it hits. */
	bool traces;
	/* With overflow: by how much one more of a counter brings an overflow nearer, for the event that it brings
	 * most. */
	uint16_t weights[PAPI_VPMU_LAST_MODELLED + 1];
};

/*
 * Overflows of an event of a running EventSet. left tells how many events there are to go until the next, from the
 * counters, and 0 or less when it is due: then happened is called, in the thread, with the address of the instruction
 * that was counted last and a ucontext_t of the program's registers at the one that it goes on with, and left is to be
 * positive afterwards. INT64_MAX says that nobody wants to know any more: the overflow is forgotten. The event grows by
 * no more than the weights of the wants say. Rep string instructions overflow once they are done. happened may stop
 * what is running; it has to return. dropped is called once, when the engine has forgotten the overflow, or its thread,
 * and asks and tells nothing any more; where the process is copied by fork, not in the child for other threads than the
 * one that is left. It may come between two instructions of the program, too, and in another thread.
 */
struct papi_vpmu_overflow {
	int64_t (*left)(void *argument, const uint64_t *counters);
	void (*happened)(void *argument, void *pc, void *context);
	void (*dropped)(void *argument);
	void *argument;
};
#define PAPI_VPMU_OVERFLOWS 64 /* of a thread, at most */

/* Whether this machine and process can be translated; if not, the reason is written into reason. */
bool papi_vpmu_engine_probe(char *reason, size_t size);

/* Parts of the simulators that can run here (enum papi_vpmu_part). */
unsigned papi_vpmu_engine_parts(void);

/* What changes actions of signals in place of sigaction(2), for the library; NULL while no thread has been counted. */
typedef int papi_vpmu_sigaction(int number, const struct sigaction *action, struct sigaction *old);
papi_vpmu_sigaction *papi_vpmu_engine_sigaction(void);

/* PAPI_OK, or a code with its sentence: PAPI_ENOMEM, PAPI_ECMP. */
/* frame: of the function of the library that the program has called, or NULL. With it, the rest of the library that is
 * still to run need not be translated to find the way back. */
int papi_vpmu_engine_start(const struct papi_vpmu_wants *wants, void *frame);
void papi_vpmu_engine_stop(const struct papi_vpmu_wants *wants);
/* The same for the thread of that papi_thread_number(), by another: it goes on translated until it next starts or
 * stops. */
void papi_vpmu_engine_abandon(uint32_t number);

/* To be called right before papi_vpmu_engine_start() of the EventSet whose events are to overflow, which adds overflow
 * and weights to the wants; forgotten by papi_vpmu_engine_stop(), all those of the same argument. PAPI_ENOMEM: too
 * many. */
int papi_vpmu_engine_overflow(const struct papi_vpmu_overflow *overflow);
void papi_vpmu_engine_forget_overflow(const void *argument);

/*
 * The counters of the calling thread, PAPI_VPMU_COUNTERS of them, up to date. NULL when it has never started.
 * lost is set to the reason when counting had to end before it was stopped (counts would be wrong), NULL otherwise.
 */
const uint64_t *papi_vpmu_engine_counters(const char **lost);

/* Code that is not counted, like the library's own: that of an agent, which calls the library for the program.
 * PAPI_ENOMEM: there are too many such. */
int papi_vpmu_engine_exclude(uint64_t start, uint64_t end);

/* How many signal handlers of the program have run translated in the calling thread. */
uint64_t papi_vpmu_engine_interruptions(void);

/* In the child of a fork: the child runs natively, nothing is started in it. Again in the same process, nothing
 * happens. */
void papi_vpmu_engine_forked(void);

/*
 * An agent (agent.h) counts the process: the counters of threads that begin from now on lie in its pages, and all
 * threads that a counting one makes count for it, modelled events too, whether an EventSet of the program inherits them
 * or not.
 */
void papi_vpmu_engine_lend(const struct papi_agent *agent);
bool papi_vpmu_engine_is_lent(void);
/* Before anything is started with a profile: makes its files in that directory (profile_log.h). contexts: of calls by
 * their callers, so many at most. modelled: and of these, which simulators count. PAPI_ECMP, with the reason. */
int papi_vpmu_engine_profile(const char *directory, uint64_t counters, uint32_t contexts, uint64_t modelled);
/* The calling thread is in that region from now on, NULL: in none; where there is a profile, that tells of it. */
void papi_vpmu_engine_region(const char *name);
/* The calling thread's counters become a new page of the agent's, if they are in none. */
void papi_vpmu_engine_borrow(void);
/* What the calling thread has traced goes through its simulators now. */
void papi_vpmu_engine_settle(void);

/* ---- threads that somebody else has stopped (agent.h, papi_agent_enter() and what follows it) ---- */

/* To be called before they are stopped: afterwards neither libc's locks nor the dynamic linker's are needed. */
int papi_vpmu_engine_prepare(void);
int papi_vpmu_engine_enter_at(const struct papi_vpmu_wants *wants, struct papi_agent_moved *moved);
int papi_vpmu_engine_leave_at(struct papi_agent_moved *moved);
void papi_vpmu_engine_retreat(void);
unsigned papi_vpmu_engine_inside(void);
/* The agent's pages are given back, and there is no agent any more. */
void papi_vpmu_engine_give_back(void);

#endif
