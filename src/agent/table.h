/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the agent and the tool that runs a program with it share: a table in memory, which that tool, the collector,
 * makes for each run of a program and the agents of all its processes map. It is a file without a name (memfd_create),
 * and its descriptor is inherited.
 *
 *	head        what to count, and the sums of what has ended
 *	processes   an entry for each that counts, is expected to, or is missing something
 *	owners      of the pages: number of a process and 1; 0: free
 *	threads     of the pages; 0: not known yet; negative: those of one that has ended
 *	pages       the counters of threads, while they run (agent.h)
 *	records     of threads that have ended, where each is wanted
 *
 * What ends is moved from a page into the sums. Who reads both while the program runs sees by two numbers, folds_begun
 * and folds_ended, whether something was moved meanwhile, and reads again.
 *
 * The collector adds the sums and all pages, so nothing has to be told by a process that ends: one that was killed is
 * counted up to the signal. Pages that nobody owns are zero.
 *
 * Each process has one entry for all its life, through all programs that it executes. Before a program is executed its
 * entry says so, with its name and what may keep the agent out of it; the agent of the new program claims the entry. An
 * entry that nobody has claimed when the run ends is a process that is missing from the counts. Entries of processes
 * that have ended, and of which nothing is missing, are used again.
 */
#ifndef PAPI_AGENT_TABLE_H
#define PAPI_AGENT_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "components/vpmu/agent.h"

/* FD,COLLECTOR,ITS_FD,KEY,ENTRY,SERIAL: the table's descriptor; whose it is, too, and under which number there; the key
 * that the table has; and the entry that the program is to claim if it still has that serial. */
#define PAPI_AGENT_TABLE     "PAPI_AGENT_TABLE"
#define PAPI_AGENT_LIBRARY   "libpapi_agent.so"
#define PAPI_AGENT_MAGIC     0x70617674u
#define PAPI_AGENT_PROCESSES 4096
#define PAPI_AGENT_PAGES     4096
#define PAPI_AGENT_RECORDS   32768
/* Descriptors from here on are those that programs least often close, or want for themselves. */
#define PAPI_AGENT_DESCRIPTOR 1100

enum papi_agent_state {
	PAPI_AGENT_FREE,
	PAPI_AGENT_TAKEN,     /* being filled in or freed */
	PAPI_AGENT_EXPECTED,  /* a new process executes next_name, whose agent has yet to come */
	PAPI_AGENT_EXECUTING, /* the same of a process that has counted; its pages hold what it has counted before */
	PAPI_AGENT_COUNTED,
	PAPI_AGENT_ENDED, /* of its own accord; other threads of it may run for another moment */
};

struct papi_agent_process {
	_Atomic uint32_t state, serial;
	_Atomic int32_t pid;
	_Atomic uint32_t number; /* of processes before it, more or less */
	_Atomic uint32_t losses; /* 1: reason is being written; 2: it tells what is missing */
	char name[64];
	char reason[176];
	char next_name[64];
	char next_reason[176]; /* why next_name may have no agent; "": nothing is known against it */
};

/* What a thread has counted; of modelled counters, the first lane. The sums have it, too. */
struct papi_agent_record {
	_Atomic uint32_t written;
	int32_t pid, tid;
	uint32_t process; /* which number it is: with its pid, this tells it from all others */
	char name[64];    /* of the program */
	uint64_t counters[PAPI_AGENT_COUNTERS];
};

struct papi_agent_table {
	uint32_t magic;
	uint64_t key;
	struct papi_agent_plan plan;
	bool by_thread;                         /* records are wanted */
	char agent[512];                        /* path, without what LD_PRELOAD takes for a separator */
	_Atomic uint32_t processes;             /* that there have been */
	_Atomic uint32_t arrived;               /* programs in which the agent has begun */
	_Atomic uint32_t forks;                 /* processes made with a copy of their maker's memory ... */
	_Atomic uint32_t children;              /* ... and those that have heard of it: the others do not count */
	_Atomic uint32_t unlisted;              /* processes without an entry, for there was none left */
	_Atomic uint32_t next_entry, next_page; /* where to look for free ones first */
	_Atomic uint32_t entered;               /* behind the last entry that has ever been taken */
	_Atomic uint32_t folds_begun, folds_ended;
	_Atomic uint64_t sums[PAPI_AGENT_LANES][PAPI_AGENT_COUNTERS];
	struct papi_agent_process entries[PAPI_AGENT_PROCESSES];
	_Atomic uint32_t owners[PAPI_AGENT_PAGES];
	_Atomic int32_t threads[PAPI_AGENT_PAGES];
	_Atomic uint32_t recorded; /* how many were to be: there may be no room for all */
	_Alignas(PAPI_AGENT_PAGE) uint64_t pages[PAPI_AGENT_PAGES][PAPI_AGENT_LANES][PAPI_AGENT_COUNTERS];
	struct papi_agent_record records[PAPI_AGENT_RECORDS];
};

/* ---- in the agent (table.c): safe between two instructions of the program ---- */

extern struct papi_agent_table *papi_agent_table __attribute__((visibility("hidden")));
/* This process; copied by a fork. */
struct papi_agent_own {
	struct papi_agent_process *entry; /* NULL: it does not count */
	int32_t pid;
	_Atomic uint32_t pages; /* that its threads have, or have had */
};
extern struct papi_agent_own papi_agent_own __attribute__((visibility("hidden")));

#pragma GCC visibility push(hidden)

/* A new entry; NULL when there is none left, and that is noted. */
struct papi_agent_process *papi_agent_entry_take(enum papi_agent_state state, int32_t pid, const char *name);
void papi_agent_entry_free(struct papi_agent_process *entry);
/* Something is missing from the counts of that process. The first reason stays. */
void papi_agent_entry_explain(struct papi_agent_process *entry, const char *reason);
/* All that its pages hold goes into the sums, and the pages are free. */
void papi_agent_entry_fold(const struct papi_agent_process *entry);
void papi_agent_text_copy(char *to, size_t size, const char *from);

void *papi_agent_page_take(void);
void papi_agent_page_begin(void *page, int tid);
void papi_agent_counters_add(uint64_t *counters, int tid);
void papi_agent_counter_take_back(unsigned counter, uint64_t number);
void papi_agent_process_fork(void);
void papi_agent_process_leave(void);
void papi_agent_process_lose(const char *reason);

/* exec.c: finds what it calls; before the program runs. */
void papi_agent_exec_begin(int descriptor, int collector, int its_descriptor);

#pragma GCC visibility pop

#endif
