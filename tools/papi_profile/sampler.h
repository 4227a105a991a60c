/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sampling by perf_event: events opened on a program or on all threads of a process, the rings that the kernel writes
 * its records to, and what it could not write.
 *
 * Events are inherited by the threads and processes that come, and the kernel keeps records of inherited events only
 * by CPU. So there is an event for each thread, each CPU and each name, and one ring for each CPU, which its events
 * share. Records of several rings are put in the order of time here: those that a round of reading found are handed on
 * one round later, when no earlier one can come any more.
 *
 * Functions return PAPI_OK or a negative code with the reason in the error detail. One thread; no signal handlers.
 */
#ifndef PAPI_PROFILE_SAMPLER_H
#define PAPI_PROFILE_SAMPLER_H

#include <linux/perf_event.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "papi_profile/event_list.h"
#include "papi_profile/table.h"

struct papi_profile_ring {
	int fd, cpu;
	struct perf_event_mmap_page *pages;
	size_t size; /* of the records, without the first page */
};

struct papi_profile_open {
	int fd;
	size_t event;
};

struct papi_profile_sampler {
	struct papi_profile_events *events;
	int *cpus;
	size_t n_cpus;
	struct papi_profile_ring *rings; /* one for each CPU */
	struct papi_profile_open *opened;
	size_t n_opened;
	struct papi_profile_table ids; /* from the kernel's numbers to events */
	bool no_build_id, no_lost;     /* what this kernel does not have */
	size_t ring_size;              /* as large as a ring may become */
	struct papi_profile_waiting *waiting;
	uint64_t last_round; /* when it began */
	uint64_t lost;       /* as records tell */
	uint64_t throttled;
};

/* A record of the kernel, in one piece, that is handed on. event: whose it is; NULL where that is not told. */
typedef void papi_profile_record(void *data, const struct perf_event_header *record, size_t event);

void papi_profile_sampler_prepare(struct papi_profile_sampler *sampler, struct papi_profile_events *events);

/*
 * Opens all events on a process or thread. on_exec: they begin with the program that it executes. PAPI_EINVAL with
 * nothing opened and the thread gone is for the caller to find out.
 */
int papi_profile_sampler_open(struct papi_profile_sampler *sampler, pid_t pid, bool on_exec);

/* Closes what is open, for another attempt. */
void papi_profile_sampler_close(struct papi_profile_sampler *sampler);

void papi_profile_sampler_enable(struct papi_profile_sampler *sampler);
void papi_profile_sampler_disable(struct papi_profile_sampler *sampler);

/* Fills in what to wait for, one for each CPU; how many. */
size_t papi_profile_sampler_poll(struct papi_profile_sampler *sampler, struct pollfd *files);

/* Reads the rings and hands on what is old enough; with `all`, everything. */
void papi_profile_sampler_read(struct papi_profile_sampler *sampler, bool all, papi_profile_record *record, void *data);

/* How many records were lost, of all events: what the kernel says at last, or what the records have told. */
uint64_t papi_profile_sampler_lost(const struct papi_profile_sampler *sampler);

/* For which share of its time an event had a counter; 1: always. */
double papi_profile_sampler_share(const struct papi_profile_sampler *sampler, size_t event);

void papi_profile_sampler_free(struct papi_profile_sampler *sampler);

#endif
