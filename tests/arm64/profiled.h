/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs that a profile is made of, or that are counted, in a process of their own; and what the files of the profile
 * say afterwards (components/vpmu/profile_log.h), read without the tools. */
#ifndef PAPI_TESTS_ARM64_PROFILED_H
#define PAPI_TESTS_ARM64_PROFILED_H

#include <signal.h>
#include <stdint.h>

#include "components/vpmu/agent.h"
#include "components/vpmu/counters.h"

/* known.S: a handler that counts, in five instructions. */
void count_tick(int number, siginfo_t *info, void *context);
extern volatile uint64_t ticks;

#define PROFILED_TICKS 200

/* How much slower than a processor this one is: so much longer are the intervals of signals. */
extern long profiled_slowness;

/* Does the work again and again until count_tick() has had that many signals, anywhere in it; the first microseconds
 * after it has begun, at least. */
void profiled_interrupted(void (*work)(void), long microseconds);

#define PROFILED_COUNTERS (PAPI_VPMU_LAST_MODELLED + 1)

/* Runs work(argument) in a process with that plan, in a thread; the counters of that and of those it makes, summed up.
 * Fails the test where it does not come to its end. */
void profiled_run(
	const struct papi_agent_plan *plan, void (*work)(void *), void *argument, uint64_t counters[PROFILED_COUNTERS]);

/* The same with a plan of a profile of those counters, with its calls or without; the files are read before they are
 * taken away. */
void profiled_make(uint64_t counters, bool calls, uint32_t contexts, void (*work)(void *), void *argument);
/* The same with any plan, and whoever does the work calls papi_agent_start() with it: so nobody else is counted. Of a
 * profile it has its directory by then. The counters are those of threads that have ended. Code in [start, end) runs
 * natively, and so does what it calls. */
void profiled_run_by(struct papi_agent_plan *plan, const void *start, const void *end, void (*work)(void *),
	void *argument, uint64_t counters[PROFILED_COUNTERS]);

/* A thread that has ended: what it counted. */
struct profiled_thread {
	int tid;
	uint64_t counters[PROFILED_COUNTERS];
};
/* The nth, of the profile that was made last, which tells of that thread alone from now on. NULL: there are no more. */
const struct profiled_thread *profiled_read_thread(unsigned n);

/* Of the profile that was made last, in [start, end): that counter. */
uint64_t profiled_in(const void *start, const void *end, unsigned counter);
/* Everywhere. */
void profiled_sums(uint64_t counters[PROFILED_COUNTERS]);
/* Lines of it: file offset and how often that instruction ran, of all in [start, end) of the program's file. */
void profiled_print(const void *start, const void *end);

/* Of its calls, from [start, end) to target: how many, and that counter until their returns. Recursion is counted with
 * the outermost call. end NULL: from anywhere. */
uint64_t profiled_calls(const void *start, const void *end, const void *target);
uint64_t profiled_within(const void *start, const void *end, const void *target, unsigned counter);

#endif
