/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Many signals at once in regions that are counted virtually, and what handlers are told about faults: all is as it is
 * natively.
 *
 *	test_vpmu_floods [NANOSECONDS [ROUNDS]]	between signals that are sent all the time, and of the work meanwhile
 */
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "processor.h"
#include "virtual.h"

/* ---- those that have waited ---- */

#define FLOOD 300

/* What happened, in order: a handler begins with its number, and ends with its negative. */
static struct record {
	int entries[2 * FLOOD];
	unsigned n;
	sigset_t mask; /* behind it all */
} record;

static void enter(int number)
{
	if (record.n < 2 * FLOOD)
		record.entries[record.n] = number;
	record.n++;
}

static void note(int number, siginfo_t *info, void *context)
{
	(void)info;
	(void)context;
	enter(number);
	enter(-number);
}

/* glibc has two for itself; nobody can have SIGKILL and SIGSTOP; a stop signal takes SIGCONT back. */
static bool can_be_tried(int number)
{
	return number != SIGKILL && number != SIGSTOP && number != SIGTSTP && number != SIGTTIN && number != SIGTTOU &&
		(number < 32 || number >= SIGRTMIN);
}

static void handle_all(void (*handler)(int, siginfo_t *, void *))
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = handler ? SA_SIGINFO : 0 };

	for (int number = 1; number <= SIGRTMAX; number++)
		if (can_be_tried(number))
			REQUIRE(sigaction(number, &action, NULL) == 0);
}

/* The signals that raise() has left come at one time. */
static void let_come(void *unused)
{
	sigset_t all;

	(void)unused;
	sigfillset(&all);
	pthread_sigmask(SIG_UNBLOCK, &all, NULL);
	pthread_sigmask(SIG_SETMASK, NULL, &record.mask);
}

static void block_all(void)
{
	sigset_t all;

	memset(&record, 0, sizeof(record));
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
}

static struct record flood_with_all(bool counted)
{
	block_all();
	for (int number = 1; number <= SIGRTMAX; number++)
		if (can_be_tried(number))
			raise(number);
	if (counted)
		virtual_count(let_come, NULL);
	else
		let_come(NULL);
	return record;
}

static bool same(const struct record *expected, const struct record *got)
{
	EXPECT_EQUAL(expected->n, got->n);
	EXPECT(!memcmp(&expected->mask, &got->mask, 8)); /* the kernel's part */
	for (unsigned i = 0; i < expected->n && i < 2 * FLOOD; i++)
		if (!EXPECT_EQUAL(expected->entries[i], got->entries[i]))
			return false;
	return true;
}

static void test_all_at_once(void)
{
	struct record natively, counted;

	handle_all(note);
	natively = flood_with_all(false);
	EXPECT(natively.n > 2 * 50);
	for (unsigned i = 0; i < 5; i++) {
		counted = flood_with_all(true);
		/* Those for faults come to the engine before it has blocked them: their turn may be another. */
		EXPECT_EQUAL(natively.n, counted.n);
		EXPECT(!memcmp(&natively.mask, &counted.mask, 8));
	}
	handle_all(NULL);
}

/* Of one number, each interrupts the one before it. */
static void nest(int number, siginfo_t *info, void *context)
{
	sigset_t now;

	(void)context;
	enter(info->si_value.sival_int);
	pthread_sigmask(SIG_BLOCK, NULL, &now);
	EXPECT(!sigismember(&now, number) && sigismember(&now, SIGHUP));
	enter(-info->si_value.sival_int);
}

static struct record flood_with_one(bool counted)
{
	block_all();
	for (int i = 1; i <= FLOOD; i++)
		REQUIRE(sigqueue(getpid(), SIGRTMIN + 2, (union sigval){ .sival_int = i }) == 0);
	if (counted)
		virtual_count(let_come, NULL);
	else
		let_come(NULL);
	return record;
}

static void test_no_defer(void)
{
	struct sigaction action = { .sa_sigaction = nest, .sa_flags = SA_SIGINFO | SA_NODEFER };
	struct record natively, counted;

	sigemptyset(&action.sa_mask);
	sigaddset(&action.sa_mask, SIGHUP);
	REQUIRE(sigaction(SIGRTMIN + 2, &action, NULL) == 0);
	natively = flood_with_one(false);
	EXPECT_EQUAL(2 * FLOOD, natively.n);
	EXPECT_EQUAL(FLOOD, natively.entries[0]); /* the last of them runs first */
	for (unsigned i = 0; i < 5; i++) {
		counted = flood_with_one(true);
		EXPECT(same(&natively, &counted));
	}
	signal(SIGRTMIN + 2, SIG_DFL);
}

