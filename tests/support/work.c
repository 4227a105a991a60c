/* SPDX-License-Identifier: BSD-3-Clause */
#include "work.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <malloc.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sanitizers.h"
#include "check.h"

static size_t page_size;
static int descriptors;

/* What mlockall(2) does, for those who may not lock memory: all of it is there, but for how long is the kernel's. */
static void populate(void)
{
#if defined(MADV_POPULATE_READ) && defined(MADV_POPULATE_WRITE)
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512], permissions[5];
	uintptr_t from, to;

	REQUIRE(maps != NULL);
	while (fgets(line, sizeof(line), maps))
		if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s", &from, &to, permissions) == 3 &&
			permissions[0] == 'r')
			madvise((void *)from, to - from,
				permissions[1] == 'w' ? MADV_POPULATE_WRITE : MADV_POPULATE_READ);
	fclose(maps);
#endif
}

/*
 * All code and data of the program is there from now on, and stays, and so is the memory that malloc() will give out.
 * Sanitizers map terabytes and do not use malloc()'s memory.
 */
static void keep_memory(void)
{
	const size_t size = 1 << 20;
	struct timespec time;
	char *heap;

	if (!work_exact_faults())
		return;
	REQUIRE(mallopt(M_TRIM_THRESHOLD, 1 << 30) && mallopt(M_MMAP_THRESHOLD, 1 << 30));
	heap = malloc(size);
	REQUIRE(heap != NULL);
	/* Not memset(): a compiler sees that nobody reads it, and leaves it out. */
	work_touch(heap, size / work_bytes(1));
	free(heap);
	if (mlockall(MCL_CURRENT) != 0)
		populate();
	/* The page that the kernel shares with the vDSO is not the program's to lock. */
	REQUIRE(clock_gettime(CLOCK_MONOTONIC, &time) == 0);
}

void work_begin(void)
{
	const PAPI_component_info_t *info;
	int code;

	descriptors = work_descriptors();
	keep_memory();
	REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
	info = PAPI_get_component_info(0);
	REQUIRE(info != NULL);
	if (info->disabled != PAPI_OK) {
		printf("skipped: perf events cannot be counted here: %s\n", info->disabled_reason);
		exit(77);
	}
	if (PAPI_event_name_to_code("perf::PAGE-FAULTS", &code) != PAPI_OK) {
		printf("skipped: no perf:: names: %s\n", PAPI_error_detail());
		exit(77);
	}
}

bool work_has_breakpoints(void)
{
	static struct work_cell cell;
	char name[WORK_NAME];
	int set = PAPI_NULL;

	work_name(name, &cell, "/8:w");
	REQUIRE_OK(PAPI_create_eventset(&set));
	if (PAPI_add_named_event(set, name) != PAPI_OK)
		return false;
	work_discard(set);
	return true;
}

void work_need_breakpoints(void)
{
	if (work_has_breakpoints())
		return;
	printf("skipped: no breakpoints here: %s\n", PAPI_error_detail());
	exit(77);
}

int work_end(int status)
{
	PAPI_shutdown();
	if (!EXPECT_EQUAL(descriptors, work_descriptors()))
		return 1;
	return status;
}

size_t work_bytes(size_t pages)
{
	if (!page_size)
		page_size = (size_t)sysconf(_SC_PAGESIZE);
	return pages * page_size;
}

