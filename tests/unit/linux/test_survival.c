/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recorded machines whose files are cut off or altered at random: what is made of them must keep to the bounds of the
 * record, whatever else it says. The sanitizers see the rest. The seed is fixed, so that a failure can be repeated.
 */
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/files.h"
#include "linux/machine/hardware.h"
#include "linux/proc/cpus.h"
#include "linux/process/memory.h"
#include "tree.h"

#define ROUNDS 25

static const char *const names[] = { "amd-four-nodes.tree", "amd-vm.tree", "arm64-big-little.tree", "arm64-qemu.tree",
	"arm64-server.tree", "garbage.tree", "intel-hybrid.tree", "intel-two-sockets.tree", "mips-router.tree",
	"power9.tree", "s390x.tree", "riscv-board.tree", "x86-without-sys.tree" };

/* xorshift64 */
static uint64_t next_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

static void cut_off(char *content, size_t *length, size_t size, void *seed)
{
	(void)content;
	(void)size;
	*length = next_random(seed) % (*length + 1);
}

static void alter_bytes(char *content, size_t *length, size_t size, void *seed)
{
	static const char bytes[] = "0123456789-,:. \n\tKMGxaf\377\001\000";
	size_t count = *length / 16 + 1;

	(void)size;
	for (size_t i = 0; i<count && * length> 0; i++)
		content[next_random(seed) % *length] = bytes[next_random(seed) % (sizeof(bytes) - 1)];
}

/* Only some files suffer, so that what depends on several sees them disagree. */
static void change(char *content, size_t *length, size_t size, void *seed)
{
	uint64_t choice = next_random(seed) % 4;

	if (choice == 0)
		cut_off(content, length, size, seed);
	else if (choice == 1)
		alter_bytes(content, length, size, seed);
}

static void check_level(const PAPI_mh_level_t *level)
{
	for (int i = 0; i < PAPI_MH_MAX_LEVELS; i++) {
		const PAPI_mh_cache_info_t *cache = &level->cache[i];
		const PAPI_mh_tlb_info_t *tlb = &level->tlb[i];

		assert_true(cache->size >= 0 && cache->line_size >= 0 && cache->associativity >= 0);
		assert_true(cache->num_lines >= 0 && cache->num_lines <= cache->size);
		assert_true(tlb->num_entries >= 0 && tlb->page_size >= 0 && tlb->associativity >= 0);
		assert_true((tlb->type == PAPI_MH_TYPE_EMPTY) == (tlb->num_entries == 0));
	}
}

static void check_string(const char *text)
{
	assert_true(strnlen(text, PAPI_MAX_STR_LEN) < PAPI_MAX_STR_LEN);
}

static void check_bounds(const PAPI_hw_info_t *info)
{
	assert_non_null(info);
	assert_in_range(info->totalcpus, 1, PAPI_LIST_LIMIT);
	assert_in_range(info->threads, 1, PAPI_LIST_LIMIT);
	assert_in_range(info->cores, 1, INT_MAX);
	assert_in_range(info->sockets, 1, PAPI_LIST_LIMIT);
	assert_in_range(info->nnodes, 1, PAPI_LIST_LIMIT);
	assert_in_range(info->ncpu, 1, info->totalcpus);
	assert_in_range(info->cpu_max_mhz, info->cpu_min_mhz, 1000000);
	assert_true(info->cpu_min_mhz >= 0 && info->clock_mhz > 0);
	assert_true(isfinite(info->mhz) && isfinite(info->revision));
	assert_in_range(info->mem_hierarchy.levels, 0, PAPI_MAX_MEM_HIERARCHY_LEVELS);
	assert_in_range(info->virtualized, 0, 1);
	for (int level = 0; level < PAPI_MAX_MEM_HIERARCHY_LEVELS; level++)
		check_level(&info->mem_hierarchy.level[level]);
	check_string(info->vendor_string);
	check_string(info->model_string);
	check_string(info->virtual_vendor_string);
	check_string(info->virtual_vendor_version);
}

static void check_memory(void)
{
	PAPI_dmem_info_t usage;
	const long long *fields = &usage.peak;

	if (papi_memory_get(&usage) != PAPI_OK)
		return;
	for (size_t i = 0; i < sizeof(usage) / sizeof(*fields); i++)
		assert_true(fields[i] >= 0 || fields[i] == PAPI_EINVAL);
}

static void run_one(const char *name, uint64_t *seed)
{
	char *path = tree_path(name);
	char *root = tree_unpack(path, change, seed);

	free(path);
	assert_int_equal(papi_linux_set_root(root), 0);
	check_bounds(papi_hardware_get());
	check_memory();
	papi_hardware_reset();
	papi_linux_set_root(NULL);
	tree_remove(root);
}

static void damaged_machines_stay_in_bounds(void **state)
{
	uint64_t seed = 0x9e3779b97f4a7c15u;

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			run_one(names[i], &seed);
	}
}

static void an_empty_machine_has_one_cpu(void **state)
{
	(void)state;
	assert_int_equal(papi_linux_set_root("/nowhere/at/all"), 0);
	check_bounds(papi_hardware_get());
	assert_int_equal(papi_hardware_get()->totalcpus, 1);
	assert_string_equal(papi_hardware_get()->vendor_string, "unknown");
	papi_hardware_reset();
	papi_linux_set_root(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(damaged_machines_stay_in_bounds),
		cmocka_unit_test(an_empty_machine_has_one_cpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
