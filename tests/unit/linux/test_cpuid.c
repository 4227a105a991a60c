/* SPDX-License-Identifier: BSD-3-Clause */
/* What is made of CPUID where nothing else is there: recorded leaves in a root that holds only them. */
#include <limits.h>
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
#include "linux/cpu/cpuid.h"
#include "linux/machine/hardware.h"

#define KB 1024
#define MB (1024 * 1024)

static char directory[PATH_MAX];
static char file[PATH_MAX + 8];

static int set_up(void **state)
{
	const char *temporary = getenv("TMPDIR");

	(void)state;
	snprintf(directory, sizeof(directory), "%s/papi-cpuid-XXXXXX", temporary ? temporary : "/tmp");
	if (!mkdtemp(directory))
		return -1;
	snprintf(file, sizeof(file), "%s/cpuid", directory);
	return papi_linux_set_root(directory);
}

static int tear_down(void **state)
{
	(void)state;
	papi_hardware_reset();
	papi_linux_set_root(NULL);
	unlink(file);
	return rmdir(directory);
}

/* The machine that has just these leaves. */
static const PAPI_hw_info_t *replay(const char *leaves)
{
	FILE *out = fopen(file, "we");

	assert_non_null(out);
	assert_true(fputs(leaves, out) >= 0);
	assert_int_equal(fclose(out), 0);
	papi_hardware_reset();
	return papi_hardware_get();
}

static void check_cache(const PAPI_hw_info_t *info, int level, int index, int type, int size, int ways)
{
	const PAPI_mh_cache_info_t *cache = &info->mem_hierarchy.level[level - 1].cache[index];

	assert_int_equal(cache->type, type);
	assert_int_equal(cache->size, size);
	assert_int_equal(cache->line_size, 64);
	assert_int_equal(cache->num_lines, size / 64);
	assert_int_equal(cache->associativity, ways);
}

static void check_tlb(const PAPI_hw_info_t *info, int level, int index, int type, int entries, int page, int ways)
{
	const PAPI_mh_tlb_info_t *tlb = &info->mem_hierarchy.level[level - 1].tlb[index];

	assert_int_equal(tlb->type, type);
	assert_int_equal(tlb->num_entries, entries);
	assert_int_equal(tlb->page_size, page);
	assert_int_equal(tlb->associativity, ways);
}

static void leaves_are_found_in_the_recording(void **state)
{
	papi_cpuid_t at;

	(void)state;
	replay("00000004 0 1 2 3 4\nnonsense\n4 1 a b c d\n80000019 0 ffffffff 0 0 0\n");
	assert_true(papi_cpuid_read(4, 1, &at));
	assert_int_equal(at.eax, 10);
	assert_int_equal(at.edx, 13);
	assert_true(papi_cpuid_read(0x80000019u, 0, &at));
	assert_int_equal(at.eax, 0xffffffffu);
	assert_false(papi_cpuid_read(4, 2, &at));
	assert_int_equal(at.eax, 0);
	assert_false(papi_cpuid_read(0, 0, &at));
}

/*
 * A processor of its own: `last` of the basic range is 5, of the extended one 0x80000002; where there is a hypervisor
 * it leaves the last leaf of its first range at 0. Beyond, it answers with what must not be believed.
 */
static bool has_hypervisor;
static bool has_extended;

static bool execute(uint32_t leaf, uint32_t subleaf, papi_cpuid_t *registers)
{
	*registers = (papi_cpuid_t){ leaf, subleaf, 0, 0 };
	if (leaf == PAPI_CPUID_BASIC)
		registers->eax = 5;
	else if (leaf == PAPI_CPUID_EXTENDED)
		registers->eax = has_extended ? 0x80000002u : 5;
	else if (leaf == PAPI_CPUID_HYPERVISOR)
		registers->eax = 0;
	else if (leaf == 0x40000100u)
		registers->eax = 0x40000102u;
	else if (leaf == 1)
		registers->ecx = has_hypervisor ? 0x80000000u : 0;
	return true;
}