/* A child of vfork shares its parent's memory, and runs natively. */
static void flood_child(void *status)
{
	pid_t child = vfork();

	if (child == 0) {
		for (int i = 1; i <= 20; i++)
			sigqueue(getpid(), SIGRTMIN + 2, (union sigval){ .sival_int = i });
		let_come(NULL);
		_exit(record.n == 40 && record.entries[0] == 20 ? 0 : 1);
	}
	waitpid(child, status, 0);
}

static void test_no_defer_in_child(void)
{
	struct sigaction action = { .sa_sigaction = nest, .sa_flags = SA_SIGINFO | SA_NODEFER };
	int status = -1;

	sigemptyset(&action.sa_mask);
	sigaddset(&action.sa_mask, SIGHUP);
	REQUIRE(sigaction(SIGRTMIN + 2, &action, NULL) == 0);
	block_all();
	virtual_count(flood_child, &status);
	EXPECT_EQUAL(0, status);
	let_come(NULL);
	signal(SIGRTMIN + 2, SIG_DFL);
}

/* ---- those for faults, but sent ---- */

static pthread_t target;
static atomic_bool over;
static volatile unsigned arrived;
/* Between two of them, in nanoseconds: where one takes longer, nothing else is done. */
static long gap;
static unsigned long rounds = 20000;
#define MOST_FLOODS 10000

/* An emulator is slow, and with one processor the sender leaves little of it. */
static long usual_gap(void)
{
	return processor_is_emulated() || sysconf(_SC_NPROCESSORS_ONLN) == 1 ? 2000000 : 0;
}

static void count_arrived(int number)
{
	(void)number;
	arrived++;
}

static const int faults[] = { SIGSEGV, SIGTRAP, SIGBUS, SIGFPE, SIGILL };

static void *send_often(void *unused)
{
	(void)unused;
	for (unsigned i = 0; !over; i++) {
		pthread_kill(target, faults[i % 5]);
		if (gap)
			nanosleep(&(struct timespec){ 0, gap }, NULL);
	}
	return NULL;
}

/* Half of the time the engine works for it. */
static void work(void *sum)
{
	struct sigaction action;
	uint64_t *total = sum;

	*total = 0;
	for (unsigned long i = 0; i < rounds; i++) {
		*total += (uint64_t)sigaction(SIGUSR1, NULL, &action) + i;
		for (unsigned j = 0; j < 20; j++)
			*total ^= *total << 7 ^ j;
	}
}

static void test_faults_that_are_sent(void)
{
	uint64_t natively, counted = 0;
	pthread_t sender;
	sigset_t before, after;

	for (unsigned i = 0; i < 5; i++)
		signal(faults[i], count_arrived);
	work(&natively);
	target = pthread_self();
	over = false;
	arrived = 0;
	pthread_sigmask(SIG_BLOCK, NULL, &before);
	REQUIRE(pthread_create(&sender, NULL, send_often, NULL) == 0);
	/* On a busy machine the sender may not have begun when all is done. */
	for (unsigned i = 0; i < 5 || (!arrived && i < MOST_FLOODS); i++) {
		virtual_count(work, &counted);
		EXPECT(counted == natively);
	}
	over = true;
	pthread_join(sender, NULL);
	pthread_sigmask(SIG_BLOCK, NULL, &after);
	EXPECT(arrived > 0);
	EXPECT(!memcmp(&before, &after, 8));
	for (unsigned i = 0; i < 5; i++)
		signal(faults[i], SIG_DFL);
}

/* ---- the same, by timers: one at a time, at any place of the way back from the handler of the one before ---- */

static timer_t timers[5];
static volatile unsigned left;

static void come_again(int number)
{
	static uint32_t random = 4711;

	(void)number;
	if (!left)
		return;
	left--;
	random = random * 1664525 + 1013904223;
	/* As often some hundred nanoseconds as some hundred thousand. */
	timer_settime(timers[left % 5], 0,
		&(struct itimerspec){ .it_value.tv_nsec = 1 + (long)((random >> 8) % (512u << (random >> 28) % 12)) },
		NULL);
}

static void work_until_none_is_left(void *differences)
{
	unsigned *n = differences;
	uint64_t first, again;

	work(&first);
	for (unsigned long i = 0; left && i < 1000000; i++) { /* hundreds of times what it takes */
		work(&again);
		*n += again != first;
	}
}

