/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Work counted by the virtual PMU in processes that are all alike: each is forked from one that has not begun to count,
 * so that nothing but what is asked for differs between two of them, down to addresses and to what the caches hold.
 */
#ifndef PAPI_TEST_TWINS_H
#define PAPI_TEST_TWINS_H

#include <papi.h>
#include <stdbool.h>

struct twin_run {
	const char *event;
	int threshold;        /* of the event; 0: it does not overflow */
	bool each;            /* after each instruction instead */
	const char *geometry; /* PAPI_VPMU_CACHE; NULL: this machine's */
	void (*work)(void);
};

/* A call of the handler: what the event had counted, and where. next: where the program goes on, by the context. */
struct twin_point {
	long long count;
	const char *address, *next;
};

#define TWIN_POINTS 200000

struct twin_outcome {
	long long total, delivered, lost;
	long calls; /* of which the first TWIN_POINTS are kept */
	struct twin_point points[TWIN_POINTS];
};

/* Ends the test with 77 and the reason where the virtual PMU does not count. */
void twins_need(void);

/* Room for one, all zeros, which processes share. */
struct twin_outcome *twins_outcome(void);

/* In a process of its own, whose failures are the caller's. */
void twins_count(const struct twin_run *run, struct twin_outcome *outcome);

/* Whether both have been called at the same places with the same counts; prints the first difference. */
bool twins_same(const struct twin_outcome *expected, const struct twin_outcome *got);

#endif
