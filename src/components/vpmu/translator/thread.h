/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the engine keeps for each thread. Translated code reaches it through a register that the program does not use,
 * and what it reaches has offsets that the processor's assembly knows:
 *
 *	counters | registers, spilled | where to go | gates | kinds of system calls | jumps (512 KiB)
 *
 * While a thread runs translated code, its registers are its own, but for those that an instrumentation sequence has
 * put into spilled[] for a moment (the marks of the block tell which, for every address of code: block.h). While it
 * is in the runtime (dispatch.S), they are in registers[], flags and pc.
 */
#ifndef PAPI_VPMU_TRANSLATOR_THREAD_H
#define PAPI_VPMU_TRANSLATOR_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "components/vpmu/counters.h"
#include "components/vpmu/engine.h"
#include "components/vpmu/models/checks.h"
#include "components/vpmu/models/trace.h"
#include "components/vpmu/translator/exits.h"
#include "components/vpmu/translator/signal_state.h"

#define PAPI_VPMU_REGISTERS 32 /* room for the general registers of any processor */
#define PAPI_VPMU_LANES     8
#define PAPI_VPMU_GATES     32

/* A call that runs natively: it will return to the stub that was put on the stack in place of pc. */
struct papi_vpmu_gate {
	uint64_t pc;
	uint64_t place; /* the address of the return address */
	uint64_t flags;
};

/*
 * An indirect branch finds its way in jumps, by bits of its target, in the processor's own manner (indirect.c). An
 * empty place leads to the dispatcher (jumps.h).
 */
#define PAPI_VPMU_JUMPS 65536
#define PAPI_VPMU_NOTED 512

/* How a system call is done. */
enum papi_vpmu_syscall_kind {
	PAPI_VPMU_SYSCALL_IN_PLACE, /* by the copied instruction */
	PAPI_VPMU_SYSCALL_RUNTIME,  /* by the runtime: it changes code, signals or this thread */
	PAPI_VPMU_SYSCALL_CLONE,    /* in place, and a child goes on natively */
};

struct papi_vpmu_flavour;
struct papi_vpmu_models;

/* What signals need for a thread. */
struct papi_vpmu_signals {
	int tid;
	bool own_stack;    /* signals arrive on the stack of the runtime */
	uint64_t handlers; /* that have run translated */
	/* A handler was interrupted when it had hardly begun: this is its mask, which has its own signal. 0: none. */
	uint64_t early_mask;
	struct papi_vpmu_signal_stack {
		uint64_t start;
		int flags;
		uint64_t size;
	} stack; /* the program's alternate stack */
};

