/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Regions: PAPI_hl_region_begin() and its kin.
 *
 *	regions.c   the four functions: begin, read, end, stop
 *	tree.c      the regions of a thread, found by name; what each has counted
 *	marks.[ch]  which region a thread is in, for those who sample it
 *	threads.c   the records of all threads; threads that end, fork
 *	events.c    which events; the EventSet of a thread
 *	metrics.c   groups of metrics over these events
 *	run.c       which process of which job this is: rank and name of the run
 *	sites.[ch]  PAPI_HL_BEGIN and PAPI_HL_END, which cost an instruction until somebody looks
 *	json.c      the text of a result
 *	report.c    the same for a terminal
 *	output.c    where it is written: a new directory for each run, whole files only
 *
 * Every thread has a record with an EventSet of its own that counts from its first region until the thread ends or
 * calls PAPI_hl_stop(). A region is a name inside another region of the thread, or at the top: a tree, so that the
 * same name called from two places is two regions. Begin keeps what the counters show, end adds the difference: one
 * read of the set each, nothing in the kernel changes, and EventSets of the program can run at the same time.
 *
 * A record belongs to its thread. The thread that writes the results, any one at exit(), looks into all of them; so
 * both take the record's lock, one compare-and-swap that the thread nearly always finds free. Records outlive their
 * threads. The list of them is under a mutex that only the first region of a thread, its end and writing take.
 *
 * The child of a fork leaves its parent's records to the parent and starts with none.
 */
#ifndef PAPI_REGIONS_REGIONS_H
#define PAPI_REGIONS_REGIONS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/claim.h"
#include "papi.h"

/* ---- Sums (tree.c) ---- */

/* Reads within one instance of a region that are kept; further ones are refused. */
#define PAPI_REGION_READS 1000

/* Regions open in one thread at once. */
#define PAPI_REGION_DEPTH 10000

/* What the instances of a region, or their first k-th reads, add up to. */
struct papi_region_sums {
	unsigned long long instances;
	unsigned long long uncounted; /* of them, those whose counters could not be read */
	long long real_ns;
	long long *values; /* one per event */
};

struct papi_region {
	char *name;
	size_t length;
	uint64_t hash;
	int parent;                     /* position in the tree, -1: none */
	unsigned long long unfinished;  /* instances in the sums that something else than their end has ended */
	struct papi_region_sums sums;   /* of all instances */
	struct papi_region_sums *reads; /* of all k-th reads */
	unsigned n_reads;
};

/* An instance that has begun and not ended. */
struct papi_region_open {
	int region;
	bool counted;
	unsigned n_reads;
	long long real_ns; /* at its beginning */
};

struct papi_region_tree {
	unsigned n_events;
	const bool *instant; /* per event: its last value counts, and not what it grows by */
	struct papi_region *regions;
	unsigned n, capacity;
	int *table; /* hash table of positions, -1: free; its size is a power of two */
	unsigned table_size;
	struct papi_region_open *open;
	unsigned depth, open_capacity;
	long long *starts; /* n_events for each of open */
};

/* A moment: clock and counters. */
struct papi_region_moment {
	long long real_ns;
	const long long *values; /* NULL: the counters could not be read */
};

/* The region of that name inside the innermost open one, made if there is none. -1: no memory, in the detail. */
int papi_region_find(struct papi_region_tree *tree, const char *name);
/* Room for one more open instance. False: no memory, or too deep, in the detail. */
bool papi_region_make_room(struct papi_region_tree *tree);
/* Opens an instance where there is room; its counters are to be put into values. */
struct papi_region_open *papi_region_open(struct papi_region_tree *tree, int region, long long **values);
/* The position in open of the innermost open region of that name, -1. */
int papi_region_position(const struct papi_region_tree *tree, const char *name);
/* Ends everything open from that position on. finished: not by accident. */
void papi_region_close(
	struct papi_region_tree *tree, unsigned position, const struct papi_region_moment *now, bool finished);
/* Records a read of the instance at a position. */
int papi_region_record(struct papi_region_tree *tree, unsigned position, const struct papi_region_moment *now);
/* A copy with all open instances ended, as unfinished ones. False: no memory. The names are not copied. */
bool papi_region_tree_copy(
	struct papi_region_tree *copy, const struct papi_region_tree *tree, const struct papi_region_moment *now);
void papi_region_tree_free_copy(struct papi_region_tree *copy);
void papi_region_tree_free(struct papi_region_tree *tree);

/* ---- Events (events.c) ---- */

struct papi_region_event {
	char *name;
	bool instant;
	int component;    /* index */
	char units[32];   /* "" for plain counts */
	const char *kind; /* what its counts are worth: doc/regions.md */
	bool of_metric;   /* nobody has named it: a group of PAPI_METRICS needs it */
};

