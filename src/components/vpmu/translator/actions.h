/* SPDX-License-Identifier: BSD-3-Clause */
/* What the program wants done with each signal, while the kernel knows of the engine's handler only. */
#ifndef PAPI_VPMU_TRANSLATOR_ACTIONS_H
#define PAPI_VPMU_TRANSLATOR_ACTIONS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* The kernel's struct of rt_sigaction(2). */
struct papi_vpmu_action {
	uint64_t handler; /* SIG_DFL, SIG_IGN, or a function */
	uint64_t flags;
	uint64_t restorer;
	uint64_t mask;
};

/* Whether it is a function, not SIG_DFL or SIG_IGN. */
static inline bool papi_vpmu_action_is_function(const struct papi_vpmu_action *action)
{
	return action->handler != (uint64_t)(uintptr_t)SIG_DFL && action->handler != (uint64_t)(uintptr_t)SIG_IGN;
}

/* Whether the signal waits while its handler runs, as the program means it: what the kernel is told always says so. */
bool papi_vpmu_action_blocks(const struct papi_vpmu_action *action, uint64_t number);

/* Signals whose cause is an instruction: the engine sees them even if the program does not handle them. */
bool papi_vpmu_action_is_fault(uint64_t number);

/* One more thread runs translated, or one less: the first and the last make the kernel's handlers the engine's, and the
 * program's again. The thread's signals are blocked. */
void papi_vpmu_actions_enter(void);
void papi_vpmu_actions_leave(void);
/* Whether the lock can be had now: a thread that is stopped may have it for ever. */
bool papi_vpmu_actions_are_free(void);
/* The child of a fork: none does. */
void papi_vpmu_actions_forked(void);

struct papi_vpmu_action papi_vpmu_action_get(uint64_t number);
/* The same, for a signal that is being delivered: SA_RESETHAND takes effect. */
struct papi_vpmu_action papi_vpmu_action_take(uint64_t number);
/* The signal's default effect from now on. */
void papi_vpmu_action_make_default(uint64_t number);

/* sigaction(2), as the library's native code means it. */
int papi_vpmu_action_native(int number, const struct sigaction *new, struct sigaction *old);

/* rt_sigaction(2), as the program means it. */
long papi_vpmu_action_change(uint64_t number, const struct papi_vpmu_action *new, struct papi_vpmu_action *old);

#endif
