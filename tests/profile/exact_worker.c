/* SPDX-License-Identifier: BSD-3-Clause */
/* A library to be loaded and unloaded, at the address of another that has other code there: worker(n) has 2 n + 1
 * instructions, or 3 n + 1. */
__asm__(".text\n"
	".globl worker\n.type worker, @function\nworker:\n1:\n"
#ifdef LONGER
	" nop\n"
#endif
	" dec %rdi\n jne 1b\n ret\n.size worker, . - worker\n");
