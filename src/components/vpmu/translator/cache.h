/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The code cache: one for all threads. Memory for code is mapped twice, to be written and to be run, so that nothing is
 * ever both. It comes in segments, one behind the other as they get full (segments.h). When there are as many as there
 * may be, all is stale and begins anew, and the old ones are never reused while a thread may be in them: a block that
 * has become stale leads back to the dispatcher at its entry.
 *
 * One lock guards all of it. It is held in the runtime only, where signals are deferred, and never over a system call
 * that may wait.
 */
#ifndef PAPI_VPMU_TRANSLATOR_CACHE_H
#define PAPI_VPMU_TRANSLATOR_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "components/vpmu/translator/block.h"
#include "components/vpmu/translator/emitter.h"
#include "components/vpmu/translator/flavours.h"
#include "components/vpmu/translator/thread.h"

void papi_vpmu_cache_lock(void);
void papi_vpmu_cache_unlock(void);
/* Whether the lock can be had now: a thread that is stopped may have it for ever. */
bool papi_vpmu_cache_is_free(void);

/* Maps the first segment. PAPI_OK, or PAPI_ECMP with the reason in the detail. */
int papi_vpmu_cache_begin(void);
/* The child of a fork leaves the parent's cache alone and makes its own when it needs one. */
void papi_vpmu_cache_forked(void);

/* The block whose code is at an address of the cache; NULL where that is no block. Any thread's signal handler may
 * ask. */
const struct papi_vpmu_block *papi_vpmu_cache_block_at(uint64_t code);
/* The same, by the lower half of the address. */
const struct papi_vpmu_block *papi_vpmu_cache_block_with(uint32_t code);
/* Whether an address is in a segment; in one that is not given back as soon as threads have left it. */
bool papi_vpmu_cache_holds(uint64_t code);
bool papi_vpmu_cache_is_live(uint64_t code);
/* How many blocks have been filed as yet, modulo 2^32; without its lock. */
unsigned papi_vpmu_cache_blocks_made(void);

/* Where the code at that address is written, which is in a segment; it runs *to_code bytes on. */
uint8_t *papi_vpmu_cache_written(uint64_t code, intptr_t *to_code);

/* A place for code. False when there is none before all is flushed. */
bool papi_vpmu_cache_open(struct papi_vpmu_emitter *e);
/* What comes before the entry of a block; the next byte is the entry. */
void papi_vpmu_cache_begin_block(struct papi_vpmu_emitter *e, uint64_t pc);
/* The code that was emitted stays. marks are copied; the block goes into the flavour's table unless that is NULL, or it
 * follows another. */
struct papi_vpmu_block *papi_vpmu_cache_close(
	const struct papi_vpmu_emitter *e, const struct papi_vpmu_block *block, const struct papi_vpmu_mark *marks);
/* The number that the next new link will have; those of a block are one behind the other. */
int64_t papi_vpmu_cache_next_link(void);
int64_t papi_vpmu_cache_new_link(const struct papi_vpmu_link *link);
struct papi_vpmu_link papi_vpmu_cache_link(int64_t number);
/* Makes a link lead to the block's code. */
void papi_vpmu_cache_connect(int64_t number, struct papi_vpmu_block *block);

/* The program's bytes in [start, end) have changed, or are gone: what was made of them is stale. */
void papi_vpmu_cache_invalidate(uint64_t start, uint64_t end);
/* One block is: its entry leads to the dispatcher. */
void papi_vpmu_cache_make_stale(struct papi_vpmu_block *block);
/* The same, and nobody finds it any more. */
void papi_vpmu_cache_remove(struct papi_vpmu_block *block);
/* All is stale, and the next block goes into a new segment, the first. */
void papi_vpmu_cache_flush(void);

/* A thread is in the dispatcher, not in any code: old segments that no thread can be in any more are given back. */
void papi_vpmu_cache_pass(struct papi_vpmu_thread *thread);

#endif
