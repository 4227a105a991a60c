/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Regions: twelve of them, nested three deep, in 16 threads. A pair of begin and end reads the set of the thread twice;
 * what it costs beyond two calls of PAPI_read on such a set is the promise.
 *
 * As in scaling_threads.c the measure is processor time. It is taken in a child that ends without exit handlers, since
 * a program with regions leaves a file behind.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "bench.h"
#include "papi.h"

enum { THREADS = 16, REGIONS = 12, REPEAT = 10, PAIRS = REPEAT * REGIONS };

struct worker {
	pthread_t thread;
	struct bench_subject subject;
	char why[256];
	bool ready;
	double *pairs, *reads; /* nanoseconds of a pair, and of two reads, for each round */
};

static struct {
	pthread_barrier_t barrier;
	unsigned rounds;
	struct worker workers[THREADS];
} crew;

static double thread_time(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int nest(const char *const names[3])
{
	int status = PAPI_hl_region_begin(names[0]);

	status |= PAPI_hl_region_begin(names[1]);
	status |= PAPI_hl_region_begin(names[2]);
	status |= PAPI_hl_region_end(names[2]);
	status |= PAPI_hl_region_end(names[1]);
	return status | PAPI_hl_region_end(names[0]);
}

static double turn_of_pairs(void)
{
	static const char *const names[REGIONS] = { "initialise", "read input", "distribute", "assemble",
		"local matrix", "boundary", "solve", "precondition", "residual norm", "finish", "gather",
		"write output" };
	double begin;
	int status = 0;

	pthread_barrier_wait(&crew.barrier);
	begin = thread_time();
	for (int i = 0; i < REPEAT; i++)
		for (int j = 0; j < REGIONS; j += 3)
			status |= nest(names + j);
	begin = thread_time() - begin;
	bench_expect(&bench_ours, status, "PAPI_hl_region_begin or PAPI_hl_region_end");
	return begin / PAIRS;
}

static double turn_of_reads(struct worker *worker)
{
	double begin;
	int status = 0;

	pthread_barrier_wait(&crew.barrier);
	begin = thread_time();
	for (int i = 0; i < 2 * PAIRS && worker->ready; i++)
		status |= PAPI_read(worker->subject.set, worker->subject.values);
	begin = thread_time() - begin;
	bench_expect(&bench_ours, status, "PAPI_read");
	return begin / PAIRS;
}

static void *work(void *pointer)
{
	struct worker *worker = pointer;

	worker->ready = bench_subject_open(
		&worker->subject, &bench_ours, BENCH_RUNNING, worker->why, sizeof(worker->why));
	turn_of_pairs();
	turn_of_reads(worker);
	for (unsigned i = 0; i < crew.rounds; i++) {
		worker->pairs[i] = turn_of_pairs();
		worker->reads[i] = turn_of_reads(worker);
	}
	if (worker->ready)
		bench_subject_close(&worker->subject);
	return NULL;
}

static double *samples(size_t n)
{
	double *all = calloc(n * crew.rounds, sizeof(*all));

	if (!all)
		bench_die("no memory for %u rounds", crew.rounds);
	return all;
}

/* A round is what its threads needed on average. */
static void summarize(struct bench_row *row)
{
	double *extra = samples(3), *reads = extra + crew.rounds, *ratios = reads + crew.rounds;

	for (unsigned i = 0; i < crew.rounds; i++) {
		double pairs = 0;

		for (unsigned j = 0; j < THREADS; j++) {
			pairs += crew.workers[j].pairs[i] / THREADS;
			reads[i] += crew.workers[j].reads[i] / THREADS;
		}
		extra[i] = pairs - reads[i];
		ratios[i] = pairs / reads[i];
	}
	bench_summarize(row, extra, reads, ratios, crew.rounds);
	free(extra);
}

static void measure(struct bench_row *row)
{
	char names[512];
	size_t used = 0;

	/* What the sets beside them count. */
	for (int i = 0; i < BENCH_EVENTS; i++)
		used += (size_t)snprintf(
			names + used, sizeof(names) - used, "%s%s", i ? "," : "", bench_events[i].name);
	setenv("PAPI_EVENTS", names, 1);
	pthread_barrier_init(&crew.barrier, NULL, THREADS);
	for (unsigned i = 0; i < THREADS; i++) {
		struct worker *worker = &crew.workers[i];

		worker->pairs = samples(2);
		worker->reads = worker->pairs + crew.rounds;
		errno = pthread_create(&worker->thread, NULL, work, worker);
		if (errno)
			bench_die("%d threads cannot be made: %s", THREADS, strerror(errno));
	}
	for (unsigned i = 0; i < THREADS; i++) {
		pthread_join(crew.workers[i].thread, NULL);
		if (!crew.workers[i].ready)
			snprintf(row->missing, sizeof(row->missing), "%s", crew.workers[i].why);
	}
	if (!row->missing[0])
		summarize(row);
}

void bench_regions(struct bench *bench)
{
	struct bench_row *row, *shared;
	pid_t child;
	int status;

	if (!bench_wants(bench, "regions-16"))
		return;
	crew.rounds = bench->rounds / 4 + 1;
	row = bench_add_row(bench, "regions-16", "begin and end of a region, less two reads", "PAPI_read, twice");
	row->limit = 200;
	row->absolute = true;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		bench_die("mmap: %s", strerror(errno));
	*shared = *row;
	fflush(NULL);
	child = fork();
	if (child < 0)
		bench_die("fork: %s", strerror(errno));
	if (child == 0) {
		measure(shared);
		_exit(EXIT_SUCCESS);
	}
	while (waitpid(child, &status, 0) != child)
		if (errno != EINTR)
			bench_die("waitpid: %s", strerror(errno));
	if (status)
		bench_die("the process that measures regions has ended with status 0x%x", (unsigned)status);
	*row = *shared;
	munmap(shared, sizeof(*shared));
}
