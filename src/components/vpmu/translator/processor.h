/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the translator needs of a processor. This folder is the same for every processor and includes nothing of one; a
 * folder for each processor includes this one and defines the functions below. Nothing else goes from here to there.
 *
 * All of it may be called between two instructions of the program: no libc, no vector registers, no errno.
 */
#ifndef PAPI_VPMU_TRANSLATOR_PROCESSOR_H
#define PAPI_VPMU_TRANSLATOR_PROCESSOR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <ucontext.h>

#pragma GCC visibility push(hidden)

struct papi_agent_moved;
struct papi_vpmu_block;
struct papi_vpmu_delivery;
struct papi_vpmu_emitter;
struct papi_vpmu_flavour;
struct papi_vpmu_link;
struct papi_vpmu_signal_stack;
struct papi_vpmu_thread;

/* ---- the runtime's system calls ---- */

/* Makes a system call without libc. Returns what the kernel returns: a negative errno when it fails. */
long papi_vpmu_raw(long number, long a, long b, long c, long d, long e, long f);

static inline bool papi_vpmu_failed(long result)
{
	return result < 0 && result > -4096;
}

/* Their architecture in a filter of system calls; and a call that only the processor's own functions make. */
extern const uint32_t papi_vpmu_processor_audit;
extern const int papi_vpmu_processor_needed_call;

/* ---- what there is ---- */

/* Why nothing can be translated here; NULL. And whether instructions can be decoded: if not, *reason says why. */
const char *papi_vpmu_processor_obstacle(void);
bool papi_vpmu_processor_can_decode(const char **reason);

/* Parts of the simulators that translated code can feed (enum papi_vpmu_part). */
extern const unsigned papi_vpmu_processor_parts;
/* Whether it can look by itself if accesses hit, with L1D alone (models/checks.h). */
extern const bool papi_vpmu_processor_checks;

/* How far apart code and what it names may lie at most, in bytes, for the instructions that the processor has. */
extern const uint64_t papi_vpmu_processor_reach;
/* No program has anything from that address on. */
extern const uint64_t papi_vpmu_processor_end_of_programs;
/* The relocation of a function of another object that is bound when it is first called. */
extern const uint32_t papi_vpmu_processor_jump_slot;

/* ---- threads ---- */

/* From where the addresses of thread-local variables count. */
uint64_t papi_vpmu_processor_thread_pointer(void);
/* Makes translated code of the calling thread reach that block. False with the reason in the detail. */
bool papi_vpmu_processor_bind(struct papi_vpmu_thread *thread);
/* Where in the memory of a thread the counters of a profile are, and how many there may be. */
extern const uint64_t papi_vpmu_processor_ways, papi_vpmu_processor_max_ways, papi_vpmu_processor_pairs;
/* Adds one counter to another and clears it, while handlers of the same thread's signals count in both. */
void papi_vpmu_processor_move_count(uint64_t *to, uint64_t *from);

/* The program's vector registers, to the thread's vector_state and back: those that library code may use in C, or all,
 * for a function of the program. */
void papi_vpmu_processor_save_vectors(struct papi_vpmu_thread *thread);
void papi_vpmu_processor_restore_vectors(const struct papi_vpmu_thread *thread);
void papi_vpmu_processor_save_all(struct papi_vpmu_thread *thread);
void papi_vpmu_processor_restore_all(const struct papi_vpmu_thread *thread);

/* ---- memory that may be gone (guard.h) ---- */

#define PAPI_VPMU_GUARD_FAILED UINT64_MAX

/* What function(a, b, c) returns; FAILED if it touched memory that is not there. It must leave no work half done. While
 * signals wait: in the runtime, or with all blocked. */
uint64_t papi_vpmu_guarded(
	uint64_t (*function)(uint64_t a, uint64_t b, uint64_t c), uint64_t a, uint64_t b, uint64_t c);
/* Where the handler of signals sends one that failed. */
void papi_vpmu_guard_failed(void);
/* Copies bytes, and may fail halfway. Returns 0. */
uint64_t papi_vpmu_guarded_bytes(uint64_t to, uint64_t from, uint64_t size);

