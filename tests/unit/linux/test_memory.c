/* SPDX-License-Identifier: BSD-3-Clause */
/* papi_memory_get() on this process and on recorded ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/files.h"
#include "linux/process/memory.h"
#include "tree.h"

#define BLOCK_KB 65536

static int tear_down(void **state)
{
	(void)state;
	return papi_linux_set_root(NULL);
}

static char *replay(const char *name)
{
	char *path = tree_path(name);
	char *root = tree_unpack(path, NULL, NULL);

	free(path);
	assert_int_equal(papi_linux_set_root(root), 0);
	return root;
}

static void every_field_is_known_here(void **state)
{
	PAPI_dmem_info_t usage;
	const long long *fields = &usage.peak;

	(void)state;
	assert_int_equal(papi_memory_get(&usage), PAPI_OK);
	for (size_t i = 0; i < sizeof(usage) / sizeof(*fields); i++)
		assert_true(fields[i] >= 0);
	assert_int_equal(usage.pagesize, sysconf(_SC_PAGESIZE));
	assert_true(usage.peak >= usage.size);
	assert_true(usage.size >= usage.resident);
	assert_true(usage.high_water_mark >= usage.resident);
	assert_true(usage.resident >= usage.shared);
	assert_true(usage.text > 0 && usage.library > 0 && usage.stack > 0 && usage.pte > 0);
}

/*
 * The kernel's other answer is at least as much, since it counts what the process was before exec(2) too. Resident
 * pages are counted per CPU and added up now and then, so that two answers can be some 64 pages per CPU apart.
 */
static void high_water_mark_is_within_getrusage(void **state)
{
	long long slack_kb = 64 * sysconf(_SC_NPROCESSORS_CONF) * sysconf(_SC_PAGESIZE) / 1024;
	PAPI_dmem_info_t usage;
	struct rusage after;

	(void)state;
	assert_int_equal(papi_memory_get(&usage), PAPI_OK);
	assert_int_equal(getrusage(RUSAGE_SELF, &after), 0);
	assert_true(usage.high_water_mark <= after.ru_maxrss + slack_kb);
}

/* Half of the block is asked for, since the kernel may not have added up its counts yet. */
static void touched_memory_is_seen(void **state)
{
	PAPI_dmem_info_t before, mapped, touched;
	char *block;

	(void)state;
	assert_int_equal(papi_memory_get(&before), PAPI_OK);
	block = mmap(NULL, BLOCK_KB * 1024ul, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(block, MAP_FAILED);
	assert_int_equal(papi_memory_get(&mapped), PAPI_OK);
	memset(block, 1, BLOCK_KB * 1024ul);
	assert_int_equal(papi_memory_get(&touched), PAPI_OK);
	munmap(block, BLOCK_KB * 1024ul);
	assert_true(mapped.size - before.size >= BLOCK_KB);
	assert_true(mapped.heap - before.heap >= BLOCK_KB);
	assert_true(mapped.resident - before.resident < BLOCK_KB / 2);
	assert_true(touched.resident - before.resident >= BLOCK_KB / 2);
	assert_true(touched.high_water_mark >= touched.resident);
	assert_true(touched.pte > before.pte);
}

static void locked_memory_is_seen(void **state)
{
	static char block[16384];
	PAPI_dmem_info_t before, locked;

	(void)state;
	assert_int_equal(papi_memory_get(&before), PAPI_OK);
	/* Not allowed in every container. The C function does nothing under AddressSanitizer, hence the system call. */
	if (syscall(SYS_mlock, block, sizeof(block)) != 0)
		skip();
	assert_int_equal(papi_memory_get(&locked), PAPI_OK);
	syscall(SYS_munlock, block, sizeof(block));
	assert_true(locked.locked - before.locked >= (long long)sizeof(block) / 1024);
}

/* Without /proc/self/status, statm gives four of the fields. */
static void unknown_fields_say_so(void **state)
{
	char *root = replay("old-statm.tree");
	PAPI_dmem_info_t usage;
	long long kilobytes = sysconf(_SC_PAGESIZE) / 1024;

	(void)state;
	assert_int_equal(papi_memory_get(&usage), PAPI_OK);
	tree_remove(root);
	assert_int_equal(usage.size, 1000 * kilobytes);
	assert_int_equal(usage.resident, 500 * kilobytes);
	assert_int_equal(usage.shared, 200 * kilobytes);
	assert_int_equal(usage.text, 30 * kilobytes);
	assert_int_equal(usage.heap, PAPI_EINVAL);
	assert_int_equal(usage.peak, PAPI_EINVAL);
	assert_int_equal(usage.library, PAPI_EINVAL);
}

static void garbage_is_not_believed(void **state)
{
	char *root = replay("garbage.tree");
	PAPI_dmem_info_t usage;
	const long long *fields = &usage.peak;

	(void)state;
	assert_int_equal(papi_memory_get(&usage), PAPI_OK);
	tree_remove(root);
	for (size_t i = 0; i < sizeof(usage) / sizeof(*fields); i++) {
		if (&fields[i] != &usage.pagesize)
			assert_int_equal(fields[i], PAPI_EINVAL);
	}
}

static void without_proc_there_is_a_reason(void **state)
{
	PAPI_dmem_info_t usage;

	(void)state;
	papi_linux_set_root("/nowhere/at/all");
	assert_int_equal(papi_memory_get(&usage), PAPI_ESYS);
	assert_non_null(strstr(papi_error_sentence(), "/proc/self/status"));
	assert_non_null(strstr(papi_error_sentence(), "/nowhere/at/all"));
	assert_int_equal(papi_memory_get(NULL), PAPI_EINVAL);
	assert_non_null(strstr(papi_error_sentence(), "null pointer"));
}

#define TEST(function) cmocka_unit_test_teardown(function, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_field_is_known_here),
		TEST(high_water_mark_is_within_getrusage),
		TEST(touched_memory_is_seen),
		TEST(locked_memory_is_seen),
		TEST(unknown_fields_say_so),
		TEST(garbage_is_not_believed),
		TEST(without_proc_there_is_a_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
