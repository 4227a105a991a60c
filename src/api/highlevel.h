/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The measurement that the high level keeps for a thread: one EventSet that the program never sees, and who started it.
 *
 *	highlevel.c   its life, and the counters of the 3.5 reference
 *	rates.c       real time, CPU time and rates, of 3.5 and of 7.0
 *
 * There is a struct papi_measurement only while something runs: what starts it makes it, what stops it frees it with
 * the EventSet, and between two measurements a thread holds nothing. It belongs to its thread and needs no lock.
 *
 * Others may end it. PAPI_shutdown() in another thread takes the EventSet away, and in the child of a fork the EventSet
 * counts nobody: papi_measurement_enter() finds that out, clears what is left and says that nothing runs.
 */
#ifndef PAPI_API_HIGHLEVEL_H
#define PAPI_API_HIGHLEVEL_H

#include <stdint.h>

#include "api/api.h"

enum papi_measurement_kind {
	PAPI_MEASURE_COUNTERS,
	PAPI_MEASURE_FLIPS,
	PAPI_MEASURE_FLOPS,
	PAPI_MEASURE_IPC,
	PAPI_MEASURE_FLIPS_RATE,
	PAPI_MEASURE_FLOPS_RATE,
	PAPI_MEASURE_EPC,
};

/* A rate counts the event, cycles of the core and cycles of the constant clock: at most these. */
#define PAPI_RATE_EVENTS 3

struct papi_measurement {
	enum papi_measurement_kind kind;
	int event; /* of a rate */
	int EventSet;
	uint32_t thread;                 /* papi_thread_number(), which is another in the child of a fork */
	long long real_start, cpu_start; /* ns */
	/* What the last call of a rate saw, since the start. */
	struct papi_rate_totals {
		long long real, cpu; /* ns */
		long long counts[PAPI_RATE_EVENTS];
	} last;
	long long scratch[]; /* a value per event */
};

/* The function that starts measurements of a kind. */
const char *papi_measurement_name(enum papi_measurement_kind kind);

/*
 * Inside the EventSet of what runs in the calling thread. PAPI_ENOTRUN, without a sentence, when nothing does;
 * PAPI_ECNFLCT in a signal handler that interrupted a call on it.
 */
int papi_measurement_enter(struct papi_measurement **measurement, struct papi_slot **slot);

/* Initialises the library if need be, takes the time, and counts. On failure nothing has changed. */
int papi_measurement_begin(enum papi_measurement_kind kind, int event, const int events[], unsigned n);

/* Gives back all that belongs to the measurement. The caller is not inside its EventSet. */
void papi_measurement_end(struct papi_measurement *measurement);

#endif
