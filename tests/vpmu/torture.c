/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Everything at once, for a second or for minutes: threads start and stop regions, each interrupted by a timer of its
 * own at up to 10 kHz, with faults that are jumped out of, nested handlers on alternate stacks, code that is rewritten,
 * and, where PAPI_VPMU_BLOCKS is small, a cache of code that is emptied all the time. Results and counts are checked.
 *
 *	test_vpmu_torture [seconds [threads [slowness]]]
 *
 * So much slower is this machine, and longer are the intervals.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "processor.h"
#include "random.h"
#include "virtual.h"

#define ALTERNATE 131072

static double seconds;
static long slowness = 1;
static struct timespec began;
static atomic_ulong regions, handled, faults, nested;
static atomic_bool wrong;

static _Thread_local volatile uint64_t ticks;
static _Thread_local sigjmp_buf back;
static _Thread_local uint64_t chance;

static unsigned below(unsigned n)
{
	return (unsigned)next_random(&chance) % n;
}

static bool over(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return atomic_load(&wrong) ||
		(double)(now.tv_sec - began.tv_sec) + 1e-9 * (double)(now.tv_nsec - began.tv_nsec) > seconds;
}

/* ---- handlers ---- */

static void on_timer(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	(void)context;
	ticks++;
}

static void on_fault(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	atomic_fetch_add(&faults, 1);
	siglongjmp(back, (int)((uintptr_t)info->si_addr >> 3) + 1);
}

/* Skips the instruction and answers in a register. */
static void on_illegal(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	processor_set_pc(context, processor_pc(context) + ILLEGAL_SIZE);
	*processor_register(context, REGISTER_9) = *processor_register(context, REGISTER_8) * 3;
}

static void on_nested(int number, siginfo_t *info, void *context)
{
	(void)info;
	(void)context;
	atomic_fetch_add(&nested, 1);
	if (number < SIGRTMIN + 4)
		raise(number + 1);
}

static void handle(int number, void (*handler)(int, siginfo_t *, void *), int flags)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags };

	REQUIRE(sigaction(number, &action, NULL) == 0);
}

static void install(void)
{
	handle(SIGUSR1, on_timer, SA_RESTART | SA_ONSTACK);
	handle(SIGSEGV, on_fault, SA_ONSTACK);
	handle(SIGILL, on_illegal, 0);
	for (int number = SIGRTMIN + 1; number <= SIGRTMIN + 4; number++)
		handle(number, on_nested, number & 1 ? SA_ONSTACK : 0);
}

/* ---- work ---- */

static uint64_t calculate(unsigned rounds)
{
	uint64_t sum = 1;

#ifdef __aarch64__
	__asm__ volatile("1:	mov	x9, #31\n"
			 "	mul	%0, %0, x9\n"
			 "	adds	%w0, %w0, %w1\n"
			 "	mov	x9, #7\n"
			 "	adc	%0, %0, x9\n"
			 "	str	%0, [sp, #-16]!\n"
			 "	ror	%0, %0, #53\n"
			 "	ldr	x9, [sp]\n"
			 "	eor	%0, %0, x9\n"
			 "	ldr	x15, [sp], #16\n"
			 "	add	%0, %0, x15, lsl #3\n"
			 "	subs	%w1, %w1, #1\n"
			 "	b.ne	1b\n"
			 : "+r"(sum), "+r"(rounds)
			 :
			 : "x9", "x15", "cc", "memory");
#else
	__asm__ volatile("1:	imul	$31, %0, %0\n"
			 "	add	%1, %k0\n"
			 "	adc	$7, %0\n"
			 "	push	%0\n"
			 "	rol	$11, %0\n"
			 "	xor	(%%rsp), %0\n"
			 "	pop	%%rcx\n"
			 "	dec	%1\n"
			 "	jnz	1b\n"
			 : "+r"(sum), "+r"(rounds)
			 :
			 : "rcx", "cc", "memory");
#endif
	return sum;
}

static void fault(unsigned number)
{
	volatile unsigned at = number;
	int value = sigsetjmp(back, 1);

	if (!value) {
		*(volatile int *)(uintptr_t)(8 * at) = 1;
		abort();
	}
	if (value != (int)at + 1)
		atomic_store(&wrong, true);
}

static uint64_t ask_handler(uint64_t number)
{
	uint64_t answer;

#ifdef __aarch64__
	__asm__ volatile("mov x8, %1; " ILLEGAL "; mov %0, x9" : "=r"(answer) : "r"(number) : "x8", "x9");
#else
	__asm__ volatile("mov %1, %%r8; " ILLEGAL "; mov %%r9, %0" : "=r"(answer) : "r"(number) : "r8", "r9");
#endif
	return answer;
}

static _Thread_local unsigned char *page;

static uint32_t rewritten(uint32_t number)
{
	unsigned char *code = page + 16 * (number % 5);

	processor_write_function(code, number);
	processor_code_written(code, FUNCTION_SIZE);
	return ((uint32_t(*)(void))(uintptr_t)code)();
}

struct round {
	unsigned sort, size;
	uint64_t result;
	uint64_t ticks; /* between the beginning and the end of the work */
};

