/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_run.h - what the parts of papi_run share.
 *
 * papi_run is one process with one thread. Its files: papi_run.c (options and the order of things), papi_run_events.c
 * (names of events), papi_run_counters.c (EventSets attached to a process), papi_run_child.c (the program),
 * papi_run_watch.c (a process that already runs), papi_run_report.c (statistics, the table for people),
 * papi_run_attach.c (how an agent gets into such a process), papi_run_data.c (JSON and CSV), papi_run_reproducible.c
 * (what makes runs differ), papi_run_virtual.c (events that an agent counts inside the program), papi_run_processes.c
 * (whether it has counted all of it), papi_run_profile.c (where events happened), papi_run_metrics.c,
 * papi_run_metrics_report.c and papi_run_passes.c (groups of metrics: their values, how these are told, and what of
 * them is counted at once), papi_run_roofline.c (the program under
 * the roofs of the machine), papi_run_intervals.c and papi_run_intervals_write.c (what is counted in each interval),
 * papi_run_tasks.c and papi_run_tasks_report.c (in each thread or process), papi_run_apart.c and papi_run_apart_tasks.c
 * (the same of what the kernel counts), papi_run_meanwhile.c and papi_run_progress.c (what there is to do while the
 * program runs; what people see meanwhile).
 *
 * Who owns what: a run_list owns its events and their strings; a run_counters owns its EventSets and refers to events
 * of a list, by index; a run_result owns its arrays. Nothing is shared with the program that is measured but the table
 * of an agent: every other descriptor is close-on-exec and signals are blocked here, never caught, so there is no
 * handler to inherit.
 */
#ifndef PAPI_RUN_H
#define PAPI_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "options.h"
#include "papi.h"

/* Exit statuses of papi_run itself, besides those of program.h. */
enum { RUN_EXIT_USAGE = 2, RUN_EXIT_INCOMPLETE = 123 };

enum run_format { RUN_FORMAT_TEXT, RUN_FORMAT_JSON, RUN_FORMAT_CSV };

#define RUN_CSV_COLUMNS \
	"event,count,unit,share,rate,kind,domain,enabled_ns,running_ns,rsd_percent,error,partial,interval"

/* One event of the report, asked for or of the default set. */
struct run_event {
	char *name;
	char unit[PAPI_MIN_STR_LEN]; /* "" where the count is a plain number */
	const char *kind;     /* what a count is worth that has had its counter all the time: papi_event_kind() */
	long long *counts;    /* one for each completed run */
	long long enabled_ns; /* summed over the runs: time the event was wanted ... */
	long long running_ns; /* ... and time it was really counted */
	long long interval;   /* summed over the runs: how far an estimate may be off, 19 times in 20; 0: it is none */
	bool user_only;       /* counting in the kernel was refused */
	bool is_virtual;      /* counted by the agent in the program */
	bool is_apart;        /* counted by the kernel, of each thread */
	bool is_rate;         /* its value is one per second */
	char *error;          /* why there is no count; NULL when there is one */
	size_t pass;          /* in which it is counted, from 0 */
	bool is_placed;       /* that has been found out */
};

/* One metric of the report. */
struct run_metric {
	char *name, *unit, *title, *description;
	bool possible;     /* this machine can count it; else the rest but why has no meaning */
	double value;      /* NaN: it has none */
	double deviation;  /* of the runs, in percent of their mean; NaN: not known */
	char text[64];     /* the value with its unit */
	const char *worth; /* that of its worst event */
	bool partial;      /* as a count of it is */
	size_t passes;     /* that its events were counted in */
	char *why;         /* it has no value */
};

/* A group of metrics that was asked for. */
struct run_group {
	char *name;
	int number; /* of the library */
	int metrics, events;
	size_t *places;             /* of its events in the list */
	double *values;             /* of its metrics, when all is counted */
	struct run_metric *results; /* likewise */
};

struct run_list {
	struct run_event *events;
	size_t number;
	char **wanted; /* names of groups, as -g has them */
	size_t n_wanted;
	struct run_group *groups;
	size_t n_groups;
	bool explain;        /* what stands out is told, too */
	size_t passes;       /* that the program is run in, each time with a part of the events */
	size_t pass;         /* that is counted just now */
	char *hardware_note; /* why the machine has no hardware events, NULL when it has */
	char *kernel_note;   /* why some events are counted in user mode only, NULL when none is */
};

