/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Misses in places that are known. Lines with a name between bars are looked for by that name; arrays are static and
 * begin where pages do, so that they lie in the sets of caches as they do under any other simulator.
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096

/* ---- lines, one by one ---- */

enum { LINE = 64, LINES = 16384 };

static _Alignas(PAGE) volatile char bytes[LINES * LINE];

static __attribute__((noinline)) void go_through(void)
{
	for (unsigned i = 0; i < LINES; i++)
		bytes[i * LINE] = 1; /* |write| */
	for (unsigned i = 0; i < LINES; i++)
		(void)bytes[i * LINE]; /* |read| */
	for (unsigned i = 0; i + 1 < LINES; i++)
		(void)*(volatile uint16_t *)(uintptr_t)&bytes[i * LINE + LINE - 1]; /* |two lines| */
	for (unsigned i = 0; i < LINES; i++)
		(void)bytes[i % 16 * LINE]; /* |same| */
}

/* What comes next is random for any predictor, and then it is not. */
static __attribute__((noinline)) unsigned choose(unsigned rounds)
{
	unsigned state = 1, sum = 0;

	for (unsigned i = 0; i < rounds; i++) {
		state = state * 1103515245 + 12345;
		if (state >> 30 & 1) /* |random| */
			__asm__ volatile("nop");
		if (i == 7) /* |known| */
			sum++;
	}
	return sum;
}

/* ---- programs ---- */

enum { N = 120, NUMBERS = 40000, NODES = 20000 };

static _Alignas(PAGE) double a[N][N], b[N][N], c[N][N];

static __attribute__((noinline)) void multiply(void)
{
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			double sum = 0;

			for (int k = 0; k < N; k++)
				sum += a[i][k] * b[k][j]; /* |product| */
			c[i][j] = sum;
		}
}

static _Alignas(PAGE) uint32_t numbers[NUMBERS];

static void swap(uint32_t *first, uint32_t *second)
{
	uint32_t number = *first;

	*first = *second;
	*second = number;
}

/* A heap: from place to place, far apart. */
static void sink(unsigned at, unsigned n)
{
	for (unsigned child; (child = 2 * at + 1) < n; at = child) {
		if (child + 1 < n && numbers[child + 1] > numbers[child])
			child++;
		if (numbers[at] >= numbers[child])
			return;
		swap(&numbers[at], &numbers[child]);
	}
}

static __attribute__((noinline)) void sort(void)
{
	for (unsigned i = NUMBERS / 2; i-- > 0;)
		sink(i, NUMBERS);
	for (unsigned n = NUMBERS; n-- > 1;) {
		swap(&numbers[0], &numbers[n]);
		sink(0, n);
	}
}

static _Alignas(PAGE) struct node {
	uint32_t next, value[15];
} nodes[NODES];

/* In a ring that goes anywhere. */
static __attribute__((noinline)) unsigned walk(void)
{
	unsigned at = 0, sum = 0;

	for (unsigned i = 0; i < 4 * NODES; i++) {
		at = nodes[at].next; /* |next| */
		sum += at;
	}
	return sum;
}

static void fill(void)
{
	for (unsigned i = 0; i < N; i++)
		for (unsigned j = 0; j < N; j++) {
			a[i][j] = i + j;
			b[i][j] = i;
		}
	for (unsigned i = 0; i < NUMBERS; i++)
		numbers[i] = i * 2654435761u;
	for (unsigned i = 0; i < NODES; i++)
		nodes[i].next = (i + 7919) % NODES;
}

/* ---- threads and processes ---- */

static void *go_through_own(void *unused)
{
	static _Thread_local volatile char own[PAGE];

	(void)unused;
	for (unsigned i = 0; i < 10 * PAGE; i++)
		(void)own[i * LINE % PAGE];
	choose(1000);
	return NULL;
}

static void share_work(unsigned n)
{
	pthread_t threads[64];

	for (unsigned i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, go_through_own, NULL);
	for (unsigned i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
}

static void make_children(void)
{
	for (unsigned i = 0; i < 3; i++)
		if (fork() == 0) {
			choose(1000);
			go_through();
			_exit(0);
		}
	choose(1000);
	while (wait(NULL) > 0)
		;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "lines"))
		go_through();
	if (!strcmp(what, "branches"))
		choose(20000);
	if (!strcmp(what, "threads"))
		share_work(20);
	if (!strcmp(what, "fork"))
		make_children();
	if (!strcmp(what, "kill")) {
		go_through();
		raise(SIGKILL);
	}
	if (strcmp(what, "programs") != 0)
		return 0;
	fill();
	multiply();
	sort();
	return walk() == 1 || c[1][1] == 0;
}
