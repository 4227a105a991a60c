/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * measure.c - how fast a kernel runs: on pinned threads that begin together, several times, the best of which counts.
 * What disturbs a measurement makes it slower, never faster.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "papi_roofline/papi_roofline.h"

#define TRIALS   9
#define BATCHES  8
#define AGREE    0.97        /* so near are the two best where nothing more is to be found */
#define LIMIT_NS 150000000LL /* no further batch begins */
#define TRIAL_NS 2000000LL   /* shorter than the turn of another program on the CPU */
#define ROOM     4096        /* CPUs that the kernel may know */

struct worker {
	pthread_t thread;
	const struct papi_roofline_kernel *kernel;
	pthread_barrier_t *barrier;
	int cpu;
	size_t bytes;
	void *memory;
	long rounds;
	long long begun[TRIALS], ended[TRIALS];
};

static long long now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return 1000000000LL * time.tv_sec + time.tv_nsec;
}

/* The CPUs that this process may use; how many. */
static unsigned list_cpus(int *cpus, unsigned most)
{
	cpu_set_t *set = CPU_ALLOC(ROOM);
	unsigned n = 0;

	if (set && sched_getaffinity(0, CPU_ALLOC_SIZE(ROOM), set) == 0)
		for (int i = 0; i < ROOM && n < most; i++)
			if (CPU_ISSET_S((size_t)i, CPU_ALLOC_SIZE(ROOM), set))
				cpus[n++] = i;
	if (set)
		CPU_FREE(set);
	return n;
}

unsigned papi_roofline_cpus(void)
{
	static int cpus[ROOM];
	unsigned n = list_cpus(cpus, ROOM);

	return n ? n : 1;
}

/* Where that is refused, the thread runs where the kernel puts it. */
static void pin(int cpu)
{
	cpu_set_t *set = CPU_ALLOC(ROOM);

	if (!set)
		return;
	CPU_ZERO_S(CPU_ALLOC_SIZE(ROOM), set);
	CPU_SET_S((size_t)cpu, CPU_ALLOC_SIZE(ROOM), set);
	sched_setaffinity(0, CPU_ALLOC_SIZE(ROOM), set);
	CPU_FREE(set);
}

static void *work(void *argument)
{
	struct worker *worker = argument;

	if (worker->cpu >= 0)
		pin(worker->cpu);
	/* Pages come to lie near who touches them first. */
	if (worker->bytes)
		memset(worker->memory, 0, worker->bytes);
	worker->kernel->run(worker->memory, worker->bytes, 1);
	for (unsigned i = 0; i < TRIALS; i++) {
		pthread_barrier_wait(worker->barrier);
		worker->begun[i] = now();
		worker->kernel->run(worker->memory, worker->bytes, worker->rounds);
		worker->ended[i] = now();
	}
	return NULL;
}

/* How many rounds take the time of a trial. */
static long calibrate(const struct papi_roofline_kernel *kernel, void *memory, size_t bytes)
{
	for (long rounds = 1;; rounds *= 2) {
		long long begun = now();

		kernel->run(memory, bytes, rounds);
		if (now() - begun >= TRIAL_NS || rounds > 1L << 40)
			return rounds;
	}
}

static int by_size(const void *one, const void *other)
{
	double a = *(const double *)one, b = *(const double *)other;

	return (a > b) - (a < b);
}

/* What all threads have done from when the first began until the last had ended. */
static void evaluate(const struct worker *workers, unsigned n, double *rates)
{
	const struct papi_roofline_kernel *kernel = workers->kernel;
	double done = (double)workers->rounds * (kernel->operations ? kernel->operations : (double)workers->bytes) * n;

	for (unsigned i = 0; i < TRIALS; i++) {
		long long begun = workers[0].begun[i], ended = workers[0].ended[i];

		for (unsigned k = 1; k < n; k++) {
			begun = workers[k].begun[i] < begun ? workers[k].begun[i] : begun;
			ended = workers[k].ended[i] > ended ? workers[k].ended[i] : ended;
		}
		rates[i] = done / ((double)(ended > begun ? ended - begun : 1) / 1e9);
	}
}

static void run_all(struct worker *workers, unsigned n)
{
	unsigned made = 0;
	int error = 0;

	while (made < n && !error) {
		error = pthread_create(&workers[made].thread, NULL, work, &workers[made]);
		made += !error;
	}
	/* Threads that wait for others which will never come end with this process. */
	if (error) {
		fprintf(stderr, "papi_roofline: cannot run %u threads: %s\n", n, strerror(error));
		exit(EXIT_FAILURE);
	}
	for (unsigned i = 0; i < n; i++)
		pthread_join(workers[i].thread, NULL);
}

/* Batches of trials, until the best is no accident. */
static void run_batches(struct worker *workers, unsigned n, struct papi_roofline_rate *rate)
{
	double rates[TRIALS * BATCHES];
	long long until = now() + LIMIT_NS;
	unsigned done = 0;

	do {
		run_all(workers, n);
		evaluate(workers, n, rates + done);
		done += TRIALS;
		qsort(rates, done, sizeof(rates[0]), by_size);
	} while (done < TRIALS * BATCHES && now() < until && rates[done - 2] < AGREE * rates[done - 1]);
	rate->best = rates[done - 1];
	rate->spread = (rate->best - rates[done / 2]) / rate->best;
}

bool papi_roofline_measure(
	const struct papi_roofline_kernel *kernel, size_t bytes, unsigned cpus, struct papi_roofline_rate *rate)
{
	static int ids[ROOM];
	unsigned found = list_cpus(ids, ROOM);
	struct worker *workers = calloc(cpus, sizeof(*workers));
	char *memory = bytes ? mmap(NULL, bytes * cpus, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
			     : NULL;
	pthread_barrier_t barrier;
	long rounds;

	*rate = (struct papi_roofline_rate){ 0, 0 };
	if (!workers || memory == MAP_FAILED) {
		fprintf(stderr, "papi_roofline: no memory to measure with: %zu MB are needed\n", bytes * cpus >> 20);
		free(workers);
		return false;
	}
	if (bytes) {
		madvise(memory, bytes * cpus, MADV_HUGEPAGE);
		memset(memory, 0, bytes);
	}
	rounds = calibrate(kernel, memory, bytes);
	pthread_barrier_init(&barrier, NULL, cpus);
	for (unsigned i = 0; i < cpus; i++)
		workers[i] = (struct worker){ .kernel = kernel,
			.barrier = &barrier,
			.cpu = i < found ? ids[i] : -1,
			.bytes = bytes,
			.memory = memory + i * bytes,
			.rounds = rounds };
	run_batches(workers, cpus, rate);
	pthread_barrier_destroy(&barrier);
	if (bytes)
		munmap(memory, bytes * cpus);
	free(workers);
	return true;
}
