/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels.h"

#include <math.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"
#include "scalable.h"

#define N 500

/* stolen.S */
uint64_t stolen(uint64_t *memory, uint64_t rounds), all_registers(uint64_t *memory, uint64_t rounds),
	exclusives(uint64_t *memory, uint64_t rounds), signed_pointers(uint64_t rounds), flags(uint64_t rounds);

static int numbers[N];

/* The result of a kernel is always the same: natively the first time, counted in whatever way from then on. */
static void expect_same(uint64_t *first, uint64_t now)
{
	if (!*first)
		*first = now + 1;
	EXPECT_EQUAL((long long)*first, (long long)(now + 1));
}

static void fill(void)
{
	for (int i = 0; i < N; i++)
		numbers[i] = (i * 7919) % 1009;
}

static void expect_sorted(void)
{
	for (int i = 1; i < N; i++)
		EXPECT(numbers[i - 1] <= numbers[i]);
}

static void quicksort(int *low, int *high)
{
	int *a = low, *b = high, middle = low[(high - low) / 2];

	while (a <= b) {
		while (*a < middle)
			a++;
		while (*b > middle)
			b--;
		if (a <= b) {
			int kept = *a;

			*a++ = *b;
			*b-- = kept;
		}
	}
	if (low < b)
		quicksort(low, b);
	if (a < high)
		quicksort(a, high);
}

static void run_quicksort(void)
{
	fill();
	quicksort(numbers, numbers + N - 1);
	expect_sorted();
}

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void run_qsort(void)
{
	fill();
	qsort(numbers, N, sizeof(numbers[0]), compare);
	expect_sorted();
}

