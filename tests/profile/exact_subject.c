/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What exact profiles are tried on: exact_subject WHAT [...]. Its work has a known number of instructions, in functions
 * of assembly, whatever else happens: work(n) has 2 n + 1, of which n are conditional branches, and n - 1 are taken.
 *
 *	signals N    a timer interrupts the work until N signals have come; says how often work(1000) was called, and
 *	             how many signals there were
 *	threads N    so many threads, each of which works; one after the other when N is negative
 *	fork         a child works, too; exec PROGRAM ... executes that afterwards
 *	kill         works, and kills itself
 *	copy         string instructions with iterations, and conditional branches that are taken or not
 *	load A B     loads and unloads two libraries in turn, which have a function worker(n)
 *	rewrite      makes code in the same place twice, and runs it
 *	jump         longjmp out of ten calls
 *	calls N      a timer interrupts calls, direct ones and others, until N signals have come; says how many calls
 *	             of each sort there were, and how many signals
 *	switch       two coroutines, whose stacks lie beside each other, work in turn, 50 times each
 *	crowd N      N coroutines, each of which works three times: n-th with work(10 + n), from 0
 *	deep N       N calls within each other
 *	tails        functions that jump to others as their last act
 *	parts        a function of which a part lies elsewhere, to which it jumps, and which jumps back
 *	below N      forks within N calls of a function, from which both processes return
 */
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

void work(uint64_t n);
void on_signal(int number);
void copy(void *to, const void *from, uint64_t n);
uint64_t branch(uint64_t n);
extern volatile uint64_t signals_seen;

__asm__(".text\n"
	".globl work\n.type work, @function\nwork:\n"
	" .cfi_startproc\n1: dec %rdi\n jne 1b\n ret\n .cfi_endproc\n.size work, . - work\n"
	/* 2 instructions */
	".globl on_signal\n.type on_signal, @function\non_signal:\n"
	" incq signals_seen(%rip)\n ret\n.size on_signal, . - on_signal\n"
	/* 3 instructions, n loads and stores, and a load */
	".globl copy\n.type copy, @function\ncopy:\n"
	" mov %rdx, %rcx\n rep movsb\n ret\n.size copy, . - copy\n"
	/* n odd ones and even ones: each of them 3 and a half on average, with branches that leave in the middle */
	".globl branch\n.type branch, @function\nbranch:\n"
	" xor %eax, %eax\n"
	"1: test $1, %dil\n je 2f\n inc %rax\n"
	"2: dec %rdi\n jne 1b\n ret\n.size branch, . - branch\n"
	".data\n.globl signals_seen\n.type signals_seen, @object\nsignals_seen: .quad 0\n"
	".size signals_seen, 8\n.text\n");

static void interrupt(uint64_t wanted)
{
	const struct itimerval often = { { 0, 200 }, { 0, 200 } }, never = { { 0, 0 }, { 0, 0 } };
	unsigned long long rounds = 0;

	signal(SIGALRM, on_signal);
	setitimer(ITIMER_REAL, &often, NULL);
	for (; signals_seen < wanted; rounds++)
		work(1000);
	setitimer(ITIMER_REAL, &never, NULL);
	printf("%llu %llu\n", rounds, (unsigned long long)signals_seen);
}

static void *work_a_while(void *unused)
{
	(void)unused;
	work(100000);
	return NULL;
}

static void make_threads(int n)
{
	pthread_t threads[64];
	int at_once = n < 0 ? 1 : n;

	for (int i = 0; i < (n < 0 ? -n : 1); i++) {
		for (int j = 0; j < at_once && j < 64; j++)
			pthread_create(&threads[j], NULL, work_a_while, NULL);
		for (int j = 0; j < at_once && j < 64; j++)
			pthread_join(threads[j], NULL);
	}
}

static void make_child(char **program)
{
	pid_t child = fork();

	work(1000);
	if (!child)
		exit(0);
	waitpid(child, NULL, 0);
	if (program[0])
		execv(program[0], program);
}

static __attribute__((noinline)) pid_t fork_below(unsigned long n)
{
	pid_t child = n ? fork_below(n - 1) : fork();

	work(10);
	return child;
}

static void return_twice(unsigned long n)
{
	pid_t child = fork_below(n);

	work(100);
	if (child)
		waitpid(child, NULL, 0);
}

