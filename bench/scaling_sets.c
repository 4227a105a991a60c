/* SPDX-License-Identifier: BSD-3-Clause */
/* Large event sets, and many of them: what a call costs must not depend on what else there is. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "papi.h"

/* Large numbers make slow rounds; a few of them will do. */
static struct bench fewer_rounds(const struct bench *bench, unsigned divisor)
{
	struct bench fewer = *bench;

	fewer.rounds = bench->rounds / divisor < 5 ? 5 : bench->rounds / divisor;
	return fewer;
}

/* ---- 1 to 512 events in a set ---- */

static struct {
	unsigned n;
	int codes[BENCH_MANY];
	struct bench_event events[BENCH_MANY];
} many;

/* Page faults under many names: the kernel ignores config1 of software events, and another name is another event. */
static bool name_many(char *why, size_t size)
{
	for (int i = 0; i < BENCH_MANY; i++) {
		char name[64];
		int status;

		snprintf(name, sizeof(name), "software/config=2,config1=%d/", i + 1);
		status = bench_ours.event_name_to_code(name, &many.codes[i]);
		if (status != PAPI_OK) {
			snprintf(why, size, "%s", bench_api_reason(&bench_ours, status));
			return false;
		}
		many.events[i].config = PERF_COUNT_SW_PAGE_FAULTS;
	}
	return true;
}

static int add_many(int set)
{
	int status = 0;

	for (unsigned i = 0; i < many.n; i++)
		status |= bench_ours.add_event(set, many.codes[i]);
	return status;
}

static double fill(struct bench_subject *subject, size_t times)
{
	double spent = 0;
	int status = 0;

	for (size_t i = 0; i < times; i++) {
		double begin = bench_now();

		status |= add_many(subject->empty);
		spent += bench_now() - begin;
		status |= bench_ours.cleanup_eventset(subject->empty);
	}
	bench_expect(&bench_ours, status, "PAPI_add_event");
	return spent;
}

static double open_group(struct bench_subject *subject, size_t times)
{
	static struct bench_raw raw;
	double spent = 0;
	int status = 0;

	(void)subject;
	for (size_t i = 0; i < times; i++) {
		double begin = bench_now();

		status |= bench_raw_open(&raw, many.events, many.n, 0) ? 0 : -1;
		spent += bench_now() - begin;
		bench_raw_close(&raw);
	}
	bench_expect(NULL, status, "perf_event_open");
	return spent;
}

static void measure_as(struct bench *bench, unsigned divisor, const char *name, const char *what,
	struct bench_subject *subject, bench_operation operation, bench_operation baseline)
{
	const struct bench fewer = fewer_rounds(bench, divisor);
	struct bench_row *row = bench_add_row(bench, name, what, "the kernel's");

	bench_measure(&fewer, &(struct bench_pair){ operation, baseline, subject, subject }, row);
}

/* A set and a group of many.n events, in the place of the usual four. */
static void enlarge(struct bench_subject *subject)
{
	bench_expect(&bench_ours, bench_ours.cleanup_eventset(subject->set), "PAPI_cleanup_eventset");
	bench_expect(&bench_ours, add_many(subject->set), "PAPI_add_event");
	bench_raw_close(&subject->raw);
	bench_expect(NULL, bench_raw_open(&subject->raw, many.events, many.n, 0) ? 0 : -1, "perf_event_open");
}

static void measure_events(struct bench *bench, struct bench_subject *subject)
{
	const struct bench_case *reading = bench_find_case("read-4"), *cycle = bench_find_case("start-stop-4-order");
	unsigned divisor = many.n > 32 ? 20 : 4;
	char name[48], what[64];

	enlarge(subject);
	snprintf(name, sizeof(name), "events-%u-add", many.n);
	snprintf(what, sizeof(what), "PAPI_add_event, %u events", many.n);
	measure_as(bench, divisor, name, what, subject, fill, open_group);
	snprintf(name, sizeof(name), "events-%u-start-stop", many.n);
	snprintf(what, sizeof(what), "PAPI_start, PAPI_stop, %u events", many.n);
	measure_as(bench, divisor, name, what, subject, cycle->operation, cycle->baseline);
	snprintf(name, sizeof(name), "events-%u-read", many.n);
	snprintf(what, sizeof(what), "PAPI_read, %u events", many.n);
	bench_expect(&bench_ours, bench_ours.start(subject->set), "PAPI_start");
	bench_expect(NULL, bench_raw_enable(&subject->raw), "PERF_EVENT_IOC_ENABLE");
	measure_as(bench, divisor, name, what, subject, reading->operation, reading->baseline);
	bench_expect(&bench_ours, bench_ours.stop(subject->set, NULL), "PAPI_stop");
}

void bench_scaling_events(struct bench *bench)
{
	static const unsigned sizes[] = { 1, 16, 128, BENCH_MANY };
	static struct bench_subject subject;
	char why[256];

	if (!bench_wants_group(bench, "events-"))
		return;
	if (bench_raise_files() < 3 * BENCH_MANY) {
		snprintf(why, sizeof(why), "the process may not open %d files", 3 * BENCH_MANY);
	} else if (bench_subject_open(&subject, &bench_ours, BENCH_SETS, why, sizeof(why))) {
		if (name_many(why, sizeof(why)))
			why[0] = '\0';
		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]) && !why[0]; i++) {
			many.n = sizes[i];
			measure_events(bench, &subject);
		}
		bench_subject_close(&subject);
	}
	if (why[0])
		snprintf(bench_add_row(bench, "events-N", "large event sets", "")->missing, sizeof(why), "%s", why);
}

