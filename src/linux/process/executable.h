/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the program and its libraries lie in memory: PAPI_get_executable_info() and PAPI_get_shared_lib_info().
 *
 * Both come from the program headers that the dynamic linker goes by (dl_iterate_phdr), not from a list of mappings:
 *   text   from the first to the end of the last executable segment
 *   data   from the first to the end of the last writable segment, as far as the file goes
 *   bss    what the last writable segment has in memory beyond the file; empty (start = end) when it has nothing
 * A range that an object does not have is 0 to 0. All are addresses of this process, whatever papi_linux_root() says.
 *
 * The executable's fullname is its absolute path and the name in address_info has no directories. Libraries have their
 * path as name; the vDSO, which has no file, is "[vdso]" as in /proc/self/maps. The executable is no library.
 *
 * Everything belongs to this file. The executable does not change and stays until papi_executable_release(). The list
 * of libraries follows dlopen() and dlclose(): as long as nothing was loaded or unloaded, papi_libraries_get() returns
 * the same list; after that a new one. A list stays valid until two later calls have each found the libraries changed.
 *
 * Any thread may call the first two at any time, after fork() too, since nothing is locked; not in a signal handler.
 */
#ifndef PAPI_LINUX_PROCESS_EXECUTABLE_H
#define PAPI_LINUX_PROCESS_EXECUTABLE_H

#include "papi.h"

/* NULL, with the reason in the error detail, when there is no memory for the answer. */
const PAPI_exe_info_t *papi_executable_get(void);
const PAPI_shlib_info_t *papi_libraries_get(void);

/* Frees all that the two have returned. For shutdown: no other thread may be calling them or using the answers. */
void papi_executable_release(void);

#endif