struct papi_vpmu_thread {
	/* Each counter several times, and it is the sum that counts: a block adds to those of its lane. An addition to
	 * memory takes a few cycles until the next one to the same place can begin, and blocks are shorter than
	 * that. */
	uint64_t counters[PAPI_VPMU_LANES][PAPI_VPMU_COUNTERS];
	uint64_t registers[PAPI_VPMU_REGISTERS];
	uint64_t spilled[PAPI_VPMU_REGISTERS];
	uint64_t flags;
	uint64_t pc;   /* of the program: where it goes on */
	uint64_t code; /* the same place in the cache, or pc itself: natively */
	int64_t exit;  /* which exit of a block came here: number of a link, or enum papi_vpmu_exit */
	void (*dispatch)(void);
	uint64_t stack; /* of the runtime: its upper end */
	struct papi_vpmu_thread *self;
	uint64_t rep_count;    /* what a repeated instruction had to do when it began */
	uint64_t in_runtime;   /* signals have to wait */
	uint64_t signal_state; /* enum papi_vpmu_signal_state: who has the program's mask */
	uint64_t gate_depth;   /* bytes of gates in use */
	void (*gate_enter)(void);
	uint64_t *trace_next;    /* where translated code appends to the trace (trace.h) */
	uint64_t *trace_limit;   /* no record begins past it */
	int64_t budget;          /* weight of blocks until somebody has to look whether an event overflows */
	void (*jump_miss)(void); /* what jumps[] leads to by default */
	uint64_t watched; /* signals are not simply the program's: it runs translated, or the runtime is not done */
	uint64_t guard;   /* where the runtime goes on when memory of the program cannot be read (guard.h) */
	uint64_t handler_mask;   /* of signals, for a handler of the library's own */
	uint64_t deferred_mask;  /* the program's, which waits (signal_state.h) */
	uint64_t delivering;     /* a signal, or one within that */
	int64_t source;          /* the last indirect branch: the lower half of its address of code */
	uint32_t *branches_next; /* likewise of the stream of conditional branches */
	uint32_t *branches_limit;
	unsigned char *calls_top;  /* past the last frame of the shadow stack (calls.h) */
	uint64_t callee;           /* of the last indirect call, or call by a stub */
	int64_t call_site;         /* what PAPI_VPMU_EXIT_CALLS is about */
	unsigned char *notes_next; /* where translated code notes calls for the simulators */
	uint64_t scalable_saved;   /* the program's vectors of any length are in scalable_state */
	uint64_t thread_base;      /* papi_vpmu_processor_thread_pointer() */
	void (*check)(void);       /* where code leaves that has found that something may miss */
	int64_t access;            /* what that is (exits.h) */
	uint64_t look_limit;       /* a time of uses: what such code tells of branches is to be drained behind it */

	_Alignas(1024) struct papi_vpmu_gate gates[PAPI_VPMU_GATES];
	_Alignas(2048) unsigned char syscall_kinds[512];
	/* 32 vectors of 256 bytes at most, 16 predicates and the first-fault register, each as long as it is. */
	unsigned char scalable_state[8736];

	/* Of a block that looks so: values that it needs later. */
	_Alignas(16384) uint64_t record[PAPI_VPMU_RECORD_WORDS_MAX];

	/* Not reached from emitted code. */
	bool active; /* it runs translated, but for gates */
	const char *lost;
	unsigned n_wants;
	struct papi_vpmu_wants wants; /* the union of what runs */
	struct papi_vpmu_overflow overflows[PAPI_VPMU_OVERFLOWS];
	unsigned n_overflows;
	bool handling;                                          /* the program's function for an overflow is running */
	struct papi_vpmu_flavour *flavour, *library, *stepping; /* of the program's code, of the library's, and of the
								 * program's, instruction by instruction */
	bool looks;       /* with code: that looks by itself whether it hits, from now on (trace.c) */
	bool checked;     /* its budget is new, or it runs instruction by instruction */
	bool foreseen;    /* its budget is that of one block, which does not need it */
	uint64_t stepped; /* with checked: the pc of the instruction that runs alone */
	bool in_library;  /* on the way from papi_vpmu_engine_start() back to the program */
	uint64_t epoch;   /* of the cache, when jumps was last emptied */
	struct papi_vpmu_signals signals;
	uint64_t region;               /* how many it has entered */
	_Atomic uint32_t number;       /* papi_thread_number() of the thread that has the block */
	_Atomic unsigned abandoned;    /* EventSets that another thread has stopped, still among n_wants */
	struct papi_vpmu_thread *heir; /* of what it counts, with its region at that time (clone.h) */
	uint64_t heir_region;
	uint64_t handed_over[PAPI_VPMU_FIRST_MODELLED], inherited[PAPI_VPMU_FIRST_MODELLED];
	bool ended; /* nobody runs on its stack any more but a few instructions that end the thread */
	struct papi_vpmu_thread *next, *same_hash;
	void *page;                      /* of the agent's, where counters lie; NULL: they are the process's own */
	unsigned n_jumps;                /* places of jumps that have been entered since it was empty */
	unsigned n_noted;                /* likewise, of those the first are in noted */
	uint16_t noted[PAPI_VPMU_NOTED]; /* they have the rest of the table as it is when empty */
	bool jumps_are_mapped;           /* from a file that holds them as they are when empty (jumps.h) */
	bool has_room;                   /* for counters of a profile (profile.h), behind it */
	bool profiled;                   /* they count for the thread that has the block now */
	struct papi_vpmu_calls *calls;   /* where a profile tells of them */
	uint32_t lane, lane_entry;       /* of the profile, and where the log tells of it; 0: none */
	struct papi_vpmu_models *models; /* when it simulates */
	struct papi_vpmu_profile_models *attribution; /* with a profile that tells of what they count */
	uint64_t *trace;
	uint32_t *branches;
	/* Where code looks by itself (trace.c): how often blocks have left, since that time of uses; or words of the
	 * trace, since there were so many misses. */
	uint64_t passed, since;
	uint64_t enough; /* of either, before that is judged */
	/* Of a trace that comes first: how many words had come when somebody last looked, and blocks of all threads. */
	uint64_t passed_then;
	unsigned blocks_seen;
	_Alignas(64) unsigned char vector_state[4096]; /* as the processor saves it */