static bool no_instruction(uint32_t leaf, uint32_t subleaf, papi_cpuid_t *registers)
{
	(void)leaf;
	(void)subleaf;
	(void)registers;
	return false;
}

static void leaves_beyond_the_last_are_not_asked(void **state)
{
	papi_cpuid_t at;

	(void)state;
	has_hypervisor = has_extended = true;
	assert_true(papi_cpuid_read_checked(execute, 4, 3, &at));
	assert_int_equal(at.ebx, 3);
	assert_true(papi_cpuid_read_checked(execute, 5, 0, &at));
	assert_false(papi_cpuid_read_checked(execute, 6, 0, &at));
	assert_int_equal(at.eax, 0);
	assert_true(papi_cpuid_read_checked(execute, 0x80000002u, 0, &at));
	assert_false(papi_cpuid_read_checked(execute, 0x80000003u, 0, &at));
	assert_true(papi_cpuid_read_checked(execute, 0x40000000u, 0, &at));
	assert_false(papi_cpuid_read_checked(execute, 0x40000001u, 0, &at));
	assert_true(papi_cpuid_read_checked(execute, 0x40000102u, 0, &at));
	assert_false(papi_cpuid_read_checked(execute, 0x40000103u, 0, &at));
	has_hypervisor = has_extended = false;
	assert_false(papi_cpuid_read_checked(execute, 0x40000000u, 0, &at));
	assert_false(papi_cpuid_read_checked(execute, 0x80000000u, 0, &at));
	assert_false(papi_cpuid_read_checked(no_instruction, 0, 0, &at));
	assert_false(papi_cpuid_read_checked(no_instruction, 0x40000000u, 0, &at));
}

