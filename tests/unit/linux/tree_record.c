/* SPDX-License-Identifier: BSD-3-Clause */
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/files.h"
#include "linux/cpu/cpuid.h"
#include "tree.h"

/* What src/linux reads, and no more: a tree is to be looked through before it is given away. */
static const char *const patterns[] = {
	"/proc/cpuinfo",
	"/proc/self/status",
	"/proc/self/statm",
	"/proc/device-tree/model",
	"/proc/device-tree/hypervisor/compatible",
	"/proc/device-tree/cpus/cpu@*/clock-frequency",
	"/sys/class/dmi/id/sys_vendor",
	"/sys/class/dmi/id/product_name",
	"/sys/hypervisor/type",
	"/sys/devices/system/node/online",
	"/sys/devices/system/node/node*/cpulist",
	"/sys/devices/system/cpu/online",
	"/sys/devices/system/cpu/cpufreq/policy*/cpuinfo_m??_freq",
	"/sys/devices/system/cpu/cpu[0-9]*/regs/identification/midr_el1",
	"/sys/devices/system/cpu/cpu[0-9]*/topology/physical_package_id",
	"/sys/devices/system/cpu/cpu[0-9]*/topology/core_cpus_list",
	"/sys/devices/system/cpu/cpu[0-9]*/topology/thread_siblings_list",
	"/sys/devices/system/cpu/cpu0/cache/index*/type",
	"/sys/devices/system/cpu/cpu0/cache/index*/level",
	"/sys/devices/system/cpu/cpu0/cache/index*/size",
	"/sys/devices/system/cpu/cpu0/cache/index*/coherency_line_size",
	"/sys/devices/system/cpu/cpu0/cache/index*/ways_of_associativity",
	"/sys/devices/system/cpu/cpu0/cache/index*/number_of_sets",
	"/sys/devices/system/cpu/cpu0/cache/index*/write_policy",
	"/sys/devices/system/cpu/cpu0/cache/index*/allocation_policy",
};

static void record_file(FILE *out, const char *path)
{
	size_t length;
	char *content = papi_linux_read_whole(path, &length);

	if (!content)
		return;
	fprintf(out, "%s\t", path);
	tree_write_content(out, content, length);
	fputc('\n', out);
	free(content);
}

static void record_pattern(FILE *out, const char *pattern)
{
	glob_t found;

	if (glob(pattern, 0, NULL, &found) != 0)
		return;
	for (size_t i = 0; i < found.gl_pathc; i++)
		record_file(out, found.gl_pathv[i]);
	globfree(&found);
}

/* Leaves that enumerate have up to eight subleaves here; the others answer all of them alike. */
static int subleaves(uint32_t leaf)
{
	return leaf == 4 || leaf == 0x18 || leaf == 0x8000001du ? 8 : 1;
}

static void record_leaf(FILE *out, uint32_t leaf)
{
	papi_cpuid_t at;

	for (int subleaf = 0; subleaf < subleaves(leaf); subleaf++) {
		if (papi_cpuid_read_live(leaf, (uint32_t)subleaf, &at))
			fprintf(out, "%08x %x %08x %08x %08x %08x\\n", leaf, (unsigned int)subleaf, at.eax, at.ebx,
				at.ecx, at.edx);
	}
}

static void record_cpuid(FILE *out)
{
	static const uint32_t leaves[] = { 0, 1, 2, 4, 0x15, 0x16, 0x18, 0x40000000u, 0x40000001u, 0x40000002u,
		0x40000010u, 0x40000100u, 0x40000101u, 0x80000000u, 0x80000002u, 0x80000003u, 0x80000004u, 0x80000005u,
		0x80000006u, 0x80000019u, 0x8000001du };
	papi_cpuid_t first;

	if (!papi_cpuid_read_live(0, 0, &first))
		return;
	fputs("/cpuid\t", out);
	for (size_t i = 0; i < sizeof(leaves) / sizeof(leaves[0]); i++)
		record_leaf(out, leaves[i]);
	fputc('\n', out);
}

void tree_record(FILE *out)
{
	struct utsname name;

	uname(&name);
	fprintf(out, "# Recorded on %s %s (%s).\n", name.sysname, name.release, name.machine);
	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
		record_pattern(out, patterns[i]);
	record_cpuid(out);
}
