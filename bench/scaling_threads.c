/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From 1 to 64 threads, each reading a set of its own: nothing they share may make a read dearer.
 *
 * Threads that outnumber the processors wait for each other, which says nothing about the library; so this measure is
 * of the processor time of each thread, and not of the time on the wall.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

#define THREADS    64
#define TURN_READS 200

struct worker {
	pthread_t thread;
	struct bench_subject subject;
	char why[256];
	bool ready;
	double *ours, *baseline; /* nanoseconds of a read, for each round */
};

static struct {
	pthread_barrier_t barrier;
	const struct bench_case *reads;
	unsigned rounds;
	struct worker workers[THREADS];
} crew;

static double thread_time(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static double turn(struct worker *worker, bench_operation operation)
{
	double begin;

	pthread_barrier_wait(&crew.barrier);
	begin = thread_time();
	if (worker->ready)
		operation(&worker->subject, TURN_READS);
	return (thread_time() - begin) / TURN_READS;
}

/* One that cannot count comes to the barriers all the same. */
static void *work(void *pointer)
{
	struct worker *worker = pointer;

	worker->ready = bench_subject_open(
		&worker->subject, &bench_ours, BENCH_RUNNING, worker->why, sizeof(worker->why));
	turn(worker, crew.reads->operation);
	for (unsigned i = 0; i < crew.rounds; i++) {
		worker->ours[i] = turn(worker, crew.reads->operation);
		worker->baseline[i] = turn(worker, crew.reads->baseline);
	}
	if (worker->ready)
		bench_subject_close(&worker->subject);
	return NULL;
}

static void run_crew(unsigned threads)
{
	pthread_barrier_init(&crew.barrier, NULL, threads);
	for (unsigned i = 0; i < threads; i++) {
		struct worker *worker = &crew.workers[i];
		double *samples = calloc(2 * (size_t)crew.rounds, sizeof(*samples));
		int error = samples ? 0 : ENOMEM;

		worker->ours = samples;
		worker->baseline = samples + crew.rounds;
		if (!error)
			error = pthread_create(&worker->thread, NULL, work, worker);
		if (error)
			bench_die("%u threads cannot be made: %s", threads, strerror(error));
	}
	for (unsigned i = 0; i < threads; i++)
		pthread_join(crew.workers[i].thread, NULL);
	pthread_barrier_destroy(&crew.barrier);
}

/* A round is what its threads needed on average. */
static void summarize(unsigned threads, struct bench_row *row)
{
	double *samples = calloc(3 * (size_t)crew.rounds, sizeof(*samples));
	double *ours = samples, *baseline = ours + crew.rounds, *ratios = baseline + crew.rounds;

	if (!samples)
		bench_die("no memory for %u rounds", crew.rounds);
	for (unsigned i = 0; i < crew.rounds; i++) {
		for (unsigned j = 0; j < threads; j++) {
			ours[i] += crew.workers[j].ours[i] / threads;
			baseline[i] += crew.workers[j].baseline[i] / threads;
		}
		ratios[i] = ours[i] / baseline[i];
	}
	bench_summarize(row, ours, baseline, ratios, crew.rounds);
	free(samples);
}

static void measure(unsigned threads, struct bench_row *row)
{
	run_crew(threads);
	for (unsigned i = 0; i < threads; i++)
		if (!crew.workers[i].ready)
			snprintf(row->missing, sizeof(row->missing), "%s", crew.workers[i].why);
	if (!row->missing[0])
		summarize(threads, row);
	for (unsigned i = 0; i < threads; i++)
		free(crew.workers[i].ours);
}

void bench_scaling_threads(struct bench *bench)
{
	struct bench_row *row, first = { 0 }, last = { 0 };

	if (!bench_wants_group(bench, "threads-"))
		return;
	crew.reads = bench_find_case("read-4");
	crew.rounds = bench->rounds / 4 + 1;
	for (unsigned threads = 1; threads <= THREADS; threads *= 2) {
		char name[32];

		snprintf(name, sizeof(name), "threads-%u", threads);
		row = bench_add_row(bench, name, "PAPI_read in each thread", "read(2) in each thread");
		measure(threads, row);
		if (threads == 1)
			first = *row;
		last = *row;
	}
	row = bench_add_row(bench, "threads-growth", "the ratio above", "that of one thread");
	memcpy(row->missing, last.missing, sizeof(row->missing));
	row->ratio = last.ratio / first.ratio;
}