/* One EventSet of a process: the events in it and room for what is read from it. */
struct run_set {
	int eventset;
	int component;
	int domain;
	bool alone; /* one event, which takes a counter of the CPU */
	size_t number;
	size_t *members; /* indexes into the list, in the order of the EventSet */
	long long *values;
	long long *enabled_ns;
	long long *running_ns;
};

/* All EventSets of one process or thread. They run at the same time. */
struct run_counters {
	pid_t tid;
	struct run_set *sets;
	size_t number;
};

/* Why something is missing from virtual counts: of which program, and how often. */
struct run_reason {
	char *name, *text;
	size_t number;
};

/* Which of the program's processes virtual counts hold, of all runs together. */
struct run_processes {
	size_t total;   /* 0: nothing was counted virtually */
	size_t killed;  /* by a signal: counted until then */
	size_t running; /* still, when the program had ended: counted until then */
	size_t missing; /* what they did, or some of it, is in no count; the reasons tell why */
	struct run_reason *reasons;
	size_t n_reasons;
};

/* What an event has counted by some moment, or in an interval. */
struct run_reading {
	long long count, enabled_ns, running_ns;
};

/* An interval of the run, by nanoseconds since that began. */
struct run_slice {
	long long begin_ns, end_ns;
	struct run_reading *counts; /* of the list's events */
};

/* Where intervals are told. */
struct run_intervals_out {
	enum run_format format;
	int descriptor; /* -1: nowhere */
	int error;      /* an errno: no more can be written */
};

/* Who is told apart. */
enum run_tasks_kind { RUN_TASKS_NONE, RUN_TASKS_PROCESSES, RUN_TASKS_THREADS };

/* A thread or process of the program. */
struct run_task {
	uint64_t process; /* by which those that had one pid are told */
	pid_t pid, tid;   /* of processes, tid is 0 */
	size_t order;
	char name[64];
	long long *counts; /* of the list's events */
};

struct run_tasks {
	enum run_tasks_kind kind;
	struct run_task *tasks; /* in the end, those with the largest counts first */
	size_t number;
	size_t n_kernel, inside; /* those that the kernel has told of; and before these, those of agents */
	char *note;              /* why an event is not told apart that could be, NULL: there is none */
};

/* What the runs of the program, or one watch, gave besides the counts. */
struct run_result {
	char **command;        /* NULL-terminated */
	pid_t watched;         /* the process given with -p, 0 when a program was run */
	size_t runs;           /* completed */
	long long *elapsed_ns; /* one for each run, as the next two */
	long long *user_ns;
	long long *system_ns;
	int exit_status;
	int signal;             /* that ended the program, 0 when none did */
	bool profiled;          /* wanted: a profile of the program, too */
	bool profiled_exactly;  /* by the agents that count */
	bool slowed;            /* the agent counted in it, so its times are not those that it has alone */
	char *watch_note;       /* what may be missing from the watch of a process, NULL for nothing */
	char *passes_note;      /* that the events were counted in several runs, NULL: they were not */
	char *environment_note; /* what of its environment the program did not get, NULL: it got all */
	bool roofline;          /* wanted: times in which nothing is counted by translation */
	long long alone_ns;     /* summed over so many runs of the program by itself: elapsed ... */
	long long alone_cpu_ns; /* ... and on CPUs */
	size_t alone_runs;
	char *roofline_note; /* where the program stands under the roofs, NULL: it is not drawn */
	struct run_processes processes;
	struct run_tasks tasks;
};

/* papi_run.c */
extern const struct papi_tool papi_run_tool; /* for messages about the command line */
void papi_run_message(const char *format, ...) __attribute__((format(printf, 1, 2)));
void *papi_run_allocate(void *old, size_t number, size_t size);
char *papi_run_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
long long papi_run_now(void);
/* Nanoseconds until then; 0: it is over. */
long long papi_run_until(long long then);
/* Standard error as papi_run was given it; -1: closed. */
int papi_run_error_output(void);
void papi_run_reserve(struct run_list *list, struct run_result *result);

