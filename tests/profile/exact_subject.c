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

/* In work_*.S; what follows is in exact_subject_*.S. */
void work(uint64_t n);
/* Adds 1 to signals_seen: it stores once. */
void on_signal(int number);
/* n loads and n stores, besides what a return takes. */
void copy(void *to, const void *from, uint64_t n);
/* n odd ones and even ones: each of them 4 and a half on average, with branches that leave in the middle. */
void branch(uint64_t n);
/* 1 instruction each; and one that calls leaf() once. */
void leaf(void);
void other_leaf(void);
void stem(void);
/* 2 instructions, and those of work(), to which it jumps; one that jumps to this; and 2, and those of work(), to which
 * it goes by a condition. */
void tail(uint64_t n);
void tail_of_tail(uint64_t n);
void tail_if(uint64_t n);
/* Looks as a linker's stub does, and leads to work(). */
void like_stub(uint64_t n);
/* 7 instructions, of which 2 are elsewhere, as compilers have it for what seldom runs; and those of work(). */
void parted(uint64_t n);
/* Code of 4 instructions, from one label to the next, which takes 2 n + 2: n is 1000, and 2000. */
extern const uint8_t made[], made_again[], made_end[];

volatile uint64_t signals_seen;
void (*stub_target)(uint64_t n) = work;

/* Of microseconds. An emulated processor may take half a millisecond for a signal. */
#ifdef __aarch64__
#define OFTEN      4000
#define MORE_OFTEN 2000
#else
#define OFTEN      200
#define MORE_OFTEN 100
#endif

static void interrupt(uint64_t wanted)
{
	const struct itimerval often = { { 0, OFTEN }, { 0, OFTEN } }, never = { { 0, 0 }, { 0, 0 } };
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

static void rewrite(void)
{
	uint8_t *place = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const uint8_t *const codes[] = { made, made_again, made_end };
	void (*function)(void);

	if (place == MAP_FAILED)
		exit(77);
	memcpy(&function, &place, sizeof(function));
	for (unsigned i = 0; i < 2; i++) {
		memcpy(place, codes[i], (size_t)(codes[i + 1] - codes[i]));
		__builtin___clear_cache((char *)place, (char *)place + 4096);
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

static __attribute__((noinline)) void interrupt_calls(uint64_t wanted)
{
	const struct itimerval often = { { 0, MORE_OFTEN }, { 0, MORE_OFTEN } }, never = { { 0, 0 }, { 0, 0 } };
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
