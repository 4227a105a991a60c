/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program with regions, for profiles: regions_subject WHAT [N]. work(n) has 2 n + 1 instructions.
 *
 *	nested       regions within each other, and a thread that has some of its own
 *	many N       so many regions with different names
 *	often N      a region that is begun and ended so often, while a timer interrupts
 *	descend N    calls itself so often, with a region at each level within another one
 *	resume       a coroutine that goes on in another region
 *	fork         a child that works outside, and in a region of its own, while its parent is in one
 *	kill         works in a region, and kills itself
 *	stop         regions that something else ends: that around them, and PAPI_hl_stop()
 *	pages N      touches N new pages in one region, twice as many in another, thrice outside; and a thread, too
 *	switch N     two regions, begun and ended in turn N times, and then N pages in a third
 *	forever      says ready, and works in two threads, twice as much in a region as outside, until it is ended
 *	exec PROGRAM ...    executes that in a region
 */
#include <papi.h>
#include <pthread.h>
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

#define PAGE 4096

/* A function by itself, under its own name. */
#ifdef __clang__
#define WHOLE __attribute__((noinline, optnone))
#else
#define WHOLE __attribute__((noipa))
#endif

void work(uint64_t n); /* in work_*.S */

static WHOLE void begin(const char *name)
{
	if (PAPI_hl_region_begin(name) != PAPI_OK)
		exit(1);
}

static WHOLE void end(const char *name)
{
	if (PAPI_hl_region_end(name) != PAPI_OK)
		exit(1);
}

static WHOLE void work_in(const char *name, uint64_t n)
{
	begin(name);
	work(n);
	end(name);
}

static void *thread(void *unused)
{
	work(50);
	work_in("inner", 700);
	return unused;
}

static WHOLE void nested(void)
{
	pthread_t other;

	work(1000);
	begin("outer");
	work(2000);
	work_in("inner", 3000);
	work(4000);
	if (pthread_create(&other, NULL, thread, NULL) != 0 || pthread_join(other, NULL) != 0)
		exit(1);
	end("outer");
	work(5000);
}

static void many(int n)
{
	char name[32];

	for (int round = 0; round < 2; round++)
		for (int i = 0; i < n; i++) {
			snprintf(name, sizeof(name), "region %d", i);
			work_in(name, 100);
		}
}

/* Microseconds between signals. An emulated processor may take half a millisecond for one. */
#ifdef __aarch64__
#define PERIOD 2000
#else
#define PERIOD 500
#endif

static void on_signal(int number)
{
	(void)number;
	work(20);
}

static WHOLE void often(int n)
{
	const struct itimerval timer = { { 0, PERIOD }, { 0, PERIOD } }, none = { { 0, 0 }, { 0, 0 } };

	signal(SIGALRM, on_signal);
	setitimer(ITIMER_REAL, &timer, NULL);
	for (int i = 0; i < n; i++) {
		work_in("often", 10);
		work_in("also", 5);
	}
	setitimer(ITIMER_REAL, &none, NULL);
}

static WHOLE void descend(int n)
{
	work_in("level", 10);
	if (n)
		descend(n - 1);
	work(3);
}

static ucontext_t first, second;

static WHOLE void inside(void)
{
	work(100);
	swapcontext(&second, &first);
	work(200);
}

static WHOLE void coroutine(void)
{
	inside();
	swapcontext(&second, &first);
}

static void resume(void)
{
	static char stack[1 << 16];

	if (getcontext(&second) != 0)
		exit(1);
	second.uc_stack.ss_sp = stack;
	second.uc_stack.ss_size = sizeof(stack);
	makecontext(&second, coroutine, 0);
	swapcontext(&first, &second);
	begin("resumed");
	swapcontext(&first, &second);
	end("resumed");
}

static void with_child(void)
{
	pid_t child;

	begin("parent");
	child = fork();
	if (child == 0) {
		work(300);
		work_in("child", 400);
		exit(0);
	}
	waitpid(child, NULL, 0);
	work(500);
	end("parent");
}

static void end_otherwise(void)
{
	begin("first");
	begin("within");
	work(100);
	end("first");
	work(200);
	begin("second");
	work(300);
	if (PAPI_hl_stop() != PAPI_OK)
		exit(1);
	work(400);
	work_in("first", 500);
}

static WHOLE void touch(int n)
{
	char *memory = mmap(NULL, (size_t)n * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED || madvise(memory, (size_t)n * PAGE, MADV_NOHUGEPAGE) != 0)
		exit(1);
	for (int i = 0; i < n; i++)
		((volatile char *)memory)[(size_t)i * PAGE] = 1;
	munmap(memory, (size_t)n * PAGE);
}

static void touch_all(int n)
{
	touch(3 * n);
	begin("around");
	touch(n);
	begin("within");
	touch(2 * n);
	end("within");
	end("around");
}

static void *touch_in_thread(void *n)
{
	touch_all(*(int *)n);
	return n;
}

static void pages(int n)
{
	pthread_t other;

	touch_all(n);
	begin("of the first thread");
	if (pthread_create(&other, NULL, touch_in_thread, &n) != 0 || pthread_join(other, NULL) != 0)
		exit(1);
	end("of the first thread");
}

static void change(int n)
{
	for (int i = 0; i < n; i++) {
		begin("one");
		begin("two");
		end("two");
		end("one");
	}
	begin("three");
	touch(n);
	end("three");
}

static void *work_for_ever(void *unused)
{
	for (;;) {
		work(50000);
		work_in("loop", 100000);
	}
	return unused;
}

static void forever(void)
{
	pthread_t other;

	puts("ready");
	fflush(stdout);
	if (pthread_create(&other, NULL, work_for_ever, NULL) != 0)
		exit(1);
	work_for_ever(NULL);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "nested";
	int n = argc > 2 ? atoi(argv[2]) : 1;

	if (strcmp(what, "many") == 0) {
		many(n);
	} else if (strcmp(what, "often") == 0) {
		often(n);
	} else if (strcmp(what, "descend") == 0) {
		begin("around");
		descend(n);
		end("around");
	} else if (strcmp(what, "resume") == 0) {
		resume();
	} else if (strcmp(what, "fork") == 0) {
		with_child();
	} else if (strcmp(what, "kill") == 0) {
		begin("last");
		work(100000);
		kill(getpid(), SIGKILL);
	} else if (strcmp(what, "pages") == 0) {
		pages(n);
	} else if (strcmp(what, "forever") == 0) {
		forever();
	} else if (strcmp(what, "switch") == 0) {
		change(n);
	} else if (strcmp(what, "exec") == 0 && argc > 2) {
		begin("before");
		touch(100);
		execv(argv[2], argv + 2);
		return 1;
	} else if (strcmp(what, "stop") == 0) {
		end_otherwise();
	} else {
		nested();
	}
	return 0;
}
