/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Signals in regions that are counted virtually: what handlers see and do is what they would natively, and the counts
 * are those of the region without signals and of the handlers.
 *
 *	test_vpmu_signals [SLOWNESS]	so much slower is this machine, and longer are the intervals
 */
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "processor.h"
#include "virtual.h"

static void handle(int number, void (*handler)(int, siginfo_t *, void *), int flags)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags };

	REQUIRE(sigaction(number, &action, NULL) == 0);
}

static void handle_not(int number)
{
	signal(number, SIG_DFL);
}

/* ---- a timer ---- */

/* Every sort of instruction that blocks treat differently: flags that live on, rep, calls, indirect jumps, the
 * stack; on arm64 also the registers that translated code has for itself. */
uint64_t mixture(uint64_t rounds, void *buffer);
#ifdef __aarch64__
__asm__("	.text\n"
	"	.globl	mixture\n"
	"	.type	mixture, %function\n"
	"mixture:\n"
	"	stp	x29, x30, [sp, #-32]!\n"
	"	str	x19, [sp, #16]\n"
	"	mov	x8, x0\n"
	"	mov	x9, x1\n"
	"	mov	x19, #0\n"
	"1:	add	x19, x19, #3\n"
	"	add	x10, x19, x19, lsl #1\n"
	"	str	x10, [x9]\n"
	"	ldr	x11, [x9]\n"
	"	cmp	x10, x11\n"
	"	b.ne	9f\n"
	"	mov	x18, #24\n"
	"	mov	x15, x9\n"
	"2:	ldrb	w14, [x15], #1\n"
	"	strb	w14, [x15, #63]\n"
	"	subs	x18, x18, #1\n"
	"	b.ne	2b\n"
	"	ldp	x12, x13, [x9, #64]!\n"
	"	add	x19, x19, x12, lsr #5\n"
	"	stp	x13, x12, [x9, #16]\n"
	"	sub	x9, x9, #64\n"
	"	cmp	x19, #100\n"
	"	adr	x17, 7f\n"
	"	str	x17, [sp, #-16]!\n"
	"	adc	x19, x19, x18\n"
	"	ldr	x16, [sp], #16\n"
	"	bl	8f\n"
	"	mov	w15, #5\n"
	"3:	eor	x19, x19, x15\n"
	"	sub	w15, w15, #1\n"
	"	cbnz	w15, 3b\n"
	"	tbnz	w15, #3, 9f\n"
	"	cmp	xzr, xzr\n"
	"	br	x16\n"
	"7:	adc	x19, x19, xzr\n"
	"	subs	x8, x8, #1\n"
	"	b.ne	1b\n"
	"9:	mov	x0, x19\n"
	"	ldr	x19, [sp, #16]\n"
	"	ldp	x29, x30, [sp], #32\n"
	"	ret\n"
	"8:	mrs	x12, nzcv\n"
	"	msr	nzcv, x12\n"
	"	ret\n"
	"	.size	mixture, . - mixture\n"
	"	.globl	mixture_end\n"
	"mixture_end:\n");
#else
__asm__("	.text\n"
	"	.globl	mixture\n"
	"mixture:\n"
	"	push	%rbx\n"
	"	mov	%rdi, %r8\n"
	"	mov	%rsi, %r9\n"
	"	xor	%ebx, %ebx\n"
	"1:	add	$3, %rbx\n"
	"	lea	(%rbx, %rbx, 2), %rcx\n"
	"	mov	%rcx, (%r9)\n"
	"	cmp	%rcx, (%r9)\n"
	"	jne	9f\n"
	"	mov	$24, %ecx\n"
	"	mov	%r9, %rsi\n"
	"	lea	64(%r9), %rdi\n"
	"	cld\n"
	"	rep movsb\n"
	"	mov	%r9, %rsi\n"
	"	lea	64(%r9), %rdi\n"
	"	mov	$100, %ecx\n"
	"	repe cmpsb\n"
	"	setne	%al\n"
	"	movzx	%al, %eax\n"
	"	add	%rcx, %rbx\n"
	"	bt	$3, %rbx\n"
	"	lea	7f(%rip), %rdx\n"
	"	push	%rdx\n"
	"	adc	%rax, %rbx\n"
	"	pop	%rdx\n"
	"	call	8f\n"
	"	mov	$5, %ecx\n"
	"2:	xor	%rcx, %rbx\n"
	"	loop	2b\n"
	"	jrcxz	3f\n"
	"	ud2\n"
	"3:	stc\n"
	"	jmp	*%rdx\n"
	"7:	adc	$0, %rbx\n"
	"	dec	%r8\n"
	"	jnz	1b\n"
	"9:	mov	%rbx, %rax\n"
	"	pop	%rbx\n"
	"	ret\n"
	"8:	pushf\n"
	"	popf\n"
	"	ret\n"
	"	.globl	mixture_end\n"
	"mixture_end:\n");
