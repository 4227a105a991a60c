/* SPDX-License-Identifier: BSD-3-Clause */
/* papi_hardware_get() on recorded machines: each field against what is known of the machine. */
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/files.h"
#include "linux/machine/hardware.h"
#include "linux/proc/cpuinfo.h"
#include "linux/proc/cpus.h"
#include "tree.h"

#define KB 1024
#define MB (1024 * 1024)

#define INST    PAPI_MH_TYPE_INST
#define DATA    PAPI_MH_TYPE_DATA
#define UNIFIED PAPI_MH_TYPE_UNIFIED
#define BACK    (PAPI_MH_TYPE_WB | PAPI_MH_TYPE_RW_ALLOC) /* as x86 caches of data are */

static char *root;

static const PAPI_hw_info_t *replay(const char *name)
{
	char *path = tree_path(name);
	const PAPI_hw_info_t *info;

	root = tree_unpack(path, NULL, NULL);
	free(path);
	assert_int_equal(papi_linux_set_root(root), 0);
	info = papi_hardware_get();
	assert_non_null(info);
	/* Made once, then kept. */
	assert_ptr_equal(papi_hardware_get(), info);
	return info;
}

static int tear_down(void **state)
{
	(void)state;
	papi_hardware_reset();
	papi_linux_set_root(NULL);
	if (root)
		tree_remove(root);
	root = NULL;
	return 0;
}

static void check_counts(
	const PAPI_hw_info_t *info, int total, int threads, int cores, int sockets, int nodes, int ncpu)
{
	assert_int_equal(info->totalcpus, total);
	assert_int_equal(info->threads, threads);
	assert_int_equal(info->cores, cores);
	assert_int_equal(info->sockets, sockets);
	assert_int_equal(info->nnodes, nodes);
	assert_int_equal(info->ncpu, ncpu);
}

static void check_model(const PAPI_hw_info_t *info, int vendor, const char *vendor_string, const char *model_string)
{
	assert_int_equal(info->vendor, vendor);
	assert_string_equal(info->vendor_string, vendor_string);
	assert_string_equal(info->model_string, model_string);
	assert_int_equal(info->model, info->cpuid_model);
}

static void check_cpuid(const PAPI_hw_info_t *info, int family, int model, int stepping)
{
	assert_int_equal(info->cpuid_family, family);
	assert_int_equal(info->cpuid_model, model);
	assert_int_equal(info->cpuid_stepping, stepping);
}

static void check_mhz(const PAPI_hw_info_t *info, int max, int min)
{
	assert_int_equal(info->cpu_max_mhz, max);
	assert_int_equal(info->cpu_min_mhz, min);
	assert_int_equal((int)lroundf(info->mhz), max);
	assert_int_equal(info->clock_mhz, max > 0 ? max : 1000);
}

static void check_bare_metal(const PAPI_hw_info_t *info)
{
	assert_int_equal(info->virtualized, 0);
	assert_string_equal(info->virtual_vendor_string, "");
	assert_string_equal(info->virtual_vendor_version, "");
}

static void check_caches(const PAPI_hw_info_t *info, int level, int count, const PAPI_mh_cache_info_t *expected)
{
	const PAPI_mh_cache_info_t *caches = info->mem_hierarchy.level[level - 1].cache;

	for (int i = 0; i < PAPI_MH_MAX_LEVELS; i++) {
		if (i >= count) {
			assert_int_equal(caches[i].type, PAPI_MH_TYPE_EMPTY);
			continue;
		}
		assert_int_equal(caches[i].type, expected[i].type);
		assert_int_equal(caches[i].size, expected[i].size);
		assert_int_equal(caches[i].line_size, expected[i].line_size);
		assert_int_equal(caches[i].num_lines, expected[i].num_lines);
		assert_int_equal(caches[i].associativity, expected[i].associativity);
	}
}

static void check_tlbs(const PAPI_hw_info_t *info, int level, int count, const PAPI_mh_tlb_info_t *expected)
{
	const PAPI_mh_tlb_info_t *tlbs = info->mem_hierarchy.level[level - 1].tlb;

	for (int i = 0; i < PAPI_MH_MAX_LEVELS; i++) {
		if (i >= count) {
			assert_int_equal(tlbs[i].type, PAPI_MH_TYPE_EMPTY);
			continue;
		}
		assert_int_equal(tlbs[i].type, expected[i].type);
		assert_int_equal(tlbs[i].num_entries, expected[i].num_entries);
		assert_int_equal(tlbs[i].page_size, expected[i].page_size);
		assert_int_equal(tlbs[i].associativity, expected[i].associativity);
	}
}

static void check_no_cache(const PAPI_hw_info_t *info, int level)
{
	assert_int_equal(info->mem_hierarchy.level[level - 1].cache[0].type, PAPI_MH_TYPE_EMPTY);
}

