/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Flags and segments that decide what instructions do, set by programs in regions that are counted virtually. They are
 * in force for the program and for nobody else; what cannot be counted then is said, and the program goes on.
 */
#include <asm/prctl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "check.h"
#include "virtual.h"

#define ALIGNMENT 0x40000 /* AC */
#define TRAP      0x100   /* TF */

static void handle(int number, void (*handler)(int, siginfo_t *, void *))
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };

	REQUIRE(sigaction(number, &action, NULL) == 0);
}

/* ---- alignment checks ---- */

/* Sets AC, goes through blocks of every sort, and returns the flags that it has then; AC is off again. */
uint64_t aligned_work(uint64_t rounds, uint64_t *buffer);
__asm__("	.text\n"
	"aligned_work:\n"
	"	push	%rbx\n"
	"	pushfq\n"
	"	orq	$0x40000, (%rsp)\n"
	"	popfq\n"
	"	xor	%ebx, %ebx\n"
	"1:	add	%rdi, %rbx\n"
	"	mov	%rbx, (%rsi)\n"
	"	cmpb	$3, 7(%rsi)\n"
	"	je	2f\n"
	"	call	3f\n"
	"2:	lea	4f(%rip), %rdx\n"
	"	jmp	*%rdx\n"
	"3:	mov	$39, %eax\n" /* getpid */
	"	syscall\n"
	"	ret\n"
	"4:	dec	%rdi\n"
	"	jnz	1b\n"
	"	pushfq\n"
	"	pop	%rax\n"
	"	pushfq\n"
	"	andq	$~0x40000, (%rsp)\n"
	"	popfq\n"
	"	pop	%rbx\n"
	"	ret\n");

static uint64_t buffer[8], flags;

static void do_aligned_work(void *unused)
{
	(void)unused;
	flags = aligned_work(1000, buffer);
}

static void test_alignment_checks(void)
{
	int set = PAPI_NULL;
	long long count[2];

	flags = 0;
	EXPECT(virtual_count_twice("alignment checks", do_aligned_work, NULL));
	EXPECT(flags & ALIGNMENT);
	REQUIRE_OK(PAPI_create_eventset(&set));
	REQUIRE_OK(PAPI_add_named_event(set, "vpmu:::INSTRUCTIONS"));
	REQUIRE_OK(PAPI_add_named_event(set, "vpmu:::L1D_MISSES"));
	for (unsigned i = 0; i < 2; i++) {
		flags = 0;
		EXPECT_OK(PAPI_start(set));
		do_aligned_work(NULL);
		EXPECT_OK(PAPI_stop(set, count));
		EXPECT(flags & ALIGNMENT);
		EXPECT_BETWEEN(12000, count[0], 13000);
	}
	EXPECT_OK(PAPI_cleanup_eventset(set));
	EXPECT_OK(PAPI_destroy_eventset(&set));
}

static volatile uintptr_t fault_pc;
static volatile unsigned faults;

/* The handler runs with AC, as the kernel calls it. */
static void skip_access(int number, siginfo_t *info, void *context)
{
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)number;
	(void)info;
	faults++;
	fault_pc = (uintptr_t)registers[REG_RIP];
	registers[REG_EFL] &= ~ALIGNMENT;
	registers[REG_RIP] += 4;
}

static __attribute__((noinline)) void access_unaligned(void *unused)
{
	(void)unused;
	__asm__ volatile("	pushfq\n"
			 "	orq	$0x40000, (%%rsp)\n"
			 "	popfq\n"
			 "	mov	1(%0), %%rax\n"
			 "	mov	1(%0), %%rax\n"
			 :
			 : "r"(buffer)
			 : "rax", "cc", "memory");
}

static void test_alignment_faults(void)
{
	uintptr_t expected;

	handle(SIGBUS, skip_access);
	faults = 0;
	access_unaligned(NULL);
	expected = fault_pc;
	if (faults == 0) {
		check_skip("this machine checks no alignment");
		return;
	}
	virtual_count(access_unaligned, NULL);
	EXPECT_EQUAL(2, faults);
	EXPECT(fault_pc == expected);
	signal(SIGBUS, SIG_DFL);
}

/*
 * Calls the library between setting AC and taking it away, returns what the library returned, and leaves the flags in
 * *then. In assembly, since compilers copy structures by unaligned accesses; by the table of addresses, since the
 * dynamic linker, which would find the function at its first call, need not bear AC.
 */
int read_with_checks(int set, long long *values, uint64_t *then);
__asm__("	.text\n"
	"read_with_checks:\n"
	"	push	%rbx\n"
	"	mov	%rdx, %rbx\n"
	"	pushfq\n"
	"	orq	$0x40000, (%rsp)\n"
	"	popfq\n"
	"	call	*PAPI_read@GOTPCREL(%rip)\n"
	"	pushfq\n"
	"	popq	(%rbx)\n"
	"	pushfq\n"
	"	andq	$~0x40000, (%rsp)\n"
	"	popfq\n"
	"	pop	%rbx\n"
	"	ret\n");

static void call_with_checks(void *unused)
{
	struct counts counts;

	(void)unused;
	EXPECT_OK(read_with_checks(virtual_set(), counts.of, &flags));
}

