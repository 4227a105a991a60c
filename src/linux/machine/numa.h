/* SPDX-License-Identifier: BSD-3-Clause */
/* NUMA nodes: memory and CPUs of each, from /sys/devices/system/node. PAPI_OK, or PAPI_EINVAL, PAPI_ENOSUPP. */
#ifndef PAPI_LINUX_MACHINE_NUMA_H
#define PAPI_LINUX_MACHINE_NUMA_H

/* Memory of a node in MB. */
int papi_numa_memory(int node, unsigned *megabytes);
/* How many CPUs a node has. */
int papi_numa_cpus(int node, unsigned *cpus);
/* The node of a CPU. */
int papi_numa_of_cpu(int cpu, unsigned *node);

#endif