static void check_no_tlb(const PAPI_hw_info_t *info, int level)
{
	assert_int_equal(info->mem_hierarchy.level[level - 1].tlb[0].type, PAPI_MH_TYPE_EMPTY);
}

static void amd_vm(void **state)
{
	static const PAPI_mh_cache_info_t first[] = { { DATA | BACK, 48 * KB, 64, 768, 12 },
		{ INST, 32 * KB, 64, 512, 8 } };
	static const PAPI_mh_cache_info_t second = { UNIFIED | BACK, MB, 64, 16384, 16 };
	static const PAPI_mh_cache_info_t third = { UNIFIED | BACK, 32 * MB, 64, 524288, 16 };
	static const PAPI_mh_tlb_info_t first_tlb[] = {
		{ INST, 64, 4 * KB, SHRT_MAX },
		{ DATA, 96, 4 * KB, SHRT_MAX },
		{ INST, 64, 2 * MB, SHRT_MAX },
		{ DATA, 96, 2 * MB, SHRT_MAX },
	};
	const PAPI_hw_info_t *info = replay("amd-vm.tree");

	(void)state;
	check_counts(info, 2, 1, 2, 1, 1, 2);
	check_model(info, PAPI_VENDOR_AMD, "AuthenticAMD", "AMD EPYC");
	check_cpuid(info, 26, 2, 1);
	check_mhz(info, 2596, 2596);
	assert_true(info->revision == 1.0f);
	assert_int_equal(info->virtualized, 1);
	assert_string_equal(info->virtual_vendor_string, "KVMKVMKVM");
	assert_string_equal(info->virtual_vendor_version, "");
	assert_int_equal(info->mem_hierarchy.levels, 3);
	check_caches(info, 1, 2, first);
	check_caches(info, 2, 1, &second);
	check_caches(info, 3, 1, &third);
	check_no_cache(info, 4);
	check_tlbs(info, 1, 4, first_tlb);
	check_no_tlb(info, 3);
}

static void intel_two_sockets(void **state)
{
	static const PAPI_mh_cache_info_t third = { UNIFIED | BACK, 16896 * KB, 64, 270336, 11 };
	static const PAPI_mh_tlb_info_t first_tlb[] = {
		{ INST, 8, 2 * MB, SHRT_MAX },
		{ INST, 64, 4 * KB, 8 },
		{ DATA, 64, 4 * KB, 4 },
		{ DATA, 32, 2 * MB, 4 },
		{ DATA, 4, 1024 * MB, 4 },
	};
	static const PAPI_mh_tlb_info_t second_tlb[] = {
		{ UNIFIED, 1536, 4 * KB, 6 },
		{ UNIFIED, 1536, 2 * MB, 6 },
		{ UNIFIED, 16, 1024 * MB, 4 },
	};
	const PAPI_hw_info_t *info = replay("intel-two-sockets.tree");

	(void)state;
	check_counts(info, 16, 2, 4, 2, 2, 8);
	check_model(info, PAPI_VENDOR_INTEL, "GenuineIntel", "Intel(R) Xeon(R) Gold 5122 CPU @ 3.60GHz");
	check_cpuid(info, 6, 85, 4);
	check_mhz(info, 3700, 1200);
	check_bare_metal(info);
	check_caches(info, 3, 1, &third);
	check_tlbs(info, 1, 5, first_tlb);
	check_tlbs(info, 2, 3, second_tlb);
}

/* Threads are those of a P-core, frequencies those of all cores, caches those of CPU 0. */
static void intel_hybrid(void **state)
{
	static const PAPI_mh_cache_info_t first[] = { { DATA | BACK, 48 * KB, 64, 768, 12 },
		{ INST, 32 * KB, 64, 512, 8 } };
	static const PAPI_mh_cache_info_t second = { UNIFIED | BACK, 1280 * KB, 64, 20480, 10 };
	/* The TLBs for stores come last, and only the first of them finds a place. */
	static const PAPI_mh_tlb_info_t first_tlb[] = {
		{ INST, 256, 4 * KB, 8 },
		{ INST, 32, 2 * MB, 8 },
		{ DATA, 96, 4 * KB, 6 },
		{ DATA, 32, 2 * MB, 4 },
		{ DATA, 8, 1024 * MB, SHRT_MAX },
		{ DATA, 16, 4 * KB, SHRT_MAX },
	};
	static const PAPI_mh_tlb_info_t second_tlb[] = {
		{ UNIFIED, 2048, 4 * KB, 16 },
		{ UNIFIED, 2048, 2 * MB, 16 },
		{ UNIFIED, 1024, 4 * KB, 8 },
		{ UNIFIED, 1024, 1024 * MB, 8 },
	};
	const PAPI_hw_info_t *info = replay("intel-hybrid.tree");

	(void)state;
	check_counts(info, 8, 2, 6, 1, 1, 8);
	check_model(info, PAPI_VENDOR_INTEL, "GenuineIntel", "12th Gen Intel(R) Core(TM) i3-1215U");
	check_cpuid(info, 6, 154, 4);
	check_mhz(info, 4400, 400);
	check_bare_metal(info);
	check_caches(info, 1, 2, first);
	check_caches(info, 2, 1, &second);
	check_tlbs(info, 1, 6, first_tlb);
	check_tlbs(info, 2, 4, second_tlb);
}

