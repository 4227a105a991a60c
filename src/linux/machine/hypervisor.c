/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>

#include "base/files.h"
#include "base/text.h"
#include "linux/cpu/cpuid.h"
#include "linux/machine/hardware_parts.h"

#define LEAF_STEP     0x100u
#define MICROSOFT     "Microsoft Hv"
#define XEN           "XenVMMXenVMM"
#define SIGNATURE_MAX 12

static void set_vendor(PAPI_hw_info_t *info, const char *vendor)
{
	info->virtualized = 1;
	snprintf(info->virtual_vendor_string, sizeof(info->virtual_vendor_string), "%s", vendor);
}

static bool read_signature(uint32_t base, char *signature, papi_cpuid_t *registers)
{
	uint32_t text[3];

	if (!papi_cpuid_read(base, 0, registers))
		return false;
	text[0] = registers->ebx;
	text[1] = registers->ecx;
	text[2] = registers->edx;
	papi_cpuid_text(signature, text, 3);
	return signature[0] != '\0';
}

/* Hypervisors that number themselves do so in one of the next leaves, each in its way. KVM and VMware do not. */
static void read_version(PAPI_hw_info_t *info, uint32_t base)
{
	papi_cpuid_t registers;
	uint32_t version;

	if (strcmp(info->virtual_vendor_string, MICROSOFT) == 0 && papi_cpuid_read(base + 2, 0, &registers))
		version = registers.ebx;
	else if (strcmp(info->virtual_vendor_string, XEN) == 0 && papi_cpuid_read(base + 1, 0, &registers))
		version = registers.eax;
	else
		return;
	snprintf(info->virtual_vendor_version, sizeof(info->virtual_vendor_version), "%u.%u", version >> 16,
		version & 0xffff);
}

/*
 * The signature at 0x40000000. KVM and Xen can pose there as Microsoft's, for guests that know only that one, and then
 * have their own leaves one step above.
 */
static bool fill_from_cpuid(PAPI_hw_info_t *info)
{
	char signature[SIGNATURE_MAX + 1], above[SIGNATURE_MAX + 1];
	uint32_t base = PAPI_CPUID_HYPERVISOR;
	papi_cpuid_t registers;

	if (!read_signature(base, signature, &registers))
		return false;
	if (strcmp(signature, MICROSOFT) == 0 && read_signature(base + LEAF_STEP, above, &registers) &&
		(strcmp(above, XEN) == 0 || strcmp(above, "KVMKVMKVM") == 0)) {
		memcpy(signature, above, sizeof(signature));
		base += LEAF_STEP;
	}
	set_vendor(info, signature);
	read_version(info, base);
	return true;
}

/* "linux,kvm" or "xen,xen" in the device tree of a guest, and what Xen puts into /sys. */
static bool fill_from_files(PAPI_hw_info_t *info)
{
	char text[PAPI_MAX_STR_LEN];

	if (papi_linux_read_line("/proc/device-tree/hypervisor/compatible", text, sizeof(text)) <= 0 &&
		papi_linux_read_line("/sys/hypervisor/type", text, sizeof(text)) <= 0)
		return false;
	set_vendor(info, text);
	return true;
}

/* Names that firmware gives to machines that exist only as programs: enough for guests without CPUID. */
static bool fill_from_firmware(PAPI_hw_info_t *info)
{
	static const char *const virtual_vendors[] = { "QEMU", "VMware", "innotek GmbH", "Parallels", "Xen" };
	char vendor[PAPI_MAX_STR_LEN], product[PAPI_MAX_STR_LEN];

	papi_linux_read_line("/proc/device-tree/model", product, sizeof(product));
	if (strcmp(product, "linux,dummy-virt") == 0) {
		set_vendor(info, product);
		return true;
	}
	papi_linux_read_line("/sys/class/dmi/id/sys_vendor", vendor, sizeof(vendor));
	papi_linux_read_line("/sys/class/dmi/id/product_name", product, sizeof(product));
	for (size_t i = 0; i < sizeof(virtual_vendors) / sizeof(virtual_vendors[0]); i++) {
		if (papi_text_starts_with(vendor, virtual_vendors[i])) {
			set_vendor(info, vendor);
			return true;
		}
	}
	if (!strstr(product, "Virtual Machine"))
		return false;
	set_vendor(info, vendor);
	return true;
}

void papi_hypervisor_fill(PAPI_hw_info_t *info)
{
	papi_cpuid_t features;
	papi_cpuinfo_t cpuinfo;

	if (fill_from_cpuid(info) || fill_from_files(info) || fill_from_firmware(info))
		return;
	/* Nobody gives a name; there can still be the bit that says so. */
	if (papi_cpuid_read(1, 0, &features)) {
		info->virtualized = (int)(features.ecx >> 31);
		return;
	}
	papi_cpuinfo_read(&cpuinfo);
	info->virtualized = cpuinfo.hypervisor;
}