static void test_calls_of_the_library(void)
{
	flags = 0;
	virtual_count(call_with_checks, NULL);
	EXPECT(flags & ALIGNMENT);
}

/* ---- the trap flag ---- */

static uintptr_t traps[64];
static volatile unsigned n_traps, n_wanted;

static void trap(int number, siginfo_t *info, void *context)
{
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)number;
	EXPECT((uintptr_t)info->si_addr == (uintptr_t)registers[REG_RIP]);
	if (n_traps < COUNT_OF(traps))
		traps[n_traps++] = (uintptr_t)registers[REG_RIP];
	if (n_traps == n_wanted)
		registers[REG_EFL] &= ~TRAP;
}

static void set_trap(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] |= TRAP;
}

static __attribute__((noinline)) void step_by_popf(void)
{
	__asm__ volatile("	xor	%%eax, %%eax\n"
			 "	pushfq\n"
			 "	orq	$0x100, (%%rsp)\n"
			 "	popfq\n"
			 "	inc	%%eax\n"
			 "	cmp	$1, %%eax\n"
			 "	jne	1f\n"
			 "	nop\n"
			 "1:	nop\n"
			 "	nop\n"
			 "	nop\n"
			 :
			 :
			 : "rax", "cc", "memory");
}

static __attribute__((noinline)) void step_by_handler(void)
{
	__asm__ volatile("	ud2\n"
			 "	nop\n"
			 "	nop\n"
			 "	nop\n"
			 "	nop\n"
			 "	nop\n");
}

/* Two bytes over ud2, and on from there step by step. */
static void skip_and_trap(int number, siginfo_t *info, void *context)
{
	((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] += 2;
	set_trap(number, info, context);
}

static void test_trap_flag(void (*step)(void))
{
	uintptr_t natively[COUNT_OF(traps)];
	struct counts counts;

	n_wanted = 5;
	n_traps = 0;
	step();
	EXPECT_EQUAL(5, n_traps);
	memcpy(natively, traps, sizeof(traps));
	for (unsigned i = 0; i < 2; i++) {
		n_traps = 0;
		EXPECT_OK(PAPI_start(virtual_set()));
		step();
		EXPECT_ERROR(PAPI_ECNFLCT, "step by step", PAPI_stop(virtual_set(), counts.of));
		EXPECT_EQUAL(5, n_traps);
		EXPECT(!memcmp(natively, traps, 5 * sizeof(traps[0])));
	}
}

static void test_trap_flags(void)
{
	handle(SIGTRAP, trap);
	handle(SIGILL, skip_and_trap);
	test_trap_flag(step_by_popf);
	test_trap_flag(step_by_handler);
	signal(SIGTRAP, SIG_DFL);
	signal(SIGILL, SIG_DFL);
	EXPECT(virtual_count_twice("after steps", do_aligned_work, NULL));
}

/* ---- gs ---- */

static uint64_t own[64] = { [3] = 77 };

static uint64_t read_gs(void)
{
	uint64_t value;

	__asm__ volatile("mov %%gs:24, %0" : "=r"(value));
	return value;
}

static void raise_and_end(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	(void)context;
	faults++;
}

static void test_own_gs(void)
{
	struct counts counts;
	uint64_t base = 1;

	handle(SIGUSR1, raise_and_end);
	for (unsigned i = 0; i < 3; i++) {
		faults = 0;
		EXPECT_OK(PAPI_start(virtual_set()));
		EXPECT(syscall(SYS_arch_prctl, ARCH_GET_GS, &base) == 0 && base == 0);
		EXPECT(syscall(SYS_arch_prctl, ARCH_SET_GS, own) == 0);
		EXPECT_EQUAL(77, (long long)read_gs());
		raise(SIGUSR1);
		EXPECT_EQUAL(1, faults);
		EXPECT_EQUAL(77, (long long)read_gs());
		EXPECT_ERROR(PAPI_ECNFLCT, "gs segment", PAPI_stop(virtual_set(), counts.of));
		EXPECT_ERROR(PAPI_ECMP, "gs segment", PAPI_start(virtual_set()));
		EXPECT_EQUAL(77, (long long)read_gs());
		EXPECT(syscall(SYS_arch_prctl, ARCH_SET_GS, 0) == 0);
		EXPECT(virtual_count_twice("after gs", do_aligned_work, NULL));
	}
	signal(SIGUSR1, SIG_DFL);
}

/* The register takes the base away, too. */
static void test_load_of_gs(void)
{
	struct counts counts;

	EXPECT_OK(PAPI_start(virtual_set()));
	__asm__ volatile("mov %0, %%gs" : : "r"(0));
	EXPECT_ERROR(PAPI_ECNFLCT, "gs segment", PAPI_stop(virtual_set(), counts.of));
	EXPECT(virtual_count_twice("after a load of gs", do_aligned_work, NULL));
}

int main(void)
{
	static const struct test tests[] = {
		{ "alignment checks", test_alignment_checks },
		{ "alignment faults", test_alignment_faults },
		{ "calls of the library", test_calls_of_the_library },
		{ "the trap flag", test_trap_flags },
		{ "a gs of the program's own", test_own_gs },
		{ "a load of gs", test_load_of_gs },
	};

	if (!virtual_begin())
		return 77;
	return check_run(tests, COUNT_OF(tests));
}
