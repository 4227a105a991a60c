/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Address space: what the virtual PMU takes of it is what a program needs. A small one is counted with models under a
 * limit, and with its memory locked; a large one gets more as it goes on, and when there is no more, its counts end
 * with that reason.
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sanitizers.h"
#include "check.h"
#include "processor.h"
#include "region.h"
#include "virtual.h"

#define PAGE 4096
#define LINE 64
#define MIB  1024 /* in units of /proc/self/status */

static long status_of(const char *name)
{
	FILE *file = fopen("/proc/self/status", "r");
	size_t length = strlen(name);
	char line[256];
	long value = -1;

	REQUIRE(file != NULL);
	while (value < 0 && fgets(line, sizeof(line), file))
		if (!strncmp(line, name, length) && line[length] == ':')
			value = strtol(line + length + 1, NULL, 10);
	fclose(file);
	return value;
}

static int make_set(void)
{
	int set = PAPI_NULL;

	REQUIRE_OK(PAPI_create_eventset(&set));
	REQUIRE_OK(PAPI_add_named_event(set, "vpmu:::L1D_WRITE_MISSES"));
	REQUIRE_OK(PAPI_add_named_event(set, "vpmu:::L3D_WRITE_MISSES"));
	REQUIRE_OK(PAPI_add_named_event(set, "vpmu:::DTLB_MISSES"));
	REQUIRE_OK(PAPI_add_named_event(set, "vpmu:::INSTRUCTIONS"));
	return set;
}
enum { L1, L3, TLB, INSTRUCTION, COUNTS };

/* One store in each step. */
static void touch(volatile char *from, size_t size, size_t step)
{
	for (size_t i = 0; i < size; i += step)
		from[i] = 1;
}

/* One load in each, which takes no memory of the machine. */
static void look_at(const volatile char *from, size_t size, size_t step)
{
	for (size_t i = 0; i < size; i += step)
		from[i];
}

static void count_little(void)
{
	static char little[16 * PAGE];
	long long counts[COUNTS];
	int set = make_set();

	REQUIRE_OK(PAPI_start(set));
	touch(little, sizeof(little), LINE);
	REQUIRE_OK(PAPI_stop(set, counts));
	EXPECT_BETWEEN(sizeof(little) / LINE, counts[L1], sizeof(little) / LINE + 16);
	EXPECT_OK(PAPI_cleanup_eventset(set));
	EXPECT_OK(PAPI_destroy_eventset(&set));
}

/* Each in a process of its own, in which the library has not started yet. */
static void in_child(void (*test)(void))
{
	int status;
	pid_t child = fork();

	REQUIRE(child >= 0);
	if (child == 0) {
		int before = check_failures();

		test();
		_exit(check_failures() > before ? 1 : 0);
	}
	REQUIRE(waitpid(child, &status, 0) == child);
	EXPECT_EQUAL(0, status);
}

