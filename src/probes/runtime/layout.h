/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where things are in the structures of the runtime, as stubs.S has to know it; visit.c compares that with what the
 * compiler makes of them. Numbers alone: an assembler reads this.
 */
#ifndef PAPI_PROBES_LAYOUT_H
#define PAPI_PROBES_LAYOUT_H

#define PAPI_PROBE_FRAMES 32768

/* struct papi_probe_frame */
#define FRAME_SIZE     192
#define FRAME_RESUME   0
#define FRAME_BACK     8
#define FRAME_SLOT     16
#define FRAME_PARENT   24
#define FRAME_NEXT     32
#define FRAME_STUB     40
#define FRAME_FUNCTION 48
#define FRAME_VISIT    52
#define FRAME_FLAGS    54
#define FRAME_USED     56
#define FRAME_SAVED    60
#define FRAME_BEGUN    64
#define FRAME_CHILDREN 72

/* struct papi_probe_thread */
#define THREAD_TOP    0
#define THREAD_FREE   8
#define THREAD_COUNTS 16
#define THREAD_ACTIVE 24
#define THREAD_VISIT  32

/* struct papi_probe_table */
#define TABLE_N_FUNCTIONS 4
#define TABLE_ENABLED     8

/* struct papi_probe_counts, up to its first value: the time */
#define COUNTS_SIZE      240
#define COUNTS_CALLS     0
#define COUNTS_RETURNS   8
#define COUNTS_INCLUSIVE 40
#define COUNTS_EXCLUSIVE 48
#define COUNTS_SUM       56
#define COUNTS_LEAST     64
#define COUNTS_MOST      72

/* struct papi_probe_quick */
#define QUICK_CALLS  0
#define QUICK_COUNTS 8
#define QUICK_TIMES  16
#define QUICK_THREAD 24

/* On arm64: how far behind where a trampoline goes on its patch's address is, and of that the number and saved. */
#define ON_PATCH     (-24)
#define PATCH_NUMBER 20
#define PATCH_SAVED  28

/* A stub: a call, to whose end a probed function returns, and what leads to the runtime. */
#define STUB_SIZE 16
#ifdef __aarch64__
#define STUB_RETURN 4
#else
#define STUB_RETURN 6
#endif

#endif
