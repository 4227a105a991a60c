/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Many signals at once in regions that are counted virtually, and what handlers are told about faults: all is as it is
 * natively.
 */
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "check.h"
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

static void count_arrived(int number)
{
	(void)number;
	arrived++;
}

static void *send_often(void *unused)
{
	static const int faults[] = { SIGSEGV, SIGTRAP, SIGBUS, SIGFPE, SIGILL };

	(void)unused;
	for (unsigned i = 0; !over; i++)
		pthread_kill(target, faults[i % 5]);
	return NULL;
}

/* Half of the time the engine works for it. */
static void work(void *sum)
{
	struct sigaction action;
	uint64_t *total = sum;

	*total = 0;
	for (unsigned i = 0; i < 20000; i++) {
		*total += (uint64_t)sigaction(SIGUSR1, NULL, &action) + i;
		for (unsigned j = 0; j < 20; j++)
			*total ^= *total << 7 ^ j;
	}
}

static void test_faults_that_are_sent(void)
{
	static const int faults[] = { SIGSEGV, SIGTRAP, SIGBUS, SIGFPE, SIGILL };
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
	for (unsigned i = 0; i < 5; i++) {
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

/* ---- what handlers are told ---- */

static volatile struct told {
	int number, code;
	uintptr_t address, pc;
} told;

static void note_fault(int number, siginfo_t *info, void *context)
{
	ucontext_t *program = context;
	greg_t *registers = program->uc_mcontext.gregs;

	told = (struct told){ number, info->si_code, (uintptr_t)info->si_addr, (uintptr_t)registers[REG_RIP] };
	registers[REG_RIP] += 2; /* ud2; div ecx */
}

static __attribute__((noinline)) void do_ud2(void *unused)
{
	(void)unused;
	__asm__ volatile("xor %%eax, %%eax; ud2" : : : "rax", "cc");
}

static __attribute__((noinline)) void do_divide(void *unused)
{
	(void)unused;
	__asm__ volatile("xor %%ecx, %%ecx; mov $1, %%eax; cltd; idiv %%ecx" : : : "rax", "rcx", "rdx", "cc");
}

static void test_addresses_of_faults(void)
{
	static void (*const causes[])(void *) = { do_ud2, do_divide };
	struct sigaction action = { .sa_sigaction = note_fault, .sa_flags = SA_SIGINFO };
	struct told natively;

	sigaction(SIGILL, &action, NULL);
	sigaction(SIGFPE, &action, NULL);
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
}

/* ---- branches to what is no address ---- */

/* A call, a jump, a return, and one that takes arguments away; wild_end is where the handler goes on. */
void wild_branch(unsigned kind);
extern char wild_end[];
extern uintptr_t wild_stack;
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
	"	.local	wild_stack\n"
	"	.comm	wild_stack,8,8\n");

static volatile struct wild {
	int number, code;
	uintptr_t address, pc, stack, rax, rcx, rdx;
} wild;

static void note_wild(int number, siginfo_t *info, void *context)
{
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
	void *frames[8];

	wild = (struct wild){ number, info->si_code, (uintptr_t)info->si_addr, (uintptr_t)registers[REG_RIP],
		(uintptr_t)registers[REG_RSP] - wild_stack, (uintptr_t)registers[REG_RAX],
		(uintptr_t)registers[REG_RCX], (uintptr_t)registers[REG_RDX] };
	EXPECT(backtrace(frames, 8) > 1); /* comes back */
	registers[REG_RIP] = (greg_t)(uintptr_t)wild_end;
	registers[REG_RSP] = (greg_t)wild_stack;
}

static void branch(void *kind)
{
	__asm__ volatile("call wild_branch" : "+D"(kind) : "c"(17l), "d"(18l) : "rax", "cc", "memory");
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
		EXPECT(virtual_count_twice("wild branches", branch, (void *)kind));
		counted = wild;
		EXPECT(!memcmp(&natively, &counted, sizeof(counted)));
		EXPECT(counted.pc > (uintptr_t)wild_branch && counted.pc < (uintptr_t)wild_end);
	}
	signal(SIGSEGV, SIG_DFL);
}

int main(void)
{
	static const struct test tests[] = {
		{ "all signals at once", test_all_at_once },
		{ "one signal, not deferred", test_no_defer },
		{ "one signal, not deferred, in a child of vfork", test_no_defer_in_child },
		{ "signals for faults that are sent", test_faults_that_are_sent },
		{ "addresses of faults", test_addresses_of_faults },
		{ "branches to what is no address", test_wild_branches },
	};

	if (!virtual_begin())
		return 77;
	return check_run(tests, COUNT_OF(tests));
}
