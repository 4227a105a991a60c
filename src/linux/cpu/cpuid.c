/* SPDX-License-Identifier: BSD-3-Clause */
#include "linux/cpu/cpuid.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"

#define HYPERVISOR_BIT (1u << 31)

static bool has_hypervisor(papi_cpuid_execute_t execute)
{
	papi_cpuid_t features;

	return execute(1, 0, &features) && (features.ecx & HYPERVISOR_BIT);
}

/* Processors answer a leaf beyond the last one with data of another, so the last one has to be known. */
bool papi_cpuid_read_checked(papi_cpuid_execute_t execute, uint32_t leaf, uint32_t subleaf, papi_cpuid_t *registers)
{
	bool is_hypervisor = (leaf & 0xf0000000u) == PAPI_CPUID_HYPERVISOR;
	/* A hypervisor may answer at 0x40000000, 0x40000100 and so on, each with a last leaf of its own. */
	uint32_t range = is_hypervisor ? leaf & 0xffffff00u : leaf & 0xf0000000u;
	papi_cpuid_t first;
	uint32_t last;

	memset(registers, 0, sizeof(*registers));
	if (is_hypervisor && !has_hypervisor(execute))
		return false;
	if (!execute(range, 0, &first))
		return false;
	last = first.eax;
	if (last < range || last - range > 0xffff) {
		if (!is_hypervisor)
			return false;
		/* Old hypervisors leave the last leaf at 0 and have just the first. */
		last = range;
	}
	return leaf <= last && execute(leaf, subleaf, registers);
}

bool papi_cpuid_read_live(uint32_t leaf, uint32_t subleaf, papi_cpuid_t *registers)
{
	return papi_cpuid_read_checked(papi_cpuid_execute, leaf, subleaf, registers);
}

/* Whether the line is that of the leaf; fills the registers if so. */
static bool read_recorded_line(const char *line, uint32_t leaf, uint32_t subleaf, papi_cpuid_t *registers)
{
	uint32_t words[6];

	for (int i = 0; i < 6; i++) {
		char *end;

		line += strspn(line, " \t");
		/* strtoul() by itself would go on to the next line. */
		if (!isxdigit((unsigned char)*line))
			return false;
		words[i] = (uint32_t)strtoul(line, &end, 16);
		line = end;
	}
	if (words[0] != leaf || words[1] != subleaf)
		return false;
	*registers = (papi_cpuid_t){ words[2], words[3], words[4], words[5] };
	return true;
}

static bool read_recorded(uint32_t leaf, uint32_t subleaf, papi_cpuid_t *registers)
{
	char *text = papi_linux_read_whole("/cpuid", NULL);
	const char *line = text;
	bool is_found = false;

	while (line && !is_found) {
		is_found = read_recorded_line(line, leaf, subleaf, registers);
		line = strchr(line, '\n');
		if (line)
			line++;
	}
	free(text);
	return is_found;
}

bool papi_cpuid_read(uint32_t leaf, uint32_t subleaf, papi_cpuid_t *registers)
{
	if (papi_linux_is_live())
		return papi_cpuid_read_live(leaf, subleaf, registers);
	memset(registers, 0, sizeof(*registers));
	return read_recorded(leaf, subleaf, registers);
}

void papi_cpuid_text(char *target, const uint32_t *registers, int count)
{
	size_t length = (size_t)count * sizeof(*registers);

	for (int i = 0; i < count; i++) {
		for (int byte = 0; byte < 4; byte++)
			target[i * 4 + byte] = (char)(registers[i] >> (byte * 8) & 0xff);
	}
	target[length] = '\0';
}
