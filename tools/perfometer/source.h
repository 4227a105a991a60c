/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One source (sources.h): its lines, and the lanes that they tell of. For sources.c; the source owns its lanes.
 */
#ifndef PAPI_PERFOMETER_SOURCE_H
#define PAPI_PERFOMETER_SOURCE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "session.h"
#include "wire.h"

/* A value as a message has it. */
struct papi_source_value {
	char text[32];
};

struct papi_source_lane {
	json_int_t theirs;
	int ours;
	pid_t pid, tid;       /* tid 0: all of the program */
	char *process, *name; /* as it was told; NULL before */
	bool told, ended;
	bool fresh;                       /* it has values that no sample had yet */
	char *reason;                     /* it ends when they are told; NULL: it does not */
	struct papi_source_value *values; /* by the session's number of the event */
	size_t n_values;
};

struct papi_source {
	struct papi_wire wire;
	struct papi_session *session;
	int *next_lane;
	double now; /* of what comes */
	pid_t pid;  /* of a program on this machine; 0: it says so itself */
	int rank;
	char *program;
	bool greeted, asked, said_bye; /* asked: for a sample, which has not come yet */
	size_t *columns, n_columns;    /* which event of the session each of its values is; SIZE_MAX: none */
	long long serial;
	json_t *events; /* of its schema */
	bool is_new;    /* the schema */
	bool narrows;   /* an event of it is counted without the kernel's part, and no other was */
	double ended;   /* when it was dropped */
	struct papi_source_lane *lanes;
	size_t n_lanes;
	void (*end)(void *handle);
	void *handle;
};

struct papi_source_lane *papi_source_lane_add(struct papi_source *source, json_int_t theirs, pid_t tid);
void papi_source_lane_tell(struct papi_source *source, struct papi_source_lane *lane, pid_t pid, pid_t tid,
	const char *process, const char *name, int rank);
/* False, and why it is malformed. */
bool papi_source_take(struct papi_source *source, const char *line, size_t length, const char **why);
/* Which of the session's events its values are; again, when there are others. */
void papi_source_map(struct papi_source *source);
void papi_source_lane_end(struct papi_source *source, struct papi_source_lane *lane, double time, const char *reason);
/* It has ended: of what it has said the totals of the whole program are kept. False: there are none. */
bool papi_source_retire(struct papi_source *source, double time);
/* Nothing more comes by its connection. */
void papi_source_hang_up(struct papi_source *source);
void papi_source_free(struct papi_source *source);

#endif
