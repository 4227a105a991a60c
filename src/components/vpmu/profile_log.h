/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an exact profile leaves behind, for whoever reads it when the program has ended, or while it runs: two files for
 * each process, and for each program that it executes, in a directory of their own.
 *
 *	PID-N.log     head, entry, entry, ... : what there is to know of the numbers
 *	PID-N.counts  numbers of 64 bits: how often each way through each block was gone (ways.h)
 *
 * Both are memory shared with the process, so that nothing is lost when it is killed; an entry is complete before head
 * says that it is there. Their room on the disk is made before they are written to. An entry is at a multiple of 8
 * bytes. Numbers of ways are the process's: each thread has a counter for each of them, in extents of the file that
 * belong to its lane. A counter may be negative, as recovery may take a way back from another lane's copy: it is the
 * sum of all that is right.
 */
#ifndef PAPI_VPMU_PROFILE_LOG_H
#define PAPI_VPMU_PROFILE_LOG_H

#include <stdint.h>

#include "components/vpmu/counters.h"
#include "components/vpmu/ways.h"

#define PAPI_VPMU_LOG_MAGIC   0x676f6c6970617031u
#define PAPI_VPMU_LOG_VERSION 5
#define PAPI_VPMU_LOG_SUFFIX  ".log"
#define PAPI_VPMU_LOG_COUNTS  ".counts"

struct papi_vpmu_log_head {
	uint64_t magic;
	uint32_t version;
	int32_t pid, parent;
	uint32_t lanes;    /* that there are */
	uint64_t used;     /* bytes of the file, this head among them */
	uint64_t profile;  /* the exact counters that the instructions of blocks tell of, a bit each */
	uint64_t modelled; /* and those of simulators, of which ways and calls tell */
	uint64_t started;  /* nanoseconds of CLOCK_MONOTONIC */
	uint32_t contexts; /* calls are told apart by their callers, so many at most; 0: by their places alone */
	uint32_t unused;
	char name[64]; /* of the program */
};

enum papi_vpmu_log_type {
	PAPI_VPMU_LOG_MODULE = 1,
	PAPI_VPMU_LOG_LANE,
	PAPI_VPMU_LOG_EXTENT,
	PAPI_VPMU_LOG_BLOCK,
	PAPI_VPMU_LOG_WAY,
	PAPI_VPMU_LOG_PAIR,
	PAPI_VPMU_LOG_REGION,
};

struct papi_vpmu_log_entry {
	uint32_t type, size; /* in bytes, with all of it */
};

/* A file, or something else, where code was. They are numbered from 0, in their order; number 0 is memory of no file. A
 * file that is unmapped and mapped again at the same place is the same; another file in its place is another. */
struct papi_vpmu_log_module {
	struct papi_vpmu_log_entry entry;
	uint64_t bias; /* address in memory less offset in the file */
	char path[];   /* as /proc/PID/maps has it, with a 0 behind it */
};

/* Whose counters they are. Numbered from 1. */
struct papi_vpmu_log_lane {
	struct papi_vpmu_log_entry entry;
	uint32_t lane;
	int32_t tid;      /* of the first thread; 0: it has not begun */
	uint32_t threads; /* that have had it, one after the other */
	uint32_t unused;
};

/* Counters of a lane: of so many ways, from first on, at that offset of PID-N.counts. */
struct papi_vpmu_log_extent {
	struct papi_vpmu_log_entry entry;
	uint32_t lane, first, number, unused;
	uint64_t offset;
};

/*
 * A block: its ways, and then its instructions. The counters of the first copy are first_way and those behind it, in
 * the order of the ways; then come those of the next copy. An instruction is
 *
 *	length   n   counter amount   counter amount ...        n of these; all are bytes
 *
 * and n has bit 7 set if loads and stores of each iteration follow, two more bytes. An instruction that is not counted
 * has n = 0.
 */
struct papi_vpmu_log_block {
	struct papi_vpmu_log_entry entry;
	uint64_t pc, hash;
	uint32_t module, first_way;
	uint32_t more; /* offset of the first entry WAY of this block; 0: there is none */
	uint8_t n_instructions, copies, n_ways;
	uint8_t region; /* in which it ran; 0: in none. Code that runs in several is a block for each */
	struct papi_vpmu_way ways[];
};

#define PAPI_VPMU_LOG_ITERATES 0x80u

/* Another way through a block, which it was seen to go when a signal came; or what a simulator counted there. */
struct papi_vpmu_log_way {
	struct papi_vpmu_log_entry entry;
	uint32_t block; /* its offset */
	uint32_t number;
	uint32_t more; /* likewise, the next of the same block */
	struct papi_vpmu_way way;
	uint16_t unused;
};

/* A region of the program (PAPI_hl_region_begin), of which there are so many at most: the last stands for all that come
 * then. Numbered from 1. */
#define PAPI_VPMU_LOG_REGIONS 128
struct papi_vpmu_log_region {
	struct papi_vpmu_log_entry entry;
	uint32_t number, unused;
	char name[]; /* with a 0 behind it */
};

/*
 * A call, from the end of a block. In the counters of ways, from number on: how often, and then what happened until the
 * returns, of each counter of the profile, exact ones first. Calls of what is active already, further out, are in the
 * first alone; with contexts, what happened in those follows, in as many counters again. All of that is what happened
 * in the region; of calls that were open when it began, the block is of another region, in which they are counted.
 *
 * With contexts a call is one from a context to another. A context has the number of the call that first led to it, and
 * 0 is outside of all calls. A function that is on the way there already, further out, is that context again: recursion
 * leads back. Where a signal's handler begins, block is 0. When there are as many contexts as there may be, a call
 * leads from its context to the others of that, without block and target, and then, all in one, from
 * PAPI_VPMU_LOG_OTHERS to there again, which is a call for what it was as a pair, and no context.
 */
struct papi_vpmu_log_pair {
	struct papi_vpmu_log_entry entry;
	uint64_t target;
	uint32_t module; /* of the target */
	uint32_t block;  /* its offset */
	uint32_t number;
	uint32_t from, to; /* contexts */
	uint32_t region;   /* as a block's */
};

#define PAPI_VPMU_LOG_OTHERS 1u

#endif
