/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program with accesses to memory of all sorts, for counting from outside (parts.py): prints what it has computed.
 *
 *	accesses [signals]     with "signals", handlers touch memory as well, at any time
 */
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>

#include "random.h"

#define WORDS  (1 << 16) /* much more than any L1D */
#define ROUNDS 3000

static _Alignas(64) uint64_t memory[WORDS + 8192];
static __thread uint64_t own[512];
static uint64_t seed = 1;

static uint64_t next(uint64_t n)
{
	return next_random(&seed) % n;
}

/* Anywhere, near each other, or the same again; some across the ends of lines. */
static unsigned char *somewhere(void)
{
	static unsigned char *last = (unsigned char *)memory;

	switch (next(4)) {
	case 0:
		break;
	case 1:
		last = (unsigned char *)memory + next(64 * 12);
		break;
	case 2:
		last = (unsigned char *)memory + next(2) * 4096 * (1 + next(16)) + next(70);
		break;
	default:
		last = (unsigned char *)memory + next(8 * WORDS);
	}
	return last;
}

static uint64_t mixed;

static void mix(uint64_t value)
{
	mixed = (mixed << 7 | mixed >> 57) ^ value;
}

/* Frames of many sizes, so that the stack goes up and down over lines. */
static __attribute__((noinline)) uint64_t descend(unsigned depth)
{
	volatile uint64_t local[9] = { depth };

	if (depth == 0)
		return local[0];
	return local[depth % 9] + descend(depth - 1) + local[0];
}

static void in_c(void)
{
	unsigned char *at = somewhere(), *other = somewhere();
	uint64_t value;

	memcpy(&value, at, 8);
	mix(value);
	memcpy(other, &seed, 3);
	own[next(512)] += value;
	mix(own[next(512)]);
	if (!next(20))
		memmove(at, other, next(3000));
	if (!next(20))
		memset(somewhere(), 7, next(500));
	if (!next(40))
		mix(descend((unsigned)next(200)));
	mix((uint64_t)__atomic_add_fetch(&memory[next(WORDS)], 1, __ATOMIC_SEQ_CST));
}

/* Much that misses, and then little, for long. */
static void stream(void)
{
	for (unsigned round = 0; round < 3; round++) {
		for (unsigned i = 0; i < 12 * WORDS; i++)
			memory[i * 9 % WORDS] += i;
		for (unsigned i = 0; i < 1000000; i++)
			own[i % 512] += memory[i % 64];
	}
	mix(own[100] + memory[WORDS / 3]);
}

#ifdef __x86_64__

static unsigned char *low; /* addresses of 32 bits */

/* Flags that live across an access, whose address is in the register that has them elsewhere. */
static void with_flags(void)
{
	uint64_t carry, sum = seed, address;
	unsigned char *a = somewhere();

	__asm__ volatile("mov %3, %%rax; add %1, %1; mov (%%rax), %0; adc 8(%%rax), %1; mov 64(%%rax), %0;"
			 "adc 4096(%%rax), %1; mov %%rax, %2; setc %%al; movzx %%al, %%eax; mov %%rax, %0"
			 : "=&r"(carry), "+&r"(sum), "=&r"(address)
			 : "r"(a)
			 : "rax", "cc", "memory");
	mix(sum + carry - seed);
	mix(address == (uint64_t)(uintptr_t)a);
}

