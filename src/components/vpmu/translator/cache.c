/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/translator/cache.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/error.h"
#include "components/vpmu/translator/jumps.h"
#include "components/vpmu/translator/maps.h"
#include "components/vpmu/translator/processor.h"
#include "components/vpmu/translator/region.h"
#include "components/vpmu/translator/thread.h"

/* Segments grow with what is in use, and all of them together up to a limit: then all starts again. */
#define SEGMENT_SMALLEST ((size_t)1 << 20)
#define SEGMENT_LARGEST  ((size_t)8 << 20)
#define LIVE_SIZE        ((size_t)32 << 20)
#define MAX_SEGMENTS     192
/* So many flavours are kept when no thread uses them any more; there are more only where threads do. */
#define KEPT_FLAVOURS 32
#define MAX_FLAVOURS  512
/* Numbers of links of a segment. */
#define LINK_NUMBERS (1 << 19)

/* What there is for so many bytes of code; a segment is full when one of them is. Programs have about three
 * quarters. */
#define PER_BLOCK 80
#define PER_LINK  40
#define PER_MARK  10
#define PER_BYTE  5 /* of the program */

/* Buckets of a flavour, as a power of two: a small program touches few pages. */
#define FEWEST_BUCKETS 10
#define MOST_BUCKETS   16
#define BUCKET_STEP    3

struct segment {
	uint8_t *write; /* NULL: the place in the table is free */
	uint64_t code;
	size_t size, used;
	void *tables;                   /* the following, in one piece of memory */
	struct papi_vpmu_block *blocks; /* in the order of their code */
	atomic_uint n_blocks;
	struct papi_vpmu_link *links;
	unsigned n_links;
	struct papi_vpmu_mark *marks;
	unsigned n_marks;
	uint8_t *bytes; /* of the program, one block's after the other's */
	size_t n_bytes;
	bool retired;
	uint64_t opened_at; /* epoch: threads that have been in the dispatcher since are not in an older one */
};

static struct segment segments[MAX_SEGMENTS];
static unsigned n_segments; /* places of the table that have ever been taken */
static struct segment *current;
static size_t live_size; /* of those that are not retired */
static unsigned live_blocks;
static struct papi_vpmu_flavour flavours[MAX_FLAVOURS];
static unsigned n_flavours; /* places of the table that have ever been taken */
static uint64_t epoch;
static unsigned max_blocks = UINT_MAX;
static atomic_int lock;

