/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_probe.h - what the parts of papi_probe share.
 *
 *	papi_probe.c   options, and the order of things
 *	patterns.c     which functions are meant
 *	modules.c      the files that a program consists of, and where they are in memory
 *	functions.c    their functions, and whether each can be probed
 *	list.c         --list
 *	events.c       names of events
 *	box.c          orders to the runtime in the program (probes/table.h)
 *	patches.c      trampolines and jumps: in and out
 *	threads.c      all threads of a process stopped at places where its code can be changed
 *	regions.c      regions of a process that cost nothing until somebody looks
 *	session.c      a program that is started, or a process that runs already
 *	translate.c    either, translated: papi_profile runs it; translated.c: from its profile to the table of counts
 *	report.c       what was counted; report_json.c the same for programs
 *
 * One process with one thread. What a list holds is the list's; names belong to the modules. Memory that is not to be
 * had ends the tool (symbols/memory.h).
 */
#ifndef PAPI_PROBE_H
#define PAPI_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "probes/table.h"
#include "probes/window.h"
#include "process/remote.h"
#include "program.h"
#include "symbols/symbols.h"

struct probe_pattern {
	char *module; /* NULL: any */
	char *name;   /* a glob; NULL: it is a place in the source */
	char *file;
	long first, last;
	bool has_wildcard;
	size_t matched; /* functions */
	size_t inlined; /* copies of functions in their callers */
};

struct probe_patterns {
	struct probe_pattern *wanted, *unwanted;
	size_t n_wanted, n_unwanted;
};

struct probe_module {
	char *path;
	const char *base; /* without directories */
	char *file;       /* where it can be opened from here */
	struct papi_symbols *symbols;
	char trouble[256]; /* why there are no symbols */
	bool is_program;
	bool is_mapped;
	uint64_t bias;      /* from addresses of the file to those of the process */
	uint64_t low, high; /* of its code, in the file */
	size_t first, n;    /* its functions in the list, in the order of their addresses */
};

/* By which way functions are counted. */
enum probe_way {
	PROBE_AUTO, /* patches, where no event wants the other */
	PROBE_PATCH,
	PROBE_TRANSLATE,
};

struct probe_function {
	const char *name, *linkage;
	const char *others; /* further names for the linker, a line each; NULL: none */
	size_t module;
	uint64_t low, high;
	const char *file; /* where it is in the source; NULL: not known */
	int line;
	bool is_part;             /* of a function, and none itself */
	bool comes_back;          /* a branch of its own leads to its first instruction */
	char refusal[96];         /* ""; or why it is not patched */
	const char *untranslated; /* NULL; or why it is not counted by translation either */
	struct papi_probe_window window;
	const unsigned char *bytes; /* of the window, in the file */
	uint32_t number;            /* in the table */
	bool probed;
	/* Once it is in. */
	uint64_t runs_at;    /* its window, in memory */
	uint64_t trampoline; /* where it is */
	uint64_t patch;      /* where its struct papi_probe_patch is; 0: there is none yet */
	unsigned char before[8];
};

/* A function that is wanted, as far as compilers have put it into its callers. */
struct probe_inlined {
	const char *name, *linkage;
	size_t module, copies;
};

struct probe_list {
	struct probe_inlined *inlined;
	size_t n_inlined, inlined_room;
	struct probe_module *modules;
	size_t n_modules, modules_room;
	struct probe_function *functions;
	size_t n_functions, functions_room;
	uint32_t n_numbered;
};

/* In the name of what compilers have moved away from a function. */
#define PROBE_COLD ".cold"

/* By which calls are told where code is translated; and what is counted there if nothing else is asked for. */
#define PROBE_INSTRUCTIONS "vpmu:::INSTRUCTIONS"

struct probe_event {
	char *name;
	struct perf_event_attr attr;
};

/* The command line. */
struct probe_options {
	struct probe_patterns patterns;
	char **command;
	struct probe_event events[PAPI_PROBE_EVENTS];
	size_t n_events;
	enum probe_way way;              /* PROBE_AUTO until the events are known */
	pid_t pid;                       /* 0: there is a command */
	bool list, json, threads, calls; /* calls: no times */
	bool regions;                    /* nothing but that: look at them */
	double seconds;                  /* 0: until it ends */
	double interval_ms;              /* 0: only at the end */
	const char *output;
	FILE *file; /* of the report */
};

struct probe_session {
	struct probe_list list;
	struct papi_remote remote;
	bool is_open; /* remote */
	uint64_t box; /* where the letter box is */
	struct papi_probe_visit orders;
	struct papi_probe_table *table;
	size_t table_size;
	pid_t pid;
	char reason[PAPI_REMOTE_REASON];
	/* Of the clock: in ticks, and in nanoseconds. */
	uint64_t ticks;
	long long begun_ns;
	double seconds, ticks_per_second;
	int exit_status;
	bool ended; /* the process has, by itself */
	bool translated;
};

/* ---- messages ---- */