static void begin(void)
{
	REQUIRE(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
	REQUIRE_OK(PAPI_thread_init((unsigned long (*)(void))pthread_self));
}

static void grow_little(void)
{
	long before;

	begin();
	before = status_of("VmSize");
	count_little();
	EXPECT_BETWEEN(0, status_of("VmSize") - before, 32 * MIB);
	EXPECT_BETWEEN(0, status_of("VmPeak") - before, 48 * MIB);
}

static void test_small(void)
{
	in_child(grow_little);
}

static void count_with_limit(void)
{
	const struct rlimit limit = { 256 << 20, 256 << 20 };

	REQUIRE(setrlimit(RLIMIT_AS, &limit) == 0);
	begin();
	count_little();
}

static void test_limit(void)
{
	in_child(count_with_limit);
}

static void count_locked(void)
{
	long before;

	if (mlockall(MCL_CURRENT | MCL_FUTURE)) {
		printf("memory cannot be locked: %s\n", strerror(errno));
		return;
	}
	begin();
	before = status_of("VmLck");
	count_little();
	EXPECT_BETWEEN(0, status_of("VmLck") - before, 32 * MIB);
}

static void test_locked(void)
{
	in_child(count_locked);
}

static void *count_in_thread(void *barrier)
{
	count_little();
	pthread_barrier_wait(barrier);
	pthread_barrier_wait(barrier);
	return NULL;
}

static void count_in_threads(void)
{
	enum { THREADS = 8 };
	const long stack = 256 << 10;
	pthread_t threads[THREADS];
	pthread_barrier_t barrier;
	pthread_attr_t attributes;
	long before;

	begin();
	count_little();
	REQUIRE(pthread_barrier_init(&barrier, NULL, THREADS + 1) == 0);
	REQUIRE(pthread_attr_init(&attributes) == 0);
	REQUIRE(pthread_attr_setstacksize(&attributes, (size_t)stack) == 0);
	/* libc gives each thread memory for malloc(), which is larger than all of ours. */
	setenv("GLIBC_TUNABLES", "glibc.malloc.arena_max=1", 1);
	before = status_of("VmData");
	for (unsigned i = 0; i < THREADS; i++)
		REQUIRE(pthread_create(&threads[i], &attributes, count_in_thread, &barrier) == 0);
	pthread_barrier_wait(&barrier);
	/* VmData has what can be written, and so leaves out what libc has only reserved. */
	EXPECT_BETWEEN(0, (status_of("VmData") - before) / THREADS, 16 * MIB);
	pthread_barrier_wait(&barrier);
	for (unsigned i = 0; i < THREADS; i++)
		REQUIRE(pthread_join(threads[i], NULL) == 0);
}

static void test_threads(void)
{
	in_child(count_in_threads);
}

/* More pages than there were numbers for at first, time and again: what was known of the first is known. */
static void count_much(void)
{
	const size_t large = 256 << 20, small = 8 << 20;
	char *memory = mmap(NULL, large, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	long long first[COUNTS], again[COUNTS], all[COUNTS], pages = (long long)(large / PAGE);
	int set;

	REQUIRE(memory != MAP_FAILED);
	begin();
	set = make_set();
	REQUIRE_OK(PAPI_start(set));
	touch(memory, small, LINE);
	REQUIRE_OK(PAPI_stop(set, first));
	REQUIRE_OK(PAPI_start(set));
	touch(memory, small, LINE);
	REQUIRE_OK(PAPI_stop(set, again));
	REQUIRE_OK(PAPI_start(set));
	touch(memory + small, large - small, PAGE);
	touch(memory, small, LINE);
	REQUIRE_OK(PAPI_stop(set, all));
	EXPECT_BETWEEN((long long)(small / LINE), first[L3], (long long)(small / LINE) + 64);
	EXPECT_BETWEEN(0, again[L3], 64);
	EXPECT_BETWEEN((long long)(small / LINE), again[L1], (long long)(small / LINE) + 64);
	EXPECT_BETWEEN(pages, all[TLB], pages + 64);
	EXPECT(all[L3] >= (long long)((large - small) / PAGE));
}

static void test_large(void)
{
	in_child(count_much);
}

/* An addition and a jump to the next in each 16 bytes; and a return. */
static void write_blocks(unsigned char *code, unsigned n)
{
#ifdef __aarch64__
	const uint32_t block[] = { 0x11000400, 0x14000003 }, end = 0xd65f03c0; /* add w0, w0, #1; b .+12; ret */
#else
	const unsigned char block[] = { 0x83, 0xc0, 1, 0xe9, 8, 0, 0, 0 }, end = 0xc3; /* add $1, %eax; jmp .+13; ret */
#endif

	for (unsigned i = 0; i < n; i++)
		memcpy(code + 16 * i, block, sizeof(block));
	memcpy(code + 16 * n, &end, sizeof(end));
	processor_code_written(code, 16 * n + sizeof(end));
}

/* A function of n such blocks: 2 instructions each, and one more. */
static void (*make_blocks(unsigned n))(void *)
{
	const size_t size = (size_t)n * 16 + 16;
	unsigned char *code = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (*function)(void *);

	REQUIRE(code != MAP_FAILED);
	write_blocks(code, n);
	REQUIRE(mprotect(code, size, PROT_READ | PROT_EXEC) == 0);
	memcpy(&function, &code, sizeof(function));
	return function;
}

/* More blocks than a first piece of the cache has room for. */
#define MANY 60000

static void expect_many(int set, void (*blocks)(void *), unsigned n)
{
	long long counts[COUNTS] = { 0 };

	region(set, counts, blocks, NULL);
	EXPECT_EQUAL(2 * n + 1 + REGION_AROUND, counts[INSTRUCTION]);
}

static void run_many_blocks(void)
{
	void (*blocks)(void *) = make_blocks(MANY);
	int set;

	begin();
	set = make_set();
	expect_many(set, blocks, MANY);
	expect_many(set, blocks, MANY);
}

static void test_many_blocks(void)
{
	in_child(run_many_blocks);
}

/* All that is free within 2 GiB of this program. */
static void take_what_is_near(void)
{
	void (*volatile self)(void) = take_what_is_near;
	const uint64_t reach = (uint64_t)1 << 31, here = (uint64_t)(uintptr_t)self;
	const uint64_t low = here > reach ? (here - reach) & -(uint64_t)PAGE : 1 << 16;
	struct {
		uint64_t start, end;
	} used[512] = { { low, low } };
	FILE *file = fopen("/proc/self/maps", "r");
	char line[512];
	unsigned n = 1;

	REQUIRE(file != NULL);
	while (n < COUNT_OF(used) && fgets(line, sizeof(line), file))
		n += sscanf(line, "%" SCNx64 "-%" SCNx64, &used[n].start, &used[n].end) == 2 && used[n].end > low &&
			used[n].start < here + reach;
	fclose(file);
	REQUIRE(n < COUNT_OF(used));
	for (unsigned i = 1; i < n; i++) {
		void *free = (void *)(uintptr_t)used[i - 1].end; /* NOLINT(performance-no-int-to-ptr) */

		if (used[i].start > used[i - 1].end)
			EXPECT(mmap(free, used[i].start - used[i - 1].end, PROT_NONE,
				       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == free);
	}
}

/* As programs do that translate code themselves. */
static void run_crowded(void)
{
	void (*first)(void *) = make_blocks(MANY), (*second)(void *) = make_blocks(3 * MANY);
	int set;

	begin();
	set = make_set();
	expect_many(set, first, MANY);
	take_what_is_near();
	expect_many(set, second, 3 * MANY);
	expect_many(set, first, MANY);
}

static void test_crowded(void)
{
	in_child(run_crowded);
}

/* The limit comes when it is counted already. */
static void run_out_of_memory(void)
{
	const size_t large = (size_t)1 << 30;
	char *memory = mmap(NULL, large, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct rlimit limit;
	long long counts[COUNTS];
	int set;

	REQUIRE(memory != MAP_FAILED);
	begin();
	set = make_set();
	REQUIRE_OK(PAPI_start(set));
	touch(memory, PAGE, LINE);
	limit.rlim_cur = limit.rlim_max = ((rlim_t)status_of("VmSize") << 10) + (4 << 20);
	REQUIRE(setrlimit(RLIMIT_AS, &limit) == 0);
	look_at(memory, large, PAGE);
	EXPECT_ERROR(PAPI_ECNFLCT, "memory", PAPI_stop(set, counts));
	/* What needs no more counts on. */
	REQUIRE_OK(PAPI_start(set));
	touch(memory, PAGE, LINE);
	EXPECT_OK(PAPI_stop(set, counts));
}

static void test_memory_ends(void)
{
	if (processor_is_emulated())
		check_skip("an emulator of programs keeps no limit of the address space");
	else
		in_child(run_out_of_memory);
}

static bool can_count(void)
{
	int status;
	pid_t child = fork();

	REQUIRE(child >= 0);
	if (child == 0) {
		bool can = virtual_begin();

		fflush(stdout);
		_exit(can ? 0 : 77);
	}
	REQUIRE(waitpid(child, &status, 0) == child);
	return status == 0;
}

int main(void)
{
	static const struct test tests[] = {
		{ "a small program needs little", test_small },
		{ "a limit of the address space", test_limit },
		{ "memory that is locked", test_locked },
		{ "threads", test_threads },
		{ "much data", test_large },
		{ "many blocks", test_many_blocks },
		{ "no place left near the program", test_crowded },
		{ "memory ends", test_memory_ends },
	};

	if (ADDRESS_SANITIZER || THREAD_SANITIZER || MEMORY_SANITIZER) {
		printf("a sanitizer takes the address space\n");
		return 77;
	}
	setenv("PAPI_VPMU", "always", 1);
	setenv("PAPI_VPMU_CACHE", "L1D=32K/8/64,L2=1M/16/64,L3=32M/16/64,DTLB=64/4,DTLB2=1536/12", 1);
	if (!can_count())
		return 77;
	return check_run(tests, COUNT_OF(tests));
}
