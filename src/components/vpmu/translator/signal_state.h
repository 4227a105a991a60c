/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who has the signal mask of a thread that runs translated. OPEN: the kernel. In every other state the kernel blocks
 * all but faults, and the program's mask waits in deferred_mask:
 *
 *	native code    papi_vpmu_engine_start()
 *	                   |
 *	                WAITING            the library's code is on its way back to the program, translated
 *	                   |
 *	                   v   the program's own code is reached
 *	the runtime     DEFERRED  <---------------------------------------------+
 *	                   |   ^  a signal has come to the runtime, or the      |
 *	                   |   |  program's handler is about to run             | done, or failed
 *	                   v   |                                                |
 *	translated       OPEN -+---> ARRIVING ---> STEPPING --------------------+
 *	code, and                    an instruction that runs alone is jumped to; then it runs
 *	native code
 *
 * Any state is left for OPEN when the thread stops counting, and when a fault is delivered, whose frame gets the mask.
 * dispatch.S itself goes from DEFERRED to OPEN.
 */
#ifndef PAPI_VPMU_TRANSLATOR_SIGNAL_STATE_H
#define PAPI_VPMU_TRANSLATOR_SIGNAL_STATE_H

#include <stdint.h>

struct papi_vpmu_thread;

enum papi_vpmu_signal_state {
	PAPI_VPMU_SIGNALS_OPEN,     /* dispatch.S knows this number */
	PAPI_VPMU_SIGNALS_DEFERRED, /* and this one */
	PAPI_VPMU_SIGNALS_WAITING,
	PAPI_VPMU_SIGNALS_ARRIVING,
	PAPI_VPMU_SIGNALS_STEPPING,
};

/* The state changes, and the mask stays. The calling thread has blocked its signals, or is in none's way. */
void papi_vpmu_signals_change(struct papi_vpmu_thread *thread, enum papi_vpmu_signal_state to);
/* The state changes, and the program's mask is that. */
void papi_vpmu_signals_hold(struct papi_vpmu_thread *thread, enum papi_vpmu_signal_state to, uint64_t mask);
/* Blocks the calling thread's signals. Returns the program's mask, whoever had it. */
uint64_t papi_vpmu_signals_take_mask(const struct papi_vpmu_thread *thread);

#endif
