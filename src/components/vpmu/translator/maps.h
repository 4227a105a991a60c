/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The mappings of this process, as far as translation needs to know. Read from /proc/self/maps when an address
 * is not found, and again after the program has changed its mappings. Under the lock of the cache; calls no libc.
 */
#ifndef PAPI_VPMU_TRANSLATOR_MAPS_H
#define PAPI_VPMU_TRANSLATOR_MAPS_H

#include <stdbool.h>
#include <stdint.h>

struct papi_vpmu_mapping {
	uint64_t address; /* that was asked for */
	uint64_t start, end, offset, device, inode;
	char path[1024]; /* "": it is of no file */
};

/* The mapping around an address, as the kernel says now. False: there is none. */
bool papi_vpmu_maps_find(uint64_t address, struct papi_vpmu_mapping *mapping);

/* The end of the executable memory around an address; 0 where it is not executable. */
uint64_t papi_vpmu_maps_executable_until(uint64_t address);

/* Whether code there can change without a system call that tells: memory that is not of a file, is shared, or can be
 * written; all of it while a debugger is here. */
bool papi_vpmu_maps_may_change(uint64_t address);

/* They have changed in [start, end). Returns whether anything there has been executable. */
bool papi_vpmu_maps_forget(uint64_t start, uint64_t end);

/* A place of that size near the program's own code, for the cache, free when it was last looked at: 0 when there is
 * none. */
uint64_t papi_vpmu_maps_place_near_program(uint64_t size);

#endif
