/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading a hardware counter that has been picked before, in as few instructions as there are.
 *
 * A reader says which counter, and of how many bits: on x86-64 that is a number, on arm64, where the number of a
 * counter is part of the instruction, the address of code that reads it. The caller sees to it that the counter is
 * there and the calling thread may read it; there is no other check.
 *
 *	papi_hardware_reader(index, width)   the reader of a counter, by the index that rdpmc takes (on arm64 31 is the
 *	                                     counter of cycles); 0 where there is none. A counter of width 0 shows 0.
 *	papi_hardware_read(reader)           what the counter shows, extended from the highest of its bits
 *	papi_hardware_time()                 the clock that perf's pages are about
 */
#ifndef PAPI_LINUX_CPU_HARDWARE_READ_H
#define PAPI_LINUX_CPU_HARDWARE_READ_H

#include <stdint.h>

#if defined(__x86_64__)

/* The index, the bits of a word above those of the counter, and a bit so that no reader is 0. */
#define PAPI_HARDWARE_NO_BITS UINT64_MAX

static inline uint64_t papi_hardware_reader(uint32_t index, unsigned width)
{
	return width ? UINT64_C(1) << 63 | (uint64_t)(64 - width) << 32 | index : PAPI_HARDWARE_NO_BITS;
}

static inline uint64_t papi_hardware_read(uint64_t reader)
{
	uint32_t low, high, unused = (uint32_t)(reader >> 32) & 63;

	if (__builtin_expect(reader == PAPI_HARDWARE_NO_BITS, 0))
		return 0;
	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"((uint32_t)reader));
	return (uint64_t)((int64_t)(((uint64_t)high << 32 | low) << unused) >> unused);
}

static inline uint64_t papi_hardware_time(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
}

#elif defined(__aarch64__)

/*
 * The code (hardware_read.c): first that of a counter of no bits, then 32 counters of 64 bits, then 32 of 32 bits. All
 * entries have the same length, and change x16 only.
 */
#define PAPI_HARDWARE_ENTRY 16
extern const unsigned char papi_hardware_readers[65 * PAPI_HARDWARE_ENTRY] __attribute__((visibility("hidden")));

static inline uint64_t papi_hardware_reader(uint32_t index, unsigned width)
{
	unsigned entry = !width ? 0 : (width == 64 ? 1 : 33) + index;

	if (index > 31 || (width != 0 && width != 32 && width != 64))
		return 0;
	return (uint64_t)(uintptr_t)papi_hardware_readers + entry * PAPI_HARDWARE_ENTRY;
}

static inline uint64_t papi_hardware_read(uint64_t reader)
{
	register uint64_t value __asm__("x16");

	__asm__ volatile("blr %1" : "=r"(value) : "r"(reader) : "x30");
	return value;
}

static inline uint64_t papi_hardware_time(void)
{
	uint64_t value;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(value));
	return value;
}

#else

static inline uint64_t papi_hardware_reader(uint32_t index, unsigned width)
{
	(void)index;
	(void)width;
	return 0;
}

static inline uint64_t papi_hardware_read(uint64_t reader)
{
	(void)reader;
	return 0;
}

static inline uint64_t papi_hardware_time(void)
{
	return 0;
}

#endif
#endif
