/* SPDX-License-Identifier: BSD-3-Clause */
#include "linux/proc/cpus.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/text.h"

/* The "processor : N" lines of /proc/cpuinfo. */
static int read_cpuinfo_processors(papi_id_set_t *set)
{
	char *text = papi_linux_read_whole("/proc/cpuinfo", NULL);
	char *rest = text;
	char *key, *value;
	long long number;

	papi_id_set_clear(set);
	while (rest && papi_text_next_pair(&rest, &key, &value)) {
		/* Old 32-bit Arm kernels write the model in words behind "Processor". */
		if (strcmp(key, "processor") == 0 && papi_text_to_number(value, &number) && number >= 0 &&
			number < PAPI_LIST_LIMIT)
			papi_id_set_add(set, (int)number);
	}
	free(text);
	return papi_id_set_count(set);
}

int papi_linux_online_set(papi_id_set_t *set)
{
	int count = papi_id_set_read(set, "/sys/devices/system/cpu/online");

	if (count > 0)
		return count;
	count = read_cpuinfo_processors(set);
	if (count > 0)
		return count;
	/* Numbers are not known now; sysconf(3) counts them, and mostly they are the first ones. */
	count = papi_linux_is_live() ? (int)sysconf(_SC_NPROCESSORS_ONLN) : 1;
	if (count < 1)
		count = 1;
	for (int cpu = 0; cpu < count; cpu++)
		papi_id_set_add(set, cpu);
	return papi_id_set_count(set);
}

int papi_linux_online_cpus(int *cpus, int max)
{
	papi_id_set_t set;
	int count = papi_linux_online_set(&set);
	int written = 0;

	for (int cpu = papi_id_set_next(&set, 0); cpu >= 0 && written < max; cpu = papi_id_set_next(&set, cpu + 1))
		cpus[written++] = cpu;
	return count;
}

int papi_linux_current_cpu(void)
{
	return sched_getcpu();
}