/* Every register is somebody's, and the address changes in the block. */
static void with_all_registers(void)
{
	uint64_t sum;

	__asm__ volatile(
		"mov %1, %%rax; sub $128, %%rsp; push %%rbp; push %%rbx; xor %%ebp, %%ebp\n"
		"mov (%%rax), %%rbx; mov 40(%%rax,%%rbp,4), %%rcx; lea 100(%%rax), %%rdx\n"
		"mov (%%rdx), %%rsi; mov -8(%%rdx), %%rdi; add $72, %%rdx; mov (%%rdx), %%r8\n"
		"mov 8(%%rdx,%%rbp), %%r9; mov (%%rax), %%r10; mov (%%rdx,%%rbp,8), %%r11\n"
		"mov %%rax, %%r12; mov (%%r12), %%r13; mov 1(%%r12), %%r14; mov 2(%%r12,%%rbp,2), %%r15\n"
		"add %%rbx, %%rcx; add %%rcx, %%rsi; add %%rsi, %%rdi; add %%rdi, %%r8; add %%r8, %%r9\n"
		"add %%r9, %%r10; add %%r10, %%r11; add %%r11, %%r13; add %%r13, %%r14; add %%r14, %%r15\n"
		"mov %%r15, %%rax; pop %%rbx; pop %%rbp; sub $-128, %%rsp"
		: "=&a"(sum)
		: "r"(somewhere())
		: "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "cc", "memory");
	mix(sum);
}

/* Branches out of the middle, before and between accesses. */
static void with_branches(void)
{
	uint64_t taken;

	__asm__ volatile("xor %%eax, %%eax; test $1, %2; jne 1f; add $1, %%eax; test $2, %2; jne 1f\n"
			 "add (%1), %%rax; cmpq $0, 128(%1); js 1f; add 4096(%1), %%rax; testb $4, 8192(%1); je 1f\n"
			 "add 8192(%1), %%rax\n"
			 "1:"
			 : "=&a"(taken)
			 : "r"(memory + next(4096)), "r"(next(4))
			 : "cc", "memory");
	mix(taken);
}

/* With the direction flag, and where accesses that are not aligned trap. */
static void with_special_flags(void)
{
	uint64_t *from = memory + 32 + next(1000), *to = memory + 4096 + next(1000), count = 16, value;

	__asm__ volatile("std; mov 8192(%0), %%rax; rep movsq; mov 16384(%1), %%rdx; cld"
			 : "+S"(from), "+D"(to), "+c"(count)
			 :
			 : "rax", "rdx", "memory");
	mix((uint64_t)(uintptr_t)(from - memory));
	__asm__ volatile("sub $128, %%rsp; pushfq; orq $0x40000, (%%rsp); popfq; mov (%1), %0; mov 32768(%1), %0\n"
			 "pushfq; andq $-0x40001, (%%rsp); popfq; add $128, %%rsp"
			 : "=&r"(value)
			 : "r"(memory + next(4096))
			 : "cc", "memory");
	mix(value);
}

static void of_other_kinds(void)
{
	unsigned char *at = somewhere();
	uint64_t value, count = 1 + next(40), pointer = (uint64_t)(uintptr_t)at;
	uint32_t narrow = (uint32_t)(uintptr_t)(low + next(60000));

	__asm__ volatile("movl 4(%k1), %k0; addl $1, 4(%k1)" : "=&r"(value) : "r"((uint64_t)narrow) : "cc", "memory");
	mix((uint32_t)value);
	__asm__ volatile("sub $128, %%rsp; pushq (%1); popq 8(%1); enter $40, $0\n"
			 "mov %1, -8(%%rbp); mov -8(%%rbp), %0; leave; add $128, %%rsp"
			 : "=&r"(value)
			 : "r"(at)
			 : "cc", "memory");
	__asm__ volatile("xor %%eax, %%eax; rep stosb" : "+D"(pointer), "+c"(count) : : "rax", "memory");
	__asm__ volatile("prefetcht0 (%0); prefetchw 256(%0)" : : "r"(somewhere()));
	count = 1 + next(30);
	__asm__ volatile("1: add (%1), %0; lea 24(%1), %1; loop 1b"
			 : "+&r"(value), "+&r"(pointer), "+c"(count)
			 :
			 : "cc", "memory");
	mix(pointer - (uint64_t)(uintptr_t)memory);
	__asm__ volatile("lock btsq %1, (%0)" : : "r"(memory), "r"(next(64 * WORDS)) : "cc", "memory");
	__asm__ volatile("movups (%0), %%xmm0; movups %%xmm0, 100(%0)" : : "r"(somewhere()) : "xmm0", "memory");
}

static void odd(void)
{
	with_flags();
	with_all_registers();
	with_branches();
	with_special_flags();
	of_other_kinds();
}

static void prepare(void)
{
	low = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	if (low == MAP_FAILED)
		abort();
}

#else

static void odd(void)
{
}

static void prepare(void)
{
}

#endif

static volatile uint64_t handled[4096];
static volatile unsigned n_handled;

static void handle(int signal)
{
	(void)signal;
	n_handled++;
	for (unsigned i = 0; i < 64; i++)
		handled[(n_handled * 97 + i * 8) % 4096]++;
}

static void *run(void *argument)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		in_c();
		odd();
	}
	mix(own[5]);
	return argument;
}

int main(int count, char **arguments)
{
	bool signals = count > 1 && !strcmp(arguments[1], "signals");
	const struct itimerval often = { { 0, 300 }, { 0, 300 } };
	pthread_t thread;

	prepare();
	if (signals) {
		signal(SIGALRM, handle);
		setitimer(ITIMER_REAL, &often, NULL);
	}
	for (unsigned i = 0; i < (signals ? 30 : 1); i++)
		run(NULL);
	stream();
	if (pthread_create(&thread, NULL, run, NULL) || pthread_join(thread, NULL))
		abort();
	if (signals && !n_handled)
		abort();
	printf("%llx\n", (unsigned long long)mixed);
	return 0;
}
