/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Between the program's code and the runtime's. Everything that the program may have in registers stays: functions that
 * a compiler has seen whole are called with what no calling convention knows of, and results may be anywhere.
 *
 * All that usual calls and returns need is done here, with few registers. The rest is done in C, which begins anew: a
 * frame may have been taken off the list of free ones by then, where another had it already, and nothing else is
 * changed. A signal handler may do all of this in between.
 *
 * Each frame has a stub of 16 bytes:
 *
 *	call *resume(frame)     the probed function goes on in its trampoline, and returns behind this
 *	push $frame
 *	jmp  leave_stub
 *
 * The processor foresees where a return goes by the calls before. So the stub's address comes to its place on the stack
 * by a call, from where the return address was, and both returns are foreseen: that to the stub, and that from here to
 * the caller.
 *
 * One rule tells unwinders for all stubs where the true return address is: in the frame. The canonical frame address is
 * the stack pointer plus 1, for libgcc wants it to be another than the caller's.
 */
#include "probes/runtime/layout.h"

	.text
	/* Flags by lahf and seto, which are much faster than popf. */
	.macro	SAVE_FLAGS
	push	%rax
	lahf
	seto	%al
	push	%rax
	.endm
	.macro	RESTORE_FLAGS
	pop	%rax
	add	$127, %al
	sahf
	pop	%rax
	.endm
	.macro	SAVE
	SAVE_FLAGS
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
	RESTORE_FLAGS
	.endm
#define SAVED 88

#define POP_R11 2 /* bytes, with which a trampoline goes on */

	/* The place of a return address is below the stack pointer now, and a stub's call, whose address is further
	 * down, puts the stub's address there. The kernel leaves 128 bytes there alone. */
	.macro	CALL_FROM_STUB
	mov	8(%rsp), %r11
	lea	24(%rsp), %rsp
	jmp	*-24(%rsp)
	.endm

	/* The thread's table, in rcx, is the current one, counts and has the function of r11; and somebody looks.
	 * Changes rcx. */
	.macro	SLOWLY_UNLESS_USUAL
	cmp	papi_probe_current(%rip), %rcx
	jne	enter_slowly
	cmpl	$0, TABLE_ENABLED(%rcx)
	je	enter_slowly
	cmp	TABLE_N_FUNCTIONS(%rcx), %r11d
	jae	enter_slowly
	mov	papi_probe_alive(%rip), %rcx
	cmpl	$0, (%rcx)
	je	enter_slowly
	.endm

	/* From a trampoline, which has pushed r11, and has the function's number in it. */
	.balign	64
	.globl	papi_probe_enter_stub
	.hidden	papi_probe_enter_stub
	.type	papi_probe_enter_stub, @function
papi_probe_enter_stub:
	SAVE_FLAGS
	push	%rcx
	mov	papi_probe_quick@gottpoff(%rip), %rax
	mov	%fs:QUICK_CALLS(%rax), %rcx
	test	%rcx, %rcx
	jz	enter_timed
	SLOWLY_UNLESS_USUAL
	mov	%fs:QUICK_COUNTS(%rax), %rcx
	imul	$COUNTS_SIZE, %r11, %r11
	incq	COUNTS_CALLS(%rcx, %r11)
	pop	%rcx
	RESTORE_FLAGS
	ret

	/* Pushed are rax, the flags, rcx and rdx. */
#define TO   32
#define SLOT 48
	.balign	16
enter_timed:
	mov	%fs:QUICK_TIMES(%rax), %rcx
	test	%rcx, %rcx
	jz	enter_slowly
	SLOWLY_UNLESS_USUAL
	mov	%fs:QUICK_THREAD(%rax), %rcx
	push	%rdx
	/* The frame before is further up, or on another stack that is there. */
	mov	THREAD_TOP(%rcx), %rax
	test	%rax, %rax
	jz	1f
	lea	SLOT(%rsp), %rdx
	cmp	%rdx, FRAME_SLOT(%rax)
	jbe	2f
