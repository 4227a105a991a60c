/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>

#include "base/files.h"
#include "linux/machine/hardware_parts.h"
#include "linux/proc/cpus.h"

#define CPU_DIRECTORY  "/sys/devices/system/cpu"
#define NODE_DIRECTORY "/sys/devices/system/node"

/* Enough for any machine's sockets; more are counted as the last one. */
#define SOCKETS_MAX 1024

/* Socket numbers may be anything (-1, or an address on some boards): this maps them to 0, 1, 2, ... */
struct sockets {
	long long ids[SOCKETS_MAX];
	int cores[SOCKETS_MAX];
	int count;
};

/*
 * The set of online CPUs that share something with cpu: the first of the two files that is there, since the kernel
 * renamed them in 5.3. Without either file a CPU is alone. Returns how many there are.
 */
static int read_siblings(
	papi_id_set_t *set, int cpu, const char *name, const char *old_name, const papi_id_set_t *online)
{
	const char *names[] = { name, old_name };
	char path[128];

	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), CPU_DIRECTORY "/cpu%d/topology/%s", cpu, names[i]);
		if (papi_id_set_read(set, path) > 0) {
			papi_id_set_intersect(set, online);
			if (papi_id_set_has(set, cpu))
				return papi_id_set_count(set);
		}
	}
	papi_id_set_clear(set);
	papi_id_set_add(set, cpu);
	return 1;
}

static int find_socket(struct sockets *sockets, long long id)
{
	for (int i = 0; i < sockets->count; i++) {
		if (sockets->ids[i] == id)
			return i;
	}
	if (sockets->count == SOCKETS_MAX)
		return SOCKETS_MAX - 1;
	sockets->ids[sockets->count] = id;
	return sockets->count++;
}

/* False when /sys does not describe the CPU. */
static bool add_cpu(PAPI_hw_info_t *info, struct sockets *sockets, int cpu, const papi_id_set_t *online)
{
	char path[128];
	long long id;
	papi_id_set_t siblings;
	int threads, socket;

	snprintf(path, sizeof(path), CPU_DIRECTORY "/cpu%d/topology/physical_package_id", cpu);
	if (papi_linux_read_int(path, &id) < 0)
		return false;
	socket = find_socket(sockets, id);
	threads = read_siblings(&siblings, cpu, "core_cpus_list", "thread_siblings_list", online);
	if (threads > info->threads)
		info->threads = threads;
	/*
	 * A core is counted at the first of its CPUs. Its core_id would not do: it is unique only in a socket, or
	 * only in a die or cluster.
	 */
	if (papi_id_set_next(&siblings, 0) == cpu)
		sockets->cores[socket]++;
	return true;
}

static bool fill_from_sysfs(PAPI_hw_info_t *info, const papi_id_set_t *online)
{
	struct sockets sockets;
	bool is_known = false;

	memset(&sockets, 0, sizeof(sockets));
	for (int cpu = papi_id_set_next(online, 0); cpu >= 0; cpu = papi_id_set_next(online, cpu + 1))
		is_known |= add_cpu(info, &sockets, cpu, online);
	info->sockets = sockets.count;
	for (int i = 0; i < sockets.count; i++) {
		if (sockets.cores[i] > info->cores)
			info->cores = sockets.cores[i];
	}
	return is_known;
}

/* Where /sys is hidden; x86 alone tells this much in /proc/cpuinfo. */
static void fill_from_cpuinfo(PAPI_hw_info_t *info)
{
	papi_cpuinfo_t cpuinfo;

	papi_cpuinfo_read(&cpuinfo);
	info->sockets = cpuinfo.sockets > 0 ? cpuinfo.sockets : 1;
	info->cores = cpuinfo.cores > 0 ? cpuinfo.cores : info->totalcpus / info->sockets;
	if (info->cores == 0)
		info->cores = 1;
	info->threads = cpuinfo.siblings > info->cores ? cpuinfo.siblings / info->cores : 1;
}

static void fill_nodes(PAPI_hw_info_t *info, const papi_id_set_t *online)
{
	papi_id_set_t nodes, cpus;
	char path[128];

	papi_id_set_read(&nodes, NODE_DIRECTORY "/online");
	for (int node = papi_id_set_next(&nodes, 0); node >= 0; node = papi_id_set_next(&nodes, node + 1)) {
		int count;

		snprintf(path, sizeof(path), NODE_DIRECTORY "/node%d/cpulist", node);
		papi_id_set_read(&cpus, path);
		papi_id_set_intersect(&cpus, online);
		count = papi_id_set_count(&cpus);
		info->nnodes += count > 0;
		if (count > info->ncpu)
			info->ncpu = count;
	}
	if (info->nnodes == 0) {
		/* A kernel without NUMA has no such directory. */
		info->nnodes = 1;
		info->ncpu = info->totalcpus;
	}
}

void papi_topology_fill(PAPI_hw_info_t *info)
{
	papi_id_set_t online;

	info->totalcpus = papi_linux_online_set(&online);
	if (!fill_from_sysfs(info, &online))
		fill_from_cpuinfo(info);
	fill_nodes(info, &online);
}
