/* SPDX-License-Identifier: BSD-3-Clause */
/* Turns of a loop, each of two instructions: a subtraction and a branch. */
#ifndef PAPI_TESTS_RUN_TURNS_H
#define PAPI_TESTS_RUN_TURNS_H

/* turns is 1 at least. */
static inline __attribute__((always_inline)) void turns_run(unsigned long turns)
{
#if defined(__x86_64__)
	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(turns) : : "cc");
#elif defined(__aarch64__)
	__asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(turns) : : "cc");
#else
#error "a loop of two instructions, as this processor has it, belongs here"
#endif
}

#endif
