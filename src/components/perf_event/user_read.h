/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading a counter from user space.
 *
 * The kernel shares one page per event with its owner. Where the PMU allows it, the page tells in which hardware
 * counter the event is at this moment and what to add to it; the sequence number `lock` changes whenever the kernel
 * moves the event. So: note lock, take index, offset and the counter, and start over if lock is not what it was. Both
 * sides run on the same CPU (the page is the calling thread's own event), hence compiler barriers are enough.
 *
 *	count = offset + (counter sign-extended from pmc_width bits)
 *
 * It is a question per event and per read: index 0 means that the event is in no counter now, and that read goes to the
 * kernel. Source: perf_event_open(2), struct perf_event_mmap_page.
 *
 * Signal-safe, no side effects. read_counter is a parameter for tests; the compiler inlines the real one.
 */
#ifndef PAPI_PERF_USER_READ_H
#define PAPI_PERF_USER_READ_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include "components/perf_event/hardware_counter.h"

#define PAPI_COMPILER_BARRIER() __asm__ volatile("" ::: "memory")

static inline bool papi_user_read(
	const volatile struct perf_event_mmap_page *page, uint64_t (*read_counter)(uint32_t index), uint64_t *count)
{
	uint32_t sequence;

	do {
		uint32_t index;
		uint64_t value;

		sequence = page->lock;
		PAPI_COMPILER_BARRIER();
		index = page->index;
		value = (uint64_t)page->offset;
		if (!page->cap_user_rdpmc || !index)
			return false;
		if (page->pmc_width) {
			unsigned unused = 64u - page->pmc_width;

			value += (uint64_t)((int64_t)(read_counter(index - 1) << unused) >> unused);
		}
		*count = value;
		PAPI_COMPILER_BARRIER();
	} while (page->lock != sequence);
	return true;
}

/* Where a counter is at this moment, for reading it more than once; sequence is the lock of the page that said so. */
struct papi_user_place {
	uint32_t sequence, index; /* index: what read_counter takes */
	unsigned width;
	uint64_t offset;
};

/* False if the event is in no counter. */
static inline bool papi_user_place(const volatile struct perf_event_mmap_page *page, struct papi_user_place *place)
{
	bool placed;

	do {
		place->sequence = page->lock;
		PAPI_COMPILER_BARRIER();
		placed = page->cap_user_rdpmc && page->index;
		place->index = page->index - 1;
		place->width = page->pmc_width;
		place->offset = (uint64_t)page->offset;
		PAPI_COMPILER_BARRIER();
	} while (page->lock != place->sequence);
	return placed;
}

/*
 * How to tell the time from the clock of the CPU: the page has how long the event was enabled and running when the
 * kernel last looked, and how to make the time since then. Good until the page's lock changes.
 */
struct papi_user_clock {
	uint32_t sequence, mult;
	unsigned shift;
	bool is_short, running;
	uint64_t cycles, mask, enabled_then, running_then, offset;
};

/* Call and what depends on it between two looks at the lock. False where the page does not tell. */
static inline bool papi_user_clock_copy(const volatile struct perf_event_mmap_page *page, struct papi_user_clock *clock)
{
	clock->mult = page->time_mult;
	clock->shift = page->time_shift;
	clock->is_short = page->cap_user_time_short;
	clock->running = page->index;
	clock->cycles = page->time_cycles;
	clock->mask = page->time_mask;
	clock->enabled_then = page->time_enabled;
	clock->running_then = page->time_running;
	clock->offset = page->time_offset;
	return page->cap_user_time;
}

static inline bool papi_user_clock(const volatile struct perf_event_mmap_page *page, struct papi_user_clock *clock)
{
	bool tells;

	do {
		clock->sequence = page->lock;
		PAPI_COMPILER_BARRIER();
		tells = papi_user_clock_copy(page, clock);
		PAPI_COMPILER_BARRIER();
	} while (page->lock != clock->sequence);
	return tells;
}

/* How long the event had been enabled and running, in ns, when the clock of the CPU showed cycles. */
static inline void papi_user_times_at(
	const struct papi_user_clock *clock, uint64_t cycles, uint64_t *enabled, uint64_t *running)
{
	uint64_t quotient, remainder, delta;

	if (clock->is_short)
		cycles = clock->cycles + ((cycles - clock->cycles) & clock->mask);
	quotient = cycles >> clock->shift;
	remainder = cycles & (((uint64_t)1 << clock->shift) - 1);
	delta = clock->offset + quotient * clock->mult + (remainder * clock->mult >> clock->shift);
	*enabled = clock->enabled_then + delta;
	*running = clock->running_then + (clock->running ? delta : 0);
}

/* The same as of now. False where the page does not tell. */
static inline bool papi_user_times(const volatile struct perf_event_mmap_page *page, uint64_t (*read_clock)(void),
	uint64_t *enabled, uint64_t *running)
{
	struct papi_user_clock clock;
	uint64_t cycles;

	do {
		clock.sequence = page->lock;
		PAPI_COMPILER_BARRIER();
		if (!papi_user_clock_copy(page, &clock))
			return false;
		cycles = read_clock();
		PAPI_COMPILER_BARRIER();
	} while (page->lock != clock.sequence);
	papi_user_times_at(&clock, cycles, enabled, running);
	return true;
}

#endif