1:	mov	THREAD_FREE(%rcx), %rdx
	test	%rdx, %rdx
	jz	2f
	mov	FRAME_NEXT(%rdx), %rax
	mov	%rax, THREAD_FREE(%rcx)
	btsl	$0, FRAME_USED(%rdx)
	jc	2f
	/* It is ours. */
	mov	%r11d, FRAME_FUNCTION(%rdx)
	movzwl	THREAD_VISIT(%rcx), %eax
	mov	%ax, FRAME_VISIT(%rdx)
	mov	THREAD_ACTIVE(%rcx), %rax
	cmpl	$1, (%rax, %r11, 4)
	setc	FRAME_FLAGS(%rdx)
	incl	(%rax, %r11, 4)
	mov	THREAD_COUNTS(%rcx), %rax
	imul	$COUNTS_SIZE, %r11, %r11
	incq	COUNTS_CALLS(%rax, %r11)
	movq	$0, FRAME_CHILDREN(%rdx)
	mov	THREAD_TOP(%rcx), %rax
	mov	%rax, FRAME_PARENT(%rdx)
	lea	SLOT(%rsp), %rax
	mov	%rax, FRAME_SLOT(%rdx)
	mov	SLOT(%rsp), %rax
	mov	%rax, FRAME_BACK(%rdx)
	mov	TO(%rsp), %rax
	add	$POP_R11, %rax
	mov	%rax, FRAME_RESUME(%rdx)
	/* Frames that are on top have their stubs in their places. */
	mov	FRAME_STUB(%rdx), %rax
	mov	%rax, SLOT(%rsp)
	mov	%rdx, THREAD_TOP(%rcx)
	sub	$STUB_RETURN, %rax
	mov	%rax, TO(%rsp)
	mov	%rdx, %rcx
	rdtsc
	shl	$32, %rdx
	or	%rdx, %rax
	mov	%rax, FRAME_BEGUN(%rcx)
	pop	%rdx
	pop	%rcx
	RESTORE_FLAGS
	CALL_FROM_STUB
#undef TO
#undef SLOT

2:	pop	%rdx
enter_slowly:
	pop	%rcx
	RESTORE_FLAGS
	SAVE
	mov	%r11d, %edi
	lea	SAVED + 16(%rbp), %rsi
	mov	%rsi, %rdx
	xor	%ecx, %ecx
	call	papi_probe_enter
	test	%rax, %rax
	jz	3f
	mov	SAVED(%rbp), %rcx
	add	$POP_R11, %rcx
	mov	%rcx, FRAME_RESUME(%rax)
	mov	FRAME_STUB(%rax), %rcx
	sub	$STUB_RETURN, %rcx
	mov	%rcx, SAVED(%rbp)
	RESTORE
	CALL_FROM_STUB
3:	RESTORE
	ret
	.size	papi_probe_enter_stub, . - papi_probe_enter_stub

	/* Pushed are how far the frame is behind the first one, rax, the flags, rcx, rdx, rsi, and rdi. */
#define SLOT 48
	.balign	64
	.type	leave_stub, @function
leave_stub:
	SAVE_FLAGS
	push	%rcx
	push	%rdx
	push	%rsi
	push	%rdi
	rdtsc
	shl	$32, %rdx
	or	%rdx, %rax
	lea	papi_probe_frames(%rip), %rcx
	add	SLOT(%rsp), %rcx
	mov	papi_probe_quick@gottpoff(%rip), %rsi
	mov	%fs:QUICK_TIMES(%rsi), %rdx
	cmp	papi_probe_current(%rip), %rdx
	jne	leave_slowly
	mov	papi_probe_alive(%rip), %rdx
	cmpl	$0, (%rdx)
	je	leave_slowly
	mov	%fs:QUICK_THREAD(%rsi), %rdx
	cmp	THREAD_TOP(%rdx), %rcx
	jne	leave_slowly
	movzwl	FRAME_VISIT(%rcx), %esi
	cmp	THREAD_VISIT(%rdx), %si
	jne	leave_slowly
	mov	FRAME_FUNCTION(%rcx), %esi
	imul	$COUNTS_SIZE, %rsi, %rsi
	add	THREAD_COUNTS(%rdx), %rsi
	/* The first one has nothing to be compared with. */
	cmpq	$0, COUNTS_RETURNS(%rsi)
	je	leave_slowly
	/* From here on it is over. */
	mov	FRAME_PARENT(%rcx), %rdi
	mov	%rdi, THREAD_TOP(%rdx)
	sub	FRAME_BEGUN(%rcx), %rax
	test	%rdi, %rdi
	jz	1f
	add	%rax, FRAME_CHILDREN(%rdi)
