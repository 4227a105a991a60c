/* SPDX-License-Identifier: BSD-3-Clause */
/* work(n): 2 n + 1 instructions, of which n are conditional branches, and n - 1 are taken. */
	.text
	.globl	work
	.type	work, @function
work:
	.cfi_startproc
1:	dec	%rdi
	jne	1b
	ret
	.cfi_endproc
	.size	work, . - work

	.section .note.GNU-stack, "", @progbits
