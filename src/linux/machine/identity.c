/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "linux/machine/hardware_parts.h"

/* Vendor strings, or how they begin, of CPUID and /proc/cpuinfo. */
static int vendor_number(const char *vendor)
{
	if (papi_text_starts_with(vendor, "GenuineIntel"))
		return PAPI_VENDOR_INTEL;
	if (papi_text_starts_with(vendor, "AuthenticAMD") || papi_text_starts_with(vendor, "HygonGenuine"))
		return PAPI_VENDOR_AMD;
	if (papi_text_starts_with(vendor, "IBM"))
		return PAPI_VENDOR_IBM;
	return PAPI_VENDOR_UNKNOWN;
}

/* "POWER9, altivec supported": the version register tells which, the text is for people. */
static bool fill_power(PAPI_hw_info_t *info, const papi_cpuinfo_t *cpuinfo)
{
	uint32_t revision = cpuinfo->pvr & 0xffff;

	if (cpuinfo->pvr == 0)
		return false;
	info->vendor = PAPI_VENDOR_IBM;
	snprintf(info->vendor_string, sizeof(info->vendor_string), "IBM");
	snprintf(info->model_string, sizeof(info->model_string), "%s", cpuinfo->name);
	info->model = info->cpuid_model = (int)(cpuinfo->pvr >> 16);
	info->cpuid_stepping = (int)revision;
	/* The kernel's way of writing it: 0x1202 is 2.2. */
	info->revision = (float)((revision >> 8 & 0xf) + (revision & 0xff) / 10.0);
	return true;
}

/* Vendors are JEDEC numbers: the bank in the upper bits, the manufacturer in the lowest seven. */
static bool fill_riscv(PAPI_hw_info_t *info, const papi_cpuinfo_t *cpuinfo)
{
	static const struct {
		uint64_t number;
		const char *name;
	} vendors[] = {
		{ 0x31e, "Andes" },
		{ 0x489, "SiFive" },
		{ 0x5b7, "T-Head" },
		{ 0x61f, "Ventana" },
		{ 0x710, "SpacemiT" },
	};
	const char *name = NULL;

	if (cpuinfo->riscv_vendor == 0)
		return false;
	for (size_t i = 0; i < sizeof(vendors) / sizeof(vendors[0]); i++) {
		if (vendors[i].number == cpuinfo->riscv_vendor)
			name = vendors[i].name;
	}
	if (name)
		snprintf(info->vendor_string, sizeof(info->vendor_string), "%s", name);
	else
		snprintf(info->vendor_string, sizeof(info->vendor_string), "RISC-V vendor 0x%llx",
			(unsigned long long)cpuinfo->riscv_vendor);
	if (cpuinfo->name[0])
		snprintf(info->model_string, sizeof(info->model_string), "%s", cpuinfo->name);
	else
		snprintf(info->model_string, sizeof(info->model_string), "RISC-V architecture 0x%llx",
			(unsigned long long)cpuinfo->riscv_machine);
	/* The highest bit only tells that the number is a vendor's own. */
	info->model = info->cpuid_model = (int)(cpuinfo->riscv_machine & 0x7fffffff);
	return true;
}

/* x86 without CPUID, and any architecture that this file does not know: what the words say. */
static void fill_words(PAPI_hw_info_t *info, const papi_cpuinfo_t *cpuinfo)
{
	snprintf(info->vendor_string, sizeof(info->vendor_string), "%s", cpuinfo->vendor);
	snprintf(info->model_string, sizeof(info->model_string), "%s",
		cpuinfo->name[0] ? cpuinfo->name : cpuinfo->machine);
	info->vendor = vendor_number(cpuinfo->vendor);
	if (papi_text_starts_with(cpuinfo->name, "MIPS"))
		info->vendor = PAPI_VENDOR_MIPS;
	info->cpuid_family = cpuinfo->family;
	info->model = info->cpuid_model = cpuinfo->model;
	info->cpuid_stepping = cpuinfo->stepping;
	info->revision = cpuinfo->stepping < 0 ? 0.0f : (float)cpuinfo->stepping;
}

void papi_identity_fill(PAPI_hw_info_t *info)
{
	papi_cpuinfo_t cpuinfo;

	if (papi_identity_x86_fill(info)) {
		info->vendor = vendor_number(info->vendor_string);
		return;
	}
	info->model = info->cpuid_family = info->cpuid_model = info->cpuid_stepping = -1;
	papi_cpuinfo_read(&cpuinfo);
	if (papi_identity_arm_fill(info, &cpuinfo) || fill_power(info, &cpuinfo) || fill_riscv(info, &cpuinfo))
		return;
	fill_words(info, &cpuinfo);
	/* People read these; an empty line would look like a defect. */
	if (info->vendor_string[0] == '\0')
		snprintf(info->vendor_string, sizeof(info->vendor_string), "unknown");
	if (info->model_string[0] == '\0')
		snprintf(info->model_string, sizeof(info->model_string), "unknown");
}
