/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/signals.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/component.h"
#include "base/error.h"

#define CLAIMANTS 4  /* of one signal */
#define SIGNALS   65 /* numbers start from 1 */

static struct claimed {
	_Atomic(papi_signal_claimant) claimants[CLAIMANTS];
	/* What the program had installed: the one in force is never written to while a handler may be looking at it. */
	struct sigaction program[2];
	_Atomic unsigned in_force;
} signals[SIGNALS];

/* Taken with all signals blocked: a handler that starts an EventSet must not wait for the thread it interrupted. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int change_action(int number, const struct sigaction *new, struct sigaction *old)
{
	for (int i = 0; i < papi_component_count; i++) {
		const struct papi_component_translator *translator = papi_components[i]->translator;
		papi_sigaction *change = translator ? translator->sigaction() : NULL;

		if (change)
			return change(number, new, old);
	}
	return sigaction(number, new, old);
}

/* What the signal would have done had the library not been here. */
static void default_effect(int number)
{
	struct sigaction plain = { .sa_handler = SIG_DFL };

	/* The signal is blocked while its handler runs; so it arrives, and takes effect, when that returns. */
	change_action(number, &plain, NULL);
	raise(number);
}

static void pass_on(int number, siginfo_t *info, void *context, bool shared)
{
	const struct claimed *claimed = &signals[number];
	struct sigaction action = claimed->program[atomic_load_explicit(&claimed->in_force, memory_order_acquire)];
	sigset_t mask;

	if (!(action.sa_flags & SA_SIGINFO) && action.sa_handler == SIG_IGN)
		return;
	if (!(action.sa_flags & SA_SIGINFO) && action.sa_handler == SIG_DFL) {
		if (!shared && number != SIGCHLD && number != SIGURG && number != SIGWINCH && number != SIGCONT)
			default_effect(number);
		return;
	}
	pthread_sigmask(SIG_BLOCK, &action.sa_mask, &mask);
	if (action.sa_flags & SA_SIGINFO)
		action.sa_sigaction(number, info, context);
	else
		action.sa_handler(number);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

static void on_signal(int number, siginfo_t *info, void *context)
{
	enum papi_signal_answer answer = PAPI_SIGNAL_FOREIGN;
	int error = errno;

	for (unsigned i = 0; i < CLAIMANTS; i++) {
		papi_signal_claimant claimant = atomic_load_explicit(
			&signals[number].claimants[i], memory_order_acquire);
		enum papi_signal_answer one = claimant ? claimant(info, context) : PAPI_SIGNAL_FOREIGN;

		if (one > answer)
			answer = one;
	}
	if (answer != PAPI_SIGNAL_OWN)
		pass_on(number, info, context, answer == PAPI_SIGNAL_SHARED);
	errno = error;
}

static bool is_claimant(const struct claimed *claimed, papi_signal_claimant claimant)
{
	for (unsigned i = 0; i < CLAIMANTS; i++)
		if (atomic_load_explicit(&claimed->claimants[i], memory_order_acquire) == claimant)
			return true;
	return false;
}

static bool is_ours(const struct sigaction *action)
{
	return action->sa_flags & SA_SIGINFO && action->sa_sigaction == on_signal;
}

static int add_claimant(struct claimed *claimed, int number, papi_signal_claimant claimant)
{
	for (unsigned i = 0; i < CLAIMANTS; i++) {
		if (atomic_load(&claimed->claimants[i]))
			continue;
		atomic_store_explicit(&claimed->claimants[i], claimant, memory_order_release);
		return PAPI_OK;
	}
	return papi_error(PAPI_ECOUNT, "signal %d is used for too many things at once", number);
}

/* Puts the handler in front of what is there now. */
static int install(struct claimed *claimed, int number)
{
	struct sigaction ours = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK }, now;
	unsigned spare = 1 - atomic_load(&claimed->in_force);

	/* No error of a thread's own making is kept out; all else waits until the handler is done. */
	sigfillset(&ours.sa_mask);
	sigdelset(&ours.sa_mask, SIGSEGV);
	sigdelset(&ours.sa_mask, SIGBUS);
	sigdelset(&ours.sa_mask, SIGFPE);
	sigdelset(&ours.sa_mask, SIGILL);
	sigdelset(&ours.sa_mask, SIGTRAP);
	sigdelset(&ours.sa_mask, SIGABRT);
	if (change_action(number, NULL, &now))
		return papi_error(PAPI_ESYS, "signal %d cannot be handled: %s", number, strerror(errno));
	if (is_ours(&now))
		return PAPI_OK;
	claimed->program[spare] = now;
	atomic_store_explicit(&claimed->in_force, spare, memory_order_release);
	if (change_action(number, &ours, NULL))
		return papi_error(PAPI_ESYS, "signal %d cannot be handled: %s", number, strerror(errno));
	return PAPI_OK;
}

int papi_signal_claim(int number, papi_signal_claimant claimant)
{
	struct claimed *claimed;
	struct sigaction now;
	sigset_t all, mask;
	int status = PAPI_OK;

	if (number < 1 || number >= SIGNALS)
		return papi_error(PAPI_ESYS, "there is no signal %d", number);
	claimed = &signals[number];
	if (is_claimant(claimed, claimant) && !change_action(number, NULL, &now) && is_ours(&now))
		return PAPI_OK;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &mask);
	pthread_mutex_lock(&lock);
	if (!is_claimant(claimed, claimant))
		status = add_claimant(claimed, number, claimant);
	if (status == PAPI_OK)
		status = install(claimed, number);
	pthread_mutex_unlock(&lock);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	return status;
}

void papi_signal_fork_prepare(void)
{
	pthread_mutex_lock(&lock);
}

void papi_signal_fork_done(void)
{
	pthread_mutex_unlock(&lock);
}