/* ---- code ---- */

/* Before the entry of a block are so many bytes: the way to the dispatcher, by that link, that a stale block takes. The
 * first of these functions writes them; the entry follows, or is so many bytes behind them. The second makes the entry
 * of a block lead there, by a store that other threads see whole or not at all, wherever they are: it is written there,
 * and runs to_code bytes on. */
extern const unsigned papi_vpmu_processor_stub;
void papi_vpmu_processor_begin_block(struct papi_vpmu_emitter *e, int32_t link);
void papi_vpmu_processor_make_stale(uint8_t *entry, intptr_t to_code, unsigned before);
/* The link's jump leads to that code from now on, for threads that run over it, too; nothing happens where it cannot
 * reach that far. */
void papi_vpmu_processor_connect(const struct papi_vpmu_link *link, uint64_t code);
/* Whether links to a stale block have to be parted from it, by the second: they lead past the place where its entry
 * leaves. */
extern const bool papi_vpmu_processor_disconnects;
void papi_vpmu_processor_disconnect(const struct papi_vpmu_link *link);

/* The block that the thread is about to run, at its pc, translated and in the cache; indirect: it is an indirect branch
 * that leads there, and others may. NULL when the cache is full. Under its lock, like the two that follow. */
struct papi_vpmu_block *papi_vpmu_translate(
	const struct papi_vpmu_thread *thread, struct papi_vpmu_flavour *flavour, bool indirect);
/* The same, but it runs the instruction at pc natively, alone; nothing is read there. */
struct papi_vpmu_block *papi_vpmu_translate_step(
	const struct papi_vpmu_thread *thread, struct papi_vpmu_flavour *flavour);
/* Indirect branches of the thread to the block find it by themselves from now on, by its jumps, unless the cache is
 * full. */
void papi_vpmu_processor_enter_jump(struct papi_vpmu_thread *thread, struct papi_vpmu_block *block);

/* The most that a pass through the block brings any overflow nearer if it runs now: its weight, or less. The thread is
 * about to run it, and has nothing in its trace. */
int32_t papi_vpmu_foresee(const struct papi_vpmu_thread *thread, const struct papi_vpmu_block *block);
/* From the thread's pc, where an indirect branch has led it, back to that branch. False when its code is gone. Under
 * the lock of the cache. */
bool papi_vpmu_recover_branch(struct papi_vpmu_thread *thread);

/* ---- ways between translated code, the runtime and native code: labels of assembly ---- */

void papi_vpmu_dispatch(void);
void papi_vpmu_jump_miss(void);
void papi_vpmu_resume(void);
void papi_vpmu_leave_by_frame(void);
void papi_vpmu_resume_end(void);
void papi_vpmu_gate_enter(void);
void papi_vpmu_gate_entered(void);
void papi_vpmu_gate_return(void);
/* From a block that has found that an access may miss (trace.h), and where it goes back: from checked to checked_end
 * all but the pc is as at the thread's code. */
void papi_vpmu_check(void);
void papi_vpmu_checked(void);
void papi_vpmu_checked_end(void);

/* ---- instructions that translated code cannot hold: they run natively, alone ---- */

/* Whether the instruction at pc can be run so; if not, why. */
const char *papi_vpmu_step_obstacle(uint64_t pc);
/* Whether it can be translated by now: a debugger has taken a breakpoint away. */
bool papi_vpmu_step_is_over(uint64_t pc);
/* The code to go on at, for the instruction at the thread's pc. In the runtime. */
uint64_t papi_vpmu_step_begin(struct papi_vpmu_thread *thread);
/* A fault. True: the trap that was expected, of an instruction that runs alone. False: it is the program's, and the
 * frame shows it. */
bool papi_vpmu_step_trap(struct papi_vpmu_thread *thread, struct papi_vpmu_delivery *delivery);

/* ---- signals ---- */

