/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The component interface: what the portable engine asks of a substrate.
 *
 * A component knows names of events and can count some of them together. It keeps all its state of one EventSet in a
 * control, a block of control_size zeroed bytes that the engine allocates and hands to every operation. The control
 * holds a list of natives; position k in that list is where values[k] of a read comes from.
 *
 * Rules
 *  - A new substrate is one folder with one struct papi_component and one line in components.c. A component begins with
 *    the operations on names and EventSets; the tables of what it offers besides can wait.
 *  - Operations return PAPI_OK or a negative code with a sentence in the error detail (base/error.h). A conflict is an
 *    answer (PAPI_ECNFLCT), and a failed operation leaves the control as it was.
 *  - One thread at a time is inside a control; the engine sees to that. probe, survey, and the operations on names run
 *    under the library lock.
 *  - start, stop and read are the hot path: no lock, no allocation, at most one system call per group of counters.
 *  - Counts are relative to a baseline that start sets; read with rebase takes the values and makes now the baseline,
 *    in one step, so that no count is lost between. There is no reset of hardware and no write: the engine keeps the
 *    values that PAPI_write() asks for as offsets.
 */
#ifndef PAPI_BASE_COMPONENT_H
#define PAPI_BASE_COMPONENT_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "papi.h"

/* Addresses from start up to, but without, end; both 0: no restriction. */
struct papi_range {
	uintptr_t start, end;
};

static inline bool papi_range_is_set(const struct papi_range *range)
{
	return range->end != 0;
}

/* How an EventSet counts. A component refuses, with the reason, what it cannot do. */
struct papi_options {
	int domain;      /* PAPI_DOM_* bits */
	int granularity; /* PAPI_GRN_* */
	pid_t attach;    /* thread or process to count; 0: the calling thread */
	int cpu;         /* CPU to count whatever runs there; -1: none */
	bool inherit;    /* count threads and processes that the counted one makes, too */
	bool multiplex;  /* share counters over time when there are too few; values are then estimates */
	bool take_turns; /* and let the library do it (struct papi_component_turns) also where the kernel could */
	int turn_ns;     /* how long a turn is, where the library does it */
	/*
	 * Count only accesses to these data, and only what these instructions do. The engine refuses a range unless the
	 * component's info has the bit data_address_range or instr_address_range: who has it, heeds or refuses.
	 */
	struct papi_range data, instructions;
};

/* What a component tells of an overflow: of one, and of those before it that nobody was told of. */
struct papi_overflow {
	uint64_t natives; /* bit k: the native at position k of the control has counted its threshold once more */
	void *address;    /* the instruction that was to blame, or as near as the component can tell */
	uint64_t lost;    /* overflows of these natives that happened, too, and that nothing else is known of */
	bool happened;    /* false: this only tells of lost ones, and there is no address */
};

/* A function like sigaction(2). */
typedef int papi_sigaction(int number, const struct sigaction *action, struct sigaction *old);

/* The counters in the cores of this machine's CPUs. */
enum papi_cpu_counters {
	PAPI_CPU_COUNTERS_NONE,    /* there are none, or nobody reaches them; the reason is in the error detail */
	PAPI_CPU_COUNTERS_REFUSED, /* there may be some, and this process is not allowed to use them */
	PAPI_CPU_COUNTERS_USABLE,
};

/*
 * What a component may offer besides counting: a table for each subject, all of which is optional.
 */

/* Counters that the calling thread can read by itself. */
struct papi_component_direct {
	/*
	 * Where the calling thread can read all counters of a control by itself (core/direct.h): the description, good
	 * until the next operation. NULL: not now. Asked after start and after stop; after stop, it says that the
	 * counters are kept.
	 */
	struct papi_direct *(*describe)(void *control);
	/* Ends that: the control is as after any other stop. */
	void (*let_go)(void *control);
};

/* Reads whose values the program will not see, where that makes a difference. Without this table, read does. */
struct papi_component_unseen {
	int (*read)(void *control, long long values[]); /* for the engine's own comparisons, also in signal handlers */
	int (*rebase)(void *control);                   /* makes now the baseline */
};

/* Multiplexing by the library. Without this table, all natives of a control count all the time. */
struct papi_component_turns {
	/* Whether a control has more natives than can count at once. */
	bool (*needed)(const void *control);
	/*
	 * Called every turn_ns while such a control runs: puts the next of them on the counters. It runs in a signal
	 * handler: it calls the kernel and nothing else, and an error is for the next read to tell. Reads scale the
	 * counts.
	 */
	void (*next)(void *control);
	/* Makes now the baseline, also where a native has had no turn yet and a read would fail. */
	int (*rebase)(void *control);
};

/* Overflow. Without this table, the engine compares counts on a timer. */
struct papi_component_overflow {
	/*
	 * From the next start on, which begins a fresh period, the native at a position overflows with every threshold
	 * counts; 0: no longer. PAPI_ENOSUPP: the engine is to compare counts. When it has overflowed, the component
	 * calls papi_overflow_pending(cookie, ...) (core/overflow.h) in the thread that started the control: from a
	 * signal handler, or from wherever the program can be interrupted as if by one. Positions of armed natives move
	 * with add and remove; those above 63 are never armed.
	 */
	int (*arm)(void *control, unsigned position, long long threshold, int cookie);
	/*
	 * What has happened, which the component keeps until then: up to n, oldest first, the number returned; also
	 * after stop, until the next start. With n 0, whether there are any that happened.
	 */
	unsigned (*fetch)(void *control, struct papi_overflow taken[], unsigned n);
	/* Whether what overflows comes so fast that the component does not tell of each time: the engine has to ask, by
	 * a timer. NULL: never. */
	bool (*polled)(const void *control);
};