static void test_faults_at_ends_of_handlers(void)
{
	const unsigned long all_rounds = rounds;
	unsigned differences = 0;
	sigset_t before, after;

	for (unsigned i = 0; i < 5; i++) {
		struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = faults[i] };

		event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
		signal(faults[i], come_again);
		REQUIRE(timer_create(CLOCK_MONOTONIC, &event, &timers[i]) == 0);
	}
	rounds = 10;
	pthread_sigmask(SIG_BLOCK, NULL, &before);
	for (unsigned i = 0; i < 5; i++) {
		left = (unsigned)(all_rounds / 50);
		raise(faults[i]);
		virtual_count(work_until_none_is_left, &differences);
		pthread_sigmask(SIG_BLOCK, NULL, &after);
		EXPECT(!memcmp(&before, &after, 8));
		EXPECT_EQUAL(0, left);
		for (unsigned j = 0; j < 5; j++) /* the last one is to come now, or not at all */
			timer_settime(timers[j], 0, &(struct itimerspec){ .it_value.tv_nsec = 0 }, NULL);
	}
	EXPECT_EQUAL(0, differences);
	rounds = all_rounds;
	for (unsigned i = 0; i < 5; i++) {
		timer_delete(timers[i]);
		signal(faults[i], SIG_DFL);
	}
}

/* ---- what handlers are told ---- */

static volatile struct told {
	int number, code;
	uintptr_t address, pc;
} told;

static void note_fault(int number, siginfo_t *info, void *context)
{
	told = (struct told){ number, info->si_code, (uintptr_t)info->si_addr, processor_pc(context) };
	processor_set_pc(context, told.pc + ILLEGAL_SIZE); /* the others are as long */
}

static __attribute__((noinline)) void do_illegal(void *unused)
{
	(void)unused;
	__asm__ volatile(ILLEGAL);
}

#ifdef __aarch64__
static __attribute__((noinline)) void do_other(void *unused)
{
	(void)unused;
	__asm__ volatile(BREAKPOINT);
}
#else
static __attribute__((noinline)) void do_other(void *unused)
{
	(void)unused;
	__asm__ volatile("xor %%ecx, %%ecx; mov $1, %%eax; cltd; idiv %%ecx" : : : "rax", "rcx", "rdx", "cc");
}
#endif

static void test_addresses_of_faults(void)
{
	static void (*const causes[])(void *) = { do_illegal, do_other };
	struct sigaction action = { .sa_sigaction = note_fault, .sa_flags = SA_SIGINFO };
	struct told natively;

	sigaction(SIGILL, &action, NULL);
	sigaction(SIGFPE, &action, NULL);
	sigaction(SIGTRAP, &action, NULL);
	for (unsigned i = 0; i < COUNT_OF(causes); i++) {
		causes[i](NULL);
		natively = told;
		EXPECT(natively.address == natively.pc);
		told = (struct told){ 0 };
		virtual_count(causes[i], NULL);
		EXPECT_EQUAL(natively.number, told.number);
		EXPECT_EQUAL(natively.code, told.code);
		EXPECT(told.address == natively.address && told.pc == natively.pc);
	}
	signal(SIGILL, SIG_DFL);
	signal(SIGFPE, SIG_DFL);
	signal(SIGTRAP, SIG_DFL);
}

/* ---- branches to what is no address ---- */

/* A call, a jump, a return, and one that takes arguments away, or is to another register; wild_end is where the handler
 * goes on. */
void wild_branch(unsigned kind);
extern char wild_end[];
static uintptr_t wild_stack __attribute__((used));
#ifdef __aarch64__
__asm__("	.text\n"
	"	.type	wild_branch, %function\n"
	"wild_branch:\n"
	"	mov	x11, sp\n"
	"	adrp	x10, wild_stack\n"
	"	str	x11, [x10, :lo12:wild_stack]\n"
	"	mov	x11, x30\n"
	"	ldr	x10, =0x41414141414140\n"
	"	cmp	w0, #1\n"
	"	b.eq	1f\n"
	"	cmp	w0, #2\n"
	"	b.eq	2f\n"
	"	cmp	w0, #3\n"
	"	b.eq	3f\n"
	"	blr	x10\n"
	"1:	br	x10\n"
	"2:	mov	x30, x10\n"
	"	ret\n"
	"3:	ret	x10\n"
	"	.ltorg\n"
	"	.globl	wild_end\n"
	"wild_end:\n"
	"	ret	x11\n"
	"	.size	wild_branch, . - wild_branch\n");