static void load(char **paths)
{
	for (unsigned i = 0; i < 6; i++) {
		void *library = dlopen(paths[i % 2], RTLD_NOW), *function = library ? dlsym(library, "worker") : NULL;
		void (*worker)(uint64_t);

		if (!function)
			exit(1);
		memcpy(&worker, &function, sizeof(worker));
		worker(1000);
		dlclose(library);
	}
}

/* mov $n, %eax; 1: dec %eax; jne 1b; ret */
static void rewrite(void)
{
	static const uint8_t code[] = { 0xb8, 0, 0, 0, 0, 0xff, 0xc8, 0x75, 0xfc, 0xc3 };
	uint8_t *place = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (*function)(void);

	if (place == MAP_FAILED)
		exit(77);
	memcpy(&function, &place, sizeof(function));
	for (uint32_t n = 1000; n <= 2000; n += 1000) {
		memcpy(place, code, sizeof(code));
		memcpy(place + 1, &n, sizeof(n));
		function();
	}
}

static jmp_buf back;

static __attribute__((noinline)) void go_down(int n)
{
	work(10);
	if (n == 0)
		longjmp(back, 1);
	if (n > 0)
		go_down(n - 1);
	__asm__ volatile("");
}

/* 1 instruction each; and 3, of which one calls. */
void leaf(void);
void other_leaf(void);
void stem(void);
__asm__(".globl leaf\n.type leaf, @function\nleaf: ret\n.size leaf, . - leaf\n"
	".globl other_leaf\n.type other_leaf, @function\nother_leaf: ret\n.size other_leaf, . - other_leaf\n"
	".globl stem\n.type stem, @function\nstem: nop\n call leaf\n ret\n.size stem, . - stem\n");

static __attribute__((noinline)) void interrupt_calls(uint64_t wanted)
{
	const struct itimerval often = { { 0, 100 }, { 0, 100 } }, never = { { 0, 0 }, { 0, 0 } };
	void (*volatile leaves[2])(void) = { leaf, other_leaf };
	unsigned long long rounds = 0;

	signal(SIGALRM, on_signal);
	setitimer(ITIMER_REAL, &often, NULL);
	for (; signals_seen < wanted; rounds++)
		for (unsigned i = 0; i < 100; i++) {
			stem();
			leaves[i % 2]();
		}
	setitimer(ITIMER_REAL, &never, NULL);
	printf("%llu %llu\n", 100 * rounds, (unsigned long long)signals_seen);
}

/* 2 instructions, and those of work(), to which it jumps; one that jumps to this; and one by a stub of a library. */
void tail(uint64_t n);
void tail_of_tail(uint64_t n);
__asm__(".globl tail\n.type tail, @function\ntail: .cfi_startproc\n nop\n jmp work\n .cfi_endproc\n"
	".size tail, . - tail\n"
	".globl tail_of_tail\n.type tail_of_tail, @function\ntail_of_tail: .cfi_startproc\n jmp tail\n"
	" .cfi_endproc\n.size tail_of_tail, . - tail_of_tail\n");

/* 2 instructions, and those of work(), to which it goes by a condition. */
void tail_if(uint64_t n);
__asm__(".globl tail_if\n.type tail_if, @function\ntail_if: .cfi_startproc\n test %rdi, %rdi\n jnz work\n ret\n"
	" .cfi_endproc\n.size tail_if, . - tail_if\n");

/* 1 instruction, and those of work(); it looks as a linker's stub does. */
void like_stub(uint64_t n);
extern void (*stub_target)(uint64_t n);
void (*stub_target)(uint64_t n) = work;
__asm__(".globl like_stub\n.type like_stub, @function\nlike_stub: .cfi_startproc\n jmp *stub_target(%rip)\n"
	" .cfi_endproc\n.size like_stub, . - like_stub\n");