/* What the kernel puts on the stack for a handler; and in it what sigaction(2) shows the handler as its ucontext_t. */
struct papi_vpmu_frame;
struct papi_vpmu_context;

/* Labels of assembly: the handler that the kernel is told of, until it has blocked all signals, until its end; and the
 * restorer of a program that has named none, and a handler that does nothing. */
void papi_vpmu_signal_entry(void);
void papi_vpmu_signal_blocked(void);
void papi_vpmu_signal_end(void);
void papi_vpmu_signal_restorer(void);
void papi_vpmu_signal_nothing(void);
/* rt_sigreturn(2), with the stack pointer of the thread's registers. */
void papi_vpmu_signal_leave(void) __attribute__((noreturn));

/* Whether the kernel has to be told of a restorer, having none of its own. */
extern const bool papi_vpmu_processor_needs_restorer;

uint64_t papi_vpmu_context_pc(const struct papi_vpmu_context *context);
/* It goes on at that label of the runtime. */
void papi_vpmu_context_set_pc(struct papi_vpmu_context *context, uint64_t pc);
uint64_t papi_vpmu_context_stack_pointer(const struct papi_vpmu_context *context);
uint64_t *papi_vpmu_context_mask(struct papi_vpmu_context *context);
struct papi_vpmu_signal_stack *papi_vpmu_context_stack(struct papi_vpmu_context *context);
/* A word that the kernel neither writes nor reads. */
uint64_t *papi_vpmu_context_note(struct papi_vpmu_context *context);
/* Why what it returns to cannot be translated, whatever is there; NULL. */
const char *papi_vpmu_context_obstacle(const struct papi_vpmu_context *context);
/* What the functions here reach of it, in bytes: the constant, or less. */
#define PAPI_VPMU_CONTEXT_SIZE 512
extern const uint64_t papi_vpmu_context_size;

/* It goes on at papi_vpmu_dispatch, as if translated code of the thread had left there with the context's registers. */
void papi_vpmu_context_hide(struct papi_vpmu_context *context, struct papi_vpmu_thread *thread);
/* The context shows the thread's registers, flags and pc. */
void papi_vpmu_context_show(struct papi_vpmu_context *context, const struct papi_vpmu_thread *thread);
/* The same for what a function for overflows sees; its vector registers are the thread's vector_state. */
void papi_vpmu_processor_show(const struct papi_vpmu_thread *thread, ucontext_t *context);
/* It shows translated code, and then the program. False when that code was made by nobody. */
bool papi_vpmu_context_recover(struct papi_vpmu_context *context, struct papi_vpmu_thread *thread);

/* What a leaf function may keep below its stack pointer, in bytes. */
extern const uint64_t papi_vpmu_processor_red_zone;
/* Puts the delivery's frame below top, as the kernel does. copy: returns false when it cannot be written there. */
bool papi_vpmu_frame_move(
	struct papi_vpmu_delivery *delivery, uint64_t top, bool (*copy)(void *, const void *, uint64_t));
/* The thread's registers become those at the beginning of the delivery's handler. */
void papi_vpmu_frame_call_handler(struct papi_vpmu_thread *thread, const struct papi_vpmu_delivery *delivery);

/* sigaltstack(2) from the very stack that is given back: the kernel wants the call to come from elsewhere. All signals
 * are blocked. */
void papi_vpmu_processor_leave_stack(const struct papi_vpmu_signal_stack *stack);

/* ---- threads that others have stopped (moved.c) ---- */

/* Labels: where such a thread goes on to run translated, or natively, with what it has in its block. */
void papi_vpmu_arrive(void);
void papi_vpmu_depart(void);
/* The program's registers come into the thread. Why they cannot; NULL. */
const char *papi_vpmu_processor_take(struct papi_vpmu_thread *thread, const struct papi_agent_moved *moved);
/* It goes on at the label, and reaches its block from there. */
void papi_vpmu_processor_send(
	const struct papi_vpmu_thread *thread, struct papi_agent_moved *moved, void (*label)(void));