#else
__asm__("	.text\n"
	"wild_branch:\n"
	"	mov	%rsp, wild_stack(%rip)\n"
	"	movabs	$0x4141414141414141, %rax\n"
	"	cmp	$1, %edi\n"
	"	je	1f\n"
	"	cmp	$2, %edi\n"
	"	je	2f\n"
	"	cmp	$3, %edi\n"
	"	je	3f\n"
	"	push	%rax\n"
	"	call	*(%rsp)\n"
	"1:	jmp	*%rax\n"
	"2:	push	%rax\n"
	"	ret\n"
	"3:	push	%rax\n"
	"	push	%rax\n"
	"	ret	$8\n"
	"	.globl	wild_end\n"
	"wild_end:\n"
	"	ret\n"
	"	.text\n");
#endif

static volatile struct wild {
	int number, code;
	uintptr_t address, pc, stack, registers[3];
} wild;

static void note_wild(int number, siginfo_t *info, void *context)
{
#ifndef __aarch64__ /* where the unwinder reads what pc points to */
	void *frames[8];

	EXPECT(backtrace(frames, 8) > 1); /* comes back */
#endif
	wild = (struct wild){ number, info->si_code, (uintptr_t)info->si_addr, processor_pc(context),
		processor_stack(context) - wild_stack,
		{ *processor_register(context, REGISTER_RESULT), *processor_register(context, REGISTER_8),
			*processor_register(context, REGISTER_9) } };
	processor_set_pc(context, (uintptr_t)wild_end);
	processor_set_stack(context, wild_stack);
}

static void branch(void *kind)
{
#ifdef __aarch64__
	__asm__ volatile("mov x0, %0; mov x8, #17; mov x9, #18; bl wild_branch"
			 :
			 : "r"(kind)
			 : "x0", "x8", "x9", "x10", "x11", "x30", "cc", "memory");
#else
	__asm__ volatile("mov $17, %%r8d; mov $18, %%r9d; call wild_branch"
			 : "+D"(kind)
			 :
			 : "rax", "r8", "r9", "cc", "memory");
#endif
}

/* Where the fault is at the target, there is no instruction that could be run for it, and the count ends. */
static void count_wild_branch(void *kind)
{
#ifdef __aarch64__
	struct counts counts;

	REQUIRE_OK(PAPI_start(virtual_set()));
	branch(kind);
	EXPECT_ERROR(PAPI_ECNFLCT, "where there is no code", PAPI_stop(virtual_set(), counts.of));
#else
	EXPECT(virtual_count_twice("wild branches", branch, kind));
#endif
}

static void test_wild_branches(void)
{
	struct sigaction action = { .sa_sigaction = note_wild, .sa_flags = SA_SIGINFO };
	struct wild natively, counted;
	void *frames[2];

	backtrace(frames, 2); /* loads what it needs */
	sigaction(SIGSEGV, &action, NULL);
	for (uintptr_t kind = 0; kind < 4; kind++) {
		branch((void *)kind); /* NOLINT(performance-no-int-to-ptr) */
		natively = wild;
		wild = (struct wild){ 0 };
		count_wild_branch((void *)kind); /* NOLINT(performance-no-int-to-ptr) */
		counted = wild;
		EXPECT(!memcmp(&natively, &counted, sizeof(counted)));
#ifndef __aarch64__ /* where it faults at the target */
		EXPECT(counted.pc > (uintptr_t)wild_branch && counted.pc < (uintptr_t)wild_end);
#endif
	}
	signal(SIGSEGV, SIG_DFL);
}

int main(int count, char **arguments)
{
	static const struct test tests[] = {
		{ "all signals at once", test_all_at_once },
		{ "one signal, not deferred", test_no_defer },
		{ "one signal, not deferred, in a child of vfork", test_no_defer_in_child },
		{ "signals for faults that are sent", test_faults_that_are_sent },
		{ "signals for faults at the ends of handlers", test_faults_at_ends_of_handlers },
		{ "addresses of faults", test_addresses_of_faults },
		{ "branches to what is no address", test_wild_branches },
	};

	if (!virtual_begin())
		return 77;
	gap = count > 1 ? strtol(arguments[1], NULL, 10) : usual_gap();
	if (count > 2)
		rounds = strtoul(arguments[2], NULL, 10);
	return check_run(tests, COUNT_OF(tests));
}