	_Alignas(65536) uint64_t jumps[PAPI_VPMU_JUMPS];
	/* Room for a frame of each signal that there is: as many may come at once. */
	unsigned char runtime_stack[524288];
	/* Of code that looks by itself whether its accesses hit. */
	struct papi_vpmu_checks checks;
};

/* The calling thread's, NULL before its first start. */
extern _Thread_local struct papi_vpmu_thread *papi_vpmu_self
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

/* That of the process, NULL: none. */
extern const struct papi_agent *papi_vpmu_agent __attribute__((visibility("hidden")));

/* The counters come to lie in a page of the agent's. */
void papi_vpmu_thread_borrow(struct papi_vpmu_thread *thread);
/* The calling thread has the block, and an agent is told. */
void papi_vpmu_thread_identify(struct papi_vpmu_thread *thread);
/* It counts no more: what it has counted is added to the agent's sums. */
void papi_vpmu_thread_hand_in(struct papi_vpmu_thread *thread);
/* The same, and the agent has its page back. */
void papi_vpmu_thread_return(struct papi_vpmu_thread *thread);
/* The child of a fork, where an agent counts: its counters are its own, and begin anew. */
void papi_vpmu_thread_forget_parent(struct papi_vpmu_thread *thread);
/* What has happened by now is counted, what comes is not. */
void papi_vpmu_thread_lose(struct papi_vpmu_thread *thread, const char *reason);

/* Makes the calling thread's. NULL with PAPI_ENOMEM in the detail. */
struct papi_vpmu_thread *papi_vpmu_thread_get(void);

/* A block for a thread that is about to be made: one whose thread is gone, or new. NULL when memory ends. */
struct papi_vpmu_thread *papi_vpmu_thread_new(void);
/* A block for a thread that has had that one, counts no more, and is about to count again: the same, or one with the
 * room that it lacks. NULL when memory ends. */
struct papi_vpmu_thread *papi_vpmu_thread_again(struct papi_vpmu_thread *thread);
/* Its thread ends, or was never made. NULL does nothing. */
void papi_vpmu_thread_end(struct papi_vpmu_thread *thread);
/* The list of them, under the lock of the cache. */
struct papi_vpmu_thread *papi_vpmu_threads_first(void);

/* Whether one that runs translated was last in the dispatcher in that epoch of the cache, and so may be in code of that
 * time. Under its lock. */
bool papi_vpmu_threads_are_in(uint64_t epoch);
/* The child of a fork has one thread, which runs natively. */
void papi_vpmu_threads_forked(void);

/* Whether a block is at that address; takes the lock of the cache. */
bool papi_vpmu_threads_hold(uint64_t address);

/* That of the thread with that papi_thread_number(); NULL. Under the lock of the cache. */
struct papi_vpmu_thread *papi_vpmu_thread_find(uint32_t number);

#endif