/* Held for microseconds, and often by none: waiting threads yield. */
void papi_vpmu_cache_lock(void)
{
	int expected = 0;

	while (!atomic_compare_exchange_weak_explicit(
		&lock, &expected, 1, memory_order_acquire, memory_order_relaxed)) {
		expected = 0;
		papi_vpmu_raw(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
	}
}

void papi_vpmu_cache_unlock(void)
{
	atomic_store_explicit(&lock, 0, memory_order_release);
}

/* Raw: mapping memory happens between two instructions of the program. */
static void *map(void *at, size_t size, int protection, int flags)
{
	long address = papi_vpmu_raw(SYS_mmap, (long)at, (long)size, protection, flags, -1, 0);

	return address < 0 && address > -4096 ? NULL : (void *)address; /* NOLINT(performance-no-int-to-ptr) */
}

static void *map_memory(size_t size)
{
	return map(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE);
}

static void unmap(const void *memory, size_t size)
{
	if (memory)
		papi_vpmu_raw(SYS_munmap, (long)memory, (long)size, 0, 0, 0, 0);
}

static size_t size_of_tables(size_t size)
{
	return size / PER_BLOCK * sizeof(struct papi_vpmu_block) + size / PER_LINK * sizeof(struct papi_vpmu_link) +
		size / PER_MARK * sizeof(struct papi_vpmu_mark) + size / PER_BYTE;
}

static void give_back(struct segment *segment)
{
	if (segment->code)
		papi_vpmu_region_unmap((void *)(uintptr_t)segment->code, segment->size);
	unmap(segment->write, segment->size);
	unmap(segment->tables, size_of_tables(segment->size));
	memset(segment, 0, sizeof(*segment));
}

static bool map_tables(struct segment *segment)
{
	char *memory = map_memory(size_of_tables(segment->size));

	segment->tables = memory;
	segment->blocks = (struct papi_vpmu_block *)(void *)memory;
	segment->links = (struct papi_vpmu_link *)(segment->blocks + segment->size / PER_BLOCK);
	segment->marks = (struct papi_vpmu_mark *)(segment->links + segment->size / PER_LINK);
	segment->bytes = (uint8_t *)(segment->marks + segment->size / PER_MARK);
	return memory;
}

/* Both views of a segment's code. No file: its size would be limited by that of the program's files. */
static bool map_code(struct segment *segment)
{
	void *code = papi_vpmu_region_map(
		segment->size, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE);
	long again;

	if (!code)
		return false;
	segment->code = (uint64_t)(uintptr_t)code;
	/* An old size of 0 maps the same memory a second time. */
	again = papi_vpmu_raw(SYS_mremap, (long)code, 0, (long)segment->size, MREMAP_MAYMOVE, 0, 0);
	if (again < 0 && again > -4096)
		return false;
	segment->write = (uint8_t *)again; /* NOLINT(performance-no-int-to-ptr) */
	return papi_vpmu_raw(SYS_mprotect, again, (long)segment->size, PROT_READ | PROT_WRITE, 0, 0, 0) == 0;
}

static bool new_segment(void)
{
	struct segment *segment = segments;

	while (segment < segments + MAX_SEGMENTS && segment->write)
		segment++;
	if (segment == segments + MAX_SEGMENTS || live_size >= LIVE_SIZE)
		return false;
	segment->size = live_size < SEGMENT_SMALLEST ? SEGMENT_SMALLEST
		: live_size > SEGMENT_LARGEST        ? SEGMENT_LARGEST
						     : live_size;
	if (!map_code(segment) || !map_tables(segment)) {
		give_back(segment);
		return false;
	}
	segment->opened_at = epoch;
	if (segment >= segments + n_segments)
		n_segments = (unsigned)(segment - segments) + 1;
	live_size += segment->size;
	current = segment;
	return true;
}

static void read_limit(void)
{
	const char *text = secure_getenv("PAPI_VPMU_BLOCKS");
	unsigned long number = text ? strtoul(text, NULL, 0) : 0;

	if (number >= 16 && number < UINT_MAX)
		max_blocks = (unsigned)number;
}

int papi_vpmu_cache_begin(void)
{
	bool ready;

	papi_vpmu_cache_lock();
	if (!current)
		read_limit();
	ready = current || new_segment();
	papi_vpmu_cache_unlock();
	if (!ready)
		return papi_error(PAPI_ECMP,
			"no executable memory can be mapped, which translation needs (mmap and mremap of "
			"shared memory; a security policy may forbid it)");
	return PAPI_OK;
}

/* The code itself is shared with the parent, which goes on writing to it: nothing of it is touched. */
void papi_vpmu_cache_forked(void)
{
	for (unsigned i = 0; i < n_segments; i++)
		give_back(&segments[i]);
	for (unsigned i = 0; i < n_flavours; i++) {
		unmap(flavours[i].buckets, sizeof(*flavours[i].buckets) << flavours[i].bits);
		memset(&flavours[i], 0, sizeof(flavours[i]));
	}
	current = NULL;
	live_size = live_blocks = n_flavours = 0;
	atomic_store(&lock, 0);
}

/* ---- flavours ---- */

static bool same_wants(const struct papi_vpmu_wants *a, const struct papi_vpmu_wants *b)
{
	return a->counters == b->counters && a->simulate == b->simulate && a->inherit == b->inherit &&
		a->instructions_start == b->instructions_start && a->instructions_end == b->instructions_end &&
		a->data_start == b->data_start && a->data_end == b->data_end && a->overflow == b->overflow &&
		(!a->overflow || !memcmp(a->weights, b->weights, sizeof(a->weights)));
}

static struct segment *segment_of(uint64_t code)
{
	for (struct segment *segment = segments; segment < segments + n_segments; segment++)
		if (segment->code && code - segment->code < segment->size)
			return segment;
	return NULL;
}

static void make_stale(struct papi_vpmu_block *block)
{
	const struct segment *segment = segment_of(block->code);
	if (block->stale)
		return;
	block->stale = true;
	papi_vpmu_processor_make_stale(segment->write + (block->code - segment->code));
}

static void empty_flavour(struct papi_vpmu_flavour *flavour)
{
	for (unsigned i = 0; i < 1u << flavour->bits; i++) {
		for (struct papi_vpmu_block *block = flavour->buckets[i]; block; block = block->next)
			make_stale(block);
		flavour->buckets[i] = NULL;
	}
	flavour->n_blocks = 0;
}

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
		if (flavour->library == library && flavour->step == step && same_wants(&flavour->wants, wants))
			return flavour;
	free = free_flavour();
	if (!free)
		return NULL;
	if (free->buckets) {
		empty_flavour(free);
	} else {
		free->bits = FEWEST_BUCKETS;
		free->buckets = map_memory(sizeof(*free->buckets) << free->bits);
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

/* ---- blocks ---- */

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
	wider.buckets = map_memory(sizeof(*wider.buckets) << wider.bits);
	if (!wider.buckets)
		return;
	for (unsigned i = 0; i < 1u << flavour->bits; i++) {
		while (flavour->buckets[i]) {
			struct papi_vpmu_block *block = flavour->buckets[i];

			flavour->buckets[i] = block->next;
			put_into_bucket(&wider, block);
		}
	}
	unmap(flavour->buckets, sizeof(*flavour->buckets) << flavour->bits);
	*flavour = wider;
}

struct papi_vpmu_block *papi_vpmu_cache_find(const struct papi_vpmu_flavour *flavour, uint64_t pc)
{
	struct papi_vpmu_block *block = *bucket(flavour, pc);

	while (block && block->pc != pc)
		block = block->next;
	return block;
}

bool papi_vpmu_cache_is_live(uint64_t code)
{
	const struct segment *segment = segment_of(code);

	return segment && !segment->retired;
}

bool papi_vpmu_cache_holds(uint64_t code)
{
	return segment_of(code);
}

const struct papi_vpmu_block *papi_vpmu_cache_block_at(uint64_t code)
{
	const struct segment *segment = segment_of(code);
	unsigned low = 0, high;

	if (!segment)
		return NULL;
	high = atomic_load_explicit(&segment->n_blocks, memory_order_acquire);
	while (low < high) { /* the last one whose stub starts at or before code */
		unsigned middle = (low + high) / 2;

		if (segment->blocks[middle].code - papi_vpmu_processor_stub <= code)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || code >= segment->blocks[low - 1].code + segment->blocks[low - 1].code_size)
		return NULL;
	return &segment->blocks[low - 1];
}

const struct papi_vpmu_block *papi_vpmu_cache_block_with(uint32_t code)
{
	for (unsigned i = 0; i < n_segments; i++) {
		uint32_t offset = code - (uint32_t)segments[i].code;

		if (segments[i].code && offset < segments[i].size)
			return papi_vpmu_cache_block_at(segments[i].code + offset);
	}
	return NULL;
}

/* Too full for another block, that is for the largest one there can be. */
static bool is_full(const struct segment *segment)
{
	return segment->size - segment->used < PAPI_VPMU_EMIT_MARGIN ||
		segment->n_blocks >= segment->size / PER_BLOCK || segment->n_links >= segment->size / PER_LINK - 1024 ||
		segment->n_marks >= segment->size / PER_MARK - 2048 ||
		segment->n_bytes >= segment->size / PER_BYTE - 4096;
}

bool papi_vpmu_cache_open(struct papi_vpmu_emitter *e)
{
	if (live_blocks >= max_blocks || ((!current || is_full(current)) && !new_segment()))
		return false;
	e->next = current->write + current->used;
	e->to_code = (intptr_t)current->code - (intptr_t)current->write;
	return true;
}

void papi_vpmu_cache_begin_block(struct papi_vpmu_emitter *e, uint64_t pc)
{
	int64_t link = papi_vpmu_cache_new_link(&(struct papi_vpmu_link){ .pc = pc });

	papi_vpmu_processor_begin_block(e, (int32_t)link);
}

struct papi_vpmu_block *papi_vpmu_cache_close(
	const struct papi_vpmu_emitter *e, const struct papi_vpmu_block *block, const struct papi_vpmu_mark *marks)
{
	unsigned n = atomic_load_explicit(&current->n_blocks, memory_order_relaxed);
	struct papi_vpmu_block *kept = &current->blocks[n];

	*kept = *block;
	kept->code_size = (uint32_t)(papi_vpmu_emit_address(e) - block->code);
	kept->marks = current->marks + current->n_marks;
	for (unsigned i = 0; i < block->n_marks; i++)
		kept->marks[i] = marks[i];
	current->n_marks += block->n_marks;
	kept->bytes = current->bytes + current->n_bytes;
	for (unsigned i = 0; i < block->size; i++)
		current->bytes[current->n_bytes++] = ((const uint8_t *)(uintptr_t)block->pc)[i];
	current->used = (size_t)(e->next - current->write);
	if (block->flavour && !block->follows) {
		if (++block->flavour->n_blocks > 1u << block->flavour->bits && block->flavour->bits < MOST_BUCKETS)
			spread(block->flavour);
		put_into_bucket(block->flavour, kept);
	}
	live_blocks++;
	atomic_store_explicit(&current->n_blocks, n + 1, memory_order_release);
	return kept;
}

/* ---- links ---- */

int64_t papi_vpmu_cache_next_link(void)
{
	return (int64_t)(current - segments) * LINK_NUMBERS + current->n_links;
}

int64_t papi_vpmu_cache_new_link(const struct papi_vpmu_link *link)
{
	int64_t number = papi_vpmu_cache_next_link();

	current->links[current->n_links++] = *link;
	return number;
}

struct papi_vpmu_link papi_vpmu_cache_link(int64_t number)
{
	const struct segment *segment = &segments[number / LINK_NUMBERS];
	struct papi_vpmu_link link = segment->links[number % LINK_NUMBERS];

	if (segment->retired)
		link.place = NULL;
	return link;
}

void papi_vpmu_cache_connect(const struct papi_vpmu_link *link, uint64_t code)
{
	if (link->place)
		papi_vpmu_processor_connect(link, code);
}

/* ---- what becomes stale ---- */

void papi_vpmu_cache_invalidate(uint64_t start, uint64_t end)
{
	if (!papi_vpmu_maps_forget(start, end))
		return;
	for (unsigned i = 0; i < n_flavours; i++) {
		struct papi_vpmu_flavour *flavour = &flavours[i];

		for (unsigned j = 0; j < 1u << flavour->bits; j++) {
			struct papi_vpmu_block **place = &flavour->buckets[j];

			while (*place) {
				struct papi_vpmu_block *block = *place;

				if (block->pc < end && start < block->pc + block->size) {
					make_stale(block);
					*place = block->next;
					flavour->n_blocks--;
				} else {
					place = &block->next;
				}
			}
		}
	}
}

void papi_vpmu_cache_remove(struct papi_vpmu_block *block)
{
	struct papi_vpmu_block **place = bucket(block->flavour, block->pc);

	while (*place && *place != block)
		place = &(*place)->next;
	if (*place) {
		*place = block->next;
		block->flavour->n_blocks--;
	}
	make_stale(block);
}

void papi_vpmu_cache_flush(void)
{
	for (unsigned i = 0; i < n_flavours; i++)
		empty_flavour(&flavours[i]);
	epoch++;
	for (unsigned i = 0; i < n_segments; i++)
		segments[i].retired = segments[i].write;
	live_size = live_blocks = 0;
	current = NULL;
}

void papi_vpmu_cache_pass(struct papi_vpmu_thread *thread)
{
	if (thread->epoch == epoch)
		return;
	papi_vpmu_jumps_forget(thread);
	thread->epoch = epoch;
	for (struct segment *segment = segments; segment < segments + n_segments; segment++)
		if (segment->retired && !papi_vpmu_threads_are_in(segment->opened_at))
			give_back(segment);
}
