/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * enter(struct state *state, const void *code): all registers and flags are those of the state when the code begins,
 * but for x30, which is its address. Once it has come to leave(), the state has what they have become. The code keeps
 * the stack pointer.
 *
 * If enter_scalable is not 0, vectors and predicates of any length are those at that address: 32 of the ones, then 16
 * of the others.
 */
	.arch_extension sve
	.data
	.globl	enter_scalable
	.balign	8
	.type	enter_scalable, %object
enter_scalable:
	.quad	0
	.size	enter_scalable, 8

	/* If there are any, those go from there (ldr), or there (str). Changes x1. */
	.macro	scalable op
	adrp	x1, enter_scalable
	ldr	x1, [x1, :lo12:enter_scalable]
	cbz	x1, 1f
	.irp	n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	\op	z\n, [x1, #\n, mul vl]
	.endr
	addvl	x1, x1, #16
	addvl	x1, x1, #16
	.irp	n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
	\op	p\n, [x1, #\n, mul vl]
	.endr
1:
	.endm

	.text
	.globl	enter, leave
	.type	enter, %function
	.balign	16
enter:
	stp	x29, x30, [sp, #-176]!
	stp	x19, x20, [sp, #16]
	stp	x21, x22, [sp, #32]
	stp	x23, x24, [sp, #48]
	stp	x25, x26, [sp, #64]
	stp	x27, x28, [sp, #80]
	stp	d8, d9, [sp, #96]
	stp	d10, d11, [sp, #112]
	stp	d12, d13, [sp, #128]
	stp	d14, d15, [sp, #144]
	str	x0, [sp, #-16]!
	mov	x30, x1
	add	x1, x0, #256
	.irp	n, 0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30
	ldr	q\n, [x1], #16
	.endr
	add	x1, x0, #512
	.irp	n, 1,3,5,7,9,11,13,15,17,19,21,23,25,27,29,31
	ldr	q\n, [x1], #16
	.endr
	scalable ldr
	ldr	x1, [x0, #248]
	msr	nzcv, x1
	.irp	n, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29
	ldr	x\n, [x0, #8 * \n]
	.endr
	ldr	x0, [x0]
	br	x30
	.size	enter, . - enter

	.type	leave, %function
leave:
	ldr	x30, [sp]
	.irp	n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29
	str	x\n, [x30, #8 * \n]
	.endr
	mrs	x1, nzcv
	str	x1, [x30, #248]
	add	x1, x30, #256
	.irp	n, 0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30
	str	q\n, [x1], #16
	.endr
	.irp	n, 1,3,5,7,9,11,13,15,17,19,21,23,25,27,29,31
	str	q\n, [x1], #16
	.endr
	scalable str
	add	sp, sp, #16
	ldp	x19, x20, [sp, #16]
	ldp	x21, x22, [sp, #32]
	ldp	x23, x24, [sp, #48]
	ldp	x25, x26, [sp, #64]
	ldp	x27, x28, [sp, #80]
	ldp	d8, d9, [sp, #96]
	ldp	d10, d11, [sp, #112]
	ldp	d12, d13, [sp, #128]
	ldp	d14, d15, [sp, #144]
	ldp	x29, x30, [sp], #176
	ret
	.size	leave, . - leave
	.section .note.GNU-stack, "", %progbits
