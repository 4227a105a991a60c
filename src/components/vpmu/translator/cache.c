/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/translator/cache.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/error.h"
#include "components/vpmu/translator/jumps.h"
#include "components/vpmu/translator/maps.h"
#include "components/vpmu/translator/marks.h"
#include "components/vpmu/translator/processor.h"
#include "components/vpmu/translator/segments.h"
#include "components/vpmu/translator/thread.h"

/* Numbers of links of a segment. */
#define LINK_NUMBERS (1 << 19)

static unsigned live_blocks;
static atomic_uint made;
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

bool papi_vpmu_cache_is_free(void)
{
	for (unsigned tries = 0; tries < 1000; tries++) {
		int expected = 0;

		if (atomic_compare_exchange_strong(&lock, &expected, 1)) {
			papi_vpmu_cache_unlock();
			return true;
		}
		papi_vpmu_raw(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
	}
	return false;
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
	if (!papi_vpmu_segment)
		read_limit();
	ready = papi_vpmu_segment || papi_vpmu_segment_open(epoch);
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
	papi_vpmu_segments_forget();
	papi_vpmu_flavours_forget();
	live_blocks = 0;
	atomic_store(&lock, 0);
}

/* ---- blocks ---- */

bool papi_vpmu_cache_open(struct papi_vpmu_emitter *e)
{
	const struct papi_vpmu_segment *segment;

	if (live_blocks >= max_blocks || !papi_vpmu_segment_open(epoch))
		return false;
	segment = papi_vpmu_segment;
	e->next = segment->write + segment->used;
	e->to_code = (intptr_t)segment->code - (intptr_t)segment->write;
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
	struct papi_vpmu_segment *current = papi_vpmu_segment;
	unsigned n = atomic_load_explicit(&current->n_blocks, memory_order_relaxed);
	struct papi_vpmu_block *kept = &current->blocks[n];

	*kept = *block;
	kept->code_size = (uint32_t)(papi_vpmu_emit_address(e) - block->code);
	kept->marks = current->marks + current->marks_size;
	current->marks_size += papi_vpmu_marks_pack(marks, block->n_marks, current->marks + current->marks_size);
	kept->bytes = current->bytes + current->n_bytes;
	for (unsigned i = 0; i < block->size; i++)
		current->bytes[current->n_bytes++] = ((const uint8_t *)(uintptr_t)block->pc)[i];
	current->used = (size_t)(e->next - current->write);
	if (block->flavour && !block->follows)
		papi_vpmu_flavour_add(kept);
	live_blocks++;
	atomic_fetch_add_explicit(&made, 1, memory_order_relaxed);
	atomic_store_explicit(&current->n_blocks, n + 1, memory_order_release);
	return kept;
}

unsigned papi_vpmu_cache_blocks_made(void)
{
	return atomic_load_explicit(&made, memory_order_relaxed);
}

/* ---- links ---- */

int64_t papi_vpmu_cache_next_link(void)
{
	return (int64_t)papi_vpmu_segment_place(papi_vpmu_segment) * LINK_NUMBERS + papi_vpmu_segment->n_links;
}

int64_t papi_vpmu_cache_new_link(const struct papi_vpmu_link *link)
{
	int64_t number = papi_vpmu_cache_next_link();

	papi_vpmu_segment->links[papi_vpmu_segment->n_links++] = *link;
	return number;
}

static struct papi_vpmu_segment *segment_of_link(int64_t number)
{
	return papi_vpmu_segment_at((unsigned)(number / LINK_NUMBERS));
}

static struct papi_vpmu_link *link_of(int64_t number)
{
	return &segment_of_link(number)->links[number % LINK_NUMBERS];
}

struct papi_vpmu_link papi_vpmu_cache_link(int64_t number)
{
	struct papi_vpmu_link link = *link_of(number);

	if (segment_of_link(number)->retired)
		link.place = NULL;
	return link;
}

void papi_vpmu_cache_connect(int64_t number, struct papi_vpmu_block *block)
{
	struct papi_vpmu_link *link = link_of(number);

	if (!link->place || segment_of_link(number)->retired)
		return;
	papi_vpmu_processor_connect(link, block->code);
	if (!papi_vpmu_processor_disconnects || link->leads)
		return;
	link->leads = true;
	link->next = block->links;
	block->links = (int32_t)(number + 1);
}

/* Once a segment is retired its links are in no list any more: those of a list are in segments that are there. */
static void disconnect(struct papi_vpmu_block *block)
{
	while (block->links) {
		struct papi_vpmu_link *link = link_of(block->links - 1);

		papi_vpmu_processor_disconnect(link);
		block->links = link->next;
		link->next = 0;
		link->leads = false;
	}
}

/* ---- what becomes stale ---- */

uint8_t *papi_vpmu_cache_written(uint64_t code, intptr_t *to_code)
{
	const struct papi_vpmu_segment *segment = papi_vpmu_segment_of(code);

	*to_code = (intptr_t)segment->code - (intptr_t)segment->write;
	return segment->write + (code - segment->code);
}

void papi_vpmu_cache_make_stale(struct papi_vpmu_block *block)
{
	intptr_t to_code;
	uint8_t *written = papi_vpmu_cache_written(block->code, &to_code);

	if (block->stale)
		return;
	block->stale = true;
	papi_vpmu_processor_make_stale(written, to_code, block->before);
	disconnect(block);
}

void papi_vpmu_cache_invalidate(uint64_t start, uint64_t end)
{
	if (papi_vpmu_maps_forget(start, end))
		papi_vpmu_flavours_invalidate(start, end, papi_vpmu_cache_make_stale);
}

void papi_vpmu_cache_remove(struct papi_vpmu_block *block)
{
	papi_vpmu_flavour_remove(block);
	papi_vpmu_cache_make_stale(block);
}

void papi_vpmu_cache_flush(void)
{
	papi_vpmu_flavours_empty(papi_vpmu_cache_make_stale);
	epoch++;
	papi_vpmu_segments_retire();
	live_blocks = 0;
}

void papi_vpmu_cache_pass(struct papi_vpmu_thread *thread)
{
	if (thread->epoch == epoch)
		return;
	papi_vpmu_jumps_forget(thread);
	thread->epoch = epoch;
	papi_vpmu_segments_pass(papi_vpmu_threads_are_in);
}