#endif

struct mixing {
	uint64_t rounds, sum;
	char buffer[256];
};

static void mix(void *argument)
{
	struct mixing *mixing = argument;

	mixing->sum = mixture(mixing->rounds, mixing->buffer);
}

/* Adds one to ticks, and comes back through the kernel's frame; so many instructions, loads and stores. */
extern uint64_t ticks;
void count_tick(int number, siginfo_t *info, void *context);
#ifdef __aarch64__
enum { TICK_INSTRUCTIONS = 5 + 2, TICK_LOADS = 1, TICK_STORES = 1 };
__asm__("	.text\n"
	"	.globl	count_tick\n"
	"	.type	count_tick, %function\n"
	"count_tick:\n"
	"	adrp	x0, ticks\n"
	"	ldr	x1, [x0, :lo12:ticks]\n"
	"	add	x1, x1, #1\n"
	"	str	x1, [x0, :lo12:ticks]\n"
	"	ret\n"
	"	.size	count_tick, . - count_tick\n"
	"	.bss\n"
	"	.balign 8\n"
	"	.globl	ticks\n"
	"ticks:	.zero	8\n"
	"	.text\n");
#else
enum { TICK_INSTRUCTIONS = 2 + 2, TICK_LOADS = 1 + 1, TICK_STORES = 1 }; /* ret is a load */
__asm__("	.text\n"
	"	.globl	count_tick\n"
	"count_tick:\n"
	"	incq	ticks(%rip)\n"
	"	ret\n"
	"	.bss\n"
	"	.balign 8\n"
	"	.globl	ticks\n"
	"ticks:	.zero	8\n"
	"	.text\n");
#endif

/* How much slower than a processor this one is: so much longer are the intervals. */
static long slowness = 1;

static void start_timer(long microseconds)
{
	struct timeval time = { 0, slowness * microseconds };
	struct itimerval interval = { time, time };

	REQUIRE(setitimer(ITIMER_REAL, &interval, NULL) == 0);
}

static void stop_timer(void)
{
	REQUIRE(setitimer(ITIMER_REAL, &(struct itimerval){ .it_interval = { 0, 0 } }, NULL) == 0);
}

static long long ticks_within(struct counts quiet, struct counts disturbed)
{
	return (disturbed.of[INSTRUCTIONS] - quiet.of[INSTRUCTIONS]) / TICK_INSTRUCTIONS;
}

static struct counts with_ticks(struct counts quiet, long long number)
{
	quiet.of[INSTRUCTIONS] += TICK_INSTRUCTIONS * number;
	quiet.of[LOADS] += TICK_LOADS * number;
	quiet.of[STORES] += TICK_STORES * number;
	return quiet;
}

static void test_counts_are_exact(void)
{
	struct mixing mixing = { .rounds = 20000 };
	struct counts quiet, disturbed;
	long long number, hits = 0;
	uint64_t sum;

	virtual_count(mix, &mixing);
	quiet = virtual_count(mix, &mixing);
	sum = mixing.sum;
	handle(SIGALRM, count_tick, SA_RESTART);
	start_timer(100);
	for (unsigned i = 0; i < 60; i++) {
		ticks = 0;
		disturbed = virtual_count(mix, &mixing);
		number = ticks_within(quiet, disturbed);
		hits += number;
		/* Others come right before the region or after it: any number of them on a busy machine. */
		EXPECT_BETWEEN(0, number, (long long)ticks);
		EXPECT(mixing.sum == sum);
		if (!EXPECT(virtual_same("counts with a timer", with_ticks(quiet, number), disturbed)))
			break;
	}
	stop_timer();
	EXPECT(hits > 20);
	handle_not(SIGALRM);
}

