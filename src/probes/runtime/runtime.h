/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What runs in a program whose functions are probed: libpapi_probes.so, which needs nothing but libc, and that only
 * until probes are in.
 *
 *	visit.c   the letter box: the table, memory for trampolines
 *	frames.c  calls and returns
 *	thread.c  threads, and where frames come from
 *	events.c  counters of the kernel
 *	layout.h  what stubs.S knows of the structures
 *	system.h  calls of the kernel
 *
 * And in x86_64/ and arm64/:
 *
 *	processor.h   what C does not say
 *	stubs.S       calls and returns of the usual kind; from trampolines and probed functions to the two functions
 *	              below; unwind information
 *
 * A probed function returns to a stub, and each stub belongs to one frame, which knows the true return address. A frame
 * is used again only when its function has returned, or when the place on the stack where its stub's address was holds
 * something else: so exceptions, longjmp and coroutines can do what they want with stacks. Frames that a thread has
 * left in such a way are zombies until then. On arm64 that place is where the function saves its return address, which
 * its unwind table says.
 *
 * This code runs where the program calls anything: in malloc(), in signal handlers, before main. So it takes no lock,
 * calls nothing of libc, uses no vector registers, and may be interrupted by itself anywhere: a frame is taken by one
 * instruction, and what may go wrong otherwise is that a frame is lost, or a call not counted.
 */
#ifndef PAPI_PROBES_RUNTIME_H
#define PAPI_PROBES_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>

#include "probes/runtime/layout.h"
#include "probes/table.h"

#pragma GCC visibility push(hidden)

struct papi_probe_thread;

/* Of a call: a value when it began, and what of it was in probed functions that it has called. */
struct papi_probe_measure {
	uint64_t begun, children;
};

/* layout.h has where things are in these two. */
struct papi_probe_frame {
	_Alignas(64) uint64_t resume;    /* on x86-64, where its stub's call goes: on in the trampoline */
	uint64_t back;                   /* where the function returns to */
	uint64_t *slot;                  /* the place on the stack, or where that ended, of which saved is behind */
	struct papi_probe_frame *parent; /* the frame before it, in its thread */
	struct papi_probe_frame *next;   /* in the list of free frames, or of zombies */
	uint64_t stub;                   /* what is in the slot meanwhile */
	uint32_t function;
	uint16_t visit;
	uint8_t flags;
	uint32_t used;
	int32_t saved; /* as in its patch (table.h) */
	struct papi_probe_measure measures[PAPI_PROBE_VALUES];
	struct papi_probe_thread *owner; /* it is in no other thread's lists */
};

enum {
	PAPI_PROBE_OUTERMOST = 1, /* its function was not active in the thread before */
	PAPI_PROBE_ZOMBIE = 2,
	PAPI_PROBE_RETURNED = 4, /* in another thread: its owner may use it again */
	PAPI_PROBE_UNREAD = 8,   /* the events' counters could not be read */
};

struct papi_probe_thread {
	struct papi_probe_frame *top, *free;
	struct papi_probe_counts *counts; /* its row */
	uint32_t *active;                 /* how often each function is */
	uint32_t visit;                   /* that the row belongs to */
	uint32_t n_events;
	uint64_t active_size; /* in bytes */
	struct papi_probe_frame *zombies;
	uint32_t n_zombies;
	struct papi_probe_thread *next;   /* of all that have ever been */
	int32_t files[PAPI_PROBE_EVENTS]; /* counters */
	uint64_t identities[PAPI_PROBE_EVENTS];
	_Atomic int32_t pid, tid;
};

extern struct papi_probe_frame papi_probe_frames[PAPI_PROBE_FRAMES];
extern const unsigned char papi_probe_stubs[][STUB_SIZE];

/* The table in use; NULL: none is. */
extern struct papi_probe_table *_Atomic papi_probe_current;

/* The process that has begun it, whose memory this is; 0 in the child of a fork that has not yet. */
extern _Atomic uint32_t *papi_probe_alive;

/* Where a thread counts without a call of C: stubs.S does that. As long as the table is the current one. */
struct papi_probe_quick {
	struct papi_probe_table *calls; /* whose calls are counted, and nothing else */
	struct papi_probe_counts *counts;
	struct papi_probe_table *times; /* whose calls are timed, without events */
	struct papi_probe_thread *thread;
};
extern __thread struct papi_probe_quick papi_probe_quick __attribute__((tls_model("initial-exec")));

/* stubs.S: what trampolines call. */
extern const unsigned char papi_probe_enter_stub[];

/* A function is entered, whose return address is in back. Its frame, whose stub is there now; NULL: it has none. */
struct papi_probe_frame *papi_probe_enter(uint32_t function, uint64_t *slot, uint64_t *back, int32_t saved);
/* It has returned to the stub of its frame, whose address was in that place. Where it goes on. */
uint64_t papi_probe_leave(struct papi_probe_frame *frame, uint64_t *place);
/* The calling thread ends the program: its frames are over. */
void papi_probe_settle(void);

/* thread.c: before the first table is there. False: no memory. */
bool papi_probe_threads_begin(void);
/* Rows of the table before are nobody's from now on. */
void papi_probe_threads_forget(void);
/* The calling thread; NULL: it has no row. */
struct papi_probe_thread *papi_probe_thread_self(struct papi_probe_table *table);
/* NULL: all are in use. */
struct papi_probe_frame *papi_probe_frame_take(struct papi_probe_thread *self);
void papi_probe_frame_free(struct papi_probe_thread *self, struct papi_probe_frame *frame);
/* It was left: free if it can be seen that nobody returns to it, else a zombie. */
void papi_probe_frame_abandon(struct papi_probe_thread *self, struct papi_probe_frame *frame);
/* A zombie has returned after all. */
void papi_probe_frame_revive(struct papi_probe_thread *self, struct papi_probe_frame *frame);

/* events.c: of the calling thread; what has been open is closed. */
void papi_probe_events_open(struct papi_probe_thread *self, struct papi_probe_table *table);
void papi_probe_events_close(struct papi_probe_thread *thread);
/* Into values from 1 on. False: they cannot be read. */
bool papi_probe_events_read(const struct papi_probe_thread *self, uint64_t values[PAPI_PROBE_VALUES]);
/* Closes those of all threads: by then none may read them. */
void papi_probe_threads_quiet(void);

#pragma GCC visibility pop

#endif
