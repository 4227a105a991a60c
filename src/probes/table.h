/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What papi_probe and the code that it puts into a program share: a table of counts in memory, and a letter box.
 *
 * The runtime, a shared library in the program, makes the table when it is asked to: a file without a name, which the
 * tool takes over (pidfd_getfd) and reads while the program runs. A row is a thread's, which alone writes to it.
 *
 *	head     what is counted
 *	rows     whose they are
 *	counts   of each row, a struct papi_probe_counts for each function
 *
 * Through the letter box, a struct in the program's memory, the tool says what is to be done next, and reads the
 * answer.
 * While the program runs nobody needs it.
 */
#ifndef PAPI_PROBES_TABLE_H
#define PAPI_PROBES_TABLE_H

#include <linux/perf_event.h>
#include <stdatomic.h>
#include <stdint.h>

#define PAPI_PROBE_LIBRARY "libpapi_probes.so"
/* A descriptor to which the runtime writes where its letter box is, when papi_probe starts the program. */
#define PAPI_PROBE_TOOL      "PAPI_PROBE_TOOL"
#define PAPI_PROBE_FUNCTION  "papi_probe_visit"
#define PAPI_PROBE_MAGIC     0x70617062u
#define PAPI_PROBE_ROWS      512
#define PAPI_PROBE_FUNCTIONS (1u << 16)

#define PAPI_PROBE_EVENTS 4
#define PAPI_PROBE_VALUES (1 + PAPI_PROBE_EVENTS)

/* Of one function in one thread: of time, in ticks of the processor's clock, or of an event. */
struct papi_probe_value {
	uint64_t inclusive, exclusive; /* inclusive: a function that calls itself counts once */
	uint64_t sum, least, most;     /* of single calls */
};

struct papi_probe_counts {
	uint64_t calls;
	uint64_t returns; /* calls that have ended, and are in the values */
	uint64_t untimed; /* calls that nothing else is known of */
	uint64_t left;    /* of the returns: by an exception or longjmp, seen when the thread came by */
	uint64_t unread;  /* of the returns: without events */
	struct papi_probe_value values[PAPI_PROBE_VALUES];
};

struct papi_probe_row {
	_Atomic int32_t pid, tid;
	_Atomic uint32_t shared; /* by threads one after the other: so many more than one */
};

struct papi_probe_table {
	uint32_t magic, n_functions;
	_Atomic uint32_t enabled;
	uint32_t calls_only; /* no times, so that no return is looked at */
	uint32_t n_events;   /* that each thread opens, and reads at each call and return */
	struct perf_event_attr events[PAPI_PROBE_EVENTS];
	_Atomic uint32_t unopened; /* threads that could not */
	_Atomic int32_t error;     /* why not, the last time: a negated errno */
	_Atomic uint32_t next_row;
	_Atomic uint64_t unseen; /* calls of threads for which there was no row */
	struct papi_probe_row rows[PAPI_PROBE_ROWS];
	_Alignas(4096) struct papi_probe_counts counts[];
};

static inline uint64_t papi_probe_table_size(uint32_t n_functions)
{
	return sizeof(struct papi_probe_table) +
		(uint64_t)PAPI_PROBE_ROWS * n_functions * sizeof(struct papi_probe_counts);
}

static inline struct papi_probe_counts *papi_probe_counts_at(
	struct papi_probe_table *table, uint32_t row, uint32_t function)
{
	return &table->counts[(uint64_t)row * table->n_functions + function];
}

/* The clock by which calls are timed. */
static inline uint64_t papi_probe_ticks(void)
{
#ifdef __aarch64__
	uint64_t ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
#else
	return __builtin_ia32_rdtsc();
#endif
}

/* ---- the letter box ---- */

enum papi_probe_order {
	PAPI_PROBE_TABLE, /* number: how many functions; the answer is the table's descriptor */
	PAPI_PROBE_CLOSE, /* the tool has that descriptor: number */
	PAPI_PROBE_MAP,   /* size bytes at address, for code */
	PAPI_PROBE_QUIET, /* no thread keeps a counter open */
	PAPI_PROBE_DONE,  /* nothing more is to come */
};

#define PAPI_PROBE_AREAS 256

/*
 * Memory for trampolines. It begins with a struct papi_probe_patches: so a tool can take out what another one that was
 * killed has left, and use trampolines again, which stay where they are, for a thread may be in them.
 */
struct papi_probe_area {
	uint64_t address, size;
};

struct papi_probe_patch {
	uint64_t address;
	unsigned char bytes[8]; /* what was there before */
	uint32_t trampoline;    /* how far behind the area's beginning */
	uint32_t number;        /* of the function: the trampoline reads it */
	uint32_t is_in;
	int32_t saved; /* of arm64: where the function saves its return address, from its frame's address on; or 0 */
};

struct papi_probe_patches {
	uint64_t enter; /* what trampolines call */
	uint64_t n;
	int64_t tool; /* the process that has used it last */
	struct papi_probe_patch patches[];
};

struct papi_probe_visit {
	uint64_t memory, memory_size;     /* as src/process/ wants it; 0 in programs that papi_probe has started */
	_Atomic uint32_t asked, answered; /* the orders' numbers, from 1 on */
	uint32_t order, number;
	uint64_t address, size;
	int64_t answer; /* below 0: a negated errno */
	/* What the runtime says of itself: what trampolines call, where its list of areas is, and how many they are. */
	uint64_t enter, areas, n_areas;
	int32_t pid; /* once it is there */
};

#endif
