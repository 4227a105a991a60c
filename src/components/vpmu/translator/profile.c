/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/translator/profile.h"

#include <stddef.h>
#include <sys/mman.h>

#include "components/vpmu/call_frame.h"
#include "components/vpmu/translator/cache.h"
#include "components/vpmu/translator/calls.h"
#include "components/vpmu/translator/memory.h"
#include "components/vpmu/translator/processor.h"
#include "components/vpmu/translator/profile_files.h"
#include "components/vpmu/translator/profile_modules.h"
#include "components/vpmu/translator/profile_pairs.h"
#include "components/vpmu/translator/profile_regions.h"
#include "components/vpmu/translator/thread.h"

#define FIRST_EXTENT 4096u /* ways */
/* Of no entry: what finds no room counts into these. As many as a block has ways, in all its copies. */
#define LOST_WAYS  PAPI_VPMU_PROFILE_LOST
#define MANY_LANES 256u /* from here on a thread gets the lane of one that has ended */
#define THREADS    64u  /* whose counters are mapped at once */

static bool is_on;
static uint32_t n_ways, room; /* numbers that are given away, and those that threads have counters for */
static uint32_t n_lanes;

bool papi_vpmu_profile_is_on(void)
{
	return is_on;
}

uint64_t papi_vpmu_profile_room(void)
{
	return is_on ? papi_vpmu_processor_pairs + PAPI_VPMU_PAIR_WORDS * sizeof(uint64_t) : 0;
}

static uint64_t *ways_of(const struct papi_vpmu_thread *thread)
{
	return (uint64_t *)((uintptr_t)thread + papi_vpmu_processor_ways);
}

/* ---- blocks by their pc and content ---- */

static uint32_t *blocks; /* offsets of entries; 0: free */
static uint32_t n_blocks, places;

static uint64_t mix(uint64_t hash, uint64_t value)
{
	return (hash ^ value) * 0x100000001b3u;
}

static uint64_t hash_of(const struct papi_vpmu_profiled *block, uint32_t module)
{
	uint64_t hash = mix(mix(mix(mix(0xcbf29ce484222325u, block->pc), module), block->copies), block->region);

	for (uint32_t i = 0; i < block->size; i++)
		hash = mix(hash, block->bytes[i]);
	for (unsigned i = 0; i < block->n_ways; i++)
		hash = mix(mix(hash, block->ways[i].kind), block->ways[i].n);
	return hash ^ hash >> 32;
}

static uint32_t *place_of(uint64_t hash, uint64_t pc)
{
	for (uint32_t i = (uint32_t)hash & (places - 1);; i = (i + 1) & (places - 1)) {
		const struct papi_vpmu_log_block *entry = papi_vpmu_log_at(blocks[i]);

		if (!blocks[i] || (entry->hash == hash && entry->pc == pc))
			return &blocks[i];
	}
}

/* At most half of the places are taken. */
static bool spread(void)
{
	uint32_t *old = blocks, n = places;

	if (2 * n_blocks < places)
		return true;
	blocks = papi_vpmu_memory_map((n ? 2 * (size_t)n : FIRST_EXTENT) * sizeof(*blocks));
	if (!blocks) {
		blocks = old;
		return n_blocks + 1 < places;
	}
	places = n ? 2 * n : FIRST_EXTENT;
	for (uint32_t i = 0; i < n; i++) {
		const struct papi_vpmu_log_block *entry = papi_vpmu_log_at(old[i]);

		if (old[i])
			*place_of(entry->hash, entry->pc) = old[i];
	}
	papi_vpmu_memory_unmap(old, n * sizeof(*blocks));
	return true;
}

/* ---- counters ---- */

static bool note_extent(uint32_t lane, uint32_t first, uint32_t number, uint64_t offset)
{
	struct papi_vpmu_log_extent *extent = papi_vpmu_log_open(PAPI_VPMU_LOG_EXTENT, sizeof(*extent));

	if (!extent)
		return false;
	extent->lane = lane;
	extent->first = first;
	extent->number = number;
	extent->offset = offset;
	papi_vpmu_log_close();
	return true;
}

static bool map_extents(struct papi_vpmu_thread *const *threads, unsigned n, uint32_t first, uint32_t number)
{
	uint64_t size = (uint64_t)number * sizeof(uint64_t), offset;
	void *at[THREADS] = { 0 };

	for (unsigned i = 0; i < n; i++)
		at[i] = ways_of(threads[i]) + first;
	offset = papi_vpmu_counts_map(at, n, size);
	for (unsigned i = 0; offset && i < n; i++)
		if (!note_extent(threads[i]->lane, first, number, offset + i * size))
			return false;
	return offset;
}