void probe_message(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Writes the reason; false. */
bool probe_fail(struct probe_session *session, const char *format, ...) __attribute__((format(printf, 2, 3)));
long long probe_now(void);

/* ---- patterns.c ---- */

/* NULL, or what is wrong with the text. */
const char *probe_pattern_add(struct probe_patterns *patterns, const char *text, bool wanted);
/* Whether a module may have functions that are wanted. */
bool probe_patterns_module(const struct probe_patterns *patterns, const struct probe_module *module);
bool probe_patterns_need_lines(const struct probe_patterns *patterns);
/* Whether a function is wanted; it is counted where it is. */
bool probe_patterns_match(const struct probe_patterns *patterns, const struct probe_module *module,
	const struct probe_function *function);
/* Likewise so many copies of it. */
bool probe_patterns_match_inlined(const struct probe_patterns *patterns, const struct probe_module *module,
	const struct probe_function *function, size_t copies);
/* Whether a pattern means one function, by its name. */
bool probe_patterns_have_name(const struct probe_patterns *patterns);
void probe_patterns_free(struct probe_patterns *patterns);

/* ---- modules.c ---- */

/* Of a process, from its maps; and of a program that is not running, from what the dynamic linker would load. */
bool probe_modules_of_process(struct probe_list *list, pid_t pid);
bool probe_modules_of_program(struct probe_list *list, const char *path);
/* A file that has been loaded since, if it is not in the list; pid: by that process, 0: by a program that was run. */
void probe_modules_load(struct probe_list *list, pid_t pid, const char *path);
/* Whether it is that file, by whatever name. */
bool probe_modules_is(const struct probe_module *module, const char *path);
/* Where that many bytes can be mapped, no further from a module than a jump reaches. 0: nowhere. */
uint64_t probe_modules_gap(pid_t pid, const struct probe_module *module, uint64_t size);

/* ---- functions.c ---- */

/* Finds all that is wanted in modules from that one on, and whether it can be probed. */
void probe_functions_find(struct probe_list *list, size_t first, struct probe_patterns *patterns);
/* Finds what is wanted, and was put into its callers, in modules that have been opened. */
void probe_functions_find_inlined(struct probe_list *list, const struct probe_patterns *patterns);
/* Why a function cannot be probed by that way; NULL: it can. */
const char *probe_functions_refusal(const struct probe_function *function, enum probe_way way);
/* Numbers those that can. False: there is none. */
bool probe_functions_number(struct probe_list *list, enum probe_way way, const char **reason);
void probe_list_free(struct probe_list *list);

/* ---- list.c ---- */

void probe_list_print(FILE *file, const struct probe_list *list, const struct probe_options *options);
const char *probe_way_name(enum probe_way way);
/* The functions that were put into their callers: a member of an object. */
void probe_list_print_inlined_json(FILE *file, const struct probe_list *list);
/* A text from outside, for a terminal. */
void probe_print_safe(FILE *file, const char *text);
/* What patterns have not matched. False: one has not. */
bool probe_list_complain(const struct probe_patterns *patterns, const struct probe_list *list);

/* ---- events.c ---- */

/* NULL, or what is wrong with the text. */
const char *probe_events_add(struct probe_options *options, const char *text);
/* Looks them up and chooses the way; one that cannot be counted ends the tool, with the reason. */
void probe_events_resolve(struct probe_options *options);
void probe_events_free(struct probe_options *options);

/* ---- box.c ---- */

/* Gives an order and waits for the answer. False: the runtime is gone, or is silent. */
bool probe_box_ask(struct probe_session *session, enum papi_probe_order order, uint32_t number, uint64_t address,
	uint64_t size, int64_t *answer);
/* Nothing more is to come. False: it is gone. */
bool probe_box_dismiss(struct probe_session *session);
bool probe_box_open_table(struct probe_session *session);

/* ---- patches.c ---- */

/* Trampolines; jumps, in and out. While these are written no thread may be at a place that is changed. */
bool probe_patches_prepare(struct probe_session *session);
void probe_patches_put(struct probe_session *session);
void probe_patches_take(struct probe_session *session);
/* Whether there are some of a tool that was killed. False: of one that is there. */
bool probe_patches_are_left(struct probe_session *session, bool *left);
/* Whether a thread that is there may not go on if that place is changed. */
bool probe_patches_are_at(const struct probe_session *session, uint64_t pc);

/* ---- threads.c ---- */

/* Stops all threads of the process, calls the function, lets them go. False with the reason. */
bool probe_threads_stopped(struct probe_session *session, void (*function)(struct probe_session *session));

/* ---- regions.c ---- */

/* Has the process of the options look at regions of PAPI_HL_BEGIN, and says how many. The exit status. */
int probe_regions_look(const struct probe_options *options);

/* ---- session.c ---- */

/* The exit status. */
int probe_session_run(struct probe_options *options);
/* Until the program has ended, whose exit status is then known; signals are passed on. */
void probe_session_wait(
	struct probe_session *session, const struct papi_program *program, const struct probe_options *options);
/* How long it has been, and how fast the processor's clock is. */
void probe_session_measure(struct probe_session *session);

/* ---- translate.c, translated.c ---- */

/* Runs the program, or watches the process, translated. 0, with the table; or the exit status, told. */
int probe_translate(struct probe_session *session, struct probe_options *options);
/* The place of instructions among the events; behind the last: they are not asked for. */
size_t probe_translated_instructions(const struct probe_options *options);
/* Makes the table of a profile of papi_profile. False with the reason. */
bool probe_translated_read(struct probe_session *session, struct probe_options *options, const char *store);

/* ---- report.c ---- */

void probe_report_print(const struct probe_options *options, const struct probe_session *session);
void probe_report_json(const struct probe_options *options, const struct probe_session *session);
/* What has been counted by now. */
void probe_report_interval(const struct probe_options *options, struct probe_session *session);

/* What a function's rows hold, which may change while they are read: sums and parts are made of one look. How many. */
uint32_t probe_report_look(
	const struct probe_session *session, uint32_t number, struct papi_probe_counts rows[PAPI_PROBE_ROWS]);
/* What so many of these make. */
struct probe_sum {
	struct papi_probe_counts counts;
	uint32_t threads; /* that have called it */
};
void probe_report_sum(
	const struct probe_session *session, const struct papi_probe_counts rows[], uint32_t n, struct probe_sum *sum);
/* Whose a row is; children of a process in a container have the numbers that they have in there. */
pid_t probe_report_process(const struct probe_session *session, const struct papi_probe_row *row);

#endif
