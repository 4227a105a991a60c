/* SPDX-License-Identifier: BSD-3-Clause */
/* A library to be loaded and unloaded, at the address of another that has other code there: worker(n) has 2 n + 1
 * instructions, or 3 n + 1. */
	.text
	.globl	worker
	.type	worker, @function
worker:
1:
#ifdef LONGER
	nop
#endif
	dec	%rdi
	jne	1b
	ret
	.size	worker, . - worker

	.section .note.GNU-stack, "", @progbits