/* Around a fork, for a component with locks of its own. prepare comes after the engine has all its locks and is inside
 * all sets, parent and child before it lets go of them. */
struct papi_component_fork {
	void (*prepare)(void);
	void (*parent)(void);
	void (*child)(void);
};

/* For a component that counts by translating the program, and so stands between the program and the processor. */
struct papi_component_translator {
	/*
	 * A start that knows where the program goes on: frame is that of the function that the program has called,
	 * whose return address is one word up. The engine calls it where it has the frame, and the component's start
	 * elsewhere.
	 */
	int (*start)(void *control, void *frame);
	/* The function that changes the actions of signals, for the library itself; NULL: nothing stands there, and
	 * sigaction(2) does. */
	papi_sigaction *(*sigaction)(void);
	/* The calling thread is in a region of that name from now on, as the innermost one; NULL: in none. */
	void (*region)(const char *name);
};

struct papi_component {
	PAPI_component_info_t *info; /* public facts; probe fills what is cheap, survey the rest */
	size_t control_size;

	/* ---- Names ---- */

	/* The name of the event at a position 0, 1, ... of the listing; PAPI_ENOEVNT past the last. */
	int (*event_name)(unsigned position, char *name, size_t size);
	/* From a name to what add wants; PAPI_ENOEVNT with the reason when this machine cannot count it. */
	int (*resolve)(const char *name, void **encoding);
	/* Descriptions, units and the note on what the count is worth. encoding is NULL where resolve failed. */
	int (*describe)(const char *name, const void *encoding, PAPI_event_info_t *info);

	/* ---- EventSets ---- */

	/* Appends a native. */
	int (*add)(void *control, const void *encoding);
	/* Takes the native at a position out; those after it move down. */
	int (*remove)(void *control, unsigned position);
	/* Counts the same natives under other options or, with the same options, from another thread. */
	int (*configure)(void *control, const struct papi_options *options);
	int (*start)(void *control);
	int (*stop)(void *control, long long values[]);
	int (*read)(void *control, long long values[], bool rebase);
	/* Nanoseconds since the baseline that a native should have and really has counted, as of the last read;
	 * counting: the control is running, and the times may be brought up to date. */
	void (*times)(void *control, unsigned position, long long *enabled, long long *running, bool counting);
	/* Forgets all natives and gives every resource back. */
	void (*close)(void *control);

	/* ---- What only some need; NULL: there is nothing to do, or none ---- */

	/* Finds out whether this machine has what the component needs; sets info->disabled and the reason if not. */
	int (*probe)(PAPI_component_info_t *info);
	/* Fills num_native_events, num_cntrs, pmu_names: what takes time and only listings want. */
	void (*survey)(PAPI_component_info_t *info);
	/* Before the first question about names: does what waits for locks of others, as loading a library does for
	 * those that a constructor may hold. No lock is held but the library's, for reading. */
	void (*prepare)(void);
	/* Gives back what probe, survey and resolve hold. No control exists any more. */
	void (*shutdown)(void);
	/* Whether the counters of the CPU's cores can be used, for the component that has them. */
	enum papi_cpu_counters (*cpu_counters)(void);
	/* The names of PMUs by which tables of events are chosen; PAPI_ENOEVNT past the last. */
	int (*pmu_name)(unsigned position, char *name, size_t size);
	/* The event of that name with its unit mask number position; PAPI_ENOEVNT past the last. */
	int (*mask_name)(const char *event, unsigned position, char *name, size_t size);
	/* Gives back what resolve has made. */
	void (*release)(void *encoding);
	/* How far, in bytes, the range of data or of instructions that is really counted starts before the one asked
	 * for, and ends behind it. NULL: it is exact. */
	void (*range_offsets)(const void *control, bool data, int *start, int *end);
	/* In the child of a fork: lets go of what belongs to the parent without disturbing it; stopped afterwards. */
	void (*forked)(void *control);

	/* ---- What the component offers besides ---- */

	const struct papi_component_direct *direct;
	const struct papi_component_unseen *unseen;
	const struct papi_component_turns *turns;
	const struct papi_component_overflow *overflow;
	const struct papi_component_fork *fork;
	const struct papi_component_translator *translator;
};

/* The components compiled in, in the order of their indexes. Component 0 is that of the CPU. */
extern const struct papi_component *const papi_components[];
extern const int papi_component_count;

/* The component of an index; NULL with PAPI_ENOCMP in the detail when there is none. */
const struct papi_component *papi_component_get(int index);

/* The index of the component of that name; PAPI_ENOCMP. */
int papi_component_find(const char *name);

/*
 * Component 0 is the CPU's, to programs. Where another component counts the presets in its place, that is the index of
 * this one: what it counts is the CPU's, too. -1: none does. Under the library lock.
 */
int papi_component_stand_in(void);

/* What the component of the CPU's counters says of them. */
enum papi_cpu_counters papi_component_cpu_counters(void);

/* Where the CPU has no counters and no other component counts the presets in its place: why the one that could does
 * not. NULL otherwise. Changes the detail. */
const char *papi_component_no_stand_in(void);

/* Tells components that translate the program in which region the calling thread is; NULL: in none. */
void papi_component_tell_region(const char *name);

/* PAPI_OK, or PAPI_ECMP_DISABLED with the component's reason in the detail. */
int papi_component_check(const struct papi_component *component);

#endif
