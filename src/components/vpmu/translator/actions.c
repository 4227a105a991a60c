/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/vpmu/translator/actions.h"

#include <errno.h>
#include <stdatomic.h>

#include "components/vpmu/translator/masks.h"
#include "components/vpmu/translator/processor.h"

#define SIGNALS  65 /* numbers start from 1 */
#define RESTORER 0x04000000u

static struct entry {
	struct papi_vpmu_action program;
	bool installed; /* the kernel has the engine's handler */
} table[SIGNALS];
static unsigned watched; /* threads */
static atomic_flag lock = ATOMIC_FLAG_INIT;

/* All signals are blocked meanwhile, also those for faults, which somebody may send: a handler wants the lock, too.
 * Returns the mask to go back to. */
static uint64_t take_lock(void)
{
	uint64_t mask = papi_vpmu_mask_set(UINT64_MAX);

	while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire))
		papi_vpmu_raw(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
	return mask;
}

static void release_lock(uint64_t mask)
{
	atomic_flag_clear_explicit(&lock, memory_order_release);
	papi_vpmu_signals_unblock(mask);
}

bool papi_vpmu_actions_are_free(void)
{
	for (unsigned tries = 0; tries < 1000; tries++) {
		if (!atomic_flag_test_and_set_explicit(&lock, memory_order_acquire)) {
			atomic_flag_clear_explicit(&lock, memory_order_release);
			return true;
		}
		papi_vpmu_raw(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
	}
	return false;
}

static uint64_t engine_handler(void)
{
	return (uint64_t)(uintptr_t)papi_vpmu_signal_entry;
}

static long set_kernel(uint64_t number, const struct papi_vpmu_action *new, struct papi_vpmu_action *old)
{
	return papi_vpmu_raw(SYS_rt_sigaction, (long)number, (long)new, (long)old, 8, 0, 0);
}

bool papi_vpmu_action_is_fault(uint64_t number)
{
	return number == SIGSEGV || number == SIGBUS || number == SIGTRAP || number == SIGILL || number == SIGFPE;
}

bool papi_vpmu_action_blocks(const struct papi_vpmu_action *action, uint64_t number)
{
	return !(action->flags & (unsigned)SA_NODEFER) || action->mask & papi_vpmu_mask_of(number);
}

static void name_restorer(struct papi_vpmu_action *action)
{
	if (!papi_vpmu_processor_needs_restorer)
		return;
	action->flags |= RESTORER;
	action->restorer = (uint64_t)(uintptr_t)papi_vpmu_signal_restorer;
}

/* Which the kernel is to have while the program means that. Each signal waits for its handler to begin, where the
 * program's mask comes in force: else as many frames as there are signals would lie on the stack of the runtime. */
static struct papi_vpmu_action kernel_action(uint64_t number, const struct papi_vpmu_action *program)
{
	struct papi_vpmu_action action = *program;

	if (!papi_vpmu_action_is_function(program) && !papi_vpmu_action_is_fault(number))
		return action;
	action.handler = engine_handler();
	action.flags = (program->flags & ~(uint64_t)((unsigned)SA_RESETHAND | SA_NODEFER)) | SA_SIGINFO | SA_ONSTACK;
	if (!(program->flags & RESTORER))
		name_restorer(&action);
	return action;
}

/* The kernel's action changes to what the program means now. */
static long install(uint64_t number, struct papi_vpmu_action *old)
{
	struct entry *entry = &table[number];
	struct papi_vpmu_action action = kernel_action(number, &entry->program);
	long status = set_kernel(number, &action, old);

	if (!status)
		entry->installed = action.handler == engine_handler();
	return status;
}

/* All are asked for, each time. What the program has installed since the last region must be seen, and the kernel
 * neither counts changes nor tells of more than one signal at a time; /proc/self/status, which has who is caught in one
 * line, takes longer. To leave the engine's handlers in place between regions would show them to a program that
 * asks. */
void papi_vpmu_actions_enter(void)
{
	struct papi_vpmu_action now;
	uint64_t mask = take_lock();

	if (!watched++)
		for (uint64_t number = 1; number < SIGNALS; number++) {
			if (set_kernel(number, NULL, &now) || now.handler == engine_handler())
				continue;
			table[number].program = now;
			if (papi_vpmu_action_is_function(&now) || papi_vpmu_action_is_fault(number))
				install(number, NULL);
		}
	release_lock(mask);
}

/* A handler that was installed natively in the meantime stays. */
static void put_back(uint64_t number)
{
	struct entry *entry = &table[number];
	struct papi_vpmu_action old;

	if (!entry->installed)
		return;
	entry->installed = false;
	set_kernel(number, &entry->program, &old);
	if (old.handler != engine_handler())
		set_kernel(number, &old, NULL);
}

void papi_vpmu_actions_leave(void)
{
	uint64_t mask = take_lock();

	if (watched && !--watched)
		for (uint64_t number = 1; number < SIGNALS; number++)
			put_back(number);
	release_lock(mask);
}

void papi_vpmu_actions_forked(void)
{
	atomic_flag_clear(&lock); /* whoever had it is not here */
	if (watched) {
		watched = 1;
		papi_vpmu_actions_leave();
	}
}

struct papi_vpmu_action papi_vpmu_action_get(uint64_t number)
{
	struct papi_vpmu_action action;
	uint64_t mask = take_lock();

	action = table[number % SIGNALS].program;
	release_lock(mask);
	return action;
}

static void make_default(uint64_t number)
{
	struct papi_vpmu_action action = { .handler = (uint64_t)(uintptr_t)SIG_DFL, .restorer = 0 };

	table[number].program = action;
	table[number].installed = false;
	set_kernel(number, &action, NULL);
}

struct papi_vpmu_action papi_vpmu_action_take(uint64_t number)
{
	struct papi_vpmu_action action;
	uint64_t mask = take_lock();

	number %= SIGNALS;
	action = table[number].program;
	if (action.flags & (unsigned)SA_RESETHAND && papi_vpmu_action_is_function(&action)) {
		table[number].program.handler = (uint64_t)(uintptr_t)SIG_DFL;
		install(number, NULL);
	}
	release_lock(mask);
	return action;
}

void papi_vpmu_action_make_default(uint64_t number)
{
	uint64_t mask = take_lock();

	make_default(number % SIGNALS);
	release_lock(mask);
}

long papi_vpmu_action_change(uint64_t number, const struct papi_vpmu_action *new, struct papi_vpmu_action *old)
{
	const uint64_t unchangeable = (uint64_t)1 << SIGKILL | (uint64_t)1 << SIGSTOP;
	struct papi_vpmu_action before, now;
	uint64_t mask;
	long status;

	/* The kernel knows what to answer to nonsense. */
	if (number < 1 || number >= SIGNALS || (number < 64 && unchangeable >> number & 1))
		return set_kernel(number, new, old);
	mask = take_lock();
	status = set_kernel(number, NULL, &now);
	/* A handler that is not the engine's was installed by a thread that runs natively. */
	before = table[number].program;
	if (!status && now.handler != engine_handler())
		before = table[number].program = now;
	if (!status && new) {
		table[number].program = *new;
		if (watched)
			status = install(number, NULL);
		else
			status = set_kernel(number, new, NULL);
	}
	release_lock(mask);
	if (!status && old)
		*old = before;
	return status;
}

int papi_vpmu_action_native(int number, const struct sigaction *new, struct sigaction *old)
{
	struct papi_vpmu_action changed = { .restorer = 0 }, before;
	uint64_t mask = papi_vpmu_signals_block();
	long status;

	if (new) {
		changed.handler = (uint64_t)(uintptr_t) new->sa_sigaction;
		changed.flags = (uint64_t)(unsigned)new->sa_flags;
		name_restorer(&changed);
		__builtin_memcpy(&changed.mask, &new->sa_mask, sizeof(changed.mask));
	}
	status = papi_vpmu_action_change((uint64_t)number, new ? &changed : NULL, &before);
	papi_vpmu_signals_unblock(mask);
	if (!status && old) {
		*old = (struct sigaction){ .sa_flags = (int)(unsigned)(before.flags & ~(uint64_t)RESTORER) };
		old->sa_sigaction = (void (*)(int, siginfo_t *, void *))(uintptr_t)before.handler;
		__builtin_memcpy(&old->sa_mask, &before.mask, sizeof(before.mask));
	}
	if (status)
		errno = (int)-status;
	return status ? -1 : 0;
}
