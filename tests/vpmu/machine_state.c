/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine_state.h"

#include <cpuid.h>
#include <immintrin.h>
#include <stdio.h>
#include <string.h>

#include "generator.h"

#define COMPONENTS 0xe7 /* x87, SSE, AVX, and the three of AVX-512 */
#define HEADER     512
#define AVX_OFFSET 576

struct machine_state machine_state __attribute__((aligned(64)));
uint64_t machine_target;
extern uint64_t machine_stack;
uint64_t machine_stack;

__asm__("	.text\n"
	"	.globl	machine_run, machine_leave\n"
	"	.hidden	machine_run, machine_leave, machine_state, machine_target, machine_stack\n"
	"machine_run:\n"
	"	push	%rbx; push %rbp; push %r12; push %r13; push %r14; push %r15\n"
	"	mov	%rsp, machine_stack(%rip)\n"
	"	mov	$0xe7, %eax\n"
	"	xor	%edx, %edx\n"
	"	xrstor64 192+machine_state(%rip)\n"
	"	push	128+machine_state(%rip)\n"
	"	popf\n"
	"	mov	machine_state(%rip), %rax\n"
	"	mov	8+machine_state(%rip), %rcx\n"
	"	mov	16+machine_state(%rip), %rdx\n"
	"	mov	24+machine_state(%rip), %rbx\n"
	"	mov	40+machine_state(%rip), %rbp\n"
	"	mov	48+machine_state(%rip), %rsi\n"
	"	mov	56+machine_state(%rip), %rdi\n"
	"	mov	64+machine_state(%rip), %r8\n"
	"	mov	72+machine_state(%rip), %r9\n"
	"	mov	80+machine_state(%rip), %r10\n"
	"	mov	88+machine_state(%rip), %r11\n"
	"	mov	96+machine_state(%rip), %r12\n"
	"	mov	104+machine_state(%rip), %r13\n"
	"	mov	112+machine_state(%rip), %r14\n"
	"	mov	120+machine_state(%rip), %r15\n"
	"	mov	32+machine_state(%rip), %rsp\n"
	"	jmp	*machine_target(%rip)\n"
	"machine_leave:\n"
	"	mov	%rsp, 32+machine_state(%rip)\n"
	"	mov	machine_stack(%rip), %rsp\n"
	"	pushf\n"
	"	pop	128+machine_state(%rip)\n"
	"	cld\n"
	"	mov	%rax, machine_state(%rip)\n"
	"	mov	%rcx, 8+machine_state(%rip)\n"
	"	mov	%rdx, 16+machine_state(%rip)\n"
	"	mov	%rbx, 24+machine_state(%rip)\n"
	"	mov	%rbp, 40+machine_state(%rip)\n"
	"	mov	%rsi, 48+machine_state(%rip)\n"
	"	mov	%rdi, 56+machine_state(%rip)\n"
	"	mov	%r8, 64+machine_state(%rip)\n"
	"	mov	%r9, 72+machine_state(%rip)\n"
	"	mov	%r10, 80+machine_state(%rip)\n"
	"	mov	%r11, 88+machine_state(%rip)\n"
	"	mov	%r12, 96+machine_state(%rip)\n"
	"	mov	%r13, 104+machine_state(%rip)\n"
	"	mov	%r14, 112+machine_state(%rip)\n"
	"	mov	%r15, 120+machine_state(%rip)\n"
	"	mov	$0xe7, %eax\n"
	"	xor	%edx, %edx\n"
	"	xsave64	192+machine_state(%rip)\n"
	"	pop	%r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx\n"
	"	ret\n");

static uint64_t enabled_components(void)
{
	uint32_t low, high;

	__asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	return low & COMPONENTS;
}

static void fill(unsigned char *bytes, size_t size, uint64_t *random)
{
	for (size_t i = 0; i < size; i++)
		bytes[i] = (unsigned char)generator_random(random);
}

void machine_state_randomize(struct machine_state *state, uint64_t *random)
{
	uint64_t enabled = enabled_components();
	unsigned a, size, offset, d;

	memset(state, 0, sizeof(*state));
	state->flags = 0x202 | (generator_random(random) & 0x8d5);
	__asm__ volatile("xsave64 %0" : "=m"(state->vectors) : "a"(COMPONENTS), "d"(0) : "memory");
	fill(state->vectors + 160, 256, random);
	for (unsigned component = 2; component < 8; component++) {
		if (!(enabled >> component & 1))
			continue;
		__cpuid_count(0xd, component, size, offset, a, d);
		fill(state->vectors + offset, size, random);
	}
	memcpy(state->vectors + HEADER, &enabled, sizeof(enabled));
}

void machine_state_of_signal(struct machine_state *state, const ucontext_t *context)
{
	static const int order[16] = { REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI, REG_R8,
		REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15 };

	for (unsigned i = 0; i < 16; i++)
		state->registers[i] = (uint64_t)context->uc_mcontext.gregs[order[i]];
	state->flags = (uint64_t)context->uc_mcontext.gregs[REG_EFL];
	memcpy(state->vectors, context->uc_mcontext.fpregs, HEADER);
}

void machine_state_reset_control(void)
{
	_mm_setcsr(0x1f80);
	__asm__ volatile("fninit");
}

const char *machine_state_difference(
	const struct machine_state *a, const struct machine_state *b, uint64_t flags, bool partly)
{
	static const char *const names[] = { "rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10",
		"r11", "r12", "r13", "r14", "r15" };
	const unsigned char *x = a->vectors, *y = b->vectors;

	for (unsigned i = 0; i < 16; i++)
		if (a->registers[i] != b->registers[i])
			return names[i];
	if ((a->flags ^ b->flags) & flags)
		return "flags";
	if (memcmp(x + 24, y + 24, 4) != 0)
		return "mxcsr";
	if (memcmp(x, y, 6) != 0 || memcmp(x + 32, y + 32, 128) != 0)
		return "x87 state"; /* but for the addresses of the last instruction */
	if (memcmp(x + 160, y + 160, 256) != 0)
		return "xmm registers";
	if (!partly && memcmp(x + AVX_OFFSET, y + AVX_OFFSET, sizeof(a->vectors) - AVX_OFFSET) != 0)
		return "AVX state";
	return NULL;
}

void machine_state_print(const struct machine_state *native, const struct machine_state *translated)
{
	if (native->flags != translated->flags)
		printf("  flags: native %llx, translated %llx\n", (unsigned long long)native->flags,
			(unsigned long long)translated->flags);
	for (unsigned i = 0; i < 16; i++)
		if (native->registers[i] != translated->registers[i])
			printf("  register %u: native %llx, translated %llx\n", i,
				(unsigned long long)native->registers[i], (unsigned long long)translated->registers[i]);
	for (unsigned i = 0, n = 0; i < sizeof(native->vectors) && n < 16; i++)
		if (native->vectors[i] != translated->vectors[i]) {
			printf("  xsave[%u]: native %02x, translated %02x\n", i, native->vectors[i],
				translated->vectors[i]);
			n++;
		}
}
