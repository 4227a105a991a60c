/* SPDX-License-Identifier: BSD-3-Clause */
#include "linux/time/frequency.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/files.h"
#include "base/text.h"
#include "linux/cpu/cpuid.h"
#include "linux/proc/cpuinfo.h"
#include "linux/time/clock.h"
#include "papi.h"

static void widen(struct papi_frequencies *range, double mhz)
{
	/* Nothing ticks faster than a terahertz. */
	if (mhz <= 0 || mhz > 1e6)
		return;
	if (mhz > range->max)
		range->max = mhz;
	if (range->min == 0 || mhz < range->min)
		range->min = mhz;
}

static void widen_from_khz(struct papi_frequencies *range, const char *policy, const char *name)
{
	char path[PAPI_HUGE_STR_LEN];
	long long khz;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpufreq/%s/%s", policy, name);
	if (papi_linux_read_int(path, &khz) == 0)
		widen(range, (double)khz / 1000);
}

/* A policy is a group of CPUs that change their frequency together: P and E cores, big and little ones have several. */
static void read_policies(struct papi_frequencies *range)
{
	DIR *directory = papi_linux_open_directory("/sys/devices/system/cpu/cpufreq");
	const struct dirent *entry;

	if (!directory)
		return;
	while ((entry = readdir(directory))) {
		if (!papi_text_starts_with(entry->d_name, "policy"))
			continue;
		widen_from_khz(range, entry->d_name, "cpuinfo_max_freq");
		widen_from_khz(range, entry->d_name, "cpuinfo_min_freq");
	}
	closedir(directory);
}

/* The rated maximum of newer Intel processors; the least frequency is not told. */
static void read_cpuid(struct papi_frequencies *range)
{
	papi_cpuid_t registers;

	if (papi_cpuid_read(0x16, 0, &registers))
		widen(range, registers.ebx & 0xffff);
}

static void read_cpuinfo(struct papi_frequencies *range)
{
	papi_cpuinfo_t cpuinfo;

	papi_cpuinfo_read(&cpuinfo);
	widen(range, cpuinfo.max_mhz);
}

/* In Hz, as one or two big-endian cells. */
static void read_device_tree_clock(struct papi_frequencies *range, const char *node)
{
	char path[PAPI_HUGE_STR_LEN], bytes[sizeof(uint64_t) + 1];
	uint64_t hertz = 0;
	ssize_t length;

	snprintf(path, sizeof(path), "/proc/device-tree/cpus/%s/clock-frequency", node);
	length = papi_linux_read_file(path, bytes, sizeof(bytes));
	if (length != 4 && length != 8)
		return;
	for (ssize_t i = 0; i < length; i++)
		hertz = hertz << 8 | (unsigned char)bytes[i];
	widen(range, (double)hertz / 1e6);
}

static void read_device_tree(struct papi_frequencies *range)
{
	DIR *directory = papi_linux_open_directory("/proc/device-tree/cpus");
	const struct dirent *entry;

	if (!directory)
		return;
	while ((entry = readdir(directory))) {
		if (papi_text_starts_with(entry->d_name, "cpu@"))
			read_device_tree_clock(range, entry->d_name);
	}
	closedir(directory);
}

/*
 * In the order of trust: what the frequency driver may set, what the processor is rated for, what it happened to run
 * at, what its maker wrote down, and last the time stamp counter, which ticks near the rated frequency.
 */
void papi_frequency_find(struct papi_frequencies *range)
{
	*range = (struct papi_frequencies){ 0, 0 };
	read_policies(range);
	if (range->max == 0)
		read_cpuid(range);
	if (range->max == 0)
		read_cpuinfo(range);
	if (range->max == 0)
		read_device_tree(range);
	if (range->max == 0 && papi_linux_is_live() && papi_clock_has_counter())
		widen(range, (double)papi_clock_rate() / 1e6);
}
