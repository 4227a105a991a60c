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
 *	native code	  what the library does for a thread that counts: as translated code, but nothing is to be recovered.
 *	another thread	  one that is not translated: the program's handler runs, as if nobody were here.
 *
 * Signals of translated threads arrive on the stack of the runtime, and their frames move to the stack that the program
 * expects them on. The program's rt_sigaction, sigaltstack and rt_sigreturn see and change its own view of all this.
 */
#ifndef PAPI_VPMU_X86_64_SIGNALS_H
#define PAPI_VPMU_X86_64_SIGNALS_H

#include <stdbool.h>
#include <stdint.h>

#include "components/vpmu/translator/masks.h"
#include "components/vpmu/translator/processor.h"
#include "components/vpmu/x86_64/frame.h"
#include "components/vpmu/x86_64/thread.h"

/* What deliver.S has for C, and gets back. */
struct papi_vpmu_delivery {
	uint64_t number;
	struct papi_vpmu_signal_info *info;
	struct papi_vpmu_context *context;
	struct papi_vpmu_frame *frame;
	struct papi_vpmu_thread *thread;
	uint64_t mask; /* that the handler is to run with */
	uint64_t handler;
	uint64_t stack; /* of the runtime, if it goes on there */
};

enum papi_vpmu_deliver {
	PAPI_VPMU_DELIVER_RETURN,     /* back to where the frame says */
	PAPI_VPMU_DELIVER_TRANSLATED, /* on at the thread's registers and code */
	PAPI_VPMU_DELIVER_NATIVE,     /* call the handler, then papi_vpmu_signal_returned() */
};

#pragma GCC visibility push(hidden)

/* Labels of deliver.S. */
void papi_vpmu_signal_blocked(void);
void papi_vpmu_signal_end(void);
/* A handler that does nothing. */
void papi_vpmu_signal_nothing(void);
/* rt_sigreturn, with the stack pointer of the thread's registers. */
void papi_vpmu_signal_leave(void) __attribute__((noreturn));

enum papi_vpmu_deliver papi_vpmu_signal_deliver(struct papi_vpmu_thread *thread, struct papi_vpmu_delivery *delivery);
void papi_vpmu_signal_returned(struct papi_vpmu_thread *thread, struct papi_vpmu_frame *frame);
/* In a thread that is not watched. Leaves 0 for the handler when there is nothing to call. */
void papi_vpmu_signal_native(struct papi_vpmu_delivery *delivery);
/* The program's handler: somebody calls the engine's as if it were the one. */
uint64_t papi_vpmu_signal_handler(uint64_t number);

#pragma GCC visibility pop

/* The calling thread, whose signals are blocked, is about to run translated; mask is in force again once it does. */
void papi_vpmu_signals_enter(struct papi_vpmu_thread *thread, uint64_t mask);
/* It runs natively from now on. With its signals blocked. */
void papi_vpmu_signals_leave(struct papi_vpmu_thread *thread);
/* in_runtime has just been cleared in native code: those that it has put off come. */
void papi_vpmu_signals_release(struct papi_vpmu_thread *thread);
/* On the stack of the runtime: signals shall arrive there. */
void papi_vpmu_signals_take_stack(struct papi_vpmu_thread *thread);
/* The child of a fork; its only thread's block, or NULL. */
void papi_vpmu_signals_forked(struct papi_vpmu_thread *thread);

/* The program's system calls, by the thread's registers. The results of the kernel. */
uint64_t papi_vpmu_signals_action(struct papi_vpmu_thread *thread);
uint64_t papi_vpmu_signals_stack(struct papi_vpmu_thread *thread);
void papi_vpmu_signals_return(struct papi_vpmu_thread *thread) __attribute__((noreturn));

#endif
