/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * subject WHAT [NUMBER]: functions to be probed, called as often as its name says, and what could go wrong with their
 * return addresses. It prints what it has computed, which is the same with and without probes.
 */
#include <execinfo.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "machine.h"

/* Not static, so that compilers leave their names and calls alone. */
#ifdef __clang__
#define PROBED __attribute__((noinline, optnone, visibility("default")))
#else
#define PROBED __attribute__((noipa, visibility("default")))
#endif

long leaf(long x);
long ten_leaves(long x);
long fibonacci(long n);
double halve(double x);
long jumps(long x);
long eight(long a, long b, long c, long d, long e, long f, long g, long h);
long deep(long n);
int frames(int depth);
void pass_on(int which);
pid_t fork_in_a_function(void);
void end_child(long x);
long vfork_in_a_function(long x);
void execute(const char *program);
void touches(long n);

PROBED long leaf(long x)
{
	return 3 * x + 1;
}

PROBED long ten_leaves(long x)
{
	long sum = 0;

	for (long i = 0; i < 10; i++)
		sum += leaf(x + i);
	return sum;
}

PROBED long fibonacci(long n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

PROBED double halve(double x)
{
	return x / 2;
}

/* Ends with a jump to leaf(). */
PROBED long jumps(long x)
{
	return leaf(x + 1);
}

/* Eight arguments: two of them on the stack. */
PROBED long eight(long a, long b, long c, long d, long e, long f, long g, long h)
{
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h;
}

/* Registers and flags, as keeps() finds them and as its caller has them again; each another number. */
extern uint64_t at_entry[REGISTERS + 1], at_return[REGISTERS + 1];
void pass_registers(uint64_t flags);

static void registers(long n)
{
	long good = 0;

	for (long i = 0; i < n; i++) {
		const uint64_t flags = i % 2 ? FLAGS : 0;
		bool same = true;

		pass_registers(flags | OTHER_FLAGS);
		for (uint64_t k = 0; k < REGISTERS; k++)
			same = same && at_entry[k] == CONTENT + 8 * k && at_return[k] == CONTENT + 8 * k;
		good += same && (at_entry[REGISTERS] & FLAGS) == flags && (at_return[REGISTERS] & FLAGS) == flags;
	}
	printf("%ld\n", good);
}

#ifdef __aarch64__

#define DECLARE(name) long entry_##name(long n);
ENTRIES(DECLARE)
long with_condition(long n);

static void entries(long n)
{
#define ADD(name) sum += (unsigned long)entry_##name(i & 3);
	unsigned long sum = 0;

	for (long i = 0; i < n; i++) {
		ENTRIES(ADD)
		sum += (unsigned long)with_condition(i & 1);
	}
	printf("%lu\n", sum);
}

#else

static void entries(long n)
{
	(void)n;
	fputs("these are of another processor\n", stderr);
	exit(77);
}

#endif

long ping(long n, long sum);

static void turns(long n)
{
	printf("%ld\n", fibonacci(20));
	printf("%ld\n", ping(n, 0));
}

/* So many pages for the first time. */
PROBED void touches(long n)
{
	char *memory = mmap(NULL, (size_t)n * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		exit(3);
	madvise(memory, (size_t)n * 4096, MADV_NOHUGEPAGE);
	for (long i = 0; i < n; i++)
		((volatile char *)memory)[i * 4096] = 1;
	munmap(memory, (size_t)n * 4096);
}

static void calls(long n)
{
	double half = 1e6;
	long sum = 0;

	for (long i = 0; i < n; i++) {
		sum += ten_leaves(i) + jumps(i) + eight(i, 1, 2, 3, 4, 5, 6, 7);
		half = halve(half) + 1;
	}
	touches(100);
	touches(300);
	printf("%ld %ld %.6f\n", sum, fibonacci(15), half);
}

/* ---- places that are left without a return ---- */

static jmp_buf out;

PROBED long deep(long n)
{
	if (n <= 0)
		longjmp(out, 1);
	return n > 100 ? 0 : deep(n - 1) + 1;
}

static void jump_out(long n)
{
	volatile long left = 0;

	for (volatile long i = 0; i < n; i++) {
		if (setjmp(out))
			left += leaf(i);
		else
			deep(i % 20);
	}
	printf("%ld\n", left);
}

/* ---- stacks ---- */

PROBED int frames(int depth)
{
	void *where[64];

	return depth ? frames(depth - 1) : backtrace(where, 64);
}

#ifdef __x86_64__

/* Instruction by instruction through calls: from each of a stub, stacks end as they do outside. */
#define ENDS    3 /* main() and what has called it */
#define STEPPED 0x100

static void *outside[64];
static int n_outside, n_steps, stubs, good_stubs;

/* call *..(%rip), push $.., jmp: 16 bytes, which begin where addresses end with 0. */
static bool is_in_stub(uintptr_t pc)
{
	const unsigned char *stub = (const unsigned char *)(pc & ~(uintptr_t)15);

	return (pc % 16 == 0 || pc % 16 == 6 || pc % 16 == 11) && stub[0] == 0xff && stub[1] == 0x15 &&
		stub[6] == 0x68 && stub[11] == 0xe9;
}

static void on_step(int number, siginfo_t *info, void *data)
{
	const ucontext_t *context = data;
	void *where[64];
	int n;

	(void)number;
	(void)info;
	n_steps++;
	if (!is_in_stub((uintptr_t)context->uc_mcontext.gregs[REG_RIP]))
		return;
	n = backtrace(where, 64);
	stubs++;
	good_stubs += n > ENDS && !memcmp(&where[n - ENDS], &outside[n_outside - ENDS], ENDS * sizeof(where[0]));
}

static void steps(long n)
{
	const struct sigaction action = { .sa_sigaction = on_step, .sa_flags = SA_SIGINFO };
	long sum = leaf(0);

	n_outside = backtrace(outside, 64);
	sigaction(SIGTRAP, &action, NULL);
	__asm__ volatile("pushfq; orq %0, (%%rsp); popfq" : : "i"(STEPPED) : "memory", "cc");
	for (long i = 0; i < n; i++)
		sum += leaf(i);
	__asm__ volatile("pushfq; andq %0, (%%rsp); popfq" : : "i"(~STEPPED) : "memory", "cc");
	printf("%ld %d %d %d\n", sum, n_steps, stubs, good_stubs);
}

#else

static void steps(long n)
{
	(void)n;
	fputs("a program cannot step through itself on this processor\n", stderr);
	exit(77);
}

#endif

static ucontext_t here, there[2];
static long shared;

PROBED void pass_on(int which)
{
	shared = leaf(shared) % 1000003;
	swapcontext(&there[which], &here);
}

static void coroutine(int which)
{
	for (;;) {
		pass_on(which);
		pass_on(which);
	}
}

static void coroutines(long n)
{
	static char stacks[2][64 * 1024];

	for (int i = 0; i < 2; i++) {
		getcontext(&there[i]);
		there[i].uc_stack.ss_sp = stacks[i];
		there[i].uc_stack.ss_size = sizeof(stacks[i]);
		makecontext(&there[i], (void (*)(void))coroutine, 1, i);
	}
	for (long i = 0; i < n; i++) {
		swapcontext(&here, &there[i % 3 == 0]);
		shared += ten_leaves(i) % 7;
	}
	printf("%ld\n", shared);
}

static volatile sig_atomic_t ticks;

static void on_tick(int number)
{
	(void)number;
	ticks += ten_leaves(ticks) != 0;
}

static void signals(long n)
{
	const struct itimerval often = { { 0, TICK_US }, { 0, TICK_US } };
	static char stack[64 * 1024];
	const stack_t other = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = { .sa_handler = on_tick, .sa_flags = SA_ONSTACK | SA_RESTART };
	long sum = 0;

	sigaltstack(&other, NULL);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	for (long i = 0; i < n || ticks < 50; i++)
		sum += i < n ? ten_leaves(i) : 0 * ten_leaves(i);
	signal(SIGALRM, SIG_IGN);
	printf("%ld\n", sum);
}

/* Its second instruction faults, on x86-64 in the middle of what a jump would take the place of; then it is made
 * again. */
long slow_load(const long *place);

static long *faulting;

static void on_fault(int number)
{
	char line[32];

	(void)number;
	puts("inside");
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin) || mprotect(faulting, 4096, PROT_READ) != 0)
		_exit(3);
}

