/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Code that is copied into another process (load.c): the function of a new thread there. It waits until the thread that
 * has made it is out of this memory, loads libraries and goes on in a function of the last, which unmaps this code in
 * the end and never comes back.
 */
#define SYS_close 57
#define SYS_futex 98

	.section .rodata
	.globl	papi_remote_stub, papi_remote_stub_end, papi_remote_stub_thread
	.hidden	papi_remote_stub, papi_remote_stub_end, papi_remote_stub_thread
	.balign	16
papi_remote_stub:
	brk	#0			/* where calls return to */
	.balign	16
papi_remote_stub_thread:		/* void *(struct words *) */
	hint	#34			/* bti c */
	stp	x29, x30, [sp, #-48]!
	mov	x29, sp
	stp	x19, x20, [sp, #16]
	str	x21, [sp, #32]
	mov	x19, x0
	mov	w20, #30000		/* as many ms at most */
	mov	x9, #0x4240		/* 1,000,000 ns */
	movk	x9, #0xf, lsl #16
	stp	xzr, x9, [sp, #-16]!
0:	ldr	w9, [x19, #1384]
	cbnz	w9, 8f
	add	x0, x19, #1384
	mov	x1, #128		/* FUTEX_WAIT_PRIVATE, which nobody wakes */
	mov	x2, #0
	mov	x3, sp
	mov	x8, #SYS_futex
	svc	#0
	subs	w20, w20, #1
	b.ne	0b
8:	add	sp, sp, #16
	cmp	w9, #1
	b.ne	9f
	add	x20, x19, #104		/* the libraries, one after the other */
1:	mov	x0, x20
	mov	w1, #2			/* RTLD_NOW */
	ldr	x9, [x19]		/* dlopen() */
	blr	x9
	cbz	x0, 4f
	mov	x21, x0
2:	ldrb	w9, [x20], #1
	cbnz	w9, 2b
	ldrb	w9, [x20]
	cbnz	w9, 1b
	mov	x0, x21
	add	x1, x19, #40		/* the function */
	ldr	x9, [x19, #8]		/* dlsym() */
	blr	x9
	cbz	x0, 4f
	mov	x21, x0
	bl	close_files
	mov	x16, x21
	ldr	x0, [x19, #32]		/* its argument */
	ldr	x21, [sp, #32]
	ldp	x19, x20, [sp, #16]
	ldp	x29, x30, [sp], #48
	br	x16
4:	ldr	x9, [x19, #16]		/* dlerror() */
	blr	x9
	cbz	x0, 6f
	add	x9, x19, #1128
	mov	w10, #255
5:	ldrb	w11, [x0], #1
	strb	w11, [x9], #1
	cbz	w11, 6f
	subs	w10, w10, #1
	b.ne	5b
6:	bl	close_files
9:	mov	x9, #1
	str	x9, [x19, #24]		/* it has failed, and the reason is there */
	mov	x0, #0
	ldr	x21, [sp, #32]
	ldp	x19, x20, [sp, #16]
	ldp	x29, x30, [sp], #48
	ret
close_files:				/* which the kernel refuses for those that are none */
	add	x9, x19, #72
	mov	w10, #8
7:	ldr	w0, [x9], #4
	mov	x8, #SYS_close
	svc	#0
	subs	w10, w10, #1
	b.ne	7b
	ret
papi_remote_stub_end:
	.section .note.GNU-stack, "", %progbits