/* papi_run_events.c */
void papi_run_events_parse(struct run_list *list, const char *text);
/* virtually: events that the agent counts are wanted where the processor's are out of reach. */
void papi_run_events_default(struct run_list *list, bool virtually);
/* Names that mean nothing end papi_run, after a message for each. */
void papi_run_events_check(const struct run_list *list);
void papi_run_events_describe(struct run_list *list);
void papi_run_events_refuse(struct run_event *event, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *papi_run_events_reason(const char *name, int code);
size_t papi_run_events_counted(const struct run_list *list);
void papi_run_events_conclude(struct run_list *list);
void papi_run_events_forgive(struct run_list *list);
void papi_run_events_free(struct run_list *list);

void papi_run_events_append(struct run_list *list, const char *name);

/* papi_run_metrics.c */
void papi_run_metrics_parse(struct run_list *list, const char *text);
/* Looks the groups up and appends their events to the list; ends papi_run where there is no such group. */
void papi_run_metrics_prepare(struct run_list *list, bool best_effort);
/* The groups that were asked for, or else all there are, only to list them. */
void papi_run_metrics_prepare_all(struct run_list *list);
/* When all is counted. */
void papi_run_metrics_compute(struct run_list *list, const struct run_result *result);
void papi_run_metrics_free(struct run_list *list);

/* papi_run_metrics_report.c */
void papi_run_metrics_text(FILE *out, bool coloured, const struct run_list *list, const struct run_result *result);
void papi_run_metrics_explain(FILE *out, const struct run_list *list);
void papi_run_metrics_json(FILE *out, const struct run_list *list);
void papi_run_metrics_csv(FILE *out, const struct run_list *list);
void papi_run_metrics_list(const struct run_list *list);

/* papi_run_passes.c */
/* Ends papi_run where more than one pass is needed and that is not allowed. */
void papi_run_passes_plan(struct run_list *list, bool allowed);
/* Gives the events up whose pass was not completed. */
void papi_run_passes_conclude(struct run_list *list, size_t completed);

/* papi_run_roofline.c */
/* These two end papi_run where there is no file, or nothing to draw. */
void papi_run_roofline_parse(struct run_list *list, const char *path);
void papi_run_roofline_prepare(const struct run_list *list, const char *path);
/* When all is counted. False after a message. */
bool papi_run_roofline_draw(const char *path, const struct run_list *list, struct run_result *result);

/* papi_run_counters.c */
void papi_run_counters_open(struct run_counters *counters, struct run_list *list, pid_t tid);
void papi_run_counters_start(struct run_counters *counters, struct run_list *list);
void papi_run_counters_stop(struct run_counters *counters, struct run_list *list, size_t run);
/* Adds to the readings, one for each event of the list, what the sets have counted by now; they go on. */
void papi_run_counters_read(struct run_counters *counters, const struct run_list *list, struct run_reading *readings);
void papi_run_counters_close(struct run_counters *counters);

/* papi_run_child.c */
int papi_run_child_refused(const char *program, bool found, int error);
int papi_run_child_repeat(struct run_list *list, struct run_result *result, char *path, int repeat);

/* papi_run_reproducible.c: makes all programs run from here on the same in every run, or ends papi_run with the
 * reason. */
void papi_run_reproduce(void);
bool papi_run_is_reproducible(void);

/* papi_run_environment.c: the environment that the program gets. Names: of variables, with commas between them. */
void papi_run_environment_keep(const char *names);
/* Before the program is started, when everything is in the environment that papi_run itself puts there. */
void papi_run_environment_begin(const char *path, char *const command[]);
/* In the child that is about to execute the program. */
void papi_run_environment_hand_over(void);
/* How many variables the program did not get. */
size_t papi_run_environment_left_out(void);
/* The variables of this process that may matter for counts, as an object. */
void papi_run_environment_json(FILE *out);
void papi_run_environment_free(void);

/* papi_run_modules.c: which files the program consists of, and which it is told to read. */
struct run_modules;
/* Before the program has run, for it may change them. */
struct run_modules *papi_run_modules_find(const char *path, char *const command[]);
void papi_run_modules_json(FILE *out, const struct run_modules *modules);
void papi_run_modules_free(struct run_modules *modules);

/* papi_run_save.c: the results in a file of their own. */
/* Ends papi_run where the file cannot be written. */
void papi_run_save_check(const char *path);
/* False after a message. */
bool papi_run_save(const char *path, const struct run_list *list, const struct run_result *result,
	const struct run_modules *modules);

/* papi_run_profile.c: papi_profile beside the program that waits at its gate. False after a message. */
bool papi_run_profile_begin(pid_t pid, char **command);
/* When the program has ended: until the profile is written. */
void papi_run_profile_end(void);
/* Of events that are counted by translation, before the program starts: that table's run is profiled, too. False after
 * a message; and if it is not run after all. */
bool papi_run_profile_begin_exact(const struct run_list *list, char **command, int table);
void papi_run_profile_cancel(void);
/* When the program has ended: until the profile is written. The sums of its counts are those of the virtual events, in
 * their order. False: there is none. */
bool papi_run_profile_end_exact(int status, long long elapsed_ns, long long *values, size_t number);
/* Where most of it happened; the latter as a member of an object. */
void papi_run_profile_report(int output);
void papi_run_profile_json(FILE *out);

/* papi_run_virtual.c */
bool papi_run_virtual_wanted(const struct run_list *list);
void papi_run_virtual_refuse(struct run_list *list, const char *reason);
/* Before the program at path is started: puts the agent into its environment, or gives the events up. */
/* False, told: there is to be a profile, and cannot be one. */
bool papi_run_virtual_begin(struct run_list *list, const struct run_result *result, const char *path);
/* In the child that is about to execute the program: the table's descriptor stays open. */
void papi_run_virtual_hand_over(void);
/* Once it has ended, with that wait status: adds the counts of all its processes to the given run. */
void papi_run_virtual_end(
	struct run_list *list, struct run_result *result, size_t run, long long elapsed_ns, int status);
/* Writes into the readings of virtual events what they have counted by now; where none are counted, nothing. */
void papi_run_virtual_read(const struct run_list *list, long long elapsed_ns, struct run_reading *readings);

/* The threads that are counted now, no more than PAPI_AGENT_PAGES; how many. */
size_t papi_run_virtual_running(int32_t *tids);

/* For a process that runs already: the descriptor of the table, and the agent's path. -1: the events are given up. */
int papi_run_virtual_open(struct run_list *list, const struct run_result *result, const char **agent);
/* Adds the counts, unless result is NULL, and forgets the table. */
void papi_run_virtual_close(struct run_list *list, struct run_result *result, long long elapsed_ns);

/* papi_run_attach.c: virtual events of a process that runs already. */
/* True: they are counted from now on, until papi_run_attach_end(). False: there are none, or they are given up. */
bool papi_run_attach_begin(struct run_list *list, struct run_result *result, pid_t pid);
/* Now and then: threads that could not be counted before. */
void papi_run_attach_look(void);
/* The number here of a thread that is counted, by that which it has in there. */
pid_t papi_run_attach_thread(pid_t there);
void papi_run_attach_end(struct run_list *list, struct run_result *result, long long elapsed_ns);

/* papi_run_processes.c: what of the program is in its virtual counts, from the table of a run, and how that is told. */
struct papi_agent_table;
void papi_run_processes_take(struct run_processes *processes, struct papi_agent_table *table);
void papi_run_processes_text(FILE *out, const struct run_processes *processes);
void papi_run_processes_json(FILE *out, const struct run_processes *processes);
void papi_run_processes_csv(FILE *out, const struct run_processes *processes);
void papi_run_processes_free(struct run_processes *processes);

/* papi_run_intervals.c */
/* Intervals are wanted. Ends papi_run where an event has none. */
void papi_run_intervals_prepare(const struct run_list *list, int period_ms, enum run_format format, int descriptor);
bool papi_run_intervals_wanted(void);
void papi_run_intervals_begin(const struct run_list *list, long long started);
/* Nanoseconds until the next one ends; -1: none does. */
long long papi_run_intervals_wait(void);
/* Tells an interval if it has ended, from the counters of all threads. */
void papi_run_intervals_tick(
	const struct run_list *list, const struct run_result *result, struct run_counters *counters, size_t number);
/* Tells the last one, when all is counted. 0, or the errno with which an interval could not be written. */
int papi_run_intervals_end(const struct run_list *list, const struct run_result *result);

/* papi_run_intervals_write.c */
void papi_run_intervals_write_head(struct run_intervals_out *to, const struct run_list *list);
void papi_run_intervals_write(struct run_intervals_out *to, const struct run_list *list,
	const struct run_result *result, const struct run_slice *slice);
/* A report, as it stands behind intervals, or with rows of tasks. */
void papi_run_intervals_fold(FILE *out, const struct run_list *list, const struct run_result *result,
	enum run_format format, const char *text);

/* papi_run_tasks.c */
/* Whether the event is told of threads and processes. */
bool papi_run_tasks_apart(const struct run_event *event);
/* Ends papi_run where no event is, of a program or of a process that is watched. */
void papi_run_tasks_prepare(struct run_list *list, struct run_tasks *tasks, bool watched);
/* Nanoseconds until it is time to look at threads; -1: never. */
long long papi_run_tasks_wait(void);
/* Looks at threads, if it is time, for they may be gone later. */
void papi_run_tasks_look(void);
struct papi_agent_record;
/* Values: of the virtual events, in their order. */
void papi_run_tasks_add(struct run_tasks *tasks, const struct run_list *list, const struct papi_agent_record *record,
	const long long *values);
/* Counts: of the list's events that the kernel counts of each thread. When all of the other ones have been added. */
void papi_run_tasks_add_kernel(struct run_tasks *tasks, const struct run_list *list, pid_t pid, pid_t tid,
	const char *name, const long long *counts);
/* When all are added. */
void papi_run_tasks_conclude(struct run_tasks *tasks, const struct run_list *list);
void papi_run_tasks_free(struct run_tasks *tasks);

/* papi_run_apart.c: events that the kernel counts of each thread. Without such ones all of this does nothing. */
/* Finds those that can be told apart. NULL, or why the kernel does not tell of any; *forbidden: it counts none. */
const char *papi_run_apart_choose(struct run_list *list, bool *forbidden);
bool papi_run_apart_any(void);
/* Before other counters of the program, which waits: they leave out what is counted here. */
void papi_run_apart_open(struct run_list *list, struct run_tasks *tasks, pid_t pid);
void papi_run_apart_start(void);
/* Nanoseconds until it is time to read what the kernel has told; -1: never. */
long long papi_run_apart_wait(void);
/* Reads it, if it is time. */
void papi_run_apart_look(void);
/* Writes into the readings of these events what all threads have counted by now. */
void papi_run_apart_read(struct run_reading *readings);
/* Adds the counts to the given run, and what each thread has to the tasks. */
void papi_run_apart_stop(struct run_list *list, struct run_tasks *tasks, size_t run);

/* papi_run_tasks_report.c */
void papi_run_tasks_text(FILE *out, bool coloured, const struct run_list *list, const struct run_tasks *tasks);
void papi_run_tasks_json(FILE *out, const struct run_list *list, const struct run_tasks *tasks);
/* Rows with pid, tid and name before the columns of all. */
void papi_run_tasks_csv(FILE *out, const struct run_list *list, const struct run_tasks *tasks);

/* papi_run_progress.c */
void papi_run_progress_begin(const struct run_result *result, long long started);
/* Nanoseconds until there is something to tell; -1: never. */
long long papi_run_progress_wait(void);
/* Tells, if it is time. */
void papi_run_progress_look(const struct run_list *list);
/* The terminal is as it was. */
void papi_run_progress_end(void);

/* papi_run_meanwhile.c: what there is to do while the program runs. */
/* Nanoseconds until there is something to do; -1: never. */
long long papi_run_meanwhile_wait(void);
void papi_run_meanwhile(
	const struct run_list *list, const struct run_result *result, struct run_counters *counters, size_t number);

/* papi_run_watch.c */
int papi_run_watch(struct run_list *list, struct run_result *result, pid_t pid);

/* papi_run_report.c */
double papi_run_report_mean(const long long *values, size_t runs);
double papi_run_report_deviation(const long long *values, size_t runs);
double papi_run_report_share(const struct run_event *event);
double papi_run_report_interval(const struct run_event *event, const struct run_result *result);
double papi_run_report_rate(const struct run_event *event, const struct run_result *result);
const char *papi_run_report_kind(const struct run_event *event, const struct run_result *result);
bool papi_run_report_is_partial(const struct run_event *event, const struct run_result *result);
/* 0, or an errno. */
int papi_run_report_write_all(int descriptor, const char *text, size_t length);
int papi_run_report_write(
	const struct run_list *list, const struct run_result *result, enum run_format format, int descriptor);

/* papi_run_data.c */
void papi_run_data_json(FILE *out, const struct run_list *list, const struct run_result *result);
void papi_run_data_csv_string(FILE *out, const char *text);
void papi_run_data_csv(FILE *out, const struct run_list *list, const struct run_result *result);

#endif
