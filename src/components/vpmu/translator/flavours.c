/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/translator/flavours.h"

#include <string.h>

#include "components/vpmu/translator/cache.h"
#include "components/vpmu/translator/memory.h"
#include "components/vpmu/translator/wants.h"

/* So many flavours are kept when no thread uses them any more; there are more only where threads do. */
#define KEPT_FLAVOURS 32
#define MAX_FLAVOURS  512

/* Buckets of a flavour, as a power of two: a small program touches few pages. */
#define FEWEST_BUCKETS 10
#define MOST_BUCKETS   16
#define BUCKET_STEP    3

static struct papi_vpmu_flavour flavours[MAX_FLAVOURS];
static unsigned n_flavours; /* places of the table that have ever been taken */

/* ---- blocks, by their pc ---- */

static struct papi_vpmu_block **bucket(const struct papi_vpmu_flavour *flavour, uint64_t pc)
{
	return &flavour->buckets[pc * 0x9e3779b97f4a7c15u >> (64 - flavour->bits)];
}

static void put_into_bucket(struct papi_vpmu_flavour *flavour, struct papi_vpmu_block *block)
{
	struct papi_vpmu_block **head = bucket(flavour, block->pc);

	block->next = *head;
	*head = block;
}

/* More buckets, if there is memory for them. */
static void spread(struct papi_vpmu_flavour *flavour)
{
	struct papi_vpmu_flavour wider = *flavour;

	wider.bits += BUCKET_STEP;
	wider.buckets = papi_vpmu_memory_map(sizeof(*wider.buckets) << wider.bits);
	if (!wider.buckets)
		return;
	papi_vpmu_memory_prepare(wider.buckets, sizeof(*wider.buckets) << wider.bits, true);
	for (unsigned i = 0; i < 1u << flavour->bits; i++) {
		while (flavour->buckets[i]) {
			struct papi_vpmu_block *block = flavour->buckets[i];

			flavour->buckets[i] = block->next;
			put_into_bucket(&wider, block);
		}
	}
	papi_vpmu_memory_unmap(flavour->buckets, sizeof(*flavour->buckets) << flavour->bits);
	*flavour = wider;
}

struct papi_vpmu_block *papi_vpmu_cache_find(const struct papi_vpmu_flavour *flavour, uint64_t pc)
{
	struct papi_vpmu_block *block = *bucket(flavour, pc);

	while (block && block->pc != pc)
		block = block->next;
	return block;
}

void papi_vpmu_flavour_add(struct papi_vpmu_block *block)
{
	struct papi_vpmu_flavour *flavour = block->flavour;

	if (++flavour->n_blocks > 1u << flavour->bits && flavour->bits < MOST_BUCKETS)
		spread(flavour);
	put_into_bucket(flavour, block);
}

void papi_vpmu_flavour_remove(const struct papi_vpmu_block *block)
{
	struct papi_vpmu_block **place = bucket(block->flavour, block->pc);

	while (*place && *place != block)
		place = &(*place)->next;
	if (!*place)
		return;
	*place = block->next;
	block->flavour->n_blocks--;
}

/* Takes blocks out of one bucket. Blocks that remain are as they were. */
static void take_out(struct papi_vpmu_flavour *flavour, struct papi_vpmu_block **place, uint64_t start, uint64_t end,
	void (*removed)(struct papi_vpmu_block *block))
{
	while (*place) {
		struct papi_vpmu_block *block = *place;

		if (block->pc < end && start < block->pc + block->size) {
			removed(block);
			*place = block->next;
			flavour->n_blocks--;
		} else {
			place = &block->next;
		}
	}
}

void papi_vpmu_flavours_invalidate(uint64_t start, uint64_t end, void (*removed)(struct papi_vpmu_block *block))
{
	for (unsigned i = 0; i < n_flavours; i++)
		for (unsigned j = 0; j < 1u << flavours[i].bits; j++)
			take_out(&flavours[i], &flavours[i].buckets[j], start, end, removed);
}

static void empty(struct papi_vpmu_flavour *flavour, void (*removed)(struct papi_vpmu_block *block))
{
	for (unsigned i = 0; i < 1u << flavour->bits; i++) {
		for (struct papi_vpmu_block *block = flavour->buckets[i]; block; block = block->next)
			removed(block);
		flavour->buckets[i] = NULL;
	}
	flavour->n_blocks = 0;
}

void papi_vpmu_flavours_empty(void (*removed)(struct papi_vpmu_block *block))
{
	for (unsigned i = 0; i < n_flavours; i++)
		empty(&flavours[i], removed);
}

void papi_vpmu_flavours_forget(void)
{
	for (unsigned i = 0; i < n_flavours; i++) {
		papi_vpmu_memory_unmap(flavours[i].buckets, sizeof(*flavours[i].buckets) << flavours[i].bits);
		memset(&flavours[i], 0, sizeof(flavours[i]));
	}
	n_flavours = 0;
}

/* ---- flavours ---- */

/* A place in the table. */
static struct papi_vpmu_flavour *free_flavour(void)
{
	if (n_flavours < KEPT_FLAVOURS)
		return &flavours[n_flavours];
	for (struct papi_vpmu_flavour *flavour = flavours; flavour < flavours + n_flavours; flavour++)
		if (!flavour->users && !flavour->library)
			return flavour;
	return n_flavours < MAX_FLAVOURS ? &flavours[n_flavours] : NULL;
}

static struct papi_vpmu_flavour *use_flavour(const struct papi_vpmu_wants *wants, bool library, bool step)
{
	struct papi_vpmu_flavour *free;

	for (struct papi_vpmu_flavour *flavour = flavours; flavour < flavours + n_flavours; flavour++)
		if (flavour->library == library && flavour->step == step &&
			papi_vpmu_wants_are_same(&flavour->wants, wants))
			return flavour;
	free = free_flavour();
	if (!free)
		return NULL;
	if (free->buckets) {
		empty(free, papi_vpmu_cache_make_stale);
	} else {
		free->bits = FEWEST_BUCKETS;
		free->buckets = papi_vpmu_memory_map(sizeof(*free->buckets) << free->bits);
	}
	if (!free->buckets)
		return NULL;
	if (free == &flavours[n_flavours])
		n_flavours++;
	free->wants = *wants;
	free->library = library;
	free->step = step;
	return free;
}

struct papi_vpmu_flavour *papi_vpmu_flavour_get(const struct papi_vpmu_wants *wants)
{
	return use_flavour(wants, false, false);
}

struct papi_vpmu_flavour *papi_vpmu_flavour_library(void)
{
	const struct papi_vpmu_wants nothing = { .counters = 0 };

	return use_flavour(&nothing, true, false);
}

struct papi_vpmu_flavour *papi_vpmu_flavour_step(const struct papi_vpmu_wants *wants)
{
	return use_flavour(wants, false, true);
}