static void work(void *argument)
{
	struct round *round = argument;
	uint64_t before = ticks;

	switch (round->sort) {
	case 0:
		round->result = calculate(round->size * 100 + 1);
		break;
	case 1:
		for (unsigned i = 0; i < round->size / 8 + 1; i++)
			fault(i & 15);
		round->result = round->size;
		break;
	case 2:
		round->result = 0;
		for (unsigned i = 0; i < round->size / 8 + 1; i++)
			round->result += ask_handler(i);
		break;
	case 3:
		round->result = 0;
		for (uint32_t i = 0; i < round->size; i++)
			round->result += rewritten(i);
		break;
	default:
		raise(SIGRTMIN + 1);
		round->result = calculate(round->size + 1);
		break;
	}
	round->ticks = ticks - before;
}

/* ---- threads ---- */

static timer_t start_timer(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1 };
	long interval = slowness * (100000 + (long)below(400000));
	struct itimerspec times = { { 0, interval }, { 0, interval } };
	timer_t timer;

	event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer)) {
		printf("no timer can be made: %s\n", strerror(errno)); /* others' signals use up the user's limit */
		exit(errno == EAGAIN ? 77 : 1);
	}
	REQUIRE(timer_settime(timer, 0, &times, NULL) == 0);
	return timer;
}

/*
 * What the handler of the timer counts each time: nothing else but ticks is different between two runs. Those during
 * the work have been counted, those while the library starts and stops have not, and of the few between nobody knows.
 */
static bool explained(const struct counts *quiet, const struct counts *got, uint64_t least, const struct counts *tick)
{
	for (unsigned i = 0; i < EVENTS; i++) {
		long long extra = got->of[i] - quiet->of[i];

		if (extra < (long long)least * tick->of[i] || extra > (long long)ticks * tick->of[i])
			return false;
		if (tick->of[i] && extra % tick->of[i])
			return false;
	}
	return true;
}

static void raise_timer(void *unused)
{
	(void)unused;
	syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGUSR1);
}

static void raise_nothing(void *unused)
{
	(void)unused;
	syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), 0);
}

static struct counts measure_tick(void)
{
	struct counts with, without;

	for (unsigned i = 0; i < 3; i++) {
		with = virtual_count(raise_timer, NULL);
		without = virtual_count(raise_nothing, NULL);
	}
	for (unsigned i = 0; i < EVENTS; i++)
		with.of[i] -= without.of[i];
	return with;
}

static void fail(const char *what, const struct round *round, const struct counts *quiet, const struct counts *got)
{
	if (atomic_exchange(&wrong, true))
		return;
	printf("%s: sort %u, size %u, result %llx, %llu ticks\n", what, round->sort, round->size,
		(unsigned long long)round->result, (unsigned long long)ticks);
	virtual_same("counts", *quiet, *got);
}

static void *torture(void *number)
{
	static _Thread_local char alternate[ALTERNATE];
	stack_t stack = { .ss_sp = alternate, .ss_size = sizeof(alternate) };
	struct counts tick, quiet, got;
	timer_t timer;

	chance = (uintptr_t)number * 977 + 1;
	sigaltstack(&stack, NULL);
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	REQUIRE(page != MAP_FAILED);
	tick = measure_tick();
	while (!over()) {
		struct round round = { .sort = below(5), .size = 1 + below(200) };
		uint64_t result;

		work(&round);
		result = round.result;
		virtual_count(work, &round);
		quiet = virtual_count(work, &round);
		timer = start_timer();
		for (unsigned i = 0; i < 20 && !over(); i++) {
			ticks = 0;
			got = virtual_count(work, &round);
			atomic_fetch_add(&regions, 1);
			atomic_fetch_add(&handled, ticks);
			if (round.result != result)
				fail("another result", &round, &quiet, &got);
			if (!explained(&quiet, &got, round.ticks, &tick))
				fail("counts that nothing explains", &round, &quiet, &got);
		}
		timer_delete(timer);
	}
	munmap(page, 4096);
	stack.ss_flags = SS_DISABLE;
	sigaltstack(&stack, NULL);
	return NULL;
}

/* Short threads in regions of their own, whose blocks of memory are used by one after the other; made in a region. */
static void *short_life(void *unused)
{
	struct round round = { .sort = 0, .size = 10 };

	virtual_count(work, &round);
	virtual_forget(); /* there are only so many */
	return unused;
}

static void make_short_ones(void *unused)
{
	pthread_t thread;

	(void)unused;
	for (unsigned i = 0; i < 10 && !over(); i++)
		if (pthread_create(&thread, NULL, short_life, NULL) == 0)
			pthread_join(thread, NULL);
}

int main(int count, char **arguments)
{
	unsigned n = count > 2 ? (unsigned)atoi(arguments[2]) : 3;
	pthread_t threads[64];

	if (!virtual_begin())
		return 77;
	if (count > 3)
		slowness = strtol(arguments[3], NULL, 10);
	seconds = virtual_seconds(count, arguments);
	if (seconds == 0)
		seconds = 2;
	clock_gettime(CLOCK_MONOTONIC, &began);
	install();
	for (unsigned i = 0; i < n && i < COUNT_OF(threads); i++)
		REQUIRE(pthread_create(&threads[i], NULL, torture, (void *)(uintptr_t)(i + 1)) == 0);
	while (!over())
		virtual_count(make_short_ones, NULL);
	for (unsigned i = 0; i < n && i < COUNT_OF(threads); i++)
		pthread_join(threads[i], NULL);
	printf("%lu regions, %lu signals of timers, %lu faults, %lu nested handlers\n", atomic_load(&regions),
		atomic_load(&handled), atomic_load(&faults), atomic_load(&nested));
	EXPECT(atomic_load(&regions) > 10 && atomic_load(&faults) > 10);
	return atomic_load(&wrong) || check_failures() ? 1 : 0;
}
