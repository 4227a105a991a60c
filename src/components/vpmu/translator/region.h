/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The piece of the address space that translated code and descriptions of blocks are in: near the program, so that code
 * reaches what it names by displacements of 32 bits, and small enough that an offset in it is a number of 31. It is
 * where programs have nothing, and is mapped in parts as they are needed; of a large program's a piece is kept, for
 * those that translate code themselves take what is free near them by the half gibibyte.
 *
 * Under the lock of the cache.
 */
#ifndef PAPI_VPMU_TRANSLATOR_REGION_H
#define PAPI_VPMU_TRANSLATOR_REGION_H

#include <stddef.h>
#include <stdint.h>

/* Where it begins, once something has been mapped. */
uint64_t papi_vpmu_region_start(void);

/* Maps a part, as mmap(2) does. NULL when memory ends. */
void *papi_vpmu_region_map(size_t size, int protection, int flags);

/* A piece of that size, in which there will be room for parts whatever the program maps. Once; it is no failure when
 * there is none. */
void papi_vpmu_region_keep(size_t size);
void papi_vpmu_region_unmap(void *part, size_t size);

#endif
