/* SPDX-License-Identifier: BSD-3-Clause */
/* papi_hardware_get() on the machine that runs the test, against what others say of it. */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/files.h"
#include "linux/machine/hardware.h"
#include "linux/proc/cpus.h"
#include "linux/time/clock.h"
#include "tree.h"

#define THREADS 16

static int tear_down(void **state)
{
	(void)state;
	papi_hardware_reset();
	papi_linux_set_root(NULL);
	return 0;
}

static void cpus_agree_with_sysconf(void **state)
{
	int count = (int)sysconf(_SC_NPROCESSORS_ONLN);
	int *cpus = calloc((size_t)count, sizeof(*cpus));
	bool is_online = false;
	int current;

	(void)state;
	assert_non_null(cpus);
	assert_int_equal(papi_linux_online_cpus(NULL, 0), count);
	assert_int_equal(papi_linux_online_cpus(cpus, count), count);
	assert_int_equal(papi_hardware_get()->totalcpus, count);
	current = papi_linux_current_cpu();
	for (int i = 0; i < count; i++) {
		is_online |= cpus[i] == current;
		assert_true(i == 0 || cpus[i] > cpus[i - 1]);
	}
	assert_true(is_online);
	free(cpus);
}

static void current_cpu_is_where_the_thread_was_put(void **state)
{
	cpu_set_t before, one;
	size_t cpu;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	for (cpu = CPU_SETSIZE - 1; !CPU_ISSET(cpu, &before); cpu--)
		;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	assert_int_equal(papi_linux_current_cpu(), cpu);
	assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
}

static int first_size(int level, int type)
{
	const PAPI_mh_level_t *at = &papi_hardware_get()->mem_hierarchy.level[level - 1];

	for (int i = 0; i < PAPI_MH_MAX_LEVELS; i++) {
		if ((at->cache[i].type & PAPI_MH_TYPE_UNIFIED) == type)
			return at->cache[i].size;
	}
	return 0;
}

/* The C library asks CPUID. It knows the third level only roughly, and elsewhere often nothing: 0. */
static void caches_agree_with_sysconf(void **state)
{
	static const struct {
		int name, level, type;
	} caches[] = {
		{ _SC_LEVEL1_DCACHE_SIZE, 1, PAPI_MH_TYPE_DATA },
		{ _SC_LEVEL1_ICACHE_SIZE, 1, PAPI_MH_TYPE_INST },
		{ _SC_LEVEL2_CACHE_SIZE, 2, PAPI_MH_TYPE_UNIFIED },
	};
	int known = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(caches) / sizeof(caches[0]); i++) {
		long size = sysconf(caches[i].name);
		int ours = first_size(caches[i].level, caches[i].type);

		if (size <= 0 || ours == 0)
			continue;
		assert_int_equal(ours, size);
		known++;
	}
	if (known == 0)
		skip();
}

static int type_of(const char *name)
{
	if (strcmp(name, "Data") == 0)
		return PAPI_MH_TYPE_DATA;
	return strcmp(name, "Instruction") == 0 ? PAPI_MH_TYPE_INST : PAPI_MH_TYPE_UNIFIED;
}

/* Lines of size, level and type, as lscpu(1) sums the same files up. */
static void caches_agree_with_lscpu(void **state)
{
	FILE *lscpu = popen("lscpu -B -C=ONE-SIZE,LEVEL,TYPE 2>/dev/null", "re");
	char line[256];
	int known = 0;

	(void)state;
	assert_non_null(lscpu);
	while (fgets(line, sizeof(line), lscpu)) {
		long size;
		int level;
		char type[32];

		if (sscanf(line, "%ld %d %31s", &size, &level, type) != 3 || level > PAPI_MAX_MEM_HIERARCHY_LEVELS)
			continue;
		assert_int_equal(first_size(level, type_of(type)), size);
		known++;
	}
	pclose(lscpu);
	if (known == 0)
		skip();
}

