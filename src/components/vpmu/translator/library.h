/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which code is the library's own: it is not counted. Calls to it run natively, and what a call to one of its functions
 * consists of, in the program, is not counted either (translate/trim.c).
 */
#ifndef PAPI_VPMU_TRANSLATOR_LIBRARY_H
#define PAPI_VPMU_TRANSLATOR_LIBRARY_H

#include <stdbool.h>
#include <stdint.h>

/* Finds the library's text. False when it is neither a shared object of its own nor in a section of its own. */
bool papi_vpmu_library_begin(void);

/* Whether an address is in the text of the library, or in one that papi_vpmu_engine_exclude() named. */
bool papi_vpmu_library_holds(uint64_t pc);

/* Another text that is not counted. -1: there are too many. */
int papi_vpmu_library_exclude(uint64_t start, uint64_t end);

/* Whether a function of the library has to run natively even where the library's code is translated, on the way from
 * papi_vpmu_engine_start() back to the program: those of engine.h, and what core/signals.h calls, take locks that
 * the runtime takes for translated code, too. */
bool papi_vpmu_library_is_engine(uint64_t pc);

/* Binds the program's calls of the library now: done by the first of each, the dynamic linker's work would be counted.
 * Returns whether an object has been unloaded since the last time: another may lie in its place. */
bool papi_vpmu_library_bind(void);

#endif
