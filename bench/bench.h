/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_bench: what each promise of speed is measured with.
 *
 * A *case* is an operation of the library and a baseline: the system calls, or the call of the C library, that a
 * program without the library would make for the same answer. Both work on one *subject* (event sets and a raw group of
 * the same events, opened in the same way) and are run in turns, a fraction of a millisecond each, so that whatever
 * slows the machine down slows both; what is reported is the median of the ratios of many such rounds. Absolute times
 * are shown for orientation only.
 *
 * The same cases serve for four measures: time against the kernel, time against another libpapi (--peer), system calls
 * (trace.c) and instructions (instructions.sh).
 *
 * Everything here is for one thread, but for scaling_threads.c. An operation that fails ends the program: there is
 * nothing to say about the speed of a call that does not work.
 */
#ifndef PAPI_BENCH_H
#define PAPI_BENCH_H

#include <linux/perf_event.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum {
	BENCH_EVENTS = 4, /* in the event sets that are read */
	BENCH_ADDED = 8,  /* that are added at once */
	BENCH_MANY = 512, /* in the largest event set */
};

/* ---- The library under test, and a peer (api.c) ---- */

struct bench_api {
	int (*library_init)(int version);
	int (*create_eventset)(int *set);
	int (*destroy_eventset)(int *set);
	int (*cleanup_eventset)(int set);
	int (*event_name_to_code)(const char *name, int *code);
	int (*event_code_to_name)(int code, char *name);
	int (*add_event)(int set, int code);
	int (*start)(int set);
	int (*stop)(int set, long long *values);
	int (*read)(int set, long long *values);
	int (*read_ts)(int set, long long *values, long long *cycles);
	int (*accum)(int set, long long *values);
	int (*reset)(int set);
	long long (*get_real_cyc)(void);
	long long (*get_real_nsec)(void);
	long long (*get_virt_cyc)(void);
	long long (*get_virt_nsec)(void);
	char *(*strerror)(int code);
};

extern const struct bench_api bench_ours;

/* Loads DIRECTORY/libpapi.so.7.0 beside ours. NULL and a sentence in why when it cannot be had. */
const struct bench_api *bench_api_load(const char *directory, char *why, size_t size);

/* The reason for a status that a library returned: the sentence of ours, the short text of a peer. */
const char *bench_api_reason(const struct bench_api *api, int status);

/* ---- Events and the raw kernel interface (raw.c) ---- */

struct bench_event {
	const char *name;        /* as libpfm4 calls it */
	const char *kernel_name; /* as a library without libpfm4 may call it */
	uint64_t config;
};

/*
 * Software events, which every kernel has and every user may count. The first BENCH_EVENTS make the sets that are read.
 */
extern const struct bench_event bench_events[BENCH_ADDED];

/* A group of perf events, the way the library opens an event set: leader disabled and pinned, one grouped read. */
struct bench_raw {
	unsigned n;
	int fds[BENCH_MANY];
	uint64_t buffer[3 + BENCH_MANY];
};

/* On a thread; 0 is the caller. False with errno when one cannot be opened, then none is. */
bool bench_raw_open(struct bench_raw *raw, const struct bench_event events[], unsigned n, int thread);
void bench_raw_close(struct bench_raw *raw);

/* The baselines proper: each is one system call and nothing else. 0 or -1. */
static inline int bench_raw_enable(const struct bench_raw *raw)
{
	return ioctl(raw->fds[0], PERF_EVENT_IOC_ENABLE, 0);
}

static inline int bench_raw_disable(const struct bench_raw *raw)
{
	return ioctl(raw->fds[0], PERF_EVENT_IOC_DISABLE, 0);
}

static inline int bench_raw_read(struct bench_raw *raw)
{
	ssize_t size = (ssize_t)((3 + raw->n) * sizeof(raw->buffer[0]));

	return read(raw->fds[0], raw->buffer, (size_t)size) == size ? 0 : -1;
}

/*
 * The kernel patches its own code when the first event of a kind is opened in the system and when the last one closes,
 * which costs a hundred times the opening. Events on a process that only sleeps keep that out of all measurements.
 */
void bench_guard_start(void);
void bench_guard_stop(void); /* at exit it happens by itself, at _exit() not */

/* Raises the limit of open files as far as it goes, and returns it. */
unsigned bench_raise_files(void);

/* ---- What cases work on (subject.c) ---- */

enum bench_needs {
	BENCH_NOTHING = 0,     /* an initialized library */
	BENCH_CODES = 1,       /* the codes of all events, seen once */
	BENCH_SETS = 2 | 1,    /* and an event set, a group, and an empty event set */
	BENCH_RUNNING = 4 | 3, /* and the first two are counting */
	BENCH_TWO = 8 | 3,     /* BENCH_SETS, and a second event set and group */
};

struct bench_subject {
	const struct bench_api *api;
	enum bench_needs needs;
	int set, other, empty;
	const char *names[BENCH_ADDED];
	int codes[BENCH_ADDED];
	struct bench_raw raw, raw_other;
	long long values[BENCH_MANY], cycles;
	char name[128];
};

/* Fills in what is needed of api, initialized already. False and a sentence in why when that does not count here. */
bool bench_subject_open(
	struct bench_subject *subject, const struct bench_api *api, enum bench_needs needs, char *why, size_t size);
void bench_subject_close(struct bench_subject *subject);

