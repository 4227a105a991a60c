/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the translator needs of a processor. This folder is the same for every processor and includes nothing of one; a
 * folder for each (x86_64/) includes this one and defines the functions below. Nothing else goes from here to there.
 *
 * All of it may be called between two instructions of the program: no libc, no vector registers, no errno.
 */
#ifndef PAPI_VPMU_TRANSLATOR_PROCESSOR_H
#define PAPI_VPMU_TRANSLATOR_PROCESSOR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>

#pragma GCC visibility push(hidden)

/* ---- system calls ---- */

/* Makes a system call without libc. Returns what the kernel returns: a negative errno when it fails. */
long papi_vpmu_raw(long number, long a, long b, long c, long d, long e, long f);

/* ---- memory ---- */

/* How far apart code and what it names may lie at most, in bytes, for the instructions that the processor has. */
extern const uint64_t papi_vpmu_processor_reach;

/* ---- signals ---- */

/* What the kernel puts on the stack for a handler; and in it what sigaction(2) shows the handler as its ucontext_t. */
struct papi_vpmu_frame;
struct papi_vpmu_context;
struct papi_vpmu_delivery;
struct papi_vpmu_thread;

/* Labels of assembly: the handler that the kernel is told of, until it has blocked all signals, until its end; and the
 * restorer of a program that has named none, and a handler that does nothing. */
void papi_vpmu_signal_entry(void);
void papi_vpmu_signal_blocked(void);
void papi_vpmu_signal_end(void);
void papi_vpmu_signal_restorer(void);
void papi_vpmu_signal_nothing(void);
/* rt_sigreturn(2), with the stack pointer of the thread's registers. */
void papi_vpmu_signal_leave(void) __attribute__((noreturn));

uint64_t papi_vpmu_context_pc(const struct papi_vpmu_context *context);
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

/* The context shows the thread's registers, flags and pc. */
void papi_vpmu_context_show(struct papi_vpmu_context *context, const struct papi_vpmu_thread *thread);
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

/* ---- the program's registers, in the thread ---- */

uint64_t papi_vpmu_processor_stack_pointer(const struct papi_vpmu_thread *thread);
/* The address of the context that rt_sigreturn(2) would take. */
uint64_t papi_vpmu_processor_frame_context(const struct papi_vpmu_thread *thread);

/* The system call that the registers describe. */
struct papi_vpmu_call {
	uint64_t number, arguments[6];
};
struct papi_vpmu_call papi_vpmu_processor_call(const struct papi_vpmu_thread *thread);
/* It returns, in the program, to the thread's pc. */
void papi_vpmu_processor_return(struct papi_vpmu_thread *thread, uint64_t result);

#pragma GCC visibility pop

#endif
