/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files of /proc and /sys with any content: one of a machine's files is the input, the others are as they should be.
 *
 * The first byte says which. Whatever stands in it, the hardware is described by numbers that are possible, texts that
 * end and a memory hierarchy within its bounds.
 */
#include <string.h>

#include "fuzz.h"
#include "machine.h"
#include "papi.h"

#define CPU0 "/sys/devices/system/cpu/cpu0/"

static const struct {
	const char *path, *content;
} files[] = {
	{ "/proc/cpuinfo",
		"processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 94\nmodel name\t: A CPU\n"
		"stepping\t: 3\ncpu MHz\t\t: 4000.000\nflags\t\t: fpu tsc\n\n" },
	{ "/sys/devices/system/cpu/online", "0-1\n" },
	{ CPU0 "topology/core_cpus_list", "0-1\n" },
	{ CPU0 "topology/physical_package_id", "0\n" },
	{ CPU0 "cache/index0/type", "Data\n" },
	{ CPU0 "cache/index0/level", "1\n" },
	{ CPU0 "cache/index0/size", "32K\n" },
	{ CPU0 "cache/index0/coherency_line_size", "64\n" },
	{ CPU0 "cache/index0/ways_of_associativity", "8\n" },
	{ CPU0 "cache/index0/number_of_sets", "64\n" },
	{ CPU0 "cache/index0/shared_cpu_list", "0-1\n" },
	{ "/sys/devices/system/cpu/cpufreq/policy0/cpuinfo_max_freq", "4200000\n" },
	{ "/sys/devices/system/node/online", "0\n" },
	{ "/sys/devices/system/node/node0/cpulist", "0-1\n" },
	{ "/proc/self/status", "Name:\tx\nVmPeak:\t2488 kB\nVmSize:\t2488 kB\nVmLck:\t0 kB\nVmHWM:\t1416 kB\n" },
	{ "/proc/self/statm", "622 354 328 2 0 90 0\n" },
	{ "/proc/meminfo", "MemTotal: 100 kB\nMemFree: 50 kB\n" },
	{ "/sys/hypervisor/type", "xen\n" },
	{ "/cpuid", "00000000 0 00000016 756e6547 6c65746e 49656e69\n" },
	{ "/proc/sys/kernel/perf_event_paranoid", "2\n" },
};

#define FILES (sizeof(files) / sizeof(files[0]))

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	fake_machine_begin();
	for (size_t i = 0; i < FILES; i++)
		fake_machine_write(files[i].path, files[i].content);
	atexit(fake_machine_end);
	return 0;
}

static void check_text(const char *text, size_t size)
{
	CHECK(memchr(text, '\0', size));
}

static void check_memory(const PAPI_mh_info_t *memory)
{
	CHECK(memory->levels >= 0 && memory->levels <= PAPI_MAX_MEM_HIERARCHY_LEVELS);
	for (int i = 0; i < memory->levels; i++) {
		for (int j = 0; j < PAPI_MH_MAX_LEVELS; j++) {
			const PAPI_mh_cache_info_t *cache = &memory->level[i].cache[j];

			CHECK(cache->size >= 0 && cache->line_size >= 0 && cache->num_lines >= 0);
			CHECK(memory->level[i].tlb[j].num_entries >= 0);
		}
	}
}

static void look_at_machine(void)
{
	const PAPI_hw_info_t *hardware;
	PAPI_dmem_info_t memory;

	CHECK(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
	hardware = PAPI_get_hardware_info();
	if (hardware) {
		CHECK(hardware->ncpu >= 0 && hardware->threads >= 0 && hardware->cores >= 0 && hardware->sockets >= 0);
		CHECK(hardware->nnodes >= 0 && hardware->totalcpus >= 0);
		check_text(hardware->vendor_string, sizeof(hardware->vendor_string));
		check_text(hardware->model_string, sizeof(hardware->model_string));
		check_text(hardware->virtual_vendor_string, sizeof(hardware->virtual_vendor_string));
		check_memory(&hardware->mem_hierarchy);
	} else {
		CHECK(*PAPI_error_detail());
	}
	if (PAPI_get_dmem_info(&memory) != PAPI_OK)
		CHECK(*PAPI_error_detail());
	PAPI_shutdown();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *content;
	size_t which;

	if (!size)
		return 0;
	which = data[0] % FILES;
	/* Up to its first zero byte: the file is written as a text. */
	content = strndup((const char *)data + 1, size - 1);
	CHECK(content);
	fake_machine_write(files[which].path, content);
	look_at_machine();
	fake_machine_write(files[which].path, files[which].content);
	free(content);
	return 0;
}