static __attribute__((noinline)) unsigned fibonacci(unsigned n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static void run_fibonacci(void)
{
	EXPECT(fibonacci(15) == 610);
}

static void run_matrices(void)
{
	static double a[24][24], b[24][24], c[24][24];
	double trace = 0;

	for (int i = 0; i < 24; i++)
		for (int j = 0; j < 24; j++) {
			a[i][j] = i + j;
			b[i][j] = i == j ? 2 : 0;
			c[i][j] = 0;
		}
	for (int i = 0; i < 24; i++)
		for (int k = 0; k < 24; k++)
			for (int j = 0; j < 24; j++)
				c[i][j] += a[i][k] * b[k][j];
	for (int i = 0; i < 24; i++)
		trace += c[i][i];
	EXPECT(trace == 1104);
}

static void run_mathematics(void)
{
	double sum = 0;
	static uint64_t first;

	for (int i = 1; i < 200; i++)
		sum += sin(i) + exp(1.0 / i) + pow(i, 0.3);
	expect_same(&first, (uint64_t)(sum * 1e6));
}

static void run_strings(void)
{
	static char text[2048], copy[2048];
	unsigned long sum = 0;
	static uint64_t first;

	for (int i = 0; i < 2047; i++)
		text[i] = (char)('a' + i % 23);
	for (int i = 0; i < 40; i++) {
		memcpy(copy, text + i, 1900);
		copy[1900 - i] = 0;
		sum += strlen(copy) + (size_t)(strchr(copy, 'w') - copy) + (strstr(copy, "vwab") != NULL) +
			(unsigned)(memcmp(text, copy, 50) > 0);
		memmove(copy + 3, copy, 1000);
		memset(copy, i, 300);
	}
	expect_same(&first, sum);
}

static void run_print(void)
{
	char text[200];
	static uint64_t first;
	uint64_t sum = 0;

	for (int i = 0; i < 60; i++)
		sum += (uint64_t)snprintf(text, sizeof(text), "%d %s %g %-10.3f|%x\n", i, "text", i * 1.37, i / 7.0, i);
	expect_same(&first, sum + (uint64_t)text[9]);
}

static void run_memory(void)
{
	void *pieces[64] = { NULL };

	for (unsigned i = 0; i < 2000; i++) {
		free(pieces[i * 7 % 64]);
		pieces[i * 7 % 64] = malloc(16 + i * 13 % 700);
	}
	for (int i = 0; i < 64; i++)
		free(pieces[i]);
}

static void run_interpreter(void)
{
	static const unsigned char code[] = { 0, 1, 2, 1, 3, 0, 2, 4 };
	static const void *const labels[] = { &&add, &&twice, &&xor, &&next, &&end };
	unsigned pc = 0, rounds = 300, value = 1;
	static uint64_t first;

	goto *labels[code[pc]];
add:
	value += 7;
	goto *labels[code[++pc]];
twice:
	value *= 2;
	goto *labels[code[++pc]];
	xor : value ^= 0x5a;
	goto *labels[code[++pc]];
next:
	value += rounds;
	goto *labels[code[++pc]];
end:
	pc = 0;
	if (--rounds)
		goto *labels[code[pc]];
	expect_same(&first, value);
}

static void run_jumps(void)
{
	jmp_buf place;
	volatile int jumps = 0;

	if (setjmp(place) < 5)
		longjmp(place, ++jumps);
	EXPECT_EQUAL(5, jumps);
}

static void run_calls(void)
{
	for (int i = 0; i < 50; i++)
		EXPECT(syscall(SYS_getppid) == getppid());
}

static void run_stolen(void)
{
	static uint64_t first;
	uint64_t memory[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };

	expect_same(&first, stolen(memory, 50));
}

static void run_all_registers(void)
{
	static uint64_t first;
	uint64_t memory[8] = { 0 };

	expect_same(&first, all_registers(memory, 50));
}

static void run_exclusives(void)
{
	static uint64_t first;
	_Alignas(16) uint64_t memory[8] = { 0 };

	expect_same(&first, exclusives(memory, 100));
}

static void run_pointers(void)
{
	EXPECT(signed_pointers(100) == 100);
}

static void run_flags(void)
{
	static uint64_t first;

	expect_same(&first, flags(100));
}

/* Some elements of the last piece are none of the array's. */
static void run_scalable_numbers(void)
{
	static double x[N + 1], y[N + 1];
	static float squares[N + 1];

	for (unsigned i = 0; i <= N; i++) {
		x[i] = i;
		y[i] = 1000 - 2.0 * i;
		squares[i] = (float)(i % 8 * (i % 8));
	}
	daxpy(y, x, N, 2);
	for (unsigned i = 0; i < N; i++)
		EXPECT(y[i] == 1000);
	EXPECT(y[N] == 1000 - 2.0 * N);
	/* Of each r * r: its root, and r + r * r * r. */
	EXPECT(sum(squares, 8) == 2 * (0 + 1 + 2 + 3 + 4 + 5 + 6 + 7) + 784);
}

/* Nothing where the processor has no vectors of any length. */
static void run_scalable(void)
{
	static const char text[] = "as long as it is, which is to be longer than the vectors of most processors are";

	if (!(getauxval(AT_HWCAP) & HWCAP_SVE))
		return;
	run_scalable_numbers();
	EXPECT_EQUAL(0, (long long)known_vectors(20));
	EXPECT_EQUAL((long long)strlen(text), (long long)length(text));
}

const struct kernel kernels[] = {
	{ "quicksort", run_quicksort },
	{ "qsort of libc", run_qsort },
	{ "fibonacci", run_fibonacci },
	{ "matrices", run_matrices },
	{ "mathematics", run_mathematics },
	{ "strings", run_strings },
	{ "print", run_print },
	{ "memory", run_memory },
	{ "interpreter", run_interpreter },
	{ "jumps", run_jumps },
	{ "system calls", run_calls },
	{ "stolen registers", run_stolen },
	{ "all registers", run_all_registers },
	{ "exclusive accesses", run_exclusives },
	{ "signed pointers", run_pointers },
	{ "flags", run_flags },
	{ "scalable vectors", run_scalable },
};
const unsigned n_kernels = COUNT_OF(kernels);

void kernels_begin(void)
{
	REQUIRE(getauxval(AT_HWCAP) & HWCAP_ATOMICS);
	for (unsigned i = 0; i < 2 * n_kernels; i++)
		kernels[i / 2].run();
}
