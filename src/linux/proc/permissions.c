/* SPDX-License-Identifier: BSD-3-Clause */
#include "linux/proc/permissions.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"

#define CAP_SYS_ADMIN_BIT 21
#define CAP_PERFMON_BIT   38

int papi_permissions_paranoid(void)
{
	long long level;

	return papi_linux_read_int("/proc/sys/kernel/perf_event_paranoid", &level) ? 2 : (int)level;
}

/* The value of a line "\nKEY:\tVALUE" of /proc/self/status, as a number in that base; 0 when there is none. */
static unsigned long long status_value(const char *key, int base)
{
	char status[4096];
	const char *line;

	if (papi_linux_read_file("/proc/self/status", status, sizeof(status)) < 0)
		return 0;
	line = strstr(status, key);
	return line ? strtoull(line + strlen(key), NULL, base) : 0;
}

bool papi_permissions_filtered(void)
{
	return status_value("\nSeccomp:", 10) == 2;
}

bool papi_permissions_first_namespace(void)
{
	unsigned inside, outside, count;
	char map[128];

	if (papi_linux_read_line("/proc/self/uid_map", map, sizeof(map)) <= 0)
		return false;
	/* NOLINTNEXTLINE(cert-err34-c): the kernel writes numbers of 32 bits */
	return sscanf(map, "%u %u %u", &inside, &outside, &count) == 3 && !inside && !outside && count == UINT32_MAX;
}

bool papi_permissions_capable(void)
{
	return status_value("\nCapEff:", 16) & (1ull << CAP_PERFMON_BIT | 1ull << CAP_SYS_ADMIN_BIT);
}

bool papi_permissions_privileged(void)
{
	return papi_permissions_capable() && papi_permissions_first_namespace();
}

bool papi_permissions_watchdog(void)
{
	long long on;

	return !papi_linux_read_int("/proc/sys/kernel/nmi_watchdog", &on) && on;
}