/* The registers are those of translated code; the thread gets the program's. False: nobody has made that code. */
bool papi_vpmu_processor_recover(struct papi_vpmu_thread *thread, const struct papi_agent_moved *moved);

/* ---- the program's registers, in the thread ---- */

uint64_t papi_vpmu_processor_stack_pointer(const struct papi_vpmu_thread *thread);
/* The address of the context that rt_sigreturn(2) would take. */
uint64_t papi_vpmu_processor_frame_context(const struct papi_vpmu_thread *thread);

/* Whether calls leave their return address at the place of a gate, where it can be put back. Otherwise they return to
 * the stub, whatever becomes of the thread. */
extern const bool papi_vpmu_processor_calls_by_stack;
/* The place of the return address, for the frames of a profile, of what has just been called with that stack pointer:
 * below the stack pointer of its caller, and distinct from that of what is called in turn. */
uint64_t papi_vpmu_processor_slot(uint64_t stack);
/* What a call whose target is at pc calls: as a rule callee, which is what the slot has if there is a linker's stub.
 * Functions that are not bound yet may all have the same one, the way to the dynamic linker: then the stub. */
uint64_t papi_vpmu_processor_callee(uint64_t pc, uint64_t callee);
/* In which lane of a thread's counters translated code of a profile with calls counts, besides the first, to which
 * corrections are made. */
extern const unsigned papi_vpmu_processor_clock;
/* Where the address was that a function which has just been called has returned to: the place of its gate. */
uint64_t papi_vpmu_processor_returned_through(const struct papi_vpmu_thread *thread);
/* The calling code's own flags; and those of the program behind a call, of which it says how they were before. */
uint64_t papi_vpmu_processor_flags(void);
uint64_t papi_vpmu_processor_flags_after_call(uint64_t before);

/* ---- the program's system calls ---- */

/* The one that the thread's registers describe. */
struct papi_vpmu_call {
	uint64_t number, arguments[6];
};
struct papi_vpmu_call papi_vpmu_processor_call(const struct papi_vpmu_thread *thread);
/* It returns, in the program, to the thread's pc. */
void papi_vpmu_processor_return(struct papi_vpmu_thread *thread, uint64_t result);
/* Of the instruction that makes one, in bytes. */
extern const unsigned papi_vpmu_processor_call_length;

/* Kinds (enum papi_vpmu_syscall_kind) of calls that this architecture alone has. counted: all processes are. */
void papi_vpmu_processor_calls_begin(unsigned char kinds[], bool counted);
/* Why nothing can be counted any more once such a call has been made; NULL. */
const char *papi_vpmu_processor_call_obstacle(const struct papi_vpmu_call *call);
/* Does such a call; false when it is none. */
bool papi_vpmu_processor_do_call(const struct papi_vpmu_call *call, uint64_t *result);
/* Whether it makes a process, and has no arguments. */
bool papi_vpmu_processor_is_fork(uint64_t number);

/* What a call that makes a thread or process asks for. False when it cannot be read. */
struct papi_vpmu_clone_request {
	uint64_t flags;
	uint64_t stack; /* its upper end */
	uint64_t tls;
};
bool papi_vpmu_processor_read_clone(const struct papi_vpmu_thread *thread, struct papi_vpmu_clone_request *request);
/* The registers of a new thread: its maker's, after the call, on that stack unless it is 0. */
void papi_vpmu_processor_make_child(
	struct papi_vpmu_thread *child, const struct papi_vpmu_thread *thread, uint64_t stack);

/* Makes a thread by the system call of those registers. The new one goes on in papi_vpmu_clone_newborn(), and at the
 * code that this returns. */
uint64_t papi_vpmu_clone_call(const uint64_t *registers);

static inline uint64_t papi_vpmu_make_call(const struct papi_vpmu_call *call)
{
	const uint64_t *a = call->arguments;

	return (uint64_t)papi_vpmu_raw(
		(long)call->number, (long)a[0], (long)a[1], (long)a[2], (long)a[3], (long)a[4], (long)a[5]);
}

#pragma GCC visibility pop

#endif
