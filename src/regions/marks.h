/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a program with regions tells somebody who samples it: which region each thread was in, and since when. Where
 * PAPI_PROFILE_MARKS names a directory, each thread writes a file there, which is memory that it shares with the
 * reader: a head, and a ring of marks, of which the reader copies what is new some times in a second. A mark says that
 * the thread is in a region from that time of CLOCK_MONOTONIC on, as the innermost one.
 *
 * Only the thread itself writes. Marks come before the number that counts them; a reader looks at that number again
 * when it has copied some, for they may have been overwritten meanwhile.
 */
#ifndef PAPI_REGIONS_MARKS_H
#define PAPI_REGIONS_MARKS_H

#include <stdatomic.h>
#include <stdint.h>

#define PAPI_REGION_MARKS         "PAPI_PROFILE_MARKS"
#define PAPI_REGION_MARKS_MAGIC   0x736b72616d697061u
#define PAPI_REGION_MARKS_VERSION 1
#define PAPI_REGION_MARKS_SUFFIX  ".marks"

#define PAPI_REGION_MARKS_RING  32768 /* a power of two */
#define PAPI_REGION_MARKS_NAMES 128   /* the last stands for all that come then */
#define PAPI_REGION_MARKS_NAME  128   /* bytes, with a 0 */

struct papi_region_mark {
	uint64_t time;
	uint64_t region; /* 1 and more: its name; 0: outside of all */
};

struct papi_region_marks {
	uint64_t magic;
	uint32_t version;
	int32_t pid, tid;
	uint32_t unused;
	_Atomic uint64_t written; /* that there have been */
	char names[PAPI_REGION_MARKS_NAMES][PAPI_REGION_MARKS_NAME];
	struct papi_region_mark ring[PAPI_REGION_MARKS_RING];
};

#endif
