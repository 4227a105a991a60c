/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Metrics of what the kernel does for a program that asks for a known number of it, for known_system.py.
 *
 *	known_system FILE GROUP faults | disk | switches | moves TIMES
 *
 * Below the metrics stands what getrusage and a clock of the thread, which are no events, say of the same: looked at
 * inside of what is counted and outside of it, they have the counts between them.
 */
#include <fcntl.h>
#include <papi.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "known_groups.h"

#define PAGE 4096

struct look {
	double elapsed, processor; /* seconds */
	double faults, from_disk, switches;
};

static struct {
	void (*run)(void);
	long times;
	volatile char *memory;
	cpu_set_t one, other;
} work;

static void touch(void)
{
	for (long i = 0; i < work.times; i++)
		(void)work.memory[i * PAGE];
}

static void write_to(void)
{
	for (long i = 0; i < work.times; i++)
		work.memory[i * PAGE] = 1;
}

static void sleep_often(void)
{
	struct timespec shortly = { 0, 1000 };

	for (long i = 0; i < work.times; i++)
		nanosleep(&shortly, NULL);
}

static void move(void)
{
	for (long i = 0; i < work.times; i++)
		sched_setaffinity(0, sizeof(work.one), i % 2 ? &work.one : &work.other);
}

static bool take_memory(int file)
{
	size_t size = (size_t)work.times * PAGE;
	void *memory = mmap(NULL, size, file < 0 ? PROT_READ | PROT_WRITE : PROT_READ,
		file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, file, 0);

	if (memory == MAP_FAILED) {
		printf("no memory can be mapped\n");
		return false;
	}
	/* A page at a time: no large ones, and none is read ahead. */
	madvise(memory, size, file < 0 ? MADV_NOHUGEPAGE : MADV_RANDOM);
	work.memory = memory;
	return true;
}

/* A file that is on the disk, and no longer in memory, where its file system lets it be thrown out. */
static bool take_file(void)
{
	char name[] = "known_system.XXXXXX", page[PAGE];
	int file = mkstemp(name);

	if (file < 0) {
		printf("no file can be made here\n");
		return false;
	}
	unlink(name);
	memset(page, 1, sizeof(page));
	for (long i = 0; i < work.times; i++)
		if (write(file, page, sizeof(page)) != (ssize_t)sizeof(page)) {
			printf("no file can be written here\n");
			return false;
		}
	fsync(file);
	posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
	return take_memory(file);
}

/* The thread begins on the first of two CPUs. */
static bool take_cpus(void)
{
	cpu_set_t all;
	int found = 0;

	CPU_ZERO(&work.one);
	CPU_ZERO(&work.other);
	if (sched_getaffinity(0, sizeof(all), &all) == 0)
		for (size_t i = 0; i < CPU_SETSIZE && found < 2; i++)
			if (CPU_ISSET(i, &all))
				CPU_SET(i, found++ ? &work.other : &work.one);
	if (found < 2)
		printf("there is one CPU\n");
	return found == 2 && sched_setaffinity(0, sizeof(work.one), &work.one) == 0;
}

/* False, and why is printed, where it cannot be done here. */
static bool prepare(const char *what, long times)
{
	work.times = times;
	if (!strcmp(what, "faults")) {
		work.run = write_to;
		return take_memory(-1);
	}
	if (!strcmp(what, "disk")) {
		work.run = touch;
		return take_file();
	}
	if (!strcmp(what, "moves")) {
		work.run = move;
		return take_cpus();
	}
	work.run = sleep_often;
	return true;
}

static double clock_now(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* How it stands, less how it stood; NULL: since ever. The two may be the same. */
static void look(struct look *now, const struct look *before)
{
	static const struct look nothing;
	struct look from = before ? *before : nothing;
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	now->elapsed = clock_now(CLOCK_MONOTONIC) - from.elapsed;
	now->processor = clock_now(CLOCK_THREAD_CPUTIME_ID) - from.processor;
	now->faults = (double)(usage.ru_minflt + usage.ru_majflt) - from.faults;
	now->from_disk = (double)usage.ru_majflt - from.from_disk;
	now->switches = (double)(usage.ru_nvcsw + usage.ru_nivcsw) - from.switches;
}

static void print_look(const char *name, const struct look *what)
{
	printf("%s.elapsed %.17g\n%s.processor %.17g\n%s.faults %.17g\n%s.from_disk %.17g\n%s.switches %.17g\n", name,
		what->elapsed, name, what->processor, name, what->faults, name, what->from_disk, name, what->switches);
}

static void print_clock(int set, const long long *counts)
{
	int clock, events[PAPI_METRIC_MOST], number = PAPI_METRIC_MOST;

	if (PAPI_event_name_to_code("perf::TASK-CLOCK", &clock) != PAPI_OK ||
		PAPI_list_events(set, events, &number) != PAPI_OK)
		known_give_up("perf::TASK-CLOCK");
	for (int i = 0; i < number; i++)
		if (events[i] == clock)
			printf("perf::TASK-CLOCK %lld\n", counts[i]);
}

int main(int number, char **arguments)
{
	static long long counts[PAPI_METRIC_MOST];
	struct look inside, outside;
	int set = PAPI_NULL, group;

	if (number != 5) {
		fprintf(stderr, "the first lines of known_system.c say what to ask for\n");
		return 2;
	}
	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
		known_give_up("PAPI_library_init");
	group = known_group_in(&set, arguments[1], arguments[2]);
	if (!prepare(arguments[3], strtol(arguments[4], NULL, 10)))
		return 77;
	look(&outside, NULL);
	if (PAPI_start(set) != PAPI_OK)
		known_give_up("PAPI_start");
	look(&inside, NULL);
	work.run();
	look(&inside, &inside);
	if (PAPI_stop(set, counts) != PAPI_OK)
		known_give_up("PAPI_stop");
	look(&outside, &outside);
	known_print_metrics(group, set, counts, outside.elapsed);
	print_clock(set, counts);
	print_look("inside", &inside);
	print_look("outside", &outside);
	return 0;
}
