/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "linux/cpu/cpuid.h"
#include "linux/machine/hardware_parts.h"

/* Family and model are spread over two fields each, of which the second counts only for some values of the first. */
static void decode_signature(PAPI_hw_info_t *info, uint32_t signature)
{
	int family = signature >> 8 & 0xf;
	int model = signature >> 4 & 0xf;

	if (family == 6 || family == 15)
		model |= (int)(signature >> 16 & 0xf) << 4;
	if (family == 15)
		family += (int)(signature >> 20 & 0xff);
	info->cpuid_family = family;
	info->cpuid_model = model;
	info->cpuid_stepping = signature & 0xf;
	info->model = model;
	info->revision = (float)info->cpuid_stepping;
}

/* The brand, 48 characters in three leaves. */
static bool read_brand(PAPI_hw_info_t *info)
{
	char brand[3 * sizeof(papi_cpuid_t) + 1];
	papi_cpuid_t part;

	for (uint32_t i = 0; i < 3; i++) {
		uint32_t registers[4];

		if (!papi_cpuid_read(0x80000002u + i, 0, &part))
			return false;
		registers[0] = part.eax;
		registers[1] = part.ebx;
		registers[2] = part.ecx;
		registers[3] = part.edx;
		papi_cpuid_text(brand + i * sizeof(part), registers, 4);
	}
	papi_text_squeeze(info->model_string, sizeof(info->model_string), brand);
	return info->model_string[0] != '\0';
}

bool papi_identity_x86_fill(PAPI_hw_info_t *info)
{
	papi_cpuid_t first, features;
	uint32_t vendor[3];

	if (!papi_cpuid_read(PAPI_CPUID_BASIC, 0, &first) || !papi_cpuid_read(1, 0, &features))
		return false;
	vendor[0] = first.ebx;
	vendor[1] = first.edx;
	vendor[2] = first.ecx;
	papi_cpuid_text(info->vendor_string, vendor, 3);
	decode_signature(info, features.eax);
	if (!read_brand(info))
		snprintf(info->model_string, sizeof(info->model_string), "%.12s family %d model %d",
			info->vendor_string, info->cpuid_family, info->cpuid_model);
	return true;
}
