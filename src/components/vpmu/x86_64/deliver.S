/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The handler that the kernel calls while threads run translated (signals.h). On the stack is struct papi_vpmu_frame;
 * all registers and flags are free, for it holds those of what was interrupted. The kernel clears DF and TF, and leaves
 * AC.
 *
 * Up to papi_vpmu_signal_blocked another signal may come in between, and one for a fault up to papi_vpmu_signal_end, if
 * somebody sends one; they are put off, as in the runtime.
 */
#include "components/vpmu/x86_64/translate/offsets.h"

	/* struct papi_vpmu_delivery, and its end aligned for a call */
#define NUMBER 0
#define INFO 8
#define CONTEXT 16
#define FRAME 24
#define THREAD 32
	.set	MASK, 40
#define HANDLER 48
#define STACK 56
#define SIZE 72

#define SYS_rt_sigprocmask 14
#define SYS_rt_sigreturn 15
#define SIG_SETMASK 2

	.macro function name
	.globl	\name
	.hidden	\name
	.type	\name, @function
	.balign	16
\name:
	.endm

	/* The signal mask becomes what is at new. */
	.macro set_mask new, old
	mov	$SYS_rt_sigprocmask, %eax
	mov	$SIG_SETMASK, %edi
	lea	\new, %rsi
	\old
	mov	$8, %r10d
	syscall
	.endm

	.macro fetch_delivery
	mov	%rdi, NUMBER(%rsp)
	mov	%rsi, INFO(%rsp)
	mov	%rdx, CONTEXT(%rsp)
	lea	SIZE(%rsp), %rcx
	mov	%rcx, FRAME(%rsp)
	mov	%rax, THREAD(%rsp)
	.endm

	.text

	function papi_vpmu_signal_entry
	mov	papi_vpmu_self@gottpoff(%rip), %rax
	mov	%fs:(%rax), %rax
	lea	8(%rsp), %rcx
	cmp	%rcx, %rdx
	jne	called
	pushq	$2 /* AC would make faults of the engine's own accesses */
	popf
	test	%rax, %rax
	je	native
	cmpq	$0, VPMU_WATCHED(%rax)
	je	native

	sub	$SIZE, %rsp
	fetch_delivery
	set_mask all_bits(%rip), "lea MASK(%rsp), %rdx"
	function papi_vpmu_signal_blocked
	mov	THREAD(%rsp), %rdi
	incq	VPMU_DELIVERING(%rdi)
	mov	%rsp, %rsi
	call	papi_vpmu_signal_deliver
	mov	THREAD(%rsp), %rdi
	decq	VPMU_DELIVERING(%rdi)
	cmp	$1, %eax
	je	translated
	ja	call_natively
	mov	FRAME(%rsp), %rsp
leave:
	add	$8, %rsp
	mov	$SYS_rt_sigreturn, %eax
	syscall

translated:
	mov	STACK(%rsp), %rsp
	jmp	papi_vpmu_resume

	/* The frame may have moved; rbx, rbp and the others are kept in it. */
call_natively:
	mov	%rsp, %rax
	mov	FRAME(%rax), %rbx
	mov	THREAD(%rax), %rbp
	mov	NUMBER(%rax), %r12
	mov	INFO(%rax), %r13
	mov	CONTEXT(%rax), %r14
	mov	HANDLER(%rax), %r15
	lea	-8(%rbx), %rsp
	set_mask VPMU_HANDLER_MASK(%rbp), "xor %edx, %edx"
	mov	%r12, %rdi
	mov	%r13, %rsi
	mov	%r14, %rdx
	xor	%eax, %eax
	call	*%r15
	set_mask all_bits(%rip), "xor %edx, %edx"
	mov	%rbp, %rdi
	mov	%r14, %rsi
	call	papi_vpmu_signal_returned
	mov	%rbx, %rsp
	jmp	leave

	/* A thread that is not translated. */
native:
	sub	$SIZE, %rsp
	fetch_delivery
	mov	%rsp, %rdi
	call	papi_vpmu_signal_native
	mov	NUMBER(%rsp), %rdi
	mov	INFO(%rsp), %rsi
	mov	CONTEXT(%rsp), %rdx
	mov	HANDLER(%rsp), %rcx
	mov	FRAME(%rsp), %rsp
	xor	%eax, %eax
	test	%rcx, %rcx
	je	1f
	jmp	*%rcx
1:	ret

	/* By a handler that was installed natively meanwhile, and passes on what it found before. */
called:
	push	%rdi
	push	%rsi
	push	%rdx
	call	papi_vpmu_signal_handler
	pop	%rdx
	pop	%rsi
	pop	%rdi
	mov	%rax, %rcx
	xor	%eax, %eax
	jmp	*%rcx
	.size	papi_vpmu_signal_entry, . - papi_vpmu_signal_entry

	function papi_vpmu_signal_end
	.size	papi_vpmu_signal_end, . - papi_vpmu_signal_end

	function papi_vpmu_signal_restorer
	movq	$SYS_rt_sigreturn, %rax /* in the form by which unwinders know it */
	syscall
	.size	papi_vpmu_signal_restorer, . - papi_vpmu_signal_restorer

	function papi_vpmu_signal_nothing
	ret
	.size	papi_vpmu_signal_nothing, . - papi_vpmu_signal_nothing

	.section .rodata
	.balign	8
all_bits:
	.quad	-1

	.section .note.GNU-stack, "", @progbits
