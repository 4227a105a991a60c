/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ways between translated code, the runtime and native code.
 *
 * Signals that arrive while in_runtime is set are put off: the handler blocks all signals, sends itself the signal
 * again, and makes signal_state DEFERRED (deliver.c). When the runtime is done the mask is restored here, and the
 * signal comes again, where all of the program's state is in the thread's registers, flags and pc.
 *
 * Translated code is entered by x17, and takes the program's own from where it is kept then. Native code can be entered
 * by no register, where all are the program's: the kernel does it, which returns from a signal that never was.
 */
#include "components/vpmu/arm64/macros.S"

	/* struct papi_vpmu_frame, as far as it is made here, in bytes from its beginning. */
#define FRAME_SIZE 4688
#define FRAME_STACK 144
#define FRAME_MASK 168
#define FRAME_REGISTERS 312
#define FRAME_SP 560
#define FRAME_PC 568
#define FRAME_STATE 576
#define FRAME_VECTORS 592
#define VECTORS_MAGIC 0x46508001
#define VECTORS_SIZE 528
	/* Behind that, where there are vectors of any length: the record that says where there are more, the end of
	 * these, and what it points to. */
#define FRAME_EXTRA (FRAME_VECTORS + VECTORS_SIZE)
#define EXTRA_MAGIC 0x45585401
#define EXTRA_SIZE 32
#define END_SIZE 16
#define FRAME_SCALABLE (FRAME_EXTRA + EXTRA_SIZE + END_SIZE)
#define SCALABLE_MAGIC 0x53564501
#define SCALABLE_HEAD 16
	/* For any frame. */
