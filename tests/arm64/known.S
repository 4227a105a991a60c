/* SPDX-License-Identifier: BSD-3-Clause */
/* A loop in which every register is known at every instruction: x19 is 64 times the round, x20 how many are left, and
 * xn is x19 + n once it has been set in this round; until then it has the value of the round before. */
	.text

	.macro	set_from n
	add	x\n, x19, #\n
	.endm

	/* void known(uint64_t rounds) */
	.globl	known, known_loop, known_end
	.type	known, %function
	.balign	16
known:
	stp	x29, x30, [sp, #-96]!
	stp	x19, x20, [sp, #16]
	stp	x21, x22, [sp, #32]
	stp	x23, x24, [sp, #48]
	stp	x25, x26, [sp, #64]
	stp	x27, x28, [sp, #80]
	mov	x20, x0
	mov	x19, #0
	.irp	n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,21,22,23,24,25,26,27,28,29,30
	set_from \n
	.endr
known_loop:
	add	x19, x19, #64
	.irp	n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,21,22,23,24,25,26,27,28,29,30
	set_from \n
	.endr
	sub	x20, x20, #1
	cbnz	x20, known_loop
known_end:
	ldp	x19, x20, [sp, #16]
	ldp	x21, x22, [sp, #32]
	ldp	x23, x24, [sp, #48]
	ldp	x25, x26, [sp, #64]
	ldp	x27, x28, [sp, #80]
	ldp	x29, x30, [sp], #96
	ret
	.size	known, . - known

	/* The handler that counts: five instructions, and two of the kernel's return. One load, one store. */
	.globl	count_tick, ticks
	.type	count_tick, %function
	.balign	16
count_tick:
	adrp	x0, ticks
	ldr	x1, [x0, :lo12:ticks]
	add	x1, x1, #1
	str	x1, [x0, :lo12:ticks]
	ret
	.size	count_tick, . - count_tick
	.bss
	.balign	8
ticks:
	.zero	8
	.section .note.GNU-stack, "", %progbits
