/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Signals in regions that are counted virtually: handlers see the program's registers wherever it was interrupted, what
 * they change is changed, and counts are exact; where one event is counted, in a register, and where several are.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#include "check.h"
#include "kernels.h"
#include "virtual.h"

/* known.S */
void known(uint64_t rounds), count_tick(int number, siginfo_t *info, void *context);
extern const char known_loop[], known_end[];
extern volatile uint64_t ticks;

#define ROUNDS 60000

static void handle(int number, void (*handler)(int, siginfo_t *, void *), int flags)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags };

	REQUIRE(sigaction(number, &action, NULL) == 0);
}

/* How much slower than a processor this one is: so much longer are the intervals. */
static long slowness = 1;

static void start_timer(long microseconds)
{
	struct timeval time = { 0, microseconds * slowness };
	struct itimerval interval = { time, time };

	REQUIRE(setitimer(ITIMER_REAL, &interval, NULL) == 0);
}

static void stop_timer(void)
{
	REQUIRE(setitimer(ITIMER_REAL, &(struct itimerval){ .it_interval = { 0, 0 } }, NULL) == 0);
}

/* ---- what handlers see ---- */

static volatile unsigned seen, wrong, places;
static uint8_t at[64];

/* What the register is before that instruction of a round that began with x19 as it is now, or will be. */
static uint64_t expected(unsigned reg, unsigned index, uint64_t x19)
{
	unsigned position = (reg < 19 ? reg : reg - 2) + 1;

	return x19 + reg - (index && index <= position ? 64 : 0);
}

static void look(int number, siginfo_t *info, void *context)
{
	const mcontext_t *program = &((ucontext_t *)context)->uc_mcontext;
	uint64_t offset = program->pc - (uint64_t)(uintptr_t)known_loop, x19 = program->regs[19];
	unsigned index = (unsigned)(offset / 4);

	(void)number;
	(void)info;
	if (offset >= (uint64_t)(known_end - known_loop))
		return;
	seen++;
	places += !at[index];
	at[index] = 1;
	for (unsigned reg = 0; reg < 31; reg++)
		if (reg != 19 && reg != 20 && program->regs[reg] != expected(reg, index, x19))
			wrong++;
	if (program->regs[20] != ROUNDS - (index && index < 31 ? x19 / 64 - 1 : x19 / 64))
		wrong++;
}

static void run_known(void *unused)
{
	(void)unused;
	known(ROUNDS);
}

static void handlers_see_the_program(void)
{
	handle(SIGALRM, look, SA_RESTART);
	start_timer(211);
	for (unsigned i = 0; i < 400 && seen < 1500; i++)
		virtual_count(run_known, NULL);
	stop_timer();
	printf("%u signals, at %u places\n", seen, places);
	EXPECT_EQUAL(0, wrong);
	EXPECT(seen > 100 && places > 5);
}

/* ---- counts ---- */

static struct counts with_ticks(struct counts quiet, long long number)
{
	quiet.of[INSTRUCTIONS] += 7 * number;
	if (quiet.of[LOADS]) {
		quiet.of[LOADS] += number;
		quiet.of[STORES] += number;
	}
	return quiet;
}

static void expect_exact(const char *name, void (*work)(void *), void *argument, unsigned runs)
{
	struct counts quiet, disturbed;
	long long number, hits = 0;

	virtual_count(work, argument);
	quiet = virtual_count(work, argument);
	handle(SIGALRM, count_tick, SA_RESTART);
	start_timer(97);
	for (unsigned i = 0; i < runs; i++) {
		disturbed = virtual_count(work, argument);
		number = (disturbed.of[INSTRUCTIONS] - quiet.of[INSTRUCTIONS]) / 7;
		hits += number;
		if (!EXPECT(virtual_same(name, with_ticks(quiet, number), disturbed)))
			break;
	}
	stop_timer();
	EXPECT(hits > 5);
}

/* But for those that take long, or try an exclusive access again when a signal has come in between. */
static void run_kernels(void *unused)
{
	(void)unused;
	for (unsigned i = 0; i < n_kernels; i++)
		if (!strstr("memory, print, strings, stolen registers, exclusive accesses", kernels[i].name))
			kernels[i].run();
}

static void counts_are_exact(void)
{
	expect_exact("a loop", run_known, NULL, 60);
	expect_exact("kernels", run_kernels, NULL, 60);
}

/* ---- faults ---- */

static sigjmp_buf back;
static volatile uintptr_t fault_address;

static void jump_back(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	fault_address = (uintptr_t)info->si_addr;
	siglongjmp(back, 1);
}

static void fault_often(void *unused)
{
	(void)unused;
	for (volatile unsigned i = 0; i < 200; i++)
		if (!sigsetjmp(back, 1))
			*(volatile int *)(uintptr_t)(4096 - 8 * (i & 15)) = 1;
}