extern char mixture_end[];
static volatile sig_atomic_t inside, outside;

static void look_where(int number, siginfo_t *info, void *context)
{
	uintptr_t pc = processor_pc(context);

	(void)info;
	EXPECT(number == SIGALRM);
	if (pc >= (uintptr_t)mixture && pc < (uintptr_t)mixture_end)
		inside++;
	else
		outside++;
}

static void test_handler_sees_the_program(void)
{
	struct mixing mixing = { .rounds = 400000 };

	handle(SIGALRM, look_where, SA_RESTART);
	inside = outside = 0;
	start_timer(100);
	virtual_count(mix, &mixing);
	stop_timer();
	/* A few may come on the way into the region and out of it. */
	EXPECT(inside > 20 && outside < inside / 4);
	handle_not(SIGALRM);
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
	for (volatile unsigned i = 0; i < 500; i++)
		if (!sigsetjmp(back, 1))
			*(volatile int *)(uintptr_t)(4096 - 8 * (i & 15)) = 1;
}

static void test_longjmp_from_fault(void)
{
	struct counts first, second;

	handle(SIGSEGV, jump_back, 0);
	virtual_count(fault_often, NULL);
	first = virtual_count(fault_often, NULL);
	second = virtual_count(fault_often, NULL);
	EXPECT(fault_address == 4096 - 8 * (499 & 15));
	EXPECT(virtual_same("500 faults", first, second));
	EXPECT(first.of[INSTRUCTIONS] > 500 * 20);
	handle_not(SIGSEGV);
}

#ifdef __aarch64__
#define FAULTING      "ldr x9, [x0]"
#define FAULTING_SIZE 4
#else
#define FAULTING      "mov (%%rax), %%r9"
#define FAULTING_SIZE 3
#endif

static void skip_and_set(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	processor_set_pc(context, processor_pc(context) + FAULTING_SIZE);
	*processor_register(context, REGISTER_9) = *processor_register(context, REGISTER_RESULT) + 77;
}

static void fault_and_go_on(void *result)
{
	uint64_t got, flags;

#ifdef __aarch64__
	__asm__ volatile("	mov	x0, #11\n"
			 "	cmp	xzr, xzr\n"
			 "	" FAULTING "\n"
			 "	csetm	%1, cs\n"
			 "	mov	%0, x9\n"
			 : "=r"(got), "=r"(flags)
			 :
			 : "x0", "x9", "cc");
#else
	__asm__ volatile("	mov	$11, %%eax\n"
			 "	stc\n"
			 "	" FAULTING "\n"
			 "	sbb	%1, %1\n"
			 "	mov	%%r9, %0\n"
			 : "=r"(got), "=r"(flags)
			 :
			 : "rax", "r9", "cc");
#endif
	*(uint64_t *)result = flags == UINT64_MAX ? got : 0;
}

static void test_changed_context(void)
{
	uint64_t result = 0;

	handle(SIGSEGV, skip_and_set, 0);
	virtual_count(fault_and_go_on, &result);
	EXPECT_EQUAL(88, (long long)result);
	handle_not(SIGSEGV);
}

static char *page;

static void make_writable(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	EXPECT((char *)info->si_addr == page + 8);
	mprotect(page, 4096, PROT_READ | PROT_WRITE);
}

static void touch_page(void *unused)
{
	(void)unused;
	for (unsigned i = 0; i < 100; i++) {
		mprotect(page, 4096, PROT_READ);
		*(volatile uint64_t *)(page + 8) += 1;
	}
}

static void test_retried_access(void)
{
	struct counts first, second;

	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	handle(SIGSEGV, make_writable, 0);
	virtual_count(touch_page, NULL);
	first = virtual_count(touch_page, NULL);
	second = virtual_count(touch_page, NULL);
	EXPECT_EQUAL(300, *(long long *)(page + 8));
	EXPECT(virtual_same("accesses that are retried", first, second));
	munmap(page, 4096);
	handle_not(SIGSEGV);
}

/* ---- stacks, nesting, masks ---- */