/* All threads get counters for as many ways again. */
static bool extend(void)
{
	struct papi_vpmu_thread *threads[THREADS];
	uint32_t number = room ? room : FIRST_EXTENT;
	unsigned n = 0;

	if (room + number > papi_vpmu_processor_max_ways)
		return false;
	for (struct papi_vpmu_thread *thread = papi_vpmu_threads_first(); thread; thread = thread->next) {
		if (!thread->lane)
			continue;
		threads[n++] = thread;
		if (n == THREADS && !map_extents(threads, n, room, number))
			return false;
		n %= THREADS;
	}
	if (n && !map_extents(threads, n, room, number))
		return false;
	room += number;
	return true;
}

uint32_t papi_vpmu_profile_take(uint32_t number)
{
	uint32_t first = n_ways;

	while (first + number > room)
		if (!extend())
			return 0;
	n_ways += number;
	return first;
}

/* Memory of its own, for code that counts all the same. */
static bool map_unheard(struct papi_vpmu_thread *thread)
{
	uint64_t size = (uint64_t)room * sizeof(uint64_t);

	return !papi_vpmu_failed(papi_vpmu_raw(SYS_mmap, (long)ways_of(thread), (long)size, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0));
}

static bool new_lane(struct papi_vpmu_thread *thread)
{
	struct papi_vpmu_log_lane *entry;

	entry = papi_vpmu_log_open(PAPI_VPMU_LOG_LANE, sizeof(*entry));
	if (!entry)
		return false;
	thread->lane = entry->lane = ++n_lanes;
	thread->lane_entry = papi_vpmu_log_offset(entry);
	entry->threads = 1;
	entry->tid = thread->signals.tid;
	papi_vpmu_log_head()->lanes = n_lanes;
	papi_vpmu_log_close();
	return map_extents(&thread, 1, 0, room);
}

bool papi_vpmu_profile_enter(struct papi_vpmu_thread *thread)
{
	struct papi_vpmu_log_lane *entry;

	if (thread->profiled)
		return true;
	if (!thread->has_room)
		return false;
	thread->profiled = true;
	if (thread->lane && n_lanes >= MANY_LANES) {
		entry = papi_vpmu_log_at(thread->lane_entry);
		entry->threads++;
		return true;
	}
	return new_lane(thread) || map_unheard(thread);
}

void papi_vpmu_profile_begun(const struct papi_vpmu_thread *thread)
{
	struct papi_vpmu_log_lane *entry;

	if (!thread->profiled || !thread->lane)
		return;
	papi_vpmu_cache_lock();
	entry = papi_vpmu_log_at(thread->lane_entry);
	if (!entry->tid)
		entry->tid = thread->signals.tid;
	papi_vpmu_cache_unlock();
}

/* ---- blocks ---- */

static struct papi_vpmu_log_block *new_block(const struct papi_vpmu_profiled *block, uint32_t module, uint64_t hash)
{
	size_t size = sizeof(struct papi_vpmu_log_block) + block->n_ways * sizeof(struct papi_vpmu_way);
	uint32_t first = papi_vpmu_profile_take(block->n_ways * block->copies);
	struct papi_vpmu_log_block *entry;
	uint8_t *description;

	if (!first)
		return NULL;
	entry = papi_vpmu_log_open(PAPI_VPMU_LOG_BLOCK, size + block->description_size);
	if (!entry)
		return NULL;
	entry->pc = block->pc;
	entry->hash = hash;
	entry->module = module;
	entry->first_way = first;
	entry->n_instructions = (uint8_t)block->n_instructions;
	entry->copies = (uint8_t)block->copies;
	entry->n_ways = (uint8_t)block->n_ways;
	entry->region = block->region;
	for (unsigned i = 0; i < block->n_ways; i++)
		entry->ways[i] = block->ways[i];
	description = (uint8_t *)(entry->ways + block->n_ways);
	for (unsigned i = 0; i < block->description_size; i++)
		description[i] = block->description[i];
	papi_vpmu_log_close();
	return entry;
}

uint8_t *papi_vpmu_profile_describe(
	uint8_t *at, unsigned length, uint64_t profile, const uint8_t counts[PAPI_VPMU_FIRST_MODELLED])
{
	uint8_t *number = at + 1;

	at[0] = (uint8_t)length;
	at[1] = 0;
	at += 2;
	for (uint64_t left = profile; left; left &= left - 1) {
		unsigned counter = (unsigned)__builtin_ctzll(left);

		if (!counts[counter])
			continue;
		*at++ = (uint8_t)counter;
		*at++ = counts[counter];
		++*number;
	}
	return at;
}

