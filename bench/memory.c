/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bytes of an event set, as the mean over SETS of them in a process of their own, after a first one that pays for what
 * is made only once (names, encodings).
 *
 * Two ways that know nothing of each other: what malloc says it has handed out, its own headers included, and by how
 * much the anonymous memory of the process has grown, which is whole pages but includes what is not malloc's.
 */
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "papi.h"

#define SETS      256
#define SET_BYTES 4096

enum figure { EMPTY, FULL, RESIDENT, FIGURES };

static double heap_bytes(void)
{
	return (double)mallinfo2().uordblks;
}

/* RssAnon of /proc/self/status, in kB there. Without stdio, whose buffers are heap. */
static double resident_bytes(void)
{
	static char text[8192];
	int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	const char *line;

	if (fd >= 0)
		close(fd);
	text[length > 0 ? length : 0] = '\0';
	line = strstr(text, "RssAnon:");
	return line ? strtod(line + sizeof("RssAnon:"), NULL) * 1024 : NAN;
}

static void make_sets(const struct bench_api *api, const int codes[], int sets, int events)
{
	for (int i = 0; i < sets; i++) {
		int set = PAPI_NULL;

		bench_expect(api, api->create_eventset(&set), "PAPI_create_eventset");
		for (int j = 0; j < events; j++)
			bench_expect(api, api->add_event(set, codes[j]), "PAPI_add_event");
	}
}

int bench_memory_helper(const struct bench_api *api)
{
	static struct bench_subject subject;
	char why[256];
	double before, middle, after, resident;
	int sets = SETS, files = (int)bench_raise_files() - 64, events = BENCH_EVENTS;

	if (sets * BENCH_EVENTS > files)
		sets = files / BENCH_EVENTS;
	bench_initialize(api);
	if (!bench_subject_open(&subject, api, BENCH_CODES, why, sizeof(why)))
		events = 0;
	make_sets(api, subject.codes, 1, events);
	resident_bytes();
	before = heap_bytes();
	make_sets(api, subject.codes, sets, 0);
	middle = heap_bytes();
	resident = resident_bytes();
	make_sets(api, subject.codes, sets, events);
	after = heap_bytes();
	resident = resident_bytes() - resident;
	printf("%.1f", (middle - before) / sets);
	if (events)
		printf(" %.1f %.1f\n", (after - middle) / sets, resident / sets);
	else
		printf(" nan nan\n");
	return EXIT_SUCCESS;
}

static const struct {
	const char *name, *text;
	bool promise;
} rows[FIGURES] = {
	[EMPTY] = { "heap-0", "heap of an empty event set", false },
	[FULL] = { "heap-4", "heap of an event set of 4 events", true },
	[RESIDENT] = { "resident-4", "resident memory of such a set", false },
};

static void report(struct bench *bench, const char *peer)
{
	double ours[FIGURES] = { NAN, NAN, NAN }, theirs[FIGURES] = { NAN, NAN, NAN };
	char why[256] = "";
	bool well = bench_ask_helper(NULL, "memory", ours, FIGURES, why, sizeof(why)) &&
		(!peer || bench_ask_helper(peer, "memory", theirs, FIGURES, why, sizeof(why)));

	for (int i = 0; i < FIGURES; i++) {
		struct bench_row *row;

		if (!bench_wants(bench, rows[i].name))
			continue;
		row = bench_add_row(bench, rows[i].name, rows[i].text, peer ? "the peer's" : "");
		row->unit = BENCH_BYTES;
		row->absolute = true;
		if (well && (isnan(ours[i]) || (peer && isnan(theirs[i]))))
			snprintf(row->missing, sizeof(row->missing), "%s cannot count %s and the others here",
				isnan(ours[i]) ? "the library" : "the peer", bench_events[0].name);
		if (!well)
			snprintf(row->missing, sizeof(row->missing), "%s", why);
		row->ours = ours[i];
		row->baseline = theirs[i];
		row->ratio = ours[i] / theirs[i];
		row->limit = rows[i].promise && !peer ? SET_BYTES : NAN;
	}
}

static bool wanted(const struct bench *bench)
{
	for (int i = 0; i < FIGURES; i++)
		if (bench_wants(bench, rows[i].name))
			return true;
	return false;
}

void bench_memory(struct bench *bench)
{
	if (wanted(bench))
		report(bench, NULL);
}

void bench_memory_peer(struct bench *bench, const char *directory)
{
	if (wanted(bench))
		report(bench, directory);
}
