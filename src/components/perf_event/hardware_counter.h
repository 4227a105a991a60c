/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The one instruction that reads a hardware counter, per architecture: the only such #if of the component.
 *
 * papi_hardware_clock() is the clock that the page's conversion to time is for. papi_hardware_counter(index) is rdpmc
 * on x86-64 and the matching system register on arm64, where index 31 is the cycle counter. Elsewhere PAPI_USER_READ is
 * 0 and counters are read through the kernel.
 */
#ifndef PAPI_PERF_HARDWARE_COUNTER_H
#define PAPI_PERF_HARDWARE_COUNTER_H

#include <stdint.h>

#if defined(__x86_64__)

#define PAPI_USER_READ 1

static inline uint64_t papi_hardware_counter(uint32_t index)
{
	uint32_t low, high;

	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index));
	return (uint64_t)high << 32 | low;
}

static inline uint64_t papi_hardware_clock(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
}

/* Nothing to ask for when opening: the kernel allows rdpmc to whoever has mapped the page. */
#define PAPI_USER_READ_CONFIG1 0

#elif defined(__aarch64__)

#define PAPI_USER_READ 1

static inline uint64_t papi_hardware_counter(uint32_t index)
{
	uint64_t value;

	if (index == 31) {
		__asm__ volatile("mrs %0, pmccntr_el0" : "=r"(value));
		return value;
	}
	/* PMEVCNTRn_EL0 is encoded with n in the instruction: six general counters are common, 31 the most there can
	 * be. */
#define READ(n, crm, op2)                                                           \
	case n:                                                                     \
		__asm__ volatile("mrs %0, s3_3_c14_c" #crm "_" #op2 : "=r"(value)); \
		return value
#define READ8(n, crm)        \
	READ(n, crm, 0);     \
	READ(n + 1, crm, 1); \
	READ(n + 2, crm, 2); \
	READ(n + 3, crm, 3); \
	READ(n + 4, crm, 4); \
	READ(n + 5, crm, 5); \
	READ(n + 6, crm, 6)
	switch (index) {
		READ8(0, 8);
		READ(7, 8, 7);
		READ8(8, 9);
		READ(15, 9, 7);
		READ8(16, 10);
		READ(23, 10, 7);
		READ8(24, 11);
	}
#undef READ8
#undef READ
	return 0;
}

static inline uint64_t papi_hardware_clock(void)
{
	uint64_t value;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(value));
	return value;
}

/* Bit 1 of config1 asks for access. Bit 0, a counter of 64 bits, is not to be had for most events together with it. */
#define PAPI_USER_READ_CONFIG1 2

#else

#define PAPI_USER_READ         0
#define PAPI_USER_READ_CONFIG1 0

static inline uint64_t papi_hardware_counter(uint32_t index)
{
	(void)index;
	return 0;
}

static inline uint64_t papi_hardware_clock(void)
{
	return 0;
}

#endif
#endif