/*
 * Ends the program unless status, which may be several or'ed together, says that all went well. Without api it is that
 * of a system call.
 */
void bench_expect(const struct bench_api *api, int status, const char *function);

/* ---- Cases (counting.c, setup.c, timers.c) ---- */

/* Does something a number of times. Returns the nanoseconds that the part worth measuring has taken. */
typedef double (*bench_operation)(struct bench_subject *subject, size_t times);

struct bench_case {
	const char *name;
	const char *text, *baseline_text;
	bench_operation operation, baseline;
	enum bench_needs needs;
	double limit;  /* 0: none, the row is information */
	bool absolute; /* the limit is one of nanoseconds; else of the ratio */
	bool no_peer;  /* says something about the kernel only */
};

extern const struct bench_case bench_counting_cases[], bench_setup_cases[], bench_timer_cases[]; /* end: no name */

/* Calls visit for all cases until it returns false. */
void bench_each_case(bool (*visit)(const struct bench_case *one, void *data), void *data);
const struct bench_case *bench_find_case(const char *name);

/* The unit for what makes no system call: one clock_gettime() through the vDSO. */
double bench_unit(struct bench_subject *subject, size_t times);

static inline double bench_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* ---- Measuring (harness.c) ---- */

enum bench_unit_of { BENCH_NANOSECONDS, BENCH_BYTES, BENCH_CALLS, BENCH_DIFFERENCES };

/* A line of the result. Numbers that do not apply are NAN. Plain data: a child sends it through a pipe. */
struct bench_row {
	char name[48], text[80], baseline_text[80];
	char missing[256]; /* why it was not measured; "" when it was */
	enum bench_unit_of unit;
	double ours, baseline;
	double ratio, ratio_low, ratio_high; /* median and quartiles */
	double limit;
	bool absolute; /* the limit is for ours and must not be reached; else for the ratio, and may be */
	double calls, baseline_calls; /* system calls */
};

struct bench {
	unsigned rounds;
	const char *filter, *prefix;
	struct bench_row *rows;
	size_t n_rows;
};

/* Whether a row of this name is asked for. */
bool bench_wants(const struct bench *bench, const char *name);

/* The same for rows that are measured together, whose names begin with prefix. */
bool bench_wants_group(const struct bench *bench, const char *prefix);

/* A new row, of which only names, and that nothing is known yet, are filled in. Valid until the next one. */
struct bench_row *bench_add_row(struct bench *bench, const char *name, const char *text, const char *baseline_text);

/* Something whose two sides are run in turns. */
struct bench_pair {
	bench_operation operation, baseline;
	struct bench_subject *subject, *baseline_subject;
};

/* Runs the two in turns and fills in times and ratio. */
void bench_measure(const struct bench *bench, const struct bench_pair *pair, struct bench_row *row);

/* The same from samples that were taken elsewhere; sorts them. */
void bench_summarize(struct bench_row *row, double ours[], double baseline[], double ratios[], size_t n);

double bench_median(double values[], size_t n);

/* All cases: against their baselines, or, where there is one, the peer. */
void bench_run_cases(struct bench *bench, const struct bench_api *peer);

/* ---- Other measures ---- */

void bench_startup(struct bench *bench); /* startup.c */
void bench_startup_peer(struct bench *bench, const char *directory);
void bench_memory(struct bench *bench); /* memory.c */
void bench_memory_peer(struct bench *bench, const char *directory);
void bench_overflow(struct bench *bench);        /* overflow.c */
void bench_scaling_threads(struct bench *bench); /* scaling_threads.c */
void bench_regions(struct bench *bench);         /* regions.c */
void bench_scaling_events(struct bench *bench);  /* scaling_sets.c */
void bench_scaling_sets(struct bench *bench);
void bench_peer(struct bench *bench, const char *directory); /* peer.c */

/* ---- System calls (trace.c) ---- */

/* What a traced process did between two marks, and from there to the third. */
struct bench_trace {
	int calls[2];
	unsigned opened[2]; /* perf events among them */
	struct perf_event_attr attributes[2][BENCH_ADDED];
};

/* Runs this program as a helper with the given arguments and counts. False and a sentence in why. */
bool bench_trace(const char *const arguments[], struct bench_trace *trace, char *why, size_t size);

/* In the helper: lets the parent trace it; then, three times, makes a mark. */
void bench_trace_begin(void);
void bench_trace_mark(void);

/* ---- Fresh processes (helper.c, process.c) ---- */

/* The helper modes; returns an exit status. */
int bench_helper(int argc, char **argv, const char *peer_directory);
int bench_memory_helper(const struct bench_api *api);

/* The library of a helper, ready, or the end of the program. */
void bench_initialize(const struct bench_api *api);

/*
 * Runs this program as `papi_bench [--peer DIRECTORY] --helper MODE` and reads the numbers it prints. False and a
 * sentence in why when it does not print so many.
 */
bool bench_ask_helper(const char *peer_directory, const char *mode, double numbers[], size_t n, char *why, size_t size);

/* Nanoseconds to start `true` and to see it end; -1 where there is none. */
double bench_spawn_true(void);

/* ---- Results (report.c) ---- */

void bench_print_table(const struct bench *bench);
void bench_print_json(const struct bench *bench);

/* Rows over their limit. */
unsigned bench_count_over(const struct bench *bench);

/* A message on standard error and the end of the program, with status 2. */
_Noreturn void bench_die(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
