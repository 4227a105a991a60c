/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * roofline_witness - prints bytes and operations in a second as plain loops reach them: the triad and the sum over
 * memory, which the compiler makes into vectors, and multiply-adds of a few vectors. Best of many.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#define SMALL  12 /* vectors */
#define LANES  4
#define ROUNDS 20000
#define TRIES  40
#define HUGE   (2UL << 20)

#ifdef __x86_64__
#define WIDE __attribute__((target("avx2,fma"), noinline))
#else
#define WIDE __attribute__((noinline))
#endif

typedef double vector __attribute__((vector_size(LANES * sizeof(double))));

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static WIDE void triad(double *restrict a, const double *restrict b, const double *restrict c, size_t n, double s)
{
	for (size_t i = 0; i < n; i++)
		a[i] = b[i] + s * c[i];
}

static WIDE double sum(const double *a, size_t n)
{
	double sums[16] = { 0 }, all = 0;

	for (size_t i = 0; i + 16 <= n; i += 16)
		for (size_t k = 0; k < 16; k++)
			sums[k] += a[i + k];
	for (size_t k = 0; k < 16; k++)
		all += sums[k];
	return all;
}

/* Of so many independent values that no chain holds another up. */
static WIDE double multiply_add(double factor, double summand)
{
	vector values[SMALL];
	double all = 0;

	for (size_t k = 0; k < SMALL; k++)
		values[k] = (vector){ 0, 1, 2, 3 } + (double)k;
	for (int i = 0; i < ROUNDS; i++)
		for (size_t k = 0; k < SMALL; k++)
			values[k] = values[k] * factor + summand;
	for (size_t k = 0; k < SMALL; k++)
		all += values[k][0] + values[k][LANES - 1];
	return all;
}

int main(int count, char **arguments)
{
	size_t n = (count > 1 ? strtoul(arguments[1], NULL, 10) : 1 << 26) / sizeof(double) / 3;
	double *a = aligned_alloc(HUGE, (3 * n * sizeof(double) + HUGE - 1) / HUGE * HUGE), memory = 0, flops = 0,
	       nothing = 0;

	if (!a || !n)
		return 77;
	madvise(a, 3 * n * sizeof(double), MADV_HUGEPAGE);
	for (size_t i = 0; i < 3 * n; i++)
		a[i] = 1;
	for (int i = 0; i < TRIES; i++) {
		double begun = seconds(), between, ended;

		triad(a, a + n, a + 2 * n, n, 0.5);
		between = seconds();
		nothing += sum(a, 3 * n);
		ended = seconds();
		memory = (double)(3 * n * sizeof(double)) / (between - begun) > memory
			? (double)(3 * n * sizeof(double)) / (between - begun)
			: memory;
		memory = (double)(3 * n * sizeof(double)) / (ended - between) > memory
			? (double)(3 * n * sizeof(double)) / (ended - between)
			: memory;
		begun = seconds();
		nothing += multiply_add(0.5, 1);
		ended = seconds();
		flops = 2.0 * LANES * SMALL * ROUNDS / (ended - begun) > flops
			? 2.0 * LANES * SMALL * ROUNDS / (ended - begun)
			: flops;
	}
	free(a);
	printf("%.9g %.9g\n", memory, flops);
	return nothing < 0;
}
