/* SPDX-License-Identifier: BSD-3-Clause */
#include "linux/machine/numa.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/files.h"
#include "base/lists.h"

#define NODE       "/sys/devices/system/node/node%d"
#define MOST_NODES 1024

int papi_numa_memory(int node, unsigned *megabytes)
{
	char path[96], text[4096];
	const char *total;

	snprintf(path, sizeof(path), NODE "/meminfo", node);
	if (node < 0 || papi_linux_read_file(path, text, sizeof(text)) < 0)
		return papi_error(PAPI_EINVAL, "there is no NUMA node %d, or the system does not tell of it", node);
	total = strstr(text, "MemTotal:");
	if (!total)
		return papi_error(PAPI_ENOSUPP, "the system does not tell the memory of NUMA node %d", node);
	*megabytes = (unsigned)(strtoull(total + strlen("MemTotal:"), NULL, 10) / 1024);
	return PAPI_OK;
}

struct search {
	int cpu;
	unsigned n;
	bool found;
};

static int look(int number, void *data)
{
	struct search *search = data;

	search->n++;
	search->found = search->found || number == search->cpu;
	return 0;
}

static bool read_node(int node, struct search *search)
{
	char path[96];

	snprintf(path, sizeof(path), NODE "/cpulist", node);
	return papi_linux_read_list(path, look, search) >= 0;
}

int papi_numa_cpus(int node, unsigned *cpus)
{
	struct search search = { .cpu = -1 };

	if (node < 0 || !read_node(node, &search))
		return papi_error(PAPI_EINVAL, "there is no NUMA node %d, or the system does not tell of it", node);
	*cpus = search.n;
	return PAPI_OK;
}

int papi_numa_of_cpu(int cpu, unsigned *node)
{
	for (int i = 0; cpu >= 0 && i < MOST_NODES; i++) {
		struct search search = { .cpu = cpu };

		if (read_node(i, &search) && search.found) {
			*node = (unsigned)i;
			return PAPI_OK;
		}
	}
	return papi_error(PAPI_EINVAL, "there is no CPU %d, or the system does not tell its NUMA node", cpu);
}
