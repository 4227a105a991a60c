/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Code of two pieces, of which the second is there twice, for changes.c to put one or the other behind the first:
 * uint64_t changing(uint64_t rounds), where each round adds 20 times what the second piece is about. It is reached by
 * a call, by a conditional branch and by a branch to a register, and has a loop.
 */
	.text
	.balign	65536
	.globl	changing_first, changing_end
changing_first:
	stp	x29, x30, [sp, #-32]!
	stp	x19, x20, [sp, #16]
	mov	x19, x0
	mov	x20, #0
1:	bl	changing_second
	cbnz	x19, changing_second + 64
back:	adr	x9, changing_second + 128
	blr	x9
	sub	x19, x19, #1
	cbnz	x19, 1b
	mov	x0, x20
	ldp	x19, x20, [sp, #16]
	ldp	x29, x30, [sp], #32
	ret

	/* from: how far behind its place in use it is here. */
	.macro second amount, from
	mov	x1, #3
2:	add	x20, x20, #\amount
	sub	x1, x1, #1
	cbnz	x1, 2b
	add	x20, x20, #\amount
	ret
	.balign	64
	add	x20, x20, #(8 * \amount)
	b	back + \from
	.balign	64
	add	x20, x20, #(8 * \amount)
	ret
	.endm
	.balign	65536
changing_second:
	second	1, 0
	.balign	65536
	second	2, 65536
	.balign	65536
changing_end:

	.section .note.GNU-stack, "", %progbits
