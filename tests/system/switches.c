/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Context switches of a ping-pong over two pipes, between two that share one CPU.
 *
 * A round trip: the counting thread A writes, then blocks in read, and the CPU is given to its partner B; B reads,
 * writes and blocks in its next read, and A goes on. With real-time priority nobody else gets the CPU and a wake-up
 * preempts nobody of the same priority, so N round trips switch A out exactly N times, and B as often: at the start of
 * the region B sits in its read, and so it does at the end. There is nothing to add or take away at the edges: start
 * and stop do not block.
 *
 * What may come on top is the kernel's own migration and watchdog work. It is in the kernel's books as an involuntary
 * switch, and the count must agree with the books: it lies between what they gain inside the region and what they gain
 * around it. Without the right to real-time priority, that is all that can be said, and that there are N at least.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "work.h"

#define ROUND_TRIPS 500
#define ATTEMPTS    20

static bool realtime;

/* The kernel's books: how often a thread was switched out. */
struct books {
	long long voluntary, involuntary;
};

static long long number_after(const char *text, const char *key)
{
	const char *line = strstr(text, key);

	REQUIRE(line != NULL);
	return atoll(line + strlen(key));
}

static struct books books_of(pid_t id)
{
	char path[64], status[4096];
	struct books books;
	size_t length;
	FILE *file;

	if (id == 0) {
		work_switches(&books.voluntary, &books.involuntary);
		return books;
	}
	snprintf(path, sizeof(path), "/proc/%d/status", (int)id);
	file = fopen(path, "r");
	REQUIRE(file != NULL);
	length = fread(status, 1, sizeof(status) - 1, file);
	status[length] = '\0';
	fclose(file);
	books.voluntary = number_after(status, "\nvoluntary_ctxt_switches:");
	books.involuntary = number_after(status, "\nnonvoluntary_ctxt_switches:");
	return books;
}

static struct books gain(struct books from, struct books to)
{
	return (struct books){ to.voluntary - from.voluntary, to.involuntary - from.involuntary };
}

static void nothing(void *unused)
{
	(void)unused;
}

static void play(struct work_child *partner)
{
	for (int i = 0; i < ROUND_TRIPS; i++)
		work_child_go(partner);
}

/* Counts the switches of id (0: of this thread) in one game. True when nobody else got the CPU. */
static bool count_game(int set, pid_t id, struct work_child *partner, long long *count)
{
	struct books before = books_of(id), inside, end, after, within, around;

	EXPECT_OK(PAPI_start(set));
	inside = books_of(id);
	play(partner);
	end = books_of(id);
	*count = work_stop(set);
	after = books_of(id);
	within = gain(inside, end);
	around = gain(before, after);
	EXPECT_BETWEEN(within.voluntary + within.involuntary, *count, around.voluntary + around.involuntary);
	EXPECT(*count >= ROUND_TRIPS);
	if (realtime)
		EXPECT_EQUAL(ROUND_TRIPS, around.voluntary);
	return around.involuntary == 0;
}

/* Plays until a game was not disturbed; then every switch is one of the ping-pong. */
static void expect_exact(int set, pid_t id, struct work_child *partner)
{
	long long count;

	for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
		if (count_game(set, id, partner, &count) && realtime) {
			EXPECT_EQUAL(ROUND_TRIPS, count);
			return;
		}
	}
	EXPECT(!realtime);
}

static void this_thread_with_a_thread(void)
{
	int set = work_set("perf::CONTEXT-SWITCHES", NULL, NULL);
	struct work_child partner;

	work_child_thread(&partner, nothing, NULL);
	expect_exact(set, 0, &partner);
	work_child_end(&partner);
	work_discard(set);
}

static void this_thread_with_a_process(void)
{
	int set = work_set("perf::CONTEXT-SWITCHES", NULL, NULL);
	struct work_child partner;

	work_child_fork(&partner, nothing, NULL);
	expect_exact(set, 0, &partner);
	work_child_end(&partner);
	work_discard(set);
}

