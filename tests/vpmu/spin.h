/* SPDX-License-Identifier: BSD-3-Clause */
/* A loop of two instructions a round, the same on every processor. */
#ifndef PAPI_TESTS_VPMU_SPIN_H
#define PAPI_TESTS_VPMU_SPIN_H

#include <stdint.h>

static inline void spin(uint64_t rounds)
{
#ifdef __aarch64__
	__asm__ volatile("1: subs %0, %0, #1; b.ne 1b" : "+r"(rounds) : : "cc");
#else
	__asm__ volatile("1: dec %0; jnz 1b" : "+r"(rounds) : : "cc");
#endif
}

#endif