1:	cmp	COUNTS_LEAST(%rsi), %rax
	jae	2f
	mov	%rax, COUNTS_LEAST(%rsi)
2:	cmp	COUNTS_MOST(%rsi), %rax
	jbe	3f
	mov	%rax, COUNTS_MOST(%rsi)
3:	add	%rax, COUNTS_SUM(%rsi)
	testb	$1, FRAME_FLAGS(%rcx)
	jz	4f
	add	%rax, COUNTS_INCLUSIVE(%rsi)
	/* Where stacks are changed, what was called from one may have had its time on another. */
4:	sub	FRAME_CHILDREN(%rcx), %rax
	jbe	5f
	add	%rax, COUNTS_EXCLUSIVE(%rsi)
5:	incq	COUNTS_RETURNS(%rsi)
	mov	FRAME_FUNCTION(%rcx), %esi
	mov	THREAD_ACTIVE(%rdx), %rdi
	decl	(%rdi, %rsi, 4)
	mov	FRAME_BACK(%rcx), %rax
	mov	THREAD_FREE(%rdx), %rdi
	mov	%rdi, FRAME_NEXT(%rcx)
	movl	$0, FRAME_USED(%rcx)
	mov	%rcx, THREAD_FREE(%rdx)
	mov	%rax, SLOT(%rsp)
	pop	%rdi
	pop	%rsi
	pop	%rdx
	pop	%rcx
	RESTORE_FLAGS
	ret
#undef SLOT

leave_slowly:
	pop	%rdi
	pop	%rsi
	pop	%rdx
	pop	%rcx
	RESTORE_FLAGS
	SAVE
	lea	papi_probe_frames(%rip), %rdi
	add	SAVED(%rbp), %rdi
	lea	SAVED(%rbp), %rsi
	call	papi_probe_leave
	mov	%rax, SAVED(%rbp)
	RESTORE
	ret
	.size	leave_stub, . - leave_stub

	/* Wherever in its stub a thread is, or is to return to: the address tells which stub that is. */
	.balign	64
	.cfi_startproc simple
	.cfi_def_cfa %rsp, 1
	/* rsp is rsp (DW_CFA_val_expression; DW_OP_breg7), plus 8 behind the push (breg16, lit15, and, lit11, eq, lit3,
	 * shl, plus). */
	.cfi_escape 0x16, 7, 11, 0x77, 0, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x29, 0x33, 0x24, 0x22
	/* The return address is saved (DW_CFA_expression) in the frame: the stub begins where the last four bits are 0
	 * (breg16, const1s -16, and), and two bytes further (plus_uconst) it says how far from there plus 4 resume is
	 * (dup, deref_size 4, plus), which back is behind (plus_uconst). */
	.cfi_escape 0x10, 16, 13, 0x80, 0, 0x09, 0xf0, 0x1a, 0x23, 2, 0x12, 0x94, 4, 0x22, 0x23
	.cfi_escape 4 + FRAME_BACK - FRAME_RESUME
	.globl	papi_probe_stubs
	.hidden	papi_probe_stubs
	.type	papi_probe_stubs, @object
papi_probe_stubs:
	.set	frame, 0
	.rept	PAPI_PROBE_FRAMES
	.byte	0xff, 0x15	/* call * */
	.long	papi_probe_frames + FRAME_RESUME + frame - (. + 4)
	.byte	0x68		/* push */
	.long	frame
	.byte	0xe9		/* jmp leave_stub */
	.long	leave_stub - (. + 4)
	.set	frame, frame + FRAME_SIZE
	.endr
	.cfi_endproc
	.size	papi_probe_stubs, . - papi_probe_stubs
	.section .note.GNU-stack, "", @progbits
