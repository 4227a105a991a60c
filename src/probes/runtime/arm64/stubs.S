/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Between the program's code and the runtime's. Everything that the program may have in registers stays, flags too, but
 * for x16 and x17: code of the linker may change those between a caller and a function, so nobody has anything there at
 * a call or a return.
 *
 * All that usual calls and returns need is done here, with few registers. The rest is done in C, which begins anew: a
 * frame may have been taken off the list of free ones by then, where another had it already, and nothing else is
 * changed. A signal handler may do all of this in between; so what is added to is added to anew if one has come.
 *
 * Each frame has a stub of 16 bytes:
 *
 *	blr  x16            the probed function goes on in its trampoline, and returns behind this
 *	adr  x17, stub
 *	b    leave_stub
 *	.word               how far it is to the frame's back
 *
 * The processor foresees where a return goes by the calls before. So the stub's address comes into x30 by a call, and
 * both returns are foreseen: that to the stub, and that from here to the caller.
 *
 * One rule tells unwinders for all stubs where the true return address is: in the frame. The canonical frame address is
 * the stack pointer plus 1, for libgcc wants it to be another than the caller's.
 */
#include "probes/runtime/layout.h"

	.text
	/* Where a variable of the library is. */
	.macro	ADDRESS register, name
	adrp	\register, \name
	add	\register, \register, :lo12:\name
	.endm
	.macro	LOAD register, name
	adrp	\register, \name
	ldr	\register, [\register, :lo12:\name]
	.endm
	/* The thread's struct papi_probe_quick. Changes the other register. */
	.macro	QUICK register, other
	mrs	\register, tpidr_el0
	adrp	\other, :gottprel:papi_probe_quick
	ldr	\other, [\other, :gottprel_lo12:papi_probe_quick]
	add	\register, \register, \other
	.endm
	/* To a number of 64 bits in memory; value, failed: changed. */
	.macro	ADD_TO place, number, value, failed
