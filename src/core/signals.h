/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Signals that the library uses and the program may use, too.
 *
 * One handler is installed for each signal number that some part of the library claims. It asks all claimants whether
 * the signal was theirs, which they tell by its siginfo; what is nobody's goes on to the handler that the program had,
 * with the mask that the program wanted, or has the effect it would have had without the library. Those below SIGRTMIN
 * are kept once, whoever sends them how often: a claimant of one looks whether it has work to do whatever the siginfo
 * tells.
 *
 * A handler stays installed once it is: a signal may be on its way to some thread at any time, and the default effect
 * of most is the end of the process. A program that installs a handler of its own later takes the signal away from the
 * library; the next claim puts it back, in front of the program's.
 *
 * Handlers restart interrupted system calls, run on the alternate stack of a thread that has one, and do not interrupt
 * each other.
 */
#ifndef PAPI_CORE_SIGNALS_H
#define PAPI_CORE_SIGNALS_H

#include <signal.h>

enum papi_signal_answer {
	PAPI_SIGNAL_FOREIGN, /* not mine */
	PAPI_SIGNAL_SHARED,  /* cannot be told: the program's handler gets it too, but without one nothing happens */
	PAPI_SIGNAL_OWN,     /* mine, and dealt with */
};

/* Runs in the signal handler. */
typedef enum papi_signal_answer (*papi_signal_claimant)(const siginfo_t *info, void *context);

/*
 * From now on, and again from now on if the program has taken the signal away, the claimant is asked. One system call
 * and no lock when nothing has changed. PAPI_OK; PAPI_ESYS when the signal cannot be handled; PAPI_ECOUNT when it has
 * too many claimants.
 */
int papi_signal_claim(int number, papi_signal_claimant claimant);

/* fork(2): nobody installs a handler while the process is copied. */
void papi_signal_fork_prepare(void);
void papi_signal_fork_done(void);

#endif
