/* SPDX-License-Identifier: BSD-3-Clause */
#include "virtual_kernels.h"

#include <stdint.h>

#define EDGE    160
#define CHAIN   (1u << 20)
#define NUMBERS 100000
#define KERNEL  __attribute__((noinline)) static void
#if defined(__clang__)
#define VECTORS(...) __attribute__((noinline, target(__VA_ARGS__))) static void
#else
#define VECTORS(...) __attribute__((noinline, optimize("O3"), target(__VA_ARGS__))) static void
#endif

static double a[EDGE][EDGE] __attribute__((aligned(64))), b[EDGE][EDGE] __attribute__((aligned(64)));
static double c[EDGE][EDGE] __attribute__((aligned(64)));
static uint32_t chain[CHAIN], numbers[NUMBERS];
static volatile uint64_t result;

static uint32_t next_random(uint32_t *state)
{
	return *state = *state * 1664525 + 1013904223;
}

void kernels_prepare(void)
{
	uint32_t random = 1;

	for (int i = 0; i < EDGE; i++)
		for (int j = 0; j < EDGE; j++) {
			a[i][j] = i + j;
			b[i][j] = i - j;
		}
	/* One cycle through all, by Sattolo's shuffle. */
	for (uint32_t i = 0; i < CHAIN; i++)
		chain[i] = i;
	for (uint32_t i = CHAIN - 1; i > 0; i--) {
		uint32_t j = (uint32_t)((uint64_t)next_random(&random) * i >> 32), other = chain[i];

		chain[i] = chain[j];
		chain[j] = other;
	}
}

KERNEL integer_loop(void)
{
	uint64_t x = 1;

	for (uint64_t i = 0; i < 8000000; i++) {
		x = x * 6364136223846793005 + i;
		x ^= x >> 13;
	}
	result = x;
}

KERNEL pointer_chase(void)
{
	uint32_t at = 0;

	for (int i = 0; i < 1000000; i++)
		at = chain[at];
	result = at;
}

static void sort(uint32_t *low, uint32_t *high)
{
	while (low < high) {
		uint32_t pivot = low[(high - low) / 2], *i = low, *j = high;

		while (i <= j) {
			while (*i < pivot)
				i++;
			while (*j > pivot)
				j--;
			if (i <= j) {
				uint32_t other = *i;

				*i++ = *j;
				*j-- = other;
			}
		}
		sort(low, j);
		low = i;
	}
}

KERNEL quicksort(void)
{
	uint32_t random = 1;

	for (int i = 0; i < NUMBERS; i++)
		numbers[i] = next_random(&random) >> 1;
	sort(numbers, numbers + NUMBERS - 1);
	result = numbers[0];
}

/* The same source twice: the compiler makes vectors of the inner loop as wide as it may. */
#define MATRIX(name, attributes)                                             \
	attributes name(void)                                                \
	{                                                                    \
		for (int times = 0; times < 20; times++)                     \
			for (int i = 0; i < EDGE; i++)                       \
				for (int k = 0; k < EDGE; k++) {             \
					double factor = a[i][k];             \
                                                                             \
					for (int j = 0; j < EDGE; j++)       \
						c[i][j] += factor * b[k][j]; \
				}                                            \
		result = (uint64_t)c[1][1];                                  \
	}

MATRIX(matrix_avx2, VECTORS("avx2,fma"))
#if defined(__clang__) /* chooses the width by itself */
MATRIX(matrix_avx512, VECTORS("avx512f,avx512vl,avx512dq,fma"))
#else
MATRIX(matrix_avx512, VECTORS("avx512f,avx512vl,avx512dq,fma,prefer-vector-width=512"))
#endif

/* Call by call: the compiler must neither copy it into itself nor make a loop of it. */
#if defined(__clang__)
#define OPAQUE __attribute__((noinline, optnone))
#else
#define OPAQUE __attribute__((noipa))
#endif

OPAQUE static long fib_of(long n)
{
	return n < 2 ? n : fib_of(n - 1) + fib_of(n - 2);
}

KERNEL recursive_fib(void)
{
	result = (uint64_t)fib_of(30);
}

static bool has_avx2(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static bool has_avx512(void)
{
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
		__builtin_cpu_supports("avx512dq");
}

const struct kernel kernels[] = {
	{ "integer loop", integer_loop, NULL, 1.1, 5 },
	{ "pointer chase", pointer_chase, NULL, 1.1, 5 },
	{ "quicksort", quicksort, NULL, 1.5, 10 },
	{ "matrix multiply, AVX2", matrix_avx2, has_avx2, 2.2, 40 },
	{ "matrix multiply, AVX-512", matrix_avx512, has_avx512, 2.2, 40 },
	{ "recursive fib", recursive_fib, NULL, 4, 15 },
};

const size_t n_kernels = sizeof(kernels) / sizeof(kernels[0]);
