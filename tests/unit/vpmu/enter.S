/* SPDX-License-Identifier: BSD-3-Clause */
/* From C into code with any registers, and back from a signal handler (harness_step.c). */
	.macro function name
	.globl	\name
	.hidden	\name
	.type	\name, @function
	.balign	16
\name:
	.endm

	.text

/* void harness_enter(const struct machine *machine): registers[16], pc, flags. All of them at once: where the trap flag
 * is set, the first instruction there is the first to trap. */
	function harness_enter
	push	%rbx
	push	%rbp
	push	%r12
	push	%r13
	push	%r14
	push	%r15
	mov	%rsp, saved_stack(%rip)
	mov	%ss, %eax
	push	%rax
	push	8*4(%rdi)
	push	8*17(%rdi)
	mov	%cs, %eax
	push	%rax
	push	8*16(%rdi)
	mov	8*0(%rdi), %rax
	mov	8*1(%rdi), %rcx
	mov	8*2(%rdi), %rdx
	mov	8*3(%rdi), %rbx
	mov	8*5(%rdi), %rbp
	mov	8*6(%rdi), %rsi
	mov	8*8(%rdi), %r8
	mov	8*9(%rdi), %r9
	mov	8*10(%rdi), %r10
	mov	8*11(%rdi), %r11
	mov	8*12(%rdi), %r12
	mov	8*13(%rdi), %r13
	mov	8*14(%rdi), %r14
	mov	8*15(%rdi), %r15
	mov	8*7(%rdi), %rdi
	iretq
	.size	harness_enter, . - harness_enter

/* Where the handler sends a run that is over: harness_enter() returns. */
	function harness_leave
	mov	saved_stack(%rip), %rsp
	cld
	pop	%r15
	pop	%r14
	pop	%r13
	pop	%r12
	pop	%rbp
	pop	%rbx
	ret
	.size	harness_leave, . - harness_leave

/* Where translated code goes; nothing of it runs, since the handler sees each address first. */
	function harness_dispatch
	ud2
	function harness_miss
	ud2
	function harness_gate
	ud2

	.local	saved_stack
	.comm	saved_stack, 8, 8

	.section .note.GNU-stack, "", @progbits
