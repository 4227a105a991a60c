/* SPDX-License-Identifier: BSD-3-Clause */
/* What the runtime says to arm64: what nobody may come between, and addresses of code. */
#ifndef PAPI_PROBES_RUNTIME_ARM64_PROCESSOR_H
#define PAPI_PROBES_RUNTIME_ARM64_PROCESSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A signal handler of the thread may do the same in between: then it is done anew. */
static inline void papi_probe_add(uint64_t *to, uint64_t number)
{
	uint64_t value;
	uint32_t failed;

	__asm__ volatile("1: ldxr %0, %2\n"
			 "add %0, %0, %3\n"
			 "stxr %w1, %0, %2\n"
			 "cbnz %w1, 1b"
			 : "=&r"(value), "=&r"(failed), "+Q"(*to)
			 : "r"(number));
}

/* Likewise; whether it was 0, and is 1 now. Other threads have no business with it. */
static inline bool papi_probe_claim(uint32_t *used)
{
	uint32_t value, failed;

	__asm__ volatile("1: ldxr %w0, %2\n"
			 "cbnz %w0, 2f\n"
			 "stxr %w1, %w3, %2\n"
			 "cbnz %w1, 1b\n"
			 "2:"
			 : "=&r"(value), "=&r"(failed), "+Q"(*used)
			 : "r"(1)
			 : "memory");
	return !value;
}

/* Where the address of a frame's stub is, as long as somebody may return to it; NULL: that is not known. */
static inline uint64_t *papi_probe_place(uint64_t *slot, int32_t saved)
{
	return saved ? (uint64_t *)((uintptr_t)slot + (uintptr_t)(intptr_t)saved) : NULL;
}

/* An address of code, as it is without a signature (pointer authentication). */
static inline uint64_t papi_probe_plain(uint64_t address)
{
	register uint64_t x30 __asm__("x30") = address;

	__asm__("hint #7" : "+r"(x30)); /* xpaclri */
	return x30;
}

#endif
