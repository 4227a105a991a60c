/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Debuggers. They write breakpoints (int3) over the program's code, run single instructions, and look at what is where:
 * a copy of the code in the cache is nothing to them. So while one is here, code is compared with what it was made of,
 * and a thread that comes to a breakpoint goes native.
 */
#ifndef PAPI_VPMU_TRANSLATOR_TRACER_H
#define PAPI_VPMU_TRANSLATOR_TRACER_H

#include <stdbool.h>

/* Whether one was here when somebody last looked. */
bool papi_vpmu_tracer_known(void);

/* Looks whether the calling thread has one. Calls no libc. */
bool papi_vpmu_tracer_look(void);

/* A region begins: looks again now and then. Returns whether one has come or gone since. */
bool papi_vpmu_tracer_changed(void);

/* Whether int3 is none of the program's own: it is a debugger's, or the end of the program. */
bool papi_vpmu_tracer_owns_breakpoints(void);

#endif
