/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The direct way (core/way.h): reading, starting and stopping without the kernel and without the component.
 *
 * A component whose counters the calling thread can read by itself describes them in a struct papi_direct; PAPI_read()
 * then follows it without a call. Next to each counter stands a sequence number in memory that the kernel writes: as
 * long as it shows what it did when the description was made, the counter is where the description says. If not, only
 * this call goes the full way: the component reads by its own means, and describes the counters anew.
 *
 * Signal-safe: inside the set.
 */
#ifndef PAPI_CORE_DIRECT_H
#define PAPI_CORE_DIRECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "linux/cpu/hardware_read.h"

struct papi_direct_counter {
	uint64_t reader; /* papi_hardware_reader(); 0 stands behind the last counter */
	const volatile uint32_t *sequence;
	uint64_t base; /* what the counter showed at the baseline */
	uint32_t
		expected; /* the sequence number that this is right for; odd: none, since the kernel leaves even ones */
};

struct papi_direct {
	bool can_keep;             /* stop may leave them counting, says the component */
	bool keeps;                /* and so does the engine: this is the set that the thread keeps */
	uint64_t started, stopped; /* papi_hardware_time() of the last direct start and of the stop after it; 0: none */
	struct papi_direct_counter counters[]; /* in the order of the values */
};

static inline struct papi_direct *papi_direct_of(struct papi_direct_counter *counters)
{
	return (struct papi_direct *)((char *)counters - offsetof(struct papi_direct, counters));
}

/*
 * Looks at sequence numbers and reads of counters are volatile, so compilers leave them in order; the kernel's side of
 * it runs on the same CPU.
 *
 * The first sequence number is also looked at before anything is read: on another kind of cores the instruction could
 * be one that is not allowed. A thread that moves moves with all its counters.
 */

/* All counts since the baseline. False, and values are worth nothing, where the component has to be asked. */
static inline bool papi_direct_read(const struct papi_direct_counter *next, long long values[])
{
	struct papi_direct_counter counter = *next;

	if (__builtin_expect(*counter.sequence != counter.expected, 0))
		return false;
	do {
		long long value = (long long)(papi_hardware_read(counter.reader) - counter.base);

		if (__builtin_expect(*counter.sequence != counter.expected || value < 0, 0))
			return false;
		*values++ = value;
		counter = *++next;
	} while (counter.reader);
	return true;
}

/* Makes now the baseline of counters that were kept. */
static inline bool papi_direct_start(struct papi_direct *direct)
{
	struct papi_direct_counter *next = direct->counters, counter = *next;

	if (__builtin_expect(*counter.sequence != counter.expected, 0))
		return false;
	direct->started = papi_hardware_time();
	direct->stopped = 0;
	do {
		next->base = papi_hardware_read(counter.reader);
		if (__builtin_expect(*counter.sequence != counter.expected, 0))
			return false;
		counter = *++next;
	} while (counter.reader);
	return true;
}

/* Counts of a set that stays kept, into two arrays; the second may be NULL. */
static inline bool papi_direct_stop(struct papi_direct *direct, long long counts[], long long values[])
{
	const struct papi_direct_counter *next = direct->counters;
	struct papi_direct_counter counter = *next;

	if (__builtin_expect(!direct->keeps || *counter.sequence != counter.expected, 0))
		return false;
	direct->stopped = papi_hardware_time();
	do {
		long long value = (long long)(papi_hardware_read(counter.reader) - counter.base);

		if (__builtin_expect(*counter.sequence != counter.expected || value < 0, 0)) {
			direct->stopped = 0;
			return false;
		}
		*counts++ = value;
		if (values)
			*values++ = value;
		counter = *++next;
	} while (counter.reader);
	return true;
}

#endif
