/* SPDX-License-Identifier: BSD-3-Clause */
#include "cuts.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#include "check.h"
#include "modelled.h"

#define LARGEST  64 /* access */
#define TIMERS   40 /* of a program, at most */
#define INTERVAL 200

struct cuts *cuts;
static int of_program;
static long times;

void cuts_make(void)
{
	cuts = mmap(NULL, sizeof(*cuts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	REQUIRE(cuts != MAP_FAILED);
}

static void set_timer(long microseconds)
{
	const struct itimerval once = { { 0, 0 }, { 0, times * microseconds } };

	setitimer(ITIMER_REAL, &once, NULL);
}

static void *page_of(uint64_t address)
{
	return (void *)(uintptr_t)(address & -(uint64_t)PAGE);
}

/* The page comes back, and the others go, on to the next fault; but not where the access may have begun in another, or
 * has just faulted. */
static void on_fault(int number, siginfo_t *info, void *context)
{
	uint64_t address = (uint64_t)(uintptr_t)info->si_addr, start = (uint64_t)(uintptr_t)arena;
	uint64_t pc = ((const ucontext_t *)context)->uc_mcontext.pc;
	static uint64_t last;

	(void)number;
	if (address - start >= ARENA_SIZE)
		_exit(3);
	if (address % PAGE >= LARGEST && pc != last)
		mprotect(arena, ARENA_SIZE, PROT_NONE);
	last = pc;
	mprotect(page_of(address), PAGE, PROT_READ | PROT_WRITE);
	cuts->faults++;
}

/* The next one comes later and later: however slow the machine is, the program gets on. */
static void on_timer(int number)
{
	(void)number;
	cuts->timers++;
	if (++of_program < TIMERS)
		set_timer(INTERVAL * of_program);
}

void cuts_begin(long slowness)
{
	static char stack[1 << 16];
	const stack_t own = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction fault = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK },
			 timer = { .sa_handler = on_timer, .sa_flags = SA_RESTART | SA_ONSTACK };
	sigset_t alarm;

	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	/* Neither comes within the other. */
	fault.sa_mask = alarm;
	REQUIRE(sigaltstack(&own, NULL) == 0 && sigaction(SIGSEGV, &fault, NULL) == 0 &&
		sigaction(SIGBUS, &fault, NULL) == 0 && sigaction(SIGALRM, &timer, NULL) == 0 &&
		sigprocmask(SIG_UNBLOCK, &alarm, NULL) == 0);
	times = slowness;
	of_program = 0;
	set_timer(INTERVAL);
	REQUIRE(mprotect(arena, ARENA_SIZE, PROT_NONE) == 0);
}

void cuts_end(void)
{
	set_timer(0);
	REQUIRE(mprotect(arena, ARENA_SIZE, PROT_READ | PROT_WRITE) == 0);
}
