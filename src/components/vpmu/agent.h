/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Between the library and papi_run. An agent inside a program counts the whole process for somebody outside (the
 * collector): from papi_agent_start() on all threads, those to come included. It needs no EventSet, no name of an event
 * and no PAPI_library_init(): the collector has worked out what to instrument, and turns counters into values.
 *
 * The counters of each thread lie in a page that the agent lends. It is memory shared with the collector, so that what
 * was counted is there whatever becomes of the process. A page holds PAPI_AGENT_LANES times PAPI_AGENT_COUNTERS
 * numbers of 64 bits. Of the first PAPI_AGENT_EXACT counters the sum of the lanes is what counts; of the others, the
 * modelled ones, the first lane, and the lanes behind it hold parts of that (models/sampled.h).
 *
 * These functions are exported for papi_run and its agent alone, and are no part of the interface.
 */
#ifndef PAPI_VPMU_AGENT_H
#define PAPI_VPMU_AGENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAPI_AGENT_COUNTERS 64
#define PAPI_AGENT_EXACT    34
#define PAPI_AGENT_LANES    8
#define PAPI_AGENT_PAGE     4096

/*
 * What the agent does for the engine. All are called between two instructions of the program, with its signals put off:
 * they change no vector register, call nothing of libc, and wait for nobody.
 */
struct papi_agent {
	/*
	 * A page of zeros for the counters of a thread, and then for those of others when it has ended; NULL when there
	 * is none left: its counters are then the process's own.
	 */
	void *(*take)(void);
	/* That page is that thread's from now on; negative: its own last instructions may still be counted there. */
	void (*begin)(void *page, int tid);
	/* A thread has ended: adds its counters up, lane by lane, and zeroes them. */
	void (*add)(uint64_t *counters, int tid);
	/* So much of a counter, an exact one or the first lane of a modelled one, is in two pages. */
	void (*take_back)(unsigned counter, uint64_t number);
	/* The process has made another one with a copy of its memory. */
	void (*fork)(void);
	/* The process is about to end itself. */
	void (*leave)(void);
	/* Something is not counted from now on, and why. */
	void (*lose)(const char *reason);
};

/* What has to be instrumented. */
struct papi_agent_plan {
	uint64_t counters; /* a bit for each exact one */
	unsigned parts;    /* of the simulators, for modelled ones: enum papi_vpmu_part */
	/* Likewise of exact ones that a profile is made of, instead (profile_log.h); 0: there is none. In that
	 * directory, each process makes its files. */
	uint64_t profile;
	uint64_t modelled; /* likewise; a profile tells of them */
	bool calls;        /* with a profile of few counters: it tells of calls, too */
	uint32_t contexts; /* with calls: of calls by their callers, so many at most; 0: by their places */
	char directory[512];
	bool clock_unseen; /* the kernel's code in the program, which reads the clock, is not counted */
	/* PAPI_VPMU_CACHE and PAPI_VPMU_MODEL of the collector: a program may be given another environment. */
	char caches[512], model[16];
};

/*
 * A thread of this process that a tool has stopped, and what it is to go on with. The tool fills it in from the
 * kernel's words and puts it back there; registers are in the order in which the processor numbers them, on arm64 with
 * the stack pointer as the last. An interrupted system call is to be made again: pc is that of its instruction.
 */
struct papi_agent_moved {
	uint64_t thread_pointer; /* from where its thread-local variables count */
	uint64_t base;           /* of gs, on x86-64 */
	uint64_t mask;           /* of signals */
	uint64_t pc, flags, registers[32];
};

#define PAPI_AGENT_EXPORTED __attribute__((visibility("default")))

/* ---- for the collector: of an EventSet that holds virtual events only, and does not count ---- */

PAPI_AGENT_EXPORTED int papi_agent_plan(int eventset, struct papi_agent_plan *plan);
/* The caches that are modelled, as the text of PAPI_VPMU_CACHE with every part named; whether a choice of sets stands
 * for all. False where PAPI_VPMU_CACHE or PAPI_VPMU_MODEL makes no sense. */
PAPI_AGENT_EXPORTED bool papi_agent_geometry(char *text, size_t size, bool *sampled);
/* The values of its events, in their order, from the sums of all pages, by lanes. intervals, unless NULL: how far from
 * the value that of the full models may be, and is 19 times in 20; 0 for what is no estimate. */
PAPI_AGENT_EXPORTED int papi_agent_values(int eventset, uint64_t counters[PAPI_AGENT_LANES][PAPI_AGENT_COUNTERS],
	long long values[], long long intervals[]);

/* ---- for the agent ---- */

/* Once: agent is used as long as the process lives. Code in [start, end) is the agent's own and is not counted. */
PAPI_AGENT_EXPORTED int papi_agent_lend(const struct papi_agent *agent, uint64_t start, uint64_t end);
/* Counts the calling thread from the return on, and all threads that it makes. */
PAPI_AGENT_EXPORTED int papi_agent_start(const struct papi_agent_plan *plan);
/* In the child of a fork, before papi_agent_start(): it runs natively, and its counters are new ones. */
PAPI_AGENT_EXPORTED void papi_agent_forked(void);
/* Brings the calling thread's modelled counters up to date, for it may be about to end. */
PAPI_AGENT_EXPORTED void papi_agent_settle(void);

/* ---- for an agent in a process that runs already, in a thread of its own that blocks its signals ---- */

/* Lends, until papi_agent_end(), and makes all ready for papi_agent_enter(): no thread may be stopped. */
PAPI_AGENT_EXPORTED int papi_agent_begin(
	const struct papi_agent *agent, const struct papi_agent_plan *plan, uint64_t start, uint64_t end);
/*
 * The stopped thread will be counted, and so will all that it makes, when it goes on as moved then says. PAPI_EISRUN:
 * it is counted already. PAPI_ECNFLCT, with the reason: not at this moment, and later perhaps.
 */
PAPI_AGENT_EXPORTED int papi_agent_enter(const struct papi_agent_plan *plan, struct papi_agent_moved *moved);
/* The opposite. PAPI_ENOTRUN: it is not counted. */
PAPI_AGENT_EXPORTED int papi_agent_leave(struct papi_agent_moved *moved);
/* Nobody is there to stop threads any more: each goes native by itself, when it next runs. */
PAPI_AGENT_EXPORTED void papi_agent_retreat(void);
/* How many threads are in translated code, or on the way there or back. */
PAPI_AGENT_EXPORTED unsigned papi_agent_inside(void);
/* All counters are handed in, and the agent's pages are not used any more. Nobody is inside. */
PAPI_AGENT_EXPORTED void papi_agent_end(void);

#endif