struct papi_region_refusal {
	char *name, *reason;
};

struct papi_region_events {
	struct papi_region_event *events;
	unsigned n;
	struct papi_region_refusal *refused; /* that the user has asked for */
	unsigned n_refused;
	bool *instant; /* per event, for trees */
	bool multiplex, chosen;
	bool slowed; /* events are counted by translation, so times are longer than those of the program alone */
};

/* Chosen by the first thread; not changed afterwards. */
extern struct papi_region_events papi_region_events __attribute__((visibility("hidden")));

/* The first time, with the lock of the records held: chooses the events of the process. */
int papi_region_events_choose(void);
/* Makes and starts an EventSet with them for the calling thread. PAPI_NULL and PAPI_OK when there are no events. */
int papi_region_events_start(int *EventSet);
void papi_region_events_discard(int *EventSet);
void papi_region_events_free(void);

/* ---- Metrics (metrics.c) ---- */

/* The groups of PAPI_METRICS: add() is called for each event that they need, and may not enter the library. */
int papi_region_metrics_choose(int (*add)(const char *event));
void papi_region_metrics_free(void);
/* Into the results, when no lock of the library is held; nothing where no group was asked for. */
void papi_region_metrics_put_definitions(FILE *stream);
void papi_region_metrics_put(FILE *stream, const struct papi_region *region);

/* ---- Threads (threads.c) ---- */

struct papi_region_thread {
	_Alignas(64) _Atomic uint32_t inside; /* papi_thread_number() of who is, 0: nobody */
	_Atomic bool wanted;                  /* by somebody who waits to be inside */
	int EventSet;                         /* PAPI_NULL: nothing is counted */
	bool started;                         /* an EventSet was made, or cannot be */
	bool changed;                         /* since the results were written */
	bool ended;
	pid_t id;
	char *reason;   /* why nothing is counted in this thread alone, NULL: none */
	long long *now; /* scratch, a value per event */
	struct papi_region_tree tree;
	struct papi_region_thread *next;
};

/* The record of the calling thread, NULL if it has none. */
extern _Thread_local struct papi_region_thread *papi_region_own
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Makes the record of the calling thread and starts its counters. */
int papi_region_thread_make(void);
/* Starts them again after PAPI_hl_stop() or PAPI_shutdown(); inside the record. */
int papi_region_thread_start(struct papi_region_thread *thread);
/* Ends what is open and gives the EventSet back; inside the record, by its thread. */
void papi_region_thread_stop(struct papi_region_thread *thread);

/* PAPI_OK and inside the record; PAPI_ECNFLCT in a signal handler that interrupted a call on it. */
int papi_region_thread_enter(struct papi_region_thread *thread);
static inline void papi_region_thread_leave(struct papi_region_thread *thread)
{
	papi_claim_end(&thread->inside);
}

/* The counters as of now, into thread->now. PAPI_OK, or why there are no values. */
int papi_region_thread_read(struct papi_region_thread *thread, struct papi_region_moment *now);

/* ---- Marks (marks.c), where somebody samples the program ---- */

/* The calling thread is in a region of that name from now on; NULL: in none. */
void papi_region_mark(const char *name);
/* It ends. */
void papi_region_marks_end(void);
/* In the child of a fork. */
void papi_region_marks_forked(void);

/* ---- Results ---- */

/* The results that are written: copies of all records, in the order in which their threads had the first region. */
struct papi_region_result {
	struct papi_region_result_thread {
		pid_t id;
		char *reason;
		bool changed;
		struct papi_region_tree tree;
	} * threads;
	unsigned n;
	bool changed; /* since the last time */
};

/* False: no memory. The records stay locked in the list until the copy is freed (threads.c). */
bool papi_region_result_take(struct papi_region_result *result);
void papi_region_result_free(struct papi_region_result *result, bool written);

/* run.c: found out by the first region of the process. */
struct papi_region_run {
	char directory[4096]; /* where runs are kept: absolute */
	char name[64];        /* of the directory of this run */
	long rank;            /* -1: none is known */
	unsigned child;       /* how many forks away from the process whose run it is */
	char host[65];
	char start[32]; /* when: ISO 8601, UTC */
	bool report, verbose;
};
extern struct papi_region_run papi_region_run __attribute__((visibility("hidden")));
void papi_region_run_begin(void);
/* The number that the file of this process has in its name. */
long papi_region_run_number(void);

/* json.c, report.c */
void papi_region_json(FILE *stream, const struct papi_region_result *result);
void papi_region_report(FILE *stream, const struct papi_region_result *result);

/* output.c: writes what there is now, and reports it, if asked for. PAPI_OK; PAPI_ESYS, PAPI_ENOMEM. */
int papi_region_publish(void);

/* One line on standard error that begins with "papi: ". */
void papi_region_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