static void amd_four_nodes(void **state)
{
	static const PAPI_mh_tlb_info_t first_tlb[] = {
		{ INST, 64, 4 * KB, SHRT_MAX },
		{ DATA, 64, 4 * KB, SHRT_MAX },
		{ INST, 64, 2 * MB, SHRT_MAX },
		{ DATA, 64, 2 * MB, SHRT_MAX },
		{ INST, 64, 1024 * MB, SHRT_MAX },
		{ DATA, 64, 1024 * MB, SHRT_MAX },
	};
	static const PAPI_mh_tlb_info_t second_tlb[] = {
		{ INST, 1024, 4 * KB, 8 },
		{ DATA, 1536, 4 * KB, 8 },
		{ INST, 1024, 2 * MB, 8 },
		{ DATA, 1536, 2 * MB, 2 },
	};
	const PAPI_hw_info_t *info = replay("amd-four-nodes.tree");

	(void)state;
	check_counts(info, 31, 2, 8, 2, 8, 4);
	/* The recorded brand string is padded with blanks. */
	check_model(info, PAPI_VENDOR_AMD, "AuthenticAMD", "AMD EPYC 7251 8-Core Processor");
	check_cpuid(info, 23, 1, 2);
	check_mhz(info, 2100, 1200);
	check_bare_metal(info);
	check_tlbs(info, 1, 6, first_tlb);
	check_tlbs(info, 2, 4, second_tlb);
}

static void arm64_server(void **state)
{
	static const PAPI_mh_cache_info_t first[] = {
		{ DATA | PAPI_MH_TYPE_WB | PAPI_MH_TYPE_WR_ALLOC, 64 * KB, 64, 1024, 4 },
		{ INST | PAPI_MH_TYPE_WT | PAPI_MH_TYPE_RD_ALLOC, 64 * KB, 64, 1024, 4 },
	};
	static const PAPI_mh_cache_info_t second = { UNIFIED | PAPI_MH_TYPE_WB | PAPI_MH_TYPE_RW_ALLOC, MB, 64, 16384,
		8 };
	const PAPI_hw_info_t *info = replay("arm64-server.tree");

	(void)state;
	check_counts(info, 4, 1, 4, 1, 1, 4);
	check_model(info, PAPI_VENDOR_ARM_ARM, "ARM", "Neoverse-N1");
	check_cpuid(info, 8, 0xd0c, 1);
	assert_true(fabsf(info->revision - 3.1f) < 0.001f);
	/* Nothing tells the frequency of this one. */
	check_mhz(info, 0, 0);
	assert_int_equal(info->virtualized, 1);
	assert_string_equal(info->virtual_vendor_string, "QEMU");
	assert_int_equal(info->mem_hierarchy.levels, 3);
	check_caches(info, 1, 2, first);
	check_caches(info, 2, 1, &second);
	check_no_tlb(info, 1);
}

static void arm64_big_little(void **state)
{
	static const PAPI_mh_cache_info_t first[] = { { DATA, 0, 0, 0, 0 }, { INST, 0, 0, 0, 0 } };
	const PAPI_hw_info_t *info = replay("arm64-big-little.tree");

	(void)state;
	check_counts(info, 6, 1, 6, 1, 1, 6);
	check_model(info, PAPI_VENDOR_ARM_ARM, "ARM", "Cortex-A53 + Cortex-A72");
	check_cpuid(info, 8, 0xd03, 4);
	check_mhz(info, 1800, 408);
	check_bare_metal(info);
	/* That they are there is known, not how large they are. */
	assert_int_equal(info->mem_hierarchy.levels, 2);
	check_caches(info, 1, 2, first);
}

/* A guest whose device tree alone says that it is one. */
static void arm64_qemu(void **state)
{
	const PAPI_hw_info_t *info = replay("arm64-qemu.tree");

	(void)state;
	check_counts(info, 2, 1, 2, 1, 1, 2);
	check_model(info, PAPI_VENDOR_ARM_ARM, "ARM", "Neoverse-N1");
	check_cpuid(info, 8, 0xd0c, 1);
	assert_true(fabsf(info->revision - 4.1f) < 0.001f);
	check_mhz(info, 0, 0);
	assert_int_equal(info->virtualized, 1);
	assert_string_equal(info->virtual_vendor_string, "linux,dummy-virt");
	assert_int_equal(info->mem_hierarchy.levels, 1);
}

