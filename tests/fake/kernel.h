/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A model of the kernel's perf events that stands in the place of papi_perf_kernel: no test needs a PMU or permissions.
 *
 * It keeps a list of events with their groups and answers calls as perf_event_open(2) describes, from a description of
 * the machine that the test gives. Counts and times do not move by themselves: the test moves them, so that it can say
 * which values must come out. Calls are counted, and any of them can be made to fail.
 *
 * Events that overflow have rings of samples and send signals (fake_occur()).
 *
 * Descriptors are numbers that the process does not have open and that are not given out twice, so that use of a closed
 * one is found (misuses). The model takes no lock: what reaches it from several threads must be serialised by the
 * library, and ThreadSanitizer sees whether it is.
 */
#ifndef PAPI_TESTS_FAKE_KERNEL_H
#define PAPI_TESTS_FAKE_KERNEL_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define FAKE_EVENTS 16384 /* that can be opened between two fake_reset() */
#define FAKE_PMUS   8
#define FAKE_FAULTS 4

enum fake_call { FAKE_OPEN, FAKE_READ, FAKE_IOCTL, FAKE_MAP, FAKE_UNMAP, FAKE_CLOSE, FAKE_ANY };

/* A PMU with counters of its own. Software events, breakpoints and tracepoints are always there. */
struct fake_pmu {
	unsigned type;
	unsigned counters;  /* most events in a group; 0: any number */
	bool no_modes;      /* refuses the exclude bits */
	bool wide;          /* counts CPUs only */
	unsigned held;      /* counters that somebody else has: groups that need one of them open, and never run */
	bool no_interrupts; /* refuses events with a sample period */
	unsigned precise;   /* the most of perf_event_attr.precise_ip that it knows; it refuses more */
	int refusal;        /* with that error; 0: EOPNOTSUPP */
};

/* The nth call of a kind from now on fails with the error. */
struct fake_fault {
	enum fake_call call;
	unsigned nth;
	int error;
	unsigned seen;
};

struct fake_event {
	int fd;
	struct perf_event_attr attr;
	pid_t pid;
	int cpu;
	struct fake_event *leader; /* itself, if it leads; followers whose leader is closed lead themselves */
	bool open, enabled;
	bool error; /* a pinned group that found no counters: reads give end of file */
	uint64_t count, enabled_time, running_time;
	struct perf_event_mmap_page *page; /* NULL unless mapped */
	size_t ring;                       /* bytes of samples behind it */
	uint64_t left;                     /* of its sample period */
	bool asynchronous;                 /* samples send the signal to the thread */
	int signal;
	pid_t thread;
};

extern struct fake_kernel {
	/* The machine, for the test to set; all else is for it to look at. */
	struct fake_pmu pmus[FAKE_PMUS];
	bool breakpoints_lost;  /* breakpoints can be opened, and never count */
	bool breakpoints_first; /* their signals come before what they are for is done */
	int paranoid;           /* as perf_event_paranoid binds an ordinary user; -1 allows all */
	bool old_inherit;       /* refuses grouped reads of inherited events, as kernels before 4.13 */
	unsigned most_open;     /* more give EMFILE; 0: no limit */
	bool mappable;          /* events have pages */
	bool trial;             /* enabling a group passes 3 ns, which it runs if the counters of its PMU suffice */
	unsigned watches;       /* breakpoints that a target can have open, 0: any number */
	unsigned stops;    /* on instructions, where these have registers of their own; 0: they share those of data */
	size_t short_read; /* reads give so many bytes; 0: all */
	void (*before_read)(void);
	struct perf_event_mmap_page page; /* what a page holds when it is mapped */

	struct fake_fault faults[FAKE_FAULTS];
	bool fault_hit;
	unsigned calls[FAKE_ANY];
	unsigned n_open, n_mapped;
	unsigned misuses;                      /* calls on descriptors or pages that are not open */
	unsigned without_cloexec;              /* events whose descriptor an exec would leak */
	struct fake_event events[FAKE_EVENTS]; /* in the order of opening, closed ones too */
	unsigned n_events;
} fake;

/* A machine whose cores have four counters, with nothing opened; from now on papi_perf_kernel is the model. */
void fake_reset(void);

/* Forgets the calls counted so far. */
void fake_calls_clear(void);
unsigned fake_calls_all(void);

/* Adds a PMU, or changes that of the same type. */
void fake_pmu_set(struct fake_pmu pmu);
void fake_pmu_remove(unsigned type);

void fake_fail(enum fake_call call, unsigned nth, int error);
void fake_faults_clear(void);

/* The nth (0 is the first) of the open events; NULL if there are not so many. */
struct fake_event *fake_event(unsigned nth);

/* Whether the event is on the counters: it and its leader are enabled. */
bool fake_is_counting(const struct fake_event *event);

/* Time passes for all events that count: the whole of it, and the part that they were on the counters. */
void fake_run(uint64_t enabled, uint64_t running);

/* All events that count advance by the same amount. */
void fake_count(uint64_t amount);

/* An event that counts occurs so often at that address: with each period there is a sample in its ring, as far as there
 * is room, and its signal has been delivered when this returns, if it is the calling thread's. */
void fake_occur(struct fake_event *event, uint64_t times, uint64_t address);

#endif
