/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Templates of the kernels, for the file of each processor: loops of multiply-adds on registers, and loops that go
 * through memory. PAPI_ROOFLINE_KEEP(x) makes a compiler believe that it cannot know what is in the vector register x,
 * so that it keeps every operation as it stands.
 */
#ifndef PAPI_ROOFLINE_KERNELS_H
#define PAPI_ROOFLINE_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "papi_roofline/papi_roofline.h"

/* Names of functions and types stand in no parentheses. NOLINTBEGIN(bugprone-macro-parentheses) */

/* A multiply-add takes four to five cycles, and two begin in each: a dozen are on their way at a time. */
#define PAPI_ROOFLINE_CHAINS 12

#define PAPI_ROOFLINE_STEP(i)               \
	a##i = a##i * multiplier + summand; \
	PAPI_ROOFLINE_KEEP(a##i)

/* Two operations on each element of a dozen vectors, in each round. The values come near 2. */
#define PAPI_ROOFLINE_FLOPS(NAME, VECTOR, TARGET)                                                                     \
	static TARGET __attribute__((noinline)) void NAME(void *memory, size_t bytes, long rounds)                    \
	{                                                                                                             \
		VECTOR multiplier = (VECTOR){ 0 } + 0.5f, summand = (VECTOR){ 0 } + 1;                                \
		VECTOR a0 = summand, a1 = a0, a2 = a0, a3 = a0, a4 = a0, a5 = a0, a6 = a0, a7 = a0, a8 = a0, a9 = a0, \
		       a10 = a0, a11 = a0;                                                                            \
                                                                                                                      \
		(void)memory;                                                                                         \
		(void)bytes;                                                                                          \
		PAPI_ROOFLINE_KEEP(multiplier);                                                                       \
		PAPI_ROOFLINE_KEEP(summand);                                                                          \
		for (long i = 0; i < rounds; i++) {                                                                   \
			PAPI_ROOFLINE_STEP(0);                                                                        \
			PAPI_ROOFLINE_STEP(1);                                                                        \
			PAPI_ROOFLINE_STEP(2);                                                                        \
			PAPI_ROOFLINE_STEP(3);                                                                        \
			PAPI_ROOFLINE_STEP(4);                                                                        \
			PAPI_ROOFLINE_STEP(5);                                                                        \
			PAPI_ROOFLINE_STEP(6);                                                                        \
			PAPI_ROOFLINE_STEP(7);                                                                        \
			PAPI_ROOFLINE_STEP(8);                                                                        \
			PAPI_ROOFLINE_STEP(9);                                                                        \
			PAPI_ROOFLINE_STEP(10);                                                                       \
			PAPI_ROOFLINE_STEP(11);                                                                       \
		}                                                                                                     \
	}

#define PAPI_ROOFLINE_LOAD(i) \
	taken = from[at + i]; \
	PAPI_ROOFLINE_KEEP(taken)

/* Reads all of it, in each round. */
#define PAPI_ROOFLINE_READ(NAME, VECTOR, TARGET)                                                   \
	static TARGET __attribute__((noinline)) void NAME(void *memory, size_t bytes, long rounds) \
	{                                                                                          \
		const VECTOR *from = memory;                                                       \
		size_t n = bytes / sizeof(VECTOR) / 8 * 8;                                         \
		VECTOR taken;                                                                      \
                                                                                                   \
		for (long i = 0; i < rounds; i++)                                                  \
			for (size_t at = 0; at < n; at += 8) {                                     \
				PAPI_ROOFLINE_LOAD(0);                                             \
				PAPI_ROOFLINE_LOAD(1);                                             \
				PAPI_ROOFLINE_LOAD(2);                                             \
				PAPI_ROOFLINE_LOAD(3);                                             \
				PAPI_ROOFLINE_LOAD(4);                                             \
				PAPI_ROOFLINE_LOAD(5);                                             \
				PAPI_ROOFLINE_LOAD(6);                                             \
				PAPI_ROOFLINE_LOAD(7);                                             \
			}                                                                          \
	}

#define PAPI_ROOFLINE_ADD(i)                  \
	sum = b[at + i] + factor * c[at + i]; \
	PAPI_ROOFLINE_KEEP(sum);              \
	to[at + i] = sum

/* Two thirds of it are read, and one is written, in each round: a = b + s * c. */
#define PAPI_ROOFLINE_TRIAD(NAME, VECTOR, TARGET)                                                  \
	static TARGET __attribute__((noinline)) void NAME(void *memory, size_t bytes, long rounds) \
	{                                                                                          \
		size_t n = bytes / sizeof(VECTOR) / 12 * 4;                                        \
		VECTOR *to = memory, sum, factor = (VECTOR){ 0 } + 3;                              \
		const VECTOR *b = to + n, *c = b + n;                                              \
                                                                                                   \
		for (long i = 0; i < rounds; i++)                                                  \
			for (size_t at = 0; at < n; at += 4) {                                     \
				PAPI_ROOFLINE_ADD(0);                                              \
				PAPI_ROOFLINE_ADD(1);                                              \
				PAPI_ROOFLINE_ADD(2);                                              \
				PAPI_ROOFLINE_ADD(3);                                              \
			}                                                                          \
	}

/* NOLINTEND(bugprone-macro-parentheses) */

#endif