static volatile unsigned depth, deepest;
static char alternate[65536];
static volatile bool was_on_alternate;

static void nest(int number, siginfo_t *info, void *context)
{
	char here;
	sigset_t mask;

	(void)info;
	(void)context;
	was_on_alternate = &here >= alternate && &here < alternate + sizeof(alternate);
	pthread_sigmask(SIG_BLOCK, NULL, &mask);
	EXPECT(sigismember(&mask, number) == 1);
	EXPECT(sigismember(&mask, SIGHUP) == 1);
	EXPECT(sigismember(&mask, SIGWINCH) == 0);
	depth++;
	if (depth > deepest)
		deepest = depth;
	if (number < SIGRTMIN + 8)
		raise(number + 1);
	depth--;
}

static void raise_once(void *number)
{
	raise(*(int *)number);
}

static void test_nested(void)
{
	struct sigaction action = { .sa_sigaction = nest, .sa_flags = SA_SIGINFO | SA_ONSTACK };
	stack_t stack = { .ss_sp = alternate, .ss_size = sizeof(alternate) }, now;
	int first = SIGRTMIN;

	sigemptyset(&action.sa_mask);
	sigaddset(&action.sa_mask, SIGHUP);
	for (int number = SIGRTMIN; number <= SIGRTMIN + 8; number++)
		REQUIRE(sigaction(number, &action, NULL) == 0);
	REQUIRE(sigaltstack(&stack, NULL) == 0);
	deepest = 0;
	virtual_count(raise_once, &first);
	EXPECT_EQUAL(9, (long long)deepest);
	EXPECT(was_on_alternate);
	REQUIRE(sigaltstack(NULL, &now) == 0);
	EXPECT(now.ss_sp == alternate && now.ss_size == sizeof(alternate) && now.ss_flags == 0);
	for (int number = SIGRTMIN; number <= SIGRTMIN + 8; number++)
		handle_not(number);
}

#ifdef __aarch64__
#define STACK_FAULT 48 /* the stack pointer is 64, and goes down by 16 */
#else
#define STACK_FAULT 56 /* by 8 */
#endif

static void overflow_stack(void *unused)
{
	(void)unused;
	if (!sigsetjmp(back, 1)) {
		/* No stack there. */
#ifdef __aarch64__
		__asm__ volatile("mov x9, sp; mov sp, %0; str x9, [sp, #-16]!; mov sp, x9"
				 :
				 : "r"(64ul)
				 : "x9", "memory");
#else
		__asm__ volatile("mov %%rsp, %%rbx; lea 64(%0), %%rsp; push $1; mov %%rbx, %%rsp"
				 :
				 : "r"(0ul)
				 : "rbx", "memory");
#endif
		abort();
	}
}

static void test_fault_of_the_stack(void)
{
	handle(SIGSEGV, jump_back, SA_ONSTACK);
	fault_address = 0;
	virtual_count(overflow_stack, NULL);
	EXPECT_EQUAL(STACK_FAULT, (long long)fault_address);
	handle_not(SIGSEGV);
}

static void query_and_change(void *unused)
{
	static char other[32768];
	stack_t stack = { .ss_sp = other, .ss_size = sizeof(other) }, old;
	struct sigaction action;

	(void)unused;
	EXPECT(sigaltstack(&stack, &old) == 0 && old.ss_sp == alternate);
	EXPECT(sigaltstack(&old, &stack) == 0 && stack.ss_sp == other);
	EXPECT(sigaltstack(&(stack_t){ .ss_size = 16 }, NULL) == -1 && errno == ENOMEM);
	EXPECT(sigaction(SIGUSR1, NULL, &action) == 0 && action.sa_sigaction == count_tick &&
		((unsigned)action.sa_flags & (SA_SIGINFO | SA_RESETHAND | SA_ONSTACK)) == (SA_SIGINFO | SA_RESETHAND));
	EXPECT(sigaction(SIGSEGV, NULL, &action) == 0 && action.sa_handler == SIG_DFL);
	EXPECT(sigaction(SIGKILL, &action, NULL) == -1 && errno == EINVAL);
	ticks = 0;
	raise(SIGUSR1);
	EXPECT(ticks == 1);
	EXPECT(sigaction(SIGUSR1, NULL, &action) == 0 && action.sa_handler == SIG_DFL);
	action.sa_handler = SIG_IGN;
	EXPECT(sigaction(SIGUSR1, &action, NULL) == 0);
	raise(SIGUSR1);
	handle(SIGUSR2, count_tick, 0);
	raise(SIGUSR2);
	EXPECT(ticks == 2);
}

