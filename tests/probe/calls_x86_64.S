/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that a compiler does not make in this way each time: machine.h says which. */
#include "machine.h"

	.macro	EACH_REGISTER what, to
	.set	at, 0
	.irp	name, rax, rbx, rcx, rdx, rsi, rdi, rbp, r8, r9, r10, r11, r12, r13, r14, r15
	\what	\name, \to
	.set	at, at + 8
	.endr
	.endm
	.macro	FILL name, to
	movabs	$CONTENT + at, %\name
	.endm
	.macro	STORE name, to
	mov	%\name, \to + at(%rip)
	.endm

	.text
	.globl	keeps
	.type	keeps, @function
keeps:
	.cfi_startproc
	EACH_REGISTER STORE, at_entry
	pushf
	popq	at_entry + 120(%rip)
	ret
	.cfi_endproc
	.size	keeps, . - keeps

	.globl	pass_registers
	.type	pass_registers, @function
pass_registers:
	.cfi_startproc
	.irp	name, rbx, rbp, r12, r13, r14, r15, rdi
	push	%\name
	.endr
	popf
	EACH_REGISTER FILL
	call	keeps
	EACH_REGISTER STORE, at_return
	pushf
	popq	at_return + 120(%rip)
	.irp	name, r15, r14, r13, r12, rbp, rbx
	pop	%\name
	.endr
	ret
	.cfi_endproc
	.size	pass_registers, . - pass_registers

	.macro	JUMPER name, other
	.globl	\name
	.type	\name, @function
\name:
	.cfi_startproc
	lea	-1(%rdi), %rdi
	test	%rdi, %rdi
	js	1f
	inc	%rsi
	jmp	\other
1:	mov	%rsi, %rax
	ret
	.cfi_endproc
	.size	\name, . - \name
	.endm
	JUMPER ping, pong
	JUMPER pong, ping

	.globl	slow_load
	.type	slow_load, @function
slow_load:
	.cfi_startproc
	xor	%ecx, %ecx
	mov	(%rdi), %rax
	add	%rcx, %rax
	ret
	.cfi_endproc
	.size	slow_load, . - slow_load

	.bss
	.balign	8
	.globl	at_entry, at_return
	.hidden	at_entry, at_return
at_entry:
	.skip	128
at_return:
	.skip	128
	.section .note.GNU-stack, "", @progbits