/* The value behind "NAME:" in lscpu's table, or -1. */
static long lscpu_number(const char *name)
{
	FILE *lscpu = popen("LC_ALL=C lscpu 2>/dev/null", "re");
	char line[1024];
	long number = -1;

	assert_non_null(lscpu);
	while (fgets(line, sizeof(line), lscpu)) {
		const char *start = line + strspn(line, " ");

		if (strncmp(start, name, strlen(name)) == 0 && start[strlen(name)] == ':')
			sscanf(start + strlen(name) + 1, "%ld", &number);
	}
	pclose(lscpu);
	return number;
}

static void topology_agrees_with_lscpu(void **state)
{
	const PAPI_hw_info_t *info = papi_hardware_get();

	(void)state;
	if (lscpu_number("Socket(s)") < 0)
		skip();
	assert_int_equal(info->sockets, lscpu_number("Socket(s)"));
	assert_int_equal(info->threads, lscpu_number("Thread(s) per core"));
	assert_int_equal(info->cores, lscpu_number("Core(s) per socket"));
	if (lscpu_number("CPU family") >= 0 && info->cpuid_family >= 0) {
		assert_int_equal(info->cpuid_family, lscpu_number("CPU family"));
		assert_int_equal(info->cpuid_model, lscpu_number("Model"));
	}
}

/* Recording this machine and replaying the recording gives the same machine, but for the clock, which is no file. */
static void a_recording_is_this_machine(void **state)
{
	PAPI_hw_info_t live = *papi_hardware_get();
	PAPI_hw_info_t replayed;
	char file[] = "/tmp/papi-record-XXXXXX";
	int descriptor = mkstemp(file);
	FILE *out = descriptor < 0 ? NULL : fdopen(descriptor, "w");
	char *root;

	(void)state;
	assert_non_null(out);
	tree_record(out);
	assert_int_equal(fclose(out), 0);
	root = tree_unpack(file, NULL, NULL);
	unlink(file);
	papi_hardware_reset();
	papi_linux_set_root(root);
	replayed = *papi_hardware_get();
	tree_remove(root);
	replayed.clock_mhz = live.clock_mhz;
	assert_memory_equal(&replayed.mem_hierarchy, &live.mem_hierarchy, sizeof(live.mem_hierarchy));
	assert_string_equal(replayed.model_string, live.model_string);
	assert_string_equal(replayed.virtual_vendor_string, live.virtual_vendor_string);
	/* A frequency that is read off the clock or off a moving CPU is another one each time. */
	replayed.mhz = live.mhz;
	replayed.cpu_max_mhz = live.cpu_max_mhz;
	replayed.cpu_min_mhz = live.cpu_min_mhz;
	assert_memory_equal(&replayed, &live, sizeof(live));
}

static void *get_hardware(void *barrier)
{
	pthread_barrier_wait(barrier);
	return (void *)papi_hardware_get();
}

static void threads_that_come_at_once_get_one_record(void **state)
{
	pthread_t threads[THREADS];
	pthread_barrier_t barrier;
	void *records[THREADS];

	(void)state;
	papi_hardware_reset();
	pthread_barrier_init(&barrier, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, get_hardware, &barrier), 0);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_join(threads[i], &records[i]), 0);
	pthread_barrier_destroy(&barrier);
	assert_non_null(records[0]);
	for (int i = 1; i < THREADS; i++)
		assert_ptr_equal(records[i], records[0]);
}

static void clock_is_the_counter(void **state)
{
	const PAPI_hw_info_t *info = papi_hardware_get();

	(void)state;
	assert_true(info->clock_mhz > 0);
	if (papi_clock_has_counter())
		assert_int_equal(info->clock_mhz, (papi_clock_rate() + 500000) / 1000000);
	assert_true(info->cpu_min_mhz <= info->cpu_max_mhz);
}

#define TEST(function) cmocka_unit_test_teardown(function, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(cpus_agree_with_sysconf),
		TEST(current_cpu_is_where_the_thread_was_put),
		TEST(caches_agree_with_sysconf),
		TEST(caches_agree_with_lscpu),
		TEST(topology_agrees_with_lscpu),
		TEST(a_recording_is_this_machine),
		TEST(threads_that_come_at_once_get_one_record),
		TEST(clock_is_the_counter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
