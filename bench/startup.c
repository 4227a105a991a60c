/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the first call costs a program: PAPI_library_init in a process that has never seen the library, many times.
 * Programs that measure themselves for a fraction of a second feel it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

#define INIT_NANOSECONDS 300000
#define INIT_CALLS       40

/* Takes turns between a helper of this library and one of the peer, or `true` where there is no peer. */
static bool sample(const char *mode, const char *peer, double *ours, double *baseline, char *why, size_t size)
{
	if (!bench_ask_helper(NULL, mode, ours, 1, why, size))
		return false;
	if (peer)
		return bench_ask_helper(peer, mode, baseline, 1, why, size);
	*baseline = bench_spawn_true();
	if (*baseline < 0)
		snprintf(why, size, "there is no program \"true\" to compare with");
	return *baseline > 0;
}

static void measure(const struct bench *bench, const char *mode, const char *peer, struct bench_row *row)
{
	double *samples = calloc(3 * (size_t)bench->rounds, sizeof(*samples));
	double *ours = samples, *baseline = ours + bench->rounds, *ratios = baseline + bench->rounds;
	bool well = samples;

	for (unsigned i = 0; i < bench->rounds && well; i++) {
		well = sample(mode, peer, &ours[i], &baseline[i], row->missing, sizeof(row->missing));
		ratios[i] = ours[i] / baseline[i];
	}
	if (well) {
		row->missing[0] = '\0';
		bench_summarize(row, ours, baseline, ratios, bench->rounds);
	}
	free(samples);
}

static void time_init(struct bench *bench, const char *peer)
{
	struct bench_row *row;

	if (!bench_wants(bench, "init-time"))
		return;
	row = bench_add_row(
		bench, "init-time", "first PAPI_library_init", peer ? "the peer's" : "start and end of `true`");
	row->limit = peer ? NAN : INIT_NANOSECONDS;
	row->absolute = true;
	measure(bench, "init", peer, row);
}

static void time_first_count(struct bench *bench, const char *peer)
{
	struct bench_row *row;

	if (!bench_wants(bench, "first-count"))
		return;
	row = bench_add_row(bench, "first-count", "from init to counting 4 events",
		peer ? "the peer's" : "start and end of `true`");
	measure(bench, "first-count", peer, row);
}

static void count_init(struct bench *bench)
{
	const char *const arguments[] = { "trace", "init", NULL };
	struct bench_trace trace;
	struct bench_row *row;

	if (!bench_wants(bench, "init-calls"))
		return;
	row = bench_add_row(bench, "init-calls", "system calls of the first PAPI_library_init", "");
	row->unit = BENCH_CALLS;
	row->limit = INIT_CALLS;
	row->absolute = true;
	if (bench_trace(arguments, &trace, row->missing, sizeof(row->missing)))
		row->ours = trace.calls[0];
}

/* What libpfm4 adds to every event, and what means nothing to software events. */
static void forget_guests(struct perf_event_attr *attributes)
{
	attributes->exclude_guest = 0;
}

/* That both sides of every comparison ask the kernel for the same. */
static void compare_attributes(struct bench *bench)
{
	const char *const arguments[] = { "trace", "add-8", NULL };
	struct bench_trace trace;
	struct bench_row *row;

	if (!bench_wants(bench, "same-events"))
		return;
	row = bench_add_row(bench, "same-events", "events opened otherwise than the baseline's", "");
	row->unit = BENCH_DIFFERENCES;
	row->limit = 1;
	row->absolute = true;
	if (!bench_trace(arguments, &trace, row->missing, sizeof(row->missing)))
		return;
	row->ours = trace.opened[0] != BENCH_ADDED || trace.opened[1] != BENCH_ADDED;
	for (int i = 0; i < BENCH_ADDED; i++) {
		forget_guests(&trace.attributes[0][i]);
		forget_guests(&trace.attributes[1][i]);
		row->ours += memcmp(&trace.attributes[0][i], &trace.attributes[1][i], sizeof(trace.attributes[0][i])) !=
			0;
	}
}

void bench_startup(struct bench *bench)
{
	time_init(bench, NULL);
	count_init(bench);
	time_first_count(bench, NULL);
	compare_attributes(bench);
}

void bench_startup_peer(struct bench *bench, const char *directory)
{
	time_init(bench, directory);
	time_first_count(bench, directory);
}