#define FRAME_ROOM 12288

	.arch_extension sve

	/* All but x15 and x18, which are at home already; the stack pointer and flags. x15 is free. */
	.macro save_registers
	add	x15, x18, #A64_REGISTERS
	stp	x0, x1, [x15]
	stp	x2, x3, [x15, #16]
	stp	x4, x5, [x15, #32]
	stp	x6, x7, [x15, #48]
	stp	x8, x9, [x15, #64]
	stp	x10, x11, [x15, #80]
	stp	x12, x13, [x15, #96]
	str	x14, [x15, #112]
	stp	x16, x17, [x15, #128]
	str	x19, [x15, #152]
	stp	x20, x21, [x15, #160]
	stp	x22, x23, [x15, #176]
	stp	x24, x25, [x15, #192]
	stp	x26, x27, [x15, #208]
	stp	x28, x29, [x15, #224]
	mov	x0, sp
	stp	x30, x0, [x15, #240]
	mrs	x0, nzcv
	str	x0, [x18, #A64_FLAGS]
	.endm

	/* All but x15 to x18. */
	.macro restore_registers
	ldr	x0, [x18, #A64_FLAGS]
	msr	nzcv, x0
	add	x15, x18, #A64_REGISTERS
	ldp	x30, x0, [x15, #240]
	mov	sp, x0
	ldp	x0, x1, [x15]
	ldp	x2, x3, [x15, #16]
	ldp	x4, x5, [x15, #32]
	ldp	x6, x7, [x15, #48]
	ldp	x8, x9, [x15, #64]
	ldp	x10, x11, [x15, #80]
	ldp	x12, x13, [x15, #96]
	ldr	x14, [x15, #112]
	ldr	x19, [x15, #152]
	ldp	x20, x21, [x15, #160]
	ldp	x22, x23, [x15, #176]
	ldp	x24, x25, [x15, #192]
	ldp	x26, x27, [x15, #208]
	ldp	x28, x29, [x15, #224]
	.endm

	/* Vectors of any length, if the program uses them. Changes x0 to x2 and x30. */
	.macro save_scalable
	adrp	x0, papi_a64_scalable_used
	ldr	w0, [x0, :lo12:papi_a64_scalable_used]
	cbz	w0, 1f
	str	x0, [x18, #A64_SCALABLE_SAVED]
	add	x0, x18, #A64_SCALABLE
	bl	store_scalable
1:
	.endm

	/* A function of the runtime, on its stack; x18 stays. */
	.macro call_runtime name
	ldr	x0, [x18, #A64_STACK]
	mov	sp, x0
	ldr	x0, [x18, #A64_SELF]
	mov	x19, x18
	bl	\name
	mov	x18, x19
	.endm

	/* Signals that were put off come, with the program's mask in force, which is so many bytes from base. Changes
	 * x0 to x3 and x8. A signal that comes before the mask is in force finds the state still DEFERRED, and so which
	 * mask it will be. */
	.macro unblock_signals base, offset
	mov	x8, #SYS_rt_sigprocmask
	mov	x0, #SIG_SETMASK
	add	x1, \base, \offset
	mov	x2, #0
	mov	x3, #8
	svc	#0
	str	xzr, [x18, #A64_SIGNAL_STATE]
	.endm

	.macro set_in_runtime with
	mov	\with, #1
	str	\with, [x18, #A64_IN_RUNTIME]
	.endm

	/* No more, before the program's registers are brought back. Changes x0 to x3 and x8. */
	.macro leave_runtime
	str	xzr, [x18, #A64_IN_RUNTIME]
	ldr	x0, [x18, #A64_SIGNAL_STATE]
	cmp	x0, #SIGNALS_DEFERRED
	b.ne	1f
	unblock_signals x18, #A64_DEFERRED_MASK
1:
	.endm

	.text

/* The target of an indirect branch is in x16, which is borrowed, as is x17. */
	function papi_vpmu_jump_miss
	str	x16, [x18, #A64_PC]
	ldp	x16, x17, [x18, #A64_BRANCHING]
	mov	x15, #-1
	str	x15, [x18, #A64_EXIT]
	/* goes on into the dispatcher */
	.size	papi_vpmu_jump_miss, . - papi_vpmu_jump_miss

/* From a block whose exit is in the thread. The registers and flags are the program's, but for x15 and x18. */
	function papi_vpmu_dispatch
	ldr	x15, [x18, #A64_EXIT]
	add	x15, x15, #8 /* PAPI_VPMU_EXIT_CHILD */
	cbz	x15, child
	set_in_runtime x15
	save_registers
	save_scalable
	call_runtime papi_vpmu_runtime_dispatch
	str	x0, [x18, #A64_CODE]
	b	papi_vpmu_resume
	.size	papi_vpmu_dispatch, . - papi_vpmu_dispatch

/* A function that was called through a gate has returned: the registers that may hold its result are live. */
	function papi_vpmu_gate_return
	get_self x16, x17
	mov	x17, x18
	add	x18, x16, #A64_BASE
	str	x15, [x18, #A64_REGISTERS + 8 * 15]
	str	x17, [x18, #A64_REGISTERS + 8 * 18]
	set_in_runtime x15
	save_registers
	call_runtime papi_vpmu_runtime_gate_return
	str	x0, [x18, #A64_CODE]
	ldr	x1, [x18, #A64_PC]
	cmp	x0, x1
	b.eq	returned_natively
	b	papi_vpmu_resume
	.size	papi_vpmu_gate_return, . - papi_vpmu_gate_return

/* To the thread's code, with the program's registers. From here to the branch signals are welcome: papi_vpmu_resume to
 * papi_vpmu_resume_end is where the state of the program is that of the thread, whatever the registers hold. */
	function papi_vpmu_resume
	ldr	x0, [x18, #A64_SCALABLE_SAVED]
	cbnz	x0, resume_scalable
	ldr	x0, [x18, #A64_CODE]
	ldr	x1, [x18, #A64_PC]
	cmp	x0, x1
	b.eq	natively
	leave_runtime
enter_code:
	restore_registers
	ldp	x16, x17, [x15, #128]
	stp	x16, x17, [x18, #A64_BRANCHING] /* code that is entered from here takes them from there */
	ldr	x17, [x18, #A64_CODE]
	isb /* it may have been written a moment ago */
	br	x17

/* The same with vectors of any length, which system calls lose: signals that were put off come with those, and the
 * mask, by a frame. */
resume_scalable:
	add	x0, x18, #A64_SCALABLE
	bl	load_scalable
	str	xzr, [x18, #A64_SCALABLE_SAVED]
	ldr	x0, [x18, #A64_CODE]
	ldr	x1, [x18, #A64_PC]
	mov	x21, #1
	cmp	x0, x1
	b.eq	by_frame
	str	xzr, [x18, #A64_IN_RUNTIME]
	ldr	x0, [x18, #A64_SIGNAL_STATE]
	cmp	x0, #SIGNALS_DEFERRED
	b.ne	enter_code
	set_in_runtime x0
	add	x15, x18, #A64_REGISTERS
	ldp	x16, x17, [x15, #128]
	stp	x16, x17, [x18, #A64_BRANCHING]
	mov	x21, #2
	b	by_frame

/* The same, behind a call, where x16 may be changed. */
returned_natively:
	leave_runtime
	restore_registers
	ldr	x17, [x15, #136]
	ldr	x15, [x15, #120]
	ldr	x16, [x18, #A64_CODE]
	ldr	x18, [x18, #A64_REGISTERS + 8 * 18]
	ret	x16

/* The same, at a system call that goes on with the rest of one that was interrupted: rt_sigreturn(2) would tell the
 * kernel that there is none. It has no arguments: x0 may be changed. */
rest_natively:
	str	xzr, [x18, #A64_SCALABLE_SAVED] /* the call loses them */
	leave_runtime
	restore_registers
	ldp	x16, x17, [x15, #128]
	ldr	x15, [x15, #120]
	ldr	x0, [x18, #A64_CODE]
	ldr	x18, [x18, #A64_REGISTERS + 8 * 18]
	ret	x0
	.size	papi_vpmu_resume, . - papi_vpmu_resume

/* rt_sigreturn(2) with the program's frame. If the kernel cannot read it, that is a fault of the program here. x0: the
 * thread. */
	function papi_vpmu_signal_leave
	get_self x0, x1
	add	x18, x0, #A64_BASE
	str	xzr, [x18, #A64_SCALABLE_SAVED]
	str	xzr, [x18, #A64_IN_RUNTIME]
	ldr	x0, [x18, #A64_REGISTERS + 8 * A64_SP]
	mov	sp, x0
	mov	x8, #SYS_rt_sigreturn
	svc	#0
	.size	papi_vpmu_signal_leave, . - papi_vpmu_signal_leave

/* On natively, with the program's registers of the thread and a frame on the stack of the runtime; or, in a child that
 * has none of its own, with the live ones, on its own stack. x21: 1 if vectors of any length are live; 2 if they are,
 * and it goes on in the thread's code. */
	.type	natively, %function
natively:
	mov	x21, #0
by_frame:
	ldr	x15, [x18, #A64_STACK]
	sub	x15, x15, #FRAME_ROOM
	add	x0, x18, #A64_REGISTERS
	add	x1, x15, #FRAME_REGISTERS
	mov	x2, #32
1:	ldr	x3, [x0], #8
	str	x3, [x1], #8
	sub	x2, x2, #1
	cbnz	x2, 1b
	ldr	x4, [x18, #A64_FLAGS]
	ldr	x20, [x18, #A64_PC]
	cmp	x21, #2
	b.ne	leave_by_frame
	str	x18, [x15, #(FRAME_REGISTERS + 8 * 18)]
	ldr	x20, [x18, #A64_CODE]
	b	leave_by_frame
child:
	sub	x15, sp, #(FRAME_SIZE & ~4095)
	sub	x15, x15, #((FRAME_SIZE & 4095) - FRAME_REGISTERS)
	stp	x0, x1, [x15]
	stp	x2, x3, [x15, #16]
	stp	x4, x5, [x15, #32]
	stp	x6, x7, [x15, #48]
	stp	x8, x9, [x15, #64]
	stp	x10, x11, [x15, #80]
	stp	x12, x13, [x15, #96]
	ldr	x0, [x18, #A64_REGISTERS + 8 * 15]
	stp	x14, x0, [x15, #112]
	stp	x16, x17, [x15, #128]
	ldr	x0, [x18, #A64_REGISTERS + 8 * 18]
	stp	x0, x19, [x15, #144]
	stp	x20, x21, [x15, #160]
	stp	x22, x23, [x15, #176]
	stp	x24, x25, [x15, #192]
	stp	x26, x27, [x15, #208]
	stp	x28, x29, [x15, #224]
	mov	x0, sp
	stp	x30, x0, [x15, #240]
	mrs	x4, nzcv
	sub	x15, x15, #FRAME_REGISTERS
	ldr	x20, [x18, #A64_PC]
	mov	x21, #0
	/* x15 is the frame, x4 the flags, x20 the pc. */
leave_by_frame:
	mov	sp, x15
	str	x20, [sp, #FRAME_PC]
	str	x4, [sp, #FRAME_STATE]
	add	x0, sp, #FRAME_VECTORS
	mov	w1, #(VECTORS_MAGIC & 0xffff)
	movk	w1, #(VECTORS_MAGIC >> 16), lsl #16
	mov	w2, #VECTORS_SIZE
	stp	w1, w2, [x0]
	str	xzr, [x0, #VECTORS_SIZE]
	add	x0, x0, #8
	bl	papi_a64_save_vectors
	cbz	x21, 3f
	bl	put_scalable
3:	/* The mask and the alternate stack are to stay, unless the mask is yet to come. */
	mov	x8, #SYS_sigaltstack
	mov	x0, #0
	add	x1, sp, #FRAME_STACK
	svc	#0
	mov	x8, #SYS_rt_sigprocmask
	mov	x0, #SIG_SETMASK
	mov	x1, #0
	add	x2, sp, #FRAME_MASK
	mov	x3, #8
	svc	#0
	/* Signals that are put off from here on come when the frame's mask is in force, whatever the state says. */
	label papi_vpmu_leave_by_frame
	ldr	x0, [x18, #A64_SIGNAL_STATE]
	cmp	x0, #SIGNALS_DEFERRED
	b.ne	1f
	ldr	x0, [x18, #A64_DEFERRED_MASK]
	str	x0, [sp, #FRAME_MASK]
	str	xzr, [x18, #A64_SIGNAL_STATE]
1:	cbz	x21, 4f
	/* A signal may come before the frame is left by. */
	add	x0, sp, #(FRAME_SCALABLE + SCALABLE_HEAD)
	bl	load_scalable
4:	str	xzr, [x18, #A64_IN_RUNTIME]
	mov	x8, #SYS_rt_sigreturn
	svc	#0
	label papi_vpmu_resume_end
	/* No block looks by itself whether its accesses hit. */
	label papi_vpmu_check
	label papi_vpmu_checked
	label papi_vpmu_checked_end
	udf	#0
	.size	natively, . - natively

/* To x0, as in the kernel's struct sve_context: 32 vectors, 16 predicates, and the first-fault register, by way of the
 * first of these. Changes x1. */
	.type	store_scalable, %function
store_scalable:
	.irp	n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	str	z\n, [x0, #\n, mul vl]
	.endr
	addvl	x1, x0, #16
	addvl	x1, x1, #16
	.irp	n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
	str	p\n, [x1, #\n, mul vl]
	.endr
	rdffr	p0.b
	str	p0, [x1, #16, mul vl]
	ldr	p0, [x1]
	ret
	.size	store_scalable, . - store_scalable

	/* From there. */
	.type	load_scalable, %function
load_scalable:
	.irp	n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	ldr	z\n, [x0, #\n, mul vl]
	.endr
	addvl	x1, x0, #16
	addvl	x1, x1, #16
	ldr	p0, [x1, #16, mul vl]
	wrffr	p0.b
	.irp	n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
	ldr	p\n, [x1, #\n, mul vl]
	.endr
	ret
	.size	load_scalable, . - load_scalable

	/* Into the frame at the stack pointer, behind its other vectors. Changes x0 to x3 and x30. */
	.type	put_scalable, %function
put_scalable:
	mov	x3, x30
	add	x0, sp, #FRAME_EXTRA
	mov	w1, #(EXTRA_MAGIC & 0xffff)
	movk	w1, #(EXTRA_MAGIC >> 16), lsl #16
	mov	w2, #EXTRA_SIZE
	stp	w1, w2, [x0]
	add	x1, sp, #FRAME_SCALABLE
	stp	x1, xzr, [x0, #8]
	stp	xzr, xzr, [x0, #24]
	str	xzr, [x0, #(EXTRA_SIZE + 8)]
	/* As long as its registers, in units of 16 bytes. */
	rdvl	x2, #31
	addvl	x2, x2, #3
	addpl	x2, x2, #1
	add	x2, x2, #(SCALABLE_HEAD + 15)
	and	x2, x2, #-16
	add	w1, w2, #END_SIZE
	str	w1, [x0, #16]
	add	x0, sp, #FRAME_SCALABLE
	mov	w1, #(SCALABLE_MAGIC & 0xffff)
	movk	w1, #(SCALABLE_MAGIC >> 16), lsl #16
	stp	w1, w2, [x0]
	add	x1, x0, x2
	stp	xzr, xzr, [x1]
	rdvl	x1, #1
	str	x1, [x0, #8]
	add	x0, x0, #SCALABLE_HEAD
	bl	store_scalable
	ret	x3
	.size	put_scalable, . - put_scalable

/* papi_a64_save_vectors(area): fpsr and fpcr, and 32 registers of 16 bytes. */
	function papi_a64_save_vectors
	mrs	x1, fpsr
	mrs	x2, fpcr
	stp	w1, w2, [x0]
	add	x0, x0, #8
	stp	q0, q1, [x0]
	stp	q2, q3, [x0, #32]
	stp	q4, q5, [x0, #64]
	stp	q6, q7, [x0, #96]
	stp	q8, q9, [x0, #128]
	stp	q10, q11, [x0, #160]
	stp	q12, q13, [x0, #192]
	stp	q14, q15, [x0, #224]
	stp	q16, q17, [x0, #256]
	stp	q18, q19, [x0, #288]
	stp	q20, q21, [x0, #320]
	stp	q22, q23, [x0, #352]
	stp	q24, q25, [x0, #384]
	stp	q26, q27, [x0, #416]
	stp	q28, q29, [x0, #448]
	stp	q30, q31, [x0, #480]
	ret
	.size	papi_a64_save_vectors, . - papi_a64_save_vectors

/* papi_a64_restore_vectors(area) */
	function papi_a64_restore_vectors
	ldp	w1, w2, [x0]
	msr	fpsr, x1
	msr	fpcr, x2
	add	x0, x0, #8
	ldp	q0, q1, [x0]
	ldp	q2, q3, [x0, #32]
	ldp	q4, q5, [x0, #64]
	ldp	q6, q7, [x0, #96]
	ldp	q8, q9, [x0, #128]
	ldp	q10, q11, [x0, #160]
	ldp	q12, q13, [x0, #192]
	ldp	q14, q15, [x0, #224]
	ldp	q16, q17, [x0, #256]
	ldp	q18, q19, [x0, #288]
	ldp	q20, q21, [x0, #320]
	ldp	q22, q23, [x0, #352]
	ldp	q24, q25, [x0, #384]
	ldp	q26, q27, [x0, #416]
	ldp	q28, q29, [x0, #448]
	ldp	q30, q31, [x0, #480]
	ret
	.size	papi_a64_restore_vectors, . - papi_a64_restore_vectors

/* A call of the function at the thread's code, with the return address in x30: what comes back from it comes to
 * papi_vpmu_gate_return. x15 to x17 and the flags are free at the start of a function. The place of a gate is where a
 * function may keep its return address, right below the stack pointer; nothing is written there. */
	function papi_vpmu_gate_enter
	set_in_runtime x17
	ldr	x17, [x18, #A64_GATE_DEPTH]
	cmp	x17, #(A64_GATE_SIZE * A64_MAX_GATES)
	b.hs	1f
2:	add	x16, x18, x17
	sub	x15, sp, #8
	str	x30, [x16, #A64_GATES]
	str	x15, [x16, #A64_GATES + 8]
	str	xzr, [x16, #A64_GATES + 16]
	add	x17, x17, #A64_GATE_SIZE
	str	x17, [x18, #A64_GATE_DEPTH]
	adr	x30, papi_vpmu_gate_return
	ldr	x16, [x18, #A64_CODE]
	ldr	x15, [x18, #A64_REGISTERS + 8 * 15]
	str	xzr, [x18, #A64_IN_RUNTIME]
	label papi_vpmu_gate_entered
	/* From here on this is native code, and a handler may run at any point: nothing of it is in the thread. */
	ldr	x17, [x18, #A64_SIGNAL_STATE]
	cmp	x17, #SIGNALS_DEFERRED
	b.eq	3f
4:	ldr	x18, [x18, #A64_REGISTERS + 8 * 18]
	br	x16
1:	/* Gates that a longjmp() has left behind fill the list. */
	save_registers
	call_runtime papi_vpmu_runtime_forget_gates
	restore_registers
	ldr	x17, [x18, #A64_GATE_DEPTH]
	b	2b
	/* A handler for a fault may come in between, with the mask in force, and leave its own there: so that is taken
	 * before the state is looked at again. */
3:	stp	x0, x1, [sp, #-64]!
	stp	x2, x3, [sp, #16]
	stp	x8, x16, [sp, #32]
	ldr	x0, [x18, #A64_DEFERRED_MASK]
	str	x0, [sp, #48]
	ldr	x0, [x18, #A64_SIGNAL_STATE]
	cmp	x0, #SIGNALS_DEFERRED
	b.ne	5f
	unblock_signals sp, #48
5:	ldp	x8, x16, [sp, #32]
	ldp	x2, x3, [sp, #16]
	ldp	x0, x1, [sp], #64
	b	4b
	.size	papi_vpmu_gate_enter, . - papi_vpmu_gate_enter

/* uint64_t papi_vpmu_guarded(function, a, b, c): signal handlers send a fault in between to papi_vpmu_guard_failed. */
	function papi_vpmu_guarded
	stp	x29, x30, [sp, #-112]!
	stp	x19, x20, [sp, #16]
	stp	x21, x22, [sp, #32]
	stp	x23, x24, [sp, #48]
	stp	x25, x26, [sp, #64]
	stp	x27, x28, [sp, #80]
	get_self x9, x10
	add	x9, x9, #A64_BASE
	ldr	x10, [x9, #A64_GUARD]
	str	x10, [sp, #96]
	mov	x10, sp
	str	x10, [x9, #A64_GUARD]
	mov	x9, x0
	mov	x0, x1
	mov	x1, x2
	mov	x2, x3
	blr	x9
1:	get_self x9, x10
	add	x9, x9, #A64_BASE
	ldr	x10, [sp, #96]
	str	x10, [x9, #A64_GUARD]
	ldp	x27, x28, [sp, #80]
	ldp	x25, x26, [sp, #64]
	ldp	x23, x24, [sp, #48]
	ldp	x21, x22, [sp, #32]
	ldp	x19, x20, [sp, #16]
	ldp	x29, x30, [sp], #112
	ret
	label papi_vpmu_guard_failed
	get_self x9, x10
	add	x9, x9, #A64_BASE
	ldr	x10, [x9, #A64_GUARD]
	mov	sp, x10
	mov	x0, #-1
	b	1b
	.size	papi_vpmu_guarded, . - papi_vpmu_guarded

/* uint64_t papi_vpmu_clone_call(const uint64_t *registers): clone(2), for both threads. */
	function papi_vpmu_clone_call
	mov	x9, x0
	ldp	x0, x1, [x9]
	ldp	x2, x3, [x9, #16]
	ldr	x4, [x9, #32]
	ldr	x8, [x9, #64]
	svc	#0
	cbz	x0, papi_vpmu_arrive
	ret
	/* On the stack that the program has made: not a byte of it is touched. */
	label papi_vpmu_arrive
	get_self x16, x17
	add	x18, x16, #A64_BASE
	save_scalable
	call_runtime papi_vpmu_clone_newborn
	str	x0, [x18, #A64_CODE]
	b	papi_vpmu_resume
	.size	papi_vpmu_clone_call, . - papi_vpmu_clone_call

/* A thread goes on natively, with the registers that it has in its block. */
	function papi_vpmu_depart
	get_self x16, x17
	add	x18, x16, #A64_BASE
	save_scalable
	call_runtime papi_a64_departing
	and	x1, x0, #~1
	str	x1, [x18, #A64_CODE]
	tbnz	x0, #0, rest_natively
	b	papi_vpmu_resume
	.size	papi_vpmu_depart, . - papi_vpmu_depart

/* int papi_vpmu_engine_start(const struct papi_vpmu_wants *wants, void *frame): what this function returns to runs
 * translated. In the frame of another there is no telling from where it was called. */
	function papi_vpmu_engine_start
	stp	x29, x30, [sp, #-16]!
	mov	x29, sp
	mov	x1, #0
	add	x2, sp, #8
	bl	papi_vpmu_start
	ldp	x29, x30, [sp], #16
	ret
	.size	papi_vpmu_engine_start, . - papi_vpmu_engine_start

	.section .note.GNU-stack, "", %progbits