static void an_attached_partner(bool thread)
{
	int set = work_set("perf::CONTEXT-SWITCHES", NULL, NULL);
	struct work_child partner;

	if (thread)
		work_child_thread(&partner, nothing, NULL);
	else
		work_child_fork(&partner, nothing, NULL);
	EXPECT_OK(PAPI_attach(set, (unsigned long)partner.id));
	expect_exact(set, partner.id, &partner);
	work_child_end(&partner);
	work_discard(set);
}

static void the_attached_thread(void)
{
	an_attached_partner(true);
}

static void the_attached_process(void)
{
	an_attached_partner(false);
}

/* What the kernel keeps books of is an event, too: both components in one set. */
static void by_two_components(void)
{
	int set = work_set("perf::CONTEXT-SWITCHES", "rusage:::nvcsw", "rusage:::nivcsw");
	struct work_child partner;
	bool undisturbed = false;

	work_child_thread(&partner, nothing, NULL);
	for (int attempt = 0; attempt < ATTEMPTS && !undisturbed; attempt++) {
		struct books before = books_of(0), around;
		long long values[3];

		EXPECT_OK(PAPI_start(set));
		play(&partner);
		work_stop_values(set, values, COUNT_OF(values));
		around = gain(before, books_of(0));
		EXPECT(values[1] >= 0 && values[2] >= 0);
		EXPECT(values[1] <= around.voluntary && values[2] <= around.involuntary);
		undisturbed = around.involuntary == 0;
		if (undisturbed) {
			EXPECT_EQUAL(values[1], values[0]);
			EXPECT_EQUAL(0, values[2]);
		}
	}
	EXPECT(undisturbed || !realtime);
	work_child_end(&partner);
	work_discard(set);
}

/* A set that is inherited counts both: N for A and N for B. */
static void inherited_by_the_partner(void)
{
	int set = work_set("perf::CONTEXT-SWITCHES", NULL, NULL);
	PAPI_option_t option = { .inherit = { .eventset = set, .inherit = PAPI_INHERIT_ALL } };
	bool undisturbed = false;

	EXPECT_OK(PAPI_set_opt(PAPI_INHERIT, &option));
	for (int attempt = 0; attempt < ATTEMPTS && !undisturbed; attempt++) {
		struct work_child partner;
		struct books a, b;
		long long before, after;

		EXPECT_OK(PAPI_start(set));
		work_child_fork(&partner, nothing, NULL);
		a = books_of(0);
		b = books_of(partner.id);
		EXPECT_OK(PAPI_read(set, &before));
		play(&partner);
		EXPECT_OK(PAPI_read(set, &after));
		a = gain(a, books_of(0));
		b = gain(b, books_of(partner.id));
		undisturbed = a.involuntary == 0 && b.involuntary == 0;
		/* Reads come after the first and before the second look into the books. */
		EXPECT(after - before <= a.voluntary + a.involuntary + b.voluntary + b.involuntary);
		if (undisturbed && realtime)
			EXPECT_EQUAL(2 * ROUND_TRIPS, after - before);
		EXPECT_OK(PAPI_stop(set, NULL));
		work_child_end(&partner);
	}
	EXPECT(undisturbed || !realtime);
	work_discard(set);
}

int main(void)
{
	static const struct test tests[] = {
		{ "this thread, with another one", this_thread_with_a_thread },
		{ "this thread, with a process", this_thread_with_a_process },
		{ "the attached thread", the_attached_thread },
		{ "the attached process", the_attached_process },
		{ "by two components", by_two_components },
		{ "inherited by the partner", inherited_by_the_partner },
	};
	int cpus[1], set = PAPI_NULL, status;

	work_begin();
	REQUIRE_OK(PAPI_create_eventset(&set));
	if (PAPI_add_named_event(set, "perf::CONTEXT-SWITCHES") != PAPI_OK) {
		printf("skipped: %s\n", PAPI_error_detail());
		return 77;
	}
	work_discard(set);
	REQUIRE(work_cpus(cpus, 1) == 1);
	work_pin(cpus[0]);
	realtime = work_realtime(true);
	if (!realtime)
		printf("without real-time priority: counts are compared with the kernel's books only\n");
	status = check_run(tests, COUNT_OF(tests));
	return work_end(status);
}
