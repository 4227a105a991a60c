/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/x86_64/cache.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "components/vpmu/x86_64/jumps.h"
#include "components/vpmu/x86_64/maps.h"
#include "components/vpmu/x86_64/raw.h"
#include "components/vpmu/x86_64/thread.h"
#include "core/error.h"

#define SEGMENT_SIZE ((size_t)32 << 20)
#define MAX_SEGMENTS 32
#define MAX_BLOCKS (1u << 18) /* in a segment */
#define MAX_LINKS (1u << 19)
#define MAX_MARKS (1u << 23)
#define MAX_BYTES ((size_t)1 << 26)
#define MAX_FLAVOURS 32

/* Before the entry of each block: the way to the dispatcher that a stale block takes, by a short jump back. */
#define STALE_STUB 24
#define SHORT_JUMP_BACK (uint16_t)(0xeb | (0x100 - STALE_STUB - 2) << 8)

struct segment {
	uint8_t *write; /* NULL: the place in the table is free */
	uint64_t code;
	size_t used;
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
static struct segment *current;
static struct papi_vpmu_flavour flavours[MAX_FLAVOURS];
static uint64_t epoch;
static unsigned max_blocks = MAX_BLOCKS;
static atomic_int lock;

/* Held for microseconds, and often by none: waiting threads yield. */
void papi_vpmu_cache_lock(void)
{
	int expected = 0;

	while (!atomic_compare_exchange_weak_explicit(&lock, &expected, 1, memory_order_acquire, memory_order_relaxed)) {
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

static void give_back(struct segment *segment)
{
	unmap(segment->write, SEGMENT_SIZE);
	unmap((void *)(uintptr_t)segment->code, SEGMENT_SIZE);
	unmap(segment->blocks, MAX_BLOCKS * sizeof(*segment->blocks));
	unmap(segment->links, MAX_LINKS * sizeof(*segment->links));
	unmap(segment->marks, MAX_MARKS * sizeof(*segment->marks));
	unmap(segment->bytes, MAX_BYTES);
	memset(segment, 0, sizeof(*segment));
}

/* Both views of a segment's code. Near the program, its displacements reach what they name. No file: its size would be
 * limited by that of the program's files. */
static bool map_code(struct segment *segment)
{
	uint64_t near = papi_vpmu_maps_place_near_program(SEGMENT_SIZE * MAX_SEGMENTS);
	const int flags = MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, run = PROT_READ | PROT_EXEC;
	void *code = NULL;
	long again;

	if (near)
		code = map((void *)(uintptr_t)(near + (uint64_t)(segment - segments) * SEGMENT_SIZE), SEGMENT_SIZE, run,
			   flags | MAP_FIXED_NOREPLACE);
	if (!code)
		code = map(NULL, SEGMENT_SIZE, run, flags);
	if (!code)
		return false;
	segment->code = (uint64_t)(uintptr_t)code;
	/* An old size of 0 maps the same memory a second time. */
	again = papi_vpmu_raw(SYS_mremap, (long)code, 0, (long)SEGMENT_SIZE, MREMAP_MAYMOVE, 0, 0);
	if (again < 0 && again > -4096)
		return false;
	segment->write = (uint8_t *)again; /* NOLINT(performance-no-int-to-ptr) */
	return papi_vpmu_raw(SYS_mprotect, again, (long)SEGMENT_SIZE, PROT_READ | PROT_WRITE, 0, 0, 0) == 0;
}

static bool new_segment(void)
{
	struct segment *segment = segments;

	while (segment < segments + MAX_SEGMENTS && segment->write)
		segment++;
	if (segment == segments + MAX_SEGMENTS)
		return false;
	if (!map_code(segment)) {
		give_back(segment);
		return false;
	}
	segment->blocks = map_memory(MAX_BLOCKS * sizeof(*segment->blocks));
	segment->links = map_memory(MAX_LINKS * sizeof(*segment->links));
	segment->marks = map_memory(MAX_MARKS * sizeof(*segment->marks));
	segment->bytes = map_memory(MAX_BYTES);
	if (!segment->blocks || !segment->links || !segment->marks || !segment->bytes) {
		give_back(segment);
		return false;
	}
	segment->opened_at = epoch;
	current = segment;
	return true;
}

static void read_limit(void)
{
	const char *text = secure_getenv("PAPI_VPMU_BLOCKS");
	unsigned long number = text ? strtoul(text, NULL, 0) : 0;

	if (number >= 16 && number < MAX_BLOCKS)
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
		return papi_error(PAPI_ECMP, "no executable memory can be mapped, which translation needs (mmap and mremap of "
				  "shared memory; a security policy may forbid it)");
	return PAPI_OK;
}

/* The code itself is shared with the parent, which goes on writing to it: nothing of it is touched. */
void papi_vpmu_cache_forked(void)
{
	for (unsigned i = 0; i < MAX_SEGMENTS; i++) {
		struct segment *segment = &segments[i];

		unmap(segment->write, segment->write ? SEGMENT_SIZE : 0);
		unmap(segment->blocks, MAX_BLOCKS * sizeof(*segment->blocks));
		unmap(segment->links, MAX_LINKS * sizeof(*segment->links));
		unmap(segment->marks, MAX_MARKS * sizeof(*segment->marks));
		unmap(segment->bytes, MAX_BYTES);
		memset(segment, 0, sizeof(*segment));
	}
	for (unsigned i = 0; i < MAX_FLAVOURS; i++) {
		unmap(flavours[i].buckets, sizeof(*flavours[i].buckets) << PAPI_VPMU_BUCKET_BITS);
		memset(&flavours[i], 0, sizeof(flavours[i]));
	}
	current = NULL;
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

static void make_stale(struct papi_vpmu_block *block)
{
	uint8_t *entry;
	const uint16_t jump = SHORT_JUMP_BACK;

	if (block->stale)
		return;
	block->stale = true;
	for (struct segment *segment = segments; segment < segments + MAX_SEGMENTS; segment++)
		if (segment->write && block->code - segment->code < SEGMENT_SIZE) {
			entry = segment->write + (block->code - segment->code);
			/* Entries are aligned: other threads see the old bytes or the new. */
			__atomic_store_n((uint16_t *)(void *)entry, jump, __ATOMIC_RELEASE);
		}
}

static void empty_flavour(struct papi_vpmu_flavour *flavour)
{
	for (unsigned i = 0; i < 1u << PAPI_VPMU_BUCKET_BITS; i++) {
		for (struct papi_vpmu_block *block = flavour->buckets[i]; block; block = block->next)
			make_stale(block);
		flavour->buckets[i] = NULL;
	}
}

static struct papi_vpmu_flavour *use_flavour(const struct papi_vpmu_wants *wants, bool library, bool step)
{
	struct papi_vpmu_flavour *free = NULL;

	for (struct papi_vpmu_flavour *flavour = flavours; flavour < flavours + MAX_FLAVOURS; flavour++) {
		if (!flavour->buckets)
			free = free && !free->buckets ? free : flavour;
		else if (flavour->library == library && flavour->step == step && same_wants(&flavour->wants, wants))
			return flavour;
		else if (!flavour->users && !flavour->library && !free)
			free = flavour;
	}
	if (!free)
		return NULL;
	if (free->buckets)
		empty_flavour(free);
	else
		free->buckets = map_memory(sizeof(*free->buckets) << PAPI_VPMU_BUCKET_BITS);
	if (!free->buckets)
		return NULL;
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

/* The blocks of a page of code share a page of the table: touching pages is what takes longest at the beginning. */
static struct papi_vpmu_block **bucket(const struct papi_vpmu_flavour *flavour, uint64_t pc)
{
	const unsigned bits = 9; /* of a place in a page */
	uint64_t page = (pc >> 12) * 0x9e3779b97f4a7c15u >> (64 - (PAPI_VPMU_BUCKET_BITS - bits));

	return &flavour->buckets[page << bits | (pc * 0x9e3779b97f4a7c15u & 0xfff) >> (12 - bits)];
}

struct papi_vpmu_block *papi_vpmu_cache_find(const struct papi_vpmu_flavour *flavour, uint64_t pc)
{
	struct papi_vpmu_block *block = *bucket(flavour, pc);

	while (block && block->pc != pc)
		block = block->next;
	return block;
}

bool papi_vpmu_cache_is_current(uint64_t code)
{
	return current && code - current->code < SEGMENT_SIZE;
}

bool papi_vpmu_cache_holds(uint64_t code)
{
	for (unsigned i = 0; i < MAX_SEGMENTS; i++)
		if (segments[i].code && code - segments[i].code < SEGMENT_SIZE)
			return true;
	return false;
}

const struct papi_vpmu_block *papi_vpmu_cache_block_at(uint64_t code)
{
	const struct segment *segment = segments;
	unsigned low = 0, high;

	while (segment < segments + MAX_SEGMENTS && !(segment->code && code - segment->code < SEGMENT_SIZE))
		segment++;
	if (segment == segments + MAX_SEGMENTS)
		return NULL;
	high = atomic_load_explicit(&segment->n_blocks, memory_order_acquire);
	while (low < high) { /* the last one whose stub starts at or before code */
		unsigned middle = (low + high) / 2;

		if (segment->blocks[middle].code - STALE_STUB <= code)
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
	for (unsigned i = 0; i < MAX_SEGMENTS; i++) {
		uint32_t offset = code - (uint32_t)segments[i].code;

		if (segments[i].code && offset < SEGMENT_SIZE)
			return papi_vpmu_cache_block_at(segments[i].code + offset);
	}
	return NULL;
}

bool papi_vpmu_cache_open(struct papi_vpmu_emitter *e)
{
	if (!current)
		return false;
	if (SEGMENT_SIZE - current->used < PAPI_VPMU_EMIT_MARGIN || current->n_blocks >= max_blocks ||
	    current->n_links >= MAX_LINKS - 1024 || current->n_marks >= MAX_MARKS - 2048 ||
	    current->n_bytes >= MAX_BYTES - 4096)
		return false;
	e->next = current->write + current->used;
	e->to_code = (intptr_t)current->code - (intptr_t)current->write;
	return true;
}

void papi_vpmu_cache_begin_block(struct papi_vpmu_emitter *e, uint64_t pc)
{
	int64_t link = papi_vpmu_cache_new_link(pc, NULL, 0);
	uint8_t *start;

	while ((uintptr_t)e->next % 8)
		papi_vpmu_emit_byte(e, 0xcc);
	start = e->next;
	papi_vpmu_emit_store_constant(e, VPMU_EXIT, (int32_t)link);
	papi_vpmu_emit_jump_through(e, VPMU_DISPATCH);
	while (e->next < start + STALE_STUB)
		papi_vpmu_emit_byte(e, 0xcc);
}

struct papi_vpmu_block *papi_vpmu_cache_close(const struct papi_vpmu_emitter *e, const struct papi_vpmu_block *block,
					      const struct papi_vpmu_mark *marks)
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
		struct papi_vpmu_block **head = bucket(block->flavour, block->pc);

		kept->next = *head;
		*head = kept;
	}
	atomic_store_explicit(&current->n_blocks, n + 1, memory_order_release);
	return kept;
}

/* ---- links ---- */

int64_t papi_vpmu_cache_new_link(uint64_t pc, uint8_t *place, intptr_t to_code)
{
	unsigned n = current->n_links++;

	current->links[n] = (struct papi_vpmu_link){ pc, place, to_code };
	return (int64_t)(current - segments) * MAX_LINKS + n;
}

struct papi_vpmu_link papi_vpmu_cache_link(int64_t number)
{
	const struct segment *segment = &segments[number / MAX_LINKS];
	struct papi_vpmu_link link = segment->links[number % MAX_LINKS];

	if (segment->retired)
		link.place = NULL;
	return link;
}

void papi_vpmu_cache_connect(const struct papi_vpmu_link *link, uint64_t code)
{
	int64_t distance = (int64_t)(code - ((uint64_t)((intptr_t)link->place + link->to_code) + 4));

	if (link->place && distance == (int32_t)distance)
		__atomic_store_n((int32_t *)(void *)link->place, (int32_t)distance, __ATOMIC_RELEASE);
}

/* ---- what becomes stale ---- */

void papi_vpmu_cache_invalidate(uint64_t start, uint64_t end)
{
	if (!papi_vpmu_maps_forget(start, end))
		return;
	for (unsigned i = 0; i < MAX_FLAVOURS; i++) {
		struct papi_vpmu_flavour *flavour = &flavours[i];

		for (unsigned j = 0; flavour->buckets && j < 1u << PAPI_VPMU_BUCKET_BITS; j++) {
			struct papi_vpmu_block **place = &flavour->buckets[j];

			while (*place) {
				struct papi_vpmu_block *block = *place;

				if (block->pc < end && start < block->pc + block->size) {
					make_stale(block);
					*place = block->next;
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
	if (*place)
		*place = block->next;
	make_stale(block);
}

void papi_vpmu_cache_flush(void)
{
	for (unsigned i = 0; i < MAX_FLAVOURS; i++)
		if (flavours[i].buckets)
			empty_flavour(&flavours[i]);
	epoch++;
	if (current)
		current->retired = true;
	current = NULL;
	new_segment();
}

void papi_vpmu_cache_pass(struct papi_vpmu_thread *thread)
{
	if (thread->epoch == epoch)
		return;
	papi_vpmu_jumps_forget(thread);
	thread->epoch = epoch;
	for (struct segment *segment = segments; segment < segments + MAX_SEGMENTS; segment++)
		if (segment->retired && !papi_vpmu_threads_are_in(segment->opened_at))
			give_back(segment);
}