static void test_the_programs_view(void)
{
	struct sigaction action;

	handle(SIGUSR1, count_tick, (int)SA_RESETHAND);
	virtual_count(query_and_change, NULL);
	EXPECT(sigaction(SIGUSR1, NULL, &action) == 0 && action.sa_handler == SIG_IGN);
	EXPECT(sigaction(SIGUSR2, NULL, &action) == 0 && action.sa_sigaction == count_tick);
	EXPECT(sigaction(SIGSEGV, NULL, &action) == 0 && action.sa_handler == SIG_DFL);
	ticks = 0;
	raise(SIGUSR2);
	EXPECT(ticks == 1);
	handle_not(SIGUSR1);
	handle_not(SIGUSR2);
}

/* ---- system calls that wait ---- */

static int pipe_ends[2];

static void read_and_wait(void *restart)
{
	const struct timespec long_time = { 100, 0 }, no_time = { 0, 0 };
	struct timespec left = { 0, 0 };
	sigset_t none, alarm, old;
	uint64_t before;
	char byte;
	int signal = 0;

	handle(SIGALRM, count_tick, *(int *)restart ? SA_RESTART : 0);
	ticks = 0;
	/* Again and again: on a busy machine, one may come before the call that it is to interrupt. */
	ualarm(10000, 10000);
	if (*(int *)restart)
		EXPECT(poll(NULL, 0, 100000) == -1 && errno == EINTR);
	else
		EXPECT(read(pipe_ends[0], &byte, 1) == -1 && errno == EINTR);
	EXPECT(ticks >= 1);
	EXPECT(nanosleep(&long_time, &left) == -1 && errno == EINTR);
	EXPECT(left.tv_sec > 0 && left.tv_sec < 100);
	sigemptyset(&none);
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &alarm, &old);
	before = ticks;
	EXPECT(sigsuspend(&none) == -1 && errno == EINTR);
	EXPECT(ticks == before + 1);
	EXPECT(sigwait(&alarm, &signal) == 0 && signal == SIGALRM && ticks == before + 1);
	ualarm(0, 0);
	while (sigtimedwait(&alarm, NULL, &no_time) > 0)
		continue;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static void write_byte(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	(void)context;
	ticks++;
	if (write(pipe_ends[1], "x", 1) != 1)
		abort();
}

static void read_restarted(void *unused)
{
	char byte = 0;

	(void)unused;
	handle(SIGALRM, write_byte, SA_RESTART);
	ualarm(10000, 0);
	EXPECT(read(pipe_ends[0], &byte, 1) == 1 && byte == 'x');
}

static void test_interrupted_calls(void)
{
	int restart = 0;

	REQUIRE(pipe(pipe_ends) == 0);
	virtual_count(read_and_wait, &restart);
	restart = 1;
	virtual_count(read_and_wait, &restart);
	virtual_count(read_restarted, NULL);
	handle_not(SIGALRM);
	close(pipe_ends[0]);
	close(pipe_ends[1]);
}

/* ---- ends ---- */

static void do_illegal(void *unused)
{
	(void)unused;
	__asm__ volatile(ILLEGAL);
}

static void do_null(void *unused)
{
	(void)unused;
	*(volatile int *)(uintptr_t)0 = 1;
}

#ifndef __aarch64__ /* where a division by zero is zero */
static void do_divide(void *unused)
{
	volatile int zero = 0, one = 1;

	(void)unused;
	one = one / zero;
}
#endif

static void do_breakpoint(void *unused)
{
	(void)unused;
	__asm__ volatile(BREAKPOINT);
}

static void do_jump_nowhere(void *unused)
{
	(void)unused;
	((void (*)(void))(uintptr_t)16)();
}

static void do_terminate(void *unused)
{
	(void)unused;
	kill(getpid(), SIGTERM);
}

