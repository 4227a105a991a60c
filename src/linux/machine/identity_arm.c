/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names of Arm cores. The kernel gives only the numbers of the main ID register: an implementer, who assigns the part
 * numbers, a variant and a revision.
 */
#include <stdio.h>
#include <string.h>

#include "base/files.h"
#include "linux/machine/hardware_parts.h"
#include "linux/proc/cpus.h"

struct implementer {
	int number;
	int vendor;
	const char *name;
};

static const struct implementer implementers[] = {
	{ 0x41, PAPI_VENDOR_ARM_ARM, "ARM" },
	{ 0x42, PAPI_VENDOR_ARM_BROADCOM, "Broadcom" },
	{ 0x43, PAPI_VENDOR_ARM_CAVIUM, "Cavium" },
	{ 0x46, PAPI_VENDOR_ARM_FUJITSU, "Fujitsu" },
	{ 0x48, PAPI_VENDOR_ARM_HISILICON, "HiSilicon" },
	{ 0x49, PAPI_VENDOR_ARM, "Infineon" },
	{ 0x4d, PAPI_VENDOR_ARM, "Freescale" },
	{ 0x4e, PAPI_VENDOR_ARM, "NVIDIA" },
	{ 0x50, PAPI_VENDOR_ARM_APM, "APM" },
	{ 0x51, PAPI_VENDOR_ARM_QUALCOMM, "Qualcomm" },
	{ 0x53, PAPI_VENDOR_ARM, "Samsung" },
	{ 0x56, PAPI_VENDOR_ARM, "Marvell" },
	{ 0x61, PAPI_VENDOR_ARM, "Apple" },
	{ 0x66, PAPI_VENDOR_ARM, "Faraday" },
	{ 0x69, PAPI_VENDOR_ARM, "Intel" },
	{ 0x6d, PAPI_VENDOR_ARM, "Microsoft" },
	{ 0x70, PAPI_VENDOR_ARM, "Phytium" },
	{ 0xc0, PAPI_VENDOR_ARM, "Ampere" },
};

struct part {
	int implementer;
	int number;
	const char *name;
};

static const struct part parts[] = {
	{ 0x41, 0xb76, "ARM1176" },
	{ 0x41, 0xc05, "Cortex-A5" },
	{ 0x41, 0xc07, "Cortex-A7" },
	{ 0x41, 0xc08, "Cortex-A8" },
	{ 0x41, 0xc09, "Cortex-A9" },
	{ 0x41, 0xc0e, "Cortex-A17" },
	{ 0x41, 0xc0f, "Cortex-A15" },
	{ 0x41, 0xd01, "Cortex-A32" },
	{ 0x41, 0xd02, "Cortex-A34" },
	{ 0x41, 0xd03, "Cortex-A53" },
	{ 0x41, 0xd04, "Cortex-A35" },
	{ 0x41, 0xd05, "Cortex-A55" },
	{ 0x41, 0xd06, "Cortex-A65" },
	{ 0x41, 0xd07, "Cortex-A57" },
	{ 0x41, 0xd08, "Cortex-A72" },
	{ 0x41, 0xd09, "Cortex-A73" },
	{ 0x41, 0xd0a, "Cortex-A75" },
	{ 0x41, 0xd0b, "Cortex-A76" },
	{ 0x41, 0xd0c, "Neoverse-N1" },
	{ 0x41, 0xd0d, "Cortex-A77" },
	{ 0x41, 0xd0e, "Cortex-A76AE" },
	{ 0x41, 0xd40, "Neoverse-V1" },
	{ 0x41, 0xd41, "Cortex-A78" },
	{ 0x41, 0xd42, "Cortex-A78AE" },
	{ 0x41, 0xd44, "Cortex-X1" },
	{ 0x41, 0xd46, "Cortex-A510" },
	{ 0x41, 0xd47, "Cortex-A710" },
	{ 0x41, 0xd48, "Cortex-X2" },
	{ 0x41, 0xd49, "Neoverse-N2" },
	{ 0x41, 0xd4a, "Neoverse-E1" },
	{ 0x41, 0xd4b, "Cortex-A78C" },
	{ 0x41, 0xd4c, "Cortex-X1C" },
	{ 0x41, 0xd4d, "Cortex-A715" },
	{ 0x41, 0xd4e, "Cortex-X3" },
	{ 0x41, 0xd4f, "Neoverse-V2" },
	{ 0x41, 0xd80, "Cortex-A520" },
	{ 0x41, 0xd81, "Cortex-A720" },
	{ 0x41, 0xd82, "Cortex-X4" },
	{ 0x41, 0xd84, "Neoverse-V3" },
	{ 0x41, 0xd85, "Cortex-X925" },
	{ 0x41, 0xd87, "Cortex-A725" },
	{ 0x41, 0xd8e, "Neoverse-N3" },
	{ 0x42, 0x516, "ThunderX2" },
	{ 0x43, 0x0a1, "ThunderX" },
	{ 0x43, 0x0af, "ThunderX2" },
	{ 0x43, 0x0b8, "ThunderX3" },
	{ 0x46, 0x001, "A64FX" },
	{ 0x46, 0x003, "MONAKA" },
	{ 0x48, 0xd01, "TaiShan v110" },
	{ 0x48, 0xd02, "TaiShan v120" },
	{ 0x4e, 0x003, "Denver 2" },
	{ 0x4e, 0x004, "Carmel" },
	{ 0x4e, 0x010, "Olympus" },
	{ 0x50, 0x000, "X-Gene" },
	{ 0x51, 0x001, "Oryon" },
	{ 0x51, 0x800, "Kryo 2XX Gold" },
	{ 0x51, 0x801, "Kryo 2XX Silver" },
	{ 0x51, 0xc00, "Falkor" },
	{ 0x61, 0x022, "M1 Icestorm" },
	{ 0x61, 0x023, "M1 Firestorm" },
	{ 0x61, 0x032, "M2 Blizzard" },
	{ 0x61, 0x033, "M2 Avalanche" },
	{ 0xc0, 0xac3, "Ampere-1" },
	{ 0xc0, 0xac4, "Ampere-1a" },
	{ 0xc0, 0xac5, "Ampere-1b" },
};