9:	ldxr	\value, [\place]
	add	\value, \value, \number
	stxr	\failed, \value, [\place]
	cbnz	\failed, 9b
	.endm
	.macro	SAVE_FEW
	stp	x0, x1, [sp, #-64]!
	.cfi_def_cfa_offset 64
	stp	x2, x3, [sp, #16]
	stp	x4, x5, [sp, #32]
	stp	x6, x7, [sp, #48]
	.endm
	.macro	RESTORE_FEW
	ldp	x2, x3, [sp, #16]
	ldp	x4, x5, [sp, #32]
	ldp	x6, x7, [sp, #48]
	ldp	x0, x1, [sp], #64
	.cfi_def_cfa_offset 0
	.endm
#define FEW 64

	/* All that a function in C may change, x16, x30, and the flags. */
#define SAVED_ON   0
#define SAVED_BACK 8
#define SAVED      192
	.macro	SAVE
	stp	x16, x30, [sp, #-SAVED]!
	.cfi_def_cfa_offset SAVED
	.cfi_offset 30, SAVED_BACK - SAVED
	stp	x0, x1, [sp, #16]
	stp	x2, x3, [sp, #32]
	stp	x4, x5, [sp, #48]
	stp	x6, x7, [sp, #64]
	stp	x8, x9, [sp, #80]
	stp	x10, x11, [sp, #96]
	stp	x12, x13, [sp, #112]
	stp	x14, x15, [sp, #128]
	stp	x18, x29, [sp, #144]
	mrs	x0, nzcv
	str	x0, [sp, #160]
	.endm
	.macro	RESTORE
	ldr	x0, [sp, #160]
	msr	nzcv, x0
	ldp	x0, x1, [sp, #16]
	ldp	x2, x3, [sp, #32]
	ldp	x4, x5, [sp, #48]
	ldp	x6, x7, [sp, #64]
	ldp	x8, x9, [sp, #80]
	ldp	x10, x11, [sp, #96]
	ldp	x12, x13, [sp, #112]
	ldp	x14, x15, [sp, #128]
	ldp	x18, x29, [sp, #144]
	ldp	x16, x30, [sp], #SAVED
	.cfi_def_cfa_offset 0
	.cfi_restore 30
	.endm

	/* The thread's table, in x1, is the current one, counts and has the function of x17; and somebody looks.
	 * Changes x2. */
	.macro	SLOWLY_UNLESS_USUAL
	LOAD	x2, papi_probe_current
	sub	x2, x2, x1
	cbnz	x2, enter_slowly
	ldr	w2, [x1, #TABLE_ENABLED]
	cbz	w2, enter_slowly
	ldr	w2, [x1, #TABLE_N_FUNCTIONS]
	sub	x2, x17, x2
	tbz	x2, #63, enter_slowly
	LOAD	x2, papi_probe_alive
	ldr	w2, [x2]
	cbz	w2, enter_slowly
	.endm

	/* From a trampoline, which goes on at x16. */
	.balign	64
	.globl	papi_probe_enter_stub
	.hidden	papi_probe_enter_stub
	.type	papi_probe_enter_stub, %function
	.cfi_startproc
papi_probe_enter_stub:
	SAVE_FEW
	ldur	x7, [x16, #ON_PATCH]
	ldr	w17, [x7, #PATCH_NUMBER]
	QUICK	x0, x1
	ldr	x1, [x0, #QUICK_CALLS]
	cbz	x1, enter_timed
	SLOWLY_UNLESS_USUAL
	ldr	x1, [x0, #QUICK_COUNTS]
	mov	x2, #COUNTS_SIZE
	madd	x1, x17, x2, x1
	ADD_TO	x1, 1, x2, w3 /* COUNTS_CALLS is 0 */
	.cfi_remember_state
	RESTORE_FEW
	br	x16
	.cfi_restore_state

enter_timed:
	ldr	x1, [x0, #QUICK_TIMES]
	cbz	x1, enter_slowly
	SLOWLY_UNLESS_USUAL
	ldr	x0, [x0, #QUICK_THREAD]
	/* The frame before is further up, or on another stack that is there. */
	add	x5, sp, #FEW
	ldr	x4, [x0, #THREAD_TOP]
	cbz	x4, 1f
	ldr	x2, [x4, #FRAME_SLOT]
	sub	x2, x5, x2
	tbz	x2, #63, enter_slowly
1:	ldr	x3, [x0, #THREAD_FREE]
	cbz	x3, enter_slowly
	ldr	x2, [x3, #FRAME_NEXT]
	str	x2, [x0, #THREAD_FREE]
	add	x2, x3, #FRAME_USED
	mov	w6, #1
2:	ldxr	w1, [x2]
	cbnz	w1, enter_slowly
	stxr	w1, w6, [x2]
	cbnz	w1, 2b
	/* It is ours. */
	str	w17, [x3, #FRAME_FUNCTION]
	ldr	w2, [x0, #THREAD_VISIT]
	strh	w2, [x3, #FRAME_VISIT]
	ldr	x2, [x0, #THREAD_ACTIVE]
	add	x2, x2, x17, lsl #2
3:	ldxr	w1, [x2]
	add	w6, w1, #1
	stxr	w7, w6, [x2]
	cbnz	w7, 3b
	clz	w1, w1 /* 32 of nothing but 0 */
	lsr	w1, w1, #5
	strb	w1, [x3, #FRAME_FLAGS]
	ldr	x1, [x0, #THREAD_COUNTS]
	mov	x2, #COUNTS_SIZE
	madd	x1, x17, x2, x1
	ADD_TO	x1, 1, x2, w6 /* COUNTS_CALLS is 0 */
	str	xzr, [x3, #FRAME_CHILDREN]
	str	x4, [x3, #FRAME_PARENT]
	str	x5, [x3, #FRAME_SLOT]
	str	x30, [x3, #FRAME_BACK]
	ldur	x1, [x16, #ON_PATCH]
	ldr	w1, [x1, #PATCH_SAVED]
	str	w1, [x3, #FRAME_SAVED]
	ldr	x17, [x3, #FRAME_STUB]
	str	x3, [x0, #THREAD_TOP]
	mrs	x1, cntvct_el0
	str	x1, [x3, #FRAME_BEGUN]
	.cfi_remember_state
	RESTORE_FEW
	sub	x17, x17, #STUB_RETURN
	br	x17
	.cfi_restore_state

enter_slowly:
	RESTORE_FEW
	SAVE
	ldur	x3, [x16, #ON_PATCH]
	ldr	w0, [x3, #PATCH_NUMBER]
	ldr	w3, [x3, #PATCH_SAVED]
	add	x1, sp, #SAVED
	add	x2, sp, #SAVED_BACK
	bl	papi_probe_enter
	cbz	x0, 4f
	ldr	x17, [x0, #FRAME_STUB]
	sub	x17, x17, #STUB_RETURN
	.cfi_remember_state
	RESTORE
	br	x17
	.cfi_restore_state
4:	RESTORE
	br	x16
	.cfi_endproc
	.size	papi_probe_enter_stub, . - papi_probe_enter_stub

	/* x17: the stub. */
	.balign	64
	.type	leave_stub, %function
	.cfi_startproc
leave_stub:
	SAVE_FEW
	mrs	x0, cntvct_el0
	/* For each 16 bytes of stubs there are FRAME_SIZE of frames: 12 times as many. */
	ADDRESS	x1, papi_probe_stubs
	sub	x17, x17, x1
	add	x17, x17, x17, lsl #1
	ADDRESS	x1, papi_probe_frames
	add	x17, x1, x17, lsl #2
	QUICK	x1, x2
	ldr	x2, [x1, #QUICK_TIMES]
	LOAD	x3, papi_probe_current
	sub	x2, x2, x3
	cbnz	x2, leave_slowly
	LOAD	x2, papi_probe_alive
	ldr	w2, [x2]
	cbz	w2, leave_slowly
	ldr	x1, [x1, #QUICK_THREAD]
	ldr	x2, [x1, #THREAD_TOP]
	sub	x2, x2, x17
	cbnz	x2, leave_slowly
	ldrh	w2, [x17, #FRAME_VISIT]
	ldrh	w3, [x1, #THREAD_VISIT]
	sub	w2, w2, w3
	cbnz	w2, leave_slowly
	ldr	w2, [x17, #FRAME_FUNCTION]
	mov	x3, #COUNTS_SIZE
	ldr	x4, [x1, #THREAD_COUNTS]
	madd	x2, x2, x3, x4
	/* The first one has nothing to be compared with. */
	ldr	x3, [x2, #COUNTS_RETURNS]
	cbz	x3, leave_slowly
	/* From here on it is over. */
	ldr	x3, [x17, #FRAME_PARENT]
	str	x3, [x1, #THREAD_TOP]
	ldr	x4, [x17, #FRAME_BEGUN]
	sub	x0, x0, x4
	cbz	x3, 1f
	ldr	x4, [x3, #FRAME_CHILDREN]
	add	x4, x4, x0
	str	x4, [x3, #FRAME_CHILDREN]
1:	ldr	x4, [x2, #COUNTS_LEAST]
	sub	x4, x0, x4
	tbz	x4, #63, 2f
	str	x0, [x2, #COUNTS_LEAST]
2:	ldr	x4, [x2, #COUNTS_MOST]
	sub	x4, x4, x0
	tbz	x4, #63, 3f
	str	x0, [x2, #COUNTS_MOST]
3:	add	x5, x2, #COUNTS_SUM
	ADD_TO	x5, x0, x4, w6
	ldrb	w4, [x17, #FRAME_FLAGS]
	tbz	w4, #0, 4f
	add	x5, x2, #COUNTS_INCLUSIVE
	ADD_TO	x5, x0, x4, w6
	/* Where stacks are changed, what was called from one may have had its time on another. */
4:	ldr	x4, [x17, #FRAME_CHILDREN]
	sub	x0, x0, x4
	tbnz	x0, #63, 5f
	add	x5, x2, #COUNTS_EXCLUSIVE
	ADD_TO	x5, x0, x4, w6
5:	add	x5, x2, #COUNTS_RETURNS
	ADD_TO	x5, 1, x4, w6
	ldr	w2, [x17, #FRAME_FUNCTION]
	ldr	x3, [x1, #THREAD_ACTIVE]
	add	x3, x3, x2, lsl #2
	ADD_TO	x3, -1, w4, w6
	ldr	x30, [x17, #FRAME_BACK]
	ldr	x3, [x1, #THREAD_FREE]
	str	x3, [x17, #FRAME_NEXT]
	str	wzr, [x17, #FRAME_USED]
	str	x17, [x1, #THREAD_FREE]
	.cfi_remember_state
	RESTORE_FEW
	ret
	.cfi_restore_state

leave_slowly:
	RESTORE_FEW
	SAVE
	mov	x0, x17
	add	x1, sp, #SAVED_BACK
	bl	papi_probe_leave
	str	x0, [sp, #SAVED_BACK]
	RESTORE
	ret
	.cfi_endproc
	.size	leave_stub, . - leave_stub

	/* Wherever in its stub a thread is, or is to return to: the address in x30 tells which stub that is. */
	.balign	64
	.cfi_startproc simple
	.cfi_def_cfa sp, 1
	/* sp is sp (DW_CFA_val_expression; DW_OP_breg31). */
	.cfi_escape 0x16, 31, 2, 0x8f, 0
	/* The return address is saved (DW_CFA_expression) in the frame: the stub begins where the last four bits are 0,
	 * and what else is no address, but a signature (breg30, const8u, and), and 12 bytes further (plus_uconst) it
	 * says how far from there back is (dup, deref_size 4, plus). */
	.cfi_escape 0x10, 30, 18, 0x8e, 0, 0x0e, 0xf0, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0x1a, 0x23, 12
	.cfi_escape 0x12, 0x94, 4, 0x22
	.globl	papi_probe_stubs
	.hidden	papi_probe_stubs
	.type	papi_probe_stubs, %object
papi_probe_stubs:
	.set	frame, 0
	.rept	PAPI_PROBE_FRAMES
	blr	x16
	adr	x17, . - 4
	b	leave_stub
	.word	papi_probe_frames + FRAME_BACK + frame - .
	.set	frame, frame + FRAME_SIZE
	.endr
	.cfi_endproc
	.size	papi_probe_stubs, . - papi_probe_stubs
	.section .note.GNU-stack, "", %progbits
