/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * /proc/cpuinfo, which every architecture writes in words of its own.
 *
 * papi_cpuinfo_read() collects what any of them says into one record; what a file does not say keeps the value that
 * means "unknown". Reading it can be slow where there are many CPUs (some kernels ask each for its frequency), so it
 * is read only where nothing better is known: see identity.c.
 *
 * No state: any thread may call these.
 */
#ifndef PAPI_LINUX_PROC_CPUINFO_H
#define PAPI_LINUX_PROC_CPUINFO_H

#include <stdbool.h>
#include <stdint.h>

#include "papi.h"

/* Kinds of cores of one machine that are told apart. */
#define PAPI_CPUINFO_KINDS 4

typedef struct papi_cpuinfo {
	char vendor[PAPI_MAX_STR_LEN]; /* "" when there is none, as for every following string */
	char name[PAPI_MAX_STR_LEN];   /* the model in words */
	char machine[PAPI_MAX_STR_LEN];
	int family; /* -1 when unknown, as the next two */
	int model;
	int stepping;
	double max_mhz;  /* highest of all CPUs; 0 when unknown */
	bool hypervisor; /* the CPU says that it is a virtual one */

	/* Arm: main ID registers, one for each kind of core, in the order of the CPUs. */
	uint32_t midr[PAPI_CPUINFO_KINDS];
	int midr_count;

	uint32_t pvr;           /* POWER: processor version register; 0 when unknown */
	uint64_t riscv_vendor;  /* RISC-V: JEDEC number of the vendor; 0 when unknown */
	uint64_t riscv_machine; /* RISC-V: architecture ID, the vendor's own */

	/* For machines whose /sys is not there: 0 when unknown. */
	int sockets;
	int siblings; /* CPUs of one socket */
	int cores;    /* cores of one socket */
} papi_cpuinfo_t;

/* 0, or -1 with errno when the file cannot be read; the record is then all unknown. */
int papi_cpuinfo_read(papi_cpuinfo_t *record);

#endif
