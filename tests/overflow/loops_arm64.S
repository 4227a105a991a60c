/* SPDX-License-Identifier: BSD-3-Clause */
/* The loops of virtual_loops.c. */
	.text
	.globl	walk, walk_load, walk_next, leave, leave_return, leave_back, straight, straight_end, turn, turn_again

walk:
walk_load:
	ldr	x9, [x0]
walk_next:
	add	x0, x0, x2
	sub	x1, x1, #1
	cbnz	x1, walk_load
	ret

leave:
	mov	x9, x30
	adr	x30, leave_back
1:
leave_return:
	ret
leave_back:
	sub	x0, x0, #1
	cbnz	x0, 1b
	ret	x9

turn:
	sub	x0, x0, #1
turn_again:
	cbnz	x0, turn
	ret

	.balign	64
straight:
	.rept	8192
	nop
	.endr
straight_end:
	ret

	.section .note.GNU-stack, "", %progbits