static int implementer_of(uint32_t midr)
{
	return (int)(midr >> 24);
}

static int part_of(uint32_t midr)
{
	return (int)(midr >> 4 & 0xfff);
}

static void name_implementer(PAPI_hw_info_t *info, int number)
{
	for (size_t i = 0; i < sizeof(implementers) / sizeof(implementers[0]); i++) {
		if (implementers[i].number == number) {
			info->vendor = implementers[i].vendor;
			snprintf(info->vendor_string, sizeof(info->vendor_string), "%s", implementers[i].name);
			return;
		}
	}
	info->vendor = PAPI_VENDOR_ARM;
	snprintf(info->vendor_string, sizeof(info->vendor_string), "Arm implementer 0x%02x", (unsigned int)number);
}

/* Appends a kind of core to the model string: "Cortex-A53 + Cortex-A72". */
static void append_part(PAPI_hw_info_t *info, uint32_t midr)
{
	size_t used = strlen(info->model_string);
	char *end = info->model_string + used;
	size_t left = sizeof(info->model_string) - used;
	const char *separator = used > 0 ? " + " : "";

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (parts[i].implementer == implementer_of(midr) && parts[i].number == part_of(midr)) {
			snprintf(end, left, "%s%s", separator, parts[i].name);
			return;
		}
	}
	snprintf(end, left, "%spart 0x%03x of implementer 0x%02x", separator, (unsigned int)part_of(midr),
		(unsigned int)implementer_of(midr));
}

/* The register itself, which arm64 kernels show for each CPU; 0 when this one does not. */
static uint32_t read_register(void)
{
	papi_id_set_t online;
	char path[128];
	long long value;

	papi_linux_online_set(&online);
	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/regs/identification/midr_el1",
		papi_id_set_next(&online, 0));
	return papi_linux_read_int(path, &value) < 0 ? 0 : (uint32_t)value;
}

bool papi_identity_arm_fill(PAPI_hw_info_t *info, const papi_cpuinfo_t *cpuinfo)
{
	uint32_t midr = cpuinfo->midr_count > 0 ? cpuinfo->midr[0] : read_register();
	int variant, revision;

	if (midr == 0)
		return false;
	name_implementer(info, implementer_of(midr));
	append_part(info, midr);
	for (int i = 1; i < cpuinfo->midr_count; i++)
		append_part(info, cpuinfo->midr[i]);
	info->model = info->cpuid_model = part_of(midr);
	/* Not in the register: since Armv7 its field for the architecture only refers to the feature registers. */
	info->cpuid_family = cpuinfo->family;
	variant = midr >> 20 & 0xf;
	revision = midr & 0xf;
	info->cpuid_stepping = revision;
	info->revision = (float)(variant + (revision < 10 ? revision / 10.0 : revision / 100.0));
	return true;
}