char *work_pages(size_t n)
{
	char *pages = mmap(NULL, work_bytes(n), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	REQUIRE(pages != MAP_FAILED);
	/* A kernel without huge pages refuses, and has no need. */
	madvise(pages, work_bytes(n), MADV_NOHUGEPAGE);
	return pages;
}

void work_unmap(char *pages, size_t n)
{
	REQUIRE(munmap(pages, work_bytes(n)) == 0);
}

WORK_PLAIN void work_touch(char *pages, size_t n)
{
	size_t size = page_size;

	for (size_t i = 0; i < n; i++)
		((volatile char *)pages)[i * size] = 1;
}

WORK_PLAIN void work_store(struct work_cell *cell, unsigned long times)
{
#pragma GCC unroll 1
	for (unsigned long i = 0; i < times; i++)
		cell->value = i;
}

WORK_PLAIN void work_load(struct work_cell *cell, unsigned long times)
{
	for (unsigned long i = 0; i < times; i++)
		(void)cell->value;
}

void work_name(char name[WORK_NAME], const volatile void *address, const char *rest)
{
	snprintf(name, WORK_NAME, "mem:0x%" PRIxPTR "%s", (uintptr_t)address, rest);
}

bool work_exact_faults(void)
{
	return !ADDRESS_SANITIZER && !THREAD_SANITIZER && !MEMORY_SANITIZER;
}

#define MOST_EVENTS 4096

static struct work_cell cells[2];

void work_events(size_t n)
{
	static char *pages;

	REQUIRE(n <= MOST_EVENTS);
	if (!pages)
		pages = work_pages(MOST_EVENTS);
	work_touch(pages, n);
	/* Fresh again, without a fault. */
	REQUIRE(n == 0 || madvise(pages, work_bytes(n), MADV_DONTNEED) == 0);
	work_store(&cells[WORK_A], n);
	work_store(&cells[WORK_B], n);
}

const char *work_event(enum work_kind kind)
{
	static char names[2][WORK_NAME];

	if (kind == WORK_A && work_exact_faults())
		return "perf::PAGE-FAULTS";
	work_name(names[kind], &cells[kind], "/8:w");
	return names[kind];
}

int work_set(const char *first, const char *second, const char *third)
{
	const char *const names[] = { first, second, third };
	int set = PAPI_NULL;

	REQUIRE_OK(PAPI_create_eventset(&set));
	for (size_t i = 0; i < COUNT_OF(names) && names[i]; i++)
		REQUIRE_OK(PAPI_add_named_event(set, names[i]));
	return set;
}

void work_discard(int set)
{
	EXPECT_OK(PAPI_cleanup_eventset(set));
	EXPECT_OK(PAPI_destroy_eventset(&set));
	EXPECT_EQUAL(PAPI_NULL, set);
}

long long work_stop(int set)
{
	long long value = -1;

	EXPECT_OK(PAPI_stop(set, &value));
	return value;
}

static void forget(long long values[], size_t n)
{
	for (size_t i = 0; i < n; i++)
		values[i] = -1;
}

void work_stop_values(int set, long long values[], size_t n)
{
	forget(values, n);
	EXPECT_OK(PAPI_stop(set, values));
}

void work_read_values(int set, long long values[], size_t n)
{
	forget(values, n);
	EXPECT_OK(PAPI_read(set, values));
}

int work_wait(pid_t child)
{
	int status;

	while (waitpid(child, &status, __WALL) != child)
		REQUIRE(errno == EINTR);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int work_cpus(int cpus[], int most)
{
	cpu_set_t allowed;
	int n = 0;

	REQUIRE(sched_getaffinity(0, sizeof(allowed), &allowed) == 0);
	for (size_t cpu = 0; cpu < CPU_SETSIZE && n < most; cpu++)
		if (CPU_ISSET(cpu, &allowed))
			cpus[n++] = (int)cpu;
	return n;
}

static cpu_set_t before_pin;
static bool pinned;

void work_pin(int cpu)
{
	cpu_set_t one;

	if (!pinned)
		REQUIRE(sched_getaffinity(0, sizeof(before_pin), &before_pin) == 0);
	pinned = true;
	CPU_ZERO(&one);
	CPU_SET((size_t)cpu, &one);
	REQUIRE(sched_setaffinity(0, sizeof(one), &one) == 0);
}

void work_unpin(void)
{
	REQUIRE(pinned && sched_setaffinity(0, sizeof(before_pin), &before_pin) == 0);
}

bool work_realtime(bool on)
{
	int policy = on ? SCHED_FIFO : SCHED_OTHER;

	return sched_setscheduler(0, policy,
		       &(struct sched_param){ .sched_priority = on ? sched_get_priority_max(policy) : 0 }) == 0;
}

void work_switches(long long *voluntary, long long *involuntary)
{
	struct rusage usage;

	REQUIRE(getrusage(RUSAGE_THREAD, &usage) == 0);
	*voluntary = usage.ru_nvcsw;
	*involuntary = usage.ru_nivcsw;
}

int work_descriptors(void)
{
	DIR *directory = opendir("/proc/self/fd");
	int n = 0;

	REQUIRE(directory != NULL);
	for (const struct dirent *entry; (entry = readdir(directory));)
		n += entry->d_name[0] != '.';
	closedir(directory);
	/* Without the one that opendir() has. */
	return n - 1;
}
