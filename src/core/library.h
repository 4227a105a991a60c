/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The life of the library in a process: initialisation, defaults, shutdown, fork.
 *
 * One reader-writer lock, the library lock, keeps names and components from vanishing: whatever looks at them (adding
 * events, queries, listings) holds it for reading, PAPI_library_init() and PAPI_shutdown() for writing. Counting
 * (start, read, stop, accum, reset) does not take it: an EventSet holds all it needs.
 *
 * Order of locks: library lock, then inside an EventSet, then the mutexes of handles and threads.
 */
#ifndef PAPI_CORE_LIBRARY_H
#define PAPI_CORE_LIBRARY_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/component.h"

extern _Atomic int papi_library_state __attribute__((visibility("hidden")));

/* True between PAPI_library_init() and PAPI_shutdown(). */
static inline bool papi_library_ready(void)
{
	return atomic_load_explicit(&papi_library_state, memory_order_acquire) != PAPI_NOT_INITED;
}

/* PAPI_ENOINIT and its sentence. */
int papi_library_missing(void) __attribute__((cold));

int papi_library_initialise(int version);
void papi_library_shutdown(void);

/* A high-level function has been called: an initialised library is in PAPI_HIGH_LEVEL_INITED from now on. */
void papi_library_set_high_level(void);

/* Takes the library lock for reading. PAPI_ENOINIT, and no lock, when the library is not initialised. */
int papi_library_enter(void);
/* The same for writing: whatever redefines events. papi_library_leave() ends both. */
int papi_library_enter_alone(void);
void papi_library_leave(void);

/* Before initialisation only: keeps a component out. */
int papi_library_disable(int component);
/* Before initialisation only, else false: fills in what is known of a component by then: its index, and whether it is
 * kept out. */
bool papi_library_describe(int component);

/* What new EventSets start with. */
struct papi_options papi_library_defaults(void);
void papi_library_set_default_domain(int domain);
void papi_library_set_default_granularity(int granularity);
void papi_library_set_default_inherit(bool inherit);

#endif
