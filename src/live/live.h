/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * This process, as a perfometer that listens sees it: a connection that is there or not, and marks that go by it.
 * Nothing waits, and what cannot be sent at once is lost: a mark less on a page.
 *
 * The connection is the process's own; the child of a fork has none. A descriptor that the program has closed, and
 * that may be something else by now, is told by its inode.
 *
 * Any thread; not for signal handlers.
 */
#ifndef PAPI_LIVE_LIVE_H
#define PAPI_LIVE_LIVE_H

#include <stdatomic.h>
#include <stdbool.h>

#pragma GCC visibility push(hidden)

extern atomic_int papi_live_socket; /* -1: nobody listens */

static inline bool papi_live_is_seen(void)
{
	return __builtin_expect(atomic_load_explicit(&papi_live_socket, memory_order_acquire) >= 0, 0);
}

/* Connects if it is not. True: a perfometer listens. */
bool papi_live_connect(void);
void papi_live_mark(int color);
/* If the perfometer wants them. */
void papi_live_region(const char *name, bool begin);

#pragma GCC visibility pop

#endif
