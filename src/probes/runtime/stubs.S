/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Between the program's code and the runtime's. Everything that the program may have in registers stays: functions that
 * a compiler has seen whole are called with what no calling convention knows of, and results may be anywhere.
 *
 * Each stub is 16 bytes: a call that leads to the runtime, and how far away the frame is whose stub it is. With that
 * one rule tells unwinders for all of them where the true return address is: in the frame. The canonical frame address
 * is the stack pointer plus 1, for libgcc wants it to be another than the caller's.
 */
#define FRAMES 32768
#define FRAME_SIZE 128

	.text
	/* Flags by lahf and seto, which are much faster than popf. */
	.macro	SAVE
	push	%rax
	lahf
	seto	%al
	push	%rax
	push	%rcx
	push	%rdx
	push	%rsi
	push	%rdi
	push	%r8
	push	%r9
	push	%r10
	push	%r11
	push	%rbp
	mov	%rsp, %rbp
	and	$-16, %rsp
	.endm
	.macro	RESTORE
	mov	%rbp, %rsp
	pop	%rbp
	pop	%r11
	pop	%r10
	pop	%r9
	pop	%r8
	pop	%rdi
	pop	%rsi
	pop	%rdx
	pop	%rcx
	pop	%rax
	add	$127, %al
	sahf
	pop	%rax
	.endm
#define SAVED 88

#define N_FUNCTIONS 4
#define ENABLED     8
#define COUNTS_SIZE 240

	/* From a trampoline, which has pushed r11, and has the function's number in it. Where a thread only counts
	 * calls, and has done so before, it is done here; r11 is the trampoline's again. */
	.balign	64
	.globl	papi_probe_enter_stub
	.hidden	papi_probe_enter_stub
	.type	papi_probe_enter_stub, @function
papi_probe_enter_stub:
	push	%rax
	lahf
	seto	%al
	push	%rax
	push	%rcx
	mov	papi_probe_quick@gottpoff(%rip), %rax
	mov	%fs:(%rax), %rcx
	test	%rcx, %rcx
	jz	1f
	cmp	papi_probe_current(%rip), %rcx
	jne	1f
	cmpl	$0, ENABLED(%rcx)
	je	1f
	cmp	N_FUNCTIONS(%rcx), %r11d
	jae	1f
	mov	papi_probe_alive(%rip), %rcx
	cmpl	$0, (%rcx)
	je	1f
	mov	%fs:8(%rax), %rcx
	imul	$COUNTS_SIZE, %r11, %r11
	incq	(%rcx, %r11)
	pop	%rcx
	pop	%rax
	add	$127, %al
	sahf
	pop	%rax
	ret
1:	pop	%rcx
	pop	%rax
	add	$127, %al
	sahf
	pop	%rax
	SAVE
	mov	%r11d, %edi
	lea	SAVED + 16(%rbp), %rsi
	call	papi_probe_enter
	RESTORE
	ret
	.size	papi_probe_enter_stub, . - papi_probe_enter_stub

	.balign	64
	.type	leave_stub, @function
leave_stub:
	SAVE
	mov	SAVED(%rbp), %rdi
	lea	SAVED(%rbp), %rsi
	call	papi_probe_leave
	mov	%rax, SAVED(%rbp)
	RESTORE
	ret
	.size	leave_stub, . - leave_stub

	.balign	64
	.skip	15, 0xcc
	/* Unwinders look at the byte before a return address. */
	.cfi_startproc simple
	.cfi_def_cfa %rsp, 1
	/* rsp is rsp: DW_CFA_val_expression, DW_OP_breg7. */
	.cfi_escape 0x16, 7, 2, 0x77, 0
	/* The return address is saved (DW_CFA_expression) at the address of the stub plus 8 (DW_OP_breg16) plus (dup,
	 * deref_size 4, plus) what stands there. */
	.cfi_escape 0x10, 16, 6, 0x80, 8, 0x12, 0x94, 4, 0x22
	.byte	0xcc
	.globl	papi_probe_stubs
	.hidden	papi_probe_stubs
	.type	papi_probe_stubs, @object
papi_probe_stubs:
	.set	frame, 0
	.rept	FRAMES
	.byte	0xe8		/* call leave_stub */
	.long	leave_stub - (. + 4)
	.skip	3, 0xcc
	.long	papi_probe_frames + frame - (. - 8) - 8
	.long	0
	.set	frame, frame + FRAME_SIZE
	.endr
	.cfi_endproc
	.size	papi_probe_stubs, . - papi_probe_stubs
	.section .note.GNU-stack, "", @progbits
