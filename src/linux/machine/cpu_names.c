/* SPDX-License-Identifier: BSD-3-Clause */
#include "linux/machine/cpu_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "linux/machine/hardware_parts.h"

/* The number behind "key : 0x41" if the line has that key. */
static bool number_of(const char *line, const char *key, unsigned *number)
{
	const char *colon;

	if (strncmp(line, key, strlen(key)))
		return false;
	colon = strchr(line, ':');
	if (!colon)
		return false;
	*number = (unsigned)strtoul(colon + 1, NULL, 16);
	return true;
}

static void arm_names(void (*visit)(void *data, const char *name), void *data)
{
	char *text = papi_linux_read_whole("/proc/cpuinfo", NULL), *rest = text, *line;
	unsigned implementer = 0, part, seen = 0;

	while (rest && (line = strsep(&rest, "\n"))) {
		char name[32];

		number_of(line, "CPU implementer", &implementer);
		/* Cores of a kind follow one another: telling the last one from this is enough to avoid most
		 * repeats. */
		if (!number_of(line, "CPU part", &part) || (implementer << 16 | part) == seen)
			continue;
		seen = implementer << 16 | part;
		snprintf(name, sizeof(name), "arm-0x%02x-0x%03x", implementer, part);
		visit(data, name);
	}
	free(text);
}

void papi_cpu_names(void (*visit)(void *data, const char *name), void *data)
{
	PAPI_hw_info_t info = { 0 };
	char name[PAPI_MAX_STR_LEN + 32];

	if (papi_identity_x86_fill(&info)) {
		snprintf(name, sizeof(name), "%s-%d-%X", info.vendor_string, info.cpuid_family,
			(unsigned)info.cpuid_model);
		visit(data, name);
		return;
	}
	arm_names(visit, data);
}