static void do_send_fault(void *unused)
{
	(void)unused;
	kill(getpid(), SIGSEGV);
}

static void do_abort(void *unused)
{
	(void)unused;
	abort();
}

static int end_of(void (*work)(void *))
{
	pid_t child = fork();
	int status = -1;

	if (child == 0) {
		alarm(5);
		virtual_count(work, NULL);
		_exit(99);
	}
	waitpid(child, &status, 0);
	return WIFSIGNALED(status) ? WTERMSIG(status) : -WEXITSTATUS(status);
}

static void test_default_effects(void)
{
	EXPECT_EQUAL(SIGILL, end_of(do_illegal));
	EXPECT_EQUAL(SIGSEGV, end_of(do_null));
#ifndef __aarch64__
	EXPECT_EQUAL(SIGFPE, end_of(do_divide));
#endif
	EXPECT_EQUAL(SIGTRAP, end_of(do_breakpoint));
	EXPECT_EQUAL(SIGSEGV, end_of(do_jump_nowhere));
	EXPECT_EQUAL(SIGTERM, end_of(do_terminate));
	EXPECT_EQUAL(SIGSEGV, end_of(do_send_fault));
	EXPECT_EQUAL(SIGABRT, end_of(do_abort));
}

static void after_trap(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	processor_set_pc(context, processor_pc(context) - BEHIND_BREAKPOINT + BREAKPOINT_SIZE);
	ticks++;
}

static void breakpoints(void *unused)
{
	(void)unused;
	for (unsigned i = 0; i < 100; i++)
		__asm__ volatile(BREAKPOINT);
}

static void test_breakpoints(void)
{
	struct counts first, second;

	handle(SIGTRAP, after_trap, 0);
	ticks = 0;
	virtual_count(breakpoints, NULL);
	first = virtual_count(breakpoints, NULL);
	second = virtual_count(breakpoints, NULL);
	EXPECT_EQUAL(300, (long long)ticks);
	EXPECT(virtual_same("breakpoints", first, second));
	handle_not(SIGTRAP);
}

/* ---- regions that handlers start and stop ---- */

static void start_in_handler(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	(void)context;
	EXPECT(PAPI_start(virtual_set()) == PAPI_OK);
}

static void stop_in_handler(int number, siginfo_t *info, void *context)
{
	struct counts counts;

	(void)number;
	(void)info;
	(void)context;
	EXPECT(PAPI_stop(virtual_set(), counts.of) == PAPI_OK);
	EXPECT(counts.of[INSTRUCTIONS] > 0);
}

static void test_regions_of_handlers(void)
{
	struct counts counts;
	char buffer[256] = { 0 };

	handle(SIGUSR1, start_in_handler, SA_ONSTACK);
	handle(SIGUSR2, stop_in_handler, SA_ONSTACK);
	for (unsigned i = 0; i < 20; i++) {
		raise(SIGUSR1);
		mixture(10, buffer);
		EXPECT(PAPI_stop(virtual_set(), counts.of) == PAPI_OK);
		EXPECT(counts.of[INSTRUCTIONS] > 10 * 20);
		EXPECT(PAPI_start(virtual_set()) == PAPI_OK);
		raise(SIGUSR2);
		raise(SIGUSR1);
		mixture(10, buffer);
		raise(SIGUSR2);
	}
	handle_not(SIGUSR1);
	handle_not(SIGUSR2);
}

int main(int count, char **arguments)
{
	static const struct test tests[] = {
		{ "counts are exact", test_counts_are_exact },
		{ "handler sees the program", test_handler_sees_the_program },
		{ "longjmp from fault", test_longjmp_from_fault },
		{ "changed context", test_changed_context },
		{ "retried access", test_retried_access },
		{ "nested", test_nested },
		{ "fault of the stack", test_fault_of_the_stack },
		{ "the program's view", test_the_programs_view },
		{ "interrupted calls", test_interrupted_calls },
		{ "default effects", test_default_effects },
		{ "breakpoints", test_breakpoints },
		{ "regions of handlers", test_regions_of_handlers },
	};

	if (!virtual_begin())
		return 77;
	if (count > 1)
		slowness = strtol(arguments[1], NULL, 10);
	return check_run(tests, sizeof(tests) / sizeof(tests[0]));
}
