/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The memory of the code cache (cache.h), in segments, with what is known of the blocks in them:
 *
 *	code, mapped twice                    |stub|entry block|stub|entry block| ...        free |
 *	                                       ^ blocks[0].code - stub, in the order of their code
 *	tables, in one piece                  |blocks   |links         |marks    |bytes of the program|
 *
 *	segments   retired | retired | full | full | current           which are in use: up to 64 MiB (segments.c)
 *	           given back once no thread   |
 *	           can be in them              each as large as all before it, from 1 to 8 MiB
 *
 * Under the lock of the cache, but for what looks an address up: a place in the table of segments is filled before
 * anything leads there, and blocks are counted when they are complete.
 */
#ifndef PAPI_VPMU_TRANSLATOR_SEGMENTS_H
#define PAPI_VPMU_TRANSLATOR_SEGMENTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "components/vpmu/translator/block.h"

struct papi_vpmu_segment {
	uint8_t *write; /* NULL: the place in the table is free */
	uint64_t code;
	size_t size, used;
	void *tables;                   /* the following, in one piece of memory */
	struct papi_vpmu_block *blocks; /* in the order of their code */
	atomic_uint n_blocks;
	struct papi_vpmu_link *links;
	unsigned n_links;
	uint8_t *marks; /* one block's after the other's */
	size_t marks_size;
	uint8_t *bytes; /* of the program, one block's after the other's */
	size_t n_bytes;
	size_t prepared[5]; /* how much of each of its pieces of memory has its pages */
	bool retired;
	uint64_t opened_at; /* epoch: threads that have been in the dispatcher since are not in an older one */
};

/* Where the next block goes; NULL before the first, and when all is to begin anew. */
extern struct papi_vpmu_segment *papi_vpmu_segment __attribute__((visibility("hidden")));

/* Sees to it that there is one with room for any block; opened_at: that epoch. False when there is none before all is
 * retired. */
bool papi_vpmu_segment_open(uint64_t epoch);

/* The segment that an address is in; NULL. */
struct papi_vpmu_segment *papi_vpmu_segment_of(uint64_t code);
/* By its place in the table. */
struct papi_vpmu_segment *papi_vpmu_segment_at(unsigned place);
unsigned papi_vpmu_segment_place(const struct papi_vpmu_segment *segment);

/* No block goes into any of them any more. */
void papi_vpmu_segments_retire(void);
/* Those go that are retired, if no thread may be in what was opened at that epoch. */
void papi_vpmu_segments_pass(bool (*threads_are_in)(uint64_t epoch));
/* All of them go: they are another process's. */
void papi_vpmu_segments_forget(void);

#endif
