/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parts of hardware.c, a file each. Every one fills its own fields of a record that was all zero, and leaves in
 * them what hardware.h names for "unknown" if the machine does not tell; none can fail. They read the machine of
 * papi_linux_root() and keep nothing, so any thread may call them.
 */
#ifndef PAPI_LINUX_MACHINE_HARDWARE_PARTS_H
#define PAPI_LINUX_MACHINE_HARDWARE_PARTS_H

#include <stdbool.h>

#include "linux/proc/cpuinfo.h"
#include "papi.h"

/* topology.c: totalcpus, threads, cores, sockets, nnodes, ncpu. */
void papi_topology_fill(PAPI_hw_info_t *info);

/*
 * identity.c: vendor, vendor_string, model, model_string, revision, cpuid_*. It asks identity_x86.c, which knows only
 * where there is CPUID, and else makes sense of /proc/cpuinfo, with identity_arm.c for Arm.
 */
void papi_identity_fill(PAPI_hw_info_t *info);
bool papi_identity_x86_fill(PAPI_hw_info_t *info);
bool papi_identity_arm_fill(PAPI_hw_info_t *info, const papi_cpuinfo_t *cpuinfo);

/* hypervisor.c: virtualized and the two strings that go with it. */
void papi_hypervisor_fill(PAPI_hw_info_t *info);

/* caches.c: caches from /sys, else from cpuid_caches.c; false when there are none to be seen. */
void papi_caches_fill(PAPI_mh_info_t *hierarchy);
bool papi_cpuid_caches_fill(PAPI_mh_info_t *hierarchy);
/* How x86 caches of data write and allocate, where the kernel has not told. */
void papi_cpuid_policies_fill(PAPI_mh_info_t *hierarchy);

/* tlb.c: TLBs from CPUID, which alone tells them. tlb_intel.c and tlb_amd.c return false when their leaves are
 * absent. */
void papi_tlb_fill(PAPI_mh_info_t *hierarchy);
bool papi_tlb_intel_fill(PAPI_mh_info_t *hierarchy);
bool papi_tlb_amd_fill(PAPI_mh_info_t *hierarchy);

/*
 * Adds to a level, 1 and up, and raises hierarchy->levels. What does not fit into the record is left out: the first
 * six of a level stay. ways 0: unknown.
 */
void papi_hierarchy_add_cache(PAPI_mh_info_t *hierarchy, int level, const PAPI_mh_cache_info_t *cache);
void papi_hierarchy_add_tlb(PAPI_mh_info_t *hierarchy, int level, int type, int entries, long page_size, int ways);

#endif