uint32_t papi_vpmu_profile_block(const struct papi_vpmu_profiled *block, uint32_t *first_way)
{
	uint32_t module = papi_vpmu_modules_number(block->pc);
	uint64_t hash = hash_of(block, module);
	const struct papi_vpmu_log_block *entry;
	uint32_t *place;

	*first_way = 0;
	if (!spread())
		return 0;
	place = place_of(hash, block->pc);
	if (!*place) {
		entry = new_block(block, module, hash);
		if (!entry)
			return 0;
		*place = papi_vpmu_log_offset(entry);
		n_blocks++;
	}
	entry = papi_vpmu_log_at(*place);
	*first_way = entry->first_way;
	return *place;
}

/* The number of a way; 0: the block has none such. */
static uint32_t find_way(uint32_t block, enum papi_vpmu_way_kind kind, unsigned n)
{
	const struct papi_vpmu_log_block *entry = papi_vpmu_log_at(block);

	for (uint32_t i = 0; i < entry->n_ways; i++)
		if (entry->ways[i].kind == kind && entry->ways[i].n == n)
			return entry->first_way + i;
	for (uint32_t next = entry->more; next;) {
		const struct papi_vpmu_log_way *way = papi_vpmu_log_at(next);

		if (way->way.kind == kind && way->way.n == n)
			return way->number;
		next = way->more;
	}
	return 0;
}

static uint32_t new_way(uint32_t block, enum papi_vpmu_way_kind kind, unsigned n)
{
	uint32_t number = papi_vpmu_profile_take(1);
	struct papi_vpmu_log_way *way;
	struct papi_vpmu_log_block *entry;

	way = number ? papi_vpmu_log_open(PAPI_VPMU_LOG_WAY, sizeof(*way)) : NULL;
	if (!way)
		return 0;
	entry = papi_vpmu_log_at(block);
	way->block = block;
	way->number = number;
	way->more = entry->more;
	way->way = (struct papi_vpmu_way){ (uint8_t)kind, (uint8_t)n };
	papi_vpmu_log_close();
	entry->more = papi_vpmu_log_offset(way);
	return number;
}

uint32_t papi_vpmu_profile_way(uint32_t block, enum papi_vpmu_way_kind kind, unsigned n)
{
	uint32_t number = find_way(block, kind, n);

	return number ? number : new_way(block, kind, n);
}

void papi_vpmu_profile_count(struct papi_vpmu_thread *thread, uint32_t number, uint64_t more)
{
	ways_of(thread)[number] += more;
}

void papi_vpmu_profile_add(
	struct papi_vpmu_thread *thread, uint32_t block, enum papi_vpmu_way_kind kind, unsigned n, uint64_t more)
{
	if (block && thread->profiled)
		papi_vpmu_profile_count(thread, papi_vpmu_profile_way(block, kind, n), more);
}

/* ---- beginning and forking ---- */

const char *papi_vpmu_profile_begin(const char *directory, uint64_t profile, uint64_t modelled, uint32_t contexts)
{
	const char *reason = papi_vpmu_files_begin(directory, profile, modelled);

	if (reason)
		return reason;
	n_ways = LOST_WAYS;
	papi_vpmu_pairs_begin(profile | modelled, contexts);
	is_on = papi_vpmu_modules_begin() && extend();
	return is_on ? NULL : "no room could be made for its profile on the disk";
}

void papi_vpmu_profile_forked(void)
{
	papi_vpmu_memory_unmap(blocks, places * sizeof(*blocks));
	blocks = NULL;
	n_blocks = places = n_ways = room = n_lanes = 0;
	is_on = false;
	papi_vpmu_pairs_forked();
	papi_vpmu_modules_forked();
	papi_vpmu_profile_regions_forked();
	papi_vpmu_files_forked();
}

void papi_vpmu_profile_end(void)
{
	if (!is_on)
		return;
	for (struct papi_vpmu_thread *thread = papi_vpmu_threads_first(); thread; thread = thread->next) {
		if (thread->lane)
			map_unheard(thread);
		thread->profiled = false;
		thread->lane = thread->lane_entry = 0;
	}
	papi_vpmu_profile_forked();
	papi_vpmu_cache_flush();
}

void papi_vpmu_profile_forget(uint64_t start, uint64_t end)
{
	if (!is_on || !papi_vpmu_modules_forget(start, end))
		return;
	for (struct papi_vpmu_thread *thread = papi_vpmu_threads_first(); thread; thread = thread->next)
		papi_vpmu_calls_forget(thread);
}
