/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/translator/flavours.h"

#include <string.h>

#include "components/vpmu/translator/cache.h"
#include "components/vpmu/translator/memory.h"
#include "components/vpmu/translator/wants.h"

/* So many flavours are kept when no thread uses them any more; there are more only where threads do. Regions of a
 * profile have one each. */
#define KEPT_FLAVOURS 192
#define MAX_FLAVOURS  512

/* Places of a flavour's table, as a power of two, which is at most half full: a small program touches few pages, and
 * the code cache ends before there are that many blocks. */
#define FEWEST_PLACES 10
#define MOST_PLACES   22
#define PLACES_STEP   2

static struct papi_vpmu_flavour flavours[MAX_FLAVOURS];
static unsigned n_flavours; /* places of the table that have ever been taken */

/*
 * ---- blocks, by their pc ----
 *
 * A place holds the address of a block, and above it 16 bits of the block's hash: most of what is not there is not
 * looked for in the memory of blocks. Who does not find the place that the hash says free goes on to the next.
 */

#define ADDRESS 0x0000ffffffffffffu
#define REMOVED 1u /* a place whose block is gone: others may be behind it */

static uint64_t hash_of(uint64_t pc)
{
	return pc * 0x9e3779b97f4a7c15u;
}

static struct papi_vpmu_block *block_in(uint64_t place)
{
	return (struct papi_vpmu_block *)(uintptr_t)(place & ADDRESS);
}

static bool is_block(uint64_t place)
{
	return place > REMOVED;
}

static uint64_t mask_of(const struct papi_vpmu_flavour *flavour)
{
	return ((uint64_t)1 << flavour->bits) - 1;
}

/* The place of the block at pc, or the free one where the search for it ends. */
static uint64_t *find_place(const struct papi_vpmu_flavour *flavour, uint64_t pc)
{
	uint64_t hash = hash_of(pc), mask = mask_of(flavour), tag = hash & ~(uint64_t)ADDRESS;

	for (uint64_t i = hash >> 16 & mask;; i = (i + 1) & mask) {
		uint64_t *place = &flavour->places[i];

		if (!*place || ((*place & ~(uint64_t)ADDRESS) == tag && is_block(*place) && block_in(*place)->pc == pc))
			return place;
	}
}

static void put(struct papi_vpmu_flavour *flavour, struct papi_vpmu_block *block)
{
	uint64_t *place = find_place(flavour, block->pc);

	flavour->used += !*place;
	*place = (uint64_t)(uintptr_t)block | (hash_of(block->pc) & ~(uint64_t)ADDRESS);
}

static bool is_crowded(const struct papi_vpmu_flavour *flavour)
{
	uint64_t blocks = 0;

	for (uint64_t i = 0; i <= mask_of(flavour); i++)
		blocks += is_block(flavour->places[i]);
	return blocks > mask_of(flavour) / 4;
}

/* Other places, without those that are removed; more if it is blocks that there are many of. False when there is no
 * memory for them. */
static bool spread(struct papi_vpmu_flavour *flavour)
{
	struct papi_vpmu_flavour wider = *flavour;

	wider.bits += is_crowded(flavour) && wider.bits < MOST_PLACES ? PLACES_STEP : 0;
	wider.used = 0;
	wider.places = papi_vpmu_memory_map(sizeof(*wider.places) << wider.bits);
	if (!wider.places)
		return false;
	papi_vpmu_memory_prepare(wider.places, sizeof(*wider.places) << wider.bits, true);
	for (uint64_t i = 0; i <= mask_of(flavour); i++)
		if (is_block(flavour->places[i]))
			put(&wider, block_in(flavour->places[i]));
	papi_vpmu_memory_unmap(flavour->places, sizeof(*flavour->places) << flavour->bits);
	*flavour = wider;
	return true;
}

struct papi_vpmu_block *papi_vpmu_cache_find(const struct papi_vpmu_flavour *flavour, uint64_t pc)
{
	return block_in(*find_place(flavour, pc));
}

/* One place has to stay free, where searches end. */
bool papi_vpmu_flavour_open(struct papi_vpmu_flavour *flavour)
{
	return flavour->used < mask_of(flavour) / 2 || spread(flavour) || flavour->used < mask_of(flavour);
}

void papi_vpmu_flavour_add(struct papi_vpmu_block *block)
{
	put(block->flavour, block);
}

void papi_vpmu_flavour_remove(const struct papi_vpmu_block *block)
{
	uint64_t *place = find_place(block->flavour, block->pc);

	if (block_in(*place) == block)
		*place = REMOVED;
}

void papi_vpmu_flavours_invalidate(uint64_t start, uint64_t end, void (*removed)(struct papi_vpmu_block *block))
{
	for (unsigned i = 0; i < n_flavours; i++)
		for (uint64_t j = 0; j <= mask_of(&flavours[i]); j++) {
			uint64_t *place = &flavours[i].places[j];
			struct papi_vpmu_block *block = block_in(*place);

			if (!is_block(*place) || block->pc >= end || start >= block->pc + block->size)
				continue;
			removed(block);
			*place = REMOVED;
		}
}

static void empty(struct papi_vpmu_flavour *flavour, void (*removed)(struct papi_vpmu_block *block))
{
	for (uint64_t i = 0; i <= mask_of(flavour); i++) {
		if (is_block(flavour->places[i]))
			removed(block_in(flavour->places[i]));
		flavour->places[i] = 0;
	}
	flavour->used = 0;
}

void papi_vpmu_flavours_empty(void (*removed)(struct papi_vpmu_block *block))
{
	for (unsigned i = 0; i < n_flavours; i++)
		empty(&flavours[i], removed);
}

void papi_vpmu_flavours_forget(void)
{
	for (unsigned i = 0; i < n_flavours; i++) {
		papi_vpmu_memory_unmap(flavours[i].places, sizeof(*flavours[i].places) << flavours[i].bits);
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
	if (free->places) {
		empty(free, papi_vpmu_cache_make_stale);
	} else {
		free->bits = FEWEST_PLACES;
		free->places = papi_vpmu_memory_map(sizeof(*free->places) << free->bits);
	}
	if (!free->places)
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
