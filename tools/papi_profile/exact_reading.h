/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The raw files of an exact profile while they are read: what exact_log.c, which reads them, and exact_calls.c, which
 * takes the calls from them, share. One thread.
 */
#ifndef PAPI_PROFILE_EXACT_READING_H
#define PAPI_PROFILE_EXACT_READING_H

#include "components/vpmu/profile_log.h"
#include "papi_profile/exact_log.h"

/* A file of one process, in memory. */
struct papi_profile_log {
	char *name; /* with the directory, without what it ends with */
	unsigned char *bytes;
	size_t size;
	struct papi_vpmu_log_head head;
	struct papi_profile_mapping *modules;
	size_t n_modules;
	int64_t regions[PAPI_VPMU_LOG_REGIONS + 1]; /* in the store, by number; 0: outside of all */
};

/* An instruction that a thread has run, as a part of one block. */
struct papi_profile_ran_place {
	uint32_t module, region;
	uint64_t pc;
};

#define PAPI_PROFILE_NO_SLOT 0xffu

/* All of them; what is in several blocks is there as often. */
struct papi_profile_ran {
	struct papi_profile_ran_place *places;
	uint64_t *counters; /* of each as many as there are slots */
	size_t n, room;
	unsigned n_slots;
	uint8_t slots[PAPI_PROFILE_EXACT_COUNTERS]; /* by counter; PAPI_PROFILE_NO_SLOT: it is not in the profile */
};

/* The process in the store that a number stands for. */
struct papi_profile_reading {
	struct papi_profile_records *records;
	struct papi_profile_exact *exact;
	long long *values, *sums; /* room for one of each event; of sums the values by now */
	/* Of contexts, with modelled counters: all that they have by now, and the values of that. */
	uint64_t own[PAPI_PROFILE_EXACT_COUNTERS];
	long long *own_sums;
	pid_t *known; /* processes that have been written */
	size_t n_known;
	struct papi_profile_ran places; /* of the thread that is read: one memory for all */
};

/* The entry at an offset, if it is whole; NULL at the end. */
const struct papi_vpmu_log_entry *papi_profile_log_entry(const struct papi_profile_log *log, size_t offset);
/* The next one of a type behind an offset, which becomes its own; NULL at the end. */
const void *papi_profile_log_next(
	const struct papi_profile_log *log, enum papi_vpmu_log_type type, size_t size, size_t *offset);
/* The block at an offset; NULL: there is none. */
const struct papi_vpmu_log_block *papi_profile_log_block(const struct papi_profile_log *log, uint32_t offset);
/* Where the nth instruction of a block begins. */
uint64_t papi_profile_log_pc(const struct papi_vpmu_log_block *block, unsigned n);
/* The number that an address has in the store. */
int64_t papi_profile_log_address(
	struct papi_profile_reading *reading, const struct papi_profile_log *log, uint32_t module, uint64_t pc);

/* A thread, and its counters by their numbers. */
struct papi_profile_lane {
	int64_t thread;
	const uint64_t *ways;
	size_t n;
};

/* All calls of a thread, whose places have been read, to the store. */
void papi_profile_exact_write_calls(
	struct papi_profile_reading *reading, const struct papi_profile_log *log, const struct papi_profile_lane *lane);

#endif
