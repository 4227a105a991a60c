/* SPDX-License-Identifier: BSD-3-Clause */
/* The loops of virtual_loops.c. */
	.text
	.globl	walk, walk_load, walk_next, leave, leave_return, leave_back, string, string_move, string_next
	.globl	straight, straight_end, turn, turn_again

walk:
walk_load:
	mov	(%rdi), %rax
walk_next:
	add	%rdx, %rdi
	dec	%rsi
	jnz	walk_load
	ret

leave:
	lea	leave_back(%rip), %rax
1:	push	%rax
leave_return:
	ret
leave_back:
	dec	%rdi
	jnz	1b
	ret

string:
	mov	%rdx, %rcx
string_move:
	rep movsb
string_next:
	ret

turn:
	dec	%rdi
turn_again:
	jnz	turn
	ret

	.balign	64
straight:
	.rept	4096
	.byte	0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0
	.endr
straight_end:
	ret

	.section .note.GNU-stack, "", @progbits