/*
 * ---- 1 to 10,000 sets alive ----
 *
 * Growth is that of the ratios: seconds lie between the first and the last row, and the machine may have become faster
 * or slower meanwhile, but the baseline has then become so too.
 */

#define SETS 10000

static struct {
	int sets[SETS];
	unsigned n, counting; /* how many there are, and how many of them hold an event */
} crowd;

static void make_crowd(const struct bench_subject *subject, unsigned n, unsigned files)
{
	for (; crowd.n < n; crowd.n++) {
		int *set = &crowd.sets[crowd.n];

		*set = PAPI_NULL;
		bench_expect(&bench_ours, bench_ours.create_eventset(set), "PAPI_create_eventset");
		if (crowd.counting >= files)
			continue;
		bench_expect(&bench_ours, bench_ours.add_event(*set, subject->codes[1]), "PAPI_add_event");
		crowd.counting++;
	}
}

static void drop_crowd(void)
{
	while (crowd.n) {
		bench_ours.cleanup_eventset(crowd.sets[--crowd.n]);
		bench_ours.destroy_eventset(&crowd.sets[crowd.n]);
	}
	crowd.counting = 0;
}

static double one_life(struct bench_subject *subject, size_t times)
{
	double begin = bench_now(), spent;
	int status = 0;

	for (size_t i = 0; i < times; i++) {
		int set = PAPI_NULL;

		status |= bench_ours.create_eventset(&set);
		status |= bench_ours.add_event(set, subject->codes[1]);
		status |= bench_ours.cleanup_eventset(set);
		status |= bench_ours.destroy_eventset(&set);
	}
	spent = bench_now() - begin;
	bench_expect(&bench_ours, status, "the life of an event set");
	return spent;
}

static double open_close(struct bench_subject *subject, size_t times)
{
	static struct bench_raw raw;
	double begin = bench_now(), spent;
	int status = 0;

	(void)subject;
	for (size_t i = 0; i < times; i++) {
		status |= bench_raw_open(&raw, &bench_events[1], 1, 0) ? 0 : -1;
		bench_raw_close(&raw);
	}
	spent = bench_now() - begin;
	bench_expect(NULL, status, "perf_event_open");
	return spent;
}

enum { READ, START_STOP, CREATE, LIFE, KINDS };

static struct {
	const char *name, *text, *unit;
	const char *like; /* the case with the operations, where there is one */
	bench_operation operation, baseline;
	double alone; /* the ratio with one set alive */
} kinds[KINDS] = {
	[READ] = { "read", "PAPI_read, others alive", "read(2), the same alive", "read-4", NULL, NULL, 0 },
	[START_STOP] = { "start-stop", "PAPI_start, PAPI_stop, others alive", "the kernel's, the same alive",
		"start-stop-4-order", NULL, NULL, 0 },
	[CREATE] = { "create", "create, destroy, others alive", "clock_gettime", "create-destroy", NULL, NULL, 0 },
	[LIFE] = { "life", "create, add, cleanup, destroy, others alive", "open, close(2), the same alive", NULL,
		one_life, open_close, 0 },
};

static void measure_kind(struct bench *bench, int kind, unsigned alive, struct bench_subject *subject)
{
	const struct bench fewer = fewer_rounds(bench, 8);
	struct bench_row *row;
	char name[48];
	double ratio;

	snprintf(name, sizeof(name), "sets-%u-%s", alive, kinds[kind].name);
	row = bench_add_row(bench, name, kinds[kind].text, kinds[kind].unit);
	bench_measure(
		&fewer, &(struct bench_pair){ kinds[kind].operation, kinds[kind].baseline, subject, subject }, row);
	ratio = row->ratio;
	if (alive == 1)
		kinds[kind].alone = ratio;
	if (alive < SETS)
		return;
	snprintf(name, sizeof(name), "sets-growth-%s", kinds[kind].name);
	bench_add_row(bench, name, "the ratio above", "that with one alive")->ratio = ratio / kinds[kind].alone;
}

static void start_both(struct bench_subject *subject)
{
	bench_expect(&bench_ours, bench_ours.start(subject->set), "PAPI_start");
	bench_expect(NULL, bench_raw_enable(&subject->raw), "PERF_EVENT_IOC_ENABLE");
}

static void stop_both(struct bench_subject *subject)
{
	bench_expect(&bench_ours, bench_ours.stop(subject->set, NULL), "PAPI_stop");
	bench_expect(NULL, bench_raw_disable(&subject->raw), "PERF_EVENT_IOC_DISABLE");
}

void bench_scaling_sets(struct bench *bench)
{
	static struct bench_subject subject;
	unsigned files = bench_raise_files() - 200;
	char why[256];

	if (!bench_wants_group(bench, "sets-"))
		return;
	if (!bench_subject_open(&subject, &bench_ours, BENCH_SETS, why, sizeof(why))) {
		snprintf(bench_add_row(bench, "sets-N", "many event sets", "")->missing, sizeof(why), "%s", why);
		return;
	}
	for (int kind = 0; kind < KINDS; kind++) {
		if (!kinds[kind].like)
			continue;
		kinds[kind].operation = bench_find_case(kinds[kind].like)->operation;
		kinds[kind].baseline = bench_find_case(kinds[kind].like)->baseline;
	}
	for (unsigned alive = 1; alive <= SETS; alive *= 10) {
		make_crowd(&subject, alive, files);
		start_both(&subject);
		measure_kind(bench, READ, alive, &subject);
		stop_both(&subject);
		for (int kind = START_STOP; kind < KINDS; kind++)
			measure_kind(bench, kind, alive, &subject);
	}
	drop_crowd();
	bench_subject_close(&subject);
}