static void jumps_out_of_faults(void)
{
	struct counts first;

	handle(SIGSEGV, jump_back, 0);
	virtual_count(fault_often, NULL);
	first = virtual_count(fault_often, NULL);
	EXPECT(virtual_same("200 faults", first, virtual_count(fault_often, NULL)));
	EXPECT_EQUAL(4096 - 8 * (199 & 15), (long long)fault_address);
	signal(SIGSEGV, SIG_DFL);
}

/* The stolen registers, too, and what the handler makes of them. */
static void skip_and_set(int number, siginfo_t *info, void *context)
{
	mcontext_t *program = &((ucontext_t *)context)->uc_mcontext;

	EXPECT(number == SIGSEGV || (uint64_t)(uintptr_t)info->si_addr == program->pc);
	program->pc += 4;
	program->regs[18] = program->regs[15] + 7;
	program->regs[15] = program->regs[18] * 3;
	program->regs[9] = program->regs[18] + program->regs[10];
}

static void fault_and_go_on(void *pointer)
{
	uint64_t *results = pointer;

	__asm__ volatile("mov	x15, #11\n\t"
			 "mov	x18, #5\n\t"
			 "mov	x10, #100\n\t"
			 "cmp	x15, #11\n\t"
			 "ldr	x18, [x15]\n\t" /* 18, 54 and 118 */
			 "stp	x15, x18, [%0]\n\t"
			 "cset	x10, eq\n\t"
			 "stp	x9, x10, [%0, #16]\n\t"
			 "udf	#7\n\t" /* 61, 183, and 62 */
			 "stp	x15, x18, [%0, #32]\n\t"
			 "str	x9, [%0, #48]\n\t"
			 :
			 : "r"(results)
			 : "x9", "x10", "x15", "x18", "cc", "memory");
}

static void handlers_change_the_program(void)
{
	const uint64_t right[] = { 54, 18, 118, 1, 183, 61, 62 };
	uint64_t results[7];

	handle(SIGSEGV, skip_and_set, 0);
	handle(SIGILL, skip_and_set, 0);
	for (unsigned i = 0; i < 3; i++) {
		memset(results, 0, sizeof(results));
		virtual_count(fault_and_go_on, results);
		for (unsigned j = 0; j < COUNT_OF(right); j++)
			EXPECT_EQUAL((long long)right[j], (long long)results[j]);
	}
	signal(SIGSEGV, SIG_DFL);
	signal(SIGILL, SIG_DFL);
}

/* ---- stacks, masks and handlers within handlers ---- */

static volatile unsigned nested, on_stack;
static char *stack;

static void nest(int number, siginfo_t *info, void *context)
{
	char here;
	sigset_t mask;

	(void)info;
	(void)context;
	nested++;
	on_stack += &here > stack && &here < stack + 65536;
	EXPECT(sigprocmask(SIG_BLOCK, NULL, &mask) == 0 && sigismember(&mask, number) == 1);
	if (number < SIGRTMIN + 4)
		raise(number + 1);
}

static void raise_nested(void *unused)
{
	(void)unused;
	for (int i = 0; i < 20; i++)
		raise(SIGRTMIN + 1);
}

static void handlers_within_handlers(void)
{
	stack_t alternate;
	struct counts first;

	stack = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	REQUIRE(stack != MAP_FAILED);
	alternate = (stack_t){ .ss_sp = stack, .ss_size = 65536 };
	REQUIRE(sigaltstack(&alternate, NULL) == 0);
	for (int number = SIGRTMIN + 1; number <= SIGRTMIN + 4; number++)
		handle(number, nest, number & 1 ? SA_ONSTACK : 0);
	virtual_count(raise_nested, NULL);
	nested = on_stack = 0;
	first = virtual_count(raise_nested, NULL);
	EXPECT_EQUAL(80, nested);
	EXPECT(virtual_same("signals within handlers", first, virtual_count(raise_nested, NULL)));
	/* From the first with the flag on, the others are on it, too. */
	EXPECT(on_stack >= 2u * 60);
	EXPECT(sigaltstack(NULL, &alternate) == 0 && alternate.ss_sp == stack);
}

int main(int count, char **arguments)
{
	int failures = 0;
	static const struct test tests[] = {
		{ "handlers see the program", handlers_see_the_program },
		{ "counts are exact", counts_are_exact },
		{ "jumps out of faults", jumps_out_of_faults },
		{ "handlers change the program", handlers_change_the_program },
		{ "handlers within handlers", handlers_within_handlers },
	};

	if (count > 1)
		slowness = atol(arguments[1]);
	setlinebuf(stdout);
	if (!virtual_begin())
		return 77;
	kernels_begin();
	for (unsigned i = 0; i < 2; i++) {
		printf("-- %s\n", i ? "an event alone" : "several events");
		virtual_count_alone(i);
		failures |= check_run(tests, COUNT_OF(tests));
		seen = wrong = places = nested = on_stack = 0;
		memset(at, 0, sizeof(at));
	}
	return failures;
}