/* Family 15 adds its extended family, and families 6 and 15 their extended model; others have neither. */
static void signatures_are_decoded(void **state)
{
	static const struct {
		const char *leaves;
		int family, model, stepping;
	} cases[] = {
		{ "0 0 1 756e6547 6c65746e 49656e69\n1 0 000c06f2 0 0 0\n", 6, 0xcf, 2 },
		{ "0 0 1 756e6547 6c65746e 49656e69\n1 0 00000f4a 0 0 0\n", 15, 4, 10 },
		{ "0 0 1 68747541 444d4163 69746e65\n1 0 00b00f21 0 0 0\n", 26, 2, 1 },
		{ "0 0 1 68747541 444d4163 69746e65\n1 0 000f05a3 0 0 0\n", 5, 10, 3 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const PAPI_hw_info_t *info = replay(cases[i].leaves);

		assert_int_equal(info->cpuid_family, cases[i].family);
		assert_int_equal(info->cpuid_model, cases[i].model);
		assert_int_equal(info->cpuid_stepping, cases[i].stepping);
		assert_int_equal(info->vendor, i < 2 ? PAPI_VENDOR_INTEL : PAPI_VENDOR_AMD);
	}
	/* No brand string: what is known is put together. */
	assert_string_equal(papi_hardware_get()->model_string, "AuthenticAMD family 5 model 10");
}

static void intel_caches_come_from_leaf_4(void **state)
{
	const PAPI_hw_info_t *info = replay("4 0 00000121 02c0003f 0000003f 0\n4 1 00000122 01c0003f 0000003f 0\n"
					    "4 2 00000143 03c0003f 000007ff 0\n4 3 00000163 02c0003f 00027fff 0\n"
					    "4 4 0 0 0 0\n");

	(void)state;
	assert_int_equal(info->mem_hierarchy.levels, 3);
	check_cache(info, 1, 0, PAPI_MH_TYPE_DATA, 48 * KB, 12);
	check_cache(info, 1, 1, PAPI_MH_TYPE_INST, 32 * KB, 8);
	check_cache(info, 2, 0, PAPI_MH_TYPE_UNIFIED, 2 * MB, 16);
	check_cache(info, 3, 0, PAPI_MH_TYPE_UNIFIED, 120 * MB, 12);
}

static void amd_caches_come_from_their_own_leaf(void **state)
{
	const PAPI_hw_info_t *info = replay(
		"4 0 0 0 0 0\n8000001d 0 121 01c0003f 3f 0\n8000001d 1 143 01c0003f 7ff 0\n");

	(void)state;
	assert_int_equal(info->mem_hierarchy.levels, 2);
	check_cache(info, 1, 0, PAPI_MH_TYPE_DATA, 32 * KB, 8);
	check_cache(info, 2, 0, PAPI_MH_TYPE_UNIFIED, MB, 8);
}

/* Known by what they are: nothing enumerates it. Only AMD's family 15h writes through its first level. */
static void x86_caches_of_data_write_back(void **state)
{
	static const char caches[] = "4 0 00000121 02c0003f 0000003f 0\n4 1 00000122 01c0003f 0000003f 0\n"
				     "4 2 00000143 03c0003f 000007ff 0\n4 3 0 0 0 0\n";
	static const char *const signatures[] = {
		"0 0 16 756e6547 6c65746e 49656e69\n1 0 00050654 0 0 0\n",
		"0 0 16 68747541 444d4163 69746e65\n1 0 00800f12 0 0 0\n",
		"0 0 16 68747541 444d4163 69746e65\n1 0 00600f20 0 0 0\n",
	};
	const int back = PAPI_MH_TYPE_WB | PAPI_MH_TYPE_RW_ALLOC, through = PAPI_MH_TYPE_WT | PAPI_MH_TYPE_RD_ALLOC;

	(void)state;
	for (unsigned i = 0; i < sizeof(signatures) / sizeof(signatures[0]); i++) {
		const PAPI_hw_info_t *info;
		char leaves[400];

		snprintf(leaves, sizeof(leaves), "%s%s", signatures[i], caches);
		info = replay(leaves);
		check_cache(info, 1, 0, PAPI_MH_TYPE_DATA | (i < 2 ? back : through), 48 * KB, 12);
		check_cache(info, 1, 1, PAPI_MH_TYPE_INST, 32 * KB, 8);
		check_cache(info, 2, 0, PAPI_MH_TYPE_UNIFIED | back, 2 * MB, 16);
	}
}

/* Two Opterons' worth of old registers: a fully associative cache has as many ways as lines. */
static void old_amd_caches_come_from_registers(void **state)
{
	const PAPI_hw_info_t *info = replay("80000005 0 ff08ff08 ff20ff20 40020140 40ff0140\n"
					    "80000006 0 0 42004200 04008140 0010a140\n");

	(void)state;
	check_cache(info, 1, 0, PAPI_MH_TYPE_DATA, 64 * KB, 2);
	check_cache(info, 1, 1, PAPI_MH_TYPE_INST, 64 * KB, 1024);
	check_cache(info, 2, 0, PAPI_MH_TYPE_UNIFIED, MB, 16);
	check_cache(info, 3, 0, PAPI_MH_TYPE_UNIFIED, 2 * MB, 32);
	check_tlb(info, 1, 0, PAPI_MH_TYPE_INST, 32, 4 * KB, SHRT_MAX);
	check_tlb(info, 1, 3, PAPI_MH_TYPE_DATA, 8, 2 * MB, SHRT_MAX);
	check_tlb(info, 2, 0, PAPI_MH_TYPE_INST, 512, 4 * KB, 4);
	check_tlb(info, 2, 1, PAPI_MH_TYPE_DATA, 512, 4 * KB, 4);
}

static void amd_unified_tlb_is_for_both(void **state)
{
	const PAPI_hw_info_t *info = replay("80000005 0 0 ff20ff20 0 0\n80000006 0 0 00006400 0 0\n");

	(void)state;
	check_tlb(info, 2, 0, PAPI_MH_TYPE_UNIFIED, 1024, 4 * KB, 8);
	assert_int_equal(info->mem_hierarchy.level[1].tlb[1].type, PAPI_MH_TYPE_EMPTY);
}

/* The lowest byte of eax is no descriptor (it would be a TLB), and a register with its highest bit set has none. */
static void intel_descriptors_are_bytes(void **state)
{
	const PAPI_hw_info_t *info = replay("2 0 005ab001 00f0b257 80c1c1c1 09ca212c\n");

	(void)state;
	check_tlb(info, 1, 0, PAPI_MH_TYPE_INST, 128, 4 * KB, 4);
	check_tlb(info, 1, 1, PAPI_MH_TYPE_INST, 64, 4 * KB, 4);
	check_tlb(info, 1, 2, PAPI_MH_TYPE_DATA, 16, 4 * KB, 4);
	check_tlb(info, 1, 3, PAPI_MH_TYPE_DATA, 32, 2 * MB, 4);
	assert_int_equal(info->mem_hierarchy.level[0].tlb[4].type, PAPI_MH_TYPE_EMPTY);
	check_tlb(info, 2, 0, PAPI_MH_TYPE_UNIFIED, 512, 4 * KB, 4);
	assert_int_equal(info->mem_hierarchy.level[1].tlb[1].type, PAPI_MH_TYPE_EMPTY);
}

static void rated_frequency_is_the_maximum(void **state)
{
	const PAPI_hw_info_t *info = replay("16 0 00000bb8 00001194 00000064 0\n");

	(void)state;
	assert_int_equal(info->cpu_max_mhz, 4500);
	assert_int_equal(info->clock_mhz, 4500);
}

static void hypervisors_are_named(void **state)
{
	static const struct {
		const char *leaves;
		const char *vendor;
		const char *version;
	} cases[] = {
		{ "40000000 0 40000001 4b4d564b 564b4d56 4d\n", "KVMKVMKVM", "" },
		{ "40000000 0 40000010 61774d56 4d566572 65726177\n", "VMwareVMware", "" },
		{ "40000000 0 40000006 7263694d 666f736f 76482074\n40000002 0 4a61 000a0000 0 0\n", "Microsoft Hv",
			"10.0" },
		{ "40000000 0 40000005 566e6558 65584d4d 4d4d566e\n40000001 0 00040011 0 0 0\n", "XenVMMXenVMM",
			"4.17" },
		/* KVM and Xen behind the mask of Microsoft's. */
		{ "40000000 0 40000006 7263694d 666f736f 76482074\n40000100 0 40000101 4b4d564b 564b4d56 4d\n",
			"KVMKVMKVM", "" },
		{ "40000000 0 40000006 7263694d 666f736f 76482074\n40000002 0 1 2 3 4\n"
		  "40000100 0 40000105 566e6558 65584d4d 4d4d566e\n40000101 0 00040013 0 0 0\n",
			"XenVMMXenVMM", "4.19" },
		/* Only the bit in leaf 1. */
		{ "1 0 000c06f2 0 80000000 0\n", "", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const PAPI_hw_info_t *info = replay(cases[i].leaves);

		assert_int_equal(info->virtualized, 1);
		assert_string_equal(info->virtual_vendor_string, cases[i].vendor);
		assert_string_equal(info->virtual_vendor_version, cases[i].version);
	}
	assert_int_equal(replay("1 0 000c06f2 0 0 0\n")->virtualized, 0);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(leaves_are_found_in_the_recording),
		TEST(leaves_beyond_the_last_are_not_asked),
		TEST(signatures_are_decoded),
		TEST(intel_caches_come_from_leaf_4),
		TEST(amd_caches_come_from_their_own_leaf),
		TEST(x86_caches_of_data_write_back),
		TEST(old_amd_caches_come_from_registers),
		TEST(amd_unified_tlb_is_for_both),
		TEST(intel_descriptors_are_bytes),
		TEST(rated_frequency_is_the_maximum),
		TEST(hypervisors_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
