/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the machine is: PAPI_get_hardware_info().
 *
 * The description is made on the first call and kept: making it reads some ten files per CPU and takes milliseconds on
 * a large machine, so nothing may call this that has no use for it, PAPI_library_init() least of all. It describes
 * the machine whose files papi_linux_root() has; see cpuid.h for what a recorded machine can say beside its files.
 *
 * What the fields mean where one number has to stand for more:
 *   totalcpus   CPUs online.
 *   threads     most online CPUs that share a core: 2 on a hybrid machine where only some cores have two.
 *   cores       most cores of one socket; sockets those with an online CPU. On a hybrid or partly offline machine
 *               threads * cores * sockets can therefore exceed totalcpus.
 *   nnodes      NUMA nodes that have CPUs; ncpu most online CPUs of one of them.
 *   vendor      PAPI_VENDOR_...; Hygon counts as AMD, whose design and CPUID it has. On Arm the number is that of the
 *               implementer, PAPI_VENDOR_ARM where it has none of its own.
 *   model, cpuid_*  x86: the family and model that CPUID displays. Arm: architecture, part number, revision. POWER:
 *               the halves of the version register. -1 when unknown. Where cores differ, those of the first CPU, but
 *               model_string names every kind.
 *   revision    x86: the stepping. Arm: r3p1 is 3.1. POWER: as /proc/cpuinfo writes it.
 *   cpu_max_mhz, cpu_min_mhz  over all CPUs; the same number twice when only one is known, 0 when none is.
 *   mhz, clock_mhz  cpu_max_mhz with its fraction; the rate of papi_clock_real_cycles(), which for want of a better
 *               one can be 1000, see clock.h.
 *   mem_hierarchy   caches and TLBs as the first online CPU sees them. Cache and page sizes in bytes; 0 in a field
 *               that the machine does not tell. A TLB appears once for each page size that it takes. Associativity
 *               of a TLB is SHRT_MAX when it is full; a fully associative cache has as many ways as lines.
 *   virtualized 1 when the machine says that it is virtual. A silent hypervisor is not noticed.
 *
 * papi_hardware_get() may be called by any number of threads at once and takes no lock, so also after fork(); not in a
 * signal handler. The record belongs to this file and stays as it is until papi_hardware_reset().
 */
#ifndef PAPI_LINUX_MACHINE_HARDWARE_H
#define PAPI_LINUX_MACHINE_HARDWARE_H

#include "papi.h"

/* NULL, with the reason in the error detail, only when there is no memory for the record. */
const PAPI_hw_info_t *papi_hardware_get(void);

/* Frees the record; the next papi_hardware_get() looks anew. For shutdown and tests: no other thread may be using
 * it. */
void papi_hardware_reset(void);

#endif
