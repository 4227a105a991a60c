/* SPDX-License-Identifier: BSD-3-Clause */
#include "witness_subjects.h"

#include <stdint.h>

/* A function that a symbol names, whole; a recursive one has a shell that is entered once. */
#define SUBJECT __attribute__((noinline)) void

#define NUMBERS 100000
#define EDGE    160
#define NODES   65536
#define LIMIT   400000

static uint32_t numbers[NUMBERS] __attribute__((aligned(4096)));
static double a[EDGE][EDGE] __attribute__((aligned(4096))), b[EDGE][EDGE], c[EDGE][EDGE];
static struct node {
	struct node *next;
	long load[7];
} nodes[NODES] __attribute__((aligned(4096)));
static unsigned char composite[LIMIT] __attribute__((aligned(4096)));
static uint32_t table[NODES] __attribute__((aligned(4096)));
static volatile long result;

static uint32_t next_random(uint32_t *state)
{
	return *state = *state * 1664525 + 1013904223;
}

static void prepare_nothing(void)
{
}

/* What calling a subject costs the others. */
SUBJECT subject_nothing(void *unused);
SUBJECT subject_nothing(void *unused)
{
	(void)unused;
}

static __attribute__((noinline)) long fib(long n)
{
	__asm__ volatile("");
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

SUBJECT subject_fib(void *unused);
SUBJECT subject_fib(void *unused)
{
	(void)unused;
	result = fib(20);
}

static void prepare_numbers(void)
{
	uint32_t random = 1;

	for (int i = 0; i < NUMBERS; i++)
		numbers[i] = next_random(&random);
}

static __attribute__((noinline)) void sort(uint32_t *low, uint32_t *high)
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

SUBJECT subject_sort(void *unused);
SUBJECT subject_sort(void *unused)
{
	(void)unused;
	sort(numbers, numbers + NUMBERS - 1);
}

static void prepare_matrices(void)
{
	for (int i = 0; i < EDGE; i++)
		for (int j = 0; j < EDGE; j++) {
			a[i][j] = i + j;
			b[i][j] = i - j;
			c[i][j] = 0;
		}
}

SUBJECT subject_matrix(void *unused);
SUBJECT subject_matrix(void *unused)
{
	(void)unused;
	for (int i = 0; i < EDGE; i++)
		for (int j = 0; j < EDGE; j++) {
			double sum = 0;

			for (int k = 0; k < EDGE; k++)
				sum += a[i][k] * b[k][j];
			c[i][j] = sum;
		}
	__asm__ volatile("" : : "r"(c) : "memory"); /* somebody may look at it */
}

/* One cycle through all nodes, in a disorder that no prefetcher follows. */
static void prepare_nodes(void)
{
	for (uint32_t i = 0, at = 0; i < NODES; i++) {
		uint32_t next = (at * 5 + 12345) % NODES;

		nodes[at].next = &nodes[next];
		at = next;
	}
}

SUBJECT subject_chase(void *unused);
SUBJECT subject_chase(void *unused)
{
	const struct node *node = nodes;

	(void)unused;
	for (int i = 0; i < 2 * NODES; i++)
		node = node->next;
	result = node->load[0];
}

static void prepare_composite(void)
{
	for (int i = 0; i < LIMIT; i++)
		composite[i] = 0;
}

SUBJECT subject_sieve(void *unused);
SUBJECT subject_sieve(void *unused)
{
	(void)unused;
	for (int i = 2; i * i < LIMIT; i++)
		for (int j = i * i; !composite[i] && j < LIMIT; j += i)
			composite[j] = 1;
}

SUBJECT subject_table(void *unused);
SUBJECT subject_table(void *unused)
{
	uint32_t random = 1;

	(void)unused;
	for (int i = 0; i < 200000; i++)
		table[next_random(&random) / (0x100000000 / NODES)]++;
}

const struct subject subjects[] = {
	{ "subject_nothing", prepare_nothing, subject_nothing },
	{ "subject_sort", prepare_numbers, subject_sort },
	{ "subject_matrix", prepare_matrices, subject_matrix },
	{ "subject_chase", prepare_nodes, subject_chase },
	{ "subject_sieve", prepare_composite, subject_sieve },
	{ "subject_table", prepare_nothing, subject_table },
	{ "subject_fib", prepare_nothing, subject_fib },
};

const size_t n_subjects = sizeof(subjects) / sizeof(subjects[0]);
