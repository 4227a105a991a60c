/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls in which a known number of lines is touched that nobody has touched before: misses_calls HOW LINES. All else
 * that misses is the same whatever LINES is.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>

#define PAGE  4096
#define LINE  64
#define LINES 16384

#define APART __attribute__((noinline))

static _Alignas(PAGE) volatile char fresh[LINES * LINE];
static _Alignas(LINE) volatile unsigned at;
static volatile unsigned lines;
static volatile int kept; /* so that a call is no jump */

static inline __attribute__((always_inline)) void touch_here(unsigned n)
{
	for (unsigned i = at, end = i + n; i < end; i++)
		(void)fresh[i * LINE];
	at += n;
}

static APART void touch(unsigned n)
{
	touch_here(n);
}

/* ---- calls ---- */

static APART void twice(unsigned n)
{
	touch(n);
	touch_here(n);
	touch(n);
	kept = 1;
}

static APART void recurse(unsigned depth, unsigned n)
{
	touch_here(n);
	if (depth)
		recurse(depth - 1, n);
	touch(n);
	kept = 1;
}

static APART void choose(void (*how)(unsigned), unsigned n)
{
	how(n);
	kept = 1;
}

#ifdef __aarch64__
#define JUMP      "b "
#define NEXT_LINE "	ldrb w2, [x0]\n	add x0, x0, 64\n	subs w1, w1, 1\n	b.eq 1f\n"
#else
#define JUMP      "jmp "
#define NEXT_LINE "	movb (%rdi), %al\n	add $64, %rdi\n	dec %esi\n	je 1f\n"
#endif

/* Jumps to what it calls. */
__asm__(".text\n"
	".type tail, %function\n"
	"tail:\n"
	"	" JUMP "touch\n"
	".size tail, . - tail\n");
void tail(unsigned n);

/* Two that jump to each other, a line each, until one return ends all of these calls. */
#define JUMPS_TO(name, other)                                             \
	__asm__(".text\n"                                                 \
		".type " name ", %function\n" name ":\n"                  \
		"	.cfi_startproc\n" NEXT_LINE "	" JUMP other "\n" \
		"1:	ret\n"                                                \
		"	.cfi_endproc\n"                                         \
		".size " name ", . - " name "\n")
JUMPS_TO("even", "odd");
JUMPS_TO("odd", "even");
void even(volatile char *first, unsigned n);

static APART void chain(unsigned n)
{
	even(fresh, n);
	kept = 1;
}

static APART void call(unsigned n)
{
	twice(n);
	recurse(4, n);
	for (int i = 0; i < 5; i++)
		choose(i & 1 ? touch : twice, n);
	tail(n);
	touch(n);
	kept = 1;
}

/* ---- calls that end otherwise ---- */

static jmp_buf back;
static void (*volatile leap)(jmp_buf, int) = longjmp; /* so that a compiler does not see it coming */

static APART void leave(unsigned depth, unsigned n)
{
	touch_here(n);
	if (depth)
		leave(depth - 1, n);
	else
		leap(back, 1);
	kept = 1;
}

static APART void jump(unsigned n)
{
	for (volatile int i = 0; i < 3; i++) {
		if (!setjmp(back))
			leave(3, n);
		touch(n);
	}
	kept = 1;
}

static void on_signal(int number)
{
	(void)number;
	touch_here(lines);
}

static APART void be_interrupted(unsigned n)
{
	raise(SIGUSR1);
	touch(n);
	raise(SIGUSR1);
	kept = 1;
}

/* Signals at any time, until there are so many: of all that writes, lines miss here, and nothing in what is called. */
static volatile unsigned ticks;

static void on_tick(int number)
{
	(void)number;
	ticks++;
}

static APART void leaf(void)
{
	__asm__ volatile("nop");
}

/* Microseconds between ticks. An emulated processor may take half a millisecond for a signal. */
#ifdef __aarch64__
#define PERIOD 1997
#else
#define PERIOD 97
#endif

static APART void tick(unsigned n)
{
	struct itimerval timer = { { 0, PERIOD }, { 0, PERIOD } };

	signal(SIGALRM, on_tick);
	setitimer(ITIMER_REAL, &timer, NULL);
	for (unsigned i = 0; ticks < n; i++) {
		fresh[i % LINES * LINE] = 1;
		leaf();
	}
	timer = (struct itimerval){ { 0, 0 }, { 0, 0 } };
	setitimer(ITIMER_REAL, &timer, NULL);
	kept = 1;
}

/* ---- several stacks ---- */

static ucontext_t self, other;

static APART void step(unsigned n)
{
	touch_here(n);
	swapcontext(&other, &self);
	touch_here(n);
	kept = 1;
}

static void cooperate(void)
{
	for (;;)
		step(lines);
}

static APART void alternate(unsigned n)
{
	static char stack[1 << 16];

	getcontext(&other);
	other.uc_stack.ss_sp = stack;
	other.uc_stack.ss_size = sizeof(stack);
	makecontext(&other, cooperate, 0);
	for (int i = 0; i < 5; i++) {
		swapcontext(&self, &other);
		touch(3 * n);
	}
	kept = 1;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&mutex);
	twice(lines);
	pthread_mutex_unlock(&mutex);
	return NULL;
}

static APART void share(void)
{
	pthread_t threads[4];

	for (int i = 0; i < 4; i++) {
		pthread_create(&threads[i], NULL, work, NULL);
		pthread_join(threads[i], NULL);
	}
	kept = 1;
}

int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[1] : "";

	lines = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
	signal(SIGUSR1, on_signal);
	if (!strcmp(how, "call"))
		call(lines);
	if (!strcmp(how, "chain"))
		chain(lines);
	if (!strcmp(how, "jump"))
		jump(lines);
	if (!strcmp(how, "signal"))
		be_interrupted(lines);
	if (!strcmp(how, "tick"))
		tick(lines);
	if (!strcmp(how, "alternate"))
		alternate(lines);
	if (!strcmp(how, "share"))
		share();
	return kept != 1;
}
