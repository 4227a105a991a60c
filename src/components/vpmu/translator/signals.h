/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Signals, while a thread runs translated.
 *
 * The kernel calls one handler of the engine's (deliver.S) in the place of each of the program's. What it finds
 * interrupted decides:
 *
 *	translated code   the program's state is recovered (recover.h) and put into the frame that the kernel has made;
 *			  the program's handler runs translated, too. A handler of the library's own runs natively.
 *	the runtime	  the signal is sent again, and blocked until the runtime is done.
 *	native code	  what the library does for a thread that counts: as translated code, with nothing to recover.
 *	another thread	  a thread that is not translated: the program's handler runs, as if nobody were here.
 *
 * A signal in the middle of translated code:
 *
 *	program's stack               stack of the runtime           what happens
 *	...                                                          the kernel interrupts code of the cache
 *	                              frame: code of the cache       papi_vpmu_signal_entry blocks all signals
 *	                              frame: the program             deliver.c, frames.c: recovered
 *	... | frame: the program                                     moved to where the program expects it
 *	... | frame | handler's                                      the handler runs translated
 *	... | frame: the dispatcher                                  rt_sigreturn: it will find the code for the pc
 *
 * signals.h and signal_state.h: what the engine keeps for a thread. deliver.c: what is done with a signal; frames.c:
 * its frame; foreign.c: threads that are not watched; signals.c: threads that come and go; signal_calls.c: the
 * program's rt_sigaction, sigaltstack and rt_sigreturn, which see and change its own view of all this.
 */
#ifndef PAPI_VPMU_TRANSLATOR_SIGNALS_H
#define PAPI_VPMU_TRANSLATOR_SIGNALS_H

#include <stdbool.h>
#include <stdint.h>

#include "components/vpmu/translator/masks.h"
#include "components/vpmu/translator/processor.h"
#include "components/vpmu/translator/thread.h"

/* The kernel's siginfo_t, as far as it matters here. */
struct papi_vpmu_signal_info {
	int number, error, code, padding;
	uint64_t address;
	unsigned char rest[104];
};
_Static_assert(sizeof(struct papi_vpmu_signal_info) == 128, "not the kernel's layout");

/* What deliver.S has for C, and gets back. */
struct papi_vpmu_delivery {
	uint64_t number;
	struct papi_vpmu_signal_info *info;
	struct papi_vpmu_context *context;
	struct papi_vpmu_frame *frame;
	struct papi_vpmu_thread *thread;
	uint64_t mask; /* that the handler is to run with */
	uint64_t handler;
	uint64_t stack;    /* of the runtime, if it goes on there */
	uint64_t restorer; /* where the handler returns to, if that is in a register */
};

enum papi_vpmu_deliver {
	PAPI_VPMU_DELIVER_RETURN,     /* back to where the frame says */
	PAPI_VPMU_DELIVER_TRANSLATED, /* on at the thread's registers and code */
	PAPI_VPMU_DELIVER_NATIVE,     /* call the handler, then papi_vpmu_signal_returned() */
};

#pragma GCC visibility push(hidden)

/* Called by deliver.S. */
enum papi_vpmu_deliver papi_vpmu_signal_deliver(struct papi_vpmu_thread *thread, struct papi_vpmu_delivery *delivery);
void papi_vpmu_signal_returned(struct papi_vpmu_thread *thread, struct papi_vpmu_context *context);
/* In a thread that is not watched. Leaves 0 for the handler when there is nothing to call. */
void papi_vpmu_signal_native(struct papi_vpmu_delivery *delivery);
/* The program's handler: somebody calls the engine's as if it were the one. */
uint64_t papi_vpmu_signal_handler(uint64_t number);

#pragma GCC visibility pop

/* ---- deliver.c, for frames.c and foreign.c ---- */

/* A fault of an instruction, not something that was sent. */
bool papi_vpmu_signal_is_fault(const struct papi_vpmu_signal_info *info);
/* The instruction is still to be run, and will do the same. */
bool papi_vpmu_signal_comes_again(const struct papi_vpmu_signal_info *info);
void papi_vpmu_signal_send_again(const struct papi_vpmu_signal_info *info);

/* Whether a thread with that pc is between translated code and the engine, or has work of its own there, so that
 * nobody can say by its registers where the program is. */
bool papi_vpmu_signal_is_busy(const struct papi_vpmu_thread *thread, uint64_t pc);

/* ---- frames.c ---- */

/* What a frame shows, as a note in it says: nothing when the engine had no part in it. */
#define PAPI_VPMU_SHOWS_PROGRAM 1u /* the program, in the place of its translation */
#define PAPI_VPMU_SHOWS_NATIVE  2u /* what really ran */
#define PAPI_VPMU_SHOWS_LIBRARY 4u /* in_library was set */

/* Whether an address is on an alternate stack, where a stack pointer may be. */
bool papi_vpmu_is_on_stack(const struct papi_vpmu_signal_stack *stack, uint64_t address);

/* Whether a thread with that pc is on the way to code: the state of the program is that in the thread. */
bool papi_vpmu_frame_is_resuming(uint64_t pc);
/* Makes the delivery's frame show the program. Returns what it shows then. */
unsigned papi_vpmu_frame_show(struct papi_vpmu_thread *thread, const struct papi_vpmu_delivery *delivery);
/* Moves it to the stack where the program expects it, for an action with those flags. False when it cannot be written
 * there. */
bool papi_vpmu_frame_place(struct papi_vpmu_thread *thread, struct papi_vpmu_delivery *delivery, uint64_t flags);
void papi_vpmu_frame_note(struct papi_vpmu_context *context, unsigned shows);
/* The context is, or was copied from, that address. 0: the engine did not make it. */
unsigned papi_vpmu_frame_read_note(struct papi_vpmu_context *context, uint64_t address);
/* The frame is about to be returned from: where it shows the program, it will lead there through the dispatcher. */
void papi_vpmu_frame_hide(struct papi_vpmu_thread *thread, struct papi_vpmu_context *context, unsigned shows);

/* ---- signals.c: the calling thread comes and goes ---- */

/* Its signals are blocked, and it is about to run translated; mask is in force again once it does. */
void papi_vpmu_signals_enter(struct papi_vpmu_thread *thread, uint64_t mask);
/* It runs natively from now on. With its signals blocked. */
void papi_vpmu_signals_leave(struct papi_vpmu_thread *thread);
/* in_runtime has just been cleared in native code: those that it has put off come. */
void papi_vpmu_signals_release(struct papi_vpmu_thread *thread);
/* On the stack of the runtime: signals shall arrive there. */
void papi_vpmu_signals_take_stack(struct papi_vpmu_thread *thread);
/* The child of a fork; its only thread's block, or NULL. */
void papi_vpmu_signals_forked(struct papi_vpmu_thread *thread);

/* ---- signal_calls.c: the program's system calls. The results of the kernel. ---- */

uint64_t papi_vpmu_signals_action(const uint64_t arguments[]);
uint64_t papi_vpmu_signals_stack(struct papi_vpmu_thread *thread, const uint64_t arguments[]);
void papi_vpmu_signals_return(struct papi_vpmu_thread *thread) __attribute__((noreturn));

#endif