static void power9(void **state)
{
	/* The ways are not in the files, but follow from the sets. */
	static const PAPI_mh_cache_info_t third = { UNIFIED, 10 * MB, 128, 81920, 20 };
	const PAPI_hw_info_t *info = replay("power9.tree");

	(void)state;
	/* A node without CPUs is no node here, and a package of -1 is one. */
	check_counts(info, 7, 4, 2, 1, 1, 7);
	check_model(info, PAPI_VENDOR_IBM, "IBM", "POWER9 (architected), altivec supported");
	assert_int_equal(info->model, 0x4e);
	assert_true(fabsf(info->revision - 2.2f) < 0.001f);
	check_mhz(info, 2900, 2900);
	assert_int_equal(info->virtualized, 1);
	assert_string_equal(info->virtual_vendor_string, "linux,kvm");
	check_caches(info, 3, 1, &third);
}

static void riscv_board(void **state)
{
	const PAPI_hw_info_t *info = replay("riscv-board.tree");

	(void)state;
	check_counts(info, 4, 1, 4, 1, 1, 4);
	check_model(info, PAPI_VENDOR_UNKNOWN, "SiFive", "sifive,u74-mc");
	check_cpuid(info, -1, 7, -1);
	check_mhz(info, 1500, 1500);
	check_bare_metal(info);
	assert_int_equal(info->mem_hierarchy.levels, 2);
}

static void mips_router(void **state)
{
	const PAPI_hw_info_t *info = replay("mips-router.tree");

	(void)state;
	/* Nobody says how the four CPUs are made up. */
	check_counts(info, 4, 1, 4, 1, 1, 4);
	check_model(info, PAPI_VENDOR_MIPS, "unknown", "MIPS 1004Kc V2.15");
	check_mhz(info, 0, 0);
}

static void s390x(void **state)
{
	const PAPI_hw_info_t *info = replay("s390x.tree");

	(void)state;
	check_counts(info, 2, 1, 1, 2, 1, 2);
	check_model(info, PAPI_VENDOR_IBM, "IBM/S390", "unknown");
	check_mhz(info, 5200, 5200);
}

/* All that is left is /proc/cpuinfo. */
static void x86_without_sys(void **state)
{
	const PAPI_hw_info_t *info = replay("x86-without-sys.tree");
	int cpus[4] = { -1, -1, -1, -1 };

	(void)state;
	check_counts(info, 12, 2, 4, 2, 1, 12);
	check_model(info, PAPI_VENDOR_INTEL, "GenuineIntel", "Intel(R) Xeon(R) CPU E5-2637 v4 @ 3.50GHz");
	check_cpuid(info, 6, 79, 1);
	check_mhz(info, 1512, 1512);
	assert_int_equal(info->virtualized, 1);
	assert_string_equal(info->virtual_vendor_string, "");
	assert_int_equal(info->mem_hierarchy.levels, 0);
	assert_int_equal(papi_linux_online_cpus(cpus, 3), 12);
	assert_int_equal(cpus[2], 2);
	assert_int_equal(cpus[3], -1);
}

static void garbage(void **state)
{
	const PAPI_hw_info_t *info = replay("garbage.tree");
	papi_cpuinfo_t cpuinfo;

	(void)state;
	check_counts(info, 1, 1, 1, 1, 1, 1);
	check_model(info, PAPI_VENDOR_UNKNOWN, "unknown", "unknown");
	check_cpuid(info, -1, -1, -1);
	check_mhz(info, 0, 0);
	check_bare_metal(info);
	for (int level = 0; level < info->mem_hierarchy.levels; level++) {
		for (int i = 0; i < PAPI_MH_MAX_LEVELS; i++) {
			assert_int_equal(info->mem_hierarchy.level[level].cache[i].size, 0);
			assert_int_equal(info->mem_hierarchy.level[level].tlb[i].type, PAPI_MH_TYPE_EMPTY);
		}
	}
	assert_int_equal(papi_cpuinfo_read(&cpuinfo), 0);
	assert_int_equal(cpuinfo.midr_count, 0);
	assert_true(cpuinfo.max_mhz == 0);
	assert_int_equal(cpuinfo.stepping, -1);
}

#define TEST(function) cmocka_unit_test_teardown(function, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(amd_vm),
		TEST(intel_two_sockets),
		TEST(intel_hybrid),
		TEST(amd_four_nodes),
		TEST(arm64_server),
		TEST(arm64_big_little),
		TEST(arm64_qemu),
		TEST(power9),
		TEST(riscv_board),
		TEST(mips_router),
		TEST(s390x),
		TEST(x86_without_sys),
		TEST(garbage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
