/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Flavours of translated code: threads that want the same of it share blocks. Each flavour finds its blocks by their
 * pc. Under the lock of the cache.
 */
#ifndef PAPI_VPMU_TRANSLATOR_FLAVOURS_H
#define PAPI_VPMU_TRANSLATOR_FLAVOURS_H

#include <stdbool.h>
#include <stdint.h>

#include "components/vpmu/engine.h"
#include "components/vpmu/translator/block.h"

/* A choice of what is instrumented, and the translations of that sort. */
struct papi_vpmu_flavour {
	struct papi_vpmu_wants wants;
	bool library;     /* for the library's own code: nothing is */
	bool step;        /* a block has one instruction, and the dispatcher is asked after each */
	unsigned users;   /* threads */
	uint64_t *places; /* of blocks, by a hash of their pc: 1 << bits; NULL: none yet */
	uint64_t used;    /* places that are not free */
	unsigned bits;
};

/* The flavour of these wants, made if there is none. NULL when memory ends. */
struct papi_vpmu_flavour *papi_vpmu_flavour_get(const struct papi_vpmu_wants *wants);
struct papi_vpmu_flavour *papi_vpmu_flavour_library(void);
/* The same as another, instruction by instruction. */
struct papi_vpmu_flavour *papi_vpmu_flavour_step(const struct papi_vpmu_wants *wants);

/* The translation of pc that is not stale; NULL. */
struct papi_vpmu_block *papi_vpmu_cache_find(const struct papi_vpmu_flavour *flavour, uint64_t pc);
/* Sees to it that there is a place for another block. False when there is none before all are gone. */
bool papi_vpmu_flavour_open(struct papi_vpmu_flavour *flavour);
/* The block goes into its flavour's table, or out of it. */
void papi_vpmu_flavour_add(struct papi_vpmu_block *block);
void papi_vpmu_flavour_remove(const struct papi_vpmu_block *block);

/* All blocks go that were made of bytes in [start, end), of any flavour; or all there are. removed is called for each
 * of them. */
void papi_vpmu_flavours_invalidate(uint64_t start, uint64_t end, void (*removed)(struct papi_vpmu_block *block));
void papi_vpmu_flavours_empty(void (*removed)(struct papi_vpmu_block *block));
/* The child of a fork has none. */
void papi_vpmu_flavours_forget(void);

#endif