static void interrupted(long n)
{
	faulting = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (faulting == MAP_FAILED)
		exit(3);
	*faulting = n;
	mprotect(faulting, 4096, PROT_NONE);
	signal(SIGSEGV, on_fault);
	printf("%ld\n", slow_load(faulting));
	munmap(faulting, 4096);
}

/* ---- threads and processes ---- */

static void *thread(void *data)
{
	long n = *(long *)data, sum = 0;

	for (long i = 0; i < n; i++)
		sum += ten_leaves(i);
	return (void *)sum;
}

static void threads(long n)
{
	pthread_t made[4];
	long sum = 0;

	for (int i = 0; i < 4; i++)
		pthread_create(&made[i], NULL, thread, &n);
	for (int i = 0; i < 4; i++) {
		void *result;

		pthread_join(made[i], &result);
		sum += (long)result;
	}
	printf("%ld\n", sum);
}

/* Many that follow each other. */
static void short_threads(long n)
{
	long one = 1, sum = 0;

	for (long i = 0; i < n; i++) {
		pthread_t made;
		void *result;

		pthread_create(&made, NULL, thread, &one);
		pthread_join(made, &result);
		sum += (long)result;
	}
	printf("%ld\n", sum);
}

/* It comes back in both processes. */
PROBED pid_t fork_in_a_function(void)
{
	return fork();
}