/* 7 instructions, of which 2 are elsewhere, as compilers have it for what seldom runs; and those of work(). */
void parted(uint64_t n);
__asm__(".globl parted\n.type parted, @function\nparted: .cfi_startproc\n push %rbx\n .cfi_def_cfa_offset 16\n"
	" .cfi_offset %rbx, -16\n jmp parted_cold\n.Lparted_back: call work\n pop %rbx\n .cfi_def_cfa_offset 8\n ret\n"
	" .cfi_endproc\n.size parted, . - parted\n"
	".type parted_cold, @function\nparted_cold: .cfi_startproc\n .cfi_def_cfa_offset 16\n .cfi_offset %rbx, -16\n"
	" nop\n jmp .Lparted_back\n .cfi_endproc\n.size parted_cold, . - parted_cold\n");

static ucontext_t main_context, coroutines[2];
static _Alignas(16) char coroutine_stacks[2][32768];

static void cooperate(int which)
{
	for (unsigned i = 0; i < 50; i++) {
		work(which ? 100 : 1000);
		swapcontext(&coroutines[which], &coroutines[!which]);
	}
}

static __attribute__((noinline)) void switch_stacks(void)
{
	for (int i = 0; i < 2; i++) {
		getcontext(&coroutines[i]);
		coroutines[i].uc_stack = (stack_t){ .ss_sp = coroutine_stacks[i],
			.ss_size = sizeof(coroutine_stacks[i]) };
		coroutines[i].uc_link = &main_context;
		makecontext(&coroutines[i], (void (*)(void))cooperate, 1, i);
	}
	swapcontext(&main_context, &coroutines[1]);
	work(10);
}

/* Each has a stack of its own, and all of them wait for each other. */
static ucontext_t *crowd;
static int in_crowd;

static void take_turns(int which)
{
	for (unsigned i = 0; i < 3; i++) {
		work(10 + (unsigned)which);
		swapcontext(&crowd[which], which + 1 < in_crowd ? &crowd[which + 1] : &main_context);
	}
}

static __attribute__((noinline)) void switch_crowd(int n)
{
	crowd = calloc((size_t)n, sizeof(*crowd));
	in_crowd = n;
	for (int i = 0; i < n; i++) {
		getcontext(&crowd[i]);
		crowd[i].uc_stack = (stack_t){ .ss_sp = malloc(65536), .ss_size = 65536 };
		crowd[i].uc_link = &main_context;
		makecontext(&crowd[i], (void (*)(void))take_turns, 1, i);
	}
	for (unsigned i = 0; i < 3; i++)
		swapcontext(&main_context, &crowd[0]);
}

static __attribute__((noinline)) void nest(unsigned long n)
{
	if (n)
		nest(n - 1);
	else
		work(10);
	__asm__ volatile("");
}

static void *nest_in_thread(void *n)
{
	nest(*(const unsigned long *)n);
	return NULL;
}

static void go_deep(unsigned long n)
{
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 256 << 20);
	pthread_create(&thread, &attributes, nest_in_thread, &n);
	pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	static char from[4096], to[4096];

	if (!strcmp(what, "signals"))
		interrupt(strtoul(argv[2], NULL, 10));
	else if (!strcmp(what, "threads"))
		make_threads((int)strtol(argv[2], NULL, 10));
	else if (!strcmp(what, "calls"))
		interrupt_calls(strtoul(argv[2], NULL, 10));
	else if (!strcmp(what, "switch"))
		switch_stacks();
	else if (!strcmp(what, "crowd"))
		switch_crowd((int)strtol(argv[2], NULL, 10));
	else if (!strcmp(what, "tails"))
		for (unsigned i = 0; i < 100; i++) {
			tail_of_tail(10);
			like_stub(10);
			tail_if(10);
		}
	else if (!strcmp(what, "parts"))
		for (unsigned i = 0; i < 100; i++)
			parted(10);
	else if (!strcmp(what, "deep"))
		go_deep(strtoul(argv[2], NULL, 10));
	else if (!strcmp(what, "fork"))
		make_child(argv + 2);
	else if (!strcmp(what, "below"))
		return_twice(strtoul(argv[2], NULL, 10));
	else if (!strcmp(what, "load"))
		load(argv + 2);
	else if (!strcmp(what, "rewrite"))
		rewrite();
	else if (!strcmp(what, "jump") && !setjmp(back))
		go_down(9);
	if (!strcmp(what, "copy"))
		copy(to, from, sizeof(to));
	if (!strcmp(what, "copy"))
		branch(1001);
	if (!strcmp(what, "kill")) {
		work(500000);
		raise(SIGKILL);
	}
	return 0;
}
