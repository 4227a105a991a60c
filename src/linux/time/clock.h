/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The clocks behind the six timers of PAPI.
 *
 * Real time is CLOCK_MONOTONIC, which the vDSO reads without a system call: it never jumps when somebody sets the
 * clock, and it is the same on all CPUs. Virtual time is the CPU time, user and kernel, of the calling thread.
 *
 * Cycles are those of the time stamp counter on x86-64, which ticks at a fixed rate whatever the frequency of the core
 * is: they are a fine ruler for time, not the cycles that the core made (count PAPI_TOT_CYC for those). Virtual cycles,
 * and on other architectures real ones too, are nanoseconds times papi_clock_rate(); there the rate is the clock_mhz
 * of papi_hardware_get(): the maximum frequency of the CPUs, or 1 GHz, so that a cycle is a nanosecond, where none is
 * known.
 *
 * The rate is found on first use and kept: the processor or the hypervisor tells it, else the kernel in the page of a
 * perf event, else the counter is compared with the clock over a millisecond. The counter is that of the machine
 * this runs on even when papi_linux_root() stands for another: it is the only one that can be read.
 *
 * All of these may be called by any number of threads at once. Signal handlers may call papi_clock_real_ns(),
 * papi_clock_virtual_ns() and on x86-64 papi_clock_real_cycles(); the others once the rate is known.
 */
#ifndef PAPI_LINUX_TIME_CLOCK_H
#define PAPI_LINUX_TIME_CLOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#ifdef __x86_64__
#include <x86intrin.h>
#define PAPI_CLOCK_HAS_COUNTER 1
#else
#define PAPI_CLOCK_HAS_COUNTER 0
#endif

/* Cycles in a nanosecond, times 2^32; 0 until found. Private to the functions below. */
extern _Atomic uint64_t papi_clock_multiplier;

/* Finds the multiplier, stores and returns it. */
uint64_t papi_clock_find_multiplier(void);

/* Cycles in a second, at least 1. */
long long papi_clock_rate(void);

/* Whether cycles are those of a counter that can be read. */
static inline bool papi_clock_has_counter(void)
{
	return PAPI_CLOCK_HAS_COUNTER;
}

static inline long long papi_clock_nanoseconds(clockid_t clock)
{
	struct timespec now;

	/* Cannot fail with these two clocks and a valid address. */
	clock_gettime(clock, &now);
	return (long long)now.tv_sec * 1000000000 + now.tv_nsec;
}

static inline long long papi_clock_real_ns(void)
{
	return papi_clock_nanoseconds(CLOCK_MONOTONIC);
}

static inline long long papi_clock_virtual_ns(void)
{
	return papi_clock_nanoseconds(CLOCK_THREAD_CPUTIME_ID);
}

/* 96 bits hold the product for centuries, so that nothing is lost and cycles grow exactly as nanoseconds do. */
static inline long long papi_clock_to_cycles(long long nanoseconds)
{
	uint64_t multiplier = atomic_load_explicit(&papi_clock_multiplier, memory_order_relaxed);

	if (__builtin_expect(multiplier == 0, 0))
		multiplier = papi_clock_find_multiplier();
	return (long long)((unsigned __int128)(uint64_t)nanoseconds * multiplier >> 32);
}

static inline long long papi_clock_real_cycles(void)
{
#ifdef __x86_64__
	return (long long)__rdtsc();
#else
	return papi_clock_to_cycles(papi_clock_real_ns());
#endif
}

static inline long long papi_clock_virtual_cycles(void)
{
	return papi_clock_to_cycles(papi_clock_virtual_ns());
}

#endif
