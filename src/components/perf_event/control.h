/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The counters of one EventSet.
 *
 * Native k of the control is counted by one counter, or by several where the EventSet has several targets (the CPUs of
 * the system, the packages of an uncore PMU); its count is their sum. Counters live in groups; the first counter of a
 * group is its leader, and the order of counters is the order of values in the kernel's grouped read.
 *
 * A control is open or closed as a whole. Closed, it knows its natives and options and has no descriptor: so it is
 * after a fork, and after a reopening that failed; start opens it again.
 */
#ifndef PAPI_PERF_CONTROL_H
#define PAPI_PERF_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/component.h"
#include "components/perf_event/encoding.h"
#include "components/perf_event/user_read.h"
#include "core/direct.h"
#include "core/way.h"

struct papi_perf_counter {
	int fd;
	unsigned native; /* position in the control */
	uint64_t base;   /* raw count at the baseline */
	uint64_t offset; /* what the kernel adds to the hardware counter, where control.direct describes that */
	uint64_t least;  /* multiplexed: the last estimate since the baseline */
	const struct perf_event_mmap_page *page; /* for reads from user space; NULL: only through the kernel */
};

/* What a group of a multiplexed set may have to share with others, by turns (multiplex.h). */
enum papi_perf_resource {
	PAPI_PERF_NOTHING,  /* the kernel's software events count all the time; the others are left to the kernel */
	PAPI_PERF_COUNTERS, /* those of a PMU */
	PAPI_PERF_WATCHES,  /* breakpoints on data */
	PAPI_PERF_STOPS,    /* breakpoints on instructions, where these do not have those of data */
};

struct papi_perf_group {
	pid_t pid;
	int cpu;
	unsigned pmu;   /* type of the PMU with counters of its own in this group, PERF_TYPE_SOFTWARE: none yet */
	bool grouped;   /* read with PERF_FORMAT_GROUP; else it has one counter */
	bool user_read; /* every counter has a page */
	bool waiting;   /* multiplexed: it is not its turn; a breakpoint then has no descriptor */
	enum papi_perf_resource resource;
	unsigned n, capacity;
	uint64_t enabled_base, running_base; /* times at the baseline */
	uint64_t enabled, running;           /* and between the last two baselines, or since the last */
	struct papi_perf_counter *counters;
	uint64_t *buffer; /* what the kernel's read fills: 3 + capacity words */
};

struct papi_perf_control {
	struct papi_options options;
	struct papi_perf_encoding **natives;
	unsigned n_natives, n_groups;
	struct papi_perf_group *groups;
	long long *scratch;            /* n_natives counts: one group of several */
	struct papi_perf_rotas *rotas; /* multiplexed: who takes turns with whom; NULL: to be found out by start */
	struct papi_perf_sampling *sampling; /* natives that overflow (sampling.h); NULL: none */
	bool open;
	bool mapped;     /* pages have been asked for since the last change */
	bool enabled;    /* in the kernel: it runs, or is kept (direct.h) */
	unsigned n_runs; /* since it was opened, up to 2 */
	bool some_cores; /* counts on some kinds of cores only: that it never ran may be right */
	/*
	 * How the engine's calls go on here (core/way.h). The short way is one system call on a descriptor: for one
	 * group of the calling thread that the kernel reads. The direct way begins as the full one, by describing it.
	 */
	enum papi_way way;
	int leader;                 /* the descriptor of the short way */
	bool moved;                 /* has counted since the baseline though it was stopped: start finds a new one */
	uint32_t thread;            /* papi_thread_number() of whoever opened it: pages are good for that thread only */
	struct papi_direct *direct; /* how its thread reads it; NULL: only as user_read.h has it */
	struct papi_user_clock clock; /* how to tell the times of direct.h */
};

/* Operations of the component (base/component.h). */
int papi_perf_add(void *control, const void *encoding);
int papi_perf_remove(void *control, unsigned position);
int papi_perf_configure(void *control, const struct papi_options *options);
void papi_perf_close(void *control);
void papi_perf_forked(void *control);
int papi_perf_start(void *control);
int papi_perf_stop(void *control, long long values[]);
/* After a failure nobody knows what the counters have counted: new ones, now or, if that fails too, by the next
 * start. The error stays as it is. */
void papi_perf_open_anew(struct papi_perf_control *control);
int papi_perf_read(void *control, long long values[], bool rebase);
void papi_perf_times(void *control, unsigned position, long long *enabled, long long *running, bool counting);

/* Why a read gave got bytes instead of size. */
int papi_perf_read_failed(ssize_t got, size_t size);

/* Opens all natives of a closed control. */
int papi_perf_control_open(struct papi_perf_control *control);

/* What a native that is a breakpoint is opened with. */
struct perf_event_attr papi_perf_breakpoint_attr(const struct papi_perf_control *control, unsigned native);

/* A group more, without counters; NULL when there is no memory. Pointers to other groups are not good any more. */
struct papi_perf_group *papi_perf_group_make(struct papi_perf_control *control, pid_t pid, int cpu, bool grouped);
/* A counter more at the end of a group. PAPI_ENOMEM. */
int papi_perf_group_append(struct papi_perf_group *group, int fd, unsigned native);

/* Asks for the pages that reads from user space need, where they can be of use. Never fails: read(2) always works. */
void papi_perf_control_map(struct papi_perf_control *control);

#endif