static void forks(long n)
{
	long sum = 0;
	int status;

	for (long i = 0; i < n; i++) {
		pid_t pid = fork_in_a_function();

		if (!pid)
			_exit(ten_leaves(i) > 0 ? 7 : 8);
		waitpid(pid, &status, 0);
		sum += WEXITSTATUS(status);
	}
	printf("%ld\n", sum);
}

/* Children that share the memory of the thread that has made them, until they end or execute a program. */
PROBED void end_child(long x)
{
	_exit(leaf(x) > 0 ? 7 : 8);
}

PROBED long vfork_in_a_function(long x)
{
	const pid_t pid = vfork();
	int status;

	if (!pid) {
		ten_leaves(x);
		end_child(x);
	}
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}

static void children(long n)
{
	static char name[] = "subject", *const words[] = { name, NULL }, *const none[] = { NULL };
	long sum = 0;
	int status;
	pid_t pid;

	for (long i = 0; i < n; i++) {
		sum += vfork_in_a_function(i);
		if (posix_spawn(&pid, "/proc/self/exe", NULL, NULL, words, none) != 0)
			exit(3);
		waitpid(pid, &status, 0);
		sum += WEXITSTATUS(status) + leaf(i);
	}
	printf("%ld\n", sum);
}

/* A process in the same memory, for whose end nobody waits until there is a line to read. */
static int stay(void *nothing)
{
	(void)nothing;
	while (pause() < 0)
		continue;
	return 0;
}

static void child_that_stays(long n)
{
	static char stack[64 * 1024] __attribute__((aligned(16)));
	pid_t pid = clone(stay, stack + sizeof(stack), CLONE_VM | SIGCHLD, NULL);
	char line[32];

	puts("stays");
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin) || kill(pid, SIGKILL) != 0)
		exit(3);
	waitpid(pid, NULL, 0);
	printf("%ld\n", ten_leaves(n));
}

PROBED void execute(const char *program)
{
	execl(program, program, "executed", (char *)NULL);
	_exit(1);
}

/* ---- while somebody comes and goes ---- */

static volatile int over;

static void *work(void *data)
{
	long *done = data, sum = 0;

	for (long i = 0; !over; i++) {
		char *memory = malloc((size_t)(i % 700 + 1));

		/* Compilers know what malloc() is for, and leave out what nobody else sees. */
		__asm__ volatile("" : "+r"(memory));
		memory[0] = (char)i;
		sum += ten_leaves(i) == 30 * i + 145 && memory[0] == (char)i;
		free(memory);
		++*done;
	}
	return (void *)sum;
}

static void busy(void)
{
	long done[3] = { 0 };
	pthread_t made[3];
	bool good = true;
	char line[16];

	for (int i = 0; i < 3; i++)
		pthread_create(&made[i], NULL, work, &done[i]);
	puts("ready");
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		line[0] = '\0';
	over = 1;
	for (int i = 0; i < 3; i++) {
		void *result;

		pthread_join(made[i], &result);
		good = good && (long)result == done[i];
	}
	puts(good ? "good" : "bad");
}

/* A line with a number at a time. */
static void wait_and_work(void (*work_on)(long))
{
	char line[32];

	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		work_on(strtol(line, NULL, 10));
		fflush(stdout);
	}
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	long n = argc > 2 ? strtol(argv[2], NULL, 10) : 100;

	if (!strcmp(what, "calls"))
		calls(n);
	else if (!strcmp(what, "registers"))
		registers(n);
	else if (!strcmp(what, "entries"))
		entries(n);
	else if (!strcmp(what, "turns"))
		turns(n);
	else if (!strcmp(what, "longjmp"))
		jump_out(n);
	else if (!strcmp(what, "backtrace"))
		printf("%d %d\n", frames(0), frames(10));
	else if (!strcmp(what, "steps"))
		steps(n);
	else if (!strcmp(what, "coroutines"))
		coroutines(n);
	else if (!strcmp(what, "signals"))
		signals(n);
	else if (!strcmp(what, "threads"))
		threads(n);
	else if (!strcmp(what, "short-threads"))
		short_threads(n);
	else if (!strcmp(what, "fork"))
		forks(n);
	else if (!strcmp(what, "children"))
		children(n);
	else if (!strcmp(what, "wait-fault"))
		wait_and_work(interrupted);
	else if (!strcmp(what, "wait-child"))
		wait_and_work(child_that_stays);
	else if (!strcmp(what, "exec"))
		execute(argv[0]);
	else if (!strcmp(what, "executed"))
		printf("%ld\n", leaf(1));
	else if (!strcmp(what, "busy"))
		busy();
	else if (!strcmp(what, "wait"))
		wait_and_work(calls);
	else if (!strcmp(what, "wait-children"))
		wait_and_work(children);
	else if (!strcmp(what, "exit"))
		exit((int)ten_leaves(0) & 3);
	else
		return 2;
	return 0;
}
