/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How much memory the process uses: PAPI_get_dmem_info().
 *
 * The numbers are the kernel's, of /proc/self/status, and where that lacks one /proc/self/statm. All are in kB of 1024
 * bytes, as the kernel writes them, but pagesize is in bytes; the reference gives no unit.
 *
 *   size, peak                   address space in use, now and at most (VmSize, VmPeak)
 *   resident, high_water_mark    of that in memory, now and at most (VmRSS, VmHWM)
 *   shared                       resident pages of files and shared memory, others may use them too (RssFile, RssShmem)
 *   text, library                code of the program; code of libraries (VmExe, VmLib)
 *   heap                         private writable memory but for the stack: data, bss, heap, thread stacks (VmData)
 *   stack, locked, pte           main stack, locked pages, page tables (VmStk, VmLck, VmPTE)
 *
 * A field that the kernel does not tell is PAPI_EINVAL. Nothing is kept: any thread may call this, not a signal
 * handler.
 */
#ifndef PAPI_LINUX_PROCESS_MEMORY_H
#define PAPI_LINUX_PROCESS_MEMORY_H

#include "papi.h"

/* PAPI_OK; PAPI_EINVAL: no place for the answer; PAPI_ESYS: /proc cannot be read. The reason is in the error detail. */
int papi_memory_get(PAPI_dmem_info_t *usage);

#endif
